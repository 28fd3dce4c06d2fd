# SPDX-License-Identifier: GPL-2.0-or-later
"""Where bubblewrap is refused: the same bytes without, nothing that is left behind, one error."""

import dataclasses
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from as_nobody import in_child_as_nobody, public_folder, published
from full_namespace import in_full_namespace
from tsqlab.bubblewrap import NONE, VARIABLE
from tsqlab.experiment.matrix import Cell
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.guest import landlock, sandbox
from tsqlab.runner.cell import Job, run_cell

PLACES = ("/dev/shm", "/tmp", "/var/tmp")
EXPERIMENT = 'title = "x"\n[flows]\nlength = "{length}"\ndelay = "500 ms"\n'

CELLS = {
    "wired": {"bottleneck": "LR100M"},
    "ath9k_htc": {"layout": "wifi", "device": "ath9k_htc"},
    "ath9k": {"layout": "wifi", "device": "ath9k"},
}


def command(*words):
    return [sys.executable, "-m", "tsqlab.cli", *map(str, words)]


@pytest.mark.parametrize("name", CELLS)
def test_the_bytes_are_the_same(kernel, tmp_path, cpu, monkeypatch, name):
    spec = {"title": "x", "testbed": CELLS[name], "flows": {"length": "2 s", "delay": "500 ms"}}
    cell = Cell({}, Spec.model_validate(spec))
    profile = load_profile(cell.spec.testbed.device)
    job = Job(cell, "key", profile, kernel, tmp_path / "bwrap")
    run_cell(job, cpu)
    monkeypatch.setenv(VARIABLE, NONE)
    without = dataclasses.replace(job, folder=tmp_path / "none")
    run_cell(without, cpu)
    assert without.file.read_bytes() == job.file.read_bytes()


@pytest.mark.skipif(os.getuid() != 0, reason="every test here already runs as an ordinary user")
def test_an_ordinary_user_gets_the_same(kernel, monkeypatch):
    with public_folder() as public:
        cell = Cell({}, Spec.model_validate({"title": "test", "flows": {"length": "2 s"}}))
        everyones = published(kernel, public, kernel.modules)
        job = Job(cell, "key", load_profile("gigabit"), everyones, public / "root")
        run_cell(job)
        monkeypatch.setenv(VARIABLE, NONE)
        (public / "nobody").mkdir()
        os.chown(public / "nobody", sandbox.NOBODY, sandbox.NOBODY)
        own = dataclasses.replace(job, folder=public / "nobody")
        assert in_child_as_nobody(lambda: run_cell(own)) == 0
        assert own.file.read_bytes() == job.file.read_bytes()


def wait_until(condition, limit_s=60.0):
    end = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def left():
    return {path for place in PLACES for path in Path(place).glob("tsqlab-guest-*")}


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_outlives_a_run(tmp_path, how, processes):
    experiment, out = tmp_path / "x.toml", tmp_path / "out"
    experiment.write_text(EXPERIMENT.format(length="1000 s"))
    before = left()
    process = subprocess.Popen(
        command("run", experiment, "--out", out, "--jobs", "1", "--sandbox", "none"),
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    token = "rootflags=/proc/self/fd/"
    others = set(processes(token))
    consoles = lambda: [path for path in out.glob("logs/*.log") if b"t 1" in path.read_bytes()]  # noqa: E731
    wait_until(consoles)
    own = set(processes(token)) - others
    assert own
    if how is signal.SIGINT:
        os.killpg(process.pid, how)
    else:
        process.send_signal(how)
    words = process.communicate()[1]
    assert "Traceback" not in words
    assert "--sandbox none: guests are processes of this machine" in words
    wait_until(lambda: not own & set(processes(token)), limit_s=10)
    wait_until(lambda: left() <= before, limit_s=10)


REFUSES = """\
#!/bin/sh
echo "bwrap: setting up uid map: Permission denied" >&2
exit 1
"""


@pytest.mark.usefixtures("kernel")
def test_a_run_that_is_refused_says_who_refuses(tmp_path):
    fake, experiment = tmp_path / "bin" / "bwrap", tmp_path / "x.toml"
    fake.parent.mkdir()
    fake.write_text(REFUSES)
    fake.chmod(0o755)
    experiment.write_text(EXPERIMENT.format(length="2 s"))
    done = subprocess.run(
        command("run", experiment, "--out", tmp_path / "out"),
        env={**os.environ, "PATH": f"{fake.parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "no sandbox for guests: " in done.stderr
    assert "bubblewrap: setting up uid map: Permission denied" in done.stderr
    assert "--sandbox none" in done.stderr
    assert "its last words" not in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.usefixtures("kernel")
def test_a_machine_that_allows_none_is_told_and_can_do_without(tmp_path):
    """In a namespace of its own, whose limit is 0."""
    if in_full_namespace("true").returncode:
        pytest.skip("needs a machine that allows user namespaces")
    experiment = tmp_path / "x.toml"
    experiment.write_text(EXPERIMENT.format(length="2 s"))
    run = [*command("run", experiment, "--jobs", "1"), "--out"]
    done = in_full_namespace(*run, str(tmp_path / "refused"))
    assert done.returncode == 1
    assert "user.max_user_namespaces = 0 allows no more user namespaces" in done.stderr
    done = in_full_namespace(*run, str(tmp_path / "none"), "--sandbox", "none")
    assert done.returncode == 0, done.stderr
    subprocess.run([*run, str(tmp_path / "bwrap")], check=True, capture_output=True)
    (without,), (within,) = ([*(tmp_path / name).glob("*.gz")] for name in ("none", "bwrap"))
    assert without.read_bytes() == within.read_bytes()


# Of what Docker gives by default: the capabilities, and a /dev/shm that is small and without code.
CONTAINER = """
set -e
mount --make-rprivate /
mount -t tmpfs -o noexec,nosuid,nodev,size=64m none /dev/shm
exec setpriv --inh-caps=-all --bounding-set=-all,+chown,+dac_override,+fowner,+fsetid,+kill,\
+setgid,+setuid,+setpcap,+net_bind_service,+net_raw,+sys_chroot,+mknod,+audit_write,+setfcap "$@"
"""


@pytest.mark.usefixtures("kernel")
@pytest.mark.skipif(os.getuid() != 0, reason="only root can mount a small /dev/shm")
def test_root_of_a_container_gets_the_same(tmp_path):
    """Its guests are nobody, who may not enter the folders on the way to what they see."""
    experiment = tmp_path / "x.toml"
    experiment.write_text(EXPERIMENT.format(length="2 s"))
    run = [*command("run", experiment, "--jobs", "1"), "--out"]
    inside = ["unshare", "--mount", "sh", "-c", CONTAINER, "sh"]
    subprocess.run(
        [*inside, *run, tmp_path / "none", "--sandbox", "none"], check=True, capture_output=True
    )
    subprocess.run([*run, tmp_path / "bwrap"], check=True, capture_output=True)
    (without,), (within,) = ([*(tmp_path / name).glob("*.gz")] for name in ("none", "bwrap"))
    assert without.read_bytes() == within.read_bytes()


@pytest.fixture
def without(monkeypatch):
    monkeypatch.setenv(VARIABLE, NONE)


@pytest.mark.usefixtures("without", "kernel")
def test_a_visitor_finds_the_same_places(tmp_path):
    """Names, programs and virtual time in step with the real clock, whose socket is the host's."""
    experiment = tmp_path / "x.toml"
    experiment.write_text(EXPERIMENT.format(length="2 s"))
    script = "cat /etc/hosts; ls /tsqlab; ls /; tc -V; echo at $(cat /proc/uptime)"
    done = subprocess.run(
        command("shell", experiment, "-c", script, "--speed", "100"),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, "localhost" in done.stdout) == (0, True), done.stderr
    words = done.stdout.split()
    assert {"agent", "modules", "plan", "out", "preload", "usr", "sbin", "tc"} <= {*words}
    assert "home" not in words


@pytest.mark.usefixtures("without")
def test_what_would_run_unconfined_is_refused(tmp_path, monkeypatch, capsys):
    from tsqlab.cli import main  # noqa: PLC0415

    monkeypatch.setattr(landlock, "version", lambda: 0)
    monkeypatch.setattr(sandbox, "version", lambda: 0)
    experiment = tmp_path / "x.toml"
    text = EXPERIMENT.format(length="2 s")
    experiment.write_text(text + '[[program]]\nnode = "C"\ncommand = ["true"]\n')
    assert main(["run", str(experiment)]) == 2
    said = capsys.readouterr().err
    assert f"{experiment}:7" in said
    assert "no Landlock" in said
    assert main(["packetdrill", str(tmp_path)]) == 2
    assert "no Landlock" in capsys.readouterr().err


@pytest.mark.usefixtures("without")
def test_gdb_and_modules_need_bubblewrap(capsys):
    from tsqlab.cli import main  # noqa: PLC0415

    assert main(["debug", "cotsq-3"]) == 2
    assert "bubblewrap" in capsys.readouterr().err
