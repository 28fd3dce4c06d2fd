# SPDX-License-Identifier: GPL-2.0-or-later
"""``tsqlab model``: its tables, and its words when a rate does not exist."""

import csv

import pytest

from tsqlab.cli import main


def run(capsys, line):
    """The exit status, what was printed, and what stands on stderr."""
    try:
        status = main(["model", *line.split()])
    except SystemExit as left:  # argparse's own errors
        status = left.code
    return status, *capsys.readouterr()


def test_the_default_is_as_much_as_the_standard_permits(capsys):
    status, words, _ = run(capsys, "airtime --standard VHT --width 80 --streams 2 --mcs 8")
    assert status == 0
    assert "VHT80 MCS 8, 2 streams, GI 800 ns, 702 Mbit/s, 5 GHz\n64 MPDUs of 1538 bytes" in words


def test_a_lone_frame_gets_an_ack(capsys):
    _, words, _ = run(capsys, "airtime --standard legacy --mbps 54 --rts --band 2.4")
    assert "1 MPDU of 1538 bytes" in words
    assert "RTS, CTS            88.0 us" in words
    assert "ACK                 34.0 us" in words


def test_csv_is_a_table_for_a_program(capsys):
    _, words, _ = run(capsys, "aggregation --csv --limits 1 400 --pacing 1.2")
    rows = list(csv.DictReader(words.splitlines()))
    assert [float(row["limit_packets"]) for row in rows] == [1, 400]
    assert float(rows[1]["goodput_mbps"]) == pytest.approx(191.92, abs=0.01)
    assert float(rows[1]["rtt_ms"]) == pytest.approx(29.51, abs=0.01)


def test_quantities_have_units(capsys):
    line = "aggregation --csv --limits 100 --access 1ms --base-rtt 10ms --aggregate 2ms"
    assert run(capsys, f"{line} --rate 100M") == run(capsys, f"{line} --rate 100Mbit/s")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("airtime --mcs 15", "HT's MCS 15 is written as 2 streams with MCS 7"),
        ("airtime --width 80", "there is no HT width in MHz 80; accepted: 20, 40"),
        ("airtime --standard VHT --mcs 9", "VHT leaves out MCS 9 at 20 MHz with 1 stream"),
        ("airtime --standard VHT --band 2.4", "there is no VHT20 MCS 7"),
        ("airtime --standard legacy --mbps 11", "no legacy rate of 11 Mbit/s; accepted: 6, 9"),
        ("airtime --standard EHT", "invalid choice: 'EHT'"),
        ("airtime --subframes 29", "--subframes 29: no more than 28 fit, at HT20 MCS 7"),
        ("airtime --subframes 0", "expected a number from 1 to"),
        ("airtime --ip-bytes 28", "an IP packet of UDP has 29 bytes or more"),
        ("airtime --ip-bytes 2297", "an MSDU has at most 2304 bytes"),
        ("aggregation --rate 216", "expected a number with a unit"),
        ("aggregation --rate 0M", "expected a rate above 0"),
        ("aggregation --access 0.5", "expected a number with a unit"),
        ("aggregation --backlog 1.5", "expected a number above 0 and up to 1, not '1.5'"),
        ("aggregation --pacing nan", "expected a number above 0, not 'nan'"),
        ("aggregation --limits 0", "expected a number from 1 to"),
        ("", "required: ACTION"),
    ],
)
def test_a_bad_request_is_status_2_and_says_why(capsys, line, message):
    status, words, errors = run(capsys, line)
    assert (status, words) == (2, "")
    assert message in errors
