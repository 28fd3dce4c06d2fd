# SPDX-License-Identifier: GPL-2.0-or-later
"""What tsq may change on a host: each change with the value of before and the one it sets.

A change is a value: it is written down before anything is done, and whoever reads it later can tell
by how things are now whether it was made, was not, or was overwritten by somebody else.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from tsq.errors import TsqError
from tsq.host import Host, beside
from tsq.routes import RouteKey, by_device, route_now, words_of

CONTROL_NAME = "tsq_cubic"
"""What the BPF congestion control is called."""
ABSENT = ""
"""The value of what is not there: a file, a link, a congestion control."""

Kind = Literal["sysctl", "route", "control", "file", "link"]


@dataclass(frozen=True)
class Change:
    """One thing that is changed: what it was, and what tsq makes of it."""

    target: str
    before: str
    after: str

    kind: ClassVar[Kind]

    def now(self, host: Host) -> str | None:
        """The value that it has; None: it is gone, or nobody could say."""
        raise NotImplementedError

    def make(self, host: Host, value: str) -> None:
        """Give it that value, in one step."""
        raise NotImplementedError

    def command(self, value: str) -> str:
        """What an administrator would type to the same end."""
        raise NotImplementedError

    def tidy(self, host: Host) -> None:
        """Remove what a change leaves that was killed in the middle of it."""

    def written(self) -> dict[str, str]:
        """For the file that keeps it."""
        return {
            "kind": self.kind,
            "target": self.target,
            "before": self.before,
            "after": self.after,
        }


class Sysctl(Change):
    """A sysctl of this network namespace: the target is its name."""

    kind = "sysctl"

    def now(self, host: Host) -> str | None:
        """As it is read."""
        return host.sysctl(self.target)

    def make(self, host: Host, value: str) -> None:
        """As it is written."""
        host.write(host.sysctl_path(self.target), f"{value}\n")

    def command(self, value: str) -> str:
        """For sysctl(8)."""
        return f"sysctl -w {self.target}={value}"


class Route(Change):
    """A route's attributes: both values are the route, as ip prints it.

    The target is "4" or "6", a colon, and the index of its device, which may be renamed.
    """

    kind = "route"

    def now(self, host: Host) -> str | None:
        """Which of both it is; another text if it is neither; None if it is gone."""
        found = route_now(host, self._family, RouteKey.of(self._named(host, self.before)))
        if found is None:
            return None
        same = (text for text in (self.before, self.after)
                if sorted(words_of(self._named(host, text))) == found)  # fmt: skip
        return next(same, " ".join(found))

    def make(self, host: Host, value: str) -> None:
        """Change it; a route that is gone is not made anew."""
        host.told(self._words(self._named(host, value)))

    def command(self, value: str) -> str:
        """For ip(8)."""
        return shlex.join(self._words(value))

    @property
    def _family(self) -> str:
        return self.target.partition(":")[0]

    def _named(self, host: Host, text: str) -> str:
        """The route, by the device as it is called now."""
        index = self.target.partition(":")[2]
        name = host.device_name(int(index)) if index.isdecimal() else None
        return by_device(text, name) if name else text

    def _words(self, value: str) -> list[str]:
        return ["ip", f"-{self._family}", "route", "change", *words_of(value)]


class Control(Change):
    """The BPF congestion control: the target is its name, the value its microseconds."""

    kind = "control"

    def now(self, host: Host) -> str | None:
        """Registered or not: how many microseconds it has cannot be asked."""
        return self.after if host.controls_has(self.target) else ABSENT

    def make(self, host: Host, value: str) -> None:
        """Register it, or take it out; flows that have it keep it until they end."""
        if value == ABSENT:
            host.control_unregister(self.target)
        else:
            host.control_register(self.target, int(value))

    def command(self, value: str) -> str:
        """Only tsq itself can give the object its number; bpftool can take it out."""
        if value == ABSENT:
            return f"bpftool struct_ops unregister name {self.target}"
        return f"(register the BPF congestion control {self.target} with {value} us)"


class File(Change):
    """A file of tsq's own below /etc: the target is its path, the values are its text."""

    kind = "file"

    def now(self, host: Host) -> str | None:
        """Its text."""
        text = host.text(Path(self.target))
        return ABSENT if text is None else text

    def make(self, host: Host, value: str) -> None:
        """Whole or not at all."""
        if value == ABSENT:
            host.remove(Path(self.target))
        else:
            host.replace(Path(self.target), f"{value}\n")

    def tidy(self, host: Host) -> None:
        """The half of a file."""
        host.remove(beside(Path(self.target)))

    def command(self, value: str) -> str:
        """In words."""
        return f"rm {self.target}" if value == ABSENT else f"(write {self.target})"


class Link(Change):
    """A symbolic link of tsq's own: the target is its path, the value where it leads."""

    kind = "link"

    def now(self, host: Host) -> str | None:
        """Where it leads."""
        return host.leads_to(Path(self.target))

    def make(self, host: Host, value: str) -> None:
        """Made or removed."""
        if value == ABSENT:
            host.remove(Path(self.target))
        else:
            host.link(Path(self.target), value)

    def command(self, value: str) -> str:
        """For a shell."""
        return f"rm {self.target}" if value == ABSENT else f"ln -s {value} {self.target}"


_KINDS: dict[str, type[Change]] = {made.kind: made for made in (Sysctl, Route, Control, File, Link)}


def read_change(row: Any) -> Change:
    """The change that written() wrote. TsqError if it is none."""
    fields = ("target", "before", "after")
    if (
        not isinstance(row, Mapping)
        or row.get("kind") not in _KINDS
        or not all(isinstance(row.get(field), str) for field in fields)
    ):
        raise TsqError(f"not a change of tsq: {row!r}")
    return _KINDS[row["kind"]](*(row[field] for field in fields))
