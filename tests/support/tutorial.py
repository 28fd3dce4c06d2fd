# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/own-module.md, read: its sources, its change, and its sections as the gallery's."""

from __future__ import annotations

import re

from tsqlab.paths import ROOT

PAGE = ROOT / "docs" / "own-module.md"
FILES = ROOT / "docs" / "own-module"
EDITED = "edited"
"""The section that runs shallow.toml with a changed module."""


def block(language: str) -> str:
    """The page's first code in a language."""
    found = re.search(rf"^```{language}\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)
    assert found, language
    return found[1]


def changed(source: str) -> str:
    """The module's source with the page's change."""
    lines = block("diff").splitlines(keepends=True)
    before, after = (
        "".join(f"{line[1:]}" for line in lines if line[0] in kept) for kept in (" -", " +")
    )
    assert source.count(before) == 1, "the change is of one place"
    return source.replace(before, after)


def experiment(section: str) -> str:
    """The file that a section runs."""
    return "shallow.toml" if section == EDITED else f"{section}.toml"
