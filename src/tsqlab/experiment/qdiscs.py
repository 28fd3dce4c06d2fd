# SPDX-License-Identifier: GPL-2.0-or-later
"""Which qdiscs an experiment may name: those that tc(8) knows here, and those of its own modules.

A module's qdisc is called as its folder is, which may begin with sch_. tc knows nothing of its
options, so that it has none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tsqlab.experiment.bounds import KeyedError
from tsqlab.experiment.modules import module_name
from tsqlab.experiment.testbed import QDISCS, Testbed

_PREFIX = "sch_"


def check_qdiscs(testbed: Testbed, modules: Sequence[str]) -> None:
    """Raises KeyedError for a qdisc that neither tc nor one of *modules* has."""
    own = [module_name(path).removeprefix(_PREFIX) for path in modules]
    for where, text in _said(testbed):
        kind, _, options = text.partition(" ")
        if kind not in (*QDISCS, *own):
            known = ", ".join((*QDISCS, *own))
            raise KeyedError(["testbed", *where], f'no qdisc "{kind}"; there are {known}')
        if options and kind not in QDISCS:
            raise KeyedError(
                ["testbed", *where], f'tc knows no options of "{kind}"; a module has parameters'
            )


def _said(testbed: Testbed) -> Iterator[tuple[list[str], str]]:
    """The qdiscs that a testbed names, each with its key."""
    places: list[tuple[list[str], str | None]] = [(["qdisc"], testbed.qdisc)]
    places += [(["egress", name, "qdisc"], one.qdisc) for name, one in testbed.egress.items()]
    places += [(["medium", name, "qdisc"], one.qdisc) for name, one in testbed.medium.items()]
    for name, one in testbed.link.items():
        places += [(["link", name, "qdisc", way], text) for way, text in one.qdisc.items()]
    yield from ((where, text) for where, text in places if text is not None)
