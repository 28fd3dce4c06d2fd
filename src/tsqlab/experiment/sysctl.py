# SPDX-License-Identifier: GPL-2.0-or-later
"""Sysctls that an experiment sets: at a node, or of the guest as a whole.

A network namespace has most of net/ for itself. What all of them share is in the guest's first
namespace alone: another one has no such file, or may not write to it. So where a sysctl stands in
an experiment is checked when the file is read, as is whether its value is a number.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated

from pydantic import AfterValidator

from tsqlab.experiment.bounds import KeyedError
from tsqlab.experiment.invalid import shown

GUEST = "guest"
"""What stands in the place of a node: all of them together."""

_CORE = (
    "bpf_jit_enable", "bpf_jit_harden", "bpf_jit_kallsyms", "bpf_jit_limit", "busy_poll",
    "busy_read", "default_qdisc", "dev_weight", "dev_weight_rx_bias", "dev_weight_tx_bias",
    "devconf_inherit_init_net", "fb_tunnels_only_for_init_net", "flow_limit_cpu_bitmap",
    "flow_limit_table_len", "gro_normal_batch", "high_order_alloc_disable", "max_skb_frags",
    "mem_pcpu_rsv", "message_burst", "message_cost", "netdev_budget", "netdev_budget_usecs",
    "netdev_max_backlog", "netdev_tstamp_prequeue", "netdev_unregister_timeout_secs",
    "rmem_default", "rmem_max", "rps_sock_flow_entries", "skb_defer_max", "tstamp_allow_data",
    "warnings", "wmem_default", "wmem_max",
)  # fmt: skip
_IPV4 = (
    "fib_sync_mem", "inet_peer_maxttl", "inet_peer_minttl", "inet_peer_threshold",
    "ipfrag_secret_interval", "tcp_allowed_congestion_control", "tcp_low_latency",
    "tcp_max_orphans", "tcp_mem", "udp_mem",
)  # fmt: skip

SHARED = frozenset({f"net.core.{name}" for name in _CORE} | {f"net.ipv4.{name}" for name in _IPV4})
"""Those of net/ that all namespaces share: net_core_table of the kernel's
net/core/sysctl_net_core.c, ipv4_table of net/ipv4/sysctl_net_ipv4.c, ip4_frags_ctl_table of
ip_fragment.c there, and what the first two files make read-only elsewhere. A test asks a guest."""

_EITHER = frozenset({"net.core.optmem_max"})  # shared in 6.1, and each node's own in 6.12

_READ_ONLY = frozenset({
    "net.core.netdev_rss_key", "net.ipv4.tcp_available_congestion_control",
    "net.ipv4.tcp_available_ulp",
})  # fmt: skip

# Of the tables whose values are checked, what is no number, and what is three of them.
_NUMBERED = re.compile(r"net\.(core|ipv4\.(tcp|udp))(?=[._])[a-z0-9_.]+")
_WORDS = frozenset({
    "net.core.default_qdisc", "net.core.flow_limit_cpu_bitmap", "net.core.rps_default_mask",
    "net.ipv4.tcp_allowed_congestion_control", "net.ipv4.tcp_congestion_control",
    "net.ipv4.tcp_fastopen_key",
})  # fmt: skip
_THREE = frozenset({
    "net.ipv4.tcp_mem", "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem", "net.ipv4.udp_mem",
})  # fmt: skip
_NUMBER_RANGE = range(-(1 << 31), 1 << 32)
_VALUE_MAX = 200  # characters of a sysctl's value


def _check_name(name: str) -> str:
    if not re.fullmatch(r"[a-z0-9_]+([./][a-zA-Z0-9_-]+)+", name):
        raise ValueError(f'"{name}" is no sysctl; write it as net.ipv4.tcp_sack')
    return name


def _check_value(value: int | str) -> int | str:
    if isinstance(value, str) and not (value.isprintable() and len(value) <= _VALUE_MAX):
        raise ValueError(
            f"expected a number, or a line of up to {_VALUE_MAX} characters, not {shown(value)}"
        )
    return value


SysctlName = Annotated[str, AfterValidator(_check_name)]
SysctlValue = Annotated[int | str, AfterValidator(_check_value)]


def check_sysctls(sysctl: Mapping[str, Mapping[str, int | str]], nodes: tuple[str, ...]) -> None:
    """Raises KeyedError for what the kernel would refuse at one of *nodes*, or of the guest."""
    for node, settings in sysctl.items():
        if node not in (*nodes, GUEST):
            raise ValueError(
                f'no node "{node}"; there are {", ".join(nodes)}, '
                f'and "{GUEST}" for what all of them share'
            )
        for name, value in settings.items():
            dotted = name.replace("/", ".")
            if why := _misplaced(dotted, node, nodes) or _no_number(dotted, value):
                raise KeyedError(["sysctl", node, name], why)


def _misplaced(name: str, node: str, nodes: tuple[str, ...]) -> str:
    """Why a sysctl cannot be set there; empty if it can."""
    if name in _READ_ONLY:
        return "can be read only"
    of_all = name in SHARED or not name.startswith("net.")
    if node == GUEST and not (of_all or name in _EITHER):
        return f"each node has its own; expected in [testbed.sysctl.{nodes[0]}], say"
    if node != GUEST and of_all:
        return f"all nodes share it; expected in [testbed.sysctl.{GUEST}]"
    return ""


def _no_number(name: str, value: int | str) -> str:
    """Why the value is not one of that sysctl's; empty if it is, or if that is not known."""
    if name in _WORDS or not _NUMBERED.fullmatch(name):
        return ""
    parts = str(value).split()
    if len(parts) != (3 if name in _THREE else 1) or not all(map(_is_number, parts)):
        expected = "three numbers with spaces between" if name in _THREE else "a number of 32 bits"
        return f"expected {expected}, not {shown(value)}"
    return ""


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?[0-9]{1,10}", text) is not None and int(text) in _NUMBER_RANGE
