# SPDX-License-Identifier: GPL-2.0-or-later
"""The pure parts of kernel/modules/airlink, compiled outside the kernel."""

import ctypes
import subprocess
from pathlib import Path

MODULE = Path(__file__).parents[2] / "kernel/modules/airlink"
STUBS = Path(__file__).parent / "userspace"
"""What the kernel has in its headers, and in folders what single files need besides."""


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
    library = folder / f"{Path(name).name}.so"
    flags = ["-O2", "-Wall", "-Wextra", "-Werror", "-Wno-sign-compare", "-Wno-unused-parameter"]
    trap = ["-fsanitize=undefined", "-fsanitize-undefined-trap-on-error", "-shared", "-fPIC"]
    include = [f"-I{path}" for path in (instead, STUBS, MODULE) if path]
    source = str(MODULE / f"{name}.c")
    subprocess.run(["gcc", *flags, *trap, *include, "-o", str(library), source], check=True)
    return ctypes.CDLL(str(library))
