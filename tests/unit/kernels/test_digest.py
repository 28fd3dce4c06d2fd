# SPDX-License-Identifier: GPL-2.0-or-later
"""A tarball's digest is remembered as long as the tarball has not been changed, and no longer."""

import hashlib
import os
import subprocess
import sys
import time

import pytest

from tsqlab.kernels import digest
from tsqlab.kernels.digest import remembered_digest
from tsqlab.kernels.source import find_source
from tsqlab.keys import digest_of, key_of_files

OLD = b"the source"
HOUR_NS = 3600 * 10**9


@pytest.fixture
def tarball(tmp_path, monkeypatch):
    """A tarball that has not been changed for an hour, as far as anybody can tell."""
    monkeypatch.setenv("TSQLAB_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "linux-6.12.tar.xz"
    path.write_bytes(OLD)
    real = time.time_ns
    monkeypatch.setattr(digest.time, "time_ns", lambda: real() + HOUR_NS)
    return path


@pytest.fixture
def read(monkeypatch):
    """The files that are read."""
    files = []
    monkeypatch.setattr(digest, "digest_of", lambda path: files.append(path) or digest_of(path))
    return files


def sha256(content):
    return hashlib.sha256(content).digest()


def memory_of(tarball):
    (memory,) = (tarball.parent / "cache" / "digests").iterdir()
    return memory


def test_a_file_is_read_once(tarball, read):
    assert [remembered_digest(tarball) for _ in range(3)] == [sha256(OLD)] * 3
    assert read == [tarball]


def test_the_key_of_a_source_is_the_same_with_and_without(tarball, read):
    keys = {find_source("6.12", tarball).key for _ in range(2)}
    assert keys == {key_of_files([tarball], tarball.parent)}
    assert read == [tarball]


def test_what_has_just_been_changed_is_not_remembered(tarball, read, monkeypatch):
    changed_ns = tarball.stat().st_ctime_ns
    monkeypatch.setattr(digest.time, "time_ns", lambda: changed_ns + 10**9)
    remembered_digest(tarball)
    assert not (tarball.parent / "cache").exists()
    monkeypatch.setattr(digest.time, "time_ns", lambda: changed_ns - 10**9)
    remembered_digest(tarball)
    assert not (tarball.parent / "cache").exists(), "nor what is of the future"
    assert len(read) == 2


def test_a_change_of_the_same_size_at_the_same_time_is_seen(tarball, read):
    """mtime can be set back, as tar and rsync do; ctime cannot."""
    remembered_digest(tarball)
    before = tarball.stat()
    tarball.write_bytes(OLD[::-1])
    os.utime(tarball, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert tarball.stat().st_mtime_ns == before.st_mtime_ns
    assert remembered_digest(tarball) == sha256(OLD[::-1])
    assert len(read) == 2


def test_another_file_in_its_place_is_seen(tarball):
    remembered_digest(tarball)
    other = tarball.with_name("other")
    other.write_bytes(OLD.upper())
    other.replace(tarball)
    assert remembered_digest(tarball) == sha256(OLD.upper())


def test_a_file_that_changes_while_it_is_read_is_not_remembered(tarball, monkeypatch):
    def slow(path):
        found = digest_of(path)
        path.write_bytes(b"longer than before")
        return found

    monkeypatch.setattr(digest, "digest_of", slow)
    remembered_digest(tarball)
    assert not (tarball.parent / "cache").exists()


@pytest.mark.parametrize(
    "damage",
    [
        lambda _: b"",
        lambda _: b"[",
        lambda _: b"[" * 9_000,
        lambda _: b"5",
        lambda _: b"{}",
        lambda _: b"\xff" * 20_000,
        lambda text: text[:-20],
        lambda text: text.replace(sha256(OLD).hex().encode(), bytes(32).hex().encode()),
        lambda text: text.replace(b'"sha256": "', b'"sha256": "x'),
        lambda text: text.replace(b'"key": "', b'"key": 5, "was": "'),
    ],
)
def test_a_damaged_memory_is_ignored_and_written_anew(damage, tarball, read):
    remembered_digest(tarball)
    memory = memory_of(tarball)
    good = memory.read_bytes()
    damaged = damage(good)
    assert damaged != good
    memory.write_bytes(damaged)
    assert remembered_digest(tarball) == sha256(OLD)
    assert memory.read_bytes() == good
    assert len(read) == 2


def test_a_cache_that_cannot_be_written_only_costs_time(tarball, read):
    (tarball.parent / "cache").touch()
    assert [remembered_digest(tarball) for _ in range(2)] == [sha256(OLD)] * 2
    assert len(read) == 2


def test_two_processes_at_once_agree(tarball):
    program = (
        "import pathlib, sys, tsqlab.kernels.digest as d\nd._SETTLED_NS = -1 << 62\n"
        "print({d.remembered_digest(pathlib.Path(sys.argv[1])).hex() for _ in range(50)})"
    )
    command = [sys.executable, "-c", program, str(tarball)]
    runs = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [run.communicate()[0] for run in runs] == [f"{{{sha256(OLD).hex()!r}}}\n"] * 2
    assert [path.suffix for path in memory_of(tarball).parent.iterdir()] == [".json"]
