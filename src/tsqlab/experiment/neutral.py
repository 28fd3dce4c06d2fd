# SPDX-License-Identifier: GPL-2.0-or-later
"""What a radio does where its profile says nothing, and which values do not go together.

The first are al_profile_neutral of kernel/modules/airlink/radio/profile.c, the second what
al_profile_check() there refuses, and what it takes without effect. A test holds both to that file.
"""

from __future__ import annotations

from collections.abc import Mapping

from tsqlab.experiment.bounds import KeyedError
from tsqlab.model.edca import Access
from tsqlab.units import Duration, Quantity, Rate, Size

Value = int | str  # a quantity is an int

NO_LIMIT = Size((1 << 32) - 1)

NEUTRAL: Mapping[str, Value] = {
    "aggregate_frames": 64,
    "aggregate_bytes": NO_LIMIT,
    "aggregate_time": Duration.of("5484 us"),
    "window_frames": 64,
    "aggregates_ahead": 1,
    "singles_ahead": 1,
    "amsdu_frames": 1,
    "amsdu_bytes": Size.of("7935 B"),
    "subframe_bytes_min": Size(0),
    "density": Duration(0),
    "ppdu_tries": 7,
    "frame_tries": 30,
    "rts_bytes": NO_LIMIT,
    "device_queues": "pull",
    "device_frames": 0,
    "host_frames": 1000,
    "resume_frames": 1000,
    "bus_frames": 0,
    "bus_bytes": Size(0),
    "bus_transfers": 0,
    "bus_rate": Rate(0),
    "bus_time": Duration(0),
    "refill_delay": Duration(0),
    "report_delay": Duration(0),
    "report_frames": 0,
    "report_wait": Duration(0),
    "receive_frames": 0,
    "receive_wait": Duration(0),
    "receive_wait_max": Duration(0),
    "receive_with_reports": False,
    "pacing_shift": 0,
    "aql": True,
}
"""The value of each key of a radio that a profile may leave out."""

_OF_A_BUS = ("bus_bytes", "bus_transfers", "bus_rate")
# What cannot be more than what, and why.
_AT_MOST = (
    ("resume_frames", "host_frames", "the host goes on when there are fewer than it stops at"),
    ("receive_wait", "receive_wait_max", "a frame waits for others no longer than that"),
    ("aggregate_frames", "window_frames", "no aggregate is longer than the block ack window"),
)


def check_together(given: Mapping[str, Value | None]) -> None:
    """Refuse what a profile gives if it does not go together. Raises KeyedError."""
    _check_bus(given)
    for less, more, why in _AT_MOST:
        low, high = _value(given, less), _value(given, more)
        # What neither says is neutral, and an aggregate's neutral 64 is bounded by any window.
        if low <= high or (given.get(less) is None and less == "aggregate_frames"):
            continue
        said = {
            key: written(NEUTRAL[key]) + " where it is left out"
            if (value := given.get(key)) is None
            else written(value)
            for key in (less, more)
        }
        raise KeyedError(
            [less if given.get(less) is not None else more],
            f"{less} is {said[less]}, {more} {said[more]}; expected {less} to be {more} at most: "
            f"{why}",
        )


def check_windows(
    windows: Mapping[str, tuple[int | None, int | None]], standard: Mapping[str, Access]
) -> None:
    """Refuse a CWmin above the CWmax of its category. Raises KeyedError, below the profile.

    *windows* are CWmin and CWmax of each category that a profile changes, and *standard* says what
    a radio in that place has by itself.
    """
    for name, (least, most) in windows.items():
        own = standard[name]
        low = own.cw_min if least is None else least
        high = own.cw_max if most is None else most
        if low > high:
            place = " where it is left out"
            raise KeyedError(
                ["edca", name, "cw_max" if least is None else "cw_min"],
                f"cw_min is {low}{place if least is None else ''}, "
                f"cw_max {high}{place if most is None else ''}; "
                "expected cw_min to be cw_max at most",
            )


def _check_bus(given: Mapping[str, Value | None]) -> None:
    frames = given.get("bus_frames")
    lacking = [key for key in _OF_A_BUS if not given.get(key)]
    if frames and lacking:
        raise KeyedError(["bus_frames"], f"a bus needs {' and '.join(lacking)}, too")
    idle = next((key for key in (*_OF_A_BUS, "bus_time") if given.get(key)), None)
    if frames is None and idle:  # who writes 0 knows that there is no bus
        raise KeyedError([idle], "there is no bus without bus_frames, the frames of a transfer")


def _value(given: Mapping[str, Value | None], key: str) -> int:
    value = given.get(key)
    value = NEUTRAL[key] if value is None else value
    assert isinstance(value, int), "only numbers are compared"
    return value


def written(value: Value) -> str:
    """A value as a profile has it, without quotes."""
    if value == NO_LIMIT:
        return "no limit"
    if isinstance(value, Quantity):
        return value.text
    return str(value).lower() if isinstance(value, bool) else str(value)
