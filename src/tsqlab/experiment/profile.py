# SPDX-License-Identifier: GPL-2.0-or-later
"""Device profiles: what a network device is like, as data with sources.

A profile is a TOML file in profiles/, or a path. There are two kinds: ``wireline``, an Ethernet
card, and ``airlink``, a radio.
"""

from __future__ import annotations

import difflib
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from tsqlab.airlink.messages import Edca, PhyRate
from tsqlab.airlink.rates import kbps, parse_rate
from tsqlab.airlink.uapi import ProfileAttribute
from tsqlab.errors import FileError, UsageError
from tsqlab.experiment.bundled import bundled_profiles
from tsqlab.units import Duration, Quantity, Rate, Size


def _whole(unit_size: int, unit: str) -> AfterValidator:
    def check(value: Quantity) -> Quantity:
        if value % unit_size:
            raise ValueError(f"expected a whole number of {unit}")
        return value

    return AfterValidator(check)


class Wireline(BaseModel):
    """An Ethernet card (kernel/modules/wireline)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["wireline"]
    title: str
    line_rate: Annotated[Rate, _whole(10**6, "Mbit/s"), Field(ge=10**7, le=10**11)]
    tx_ring: Annotated[int, Field(ge=1, le=65536)] = 256  # capacity in frames
    # The time from the end of a frame on the wire to its completion.
    completion_delay: Annotated[Duration, _whole(1000, "us")] = Duration(0)
    # Completions come earlier when this many frames wait for them.
    completion_batch: Annotated[int, Field(ge=2)] | None = None

    @model_validator(mode="after")
    def _batch_of_delayed(self) -> Wireline:
        if self.completion_batch and not self.completion_delay:
            raise ValueError("completion_batch needs a completion_delay")
        return self


def _check_rate(text: str) -> str:
    parse_rate(text)
    return text


PhyRateText = Annotated[str, AfterValidator(_check_rate)]
"""A rate of 802.11, as "HT40 MCS7 SGI" (tsqlab.airlink.rates)."""


class EdcaOverride(BaseModel):
    """What a device or its driver does differently in one access category."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    aifsn: Annotated[int, Field(ge=1, le=15)] | None = None
    cw_min: Annotated[int, Field(ge=0, le=32767)] | None = None  # counted in slots
    cw_max: Annotated[int, Field(ge=0, le=32767)] | None = None
    txop: Annotated[Duration, _whole(1000, "us")] | None = None


_U32_MAX = (1 << 32) - 1
_Count = Annotated[int, Field(ge=0, le=_U32_MAX)] | None
_Bytes = Annotated[Size, Field(le=_U32_MAX)] | None
_Time = Annotated[Duration, Field(le=_U32_MAX)] | None
_TimeUs = Annotated[Duration, _whole(1000, "us")] | None

ACCESS_CATEGORIES = ("VO", "VI", "BE", "BK")  # sorted by the number that airlink gives them


class Airlink(BaseModel):
    """A radio (kernel/modules/airlink). What is left out adds nothing to the standard.

    The keys from ``aggregate_frames`` on are those of struct al_profile, where profile.h says
    what they mean, but for units: a value carries its own, so the key does not.
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

    aggregate_frames: _Count = None
    aggregate_bytes: _Bytes = None
    aggregate_time: _TimeUs = None
    window_frames: _Count = None
    aggregates_ahead: _Count = None
    singles_ahead: _Count = None
    amsdu_frames: _Count = None
    amsdu_bytes: _Bytes = None
    subframe_bytes_min: _Bytes = None
    density: _Time = None
    ppdu_tries: _Count = None
    frame_tries: _Count = None
    rts_bytes: _Bytes = None

    # The head of softmac/tx.c explains the three.
    device_queues: Literal["pull", "push", "drain"] | None = None
    device_frames: _Count = None
    host_frames: _Count = None
    resume_frames: _Count = None
    bus_frames: _Count = None
    bus_bytes: _Bytes = None
    bus_transfers: _Count = None
    bus_rate: Annotated[Rate, _whole(10**6, "Mbit/s")] | None = None
    bus_time: _Time = None
    refill_delay: _Time = None
    report_delay: _Time = None
    report_frames: _Count = None
    report_wait: _Time = None
    receive_wait: _Time = None
    receive_wait_max: _Time = None
    receive_with_reports: bool | None = None

    pacing_shift: Annotated[int, Field(ge=0, le=31)] | None = None

    @property
    def phy_rate(self) -> PhyRate:
        """The rate of data frames, in the form that the module takes."""
        return parse_rate(self.rate)

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
    """The rate of data in a cell: the one *given*, or the slower of both sides' own."""
    sides = (radio, radio.access_point or radio)
    rates = [parse_rate(given)] if given else [side.phy_rate for side in sides]
    return min(rates, key=kbps)


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

_KINDS: dict[str, type[Wireline] | type[Airlink]] = {"wireline": Wireline, "airlink": Airlink}
_ETHERNET = "gigabit"  # the wire of an airlink profile that names none


def load_profile(name: str) -> Profile:
    """Read a profile: a path, or a bundled one's name. Raises UsageError and FileError.

    The profiles that it names are read with it.
    """
    known = bundled_profiles()
    path = Path(name) if "/" in name else known.get(name)
    if path is None or not path.is_file():
        near = difflib.get_close_matches(name, known, n=1)
        hint = f'did you mean "{near[0]}"?' if near else f"there are {', '.join(known)}"
        raise UsageError(f'no device profile "{name}"; {hint}')
    try:
        data = tomllib.loads(path.read_text())
        kind = data.get("kind")
        if kind not in _KINDS:
            expected = " or ".join(f'"{kind_name}"' for kind_name in _KINDS)
            raise FileError(path, f"expected {expected}, not {kind!r}", key="kind")
        if kind == "airlink":
            data = _with_profiles(path, data)
        return _KINDS[kind].model_validate(data)
    except tomllib.TOMLDecodeError as error:
        raise FileError(path, f"not TOML: {error}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise FileError(path, first["msg"], key=key) from None


def _with_profiles(path: Path, data: dict[str, Any]) -> dict[str, Any]:
    """A copy of the data in which the names of profiles are replaced by the profiles."""
    found: dict[str, Profile] = {"ethernet": load_profile(data.get("ethernet", _ETHERNET))}
    if name := data.get("access_point"):
        if (known := bundled_profiles().get(name, Path(name))) == path:
            raise FileError(path, f"{known} is this profile itself", key="access_point")
        # One level is enough: the access point that an access point's profile names is not used.
        found["access_point"] = load_profile(name)
    return data | found
