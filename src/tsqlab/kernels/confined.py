# SPDX-License-Identifier: GPL-2.0-or-later
"""The sandbox in which a user's module is compiled.

Kbuild's files are programs: a Makefile runs whatever shell command it likes, and C can take any
file of the host into a module (#include, .incbin). An experiment, with its modules, may come from
anyone, and to run it must not mean to trust it. So make runs where there is nothing to take and
nothing to change: bubblewrap shows it the host's programs, the kernel's tree and what was built of
it, all read-only, and the module's source as it was read. There is no network, no home, no
environment, no /proc; what it makes lies in memory, and goes with it. What comes out is what it
writes to two files, of limited size: the module, which is then loaded in a guest's own sandbox
(tsqlab.guest.sandbox), and what make said.

Whoever starts it, it has no capability. Root stays root by name here, where nothing can be written
that is root's, since the kernel's tree may be in a folder that only root can enter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

SOURCE_DIR, WORK_DIR = "/source", "/module"
"""Where the source lies, and below which it is copied and compiled: the same on every machine."""

FILE_BYTES_MAX = 64 << 20
_WORK_BYTES = 256 << 20
_TMP_BYTES = 64 << 20
_CPU_S = 600
"""The CPU time that each process has. A module takes seconds."""
_PROCESSES_MAX = 4096

# Programs, and what Debian's links to some of them (awk, cc) lead through.
_PROGRAMS = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/lib32", "/etc/alternatives")
_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"


def confined(
    source: Path, readable: Sequence[Path], environment: Mapping[str, str], command: Sequence[str]
) -> list[str]:
    """The command that runs *command* in the sandbox, which sees *readable* where they are."""
    return [
        *("bwrap", "--unshare-all", "--cap-drop", "ALL", "--die-with-parent", "--new-session"),
        "--clearenv",
        *(word for item in environment.items() for word in ("--setenv", *item)),
        *("--setenv", "HOME", "/tmp", "--setenv", "PATH", _PATH),
        *(word for path in _PROGRAMS for word in _shown(Path(path))),
        *("--dev", "/dev"),
        *("--size", str(_TMP_BYTES), "--tmpfs", "/tmp"),
        *("--size", str(_WORK_BYTES), "--tmpfs", WORK_DIR),
        *(word for path in readable for word in ("--ro-bind", str(path), str(path))),
        *("--ro-bind", str(source), SOURCE_DIR),
        *("--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/"),
        *("prlimit", f"--fsize={FILE_BYTES_MAX}", f"--nproc={_PROCESSES_MAX}", "--core=0"),
        f"--cpu={_CPU_S}",
        *command,
    ]


def _shown(path: Path) -> list[str]:
    if path.is_symlink():
        return ["--symlink", str(path.readlink()), str(path)]
    return ["--ro-bind", str(path), str(path)] if path.exists() else []
