# SPDX-License-Identifier: GPL-2.0-or-later
"""What of the host a guest can see, and what of it a guest can change: nothing but its results.

User-Mode Linux is an ordinary process, and whoever is root in the guest can run any code in it:
a module is native code of that process. So the process must not be able to do harm. bubblewrap
gives it a file system of its own: the host's programs read-only, /tmp and /dev private, no
network, no home, no environment, and paths that are the same on every machine. When the process
that started it dies, so does everything inside.

In there it is nobody and has no capability, whoever runs it. For an ordinary user a namespace of
users does that, in which no further one can be made. Root has bubblewrap set up the file system
as root and changes to the user nobody before the guest's kernel runs; where root may not do that,
as in a container, it is treated as an ordinary user. A bind that is read-only cannot be mounted
anew in either case: it takes a capability, and in a new namespace of users the kernel locks it.

What can be written is bounded: files by their size (RLIMIT_FSIZE), /tmp and /dev/shm by their
own, the results by whoever watches the guest (tsqlab.guest.boot), processes by RLIMIT_NPROC,
which binds all but root.
"""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tsqlab.guest.places import AGENT, GUEST_DIR, LINUX, MODULE_DIR, OUT_DIR, PLAN_DIR
from tsqlab.kernels import Kernel

# Where programs, libraries and iproute2's tables live. On a merged-/usr system most are links.
_PROGRAMS = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/lib32", "/etc/iproute2")

NOBODY = 65534
"""The user and the group that a guest runs as."""

FILE_BYTES_MAX = 4 << 30  # of a file, unless the guest's memory, which is one, is larger
_TMP_BYTES = 64 << 20
_SHM_SLACK_BYTES = 16 << 20  # /dev/shm holds the guest's memory
_PROCESSES_MAX = 4096  # each of the guest's has one of the host's

# linux/capability.h
_CAP_CHOWN, _CAP_SETGID, _CAP_SETUID, _CAP_SETPCAP, _CAP_SYS_ADMIN = 0, 6, 7, 8, 21


@dataclass(frozen=True)
class Mounts:
    """The folders of the host that a guest sees."""

    plan: Path  # read-only
    out: Path  # the only one that it can write to


def sandboxed(kernel: Kernel, mounts: Mounts, memory_bytes: int, arguments: list[str]) -> list[str]:
    """The command that boots *kernel* with *arguments* in a sandbox.

    *memory_bytes* is the guest's memory, which is a file of that size in the sandbox.
    """
    if may_change_user():
        os.chown(mounts.out, NOBODY, NOBODY)
    file_bytes = max(FILE_BYTES_MAX, memory_bytes)
    shm_bytes = memory_bytes + _SHM_SLACK_BYTES
    return [
        *("bwrap", *_namespaces(), "--die-with-parent", "--new-session", "--clearenv"),
        *("--setenv", "HOME", "/tmp", "--setenv", "PATH", "/usr/sbin:/usr/bin:/sbin:/bin"),
        *("--hostname", "guest"),
        # What bubblewrap makes by itself on the way to a bind, only its owner could enter.
        *("--dir", "/etc", "--dir", "/proc"),
        *(word for path in _PROGRAMS for word in _shown(Path(path))),
        *("--ro-bind", "/proc/cpuinfo", "/proc/cpuinfo"),
        *("--dev", "/dev"),
        *("--size", str(shm_bytes), "--perms", "1777", "--tmpfs", "/dev/shm"),
        *("--size", str(_TMP_BYTES), "--perms", "1777", "--tmpfs", "/tmp"),
        *("--dir", "/sys", "--dir", "/run", "--dir", GUEST_DIR),
        *("--ro-bind", str(kernel.linux), LINUX),
        *("--ro-bind", str(kernel.agent), AGENT),
        *("--ro-bind", str(kernel.modules), MODULE_DIR),
        *("--ro-bind", str(mounts.plan), PLAN_DIR),
        *("--bind", str(mounts.out), OUT_DIR),
        *("--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/"),
        *("prlimit", f"--fsize={file_bytes}", f"--nproc={_PROCESSES_MAX}", "--core=0"),
        *_as_nobody(),
        *(LINUX, *arguments),
    ]


def _namespaces() -> list[str]:
    """bubblewrap's options for namespaces, user and capabilities."""
    if may_change_user():
        kept = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP")  # until _as_nobody() has used them
        unshared = ("ipc", "pid", "net", "uts", "cgroup-try")
        return [
            *(f"--unshare-{what}" for what in unshared),
            *("--cap-drop", "ALL"),
            *(word for name in kept for word in ("--cap-add", name)),
        ]
    nobody = ("--uid", str(NOBODY), "--gid", str(NOBODY))
    closed = ("--disable-userns",) if _bubblewrap_version() >= (0, 8) else ()
    return ["--unshare-all", "--unshare-user", *nobody, "--cap-drop", "ALL", *closed]


def _as_nobody() -> list[str]:
    """The command that gives up root and its last capabilities, and runs the rest."""
    if not may_change_user():
        return []
    return [
        *("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"),
        *("--inh-caps=-all", "--bounding-set=-all", "--no-new-privs"),
    ]


def may_change_user() -> bool:
    """Whether this is root with all that it takes to build a sandbox and become nobody."""
    if os.geteuid() != 0:
        return False
    status = Path("/proc/self/status").read_text()
    effective = int(re.findall(r"^CapEff:\s*([0-9a-f]+)$", status, re.MULTILINE)[0], 16)
    needed = (_CAP_CHOWN, _CAP_SETGID, _CAP_SETUID, _CAP_SETPCAP, _CAP_SYS_ADMIN)
    return all(effective >> number & 1 for number in needed)


@cache
def _bubblewrap_version() -> tuple[int, ...]:
    """bubblewrap's version; (0,) where there is none, which running it will say."""
    try:
        done = subprocess.run(["bwrap", "--version"], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return (0,)
    return tuple(int(number) for number in re.findall(r"\d+", done.stdout)) or (0,)


def _shown(path: Path) -> list[str]:
    if path.is_symlink():
        return ["--symlink", str(path.readlink()), str(path)]
    return ["--ro-bind", str(path), str(path)] if path.exists() else []
