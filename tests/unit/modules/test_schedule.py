# SPDX-License-Identifier: GPL-2.0-or-later
"""A wire whose capacity changes, against sums of whole numbers, and against Mahimahi's own rule."""

import ctypes
import random
import weakref
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from airlink_c import STUBS, library

WIRELINE = Path(__file__).parents[3] / "kernel/modules/wireline"
RATES, DELIVERIES, DELAYS = range(3)
NEVER = 2**64 - 1
FRAME_BYTES = 1538  # of wire, of a packet of 1500
PACKET_BYTES = 1500
S = 10**9


@pytest.fixture(scope="module")
def clock_c(tmp_path_factory):
    made = library(
        STUBS / "wireline/clock.c", tmp_path_factory.mktemp("wireline"), [STUBS, WIRELINE]
    )
    u32, u64, pointer = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_void_p
    made.clock_make.argtypes, made.clock_make.restype = (u32,), pointer
    made.clock_schedule.argtypes = (pointer, u32, u64, u64, u32, ctypes.POINTER(u64))
    made.clock_schedule.restype = ctypes.c_bool
    made.clock_occupy.argtypes, made.clock_occupy.restype = (pointer, u64, u32, u32), u64
    made.clock_delay.argtypes, made.clock_delay.restype = (pointer, u64), u64
    made.clock_free.argtypes, made.clock_free.restype = (pointer,), None
    return made


class Clock:
    """The clock of a wire, with a schedule if that is one.

    *rounds*: when its instants begin, and after what time they come again.
    """

    def __init__(self, clock_c, schedule, rounds=(0, 0), speed_mbps=1000):
        kind, entries = schedule
        words = [word for pair in entries for word in pair]
        self.c, self.clock = clock_c, clock_c.clock_make(speed_mbps)
        self.valid = clock_c.clock_schedule(
            self.clock, kind, *rounds, len(entries), (ctypes.c_uint64 * len(words))(*words)
        )
        weakref.finalize(self, clock_c.clock_free, self.clock)

    def end_ns(self, now_ns, wire_bytes=FRAME_BYTES, frames=1):
        return self.c.clock_occupy(self.clock, now_ns, wire_bytes, frames)

    def delay_ns(self, now_ns):
        return self.c.clock_delay(self.clock, now_ns)


def capacity(rates, speed_kbps, from_ns, until_ns):
    """What a wire carries between two instants, in units of a kbit/s in a ns: step by step.

    *rates*: the entries, when they begin, and after what time they come again.
    """
    entries, start_ns, period_ns = rates
    rounds = max(1, (until_ns - start_ns) // period_ns + 2) if period_ns else 1
    steps = [(start_ns + number * period_ns + at, kbps)
             for number in range(rounds) for at, kbps in entries]  # fmt: skip
    total, here, kbps = 0, from_ns, speed_kbps
    for at, value in steps:
        if at > until_ns:
            break
        if at > here:
            total += kbps * (at - here)
            here = at
        kbps = value
    return total + kbps * (until_ns - here)


ENTRIES = st.lists(
    st.tuples(st.integers(0, 50_000_000), st.sampled_from([0, 1, 64, 997, 5000, 100_000, 10**8])),
    min_size=1, max_size=6, unique_by=lambda entry: entry[0],
).map(sorted)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(ENTRIES, st.integers(0, 10**8), st.sampled_from([10, 1000]), st.data())
def test_a_frame_takes_its_bytes_of_the_capacity(clock_c, entries, start_ns, mbps, data):
    """From the end of the one before to its own, the wire carries just the frame, to the bit."""
    periodic = data.draw(st.booleans())
    period_ns = entries[-1][0] + data.draw(st.integers(10**6, 10**7)) if periodic else 0
    clock = Clock(clock_c, (RATES, entries), (start_ns, period_ns), mbps)
    assert clock.valid == any(kbps for _, kbps in entries)
    if not clock.valid:
        return
    now_ns, units = data.draw(st.integers(0, 10**8)), 0
    begin_ns, before_ns = now_ns, now_ns
    for _ in range(20):
        wire_bytes = data.draw(st.integers(84, 66_000))
        end_ns = clock.end_ns(now_ns, wire_bytes)
        units += 8_000_000 * wire_bytes
        if end_ns == NEVER:
            assert not periodic
            assert not entries[-1][1], "only what ends at no rate never carries it"
            return
        assert end_ns >= before_ns
        before_ns = end_ns
        if end_ns > 10**10:  # the steps of many rounds are slow to add up here
            return
        carried = [
            capacity((entries, start_ns, period_ns), 1000 * mbps, begin_ns, at)
            for at in (end_ns - 1, end_ns)
        ]
        assert carried[0] < units <= carried[1], "its end is the first ns that has room for it"


def test_a_frame_is_sent_on_at_the_new_rate(clock_c):
    """Half of a frame at 1 Mbit/s, half at 10: 6.152 ms and 0.6152 ms."""
    clock = Clock(clock_c, (RATES, [(0, 1000), (6_152_000, 10_000)]))
    assert clock.end_ns(0) == 6_152_000 + 615_200


def test_before_the_first_rate_a_wire_has_its_own_speed(clock_c):
    clock = Clock(clock_c, (RATES, [(0, 1000)]), (S, 0), 100)
    assert clock.end_ns(0) == 123_040
    assert clock.end_ns(S) == S + 12_304_000


def test_a_wire_without_a_rate_waits(clock_c):
    clock = Clock(clock_c, (RATES, [(0, 0), (S, 1000)]))
    assert clock.end_ns(5) == S + 12_304_000


def test_rounds_repeat_also_after_a_long_silence(clock_c):
    busy = Clock(clock_c, (RATES, [(0, 1000), (S, 2000)]), (0, 2 * S))
    for number in (0, 1, 2, 1000, 1001, 10**9):
        at_ns = 2 * S * number
        assert busy.end_ns(at_ns + 7) == at_ns + 7 + 12_304_000
        assert busy.end_ns(at_ns + S) == at_ns + S + 6_152_000


class Mahimahi:
    """Its LinkQueue: at each delivery so many bytes go, and what is not used is lost."""

    def __init__(self, instants_ms, period_ms, packet_bytes=PACKET_BYTES):
        self.instants_ms, self.period_ms = instants_ms, period_ms
        self.packet_bytes = packet_bytes

    def ends_ms(self, packets):
        """When each of *packets* arrives: pairs of the ms at which it is there, and its bytes."""
        ends, waiting, number, base_ms = [], [], 0, 0
        queue = list(packets)
        while len(ends) < len(packets):
            at_ms = base_ms + self.instants_ms[number]
            while queue and queue[0][0] <= at_ms:
                waiting.append(queue.pop(0)[1])
            left = self.packet_bytes
            while left and waiting:
                taken = min(left, waiting[0])
                left -= taken
                waiting[0] -= taken
                if not waiting[0]:
                    waiting.pop(0)
                    ends.append(at_ms)
            number += 1
            if number == len(self.instants_ms):
                number, base_ms = 0, base_ms + self.period_ms
        return ends


@pytest.mark.parametrize("seed", range(30))
def test_deliveries_are_mahimahis(clock_c, seed):
    draw = random.Random(seed)
    period_ms = draw.randrange(20, 400)
    instants = sorted(draw.choices(range(period_ms + 1), k=draw.randrange(1, 200)))
    packets, at_ms = [], 0
    for _ in range(300):
        at_ms += draw.choice([0, 0, 0, 1, 5, 1000, 20 * period_ms])
        packets.append((at_ms, draw.choice([46, 60, 576, 1500, 1500, 1500])))
    entries = [(10**6 * at, PACKET_BYTES) for at in instants]
    clock = Clock(clock_c, (DELIVERIES, entries), (0, 10**6 * period_ms))
    ends = [clock.end_ns(10**6 * at, size + 38) for at, size in packets]
    expected = Mahimahi(instants, period_ms).ends_ms(packets)
    assert [end / 10**6 for end in ends] == expected


def test_after_the_last_delivery_nothing_is_carried(clock_c):
    clock = Clock(clock_c, (DELIVERIES, [(S, 1500), (2 * S, 1500)]))
    assert [clock.end_ns(0) for _ in range(4)] == [S, 2 * S, NEVER, NEVER]


def test_before_deliveries_begin_a_wire_has_its_own_speed(clock_c):
    clock = Clock(clock_c, (DELIVERIES, [(S, 1500)]), (S, 2 * S), 100)
    assert clock.end_ns(0) == 123_040
    assert clock.end_ns(S) == 2 * S


def test_a_super_frame_counts_as_its_packets(clock_c):
    clock = Clock(clock_c, (DELIVERIES, [(S, 3000), (2 * S, 1500)]))
    assert clock.end_ns(0, 2 * FRAME_BYTES, 2) == S
    assert clock.end_ns(0) == 2 * S


def test_a_delay_is_that_of_the_instant(clock_c):
    once = Clock(clock_c, (DELAYS, [(5, 300), (7, 0)]))
    assert [once.delay_ns(at) for at in (0, 4, 5, 6, 7, S)] == [0, 0, 300, 300, 0, 0]
    again = Clock(clock_c, (DELAYS, [(0, 3), (S, 4)]), (S, 2 * S))
    instants = (0, S - 1, S, 2 * S - 1, 2 * S, 3 * S - 1, 3 * S, 101 * S, 102 * S)
    assert [again.delay_ns(at) for at in instants] == [0, 0, 3, 3, 4, 4, 3, 3, 4]


@pytest.mark.parametrize(
    ("kind", "entries", "period_ns"),
    [
        (RATES, [], 0),
        (RATES, [(0, 0)], 0),
        (RATES, [(5, 1), (5, 2)], 0),
        (RATES, [(5, 1), (4, 2)], 0),
        (RATES, [(0, 10**8 + 1)], 0),
        (RATES, [(11_000, 1)], 10_000),
        (RATES, [(0, 1)], 999),
        (RATES, [(2**62 + 1, 1)], 0),
        (DELIVERIES, [(0, 0), (1, 0)], 2_000),
        (DELIVERIES, [(0, 2**32)], 2),
        (DELAYS, [(0, 10 * S + 1)], 0),
        (3, [(0, 1)], 0),
    ],
)
def test_what_is_no_schedule_is_refused(clock_c, kind, entries, period_ns):
    assert not Clock(clock_c, (kind, entries), (0, period_ns)).valid
