# SPDX-License-Identifier: GPL-2.0-or-later
"""The pure parts of kernel modules, those of airlink above all, compiled outside the kernel."""

import ctypes
import subprocess
from collections.abc import Sequence
from pathlib import Path

MODULE = Path(__file__).parents[2] / "kernel/modules/airlink"
STUBS = Path(__file__).parent / "userspace"
"""What the kernel has in its headers, and in folders what single files need besides."""


TRAP = ("-fsanitize=undefined", "-fsanitize-undefined-trap-on-error", "-shared", "-fPIC")
"""What makes a library in which undefined behaviour ends the process."""


class Rate(ctypes.Structure):
    """struct al_rate."""

    _fields_ = (
        ("phy", ctypes.c_uint8),
        ("mcs", ctypes.c_uint8),
        ("streams", ctypes.c_uint8),
        ("width_mhz", ctypes.c_uint8),
        ("gi_ns", ctypes.c_uint16),
    )


def compiled(name: str, folder: Path, instead: Path | None = None) -> ctypes.CDLL:
    """A file of the module (such as air/phy) as a library; undefined behaviour ends the process.

    Headers in *instead* stand in for those of the module.
    """
    return library(
        MODULE / f"{name}.c", folder, [path for path in (instead, STUBS, MODULE) if path]
    )


def library(source: Path, folder: Path, includes: Sequence[Path]) -> ctypes.CDLL:
    """A file in C as a library; undefined behaviour ends the process."""
    made = folder / f"{source.stem}.so"
    flags = ["-O2", "-Wall", "-Wextra", "-Werror", "-Wno-sign-compare", "-Wno-unused-parameter"]
    include = [f"-I{path}" for path in includes]
    subprocess.run(["gcc", *flags, *TRAP, *include, "-o", str(made), str(source)], check=True)
    return ctypes.CDLL(str(made))
