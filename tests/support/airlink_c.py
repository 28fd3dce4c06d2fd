# SPDX-License-Identifier: GPL-2.0-or-later
"""The pure parts of kernel/modules/airlink, compiled outside the kernel."""

import ctypes
import subprocess
from pathlib import Path

MODULE = Path(__file__).parents[2] / "kernel/modules/airlink"
_HEADERS = Path(__file__).parent / "userspace"


class Rate(ctypes.Structure):
    """struct al_rate."""

    _fields_ = (
        ("phy", ctypes.c_uint8),
        ("mcs", ctypes.c_uint8),
        ("streams", ctypes.c_uint8),
        ("width_mhz", ctypes.c_uint8),
        ("gi_ns", ctypes.c_uint16),
    )


def compiled(name: str, folder: Path) -> ctypes.CDLL:
    """A file of the module (such as air/phy) as a library; undefined behaviour ends the process."""
    library = folder / f"{Path(name).name}.so"
    flags = ["-O2", "-Wall", "-Wextra", "-Werror", "-Wno-sign-compare", "-fsanitize=undefined"]
    trap = ["-fsanitize-undefined-trap-on-error", "-shared", "-fPIC"]
    include = [f"-I{_HEADERS}", f"-I{MODULE}"]
    source = str(MODULE / f"{name}.c")
    subprocess.run(["gcc", *flags, *trap, *include, "-o", str(library), source], check=True)
    return ctypes.CDLL(str(library))
