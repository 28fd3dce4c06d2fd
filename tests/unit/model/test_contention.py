# SPDX-License-Identifier: GPL-2.0-or-later
"""Many stations: by hand, by Bianchi's fixed point, and against each other."""

import math
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsqlab.model import contention
from tsqlab.model.band import GHZ_2_4, GHZ_5
from tsqlab.model.bianchi import Steps, saturation, transmission_probability
from tsqlab.model.contention import Contender, Recovery, recovery, simulate
from tsqlab.model.edca import ACCESS_POINT, STATION, Access
from tsqlab.model.exchange import exchange
from tsqlab.model.phy import Rate
from tsqlab.model.sampling import ratio

BE = STATION["BE"]
PARTS = exchange(Rate("HT", 40, 2, 7, 400), 1538, 32)
CONTENDER = Contender(PARTS.ppdu_ns, PARTS.sifs_ns + PARTS.response_ns, 32 * 1472 * 8)
ALIKE = Recovery(60_000, 60_000, 60_000)  # everybody resumes at the same time, as in Bianchi's


def steps(recover_ns=60_000):
    return Steps(
        GHZ_5.slot_ns,
        PARTS.busy_ns + PARTS.aifs_ns,
        PARTS.ppdu_ns + recover_ns + PARTS.aifs_ns,
        CONTENDER.payload_bits,
    )


class Scripted:
    """A medium whose backoff counters are known beforehand."""

    def __init__(self, contenders, draws, after=None):
        self.draws, self.windows = list(draws), []
        aifs = [one.access.aifs_ns(GHZ_5) for one in contenders]
        stations = [contention._Station(one, ns) for one, ns in zip(contenders, aifs, strict=True)]
        self.medium = contention._Medium(
            stations, GHZ_5.slot_ns, after or recovery(GHZ_5), self, aifs
        )
        for station in stations:
            self.medium.draw(station)
        self.batch = contention._Batch(len(contenders))

    def integers(self, high):
        self.windows.append(high - 1)
        return self.draws.pop(0)

    def step(self):
        """The next busy period's end, and what each station resumes with; in us."""
        self.medium.step(self.batch)
        stations = self.medium.stations
        return (
            self.medium.now_ns / 1000,
            [one.resume_ns / 1000 for one in stations],
            [one.counter for one in stations],
        )


SHORT = Contender(100_000, 48_000, 1)


def test_a_collision_and_what_follows_by_hand():
    """A and B collide at 43 + 2 slots; C, with 5, has passed 43, 52 and 61."""
    script = Scripted([SHORT] * 3, [2, 2, 5, 0, 1, 4])
    assert script.step() == (161, [249, 249, 264], [0, 1, 2])
    # A begins at 249: B has passed that boundary, C has not yet resumed
    assert script.step() == (397, [440, 440, 440], [4, 0, 2])
    assert script.windows == [15, 15, 15, 31, 31, 15]
    assert (script.batch.transmissions, script.batch.collided) == (3, 2)
    assert script.batch.elapsed_ns == 397_000
    assert script.batch.bits == [1, 0, 0]


def test_boundaries_out_of_step_do_not_collide_by_hand():
    """C's boundaries are at 264, 273, ...; A's and B's at 249, 258, 267, 276, ..."""
    script = Scripted([SHORT] * 3, [2, 2, 5, 3, 9, 0])
    script.step()
    assert script.step() == (276 + 148, [467] * 3, [0, 5, 0])


def test_two_that_begin_at_once_collide_whatever_their_phase():
    """15 us and a wait of one slot for AIFS more: equal to the nanosecond is what counts."""
    late = replace(SHORT, access=Access(4, 15, 1023))
    script = Scripted([SHORT, late], [3, 2, 0, 0])
    assert script.step() == (43 + 27 + 100, [170 + 88, 170 + 97], [0, 0])


def test_a_sender_that_another_outlasts_by_hand():
    long = replace(SHORT, ppdu_ns=200_000)
    draws = [2, 2, 9, 7, 7]
    assert Scripted([SHORT, long, SHORT], draws).step()[:2] == (261, [364, 349, 364])
    standard = replace(recovery(GHZ_5), overlapped_ns=0)
    assert Scripted([SHORT, long, SHORT], draws, standard).step()[1] == [304, 349, 364]
    little = replace(SHORT, ppdu_ns=120_000)  # A's own timeout is the later one
    assert Scripted([SHORT, little, SHORT], draws, standard).step()[1] == [249, 269, 284]


def test_a_frame_is_given_up_and_the_window_closes_again():
    once_more = replace(SHORT, attempts=2)
    script = Scripted([once_more] * 2, [0, 0, 3, 3, 1, 1])
    script.step()
    script.step()
    assert script.windows == [15, 15, 31, 31, 15, 15]
    assert script.medium.given_up == 2


def test_recovery_is_the_standards():
    assert recovery(GHZ_5) == Recovery(45_000, 60_000, 60_000)
    assert recovery(GHZ_2_4) == Recovery(39_000, 60_000, 60_000)


def test_one_station_alone_is_the_closed_form():
    outcome = simulate([CONTENDER], 20_000)
    assert outcome.collision_probability.value == 0
    exact = PARTS.goodput_bit_per_s(32 * 1472)
    # a backoff of 0 .. 15 slots has a deviation of sqrt(255 / 12) slots
    error = exact * 9_000 * math.sqrt(255 / 12) / PARTS.total_ns / math.sqrt(20_000)
    assert outcome.goodput_bit_per_s.value == pytest.approx(exact, abs=4 * error)
    assert outcome.goodput_bit_per_s.standard_error == pytest.approx(error, rel=0.5)


def test_tau_without_collisions_by_hand():
    assert transmission_probability(0, BE, 7) == 1 / 8.5  # 7.5 slots of backoff, and its own
    # two attempts, half of them collide: 1.5 transmissions in 8.5 + 16.5 / 2 steps
    assert transmission_probability(0.5, BE, 2) == pytest.approx(1.5 / 16.75)


def test_the_fixed_point_is_one():
    for stations in (1, 2, 7, 50):
        found = saturation(stations, BE, steps())
        assert found.collision_probability == pytest.approx(
            1 - (1 - found.tau) ** (stations - 1), abs=1e-9
        )
    alone = saturation(1, BE, steps()).goodput_bit_per_s
    assert alone == pytest.approx(PARTS.goodput_bit_per_s(32 * 1472))


@given(st.integers(2, 100), st.sampled_from([*STATION.values(), *ACCESS_POINT.values()]))
def test_more_stations_collide_more(stations, access):
    fewer, more = (saturation(n, access, steps()) for n in (stations, stations + 1))
    assert fewer.collision_probability < more.collision_probability


# Bianchi's assumption that collisions do not depend on the past costs less than 2 %; the
# simulation's standard error is about 0.2 % of goodput and 0.5 % of the probability.
@pytest.mark.parametrize("stations", [5, 10, 20])
def test_bianchi_and_the_simulator_agree(stations):
    model = saturation(stations, BE, steps())
    run = simulate([CONTENDER] * stations, 30_000, after_collision=ALIKE)
    goodput, collisions = run.goodput_bit_per_s, run.collision_probability
    assert goodput.standard_error < 0.004 * goodput.value
    assert goodput.value == pytest.approx(model.goodput_bit_per_s, rel=0.02)
    assert collisions.value == pytest.approx(
        model.collision_probability, rel=0.02, abs=3 * collisions.standard_error
    )


def test_the_standards_recovery_lets_fewer_collide():
    """Those who have collided are ahead of the rest, and out of step with it."""
    alike = simulate([CONTENDER] * 20, 20_000, after_collision=ALIKE).collision_probability
    real = simulate([CONTENDER] * 20, 20_000).collision_probability
    assert real.value < alike.value - 2 * math.hypot(real.standard_error, alike.standard_error)


def test_stations_that_are_alike_get_alike():
    shares = simulate([CONTENDER] * 4, 40_000).station_goodput_bit_per_s
    for one, other in pairwise(shares):
        error = math.hypot(one.standard_error, other.standard_error)
        assert abs(one.value - other.value) < 4 * error


def test_voice_goes_before_background():
    voice, background = simulate(
        [replace(CONTENDER, access=STATION["VO"]), replace(CONTENDER, access=STATION["BK"])],
        4_000,
    ).station_goodput_bit_per_s
    assert voice.value > 20 * background.value


def test_a_seed_is_a_run():
    runs = [simulate([CONTENDER] * 3, 1_000, seed=seed) for seed in (1, 1, 2)]
    assert runs[0] == runs[1] != runs[2]


def test_the_standard_error_is_the_spread_between_seeds():
    runs = [simulate([CONTENDER] * 3, 2_000, seed=seed).goodput_bit_per_s for seed in range(40)]
    mean = sum(run.value for run in runs) / 40
    spread = math.sqrt(sum((run.value - mean) ** 2 for run in runs) / 39)
    said = math.sqrt(sum(run.standard_error**2 for run in runs) / 40)
    # 40 values give a deviation to 1 / sqrt(78) = 11 %
    assert said == pytest.approx(spread, rel=0.35)


def test_a_ratio_by_hand():
    sampled = ratio([1, 3], [2, 2])
    assert (sampled.value, sampled.standard_error) == (1, 0.5)
