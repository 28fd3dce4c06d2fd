# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the members of a medium are, and what follows: each pair's SNR, and who hears whom."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import permutations
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BeforeValidator, Field

from tsqlab.airlink.rates import parse_rate
from tsqlab.experiment.bounds import between
from tsqlab.experiment.invalid import shown
from tsqlab.experiment.profile import MINSTREL
from tsqlab.experiment.testbed.graph import Way
from tsqlab.experiment.testbed.keys import Table
from tsqlab.model.propagation import Propagation, free_space_db
from tsqlab.units import Decibel, Length, Power

if TYPE_CHECKING:
    from tsqlab.experiment.testbed.written import MediumTable

_REFERENCE_HZ = 2_437e6  # of the loss at 1 m, unless it is said
_SNR_MAX_DB = 100.0  # what a link may have

Coordinate = Annotated[Length, between(Length, "0 m", "100 km")]


def _coordinates(value: object) -> object:
    """The two lengths of a text, "3 m, 4 m", as a list has them."""
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list | tuple) or len(parts) != 2:
        raise ValueError(f'expected ["3 m", "4 m"], or "3 m, 4 m" as one text, not {shown(value)}')
    return parts


Position = Annotated[tuple[Coordinate, Coordinate], BeforeValidator(_coordinates)]
_Ratio = Annotated[Decibel, between(Decibel, "0 dB", "200 dB")]
Width = Literal["20 MHz", "40 MHz", "80 MHz", "160 MHz"]


class PropagationTable(Table):
    """How signals fade with the distance: the keys of tsqlab.model.propagation."""

    exponent: Annotated[float, Field(ge=1, le=10, allow_inf_nan=False)] = 3.0
    reference_loss: _Ratio | None = None  # at 1 m; none: free space's at 2.4 GHz
    power: Annotated[Power, between(Power, "0 dBm", "40 dBm")] = Power.of("16 dBm")
    noise_figure: _Ratio = Decibel.of("7 dB")
    bandwidth: Width | None = None  # none: that of the medium's rate, or else 20 MHz
    hears_from: _Ratio = Decibel.of("4 dB")


def width_mhz(table: MediumTable) -> int:
    """The bandwidth that a medium's noise is of."""
    if table.propagation and table.propagation.bandwidth:
        return int(table.propagation.bandwidth.partition(" ")[0])
    if table.rate and table.rate != MINSTREL:
        return parse_rate(table.rate).width_mhz
    return 20


def propagation_of(table: MediumTable) -> Propagation:
    """How signals fade on a medium."""
    said = table.propagation or PropagationTable()
    reference = said.reference_loss
    return Propagation(
        exponent=said.exponent,
        reference_db=free_space_db(_REFERENCE_HZ) if reference is None else reference.db,
        power_dbm=said.power.dbm,
        noise_figure_db=said.noise_figure.db,
        bandwidth_hz=width_mhz(table) * 1e6,
        hears_from_db=said.hears_from.db,
    )


def ways_between(table: MediumTable) -> Iterator[Way]:
    """How each member receives each other; nothing, if they have no positions."""
    places = {node: member.position for node, member in table.members.items() if member.position}
    model = propagation_of(table)
    for (sender, here), (receiver, there) in permutations(places.items(), 2):
        distance_m = math.dist([one.m for one in here], [one.m for one in there])
        snr_db = min(max(0.0, model.snr_db(distance_m)), _SNR_MAX_DB)
        deaf = None if model.hears(distance_m) else False
        yield Way(sender, receiver, snr=Decibel(round(100 * snr_db)), hears=deaf)
