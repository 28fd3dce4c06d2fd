# SPDX-License-Identifier: GPL-2.0-or-later
"""A guest without bubblewrap: what needs no namespace of the host confines it, and it has a root of
its own.

Where the host gives nobody namespaces, a folder takes the place of the sandbox's file system: in it
are the places where a guest finds things, empty, and its PID 1 mounts the host's folders there
(agent/hostfs.c). So paths are the same as in the sandbox, and results the same bytes. The folders
are given as open files, by /proc/self/fd: who runs the guest may be root, and nobody, whom the
process becomes, could not enter the folders on the way.

What remains of the sandbox: the process is nobody if root starts it, has no capability and gets
none, no more of the host's files and system calls than tsqlab.guest.landlock leaves it, limits,
and an empty environment. It is another process that waits for it: this program. It ends, with all
that the guest has left, when its own parent does, as bubblewrap's namespace of processes would.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import shutil
import signal
import struct
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from types import FrameType

from tsqlab.guest import landlock
from tsqlab.guest.lifetime import adopt_orphans, die_with, kill_children
from tsqlab.guest.places import PLACES, PLACES_VARIABLE
from tsqlab.paths import PACKAGE

_SHARED_MEMORY = ("/dev/shm", "/tmp", "/var/tmp")
"""Where the guest's memory may lie, which is a file. The first two are often in memory."""
_TMPFS = 0x01021994  # linux/magic.h
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
_EMPTY = ("/dev", "/etc", "/proc", "/run", "/sys", "/tmp")
_FILE_BYTES_MAX = 64 << 20
_ADDR_NO_RANDOMIZE = 0x0040000  # linux/personality.h
_CAPABILITIES_3 = 0x20080522  # linux/capability.h
_CAPABILITY_DROP = 24  # linux/prctl.h
_FAILED = 125
_libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class Order:
    """What is to be run, and what of the host it is to see where."""

    linux: str  # the executable
    name: str  # what it is called
    arguments: Sequence[str]
    links: Mapping[str, str]  # symbolic links of its root
    shown: Mapping[str, str]  # folders and files of the host, read-only, by where
    own: Mapping[str, str]  # folders that it may write to
    sockets: Mapping[str, str]  # what the kernel itself connects to, by what its arguments say
    path: str  # where programs are looked for
    user: int | None  # whom it becomes; None: nobody else
    memory_bytes: int
    file_bytes: int
    processes: int
    parent: int  # with whom it ends
    loads: Sequence[str] = ()  # where the host has the executable's own libraries

    def command(self) -> list[str]:
        """The command that runs it: this module as a program."""
        words = ["env", "-i", sys.executable, "-I", "-S", "-c", _PROGRAM, str(PACKAGE.parent)]
        return [*words, json.dumps(asdict(self))]


# -m would look for modules in the folder in which the user is, which may be somebody else's.
_PROGRAM = (
    f"import sys; sys.path.append(sys.argv[1]); from {__name__} import main; sys.exit(main())"
)


class _LeftError(Exception):
    """Told to end."""


def main() -> int:
    """Run the order that is the last argument; the guest's exit status."""
    order = Order(**json.loads(sys.argv[-1]))
    os.umask(0o022)
    adopt_orphans()
    signal.signal(signal.SIGTERM, _leave)
    try:
        die_with(order.parent, signal.SIGTERM)
        with _folder(order) as folder:
            return _run(order, folder)
    except _LeftError:
        return 128 + signal.SIGTERM
    except OSError as error:
        print(f"tsqlab: no guest without bubblewrap: {error}", file=sys.stderr)
        return _FAILED


def _leave(_signal: int, _frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise _LeftError


@contextmanager
def _folder(order: Order) -> Iterator[Path]:
    """The folder of the guest's root, its memory and what is temporary."""
    folder = Path(tempfile.mkdtemp(prefix="tsqlab-guest-", dir=place_for(order.memory_bytes)))
    try:
        yield folder
    finally:
        with suppress(RecursionError):  # a guest may have made any number of folders
            shutil.rmtree(folder, ignore_errors=True)


def place_for(memory_bytes: int, among: Sequence[str] = _SHARED_MEMORY) -> str:
    """A folder where the guest's memory can be, in memory if possible. Raises OSError.

    Code is run in it, and containers have a /dev/shm where that is forbidden, or that is small.
    """
    usable = []
    for place in among:
        try:
            found = os.statvfs(place)
        except FileNotFoundError:
            continue
        fits = found.f_bavail * found.f_frsize >= memory_bytes
        if fits and not found.f_flag & os.ST_NOEXEC and os.access(place, os.W_OK | os.X_OK):
            usable.append(place)
    if not usable:
        raise OSError(
            f"{', '.join(among)}: none has {memory_bytes >> 20} MiB that code may run in; "
            "docker run has --tmpfs /tmp:exec"
        )
    return next((place for place in usable if _is_in_memory(place)), usable[0])


def _is_in_memory(place: str) -> bool:
    buffer = ctypes.create_string_buffer(256)
    if _libc.statfs(os.fsencode(place), buffer):
        return False
    (kind,) = struct.unpack_from("=q", buffer)
    return bool(kind == _TMPFS)


def _run(order: Order, folder: Path) -> int:
    """Run the guest to its end, and end what it leaves behind."""
    own, keep = _opened(order.own), _opened(order.shown)
    linux = os.open(order.linux, os.O_PATH)
    root, temporary = folder / "root", folder / "tmp"
    _make_root(order, root, keep, own)
    temporary.mkdir()
    folder.chmod(0o755)  # the guest may be nobody
    if order.user is not None:
        os.chown(temporary, order.user, order.user)
    files = [os.open(path, os.O_PATH) for path in ("/proc/cpuinfo", *_DEVICES) if _is_there(path)]
    top = os.open(root, os.O_PATH)
    loads = [os.open(path, os.O_PATH) for path in order.loads]
    reads = [*keep.values(), *loads, linux, top, *files]
    writes = [*own.values(), os.open(temporary, os.O_PATH), *files[1:]]
    rights = [(fd, landlock.READ) for fd in reads] + [(fd, landlock.WRITE) for fd in writes]
    sockets = {there: _fd(os.open(here, os.O_PATH)) for there, here in order.sockets.items()}
    connected = [int(Path(path).name) for path in sockets.values()]
    for fd in (linux, top, *keep.values(), *own.values(), *connected):
        os.set_inheritable(fd, True)
    arguments = [_with_sockets(word, sockets) for word in order.arguments]
    words = [order.name, *arguments, f"rootflags={_fd(top)}/.", f"{PLACES_VARIABLE}={PLACES}"]
    environment = {
        "HOME": str(temporary), "TMPDIR": str(temporary), "PATH": order.path,
        # What a kernel has counted of itself (tsqlab.kernels.guided) goes to the first folder.
        **{name: text for there, fd in list(own.items())[:1] for name, text in (
            ("GCOV_PREFIX", _fd(fd)),
            ("GCOV_PREFIX_STRIP", str(len(PurePosixPath(there).parts) - 1)),
        )},
    }  # fmt: skip

    def begin(parent: int) -> None:
        _confine(order, rights, parent)
        os.execve(_fd(linux), words, environment)

    return _wait(_forked(begin))


def _forked(begin: Callable[[int], None]) -> int:
    """A child that begins something, told its parent."""
    parent, child = os.getpid(), os.fork()
    if child == 0:
        try:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            begin(parent)
        except OSError as error:
            print(f"tsqlab: {error}", file=sys.stderr, flush=True)
        finally:
            os._exit(_FAILED)
    return child


def _wait(child: int) -> int:
    try:
        while True:
            ended, status = os.wait()
            if ended == child:
                code = os.waitstatus_to_exitcode(status)
                return code if code >= 0 else 128 - code
    finally:
        kill_children()


def _confine(order: Order, rights: Sequence[tuple[int, int]], parent: int) -> None:
    """Give up what the guest is not to have; what is first is needed for what is last."""
    os.setsid()
    for limit, value in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, order.file_bytes),
        (resource.RLIMIT_NPROC, order.processes),
    ):
        most = resource.getrlimit(limit)[1]
        bound = value if most == resource.RLIM_INFINITY else min(value, most)
        resource.setrlimit(limit, (bound, bound))
    # A program that a root without capabilities begins could have these, and would be randomised.
    capability = 0
    while _libc.prctl(_CAPABILITY_DROP, capability, 0, 0, 0) == 0:
        capability += 1
    if order.user is not None:
        os.setgroups([])
        os.setresgid(order.user, order.user, order.user)
        os.setresuid(order.user, order.user, order.user)
    nothing = struct.pack("=6I", *([0] * 6))
    if _libc.capset(struct.pack("=Ii", _CAPABILITIES_3, 0), nothing):
        raise OSError(ctypes.get_errno(), "capset")
    die_with(parent)
    # The kernel has the same addresses every time if they are not randomised. Docker's filter of
    # system calls refuses that; then they are random.
    _libc.personality(_ADDR_NO_RANDOMIZE)
    landlock.no_new_privileges()
    landlock.keep_files(rights)
    landlock.refuse_calls(may_connect=bool(order.sockets))


def _make_root(order: Order, root: Path, shown: Mapping[str, int], own: Mapping[str, int]) -> None:
    """The places of the guest, empty, and the list of what it mounts there; files are copied."""
    for empty in _EMPTY:
        _at(root, empty).mkdir(parents=True, exist_ok=True)
    for there, target in order.links.items():
        _at(root, there).symlink_to(target)
    lines = []
    for kind, opened in (("shown", shown), ("own", own)):
        for there, fd in opened.items():
            place = _at(root, there)
            if Path(_fd(fd)).is_dir():
                place.mkdir(parents=True, exist_ok=True)
                lines.append(f"{kind}\t{there}\t{_fd(fd)}/.\n")
            else:
                _copy(fd, place)
    _at(root, PLACES).write_text("".join([*lines, "end\n"]), "utf-8")


def _copy(fd: int, place: Path) -> None:
    source = Path(_fd(fd))
    if source.stat().st_size > _FILE_BYTES_MAX:
        raise OSError(f"{place.name}: a file of more than {_FILE_BYTES_MAX >> 20} MiB")
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, place)


def _at(root: Path, there: str) -> Path:
    """A place of the root, which is no other place, and stands in one line."""
    if ".." in PurePosixPath(there).parts or not there.isprintable():
        raise OSError(f"{there!r}: no place in a guest")
    return root / there.lstrip("/")


def _opened(places: Mapping[str, str]) -> dict[str, int]:
    return {there: os.open(here, os.O_PATH) for there, here in places.items()}


def _fd(fd: int) -> str:
    """A path of an open file, for the process that has it open, whoever it is."""
    return f"/proc/self/fd/{fd}"


def _with_sockets(word: str, sockets: Mapping[str, str]) -> str:
    for there, here in sockets.items():
        word = word.replace(there, here)
    return word


def _is_there(path: str) -> bool:
    return Path(path).exists()
