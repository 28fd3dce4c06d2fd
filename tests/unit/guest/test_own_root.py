# SPDX-License-Identifier: GPL-2.0-or-later
"""What a process without bubblewrap has given up, and what it still finds."""

import errno
import json
import os
import shutil
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tsqlab.guest.landlock import version
from tsqlab.guest.own_root import Order, place_for
from tsqlab.guest.places import OUT_DIR

TOLD = """
import ctypes, json, os, resource, socket
libc = ctypes.CDLL(None, use_errno=True)
def tried(call):
    try:
        call()
    except OSError as error:
        return error.errno
    return 0
folder = os.environ["HOME"]
print(json.dumps({
    "environment": sorted(os.environ),
    "no new privileges": libc.prctl(39, 0, 0, 0, 0),
    "core": resource.getrlimit(resource.RLIMIT_CORE)[0],
    "file": resource.getrlimit(resource.RLIMIT_FSIZE)[0],
    "processes": resource.getrlimit(resource.RLIMIT_NPROC)[0],
    "random addresses": not libc.personality(-1) & 0x40000,
    "leads a session": os.getsid(0) == os.getpid(),
    "inet": tried(socket.socket),
    "unix": tried(lambda: socket.socket(socket.AF_UNIX)),
    "pair": tried(socket.socketpair),
    "chmod": tried(lambda: os.chmod(folder, 0o700)),
    "own folder": tried(lambda: open(folder + "/x", "w").close()),
    "passwd": tried(lambda: open("/etc/passwd").close()),
    "signal": tried(lambda: os.kill(os.getppid(), 0)),
    "mount": libc.mount(b"none", b"/tmp", b"tmpfs", 0, None),
}))
"""
REFUSED = {errno.EPERM, errno.EACCES}


@pytest.fixture
def order(tmp_path):
    """Python in the place of a kernel."""
    (tmp_path / "out").mkdir(mode=0o777)
    folders = [path for path in map(Path, ("/usr", "/lib", "/lib64", "/bin")) if path.is_dir()]
    shown = {str(path): str(path) for path in folders}
    shown |= {path: path for path in {sys.prefix, sys.base_prefix} if not path.startswith("/usr")}
    return Order(
        linux=str(Path(sys.executable).resolve()),
        name="linux",
        arguments=["-I", "-S", "-c", TOLD],
        links={},
        shown=shown,
        own={OUT_DIR: str(tmp_path / "out")},
        sockets={},
        path="/usr/bin:/bin",
        user=None,
        memory_bytes=1 << 20,
        file_bytes=1 << 20,
        processes=4096,
        parent=os.getpid(),
    )


def run(order, cwd=None):
    return subprocess.run(order.command(), capture_output=True, text=True, check=False, cwd=cwd)


def test_what_needs_no_namespace_is_given_up(order):
    done = run(order)
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    assert {"GCOV_PREFIX", "HOME", "PATH", "TMPDIR"} <= {*told["environment"]}
    assert not {"USER", "PYTHONPATH", "SSH_AUTH_SOCK"} & {*told["environment"]}
    assert (told["no new privileges"], told["core"], told["file"]) == (1, 0, 1 << 20)
    assert (told["processes"], told["random addresses"]) == (4096, False)
    assert told["leads a session"]
    assert {told[name] for name in ("inet", "unix", "chmod")} == {errno.EPERM}
    assert (told["pair"], told["own folder"], told["mount"]) == (0, 0, -1)


@pytest.mark.skipif(version() == 0, reason="needs a kernel with Landlock")
def test_the_users_files_are_given_up(order):
    told = json.loads(run(order).stdout)
    assert told["passwd"] in REFUSED
    assert version() < 6 or told["signal"] in REFUSED


def test_who_is_given_a_socket_may_connect_by_unix_alone(order, tmp_path):
    with socket.socket(socket.AF_UNIX) as there:
        there.bind(str(tmp_path / "clock"))
        told = json.loads(run(replace(order, sockets={"/tsqlab": str(tmp_path / "clock")})).stdout)
    assert (told["unix"], told["inet"]) == (0, errno.EPERM)


def test_the_status_is_the_programs(order):
    assert run(replace(order, arguments=["-c", "raise SystemExit(7)"])).returncode == 7
    killed = "import os; os.kill(os.getpid(), 9)"
    assert run(replace(order, arguments=["-c", killed])).returncode == 128 + 9


def test_what_a_kernel_counts_of_itself_is_in_its_results(order, tmp_path):
    """By the path that was compiled in, which the host does not have."""
    source, program = tmp_path / "x.c", tmp_path / "x"
    source.write_text("int main(void) { return 0; }")
    counts = f"-fprofile-generate={OUT_DIR}/counts/net"
    subprocess.run(["gcc", "-static", counts, "-o", program, source], check=True)
    done = run(replace(order, linux=str(program), arguments=[]))
    assert (done.returncode, done.stderr) == (0, "")
    assert list((tmp_path / "out" / "counts" / "net").rglob("*.gcda"))


def test_the_folder_in_which_the_user_is_has_no_part_in_it(order, tmp_path):
    """An experiment of somebody else's may bring anything along."""
    for name in ("json", "tempfile", "tsqlab", "os"):
        (tmp_path / f"{name}.py").write_text("print('hostile', flush=True)")
    done = run(replace(order, arguments=["-I", "-c", "pass"]), tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("there", ["/../../escaped", "/a\nb"])
def test_a_place_that_is_none_is_refused(order, tmp_path, there):
    (tmp_path / "file").touch()
    done = run(replace(order, shown={**order.shown, there: str(tmp_path / "file")}))
    assert done.returncode == 125
    assert "no place in a guest" in done.stderr


def test_it_ends_with_its_parent(order):
    """Also when it has been killed, and so could not end what it began, nor remove its folder."""
    script = "import os, time; print(os.environ['HOME'], flush=True); time.sleep(1000)"
    slow = replace(order, arguments=["-c", script])
    with subprocess.Popen(slow.command(), stdout=subprocess.PIPE, text=True) as process:
        folder = Path(process.stdout.readline().strip()).parent
        process.kill()
        assert process.stdout.read() == "", "who is left would keep it open"
    shutil.rmtree(folder)


def test_memory_is_where_there_is_room(tmp_path):
    assert place_for(1 << 20, ("/nowhere", str(tmp_path))) == str(tmp_path)
    with pytest.raises(OSError, match="MiB that code may run in"):
        place_for(1 << 60, (str(tmp_path), "/nowhere"))
