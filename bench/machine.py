# SPDX-License-Identifier: GPL-2.0-or-later
"""What a measured time depends on besides the code: the processor and the compiler."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path


def processor() -> str:
    """The processor's model, as the kernel names it."""
    text = Path("/proc/cpuinfo").read_text("utf-8")
    found = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return " ".join(found[1].split()) if found else "unknown"


def compiler() -> str:
    """The compiler's name and version: "gcc 12.2.0"."""
    command = ["gcc", "-dumpfullversion"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return f"gcc {done.stdout.strip()}"
