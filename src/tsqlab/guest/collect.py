# SPDX-License-Identifier: GPL-2.0-or-later
"""What a guest left in its folder, as a Measurement."""

from __future__ import annotations

from pathlib import Path

from tsqlab.experiment.spec import Spec
from tsqlab.guest.plan import EGRESS_SERIES
from tsqlab.results.measurement import Measurement, read_table


def collect(out: Path, spec: Spec) -> Measurement:
    """Read the series files of one cell. Raises TsqlabError when one is missing or damaged."""
    traffic = spec.traffic()
    return Measurement(
        senders={flow.series: read_table(out / f"{flow.id}-send.tsv") for flow in traffic.flows},
        receivers={flow.series: read_table(out / f"{flow.id}-recv.tsv") for flow in traffic.flows},
        pings={probe.series: read_table(out / f"{probe.id}.tsv") for probe in traffic.probes},
        qdiscs={
            egress: read_table(out / f"{series}.tsv") for egress, series in EGRESS_SERIES.items()
        },
    )
