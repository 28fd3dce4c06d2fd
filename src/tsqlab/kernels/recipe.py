# SPDX-License-Identifier: GPL-2.0-or-later
"""What a kernel is made of, and what it is when it is made."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tsqlab.kernels.agent import PRELOAD


@dataclass(frozen=True)
class Kernel:
    """A kernel ready to boot."""

    version: str  # "6.12"
    release: str  # "6.12.117", the name that uname prints
    hz: int
    id: str  # the key of everything that went into it, modules and the guest's program too
    cotsq: bool  # whether its patches give it CoTSQ's sysctls
    linux: Path  # the executable
    modules: Path  # the folder of *.ko
    agent: Path  # PID 1 of the guest
    source: str = ""  # the names of the source and the folder of patches that a user gave

    @property
    def preload(self) -> Path:
        """The folder of libraries that programs can be run with."""
        return self.agent.parent / PRELOAD


@dataclass(frozen=True)
class Recipe:
    """What a kernel is made of."""

    # The version of Debian's source and of the patches; None: the version of *source*.
    version: str | None = None
    source: Path | None = None  # a tree or tarball in place of Debian's source
    patches: Path | None = None  # a flat folder of *.patch in place of the series
    hz: int = 1000  # CONFIG_HZ
    extra: tuple[str, ...] = ()  # more fragments of kernel/config
    # Names in kernel/patches/history: upstream changes that are taken back where the version of
    # the source has them.
    without: tuple[str, ...] = ()
    cotsq: bool = True  # whether the series has its part tcp
    guided: bool = True  # whether it is compiled by a profile of itself (tsqlab.kernels.guided)
    fragments: tuple[Path, ...] = ()  # a user's fragments of its configuration
    # Whether one that came built will do (tsqlab.kernels.prebuilt). Nothing is compiled against it.
    prebuilt: bool = True
