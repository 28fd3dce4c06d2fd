# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line when the request is wrong: one clear message, the right status."""

import subprocess
import sys
from importlib import import_module

import pytest

from tsqlab.cli import COMMANDS, doctor, main
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
        (["run", "tptsq-4", "--jobs", "0"], "expected a number from 1 on"),
        (["run", "tptsq-4", "--set", "qdisc"], "--set qdisc: expected KEY=VALUE"),
        (["run", "tptsq-4", "--set", "qdisc=x"], 'no qdisc "x"; there are pfifo_fast'),
        (["run", "tptsq-4", "--set", "device=x"], 'no device profile "x"; there are ath10k'),
        (["run", "tptsq-4", "--seed", "x"], "input should be a valid integer"),
        (["run", "tptsq-4", "--kernel", "2.4"], 'no kernel "2.4"; there are 6.12, 6.1'),
        (["kernel", "build", "--source", "/nowhere"], "/nowhere: neither a tarball nor a kernel"),
        (["kernel", "build", "--version", "9.9"], "apt-get install linux-source-9.9"),
        (["kernel", "deb", "--config", "/nowhere/x"], "/nowhere/x: No such file or directory"),
        (["kernel", "deb", "--version", "9.9"], "apt-get install linux-source-9.9"),
        (["kernel", "deb", "--jobs", "0"], "expected a number from 1 on"),
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


def test_a_folder_that_cannot_be_made(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("tsqlab.cli.run.kernel_for", lambda _: None)
    monkeypatch.setattr("tsqlab.cli.run.jobs_of", lambda *_: ())
    (tmp_path / "file").touch()
    status, words = fails(capsys, "run", "tptsq-4", "--out", str(tmp_path / "file" / "x"))
    assert (status, "cannot be used for results" in words) == (2, True)


def test_list_names_everything(capsys):
    assert main(["list"]) == 0
    words = capsys.readouterr().out
    assert all(name in words for name in ("tptsq-5a", "gigabit", "6.12", "6.1"))


def test_what_the_doctor_prescribes_is_installed_by_make():
    listed = {
        line for line in (ROOT / "packages.txt").read_text().splitlines() if line[:1] not in "#"
    }
    assert set(doctor.PROGRAMS.values()) | {"libc6-dev"} <= listed
    assert {f"linux-source-{version}" for version in versions()} <= listed


def test_the_doctor_says_what_to_install(capsys, monkeypatch):
    monkeypatch.setattr(doctor, "PROGRAMS", {"no-such-program": "its-package"})
    assert main(["doctor"]) == 1
    assert "apt-get install its-package" in capsys.readouterr().out


@pytest.mark.parametrize(
    "command", [["--help"], ["list"], ["kernel", "list"], ["doctor"], ["nonsense"]]
)
def test_what_needs_no_experiment_loads_none(command):
    """pydantic, numpy and matplotlib take half a second, which these commands need not wait for."""
    program = (
        "import sys\nfrom tsqlab.cli import main\n"
        "try:\n    main(sys.argv[1:])\nexcept SystemExit:\n    pass\n"
        "print({'pydantic', 'numpy', 'matplotlib', 'scipy'} & set(sys.modules), file=sys.stderr)\n"
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
