# SPDX-License-Identifier: GPL-2.0-or-later
"""Which sysctls all nodes share, held against what a guest lets each of them write."""

from tsqlab.experiment.sysctl import SHARED

# What it may not write has no such mode in a namespace of its own, or is not there at all.
FIND = "find /proc/sys/net/core /proc/sys/net/ipv4 -maxdepth 1 -type f -perm -200 > /tsqlab/out/"


def test_what_only_the_first_namespace_may_write_is_shared(guest):
    out = guest(
        *(f"run\t{node}\tsh\t-c\t{FIND}{name}" for node, name in (("-", "first"), ("C", "node"))),
        "clock\t10000000000\t100000000\t10100000000", "end", spec={},
    )  # fmt: skip
    first, node = (
        {line.removeprefix("/proc/sys/").replace("/", ".")
         for line in (out / name).read_text().splitlines()}
        for name in ("first", "node")
    )  # fmt: skip
    assert {"net.core.somaxconn", "net.ipv4.tcp_sack"} <= node
    assert first - node == {name for name in SHARED if name in first}
    assert {"net.core.wmem_max", "net.ipv4.tcp_mem", "net.core.default_qdisc"} <= first - node
