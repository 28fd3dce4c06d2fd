# SPDX-License-Identifier: GPL-2.0-or-later
"""The sysctls of this network namespace that have a part in TSQ, under their own names."""

from __future__ import annotations

from tsq.host import Host
from tsq.limit import Knobs

CA_RATIO = "net.ipv4.tcp_pacing_ca_ratio"
SS_RATIO = "net.ipv4.tcp_pacing_ss_ratio"
TSQ_US = "net.ipv4.tcp_tsq_us"
CONTROL = "net.ipv4.tcp_congestion_control"

_ONE_OF_EACH = {
    "ca_ratio": CA_RATIO,
    "ss_ratio": SS_RATIO,
    "limit_output_bytes": "net.ipv4.tcp_limit_output_bytes",
    "tso_rtt_log": "net.ipv4.tcp_tso_rtt_log",
    "min_tso_segs": "net.ipv4.tcp_min_tso_segs",
    "tsq_us": TSQ_US,
    "tsq_pkts": "net.ipv4.tcp_tsq_pkts",
    "tsq_bytes": "net.ipv4.tcp_tsq_bytes",
}


def read_knobs(host: Host) -> Knobs:
    """All of them; one that the kernel does not have is as it starts elsewhere."""
    found = {key: host.number(name) for key, name in _ONE_OF_EACH.items()}
    return Knobs(**{key: value for key, value in found.items() if value is not None})
