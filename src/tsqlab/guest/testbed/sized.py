# SPDX-License-Identifier: GPL-2.0-or-later
"""Radios whose queue WQM sizes: what the queue is at first, and what sizes it.

A fullmac radio has a pfifo above its driver, as the paper's radios had, and the agent sizes it by
the policy of wqm/policy.c. It knows the rate, which is fixed, and takes the rest from airlink.
Under mac80211 the queues are its TXQs, and the daemon itself sizes them, as on a host: it asks
nl80211 for all that it has to know.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tsqlab.airlink import messages
from tsqlab.airlink.messages import PhyRate
from tsqlab.airlink.rates import kbps
from tsqlab.airlink.uapi import FAMILY, Attribute, StatsAttribute
from tsqlab.errors import TsqlabError
from tsqlab.experiment.testbed import Port
from tsqlab.experiment.testbed.wqm import Wqm
from tsqlab.guest.places import OUT_DIR, WQM
from tsqlab.guest.testbed.common import LEAF_MAJOR, program_line
from tsqlab.model.wqm import buffer_start_packets
from tsqlab.results.files import open_regular
from tsqlab.results.measurement import TABLE_BYTES_MAX, Table


def first_qdisc(rate: PhyRate) -> str:
    """The qdisc of a fullmac radio until WQM has seen an interval."""
    return f"pfifo limit {buffer_start_packets(kbps(rate))}"


@dataclass(frozen=True)
class SizedQueue:
    """A radio's queue, and what sizes it."""

    series: str  # the name of its files
    line: tuple[str, ...]  # the words of the line of the plan that sizes it
    by_daemon: bool = False  # by the program of hosts, which says in a log what it sees and does

    @property
    def log(self) -> str:
        """The name of the daemon's log."""
        return f"{self.series}.log"


def by_agent(port: Port, medium: int, rate: PhyRate, wqm: Wqm) -> SizedQueue:
    """The pfifo of a fullmac radio."""
    asks = messages.payload(messages.get_radio(medium, port.mac)).hex()
    numbers = (
        Attribute.STATS, StatsAttribute.BUSY_NS, StatsAttribute.TX_NS, StatsAttribute.PPDUS,
    )  # fmt: skip
    series = _series(port)
    line = (
        *("wqm", port.node, series, port.device, str(LEAF_MAJOR)),
        *(str(kbps(rate)), str(int(wqm.limit)), str(int(wqm.interval)), FAMILY, asks),
        *(str(int(number)) for number in numbers),
    )
    return SizedQueue(series, line)


_KEPT_BYTES = 1 << 16  # of what the daemon says


def by_daemon(port: Port, wqm: Wqm, period_ns: tuple[int, int]) -> SizedQueue:
    """The queues of mac80211, which the daemon sizes in that time after the boot."""
    queue = SizedQueue(_series(port), (), by_daemon=True)
    options = {"--limit": wqm.limit, "--interval": wqm.interval}
    words = [word for name, time in options.items() for word in (name, f"{time / 10**6:g}ms")]
    files = ["--log", f"{OUT_DIR}/{queue.log}", "--state", f"/tmp/wqm.{port.device}"]
    command = [WQM, port.device, "--actuator", "txq", *words, *files]
    line = program_line(port.node, queue.series, period_ns, _KEPT_BYTES, ["/", *command])
    return replace(queue, line=tuple(line))


def _series(port: Port) -> str:
    return f"wqm-{port.device}"


_ALARMS = {"off": 0, "low": 1, "high": 2}


def read_log(path: Path) -> Table:
    """The daemon's log as the agent's table. Raises TsqlabError when it is not whole."""
    try:
        with open_regular(path, TABLE_BYTES_MAX) as file:
            names = file.readline().rstrip("\n").split("\t")
            rows = [dict(zip(names, line.rstrip("\n").split("\t"), strict=True)) for line in file]
        table = {name: np.array([int(row[name]) for row in rows], dtype=np.int64)
                 for name in names if name not in ("t_s", "alarm")}  # fmt: skip
        t_ns = [round(float(row["t_s"]) * 1e9) for row in rows]
        alarms = [_ALARMS[row["alarm"]] for row in rows]
    except (OSError, ValueError, OverflowError, LookupError) as error:
        raise TsqlabError(f"{path}: not what wqm writes: {error!r}") from error
    return {**table, "t_ns": np.array(t_ns), "alarm": np.array(alarms)}
