# SPDX-License-Identifier: GPL-2.0-or-later
"""A cell's testbed as a picture: pure functions from its graph to an SVG.

    scene.py    what is in it: boxes of nodes, wires and media, who is tied to what, and the flows
    columns.py  the column of each box: nodes by their hops, wires and media between them
    order.py    who stands above whom in a column, so that few lines cross
    places.py   where each box is
    drawing.py  the SVG

A wire and a medium are boxes as nodes are, so each text has a place of its own, and what is tied to
a medium needs no hull about it. Lines run between columns only, where no text is.
"""

from __future__ import annotations

from tsqlab.experiment.spec import Spec
from tsqlab.guest.testbed import Wiring
from tsqlab.report.picture.columns import columns_of
from tsqlab.report.picture.drawing import drawn
from tsqlab.report.picture.order import ordered
from tsqlab.report.picture.places import placed
from tsqlab.report.picture.scene import scene_of

__all__ = ["testbed_svg"]


def testbed_svg(spec: Spec, wired: Wiring) -> str:
    """The testbed of a cell as an SVG element with plain colours."""
    scene = scene_of(spec, wired)
    return drawn(placed(ordered(scene, columns_of(scene))))
