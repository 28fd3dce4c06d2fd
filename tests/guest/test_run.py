# SPDX-License-Identifier: GPL-2.0-or-later
"""``tsqlab run`` as a user meets it: a folder, a table, and going on after an interruption."""

import csv
import os
import re
import shutil
import signal
import subprocess
import sys

import pytest

from waiting import wait_until

EXPERIMENT = """\
# A short one.
title = "Short"
[flows]
length = "2 s"
delay = "1 s"
[matrix]
bottleneck = ["L10M", "R10M"]
seed = [1, 2]
[report]
plots = []
"""

OF_4_13 = """\
title = "Short, as of 4.13"
[testbed]
layout = "wifi"
[flows]
length = "2 s"
delay = "1 s"
[lab]
era = "4.13"
[report]
plots = []
"""


@pytest.fixture(autouse=True)
def built(kernel):
    """The kernel is there before a command's output is read."""


@pytest.fixture
def experiment(tmp_path):
    path = tmp_path / "short.toml"
    path.write_text(EXPERIMENT)
    return path


def command(*arguments):
    return [sys.executable, "-m", "tsqlab.cli", *map(str, arguments)]


def tsqlab(*arguments, **options):
    return subprocess.run(command(*arguments), capture_output=True, text=True, **options)


def test_leaves_a_folder_that_speaks_for_itself(experiment, tmp_path):
    experiment.write_text(EXPERIMENT.replace("[]", '["goodput-ping", "candlesticks"]'))
    done = tsqlab("run", experiment, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "results" / "short"
    with (folder / "summary.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["bottleneck"], row["seed"]) for row in rows] == [
        ("L10M", "1"), ("L10M", "2"), ("R10M", "1"), ("R10M", "2"),
    ]  # fmt: skip
    assert all(9 < float(row["goodput_mbps"]) < 10 for row in rows)
    assert len(list(folder.glob("*.flent.gz"))) == 4
    assert not (folder / ".work").exists()
    assert "<svg" in (folder / "report.html").read_text()
    assert "goodput" in done.stdout
    assert str(folder.relative_to(tmp_path) / "report.html") in done.stdout


def test_goes_on_where_it_stopped(experiment, tmp_path):
    out = tmp_path / "out"
    assert tsqlab("run", experiment, "--out", out).returncode == 0
    files = {path: path.stat().st_mtime_ns for path in out.glob("*.flent.gz")}
    (out / "bottleneck=R10M,seed=1.flent.gz").unlink()
    done = tsqlab("run", experiment, "--out", out)
    assert "3 of 4 cells are done already" in done.stdout
    assert sum(path.stat().st_mtime_ns != then for path, then in files.items()) == 1


@pytest.mark.kernels  # its era has one of its own
def test_today_stands_beside_the_own_era(experiment, tmp_path):
    """Without GSO an upload over ath9k_htc has half of what it has today, and less."""
    experiment.write_text(OF_4_13)
    out = tmp_path / "out"
    run = ("run", experiment, "--out", out)
    done = tsqlab(*run, "--today")
    assert done.returncode == 0, done.stderr
    assert "era today, the same cell;" in done.stdout
    with (out / "summary.csv").open() as file:
        rows = {row["era"]: float(row["goodput_mbps"]) for row in csv.DictReader(file)}
    assert list(rows) == ["4.13", "today"]
    assert rows["today"] > 2 * rows["4.13"]
    again = tsqlab(*run)
    assert "1 of 1 cells are done already" in again.stdout
    assert "today" not in (out / "summary.csv").read_text()
    assert "2 of 2 cells are done already" in tsqlab(*run, "--today").stdout


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interruption_loses_nothing_and_leaves_no_guest(experiment, tmp_path, how, processes):
    out = tmp_path / "out"
    length = 'length="30 s"'
    process = subprocess.Popen(
        command("run", experiment, "--out", out, "--jobs", "1", "--set", length),
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    wait_until(lambda: list(out.glob("*.flent.gz")))
    if how is signal.SIGINT:
        os.killpg(process.pid, how)  # as a terminal does
    else:
        process.send_signal(how)
    words = process.communicate()[1]
    assert "Traceback" not in words
    if how is signal.SIGINT:
        assert process.returncode == 130
        assert "interrupted" in words
    wait_until(lambda: not processes(f"--bind {out}"), limit_s=10)
    done = tsqlab("run", experiment, "--out", out, "--set", length)
    assert re.search(r"[123] of 4 cells are done already", done.stdout)
    assert done.returncode == 0


# As bubblewrap while its child waits for a word of it, for ever if need be.
BUBBLEWRAP = """\
#!/bin/sh
echo "$@" >> {started}
sh -c "sleep 1000; : {started}" &
wait
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_outlives_a_run_that_ends_while_a_guest_starts(
    experiment, tmp_path, how, processes
):
    started, fake = tmp_path / "started", tmp_path / "bin" / "bwrap"
    fake.parent.mkdir()
    fake.write_text(BUBBLEWRAP.format(started=started))
    fake.chmod(0o755)
    path = f"{fake.parent}:{os.environ['PATH']}"
    process = subprocess.Popen(
        command("run", experiment, "--out", tmp_path / "out", "--jobs", "1"),
        env={**os.environ, "PATH": path},
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    wait_until(lambda: started.exists() and processes(f"sleep 1000; : {started}"))
    process.send_signal(how)
    process.wait()
    wait_until(lambda: not processes(str(tmp_path)), limit_s=10)


def test_a_damaged_result_is_made_again(experiment, tmp_path):
    out = tmp_path / "out"
    assert tsqlab("run", experiment, "--out", out).returncode == 0
    (out / "manifest.json").unlink()
    file = out / "bottleneck=R10M,seed=1.flent.gz"
    whole = file.read_bytes()
    file.write_bytes(whole[:1000])
    done = tsqlab("run", experiment, "--out", out)
    assert "3 of 4 cells are done already" in done.stdout, done.stderr
    assert file.read_bytes() == whole


def test_a_failed_cell_is_named_and_the_others_go_on(experiment, tmp_path):
    out = tmp_path / "out"
    qdiscs = 'qdisc=["pfifo_fast", "fq_codel limit nonsense"]'
    done = tsqlab("run", experiment, "--out", out, "--seed", "1", "--set", qdiscs)
    assert done.returncode == 1
    assert "cell bottleneck=L10M,qdisc=fq_codel_limit_nonsense: the guest ended" in done.stderr
    assert 'Illegal "limit"' in done.stderr
    assert "2 of 4 cells failed; the others are in" in done.stderr
    assert "Traceback" not in done.stderr
    assert len(list(out.glob("*.flent.gz"))) == 2
    assert len(list((out / "logs").iterdir())) == 2


def test_one_cause_is_told_once(experiment, tmp_path):
    """What only the kernel knows: how far a packet may be reordered is no negative number."""
    out = tmp_path / "out"
    refused = "testbed.sysctl.C.'net.ipv4.tcp_reordering'=-1"
    done = tsqlab("run", experiment, "--out", out, "--set", refused)
    assert done.returncode == 1
    assert done.stderr.count("tcp_reordering does not take '-1'") == 1
    assert done.stderr.count("its last words") == 1
    assert "4 of 4 cells failed, of 1 cause" in done.stderr
    assert len(list((out / "logs").iterdir())) == 4


def test_a_folder_holds_one_experiment(experiment, tmp_path):
    out = tmp_path / "out"
    assert tsqlab("run", experiment, "--out", out, "--seed", "1").returncode == 0
    other = shutil.copy(experiment, tmp_path / "other.toml")
    done = tsqlab("run", other, "--out", out)
    assert done.returncode == 2
    assert 'holds the experiment "short"; choose another folder' in done.stderr


def test_a_full_disk_is_one_message(experiment, tmp_path):
    """A file system of 100 kB, which holds the plans but not what a minute measures."""
    if os.getuid() != 0:
        pytest.skip("needs root to mount a small file system")
    small = tmp_path / "small"
    small.mkdir()
    script = 'mount -t tmpfs -o size=100k none "$0" && exec "$@"'
    minute = ("--seed", "1", "--set", 'length="60 s"')
    run = command("run", experiment, "--out", small / "out", "--jobs", "1", *minute)
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", script, str(small), *run], capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.kernels  # its era has one of its own
def test_tunes_a_radio(tmp_path):
    """Of 1 and 8 ms, only the latter is enough for the papers' USB device."""
    done = tsqlab(
        "tune", "ath9k_htc", "--ms", "1", "8", "--seeds", "1", "--length", "5 s",
        "--era", "4.13", cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "results" / "tune-ath9k_htc-cubic-4.13"
    words = (folder / "tuning.txt").read_text()
    assert words in done.stdout
    assert re.search(r"^knee: +8 ms: ", words, re.MULTILINE)
    assert "tcp_tsq_us=8000" in words
    assert "sk_pacing_shift 7" in words
    assert (folder / "report.html").exists()
