# SPDX-License-Identifier: GPL-2.0-or-later
"""What cells write over their kernel's own defaults, for people.

Whoever patches one of these defaults sees no effect, so the page lists them, and a note that two
kernels gave the same bytes names them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tsqlab.experiment.conditions import Conditions
from tsqlab.experiment.spec import full_key
from tsqlab.guest.overrides import overrides
from tsqlab.guest.testbed.settings import LAB

_VALUES_MAX = 3  # of one default, that a line names
_OF_SENDERS = ("sender.", "lab.kernel", "lab.hz", "lab.era")


@dataclass(frozen=True)
class Overridden:
    """A default that does not count in some of an experiment's cells."""

    name: str  # a sysctl, or the kernel's word
    at: str  # the senders
    values: tuple[str, ...]  # in the order of the cells
    causes: tuple[str, ...]  # the keys, the era or the profile that ask for it, or "the lab"

    @property
    def text(self) -> str:
        """It in a line: "sk_pacing_shift = 8 at C (profile brcmfmac)"."""
        shown = " or ".join(self.values[:_VALUES_MAX])
        more = len(self.values) - _VALUES_MAX
        shown += f" or {more} more" if more > 0 else ""
        return f"{self.name} = {shown} at {self.at} ({', '.join(self.causes)})"


def overridden(ran: Iterable[Conditions]) -> list[Overridden]:
    """What cells of those conditions override, each default once at the same senders."""
    values: dict[tuple[str, str], dict[str, None]] = {}
    causes: dict[tuple[str, str], dict[str, None]] = {}
    for cell in ran:
        for one in overrides(cell.spec, cell.profile, cell.others):
            values.setdefault((one.name, one.where), {})[one.value] = None
            known = causes.setdefault((one.name, one.where), {})
            known |= dict.fromkeys(one.cause.split(", "))
    return [
        Overridden(name, at, tuple(found), tuple(causes[name, at]))
        for (name, at), found in values.items()
    ]


def concerns_senders(factor: str) -> bool:
    """Whether a factor is about the sending host or its kernel, and not about the way."""
    return (full_key(factor) or "").startswith(_OF_SENDERS)


def in_short(found: Iterable[Overridden]) -> list[str]:
    """The same for a terminal: what the lab sets in every run by its name only."""
    theirs, ours = [], []
    for one in found:
        if one.causes == (LAB,):
            ours.append(one.name)
        else:
            theirs.append(one.text)
    return theirs + ([f"by {LAB}: {', '.join(dict.fromkeys(ours))}"] if ours else [])
