# SPDX-License-Identifier: GPL-2.0-or-later
"""What an experiment asks of its report: the table [report], which changes no result."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict

from tsqlab.experiment.bounds import one_of
from tsqlab.metrics.ecn import ECN
from tsqlab.metrics.summarise import DIRECTED
from tsqlab.results.look import SizeText
from tsqlab.results.summary import METRICS, is_metric

PLOTS = ("goodput-ping", "candlesticks", "goodput-latency", "aggregates", "aggregate-rtt", "cwnd",
         "cdf", "sweep", "up-down", "wqm", "printed", "capacity", "marks", "model")  # fmt: skip


def _check_metric(name: str) -> str:
    if not is_metric(name):
        known = ", ".join((*METRICS, *DIRECTED, *ECN))
        raise ValueError(
            f'no metric "{name}"; there are {known}, and of single '
            "nodes and flows goodput_mbps_C1, airtime_AP and fct_s_2"
        )
    return name


class Report(BaseModel):
    """What the report draws, and how."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    plots: tuple[Annotated[str, one_of("plot", PLOTS)], ...] = ("goodput-ping",)
    # The latency that the candlesticks show.
    latency: Literal["tcp_rtt_ms", "ping_ms"] = "ping_ms"
    # The metrics of the table; none: the usual ones.
    columns: tuple[Annotated[str, AfterValidator(_check_metric)], ...] = ()
    # The levels that the table compares others to, seed by seed.
    against: dict[str, str | int | float] = {}
    style: str = ""  # a matplotlib style sheet, beside the experiment's file
    size: SizeText = ""  # of each figure: "84 mm x 60 mm", or "84 mm", its width
    language: str = "en"  # of the figures' words: a bundled one, or a file beside the experiment's
