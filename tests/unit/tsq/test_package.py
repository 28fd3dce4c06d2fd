# SPDX-License-Identifier: GPL-2.0-or-later
"""tsq as it is installed: its BPF objects, and its Debian package."""

import os
import shutil
import subprocess

import pytest

from tsq import bpf
from tsq.changes import CONTROL_NAME
from tsqlab import __version__
from tsqlab.paths import ROOT

ROOM = ROOT / "tsq"


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    for program in ("clang", "dpkg-deb"):
        if shutil.which(program) is None:
            pytest.skip(f"no {program} here; try: sudo apt-get install clang llvm libbpf-dev")
    if subprocess.run(["pkg-config", "--exists", "libbpf"]).returncode:
        pytest.skip("no headers of libbpf here; try: sudo apt-get install libbpf-dev pkg-config")
    return made(tmp_path_factory.mktemp("deb"))


def made(out, **environment):
    own = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    command = ["make", "-s", "-C", ROOM, "deb", f"OUT={out}"]
    done = subprocess.run(command, capture_output=True, text=True, env=own | environment)
    assert (done.returncode, done.stderr) == (0, "")
    (path,) = out.iterdir()
    return path


@pytest.fixture(scope="module")
def installed(package, tmp_path_factory):
    root = tmp_path_factory.mktemp("root")
    subprocess.run(["dpkg-deb", "--extract", package, root], check=True)
    return root


def test_it_has_all_modules_both_objects_and_the_manual(package, installed):
    assert package.name == f"tsq_{__version__}_all.deb"
    library = installed / "usr/lib/tsq/tsq"
    modules = {path.name for path in (ROOM / "tsq").glob("*.py")}
    assert {path.name for path in library.glob("*.py")} == modules
    objects = {path.name for path in (library / "objects").iterdir()}
    assert objects == {"tsq_cubic.bpf.o", "tsq_flows.bpf.o"}
    assert (installed / "usr/share/man/man8/tsq.8.gz").is_file()
    assert os.access(installed / "usr/sbin/tsq", os.X_OK)
    assert "/usr/lib/tsq/tsq" in (installed / "usr/sbin/tsq").read_text()


def test_it_is_the_same_bytes_wherever_it_is_made(package, tmp_path):
    again = made(tmp_path, TZ="Asia/Tokyo", LC_ALL="C.UTF-8")
    assert again.read_bytes() == package.read_bytes()


def test_the_objects_have_what_the_loader_asks_for(installed):
    library = installed / "usr/lib/tsq/tsq/objects"
    control = (library / "tsq_cubic.bpf.o").read_bytes()
    for name in (CONTROL_NAME, "cubictcp_cong_avoid", "tcp_reno_undo_cwnd", ".rodata"):
        assert name.encode() in control
    assert len(control) < 32768
    assert b"iter/tcp" in (library / "tsq_flows.bpf.o").read_bytes()


def test_lines_of_the_reader_of_flows():
    found = bpf.read_exact("33 10 0 1\n4096 7 1 0\n")
    assert (found[33].shift, found[33].paced, found[33].throttled) == (10, False, True)
    assert (found[4096].shift, found[4096].paced, found[4096].throttled) == (7, True, False)
    assert bpf.read_exact("") == {}
