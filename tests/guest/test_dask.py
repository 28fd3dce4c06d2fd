# SPDX-License-Identifier: GPL-2.0-or-later
"""Cells on a Dask cluster of processes of its own: the bytes are those of a run without it."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tsqlab.paths import PACKAGE
from waiting import wait_until

pytest.importorskip("distributed", reason="needs dask and distributed (requirements-dev.txt)")

EXPERIMENT = """\
title = "Short"
[testbed]
bottleneck = "L10M"

[flows]
length = "8 s"
delay = "1 s"

[report]
plots = []

[lab]
capture = ["C>R"]

[[program]]
name = "hello"
node = "C"
command = ["echo", "hello"]

[matrix]
seed = [1, 2, 3, 4]
"""


@pytest.fixture(autouse=True)
def built(kernel):
    """The kernel is there before a run is waited for."""


@pytest.fixture
def experiment(tmp_path):
    path = tmp_path / "short.toml"
    path.write_text(EXPERIMENT)
    return path


def run(*arguments):
    command = [sys.executable, "-m", "tsqlab.cli", "run", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True)


class Cluster:
    """A scheduler, and workers that a test starts."""

    def __init__(self, folder):
        self._folder, self._processes = folder, {}
        self._file = folder / "scheduler.json"
        self._start("scheduler", "--port", "0", "--host", "127.0.0.1")
        wait_until(self._file.exists)
        self.address = json.loads(self._file.read_text())["address"]

    def worker(self, name, *, source=PACKAGE.parent, before=()):
        """Start a worker with a cache and sources of its own, and wait until it is there."""
        env = {"PYTHONPATH": str(source), "TSQLAB_CACHE": str(self.folder(name) / "cache")}
        where = ("--nthreads", "1", "--no-nanny", "--local-directory", self.folder(name))
        process = self._start("worker", *where, name=name, env=env, before=before)
        wait_until(lambda: b"Registered to" in (self.folder(name) / "log").read_bytes())
        return process

    def folder(self, name):
        return self._folder / name

    def _start(self, what, *options, name="scheduler", env=None, before=()):
        self.folder(name).mkdir()
        with (self.folder(name) / "log").open("wb") as log:
            self._processes[name] = subprocess.Popen(
                [*before, sys.executable, "-m", f"distributed.cli.dask_{what}", "--no-dashboard",
                 "--dashboard-address", "127.0.0.1:0",
                 "--scheduler-file", self._file, *options],
                env={**os.environ, **(env or {})}, stdout=log, stderr=log,
            )  # fmt: skip
        return self._processes[name]

    def end(self):
        for process in self._processes.values():
            process.kill()
            process.wait()


@pytest.fixture
def cluster(tmp_path):
    (tmp_path / "cluster").mkdir()
    cluster = Cluster(tmp_path / "cluster")
    yield cluster
    cluster.end()


def files(folder):
    """What a run has left but for the time that it took."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name.endswith((".flent.gz", ".pcap", ".out", ".err", ".json"))
        and path.name != "manifest.json"
    }  # fmt: skip


def test_a_cluster_that_loses_a_worker_leaves_the_same_bytes(
    experiment, tmp_path, cluster, processes
):
    """Four cells on two workers, neither of which has a kernel; one is killed while it runs one."""
    cluster.worker("one")
    other = cluster.worker("other")
    process = subprocess.Popen(
        [sys.executable, "-m", "tsqlab.cli", "run", experiment, "--out", tmp_path / "dask",
         "--executor", f"dask:{cluster.address}"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    wait_until(lambda: processes(f"--bind {cluster.folder('other')}"))
    other.kill()
    out, err = process.communicate()
    assert process.returncode == 0, err
    assert re.search(r"cell seed=\d is run again: worker tcp://\S+ is lost", err)
    assert "[4/4]" in out
    wait_until(lambda: not processes(f"--bind {cluster.folder('other')}"))
    (fetched,) = (cluster.folder("one") / "cache" / "fetched").glob("[!.]*")
    assert (fetched / "modules" / "wireline.ko").exists()

    assert run(experiment, "--out", tmp_path / "local").returncode == 0
    local = files(tmp_path / "local")
    assert len(local) == 4 * (1 + 1 + 3), "a result, a capture, and three files of a program"
    assert files(tmp_path / "dask") == local
    assert not (tmp_path / "dask" / "logs").exists() or not list((tmp_path / "dask/logs").iterdir())


def test_a_worker_whose_results_would_be_others_is_refused(experiment, tmp_path, cluster):
    """One has other sources, and one another ip; so there is nobody to run a cell."""
    shutil.copytree(PACKAGE, tmp_path / "src" / "tsqlab")
    with (tmp_path / "src" / "tsqlab" / "units.py").open("a") as file:
        file.write("# another\n")
    cluster.worker("sources", source=tmp_path / "src")
    done = run(experiment, "--out", tmp_path / "out", "--executor", f"dask:{cluster.address}")
    assert done.returncode == 1
    assert re.search(
        r"worker tcp://\S+ gets no cells: the sources of tsqlab are others", done.stderr
    )
    assert re.search(r"tsqlab: worker tcp://\S+ may not run cells: the sources", done.stderr)
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(os.getuid() != 0, reason="needs root to have another ip")
def test_a_worker_with_another_ip_is_refused(experiment, tmp_path, cluster):
    other = Path(shutil.copy(shutil.which("ip"), tmp_path / "ip"))
    with other.open("ab") as file:
        file.write(b"\0")
    script = f'mount --bind {other} "$(readlink -f "$(command -v ip)")" && exec "$@"'
    cluster.worker("ip", before=("unshare", "-m", "sh", "-c", script, "sh"))
    done = run(experiment, "--out", tmp_path / "out", "--executor", f"dask:{cluster.address}")
    assert done.returncode == 1
    assert "its guests would run other programs or libraries: ip\n" in done.stderr
    assert not list((tmp_path / "out").glob("*.flent.gz"))


def test_a_cell_that_fails_there_is_told_and_has_its_log(experiment, tmp_path, cluster):
    cluster.worker("one")
    bad = 'qdisc="fq_codel limit nonsense"'
    done = run(experiment, "--out", tmp_path / "out", "--executor", f"dask:{cluster.address}",
               "--seed", "1", "--set", bad)  # fmt: skip
    assert done.returncode == 1
    assert re.search(r"the cell \(on tcp://\S+\): the guest ended", done.stderr), done.stderr
    (log,) = (tmp_path / "out" / "logs").iterdir()
    assert f"all of it: {log}" in done.stderr
    assert 'Illegal "limit"' in log.read_text()


def test_ctrl_c_ends_what_runs_there(experiment, tmp_path, cluster, processes):
    worker = cluster.worker("one")
    process = subprocess.Popen(
        [sys.executable, "-m", "tsqlab.cli", "run", experiment, "--out", tmp_path / "out",
         "--executor", f"dask:{cluster.address}", "--seed", "1", "--set", 'length="300 s"'],
        stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    wait_until(lambda: processes(f"--bind {cluster.folder('one')}"))
    os.killpg(process.pid, signal.SIGINT)
    words = process.communicate()[1]
    assert process.returncode == 130
    assert "interrupted; the same command goes on from here" in words
    assert "Traceback" not in words
    wait_until(lambda: not processes(f"--bind {cluster.folder('one')}"))
    assert worker.poll() is None, "the worker is the cluster's"
