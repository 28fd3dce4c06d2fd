# SPDX-License-Identifier: GPL-2.0-or-later
"""What measure says: of counters, and of looks where there are none."""

import os
import socket

from tsq.host import Host
from tsq.measure import Counted, as_text, read_counters
from tsq.sampling import Sampled
from tsq_flows_made import view

FLOW = Sampled((view(below_bytes=31_000), view(sent_bytes=2_500_000)), 2.0)


def test_looks_tell_a_share_of_the_time():
    first, *rest = as_text([FLOW], {}, {})
    assert first.startswith("FLOW 198.51.100.9:443 cubic  10 Mbit/s  waited for TSQ 50%")
    assert first.endswith(" (1 s of 2 s), by 2 looks")
    assert any("how often" in line for line in rest)


def test_counters_tell_how_often():
    line = next(as_text([FLOW], {2: Counted(9, 10, 5000)}, {2: Counted(9, 110, 205_000)}))
    assert line.endswith("waited for TSQ 100 times, 200 ms in all (10.0%), counted")


def test_a_kernel_without_the_counters_has_none():
    """The socket is our own, so that its process may be looked into."""
    with socket.socket() as own:
        assert read_counters(Host(), [os.fstat(own.fileno()).st_ino]) == {}
        assert read_counters(Host(), []) == {}
