# SPDX-License-Identifier: GPL-2.0-or-later
"""The testbed's picture on an experiment's page: that of its first cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tsqlab.errors import UsageError
from tsqlab.experiment.spec import full_key
from tsqlab.experiment.stored import Folder, Result
from tsqlab.guest.testbed import wiring
from tsqlab.report.colours import GROUNDS, PROPERTIES, with_properties
from tsqlab.report.picture import testbed_svg
from tsqlab.report.picture.alone import alone, size_px

NODES_MAX = 100
"""A larger testbed is not drawn on a page, which is to open at once."""

_SEEN = ("testbed.", "flow.", "flows.test", "flows.streams")
"""The keys that a picture shows something of."""


@dataclass(frozen=True)
class Picture:
    """The picture, and what it says nothing of."""

    svg: str  # for the page
    file: str  # for a file of its own
    width_px: int
    cell: str
    varies: tuple[str, ...]  # factors by which other cells' testbeds and flows differ


def picture_of(folder: Folder) -> Picture | None:
    """The picture; None where no file says what its cell was, or the testbed is too large."""
    cells = [cell for cell in folder.results if cell.spec is not None]
    svg = _drawn(cells[0]) if cells else None
    if svg is None:
        return None
    names = _varying(cells)
    varies = tuple(name for name in names if (full_key(name) or "").startswith(_SEEN))
    themed = with_properties(svg, {**PROPERTIES, **GROUNDS})
    return Picture(themed, alone(svg), round(size_px(svg)[0]), cells[0].id, varies)


def _drawn(cell: Result) -> str | None:
    assert cell.spec, "asked before"
    if cell.device is None or len(cell.spec.testbed.nodes) > NODES_MAX:
        return None
    try:
        return testbed_svg(cell.spec, wiring(cell.spec, cell.device, cell.others))
    except UsageError:  # a later version would not run it
        return None


def _varying(cells: Sequence[Result]) -> list[str]:
    """The factors of which the cells have several levels."""
    names = dict.fromkeys(name for cell in cells for name in cell.factors)
    return [name for name in names if len({str(cell.factors.get(name)) for cell in cells}) > 1]
