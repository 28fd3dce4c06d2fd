# SPDX-License-Identifier: GPL-2.0-or-later
"""What was run, and what of it is not as it comes with tsqlab.

A bundled experiment's run says what was changed, with --set or in a copy of its file: each key
that came to something else than in the bundled file of that name. A user's own experiment says
what it sets. Device profiles of a user's own are told by what they say otherwise than the
bundled one that is the most like them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from tsqlab.experiment.bundled import bundled_profiles
from tsqlab.experiment.conditions import (
    DEVICE,
    Change,
    Conditions,
    bundled_content,
    device_name,
    nearest_bundled,
    without,
)
from tsqlab.experiment.era import TODAY
from tsqlab.experiment.profile import Airlink
from tsqlab.experiment.reference import FREE, Case, default_of, reference_of
from tsqlab.experiment.spec import bare_key
from tsqlab.experiment.stored import Folder
from tsqlab.experiment.testbed import GRAPH, Graph
from tsqlab.experiment.wording import NONE, text_of
from tsqlab.report.overridden import Overridden, overridden
from tsqlab.report.table import distinct, in_parts
from tsqlab.results.folder import Manifest, ManifestKernel
from tsqlab.results.repetitions import SEED
from tsqlab.topology import SERVER

_VALUES_MAX = 12  # of a key, that a line names


@dataclass(frozen=True)
class OwnProfile:
    """A device profile that does not come with tsqlab."""

    name: str
    nearest: str  # the bundled profile that is the most like it; empty if none is
    changes: tuple[Change, ...]  # what it says otherwise
    says: Mapping[str, str]  # all of it

    @property
    def lines(self) -> list[str]:
        """All that it says, a line for each key."""
        return [f"{key} = {text}" for key, text in self.says.items()]

    @property
    def text(self) -> str:
        """It in a line: "mine.toml is ath9k_htc but for refill_delay = 1 ms, not 350 us"."""
        if not self.nearest:
            return f"{self.name} is like no bundled profile"
        but = "; ".join(change.instead for change in self.changes)
        return f"{self.name} is {self.nearest}" + (f" but for {but}" if but else "")


@dataclass(frozen=True)
class Ran:
    """What an experiment's folder says of how it was run."""

    facts: Mapping[str, str]
    kernels: str  # in short
    changed: tuple[str, ...] = ()  # a line for each key that is not as in the bundled experiment
    elsewhere: bool = False  # whether there are cells that the bundled one does not have
    unchanged: str = ""  # that nothing was changed; empty if something was, or nobody can say
    # Of a user's own experiment: a line for each key that is not as by default.
    written: tuple[str, ...] = ()
    profiles: tuple[OwnProfile, ...] = ()
    overridden: tuple[Overridden, ...] = ()  # the kernel's own defaults that do not count

    def lines(self) -> list[str]:
        """It for the terminal, in short."""
        told = {
            "run": [*(self.facts[name] for name in _SHORT if name in self.facts), self.kernels],
            "before": [self.facts.get(_EARLIER, "")],
            "changed": self.changed or [self.unchanged],
            "set": self.written,
            "profile": [profile.text for profile in self.profiles],
        }
        return [line for name, parts in told.items() for line in in_parts(name, parts)]


_EARLIER = "What ran before"
_SECOND = "Second era"
_SHORT = ("Device", "Layout", "Rate", "Sender", "Flows", _SECOND)


@lru_cache(maxsize=1)  # the page and the terminal say it
def what_ran(folder: Folder) -> Ran:
    """What a folder says of how its cells were run. Raises FileError."""
    name = folder.manifest.experiment
    # Seeds that were added to the experiment's own, as its verdicts ask for, are no change of it.
    own = {cell.id: cell for cell in folder.manifest.cells if not cell.further}
    cells = [Case(result.factors, result.conditions)
             for result in folder.results if result.conditions and result.id in own]  # fmt: skip
    ran = [cell.conditions for cell in cells]
    reference = reference_of(name) if cells else None
    replaced = _bundled_devices(reference.cells) if reference else []
    every = (result.conditions for result in folder.whole.results if result.conditions)
    told = Ran(_facts(folder, ran), distinct(map(_release, folder.manifest.kernels)),
               profiles=_own_profiles(ran, replaced),
               overridden=tuple(overridden(every)))  # fmt: skip
    if not cells:
        return told
    before = reference.cells if reference else _defaults(ran)
    old = _Values(before, _levels(cell.factors for cell in before))
    new = _Values(cells, _levels(cell.factors for cell in own.values()))
    keys = [key for key in dict.fromkeys([*old.keys, *new.keys]) if not new.same(key, old)]
    if reference is None:
        return replace(told, written=tuple(f"{key} = {new.text(key)}" for key in keys))
    return replace(
        told,
        changed=tuple(str(Change(key, old.text(key), new.text(key, old))) for key in keys),
        elsewhere=any(key not in FREE and not new.within(key, old) for key in keys),
        unchanged="" if keys else f"nothing: this is {name} as it comes with tsqlab",
    )


def _facts(folder: Folder, ran: Sequence[Conditions]) -> dict[str, str]:
    manifest = folder.manifest
    source = [manifest.paper, f"figure {manifest.figure}" if manifest.figure else ""]
    done = f"{len(folder.results)} of {len(manifest.cells)} done"
    facts = {
        "Experiment": manifest.experiment,
        "Paper": ", ".join(part for part in source if part),
        "Device": distinct(cell.texts[DEVICE] for cell in ran),
        "Layout": distinct(map(_layout, ran)),
        "Rate": _rates(ran),
        "Sender": "; ".join(_sender(ran)),
        "Flows": _flows(ran),
        _EARLIER: _before(ran),
        "Seeds": _seeds(manifest) or distinct(cell.texts[SEED] for cell in ran),
        "Kernel": "; ".join(map(_kernel, manifest.kernels)),
        "Cells": done if folder.unfinished else str(len(manifest.cells)),
        _SECOND: _second_era(folder),
    }  # fmt: skip
    return {name: text for name, text in facts.items() if text}


def _second_era(folder: Folder) -> str:
    """The era that the same cells are run in once more: "today, the same 8 cells"."""
    if folder.today is None:
        return ""
    cells, left = len(folder.today.manifest.cells), len(folder.today.unfinished)
    same = f"the same {cells} cells" if cells > 1 else "the same cell"
    return f"era {TODAY}, {same}" + (f", {left} not done" if left else "")


def _seeds(manifest: Manifest) -> str:
    """The seeds, and those that were added where a verdict was open."""
    own, further = (
        distinct(cell.factors[SEED] for cell in manifest.cells
                 if SEED in cell.factors and cell.further == more)
        for more in (False, True)
    )  # fmt: skip
    return f"{own}; {further} where they left a verdict open" if further else own


def _layout(cell: Conditions) -> str:
    """The layout, and what is not as usual in it: "wifi (server AP)"."""
    layout, server = cell.texts["layout"], cell.spec.testbed.server
    if layout == GRAPH:
        return _graph(cell.spec.testbed.graph)
    return layout if server == SERVER else f"{layout} (server {server})"


def _graph(graph: Graph) -> str:
    """What a user's testbed has: "graph (5 nodes, 2 links, 1 medium)"."""
    parts = {"node": graph.nodes, "link": graph.links, "medium": graph.media}
    plural = {"node": "nodes", "link": "links", "medium": "media"}
    counts = [f"{len(part)} {name if len(part) == 1 else plural[name]}"
              for name, part in parts.items() if part]  # fmt: skip
    return f"{GRAPH} ({', '.join(counts)})"


def _rates(ran: Sequence[Conditions]) -> str:
    """The rates of data on the air, and of wires with their bottlenecks."""
    rates = distinct(
        cell.texts["rate"] if isinstance(cell.profile, Airlink)
        else text_of(cell.spec.testbed.line_rate(cell.profile.line_rate))
        for cell in ran
    )  # fmt: skip
    bottlenecks = dict.fromkeys(cell.texts["bottleneck"] for cell in ran)
    named = distinct(bottlenecks) if set(bottlenecks) - {NONE} else ""
    return f"{rates}; bottleneck {named}" if named else rates


def _sender(ran: Sequence[Conditions]) -> list[str]:
    """How the sending side was set up, a part for each key."""
    keys = {"congestion_control": "", "offloads": "offloads ", "truesize": "truesize ",
            "era": "era "}  # fmt: skip
    values = {name: distinct(cell.texts.get(key, "") for cell in ran) for key, name in keys.items()}
    return [f"{name}{value}" for name, value in values.items() if value]


def _flows(ran: Sequence[Conditions]) -> str:
    tests = distinct(_test(cell) for cell in ran)
    lengths = distinct(cell.texts["length"] for cell in ran)
    delays = distinct(cell.texts["delay"] for cell in ran)
    alone = "" if all(cell.spec.flow for cell in ran) else " of ping alone"
    return f"{tests}, {lengths}, {delays}{alone} before and after" if ran else ""


def _before(ran: Sequence[Conditions]) -> str:
    """The tests that ran before a cell in its guest, where any cell has some."""
    told = [cell.texts["before"] for cell in ran]
    return " or ".join(dict.fromkeys(told)) if set(told) - {NONE} else ""


def _test(cell: Conditions) -> str:
    """Flent's test, and how many streams the two have that say so."""
    flows, own = cell.spec.flows, len(cell.spec.flow)
    if own:
        return f"{own} flows of its own" if own > 1 else "a flow of its own"
    streams = f" of {flows.streams}" if flows.test in ("tcp_nup", "tcp_ndown") else ""
    return f"{flows.test}{streams}"


def _kernel(kernel: ManifestKernel) -> str:
    series = {True: "with CoTSQ", False: "without CoTSQ", None: ""}[kernel.cotsq]
    parts = {"of": kernel.source, "build": kernel.id, "HZ": kernel.hz, "patches of": kernel.version}
    details = [f"{name} {value}" for name, value in parts.items() if value]
    return ", ".join([_release(kernel), *details, *([series] if series else [])])


def _release(kernel: ManifestKernel) -> str:
    """A kernel in short, with what [lab] calls it: "Linux 6.12.117 (shift9)"."""
    name = f" ({kernel.name})" if kernel.name not in ("", kernel.version) else ""
    return f"Linux {kernel.release or 'of an unknown release'}{name}"


Levels = Mapping[str, list[str]]
"""The levels of each factor as they were written, by the factor's key without its table."""


def _levels(matrix: Iterable[Mapping[str, object]]) -> Levels:
    found: dict[str, dict[str, None]] = {}
    for factors in matrix:
        for name, level in factors.items():
            found.setdefault(bare_key(name), {})[str(level)] = None
    return {name: list(levels) for name, levels in found.items()}


class _Values:
    """The values that each key has in an experiment: of *cells*, and *levels* of cells not done."""

    def __init__(self, cells: Sequence[Case], levels: Levels) -> None:
        self.cells, self.levels = cells, levels
        self.devices = [cell.conditions for cell in cells]
        self.changes = frozenset().union(*(cell.changes for cell in self.devices))
        self.keys = dict.fromkeys(key for cell in cells for key in cell.conditions.written)
        # What levels that are done came to: "CoTSQ" and "6TSQ" are the same.
        self.meanings = {
            (bare_key(name), str(level)): cell.conditions.texts.get(bare_key(name), str(level))
            for cell in cells
            for name, level in cell.factors.items()
        }

    def written(self, key: str) -> bool:
        """Whether a cell says it."""
        return any(cell.conditions.written.get(key) is not None for cell in self.cells)

    def shown(self, key: str) -> list[str]:
        """The values for people: levels as they were written."""
        if key == DEVICE:
            names = self.levels.get(key, [cell.spec.testbed.device for cell in self.devices])
            return list(dict.fromkeys(map(device_name, names)))
        if key in self.levels:
            return self.levels[key]
        return list(dict.fromkeys(cell.conditions.text(key) for cell in self.cells))

    def profiles(self, changes: Collection[str]) -> dict[str, frozenset[tuple[str, str]]]:
        """The profile that each name of a device stands for, by its content but for *changes*."""
        return {
            cell.spec.testbed.device: frozenset(cell.content_without(changes).items())
            for cell in _of_each_profile(self.devices)
        }

    def meant(self, key: str, other: _Values) -> set[object]:
        """The values to compare with those of *other*, a device by its content.

        What a level means nobody knows whose cells are not done; the same name is the same then.
        """
        if key == DEVICE:
            changes = self.changes | other.changes  # each is a key of its own
            profiles = self.profiles(changes)
            there = other.profiles(changes) | profiles
            return {there.get(name, name) for name in self.levels.get(key, profiles)}
        return {
            self.meanings.get((key, text), other.meanings.get((key, text), text))
            for text in self.shown(key)
        }

    def same(self, key: str, other: _Values) -> bool:
        """Whether it is as in *other*. What neither says follows from what they do say."""
        if key != DEVICE and not self.written(key) and not other.written(key):
            return True
        return self.meant(key, other) == other.meant(key, self)

    def within(self, key: str, other: _Values) -> bool:
        """Whether *other* has all its values, too."""
        return self.meant(key, other) <= other.meant(key, self)

    def text(self, key: str, other: _Values | None = None) -> str:
        """The values as a text that says so if *other* has the same names for others."""
        values = self.shown(key)
        text = distinct(values[:_VALUES_MAX])
        more = len(values) - _VALUES_MAX
        if other and values == other.shown(key):
            text += " of another content"
        return f"{text} and {more} more" if more > 0 else text


def _of_each_profile(ran: Iterable[Conditions]) -> list[Conditions]:
    """One of the conditions of each device and content of its profile."""
    found: list[Conditions] = []
    for cell in ran:
        device, profile = cell.spec.testbed.device, cell.profile
        if not any(device == one.spec.testbed.device and profile == one.profile for one in found):
            found.append(cell)
    return found


def _defaults(ran: Sequence[Conditions]) -> list[Case]:
    """A cell that says nothing, of each layout that was run."""
    layouts = dict.fromkeys(cell.spec.testbed.layout for cell in ran)
    return [Case({}, default_of(layout)) for layout in layouts]


def _bundled_devices(cells: Sequence[Case]) -> list[str]:
    """The bundled profiles that an experiment names."""
    names = dict.fromkeys(cell.conditions.texts[DEVICE] for cell in cells)
    return [name for name in names if name in bundled_profiles()]


def _is_bundled(cell: Conditions) -> bool:
    """Whether its device is the bundled one, but for keys that the experiment changes."""
    usual = bundled_content(cell.texts[DEVICE])
    return cell.content_without(cell.changes) == without(usual, cell.changes)


def _own_profiles(ran: Sequence[Conditions], replaced: Sequence[str]) -> tuple[OwnProfile, ...]:
    """The profiles that do not come with tsqlab, each beside the one that is the most like it.

    That is one of those *replaced* by them, if there are any.
    """
    bundled, own = bundled_profiles(), []
    for cell in _of_each_profile(ran):
        name, says = cell.texts[DEVICE], cell.content
        if name in bundled and _is_bundled(cell):
            continue
        nearest, changes = nearest_bundled(says, replaced)
        alike = len(changes) * 2 <= len(says)
        own.append(OwnProfile(name, nearest if alike else "", changes if alike else (), says))
    return tuple(own)
