# SPDX-License-Identifier: GPL-2.0-or-later
"""What a ``[[vary]]`` comes to over a cell's time, as numbers for a plot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tsqlab.experiment.spec import Spec
from tsqlab.experiment.vary import DELIVERY_BYTES, VaryTable, instants, wire_ends
from tsqlab.metrics.series import Floats
from tsqlab.units import Duration, Rate

WINDOW_NS = 100_000_000
"""How much time the rate of deliveries is a mean of, or a step of the cell if that is longer."""


@dataclass(frozen=True)
class Varied:
    """What one link has from each instant on, counted from when flows begin."""

    link: str
    what: Literal["capacity_mbps", "snr_db"]
    t_s: Floats
    value: Floats


def varied(spec: Spec) -> list[Varied]:
    """The capacity of each wire whose rate varies, and the SNR of each radio link's."""
    found = [series for table in spec.vary for series in _of(table, spec)]
    return [series for series in found if len(series.t_s)]


def _of(table: VaryTable, spec: Spec) -> Iterator[Varied]:
    length_ns = spec.flows.total - spec.flows.delay
    period_ns = table.period_ns
    wires = wire_ends(spec.testbed.graph, table.link)
    if wires and table.rate:
        pairs = list(instants(table.rate, period_ns, length_ns))
        mbps = [Rate.of(text) / 1e6 for _, text in pairs]
        yield Varied(table.link, "capacity_mbps", _seconds(pairs), np.array(mbps))
    if table.deliveries:
        window_ns = max(WINDOW_NS, int(spec.flows.step))
        steps = [(Duration(at_ms * 10**6), 0) for at_ms in table.deliveries]
        at_ns = [at for at, _ in instants(steps, period_ns, length_ns)]
        edges = np.arange(0, length_ns + window_ns, window_ns)
        counts, _ = np.histogram(at_ns, edges)
        mbps_in = counts * (8e3 * DELIVERY_BYTES / window_ns)
        yield Varied(table.link, "capacity_mbps", edges[:-1] / 1e9, mbps_in)
    if table.snr:
        snr = list(instants(table.snr, period_ns, length_ns))
        yield Varied(table.link, "snr_db", _seconds(snr), np.array([one / 100 for _, one in snr]))


def _seconds(pairs: Sequence[tuple[int, object]]) -> Floats:
    return np.array([at for at, _ in pairs]) / 1e9
