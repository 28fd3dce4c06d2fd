# SPDX-License-Identifier: GPL-2.0-or-later
"""A picture as a file of its own: on a ground, and light or dark as its viewer is."""

from __future__ import annotations

import re

from tsqlab.paths import PACKAGE
from tsqlab.report.colours import GROUNDS, PAPER, PROPERTIES

_CSS = PACKAGE / "report" / "pages" / "report.css"


def alone(svg: str) -> str:
    """A picture with plain colours, which a dark viewer shows as the report's page does."""
    dark = _dark()
    rules = "".join(
        f'[{where}="{colour}"]{{{where}:{dark[name]}}}'
        for colour, name in {**PROPERTIES, **GROUNDS}.items()
        for where in ("fill", "stroke")
    )
    style = f"<style>@media (prefers-color-scheme:dark){{{rules}}}</style>"
    ground = '<rect x="{}" y="{}" width="{}" height="{}" fill="{}" />'.format(*_view(svg), PAPER)
    return svg.replace("</title>", f"</title>\n {style}\n {ground}", 1) + "\n"


def size_px(svg: str) -> tuple[float, float]:
    """The width and the height of a picture."""
    _, _, width, height = _view(svg)
    return float(width), float(height)


def _view(svg: str) -> tuple[str, ...]:
    view = re.search(r'viewBox="(\S+) (\S+) (\S+) (\S+)"', svg)
    assert view, "drawing.py gives it one"
    return view.groups()


def _dark() -> dict[str, str]:
    """The values of the page's custom properties in its dark theme."""
    css = _CSS.read_text("utf-8")
    theme = css[css.index("prefers-color-scheme: dark") :].partition("}")[0]
    return dict(re.findall(r"(--[\w-]+): (#[0-9a-f]{6})", theme))
