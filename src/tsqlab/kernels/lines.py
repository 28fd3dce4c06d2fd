# SPDX-License-Identifier: GPL-2.0-or-later
"""Where in the source an address of a kernel is, if it was built with debug information."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path


def places(linux: Path, returns: Sequence[int]) -> dict[int, str]:
    """As "net/ipv4/tcp_output.c:2690", for each of the return addresses that has a place."""
    if not returns:
        return {}
    # A call returns to the instruction behind it, which may be of the next line.
    addresses = [f"{address - 1:#x}" for address in returns]
    try:
        done = subprocess.run(
            ["addr2line", "-e", str(linux), *addresses],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    except FileNotFoundError:
        return {}
    found = zip(returns, done.stdout.splitlines(), strict=False)
    tree = _tree(linux)
    return {
        address: line.partition(" ")[0].removeprefix(tree)
        for address, line in found
        if not line.startswith("??") and not line.endswith(":?")
    }


def _tree(linux: Path) -> str:
    """The folder of the source, which nobody needs to read in each line."""
    with suppress(OSError, ValueError, LookupError, TypeError, RecursionError):
        return f"{json.loads((linux.parent / 'tsqlab.json').read_bytes())['tree']}/"
    return ""
