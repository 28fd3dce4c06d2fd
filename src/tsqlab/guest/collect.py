# SPDX-License-Identifier: GPL-2.0-or-later
"""What a guest left in its folder, as a Measurement."""

from __future__ import annotations

from pathlib import Path

from tsqlab.errors import TsqlabError
from tsqlab.experiment.profile import NO_OTHERS, Others, Profile
from tsqlab.experiment.spec import Spec
from tsqlab.guest.program import read_ended
from tsqlab.guest.testbed import WatchedRadio, qdisc_series, wiring
from tsqlab.guest.testbed.sized import SizedQueue, read_log
from tsqlab.results.measurement import Measurement, RadioTables, Table, read_table


def collect(out: Path, spec: Spec, profile: Profile, others: Others = NO_OTHERS) -> Measurement:
    """Read the series files of one cell. Raises TsqlabError when one is missing or damaged."""
    traffic, wired = spec.traffic(), wiring(spec, profile, others)
    return Measurement(
        senders={flow.series: read_table(out / f"{flow.id}-send.tsv") for flow in traffic.flows},
        receivers={flow.series: read_table(out / f"{flow.id}-recv.tsv") for flow in traffic.flows},
        pings={probe.series: read_table(out / f"{probe.id}.tsv") for probe in traffic.probes},
        qdiscs={
            egress: read_table(out / f"{qdisc_series(port)}.tsv")
            for egress, port in wired.qdiscs.items()
        },
        radios={radio.name: _radio(out, radio) for radio in wired.radios},
        sized={name: _sized(out, queue) for name, queue in wired.sized.items()},
        completions={
            flow.series: read_table(out / f"{flow.id}-done.tsv")
            for flow in traffic.flows
            if flow.said and flow.said.bytes
        },
    )


def _sized(out: Path, queue: SizedQueue) -> Table:
    """What WQM did at a radio. Raises TsqlabError if the daemon has not run to the end."""
    if not queue.by_daemon:
        return read_table(out / f"{queue.series}.tsv")
    ended = read_ended(out, queue.series)
    if not ended.stopped:
        said = ended.err.strip().splitlines()[-1:] or ["it said nothing"]
        raise TsqlabError(f"wqm has ended after {ended.at_ns / 1e9:.1f} s: {said[0]}")
    return read_log(out / queue.log)


def _radio(out: Path, radio: WatchedRadio) -> RadioTables:
    array = read_table(out / f"{radio.series}-array.tsv")
    counters = read_table(out / f"{radio.series}.tsv")
    return RadioTables(radio.peer, counters, tuple(array["value"].tolist()), radio.role)
