# SPDX-License-Identifier: GPL-2.0-or-later
"""Device profiles: what a network device is like, as data with sources.

A profile is a TOML file: a name means one in profiles/, a path (with a slash, or ending in .toml)
a user's. There are two kinds: ``wireline``, an Ethernet card, and ``airlink``, a radio.
docs/profiles.md says what each key means.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    model_validator,
)

from tsqlab.airlink.messages import Edca, PhyRate
from tsqlab.airlink.rates import kbps, parse_rate
from tsqlab.airlink.uapi import ProfileAttribute
from tsqlab.errors import UsageError
from tsqlab.experiment.bounds import KeyedError, between, whole
from tsqlab.experiment.bundled import bundled_profiles, is_file
from tsqlab.experiment.invalid import (
    accepted_in,
    first_error,
    hint,
    reason,
    shortened,
    shown,
    unknown,
)
from tsqlab.experiment.neutral import NEUTRAL, check_together, check_windows
from tsqlab.experiment.toml import TomlFile, read_toml, there
from tsqlab.model.edca import ACCESS_POINT, STATION
from tsqlab.units import BASE_UNITS, Duration, Rate, Size

_CardTime = Annotated[Duration, whole(1000, "us"), between(Duration, "0 s", "10 s")]
_Batch = Annotated[int, Field(ge=2, le=65536)] | None


class Wireline(BaseModel):
    """An Ethernet card (kernel/modules/wireline)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["wireline"]
    title: str
    line_rate: Annotated[Rate, whole(10**6, "Mbit/s"), between(Rate, "10 Mbit/s", "100 Gbit/s")]
    tx_ring: Annotated[int, Field(ge=1, le=65536)] = 256  # capacity in frames
    # The time from the end of a frame on the wire to its completion.
    completion_delay: _CardTime = Duration(0)
    # Completions come earlier when this many frames wait for them.
    completion_batch: _Batch = None
    # Of what the card receives: the time from a frame's arrival to the interrupt that takes it up,
    # the frames at which that comes earlier, and the time from one interrupt to the next.
    receive_delay: _CardTime = Duration(0)
    receive_batch: _Batch = None
    receive_interval: _CardTime = Duration(0)

    @model_validator(mode="after")
    def _batch_of_delayed(self) -> Wireline:
        for what in ("completion", "receive"):
            batch, delay = f"{what}_batch", f"{what}_delay"
            if getattr(self, batch) and not getattr(self, delay):
                raise KeyedError([batch], f"{batch} needs a {delay}")
        return self


def _check_rate(text: str) -> str:
    parse_rate(text)
    return text


PhyRateText = Annotated[str, AfterValidator(_check_rate)]
"""A rate of 802.11, as "HT40 MCS7 SGI" (tsqlab.airlink.rates)."""

MINSTREL = "minstrel"
"""In place of a rate: mac80211's rate control, which is minstrel_ht, chooses for each PPDU."""


def _check_data_rate(text: str) -> str:
    try:
        return text if text == MINSTREL else _check_rate(text)
    except ValueError as error:
        raise ValueError(f'{error}; "{MINSTREL}" lets mac80211 choose') from None


DataRateText = Annotated[str, AfterValidator(_check_data_rate)]
"""The rate of data frames in a cell."""


# A beacon has 16 bits for it, in units of 32 us.
_Txop = Annotated[Duration, whole(1000, "us"), between(Duration, "0 us", "2097120 us")] | None


class EdcaOverride(BaseModel):
    """What a device or its driver does differently in one access category."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    aifsn: Annotated[int, Field(ge=1, le=15)] | None = None
    cw_min: Annotated[int, Field(ge=0, le=32767)] | None = None  # counted in slots
    cw_max: Annotated[int, Field(ge=0, le=32767)] | None = None
    txop: _Txop = None


_U32_MAX = (1 << 32) - 1
_Count = Annotated[int, Field(ge=0, le=_U32_MAX)] | None
_Subframes = Annotated[int, Field(ge=1, le=256)] | None
_Few = Annotated[int, Field(ge=1, le=64)] | None
_Tries = Annotated[int, Field(ge=1, le=255)] | None
_HostFrames = Annotated[int, Field(ge=1, le=1_000_000)] | None
_Bytes = Annotated[Size, between(Size, "0 B", f"{_U32_MAX} B")] | None
_SomeBytes = Annotated[Size, between(Size, "1 B", f"{_U32_MAX} B")] | None
_AmsduBytes = Annotated[Size, between(Size, "1 B", "11454 B")] | None
_SubframeBytes = Annotated[Size, between(Size, "0 B", "4096 B")] | None
_Time = Annotated[Duration, between(Duration, "0 s", "1 s")] | None
_Density = Annotated[Duration, between(Duration, "0 us", "16 us")] | None
_PpduTime = Annotated[Duration, whole(1000, "us"), between(Duration, "1 us", "5484 us")] | None
_BusRate = Annotated[Rate, whole(10**6, "Mbit/s"), between(Rate, "0 bit/s", "100 Gbit/s")] | None

ACCESS_CATEGORIES = ("VO", "VI", "BE", "BK")  # sorted by the number that airlink gives them


class Airlink(BaseModel):
    """A radio (kernel/modules/airlink). What is left out adds nothing to the standard.

    The keys from ``aggregate_frames`` on are those of struct al_profile, where profile.h says
    what they mean, but for units: a value carries its own, so the key does not. Their bounds are
    those of profile.c there; a test compares them.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["airlink"]
    title: str
    # Packets wait in a qdisc above the driver (fullmac), or in mac80211 (softmac).
    front: Literal["fullmac", "softmac"]
    band: Literal["2.4 GHz", "5 GHz"]
    rate: PhyRateText  # the rate that data frames are sent at
    # The profile of the access point; None: the same as this one.
    access_point: Airlink | None = None
    ethernet: Wireline  # the wire between the access point and the server
    edca: dict[Literal["VO", "VI", "BE", "BK"], EdcaOverride] = {}
    gro: bool = True  # whether the driver passes received frames through GRO

    aggregate_frames: _Subframes = None
    aggregate_bytes: _SomeBytes = None
    aggregate_time: _PpduTime = None
    window_frames: _Subframes = None
    aggregates_ahead: _Few = None
    singles_ahead: _Few = None
    amsdu_frames: _Few = None
    amsdu_bytes: _AmsduBytes = None
    subframe_bytes_min: _SubframeBytes = None
    density: _Density = None
    ppdu_tries: _Tries = None
    frame_tries: _Tries = None
    rts_bytes: _Bytes = None

    # The head of softmac/tx.c explains the three.
    device_queues: Literal["pull", "push", "drain"] | None = None
    device_frames: _Count = None
    host_frames: _HostFrames = None
    resume_frames: _HostFrames = None
    bus_frames: Annotated[int, Field(ge=0, le=65536)] | None = None
    bus_bytes: _Bytes = None
    bus_transfers: _Count = None
    bus_rate: _BusRate = None
    bus_time: _Time = None
    refill_delay: _Time = None
    report_delay: _Time = None
    report_frames: _Count = None
    report_wait: _Time = None
    receive_frames: _Count = None
    receive_wait: _Time = None
    receive_wait_max: _Time = None
    receive_with_reports: bool | None = None

    pacing_shift: Annotated[int, Field(ge=0, le=31)] | None = None
    aql: bool | None = None

    @model_validator(mode="after")
    def _together(self, info: ValidationInfo) -> Airlink:
        if not (info.context and info.context.get(BASE_UNITS)):  # a result's radio has been run
            check_together({key: getattr(self, key) for key in NEUTRAL})
            check_windows(self._windows(), STATION)
            if self.access_point is None:  # it is the access point's, too
                check_windows(self._windows(), ACCESS_POINT)
        return self

    def _windows(self) -> dict[str, tuple[int | None, int | None]]:
        return {name: (own.cw_min, own.cw_max) for name, own in self.edca.items()}

    @property
    def phy_rate(self) -> PhyRate:
        """The rate of data frames, in the form that the module takes."""
        return parse_rate(self.rate)

    def number(self, key: str) -> int:
        """The value of a key that is a number, or what holds where the profile leaves it out."""
        return int(getattr(self, key) or NEUTRAL[key])

    def attributes(self) -> dict[ProfileAttribute, int]:
        """The profile's values for the fields of struct al_profile, in that struct's units."""
        given = {attribute: (getattr(self, key), unit) for attribute, (key, unit) in _KEYS.items()}
        return {
            attribute: _QUEUEING[value] if isinstance(value, str) else value // unit
            for attribute, (value, unit) in given.items()
            if value is not None
        }

    def edca_changes(self) -> list[Edca]:
        """The changes to the standard's EDCA parameters, in the order of the categories."""
        return [
            Edca(
                ACCESS_CATEGORIES.index(name),
                own.aifsn,
                own.cw_min,
                own.cw_max,
                own.txop if own.txop is None else own.txop // 1000,
            )
            for name, own in sorted(self.edca.items())
        ]


def data_rate(given: str | None, radio: Airlink) -> PhyRate:
    """The rate of data in a cell: the one *given*, or the slower of both sides' own.

    Rate control goes no higher than that.
    """
    if given and given != MINSTREL:
        return parse_rate(given)
    sides = (radio, radio.access_point or radio)
    return min((side.phy_rate for side in sides), key=kbps)


_QUEUEING = {"pull": 0, "push": 1, "drain": 2}
_OTHER_KEYS = {
    ProfileAttribute.AGGREGATE_US: ("aggregate_time", 1000),
    ProfileAttribute.DENSITY_NS: ("density", 1),
    ProfileAttribute.BUS_MBPS: ("bus_rate", 10**6),
    ProfileAttribute.BUS_NS: ("bus_time", 1),
    ProfileAttribute.REFILL_NS: ("refill_delay", 1),
    ProfileAttribute.REPORT_NS: ("report_delay", 1),
    ProfileAttribute.REPORT_WAIT_NS: ("report_wait", 1),
    ProfileAttribute.RECEIVE_WAIT_NS: ("receive_wait", 1),
    ProfileAttribute.RECEIVE_WAIT_MAX_NS: ("receive_wait_max", 1),
}
# The key for each field of the module's profile, and how many base units one unit of the field has.
# The first attribute of a netlink enumeration is not a field.
_KEYS = {
    attribute: _OTHER_KEYS.get(attribute, (attribute.name.lower(), 1))
    for attribute in ProfileAttribute
    if attribute
}

Profile = Wireline | Airlink

Others = Mapping[str, Profile]
"""The profiles of a graph's links and media, by the names that these call their devices."""

NO_OTHERS: Others = {}


def card_of(profile: Profile) -> Wireline:
    """The Ethernet card of a profile: it, or the wire of a radio's."""
    return profile.ethernet if isinstance(profile, Airlink) else profile


def of_device(name: str | None, own: Profile, others: Others) -> Profile:
    """The profile of a link's or a medium's device; None: the cell's *own*."""
    return own if name is None else others[name]


Changes = Mapping[str, Any]
"""Keys that a profile has otherwise than its file says, as in the file: a text for a quantity."""

NO_CHANGES: Changes = {}

_KINDS: dict[str, type[Wireline] | type[Airlink]] = {"wireline": Wireline, "airlink": Airlink}
ETHERNET = "gigabit"
"""The wire of an airlink profile that names none."""


class NoProfileError(UsageError):
    """There is no profile of that name; where the name stands, only the caller knows."""


class ChangeError(UsageError):
    """A profile cannot be changed so; where the change stands, only the caller knows."""

    def __init__(self, where: Sequence[str], message: str) -> None:
        """*where* is the key, from the profile's top."""
        super().__init__(message)
        self.where = where


def load_profile(name: str, home: Path = Path(), changes: Changes = NO_CHANGES) -> Profile:
    """Read a profile: a path, which starts at *home*, or a bundled one's name.

    The profiles that it names are read with it; their paths start where its own file is. *changes*
    are keys that it has otherwise than its file says, and tables of those of the profiles that it
    names. Raises NoProfileError, FileError and ChangeError.
    """
    file = read_toml(_find(name, home))
    profile = _profile(file)
    if not changes:
        return profile
    try:
        return type(profile).model_validate(_changed(profile, changes))
    except ValidationError as error:
        where, first = first_error(error)
        raise ChangeError(where, reason(first, _unknown_of(profile.kind))) from None


def _changed(profile: BaseModel, changes: Changes, where: Sequence[str] = ()) -> dict[str, Any]:
    """The data of a profile with *changes*, which stand at *where*. Raises ChangeError."""
    if "kind" in changes:
        expected = "expected no change of it"
        raise ChangeError(
            [*where, "kind"], f"another kind of device is another profile; {expected}"
        )
    data: dict[str, Any] = dict(profile)
    if isinstance(changes.get("access_point"), Mapping) and data.get("access_point", 0) is None:
        # It is as the station is, with what changes of that.
        own = {key: value for key, value in changes.items() if key != "access_point"}
        data["access_point"] = type(profile).model_validate(_changed(profile, own, where))
    for key, value in changes.items():
        old, at = data.get(key), [*where, key]
        if isinstance(old, Wireline | Airlink):
            data[key] = _changed_named(old, value, at)
        elif key in NAMED and key in data and isinstance(value, str):  # there was none
            data[key] = _bundled(value, at)
        elif isinstance(old, Mapping) and isinstance(value, Mapping):  # of access categories
            data[key] = {**old, **{name: _with(old.get(name), own) for name, own in value.items()}}
        else:
            data[key] = value
    return data


def _changed_named(old: Profile, value: object, where: Sequence[str]) -> Profile | dict[str, Any]:
    """A profile that another one names, as another or with changes. Raises ChangeError."""
    if isinstance(value, str):
        return _bundled(value, where)
    if isinstance(value, Mapping):
        return _changed(old, value, where)
    expected = "the name of a bundled profile, or a table of what it has otherwise"
    raise ChangeError(where, f"expected {expected}, not {shown(value)}")


NAMED = {"access_point": "airlink", "ethernet": "wireline"}
"""The keys of a profile that name another one, and of what kind that is."""


def _bundled(name: str, where: Sequence[str]) -> Profile:
    """The bundled profile that the key at *where* is changed to. Raises ChangeError."""
    key = where[-1]
    path = bundled_profiles().get(name)
    if path is None:
        known = hint(name, bundled_profiles())
        raise ChangeError(where, f'no bundled profile "{shortened(name)}"; {known}')
    profile = _profile(read_toml(path), of_access_point=key == "access_point")
    if profile.kind != NAMED[key]:
        expected = f'expected a profile of kind "{NAMED[key]}"'
        raise ChangeError(where, f'{expected}; {name} is "{profile.kind}"')
    return profile


def _with(old: BaseModel | None, own: object) -> object:
    """A category's own parameters with some of them changed."""
    return {**dict(old), **own} if old and isinstance(own, Mapping) else own


def _find(name: str, home: Path) -> Path:
    known = bundled_profiles()
    path = home / name if is_file(name) else known.get(name)
    if path is not None and there(path):
        return path
    if path is None and name and there(home / f"{name}.toml"):
        said = f'did you mean the file, "{shortened(name)}.toml"?'
    elif path is not None and path.stem in known:
        said = f'did you mean the bundled one, "{path.stem}"?'
    elif path is not None:
        said = f"{shortened(str(path))} is not there; a path starts {_START}"
    else:
        said = hint(name, known)
    raise NoProfileError(f'no device profile "{shortened(name)}"; {said}')


_START = "at the folder of the file that it stands in, and one in --set at the shell's"


def _profile(file: TomlFile, *, of_access_point: bool = False) -> Profile:
    kind = _kind(file)
    data = file.tables
    if kind == "airlink":
        if of_access_point:
            # The access point that an access point's profile names is not used. Two profiles may
            # therefore name each other.
            data = {key: value for key, value in data.items() if key != "access_point"}
        data = data | _named_profiles(file, data)
    try:
        return _KINDS[kind].model_validate(data)
    except ValidationError as error:
        where, first = first_error(error)
        raise file.error(where, reason(first, _unknown_of(kind))) from None


def _kind(file: TomlFile) -> str:
    kind = file.tables.get("kind")
    if not isinstance(kind, str) or kind not in _KINDS:
        expected = " or ".join(f'"{name}"' for name in _KINDS)
        raise file.error(["kind"], f"expected {expected}, not {shown(kind)}")
    return kind


def _named_profiles(file: TomlFile, data: Mapping[str, Any]) -> dict[str, Profile]:
    """The profiles whose names are in the *data* of an airlink profile."""
    wire = _named(file, "ethernet", data.get("ethernet", ETHERNET), NAMED["ethernet"])
    found = {"ethernet": _profile(wire)}
    if "access_point" in data:
        access_point = _named(file, "access_point", data["access_point"], NAMED["access_point"])
        found["access_point"] = _profile(access_point, of_access_point=True)
    return found


def _named(file: TomlFile, key: str, name: object, kind: str) -> TomlFile:
    """The file that a profile names under *key*, which has to be of that *kind*."""
    if not isinstance(name, str):
        raise file.error([key], f"expected the name of a profile, or its file, not {shown(name)}")
    try:
        path = _find(name, file.path.parent)
    except NoProfileError as error:
        raise file.error([key], str(error)) from None
    if not path.is_file():
        raise file.error([key], f"{path} is no file")
    if path.resolve() == file.path.resolve():
        raise file.error([key], f"{path} is this profile itself")
    named = read_toml(path)
    if (found := _kind(named)) != kind:
        raise file.error([key], f'expected a profile of kind "{kind}"; {name} is "{found}"')
    return named


def in_profiles(key: str) -> bool:
    """Whether device profiles of some kind have a *key* of that name."""
    return any(key in model.model_fields for model in _KINDS.values())


def _unknown_of(kind: str) -> Callable[[Sequence[str]], str]:
    """The function that says what is accepted in place of a key that profiles of *kind* lack."""

    def say(where: Sequence[str]) -> str:
        others = [name for name, model in _KINDS.items() if where[-1] in model.model_fields]
        elsewhere = f'profiles of kind "{others[0]}" have it' if others else ""
        return unknown(where[-1], accepted_in(_KINDS[kind], where[:-1]), elsewhere)

    return say
