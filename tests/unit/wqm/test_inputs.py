# SPDX-License-Identifier: GPL-2.0-or-later
"""What wqm tells the policy: whose rate counts, and how much of the channel is free."""

import pytest

import wqm_c
from wqm_c import Station, Stations, Survey

FAST, SLOW = 144_400, 6_500


@pytest.fixture(scope="module")
def c(tmp_path_factory):
    return wqm_c.library(tmp_path_factory.mktemp("wqm"))


@pytest.fixture
def compare(c):
    """What came of stations between two looks, each station being sent bytes, backlog and rate."""

    def one(last, now, *, expected=False):
        return c.wqm_stations_compare(stations(last), stations(now), expected)

    return one


def stations(rows):
    """By the last byte of their addresses; the expected throughput is half the rate."""
    made = Stations(count=len(rows))
    for at, (number, (sent_bytes, backlog_bytes, rate_kbps)) in enumerate(rows.items()):
        mac = (2, 0, 0, 0, 0, number)
        made.station[at] = Station(mac, rate_kbps, rate_kbps // 2, sent_bytes, backlog_bytes)
    return made


def told(traffic):
    return traffic.sent, traffic.rate_kbps, traffic.backlog_bytes


def test_of_several_the_rate_of_the_longest_backlog_counts(compare):
    last = {1: (0, 0, FAST), 2: (0, 0, SLOW)}
    now = {1: (9000, 1514, FAST), 2: (1500, 3028, SLOW)}
    assert told(compare(last, now)) == (True, SLOW, 4542)


def test_between_equals_it_is_the_one_that_was_sent_more(compare):
    """In whichever order the kernel names them."""
    last = {1: (100, 0, FAST), 2: (100, 0, SLOW)}
    assert told(compare(last, {1: (9100, 0, FAST), 2: (1600, 0, SLOW)})) == (True, FAST, 0)
    assert told(compare(last, {2: (1600, 0, SLOW), 1: (9100, 0, FAST)})) == (True, FAST, 0)
    assert told(compare(last, {1: (1600, 0, FAST), 2: (9100, 0, SLOW)})) == (True, SLOW, 0)


def test_a_station_that_was_sent_nothing_has_an_old_rate(compare):
    """Its backlog waits all the same: it may be asleep."""
    last = {1: (100, 50_000, SLOW), 2: (100, 0, FAST)}
    now = {1: (100, 50_000, SLOW), 2: (200, 0, FAST)}
    assert told(compare(last, now)) == (True, FAST, 50_000)


def test_when_nobody_was_sent_anything_there_is_no_rate(compare):
    same = {1: (100, 1514, FAST), 2: (100, 0, SLOW)}
    assert told(compare(same, same)) == (False, 0, 1514)
    assert told(compare({}, {})) == (False, 0, 0)


def test_stations_may_come_and_go(compare):
    """One that has left has sent nothing; one that is new, or is back, all that it ever did."""
    two, one = {1: (10**6, 0, SLOW), 2: (10**6, 0, FAST)}, {2: (10**6, 0, FAST)}
    assert told(compare(two, one)) == (False, 0, 0)
    assert told(compare(one, two)) == (True, SLOW, 0)
    back = {2: (300, 0, FAST)}
    assert told(compare(one, back)) == (True, FAST, 0)


def test_the_expected_throughput_may_be_the_rate(compare):
    assert told(compare({}, {1: (9, 0, FAST)}, expected=True)) == (True, FAST // 2, 0)


def test_as_many_stations_as_there_are_identifiers(compare):
    many = {number: (number, 1, SLOW) for number in range(1, 256)}
    assert told(compare({}, many)) == (True, SLOW, 255)


def free(c, *times_ms, before=777):
    """From two looks: time, busy and tx of each."""
    surveys = [Survey(True, *three) for three in times_ms]
    return c.wqm_survey_free(surveys[0], surveys[1], before)


@pytest.mark.parametrize(
    ("now", "permille"),
    [
        ((1100, 500, 400), 1000),  # nothing was heard
        ((1100, 530, 400), 700),  # others, for 30 ms of 100
        ((1100, 590, 490), 1000),  # all of it our own
        ((1100, 600, 450), 500),
        ((1100, 600, 400), 0),
        ((1100, 700, 400), 0),  # clocks that differ a little
        ((1100, 500, 410), 1000),  # tx that busy does not have in it
    ],
)
def test_our_own_sending_leaves_the_channel_free(c, now, permille):
    assert free(c, (1000, 500, 400), now) == permille


@pytest.mark.parametrize("now", [(1000, 500, 400), (5, 1, 1), (1100, 400, 400), (1100, 500, 3)])
def test_counters_that_stand_still_or_begin_anew_tell_nothing(c, now):
    assert free(c, (1000, 500, 400), now) == 777


def test_times_that_are_not_known_tell_nothing(c):
    known, unknown = Survey(True, 1000, 500, 400), Survey(False, 1100, 600, 0)
    assert c.wqm_survey_free(known, unknown, 1000) == 1000
    assert c.wqm_survey_free(unknown, known, 1000) == 1000
