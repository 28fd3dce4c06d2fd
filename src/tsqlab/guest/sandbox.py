# SPDX-License-Identifier: GPL-2.0-or-later
"""What of the host a guest can see, and what of it a guest can change: nothing but its results.

User-Mode Linux is an ordinary process, and through hostfs its root would have the user's
rights on the host's files. bubblewrap gives it a file system of its own: the host's programs
read-only, /tmp and /dev private, no network, no home, no environment, and paths that are the
same on every machine. When the process that started it dies, so does everything inside.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tsqlab.guest.places import AGENT, GUEST_DIR, LINUX, MODULE_DIR, OUT_DIR, PLAN_DIR
from tsqlab.kernels import Kernel

# Where programs, libraries and iproute2's tables live. On a merged-/usr system most are links.
_PROGRAMS = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/lib32", "/etc/iproute2")


@dataclass(frozen=True)
class Mounts:
    """The folders of the host that a guest sees."""

    plan: Path  # read-only
    out: Path  # the only one that it can write to


def sandboxed(kernel: Kernel, mounts: Mounts, arguments: list[str]) -> list[str]:
    """The command that boots *kernel* with *arguments* in a sandbox."""
    return [
        *("bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--clearenv"),
        *("--setenv", "HOME", "/tmp", "--setenv", "PATH", "/usr/sbin:/usr/bin:/sbin:/bin"),
        *("--hostname", "guest"),
        *(word for path in _PROGRAMS for word in _shown(Path(path))),
        *("--ro-bind", "/proc/cpuinfo", "/proc/cpuinfo"),
        *("--dev", "/dev", "--tmpfs", "/tmp"),
        *("--dir", "/sys", "--dir", "/run", "--dir", GUEST_DIR),
        *("--ro-bind", str(kernel.linux), LINUX),
        *("--ro-bind", str(kernel.agent), AGENT),
        *("--ro-bind", str(kernel.modules), MODULE_DIR),
        *("--ro-bind", str(mounts.plan), PLAN_DIR),
        *("--bind", str(mounts.out), OUT_DIR),
        *("--remount-ro", "/", "--chdir", "/"),
        *(LINUX, *arguments),
    ]


def _shown(path: Path) -> list[str]:
    if path.is_symlink():
        return ["--symlink", str(path.readlink()), str(path)]
    return ["--ro-bind", str(path), str(path)] if path.exists() else []
