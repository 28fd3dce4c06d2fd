# SPDX-License-Identifier: GPL-2.0-or-later
"""What a qdisc marks, as the guest's program reads it and as tc(8) does.

Each kind has a counter of its own, at a place of its own, in what it tells of itself.
"""

import json

import pytest

from tsqlab.guest.testbed import LEAF_MAJOR
from tsqlab.results.measurement import read_table

SECOND = 10**9
START, STOP, LOOK, END = (second * SECOND for second in (10, 14, 15, 16))

RED = "red limit 400000 min 30000 max 90000 avpkt 1500 bandwidth 10mbit probability 0.1 ecn"
QDISCS = ["fq_codel", "codel ecn", "pie ecn", "fq_pie ecn", "fq ce_threshold 5ms", RED, "cake"]
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


@pytest.mark.parametrize("qdisc", QDISCS, ids=lambda text: text.split()[0])
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
