# SPDX-License-Identifier: GPL-2.0-or-later
"""What a qdisc marks, as the guest's program reads it and as tc(8) does.

Each kind has a counter of its own, at a place of its own, in what it tells of itself.
"""

import json

import pytest

from tsqlab.guest.testbed import LEAF_MAJOR
from tsqlab.metrics import summarise
from tsqlab.results.measurement import read_table

SECOND = 10**9
START, STOP, LOOK, END = (second * SECOND for second in (10, 14, 15, 16))

RED = "red limit 400000 min 30000 max 90000 avpkt 1500 bandwidth 10mbit probability 0.1 ecn"
QDISCS = [
    "fq_codel",
    "codel ecn",
    "codel ecn ce_threshold 2ms",
    "fq_codel ce_threshold 2ms",
    "pie ecn",
    "fq_pie ecn",
    "fq ce_threshold 5ms",
    RED,
    "cake",
]
COUNTERS = {"ecn_mark", "ce_mark", "marked"}
TC = (
    "read up_s rest < /proc/uptime; "
    f"sleep $(({LOOK // SECOND} - ${{up_s%.*}})); tc -s -j qdisc show dev r1 > /tsqlab/out/tc"
)


def marks_in(told):
    """The sum of the counters of marks anywhere in what tc prints; cake has one for each tin."""
    if isinstance(told, list):
        return sum(map(marks_in, told))
    if not isinstance(told, dict):
        return 0
    return sum(value if name in COUNTERS else marks_in(value) for name, value in told.items())


@pytest.mark.parametrize("qdisc", QDISCS, ids=lambda text: text.replace(" ", "-")[:24])
def test_marks_are_counted_as_tc_counts_them(guest, qdisc):
    ecn = {"net.ipv4.tcp_ecn": 1}
    testbed = {"bottleneck": "R10M", "qdisc": qdisc, "sysctl": {"C": ecn, "S": ecn}}
    flow = f"10.0.2.1\t5001\tcubic\t0\t{START}\t{STOP}"
    out = guest(
        f"run\tR\tsh\t-c\t({TC}) &",
        f"clock\t{START}\t{SECOND}\t{END}",
        f"tcp\tS\trecv\tlisten\trecv\t{flow}",
        f"tcp\tC\tsend\tconnect\tsend\t{flow}",
        f"qdisc\tR\tqueue\tr1\t{LEAF_MAJOR}",
        "end",
        spec={"testbed": testbed},
    )
    marks = read_table(out / "queue.tsv")["marks"]
    assert marks[0] == 0
    assert marks[-1] == marks_in(json.loads((out / "tc").read_text())) > 0


def flows(ecn, control="cubic", qdisc="codel ecn"):
    return {
        "testbed": {"bottleneck": "R10M", "qdisc": qdisc, "base_rtt": "10 ms"},
        "flows": {"length": "4 s", "delay": "500 ms"},
        "sender": {"ecn": ecn, "congestion_control": control},
    }


def test_ecn_marks_what_it_would_drop(cell):
    """Nothing is sent again, and each mark is heard of; without ECN there are no such numbers."""
    with_, without = (cell(flows(ecn)) for ecn in (True, False))
    marked, dropped = summarise(with_), summarise(without)
    raw = with_["raw_values"]
    marks = sum(row["ecn_mark"] for row in raw["qdisc_stats_R>S"])
    assert marked["ce_marks"] == pytest.approx(marks, abs=2), "but for those after the flow"
    sent = [row["sent_pkts"] for row in raw["qdisc_stats_R>S"]]
    assert marked["ce_marked_share"] == pytest.approx(marks / (sent[-1] - sent[0]), rel=0.1)
    assert marked["retransmits"] == 0
    assert dropped["retransmits"] > 3
    last = raw["TCP upload::1"][-1]
    assert last["tcp_delivered"] > last["tcp_delivered_ce"] >= marks
    assert "ce_marks" not in dropped
    assert "tcp_delivered" not in without["raw_values"]["TCP upload::1"][-1]
    assert "ecn" not in without["metadata"]["TSQLAB"]["spec"]["sender"]


def test_dctcp_hears_of_each_mark_once(cell):
    document = cell(flows(ecn=True, control="dctcp", qdisc="codel ecn ce_threshold 1ms"))
    raw = document["raw_values"]
    marks = sum(row["ecn_mark"] for row in raw["qdisc_stats_R>S"])
    heard = raw["TCP upload::1"][-1]["tcp_delivered_ce"]
    assert marks > 50
    assert heard == pytest.approx(marks, rel=0.1), "a delayed ACK is of two packets"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"testbed": {"qdisc": "dualpi2"}}, "the guest's kernel has no qdisc of that name"),
        ({"testbed": {"qdisc": "dualpi2 target 1ms"}}, "no qdisc"),
        ({"sender": {"congestion_control": "prague"}}, "lacks a congestion control of prague"),
        ({"sender": {"ecn": "accurate"}}, "has no AccECN"),
    ],
)
def test_what_a_kernel_lacks_is_said(cell, changes, words):
    with pytest.raises(Exception, match=words):
        cell(flows(ecn=True) | changes)
