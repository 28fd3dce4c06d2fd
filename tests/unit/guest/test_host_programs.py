# SPDX-License-Identifier: GPL-2.0-or-later
"""What guests run of the host, and what that loads, is known by its content, and read once."""

import io
import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsqlab.errors import TsqlabError
from tsqlab.experiment.bundled import bundled_experiments
from tsqlab.experiment.load import load
from tsqlab.guest import host_programs, known_files, sandbox
from tsqlab.guest.elf import Asked, asked
from tsqlab.guest.plan import make_plan
from tsqlab.guest.testbed import wiring

needs_gcc = pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TSQLAB_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def host(tmp_path, monkeypatch):
    """A host whose /usr is a folder of the test's: /usr/bin and /usr/lib, without the loader."""
    usr = tmp_path / "usr"
    for name in ("bin", "lib", "share/iproute2", "lib/tc"):
        (usr / name).mkdir(parents=True)
    monkeypatch.setattr(sandbox, "_PROGRAMS", (str(usr),))
    monkeypatch.setattr(sandbox, "_PATH", str(usr / "bin"))
    monkeypatch.setattr(host_programs, "_LIBRARIES", (str(usr / "lib"),))
    monkeypatch.setattr(host_programs, "_TABLES", (str(usr / "share/iproute2"),))
    return usr


def compiled(path, text, *options):
    command = ["gcc", "-x", "c", "-o", str(path), "-", "-x", "none", *map(str, options)]
    subprocess.run(command, input=text, text=True, check=True)


@pytest.fixture
def linked(host):
    """A program ip that loads liba, which loads libb."""
    libraries = host / "lib"
    compiled(libraries / "libb.so", "int b(void) { return 1; }", "-shared", "-fPIC")
    compiled(libraries / "liba.so", "int b(void); int a(void) { return b(); }",
             "-shared", "-fPIC", f"-L{libraries}", "-lb")  # fmt: skip
    compiled(host / "bin/ip", "int a(void); int main(void) { return a(); }",
             f"-L{libraries}", "-la", f"-Wl,-rpath-link={libraries}")  # fmt: skip
    return host


def test_a_program_asks_for_what_ldd_says():
    """ldd asks the loader itself; what the kernel adds (vdso) is no file."""
    for name in ("ip", "bash", "python3"):
        path = sandbox.program_in_guests(name)
        if path is None:
            continue
        said = subprocess.run(["ldd", path], capture_output=True, text=True, check=True).stdout
        expected = {Path(word).name for word in re.findall(r"^\s(\S+)", said, re.MULTILINE)}
        found = set(host_programs.contents_of(path)) - {""}
        assert found == {word for word in expected if not word.startswith("linux-vdso")}
        assert len(found) >= 2


@needs_gcc
def test_a_library_of_a_library_belongs_to_the_program(linked):
    found = host_programs.contents(["ip"])
    assert {"ip", "liba.so", "libb.so"} < set(found)
    assert all(found[name] for name in ("ip", "liba.so", "libb.so"))
    before = host_programs.digest(["ip"])
    compiled(linked / "lib/libb.so", "int b(void) { return 2; }", "-shared", "-fPIC")
    assert host_programs.digest(["ip"]) != before
    assert host_programs.contents(["ip"])["liba.so"] == found["liba.so"]


@needs_gcc
def test_a_copy_for_a_certain_cpu_belongs_to_it(linked):
    before = host_programs.digest(["ip"])
    folder = linked / "lib/glibc-hwcaps/x86-64-v3"
    folder.mkdir(parents=True)
    shutil.copy(linked / "lib/liba.so", folder / "libb.so")
    assert host_programs.digest(["ip"]) != before


@needs_gcc
def test_a_library_that_went_or_came_is_noticed(linked):
    whole = host_programs.digest(["ip"])
    (linked / "lib/libb.so").rename(linked / "libb.so")
    assert host_programs.contents(["ip"])["libb.so"] == ""
    (linked / "libb.so").rename(linked / "lib/libb.so")
    assert host_programs.digest(["ip"]) == whole


@needs_gcc
def test_where_a_program_looks_itself_counts_on_the_host_only(linked, tmp_path):
    own = linked / "own"
    own.mkdir()
    (linked / "lib/libb.so").rename(own / "libb.so")
    text, libraries = "int main(void) { return 0; }", [f"-L{own}", "-Wl,--no-as-needed", "-lb"]
    compiled(linked / "bin/tc", text, *libraries, "-Wl,-rpath,$ORIGIN/../own")
    assert host_programs.contents(["tc"])["libb.so"]
    compiled(linked / "bin/tc", text, *libraries, f"-Wl,-rpath,{tmp_path / 'private'}")
    (tmp_path / "private").mkdir()
    shutil.copy(own / "libb.so", tmp_path / "private/libb.so")
    assert host_programs.contents(["tc"])["libb.so"] == ""


def test_a_script_has_its_interpreter(host, tmp_path):
    (host / "bin/interp").write_bytes(b"one")
    (host / "bin/env").write_bytes(b"env")
    for path in (host / "bin/interp", host / "bin/env"):
        path.chmod(0o755)
    script = tmp_path / "script"
    for line in (f"#!{host}/bin/interp -x", f"#! {host}/bin/env -S A=1 interp"):
        script.write_text(f"{line}\n")
        (host / "bin/interp").write_bytes(b"one")
        before = host_programs.contents_of(script)
        assert before["interp"]
        (host / "bin/interp").write_bytes(b"two")
        assert host_programs.contents_of(script)["interp"] != before["interp"]


@pytest.mark.parametrize("name", ["share/iproute2/rt_dsfield", "lib/tc/normal.dist"])
def test_iproute2s_tables_belong_to_it(host, name):
    before = host_programs.digest()
    (host / name).write_text("0x10 a\n")
    assert host_programs.digest() != before


def test_only_what_a_cell_runs_counts(host):
    wires = host_programs.digest(["ip", "tc"])
    every = host_programs.digest()
    (host / "bin/hostapd").write_bytes(b"hostapd")
    (host / "bin/hostapd").chmod(0o755)
    assert host_programs.digest(["tc", "ip"]) == wires
    assert host_programs.digest() != every
    assert host_programs.contents()["iw"] == "", "a program that is not there is said to be so"


def test_where_a_host_has_it_does_not_count(host, monkeypatch):
    (host / "bin/ip").write_bytes(b"ip")
    (host / "bin/ip").chmod(0o755)
    before = host_programs.digest(["ip"])
    (host / "sbin").mkdir()
    (host / "bin/ip").rename(host / "sbin/ip")
    monkeypatch.setattr(sandbox, "_PATH", str(host / "sbin"))
    assert host_programs.digest(["ip"]) == before


def aged(monkeypatch):
    """As if what is there had been there for long."""
    now_ns = time.time_ns
    monkeypatch.setattr(known_files.time, "time_ns", lambda: now_ns() + 10 * 10**9)


def read_counted(monkeypatch):
    """The paths that are read from now on."""
    paths, read = [], known_files._read
    monkeypatch.setattr(known_files, "_read", lambda path: paths.append(path) or read(path))
    return paths


def test_what_has_not_changed_is_not_read_again(monkeypatch):
    aged(monkeypatch)
    whole = host_programs.digest()
    paths = read_counted(monkeypatch)
    assert host_programs.digest() == whole
    assert paths == []


def test_what_has_just_changed_is_read_again(host, monkeypatch):
    (host / "share/iproute2/group").write_text("1 a\n")
    host_programs.digest()
    paths = read_counted(monkeypatch)
    host_programs.digest()
    assert paths == [str(host / "share/iproute2/group")]


@pytest.mark.parametrize(
    "text", [b"", b"{", b"[]", b"null", b'{"key": "", "files": {}}', b'{"files": {"/": 1}}'],
)  # fmt: skip
def test_a_damaged_memory_is_as_none(cache, text, monkeypatch):
    aged(monkeypatch)
    whole = host_programs.digest()
    memory = cache / "digests/host-programs.json"
    assert memory.exists()
    memory.write_bytes(text)
    assert host_programs.digest() == whole


def test_a_memory_that_was_changed_by_hand_is_not_believed(cache, monkeypatch):
    aged(monkeypatch)
    whole, sha256 = host_programs.digest(), host_programs.contents()["ip"]
    memory = cache / "digests/host-programs.json"
    assert sha256 in memory.read_text()
    memory.write_text(memory.read_text().replace(sha256, "0" * 64))
    assert host_programs.digest() == whole


def test_a_program_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(TsqlabError, match="none: cannot be read: No such file"):
        host_programs.contents_of(tmp_path / "none")


@given(st.binary(max_size=300), st.integers(0, 400), st.sampled_from([b"\x7fELF\x02\x01", b"#!"]))
def test_any_file_may_be_asked(noise, at, head):
    """Neither noise nor a damaged program raises."""
    asked(io.BytesIO(head + noise))
    whole = sandbox.program_in_guests("sh").read_bytes()[:4096]
    asked(io.BytesIO(whole[:at] + noise + whole[at + len(noise) :]))
    assert asked(io.BytesIO(noise.replace(b"#!", b"").replace(b"\x7f", b""))) == Asked()


def test_what_a_plan_runs_is_what_its_key_is_of():
    """Of a cell of each experiment: every program of the host in a plan's lines, and no other."""
    kinds = set()
    for name in bundled_experiments():
        experiment = load(name)
        cell = experiment.cells[0]
        profile, others = experiment.profiles()[0], experiment.others()[0]
        plan = make_plan(cell.spec, profile, others)
        ran = {line[2] for line in (*plan.set_up, *plan.measurement) if line[0] == "run"}
        programs = wiring(cell.spec, profile, others).programs
        assert programs - {"tc"} <= ran <= programs <= set(host_programs.HOST_PROGRAMS)
        kinds.add(programs)
    assert len(kinds) > 1
