# SPDX-License-Identifier: GPL-2.0-or-later
"""The conditions of a cell: what each key came to, written or not, and what two cells differ in.

A key that is left out has a value all the same: a radio's rate follows from its profile. Cells are
compared by what their keys came to, so that writing a default changes nothing, and profiles by
their content, whatever file it is in.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Container, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from pydantic import BaseModel

from tsqlab.experiment.bundled import bundled_profiles
from tsqlab.experiment.flow_table import said_flows
from tsqlab.experiment.host import host_of
from tsqlab.experiment.neutral import NEUTRAL, NO_LIMIT
from tsqlab.experiment.profile import NAMED, Airlink, Others, Profile, data_rate, load_profile
from tsqlab.experiment.program_table import said_programs
from tsqlab.experiment.spec import TABLES, Spec
from tsqlab.experiment.testbed import GRAPH
from tsqlab.experiment.tsq import Tsq
from tsqlab.experiment.vary import said_changes
from tsqlab.experiment.wording import NONE, text_of

DEVICE = "device"
PROFILE = "profile."
"""What the keys begin with that change a device's profile."""

KERNEL = "kernel"


@dataclass(frozen=True)
class Change:
    """A key that is not as it was."""

    key: str
    old: str
    new: str

    def __str__(self) -> str:
        """The change as a line: "rate = HT40 MCS7 SGI -> HT20 MCS7 SGI"."""
        return f"{self.key} = {self.old} -> {self.new}"

    @property
    def instead(self) -> str:
        """What is the case, and what is not: "rate = HT20 MCS7 SGI, not HT40 MCS7 SGI"."""
        return f"{self.key} = {self.new}, not {self.old}"


@dataclass(frozen=True)
class Conditions:
    """What one cell specifies, and the profile of its device."""

    spec: Spec
    profile: Profile
    others: Others = field(default_factory=dict)  # those that links and media name

    @cached_property
    def written(self) -> Mapping[str, object]:
        """The keys by their bare names, as they were written; None where they were not."""
        tables = (getattr(self.spec, name) for name in (*TABLES, "report"))
        return {
            **{key: value for table in tables for key, value in _leaves(table)},
            **said_flows(self.spec.flow),
            **said_changes(self.spec.vary),
            **said_programs(self.spec.program),
        }

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """What each key came to."""
        host = host_of(self.spec, self.profile)
        follow = {key for key, value in self.written.items() if value is None}
        # In the profile's own words; it has none for which profile it names.
        follow |= {f"{self._own_keys}{name}" for name in self.changes if name in self.content}
        return {
            key: self._unwritten(key) if key in follow else text_of(value)
            for key, value in self.written.items()
        } | {
            DEVICE: device_name(self.spec.testbed.device),
            "offloads": host.offloads,
            "truesize": text_of(host.truesize) if host.truesize else "as charged",
        }

    def text(self, key: str) -> str:
        """What a key came to, whether it can be written here or not."""
        return self.texts.get(key) or self._unwritten(key)

    @cached_property
    def content(self) -> Mapping[str, str]:
        """What the profile says."""
        return content_of(self.profile)

    @cached_property
    def changes(self) -> frozenset[str]:
        """The keys of the profile that are not as in its file."""
        return frozenset(key.removeprefix(self._own_keys) for key in self.written
                         if key.startswith(self._own_keys))  # fmt: skip

    @property
    def _own_keys(self) -> str:
        """What keys begin with that say what its device's profile has otherwise."""
        testbed = self.spec.testbed
        return f"{PROFILE}{testbed.device}." if testbed.layout == GRAPH else PROFILE

    def content_without(self, changes: Collection[str]) -> Mapping[str, str]:
        """What the profile says of all keys but some, and but those of profiles among them."""
        return without(self.content, changes)

    def as_of(self, era: str) -> Conditions:
        """The same over hosts of another era."""
        return Conditions(self.spec.as_of(era), self.profile, self.others)

    def _unwritten(self, key: str) -> str:
        """What a key that was left out came to."""
        if key.startswith(PROFILE):
            content, name = self._profile_of(key)
            return "its own" if name in NAMED else content.get(name, _left_out(name))
        return self._of_device.get(key) or _OF_ANY.get(key, NONE)

    def _profile_of(self, key: str) -> tuple[Mapping[str, str], str]:
        """What the profile says that a key of [testbed.profile] is of, and the key there."""
        if self.spec.testbed.layout == GRAPH:
            for device, profile in self.others.items():
                if key.startswith(of := f"{PROFILE}{device}."):
                    return content_of(profile), key.removeprefix(of)
        return self.content, key.removeprefix(PROFILE)

    @cached_property
    def _of_device(self) -> Mapping[str, str]:
        return _of_radio(self.profile) if isinstance(self.profile, Airlink) else _OF_CARD


# What follows where a key is left out.
_OF_ANY = {"pacing": "2.0/1.2", "gso_max_size": "the device's", "cycle": "1.25/0.75/6"}
_OF_CARD = {"qdisc": "pfifo_fast"}


def _of_radio(radio: Airlink) -> Mapping[str, str]:
    used = data_rate(None, radio)
    sides = (radio, radio.access_point or radio)
    return {
        "rate": next(side.rate for side in sides if side.phy_rate == used),
        "rts": text_of(radio.rts_bytes),
        "qdisc": "fq_codel" if radio.front == "fullmac" else "mac80211's own",
    }


def differences(
    old: Conditions, new: Conditions, without: Container[str] = ()
) -> tuple[Change, ...]:
    """The keys of *new* that came to something else than those of *old*."""
    keys = dict.fromkeys([*old.written, *new.written])
    return tuple(
        Change(key, old.text(key), _new_text(key, old, new))
        for key in keys
        if key not in without and not same(key, old, new)
    )


def same(key: str, old: Conditions, new: Conditions) -> bool:
    """Whether a key, without its table, came to the same in both."""
    if key == DEVICE:
        if old.profile == new.profile:
            return True
        changes = old.changes | new.changes  # each is a key of its own
        return old.content_without(changes) == new.content_without(changes)
    # What neither says follows from the profiles, which are compared themselves.
    if old.written.get(key) is None and new.written.get(key) is None:
        return True
    return old.text(key) == new.text(key)


def _new_text(key: str, old: Conditions, new: Conditions) -> str:
    text = new.text(key)
    if key == DEVICE and text == old.texts[key]:
        return f"{text} of another content"
    return text


def device_name(device: str) -> str:
    """A device as pages name it: a bundled one's name, or the name of a file without its path."""
    return Path(device).name or device


def content_of(profile: BaseModel) -> dict[str, str]:
    """What a profile says, titles aside; "access_point.rate" is the access point's."""
    return {
        key: text_of(value)
        for key, value in _leaves(profile)
        if value is not None and key.rpartition(".")[2] != "title"
    }


def without(content: Mapping[str, str], changes: Collection[str]) -> Mapping[str, str]:
    """What a profile says but for some keys; "access_point" is all of the access point's."""
    tables = tuple(f"{key}." for key in changes)
    return {
        key: value
        for key, value in content.items()
        if key not in changes and not key.startswith(tables)
    }


def changed_content(old: Mapping[str, str], new: Mapping[str, str]) -> tuple[Change, ...]:
    """What one profile says otherwise than another; of what is left out, what holds then."""
    return tuple(
        Change(key, *(said.get(key, _left_out(key)) for said in (old, new)))
        for key in dict.fromkeys([*old, *new])
        if old.get(key, _left_out(key)) != new.get(key, _left_out(key))
    )


def _left_out(key: str) -> str:
    """What holds for a key that a profile leaves out."""
    *_, name = key.split(".")
    if name not in NEUTRAL:
        return NONE
    return "no limit" if NEUTRAL[name] == NO_LIMIT else text_of(NEUTRAL[name])


def nearest_bundled(
    content: Mapping[str, str], names: Collection[str] = ()
) -> tuple[str, tuple[Change, ...]]:
    """The bundled profile that says nearly the same, and what it says otherwise.

    It is one of *names* if there are any.
    """
    found = (
        (name, changed_content(bundled_content(name), content))
        for name in names or bundled_profiles()
    )
    return min(found, key=lambda near: len(near[1]))


@functools.cache
def bundled_content(name: str) -> Mapping[str, str]:
    """What the bundled profile of that name says."""
    return content_of(load_profile(name))


def _leaves(table: BaseModel, prefix: str = "") -> Iterator[tuple[str, object]]:
    """The keys of a table and of those in it, dotted, each with its value."""
    for name, value in table:
        yield from _leaf(f"{prefix}{name}", value)


def _leaf(key: str, value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, Mapping) and _is_same_both_ways(value):
        yield key, next(iter(value.values()))
    elif isinstance(value, Mapping):
        for name, part in value.items():
            # Who writes a table of an egress writes some of its keys, and the rest says nothing.
            usual = type(part).model_fields if isinstance(part, BaseModel) else {}
            for inner, leaf in _leaf(f"{key}.{name}", part):
                field = usual.get(inner.rpartition(".")[2])
                if field is None or leaf != field.default:
                    yield inner, leaf
    elif isinstance(value, BaseModel) and not isinstance(value, Tsq):
        yield from _leaves(value, f"{key}.")
    else:
        yield key, value


def _is_same_both_ways(value: Mapping[str, object]) -> bool:
    """Whether *value* is what a link has by direction, which is the same in both."""
    ways = [name.split(">") for name in value]
    one, other = value.values() if len(value) == 2 else (None, None)
    return one is not None and one == other and sorted(ways[0]) == sorted(ways[1])
