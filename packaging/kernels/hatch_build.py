# SPDX-License-Identifier: GPL-2.0-or-later
"""The wheel's tag: any Python 3, and a C library as new as what was built asks for."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Tag(BuildHookInterface):
    """Gives the wheel the tag that tools/kernels_wheel.py has found out."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """See BuildHookInterface."""
        del version
        build_data["pure_python"] = False
        build_data["tag"] = (Path(self.root) / "tag").read_text("utf-8").strip()
