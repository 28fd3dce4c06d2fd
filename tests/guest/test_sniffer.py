# SPDX-License-Identifier: GPL-2.0-or-later
"""A capture of the air, as Wireshark reads it, against what the radio has counted."""

import collections
import subprocess

import pytest

from bss import genl, watch
from tsqlab.airlink import messages

STATION = "02:00:00:00:01:01"
SECOND_NS = 10**9
START_NS, STOP_NS, END_NS = (10 * SECOND_NS, 12 * SECOND_NS, 13 * SECOND_NS)
FIELDS = ("radiotap.ampdu.reference", "wlan.ta", "wlan.fc.type_subtype", "radiotap.mcs.index",
          "radiotap.mactime")  # fmt: skip
QOS_DATA = 0x28


def tshark(pcap, *arguments):
    command = ["tshark", "-r", str(pcap), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.fixture(params=["ath9k_htc", "ath9k"])
def out(request, guest):
    """One CUBIC upload of 2 s, its air captured."""
    testbed = {"layout": "wifi", "device": request.param, "base_rtt": "1 ms"}
    words = f"10.0.2.1\t5001\tcubic\t0\t{START_NS}\t{STOP_NS}"
    return guest(
        genl("-", messages.new_sniffer(1, "air0")),
        "run\t-\tip\tlink\tset\tair0\tup",
        f"clock\t{START_NS}\t{SECOND_NS // 10}\t{END_NS}",
        f"tcp\tS\tup-recv\tlisten\trecv\t{words}",
        f"tcp\tC\tup-send\tconnect\tsend\t{words}",
        watch("C", "radio", 1, STATION),
        "capture\t-\tair\tair0\t65536\t1000000000",
        "end",
        spec={"testbed": testbed, "sender": {"tsq": "NoTSQ"}},
    )


def test_a_capture_agrees_with_the_statistics(out):
    pcap = out / "air.pcap"
    assert tshark(pcap, "-Y", "_ws.malformed") == ""

    fields = [word for name in FIELDS for word in ("-e", name)]
    rows = [line.split("\t") for line in tshark(pcap, "-T", "fields", *fields).splitlines()]
    data = [row for row in rows if row[1] == STATION and int(row[2], 16) == QOS_DATA]
    # A PPDU that nobody answered goes out again, with its reference.
    sizes = collections.Counter((row[0], row[4]) for row in data if row[0])
    of_size = collections.Counter(sizes.values())
    of_size[1] += sum(not row[0] for row in data)

    lines = (out / "radio-array.tsv").read_text().splitlines()[1:]
    counted = [int(line.split("\t")[-1]) for line in lines]
    assert sum(counted[8:]) > 20, "there were long aggregates"
    # Singles besides: management, and what had been sent before the capture began.
    assert {n: count for n, count in of_size.items() if n > 1} == {
        n: count for n, count in enumerate(counted, 1) if n > 1 and count
    }
    assert {row[3] for row in data if row[0]} <= {"7", "15"}, "HT40, at the fixed rate"
    answers = [row for row in rows if int(row[2], 16) == 0x19]
    assert len(answers) >= 0.9 * len(sizes), "block acks answer them"
