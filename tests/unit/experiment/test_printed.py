# SPDX-License-Identifier: GPL-2.0-or-later
"""Numbers out of what programs print, by regular expressions and by paths in JSON."""

import json
import re

import pytest

from tsqlab.experiment.printed import UNITS, FigureTable, SeriesTable

IPERF3 = json.dumps({
    "intervals": [{"sum": {"end": 0.5, "bits_per_second": 1e6}},
                  {"sum": {"end": 1.0, "bits_per_second": 3e6}}],
    "end": {"sum_received": {"bits_per_second": 2_000_000.5}, "streams": [{"n": 7}, {"n": 8}]},
}, indent=1)  # fmt: skip


def figure(**keys):
    return FigureTable.model_validate({"name": "x", **keys})


def series(**keys):
    return SeriesTable.model_validate({"name": "x", **keys})


@pytest.mark.parametrize(
    ("keys", "text", "value"),
    [
        ({"regex": r"took ([0-9.]+)"}, "took 1.5 s\ntook 2.5 s\n", 2.5),  # the last
        ({"regex": r"^([0-9.e+-]+)$"}, "one\n1e3\n", 1000.0),
        ({"json": "end.sum_received.bits_per_second", "unit": "bit/s"}, IPERF3, 2.0000005),
        ({"json": "end.streams.0.n"}, IPERF3, 7.0),
        ({"json": "end.streams.-1.n"}, IPERF3, 8.0),
        ({"json": "end.streams.*.n"}, IPERF3, 8.0),
        ({"json": "n"}, 'begins\n{"n": 1}\n{"n": "2.5"}\n{broken\n{"m": 3}\n', 2.5),
        ({"regex": "([0-9]+) B/s", "unit": "B/s"}, "1000000 B/s", 8.0),
        ({"regex": "(.+)us", "unit": "us"}, "1500us", 1.5),
    ],
)
def test_a_figure_is_the_last_that_is_found_in_the_unit_of_its_column(keys, text, value):
    assert figure(**keys).of(text) == value


@pytest.mark.parametrize(
    ("keys", "text", "message"),
    [
        ({"regex": "took (.)"}, "", "found nothing by 'took (.)' in stdout, which is empty"),
        ({"regex": "took (.)", "from": "stderr"}, "a\nb\n\n",
         "in stderr, whose last line is 'b'"),
        ({"json": "end.sum"}, IPERF3, "found nothing by JSON end.sum in stdout"),
        ({"json": "end"}, "[1", "found nothing by JSON end"),
        ({"json": "end"}, IPERF3, "expected a number of up to 1e+15, not {'sum_received"),
        ({"regex": "(.+)"}, "nan", "expected a number of up to 1e+15, not 'nan'"),
        ({"regex": "(1.*)"}, "1e999", "expected a number of up to 1e+15"),
        ({"json": "a"}, '{"a": true}', "not True"),
        ({"json": "a"}, '{"a": ' + 5000 * "9" + "}", "found nothing"),
        ({"json": "a"}, 100_000 * "[", "found nothing"),
        ({"regex": "(a)?b"}, "b", "not None"),
    ],
)  # fmt: skip
def test_what_is_not_found_is_said(keys, text, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        figure(**keys).of(text)


def test_a_series_by_either_way():
    keys = {"json": "intervals.*.sum", "time": "end", "value": "bits_per_second", "unit": "bit/s"}
    assert series(**keys).of(IPERF3) == [(0.5, 1.0), (1.0, 3.0)]
    regex = r"(?P<time>\S+) s (?P<value>\S+) ms"
    assert series(regex=regex, unit="ms").of("0.5 s 3 ms\nx\n1 s 4.5 ms\n") == [(0.5, 3), (1, 4.5)]


@pytest.mark.parametrize(
    ("keys", "text", "message"),
    [
        ({"json": "a.*", "time": "t", "value": "v"}, '{"a": [{"t": 1}]}', "no v in it"),
        ({"json": "a.*", "time": "t", "value": "v"}, '{"a": []}', "found nothing"),
        ({"regex": "(?P<time>.) (?P<value>.)"}, "1 x", "expected a number"),
        ({"regex": "(?P<time>.) (?P<value>.)"}, "1 2\n" * 100_001, "has 100001 values"),
    ],
)
def test_what_is_no_series_is_said(keys, text, message):
    with pytest.raises(ValueError, match=message):
        series(**keys).of(text)


def test_names_of_columns_have_their_units():
    assert figure(unit="kB/s", regex="(.)").column == "x_mbps"
    assert figure(regex="(.)").column == "x"
    assert {suffix for suffix, _ in UNITS.values()} == {"", "s", "ms", "mbps", "bytes", "percent"}
