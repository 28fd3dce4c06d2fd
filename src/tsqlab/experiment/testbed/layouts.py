# SPDX-License-Identifier: GPL-2.0-or-later
"""The layouts: what is different by default in each, and which keys of [testbed] each has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tsqlab.topology import (
    DUMBBELL,
    HIDDEN,
    MESH,
    PARKING_LOT,
    TWO_BSS,
    WIFI,
    WIFI_CHAIN,
    WIRED,
)

GRAPH = "graph"
"""The layout of a testbed that a user wrote as [nodes], [[link]] and [[medium]]."""

LAYOUTS: dict[str, dict[str, Any]] = {
    WIRED: {"device": "gigabit"},
    DUMBBELL: {"device": "gigabit"},
    PARKING_LOT: {"device": "gigabit"},
    WIFI: {"device": "ath9k_htc"},
    HIDDEN: {"device": "ath9k_htc", "stations": 2},
    TWO_BSS: {"device": "ath9k_htc"},
    WIFI_CHAIN: {"device": "ath9k_htc"},
    MESH: {"device": "ath9k"},
}
"""The layouts that a file can name, and what is different by default in each."""

_OF_WIRES = (WIRED, DUMBBELL, PARKING_LOT)
_OF_ACCESS_POINTS = (WIFI, HIDDEN, TWO_BSS)
_OF_RADIOS = (*_OF_ACCESS_POINTS, WIFI_CHAIN, MESH)
_OF_TEMPLATES = tuple(LAYOUTS)
_WHOSE: Mapping[str, tuple[str, ...]] = {
    "bottleneck": _OF_WIRES,
    "pairs": (DUMBBELL,),
    "hops": (PARKING_LOT, WIFI_CHAIN, MESH),
    **dict.fromkeys(("sinks", "hears"), (WIFI_CHAIN,)),
    **dict.fromkeys(("server", "stations"), _OF_ACCESS_POINTS),
    **dict.fromkeys(("rate", "rts", "loss", "snr"), _OF_RADIOS),
    "base_rtt": (*_OF_WIRES, *_OF_ACCESS_POINTS),
    "device": _OF_TEMPLATES,
    **dict.fromkeys(("node", "link", "medium"), (GRAPH,)),
}
"""The layouts that have a key; the others are of all."""


def foreign(layout: str) -> dict[str, tuple[str, ...]]:
    """The keys that a layout does not have, each with those that do."""
    return {key: owners for key, owners in _WHOSE.items() if layout not in owners}


RECENT = frozenset({"pairs", "hops", "sinks", "hears", "node", "link", "medium"})
"""Keys that came after 0.1.0: a result of a layout that has them not says nothing of them."""

# The name that WIFI had before 0.1.0, though it has downloads, too.
OLD_LAYOUTS = {"wifi-upload": WIFI}
