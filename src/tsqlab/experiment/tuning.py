# SPDX-License-Identifier: GPL-2.0-or-later
"""The experiment that finds how many ms of TSQ a radio needs: a sweep of the limit."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from tsqlab.experiment.tsq import name_of_ms

_TEXT = """\
# How many ms of TSQ {name} needs for one upload with {control}.
# Expected: goodput grows up to a knee; what more there is gives latency only.
title = {title}

[testbed]
layout = "wifi"
device = {device}
base_rtt = "1 ms"

[flows]
test = "tcp_nup"
streams = 1
length = "{length}"
delay = "2 s"

[sender]
congestion_control = "{control}"

[lab]
era = "{era}"
kernel = "{kernel}"

[matrix]
tsq = [{tsq}]
seed = [{seeds}]

[report]
plots = ["sweep", "cdf", "goodput-latency", "aggregate-rtt"]
"""


@dataclass(frozen=True)
class TsqSweep:
    """One upload from a radio under stock TSQ, under each of some limits, and under none."""

    profile: str  # the name of a bundled profile, or a path from the experiment's folder
    congestion_control: str
    length: str  # how long each upload lasts, with its unit
    kernel: str
    era: str
    ms: tuple[float, ...]
    seeds: int  # how many seeds: 1, 2, ...

    def text(self) -> str:
        """The sweep as an experiment file."""
        names = ["TSQ", *(name_of_ms(ms) for ms in sorted(set(self.ms))), "NoTSQ"]
        return _TEXT.format(
            name=(name := Path(self.profile).stem),
            title=json.dumps(f"Tuning TSQ: {name}, {self.congestion_control}", ensure_ascii=False),
            device=json.dumps(self.profile, ensure_ascii=False),
            control=self.congestion_control,
            length=self.length,
            kernel=self.kernel,
            era=self.era,
            tsq=", ".join(f'"{name}"' for name in names),
            seeds=", ".join(str(seed) for seed in range(1, self.seeds + 1)),
        )
