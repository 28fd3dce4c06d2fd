# SPDX-License-Identifier: GPL-2.0-or-later
"""The sandbox of a guest: how little of the host it can see. It can change only its results.

User-Mode Linux is an ordinary process, and whoever is root in the guest can run any code in it:
a module is native code of that process. So the process must not be able to do harm. bubblewrap
gives it a file system of its own: the host's programs read-only, /tmp and /dev private, no
network, no home, no environment, and paths that are the same on every machine. When the process
that started it dies, so does everything inside.

Where tsqlab-kernels is installed, a guest that runs no program of the user's sees the programs of
that package in the place of the host's: it does the same on every distribution, and the host need
not have ip, tc, iw and hostapd.

Inside, the process runs as the user nobody and has no capability, whoever started it. If an
ordinary user starts it, a user namespace ensures this, and no further user namespace can be made
in it. If root starts it, bubblewrap sets up the file system as root, and the process becomes
nobody before the guest's kernel runs. Where root may not do that, as in a container, it is
treated as an ordinary user. In neither case can a read-only bind be mounted again as writable:
that takes a capability, and in a new user namespace the kernel locks the mount.

What a guest writes is limited: RLIMIT_FSIZE limits the size of a file, /tmp and /dev/shm have
sizes of their own, tsqlab.guest.boot watches the size of the results, and RLIMIT_NPROC limits the
number of processes, except for root.

Where bubblewrap is refused, and doing without is wanted, tsqlab.guest.own_root takes its place.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path, PurePosixPath

from tsqlab.bubblewrap import BWRAP, NONE, VARIABLE, Refusal, refusal, wanted
from tsqlab.errors import TsqlabError
from tsqlab.guest.landlock import version
from tsqlab.guest.own_root import Order
from tsqlab.guest.places import AGENT, GUEST_DIR, LINUX, MODULE_DIR, OUT_DIR, PLAN_DIR, PRELOAD_DIR
from tsqlab.kernels import Kernel

# The folders of programs, libraries and iproute2's tables. On a merged-/usr system most are links.
_PROGRAMS = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/lib32", "/etc/iproute2")

_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"

NOBODY = 65534
"""The user and the group that a guest runs as."""

# The limit on a file, unless the guest has more memory: its memory is a file, too.
FILE_BYTES_MAX = 4 << 30
_TMP_BYTES = 64 << 20
_SHM_SLACK_BYTES = 16 << 20  # what /dev/shm has besides the guest's memory
_PROCESSES_MAX = 4096  # each process of the guest takes one process of the host

# Numbers from linux/capability.h.
_CAP_CHOWN, _CAP_SETGID, _CAP_SETUID, _CAP_SETPCAP, _CAP_SYS_ADMIN = 0, 6, 7, 8, 21


# The command that gives up root and its last capabilities, and runs what follows it.
_AS_NOBODY = (
    *("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"),
    *("--inh-caps=-all", "--bounding-set=-all", "--no-new-privs"),
)


NO_FOREIGN_CODE = (
    f"with {VARIABLE}={NONE} nothing would keep it from your files, as this machine's kernel has "
    "no Landlock (Linux 5.13); it needs bubblewrap: tsqlab doctor says what that needs"
)


@dataclass(frozen=True)
class Mounts:
    """The folders of the host that a guest sees."""

    plan: Path  # read-only for the guest
    out: Path  # the only folder that the guest can write to
    # More files and folders, read-only, by where the guest sees them.
    shown: Mapping[str, Path] = field(default_factory=dict)
    # A folder with the programs of guests, usr and etc/iproute2; None: they are the host's.
    programs: Path | None = None


def sandboxed(kernel: Kernel, mounts: Mounts, memory_bytes: int, arguments: list[str]) -> list[str]:
    """The command that boots *kernel* with *arguments* in the sandbox that is wanted.

    *memory_bytes* is the guest's memory, which is a file of that size in the sandbox.
    """
    if wanted() == NONE:
        return _without_namespaces(kernel, mounts, memory_bytes, arguments)
    if becomes_nobody():
        os.chown(mounts.out, NOBODY, NOBODY)
    seen = [
        *_bound(mounts.programs),
        *("--dir", GUEST_DIR),
        *("--ro-bind", str(kernel.linux), LINUX),
        *("--ro-bind", str(kernel.agent), AGENT),
        *("--ro-bind", str(kernel.modules), MODULE_DIR),
        *("--ro-bind", str(kernel.preload), PRELOAD_DIR),
        *("--ro-bind", str(mounts.plan), PLAN_DIR),
        *(word for there, here in mounts.shown.items() for word in _also(there, here)),
        *("--bind", str(mounts.out), OUT_DIR),
    ]
    return _bubblewrap(memory_bytes, seen, [LINUX, *arguments])


def refused() -> Refusal | None:
    """Why bubblewrap cannot make a guest's sandbox here; None if it can, which is tried."""
    command = _bubblewrap(FILE_BYTES_MAX, _bound(None), ["true"])
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
            check=False,
        )  # fmt: skip
    except FileNotFoundError as error:
        raise TsqlabError(f"no {error.filename}; try: tsqlab doctor") from error
    return refusal(done.stderr) if done.returncode else None


def _bubblewrap(memory_bytes: int, seen: Sequence[str], command: Sequence[str]) -> list[str]:
    """The command that runs another in bubblewrap, which shows what is *seen*."""
    file_bytes = max(FILE_BYTES_MAX, memory_bytes)
    shm_bytes = memory_bytes + _SHM_SLACK_BYTES
    return [
        *(
            "bwrap",
            *_namespaces(may_change_user()),
            "--die-with-parent",
            "--new-session",
            "--clearenv",
        ),
        *("--setenv", "HOME", "/tmp", "--setenv", "PATH", _PATH),
        *("--hostname", "guest"),
        # Only their owner could enter these folders if bubblewrap made them by itself on the way to
        # a bind.
        *("--dir", "/etc", "--dir", "/proc"),
        *("--ro-bind", "/proc/cpuinfo", "/proc/cpuinfo"),
        *("--dev", "/dev"),
        *("--size", str(shm_bytes), "--perms", "1777", "--tmpfs", "/dev/shm"),
        *("--size", str(_TMP_BYTES), "--perms", "1777", "--tmpfs", "/tmp"),
        *("--dir", "/sys", "--dir", "/run"),
        *seen,
        *("--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/"),
        *("prlimit", f"--fsize={file_bytes}", f"--nproc={_PROCESSES_MAX}", "--core=0"),
        *(_AS_NOBODY if may_change_user() else ()),
        # The kernel has the same addresses every time if they are not randomised. Last, because a
        # program that begins with other capabilities than its parent is randomised again.
        *("setarch", "--addr-no-randomize", *command),
    ]


def _without_namespaces(
    kernel: Kernel, mounts: Mounts, memory_bytes: int, arguments: list[str]
) -> list[str]:
    """The command that boots the kernel where bubblewrap is refused."""
    if becomes_nobody():
        os.chown(mounts.out, NOBODY, NOBODY)
    sockets = {there: here for there, here in mounts.shown.items() if here.is_socket()}
    programs, links = programs_seen(mounts.programs)
    shown = {
        **{there: here for there, here in programs.items() if here.is_dir()},
        AGENT: kernel.agent,
        MODULE_DIR: kernel.modules,
        PRELOAD_DIR: kernel.preload,
        PLAN_DIR: mounts.plan,
        **{there: here for there, here in mounts.shown.items() if there not in sockets},
    }
    return Order(
        linux=str(kernel.linux),
        name=LINUX,
        arguments=arguments,
        links=links,
        shown={there: str(here.absolute()) for there, here in shown.items()},
        own={OUT_DIR: str(mounts.out.absolute())},
        loads=[str(path) for path in programs_seen(None)[0].values() if path.is_dir()],
        sockets={there: str(here.absolute()) for there, here in sockets.items()},
        path=_PATH,
        user=NOBODY if becomes_nobody() else None,
        memory_bytes=memory_bytes,
        file_bytes=max(FILE_BYTES_MAX, memory_bytes),
        processes=_PROCESSES_MAX,
        parent=os.getpid(),
    ).command()


def confines_files() -> bool:
    """Whether native code in a guest is kept from the user's files."""
    return wanted() == BWRAP or version() > 0


def cost_of_none() -> str:
    """What is to be known of guests without bubblewrap on this machine."""
    left = "and can read and write what you can" if not version() else (
        "which Landlock keeps from your files"
    )  # fmt: skip
    return f"--sandbox {NONE}: guests are processes of this machine's, {left} (docs/sandbox.md)"


def _namespaces(by_root: bool) -> list[str]:
    """bubblewrap's options for namespaces, user and capabilities."""
    if by_root:
        # The capabilities that _AS_NOBODY uses, then gives up.
        kept = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP")
        unshared = ("ipc", "pid", "net", "uts", "cgroup-try")
        return [
            *(f"--unshare-{what}" for what in unshared),
            *("--cap-drop", "ALL"),
            *(word for name in kept for word in ("--cap-add", name)),
        ]
    nobody = ("--uid", str(NOBODY), "--gid", str(NOBODY))
    closed = ("--disable-userns",) if _bubblewrap_version() >= (0, 8) else ()
    return ["--unshare-all", "--unshare-user", *nobody, "--cap-drop", "ALL", *closed]


def may_change_user() -> bool:
    """Whether this is root with the capabilities to set up a sandbox and become nobody."""
    return _has_capabilities(_CAP_CHOWN, _CAP_SETGID, _CAP_SETUID, _CAP_SETPCAP, _CAP_SYS_ADMIN)


def becomes_nobody() -> bool:
    """Whether a guest runs as the real nobody, who can read only what everybody can."""
    if wanted() == BWRAP:
        return may_change_user()
    return _has_capabilities(_CAP_CHOWN, _CAP_SETGID, _CAP_SETUID, _CAP_SETPCAP)


def _has_capabilities(*needed: int) -> bool:
    """Whether this is root, and may do so much."""
    if os.geteuid() != 0:
        return False
    status = Path("/proc/self/status").read_text("utf-8")
    effective = int(re.findall(r"^CapEff:\s*([0-9a-f]+)$", status, re.MULTILINE)[0], 16)
    return all(effective >> number & 1 for number in needed)


def program_in_guests(name: str) -> Path | None:
    """The program that guests find by a name or an absolute path, which is the host's; or None."""
    found = shutil.which(name, path=_PATH) if "/" not in name else name
    if found is None or not Path(found).is_relative_to("/") or not Path(found).is_file():
        return None
    return Path(found) if any(Path(found).is_relative_to(path) for path in _PROGRAMS) else None


def in_guests(path: Path) -> bool:
    """Whether what is really at a path, links followed, is of the host's that every guest sees."""
    try:
        real = path.resolve()
    except (OSError, RuntimeError, ValueError):
        return False
    return any(real.is_relative_to(Path(folder).resolve()) for folder in _PROGRAMS)


@cache
def _bubblewrap_version() -> tuple[int, ...]:
    """bubblewrap's version; (0,) if it is not installed, which is reported when it is run."""
    try:
        done = subprocess.run(["bwrap", "--version"], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return (0,)
    return tuple(int(number) for number in re.findall(r"\d+", done.stdout)) or (0,)


def _also(there: str, here: Path) -> list[str]:
    """What is shown at a place of its own, to which folders lead that all may enter."""
    parents = reversed(PurePosixPath(there).parents[:-1])
    made = [word for parent in parents for word in ("--dir", str(parent))]
    return [*made, "--ro-bind", str(here), there]


def programs_seen(folder: Path | None) -> tuple[Mapping[str, Path], Mapping[str, str]]:
    """The folders of programs that a guest sees, by where, and the links beside them.

    They are those of a *folder* laid out as a merged-/usr system; None: the host's.
    """
    if folder is not None:
        shown = {"/usr": folder / "usr", "/etc/iproute2": folder / "etc" / "iproute2"}
        return shown, {f"/{name}": f"usr/{name}" for name in ("bin", "sbin", "lib", "lib64")}
    paths = [Path(path) for path in _PROGRAMS]
    links = {str(path): str(path.readlink()) for path in paths if path.is_symlink()}
    return {str(path): path for path in paths if path.exists() and str(path) not in links}, links


def _bound(programs: Path | None) -> list[str]:
    """bubblewrap's options for programs."""
    shown, links = programs_seen(programs)
    bound = [("--ro-bind", str(here), there) for there, here in shown.items()]
    linked = [("--symlink", target, there) for there, target in links.items()]
    return [word for option in (*bound, *linked) for word in option]
