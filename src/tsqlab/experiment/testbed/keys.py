# SPDX-License-Identifier: GPL-2.0-or-later
"""What tables of an experiment file are made of: their base, and one direction of a link."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict

from tsqlab.experiment.bounds import between
from tsqlab.experiment.invalid import shown
from tsqlab.experiment.testbed.wqm import NAME as WQM
from tsqlab.experiment.testbed.wqm import wqm_of
from tsqlab.units import Duration, Fraction, Rate

NO_QUEUE = "noqueue"
"""The qdisc of a device that has queues of its own: a radio under mac80211."""

TC_QDISCS = ("pfifo_fast", "pfifo", "bfifo", "fq_codel", "fq", "cake", "codel", "pie", "fq_pie",
             "sfq", "red", "netem")  # fmt: skip
"""What tc(8) can put at any device."""

LATER_QDISCS = ("dualpi2",)
"""Those that a newer kernel has, or a tree of somebody's, and a tc(8) that knows them."""

QDISCS = (*TC_QDISCS, *LATER_QDISCS, NO_QUEUE, WQM)


def _check_qdisc(text: str) -> str:
    # Which names there are depends on [lab] modules (tsqlab.experiment.qdiscs).
    if not re.fullmatch(r"[\w .%/-]{1,200}", text):
        raise ValueError(f"options of a qdisc are words as tc takes them, not {shown(text)}")
    wqm_of(text)
    return text


Qdisc = Annotated[str, AfterValidator(_check_qdisc)]


class Table(BaseModel):
    """A table of an experiment file."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def array_of_tables(name: str) -> BeforeValidator:
    """A check that what a file has as *name* are tables, each under a line [[name]]."""

    def check(value: object) -> object:
        if not isinstance(value, list | tuple):
            raise ValueError(f"expected tables, each under [[{name}]], not {shown(value)}")
        return value

    return BeforeValidator(check)


NetemDelay = Annotated[Duration, between(Duration, "0 s", "60 s")]
RateLimit = Annotated[Rate, between(Rate, "1 kbit/s", "100 Gbit/s")]


class Egress(Table):
    """One direction of one link, as the sending side of it queues and delays."""

    rate: RateLimit | None = (
        None  # HTB limits the egress to this rate; none: the device's line rate
    )
    qdisc: Qdisc | None = None  # the qdisc, below HTB if there is one; none: testbed.qdisc
    delay: NetemDelay = Duration(0)  # added by netem
    loss: Fraction = Fraction(0)  # the loss that netem adds, independent for each packet
