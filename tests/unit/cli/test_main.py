# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line when the request is wrong: one clear message, the right status."""

import argparse
import os
import subprocess
import sys
from importlib import import_module

import pytest

from tsqlab.cli import COMMANDS, doctor, jobs, main
from tsqlab.kernels.source import versions
from tsqlab.paths import ROOT


def fails(capsys, *arguments):
    """The exit status and what stands on stderr."""
    try:
        status = main(arguments)
    except SystemExit as left:  # argparse's own errors
        status = left.code
    return status, capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "tptsq-5aa"], 'no bundled experiment "tptsq-5aa"; did you mean "tptsq-5a"?'),
        (["run", "/nowhere/x.toml"], "/nowhere/x.toml: no such experiment file"),
        (["run", "tptsq-4", "--jobs", "0"], "expected a number from 1 to"),
        (["run", "tptsq-4", "--set", "qdisc"], "--set qdisc: expected KEY=VALUE"),
        (["run", "tptsq-4", "--set", "qdisc=x"], 'no qdisc "x"; there are pfifo_fast'),
        (["run", "tptsq-4", "--set", "device=x"], 'no device profile "x"; there are ath10k'),
        (["run", "tptsq-4", "--seed", "x"], "input should be a valid integer"),
        (["run", "tptsq-4", "--kernel", "2.4"], 'no kernel "2.4"; there are 6.12, 6.1'),
        (["run", "tptsq-4", "--jobs", "99999999999"], "expected a number from 1 to "),
        (["run", "tptsq-4", "--jobs", "9" * 5000], "expected a number from 1 to "),
        (["run", "tptsq-4", "--jobs", "²"], "expected a number from 1 to "),
        (["run", "tptsq-4", "--seed", "1\nmtu = 9000"], "one line of printable characters"),
        (["run", "tptsq-4", "--kernel", '6.12"'], 'no kernel "6.12""; there are'),
        (["run", "tptsq-4", "--kernel", "x" * 400], 'no kernel "xxx'),
        (["run", "x" * 400], 'no bundled experiment "xxx'),
        (["run", f"/{'x' * 400}.toml"], "no such experiment file"),
        (["run", "/a\0b.toml"], "no such experiment file"),
        (["tune", "ath9k", "--seeds", "99999999999"], "expected a number from 1 to 1000"),
        (["model", "aggregation", "--limits", "99999999999"], "from 1 to 1000000"),
        (["packetdrill", "/nowhere"], "/nowhere': no such script or folder"),
        (["packetdrill", ".", "--sysctl", "tcp_sack"], "expected NAME=VALUE"),
        (["packetdrill", ".", "--sysctl", "net.ipv4.tcp_sack=1\n0"], "expected NAME=VALUE"),
        (["packetdrill", ".", "--ip", "ipv5"], "invalid choice: 'ipv5'"),
        (["packetdrill", ".", "--timeout", "0"], "expected a number from 1 to"),
        (["kernel", "deb", "--jobs", "99999999999"], "expected a number from 1 to "),
        (["kernel", "build", "--source", "/nowhere"], "/nowhere: neither a tarball nor a kernel"),
        (["kernel", "build", "--version", "9.9"], "apt-get install linux-source-9.9"),
        (["kernel", "deb", "--config", "/nowhere/x"], "/nowhere/x: No such file or directory"),
        (["kernel", "deb", "--version", "9.9"], "apt-get install linux-source-9.9"),
        (["kernel", "deb", "--jobs", "0"], "expected a number from 1 to"),
        (["report", "/nowhere"], "/nowhere"),
        ([], "required: COMMAND"),
        (["frobnicate"], "invalid choice"),
    ],
)
def test_a_bad_request_is_status_2_and_says_why(capsys, tmp_path, monkeypatch, arguments, message):
    monkeypatch.setenv("TSQLAB_CACHE", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    status, words = fails(capsys, *arguments)
    assert status == 2
    assert message in words
    assert "Traceback" not in words


@pytest.mark.parametrize(
    ("arguments", "usage"),
    [
        (["kernel", "build", "--nonsense"], "usage: tsqlab kernel build [-h] [--version VERSION]"),
        (["kernel", "build", "nonsense"], "usage: tsqlab kernel build [-h] [--version VERSION]"),
        (["kernel", "--nonsense", "build"], "usage: tsqlab kernel [-h] ACTION"),
        (["run", "x", "--nonsense"], "usage: tsqlab run [-h] [--all]"),
        (["--nonsense", "run"], "usage: tsqlab [-h]"),
    ],
)
def test_a_usage_error_shows_the_usage_of_the_command_that_it_is_in(capsys, arguments, usage):
    status, words = fails(capsys, *arguments)
    assert status == 2
    assert words.startswith(usage)
    assert "nonsense" in words.splitlines()[-1]


def test_a_folder_that_cannot_be_made(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("tsqlab.cli.run.kernel_for", lambda _: None)
    monkeypatch.setattr("tsqlab.cli.run.jobs_of", lambda *_: ())
    (tmp_path / "file").touch()
    status, words = fails(capsys, "run", "tptsq-4", "--out", str(tmp_path / "file" / "x"))
    assert (status, "cannot be used for results" in words) == (2, True)


def test_jobs_are_a_few_for_each_cpu():
    few = max(16, 4 * len(os.sched_getaffinity(0)))
    assert jobs(str(few)) == few
    with pytest.raises(argparse.ArgumentTypeError, match=f"expected a number from 1 to {few}, not"):
        jobs(str(few + 1))


@pytest.mark.parametrize("locale", [{"LC_ALL": "C"}, {"PYTHONUTF8": "0", "LC_ALL": "C"}])
def test_titles_that_the_locale_has_no_letters_for(locale, tmp_path):
    """Files are UTF-8 all the same, and what is printed is readable."""
    path = tmp_path / "größe.toml"
    path.write_text('title = "Größe"\n[flows]\n"länge" = 1\n', encoding="utf-8")
    environment = {"PATH": os.environ["PATH"], "PYTHONCOERCECLOCALE": "0", **locale}
    command = [sys.executable, "-m", "tsqlab.cli", "run", str(path)]
    environment["PYTHONPATH"] = str(ROOT / "src")
    done = subprocess.run(command, capture_output=True, env=environment, cwd=tmp_path)
    assert done.returncode == 2
    assert b"nge: unknown key; there are test, streams" in done.stderr
    assert b"Traceback" not in done.stderr


def test_a_page_that_cannot_be_printed():
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-m", "tsqlab.cli", "list"]
    with open("/dev/full", "w") as full:  # noqa: PTH123
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, env=environment)
    assert done.returncode == 1
    assert done.stderr == b"tsqlab: [Errno 28] No space left on device\n"


@pytest.mark.parametrize("command", [["kernel", "list"], ["run", "tptsq-4"], ["doctor"]])
def test_no_home(command, monkeypatch, capsys, tmp_path):
    def none():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.chdir(tmp_path)
    for name in ("TSQLAB_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pathlib.Path.home", none)
    status, words = fails(capsys, *command)
    assert "Traceback" not in words
    assert (status, "no home folder" in words) == (1, True) or command == ["doctor"]


def test_list_names_everything(capsys):
    assert main(["list"]) == 0
    words = capsys.readouterr().out
    assert all(name in words for name in ("tptsq-5a", "gigabit", "6.12", "6.1"))


def test_what_the_doctor_prescribes_is_installed_by_make():
    listed = {
        line.split()[0]
        for line in (ROOT / "packages.txt").read_text().splitlines()
        if line[:1] not in "#"
    }
    assert set(doctor.PROGRAMS.values()) | {"libc6-dev"} <= listed
    assert {f"linux-source-{version}" for version in versions()} <= listed


def test_the_doctor_says_what_to_install(capsys, monkeypatch):
    monkeypatch.setattr(doctor, "PROGRAMS", {"no-such-program": "its-package"})
    assert main(["doctor"]) == 1
    assert "apt-get install its-package" in capsys.readouterr().out


@pytest.mark.parametrize(
    "command",
    [["list"], ["kernel", "list"], ["doctor"], ["nonsense"], ["run", "x", "--nonsense"], ["--help"],
     *([name, "--help"] for name in COMMANDS)],
)  # fmt: skip
def test_what_needs_no_experiment_loads_none(command):
    """What the lab stands on takes half a second, which these commands need not wait for."""
    program = (
        "import sys\nfrom tsqlab.cli import main\n"
        "try:\n    main(sys.argv[1:])\nexcept SystemExit:\n    pass\n"
        "heavy = {'pydantic', 'numpy', 'matplotlib', 'scipy', 'pyroute2', 'tqdm', 'distributed'}\n"
        "print(heavy & set(sys.modules), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, *command], capture_output=True, text=True)
    assert done.stderr.splitlines()[-1] == "set()"


def test_the_help_names_every_command(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    words = capsys.readouterr().out
    for name, (module, text) in COMMANDS.items():
        assert name in words
        assert text in words
        assert import_module(f"tsqlab.cli.{module}").add_to
