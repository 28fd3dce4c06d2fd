# SPDX-License-Identifier: GPL-2.0-or-later
"""What a guest cannot do to its host, whatever its root runs, and whoever runs the guest."""

import errno
import json
import os
import re
import shutil
import socket
import stat
from pathlib import Path

import pytest

from as_nobody import in_child_as_nobody, public_folder, published
from bss import words
from tsqlab.bubblewrap import NONE, VARIABLE
from tsqlab.errors import TsqlabError
from tsqlab.guest import boot, sandbox
from tsqlab.guest.boot import GuestError, Machine
from tsqlab.guest.landlock import version
from tsqlab.guest.places import OUT_DIR
from tsqlab.guest.plan import Plan
from tsqlab.guest.run import run_plan
from tsqlab.kernels.build import make_modules
from tsqlab.kernels.make import Build
from tsqlab.results.measurement import read_table

CLOCK = "clock\t10000000000\t100000000\t10500000000"
SOURCE = Path(__file__).parent / "escape"

# What each attempt of escape.c must come to: one of the host's refusals.
NOT_THERE = {errno.ENOENT}
REFUSED = {errno.EPERM, errno.EACCES}
READ_ONLY = {errno.EROFS, errno.EACCES, errno.EPERM, errno.ETXTBSY}
ATTEMPTS = {
    "remount": REFUSED,
    "mount": REFUSED,
    "umount": REFUSED,
    "write-usr": READ_ONLY,
    "write-kernel": READ_ONLY,
    "write-plan": READ_ONLY,
    "write-dev": READ_ONLY,
    "write-root": READ_ONLY,
    "read-passwd": NOT_THERE,
    "read-home": NOT_THERE,
    "read-proc": NOT_THERE,
    "read-file": NOT_THERE,
    "write-file": READ_ONLY | NOT_THERE,
    "chmod-file": NOT_THERE,
    "ptrace": {errno.ESRCH},
    "signal": {errno.ESRCH},
    "inet": {errno.ECONNREFUSED, errno.ENETUNREACH},
    "unix": {errno.ECONNREFUSED},
    "raw": REFUSED,
    "packet": REFUSED,
    "setuid": REFUSED | {errno.EINVAL},
    "chroot": REFUSED,
    "mknod": REFUSED,
    "init-module": REFUSED | {errno.ENOSYS},
    "by-handle": REFUSED | {errno.EINVAL},
    # Namespaces of its own may be had, or not; what is read-only stays so in them.
    "child-remount": REFUSED | {errno.EINVAL},
    "child-write": READ_ONLY,
}

# The same without bubblewrap, by Landlock and a filter of system calls. The paths are the host's.
WITHOUT = {
    **ATTEMPTS,
    "write-kernel": NOT_THERE,
    "write-plan": NOT_THERE,
    "write-file": REFUSED,
    "io-uring": REFUSED,
    **dict.fromkeys(("read-passwd", "read-home", "read-proc", "read-file"), REFUSED),
    **dict.fromkeys(("chmod-file", "ptrace", "inet", "unix", "raw", "packet"), REFUSED),
    "signal": REFUSED,
}


def sh(script):
    return f"run\t-\tsh\t-c\t{script}"


@pytest.fixture(scope="session")
def escape(kernel, tmp_path_factory):
    """The module that tries to get out, built for the guests' kernel."""
    work = tmp_path_factory.mktemp("escape") / "escape"
    shutil.copytree(SOURCE, work)
    about = json.loads((kernel.linux.parent / "tsqlab.json").read_text())
    make_modules(Build(Path(about["tree"]), kernel.linux.parent), work)
    return work / "escape.ko"


def try_to_escape(kernel, escape, folder, cpu):
    """Insert the module in a guest; what it says of each attempt, by name."""
    with socket.create_server(("127.0.0.1", 0)) as inet, socket.socket(socket.AF_UNIX) as unix:
        name = f"tsqlab-{os.getpid()}"
        unix.bind(f"\0{name}")
        unix.listen()
        modules = folder / "modules"
        modules.mkdir()
        shutil.copy(escape, modules)
        own_file = folder / "own"
        own_file.touch()
        parameters = (
            f"host_pid={os.getpid()} host_port={inet.getsockname()[1]} host_socket={name} "
            f"host_file={own_file}"
        )
        insert = sh(f"insmod /tsqlab/modules/escape.ko {parameters}; dmesg >{OUT_DIR}/log")
        own = published(kernel, folder, modules)
        out = run_plan(Machine(own, 256 << 20, 1, cpu), Plan((), words([insert, CLOCK, "end"])),
                       folder / "guest")  # fmt: skip
    log = (out / "log").read_text()
    assert "escape: tried" in log
    return {name: int(result) for name, result in re.findall(r"escape: ([\w-]+) (-?\d+)$", log,
                                                             re.MULTILINE)}  # fmt: skip


def check(results, attempts):
    for name, allowed in attempts.items():
        assert -results[name] in allowed, f"{name}: {results[name]}"


def check_as_nobody(kernel, escape, cpu, attempts):
    """The same in a guest that an ordinary user runs, in folders that are open to one."""
    with public_folder() as folder:
        shutil.copy(escape, folder)
        own = folder / "nobody"
        own.mkdir()
        os.chown(own, sandbox.NOBODY, sandbox.NOBODY)
        there = published(kernel, folder, kernel.modules)
        module = folder / escape.name

        def tried():
            check(try_to_escape(there, module, own, cpu), attempts)

        assert in_child_as_nobody(tried) == 0


def test_native_code_does_not_get_out(kernel, escape, cpu):
    with public_folder() as folder:
        check(try_to_escape(kernel, escape, folder, cpu), ATTEMPTS)
    assert not Path("/usr/escaped").exists()


@pytest.mark.skipif(os.getuid() != 0, reason="every test here already runs as an ordinary user")
def test_native_code_of_an_ordinary_user_does_not_get_out(kernel, escape, cpu):
    check_as_nobody(kernel, escape, cpu, ATTEMPTS)


@pytest.fixture
def without(monkeypatch):
    """No bubblewrap."""
    if version() < SIGNALS_SINCE:
        pytest.skip("needs a kernel whose Landlock knows of signals: Linux 6.12")
    monkeypatch.setenv(VARIABLE, NONE)


SIGNALS_SINCE = 6


@pytest.mark.usefixtures("without")
def test_native_code_without_bubblewrap_is_confined(kernel, escape, cpu):
    with public_folder() as folder:
        check(try_to_escape(kernel, escape, folder, cpu), WITHOUT)
    assert not Path("/usr/escaped").exists()


@pytest.mark.usefixtures("without")
@pytest.mark.skipif(os.getuid() != 0, reason="every test here already runs as an ordinary user")
def test_native_code_of_an_ordinary_user_without_bubblewrap_is_confined(kernel, escape, cpu):
    check_as_nobody(kernel, escape, cpu, WITHOUT)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can be somebody else")
def test_root_is_nobody_in_there(guest):
    out = guest(sh(f"echo hello > {OUT_DIR}/file"), CLOCK, "end")
    assert (out / "file").stat().st_uid == sandbox.NOBODY


def test_results_have_a_bound(guest, monkeypatch):
    monkeypatch.setattr(boot, "OUT_BYTES_MAX", 1 << 20)
    fill = f"dd if=/dev/zero of={OUT_DIR}/big bs=1M count=4"
    with pytest.raises(GuestError, match="wrote more than"):
        guest(sh(fill), CLOCK, "end")


def test_a_file_has_a_bound(guest, monkeypatch):
    monkeypatch.setattr(sandbox, "FILE_BYTES_MAX", 300 << 20)
    with pytest.raises(GuestError):
        guest(sh(f"truncate -s 400M {OUT_DIR}/big"), CLOCK, "end")


def fill(place):
    """Fill a folder of the sandbox, which hostfs shows to the guest's root."""
    mounted = f"mkdir -p /run/h && mount -t hostfs -o {place} none /run/h"
    return sh(f"{mounted}; dd if=/dev/zero of=/run/h/x bs=1M count=600; rm -f /run/h/x; true")


def test_what_is_temporary_has_a_bound(guest):
    out = guest(fill("/tmp"), CLOCK, "end")
    assert "No space left on device" in (out.parent / "console").read_text()


def test_the_hosts_memory_has_a_bound(guest):
    """The guest's own memory is there, too: it ends."""
    with pytest.raises(GuestError, match="/dev/shm or /tmp mount likely just ran out of space"):
        guest(fill("/dev/shm"), CLOCK, "end")


@pytest.mark.parametrize(
    "make",
    ["mkfifo {0}", "ln -s /etc/hostname {0}", "mkdir {0}", "ln -s / {0}"],
)
def test_what_is_no_file_is_not_read(guest, make):
    out = guest(sh(make.format(f"{OUT_DIR}/table.tsv")), CLOCK, "end")
    assert not stat.S_ISREG((out / "table.tsv").lstat().st_mode)
    with pytest.raises(TsqlabError, match="not a series of the guest"):
        read_table(out / "table.tsv")
