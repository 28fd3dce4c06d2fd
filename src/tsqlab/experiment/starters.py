# SPDX-License-Identifier: GPL-2.0-or-later
"""The experiment files that ``tsqlab new`` writes, each of which says what its keys mean."""

from __future__ import annotations

from pathlib import Path

from tsqlab.paths import STARTERS


def starters() -> dict[str, Path]:
    """The files by what they are like."""
    return {path.stem: path for path in sorted(STARTERS.glob("*.toml"))}
