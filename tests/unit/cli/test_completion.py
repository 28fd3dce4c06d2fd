# SPDX-License-Identifier: GPL-2.0-or-later
"""TAB: what a real bash, fish or zsh is offered, and that nothing heavy is loaded for it."""

import os
import select
import shlex
import shutil
import subprocess
import sys
import time

import pytest

import words
from tsqlab.cli import COMMANDS, completion, main
from tsqlab.cli.shells import SHELLS
from tsqlab.experiment.bundled import bundled_experiments, bundled_profiles
from tsqlab.kernels.source import versions
from tsqlab.paths import ROOT
from tsqlab.report.explained import experiment_of_claim

WAIT_S = 60  # of a busy machine; a TAB takes a tenth of a second


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A folder with a command ``tsqlab``, and the lines by which each shell completes it."""
    home = tmp_path_factory.mktemp("home")
    command = home / "bin" / "tsqlab"
    command.parent.mkdir()
    command.write_text(
        f"#!{sys.executable}\nimport sys\nfrom tsqlab.cli import main\nsys.exit(main())\n"
    )
    command.chmod(0o755)
    (home / "own.toml").write_text("")
    (home / "results").mkdir()
    for shell in SHELLS:
        done = subprocess.run([command, "completion", shell], env=environment(home),
                              capture_output=True, text=True, check=True)  # fmt: skip
        (home / f"lines.{shell}").write_text(done.stdout)
    return home


def environment(home):
    path = f"{home / 'bin'}:{os.environ['PATH']}"
    return {"PATH": path, "HOME": str(home), "PYTHONPATH": str(ROOT / "src"), "TERM": "dumb",
            "TSQLAB_CACHE": str(home / "cache")}  # fmt: skip


ASK_BASH = """\
source lines.bash
COMP_LINE=$1 COMP_POINT=${#1} COMP_TYPE=9
_python_argcomplete tsqlab
printf '%s\\n' "${COMPREPLY[@]}"
"""


def offered(home, line):
    """What bash's own function for the command offers at the end of a line."""
    done = subprocess.run(["bash", "--norc", "-c", ASK_BASH, "bash", line], cwd=home,
                          env=environment(home), capture_output=True, text=True)  # fmt: skip
    assert done.stderr == ""
    return [word.strip() for word in done.stdout.splitlines()]


def test_every_command_is_offered(home):
    assert set(COMMANDS) <= set(offered(home, "tsqlab "))
    assert offered(home, "tsqlab rep") == ["report"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("tsqlab run cotsq-1", [name for name in bundled_experiments() if name[:7] == "cotsq-1"]),
        ("tsqlab run ow", ["own.toml"]),
        ("tsqlab run cotsq-3 --more", ["--more-seeds"]),
        ("tsqlab run cotsq-3 --kernel 6.1", [*versions()]),
        ("tsqlab run cotsq-3 --set congest", ["congestion_control="]),
        ("tsqlab show cotsq-3 --set qdisc=fq_c", ["fq_codel"]),
        ("tsqlab run cotsq-3 --set device=ath9k", [
            name for name in bundled_profiles() if name.startswith("ath9k")]),
        ("tsqlab report res", ["results/"]),
        ("tsqlab report results --columns goodput_mbps,pings", ["goodput_mbps,pings_sent"]),
        ("tsqlab report results --language d", ["de"]),
        ("tsqlab tune brcm", ["brcmfmac"]),
        ("tsqlab list 4.1", ["4.13", "4.16"]),
        ("tsqlab explain cotsq-3a", ["cotsq-3a-goodput", "cotsq-3a-ping"]),
        ("tsqlab explain report-d", ["report-delay"]),
        ("tsqlab new --like gr", ["graph"]),
        ("tsqlab kernel bui", ["build"]),
        ("tsqlab kernel build --gui", ["--guided"]),
        ("tsqlab model airtime --standard V", ["VHT"]),
        ("tsqlab completion z", ["zsh"]),
        ("tsqlab run nothing-is-called-s", []),
        ("tsqlab frobnicate x", []),
    ],
)  # fmt: skip
def test_bash_is_offered(home, line, expected):
    found = offered(home, line)
    if "--kernel" in line:  # and those without one change
        assert set(expected) <= set(found)
        assert all(name.startswith("6.1") for name in found)
    else:
        assert [word for word in found if word] == expected


class Terminal:
    """A shell at a terminal."""

    def __init__(self, command, home):
        self.ours, theirs = os.openpty()
        self.shell = subprocess.Popen(
            command, cwd=home, env=environment(home), start_new_session=True,
            stdin=theirs, stdout=theirs, stderr=theirs,
        )  # fmt: skip
        os.close(theirs)
        self.shown = ""

    def type(self, text):
        os.write(self.ours, text.encode())

    def wait(self, text):
        """Read until the terminal shows a text."""
        until = time.monotonic() + WAIT_S
        while text not in self.shown:
            assert time.monotonic() < until, f"no {text!r} in {self.shown!r}"
            if select.select([self.ours], [], [], 0.1)[0]:
                self.shown += os.read(self.ours, 4096).decode(errors="replace")

    def close(self):
        self.shell.kill()
        self.shell.wait()
        os.close(self.ours)


AT_A_TERMINAL = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], ""),
    "zsh": (["zsh", "-f", "-i"], "autoload -U compinit; compinit -u; "),
}


@pytest.mark.parametrize("shell", AT_A_TERMINAL)
def test_a_tab_completes_at_a_terminal(home, shell):
    command, before = AT_A_TERMINAL[shell]
    if not shutil.which(shell):
        pytest.skip(f"there is no {shell}")
    terminal = Terminal(command, home)
    try:
        terminal.type(f"{before}source ./lines.{shell}; echo rea''dy\n")
        terminal.wait("ready")
        terminal.type("tsqlab explain cotsq-3b-g\t")
        terminal.wait("cotsq-3b-goodput")
    finally:
        terminal.close()


def test_fish_is_offered_the_same(home):
    if not shutil.which("fish"):
        pytest.skip("there is no fish")
    ask = f"source lines.fish; complete -C {shlex.quote('tsqlab explain cotsq-3a')}"
    done = subprocess.run(["fish", "--no-config", "-c", ask], cwd=home, env=environment(home),
                          capture_output=True, text=True)  # fmt: skip
    found = [line.split("\t")[0].strip() for line in done.stdout.splitlines()]
    assert (sorted(found), done.stderr) == (["cotsq-3a-goodput", "cotsq-3a-ping"], "")


HEAVY = ("pydantic", "numpy", "matplotlib", "scipy", "jinja2")


@pytest.mark.parametrize(
    "line",
    [
        "tsqlab ",
        "tsqlab run ",
        "tsqlab run x --set q",
        "tsqlab explain c",
        "tsqlab run x --kernel ",
        "tsqlab report r --columns ",
    ],
)
def test_a_tab_loads_nothing_heavy(home, line):
    """Which is what makes it instant: docs/command-line.md has the time that it takes."""
    environ = environment(home) | {
        "_ARGCOMPLETE": "1", "_ARGCOMPLETE_SUPPRESS_SPACE": "1", "COMP_TYPE": "9",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(home / "out"), "COMP_LINE": line,
        "COMP_POINT": str(len(line)), "_ARGCOMPLETE_SHELL": "bash",
    }  # fmt: skip
    command = [sys.executable, "-X", "importtime", home / "bin" / "tsqlab"]
    done = subprocess.run(command, env=environ, cwd=home, capture_output=True, text=True)
    loaded = {line.split("|")[-1].strip() for line in done.stderr.splitlines()}
    assert "argcomplete" in loaded
    assert loaded.isdisjoint(HEAVY)
    assert (home / "out").stat().st_size > 0


def test_the_names_that_the_schemas_know_are_current():
    assert completion.WORDS.read_text("utf-8") == words.words(), "run tools/words.py"


def test_the_names_of_claims_are_those_of_the_files():
    assert sorted(completion.claim_names()) == sorted(experiment_of_claim())


def test_the_variable_of_a_shell_does_nothing_to_a_call_from_python(monkeypatch, capsys):
    monkeypatch.setenv("_ARGCOMPLETE", "1")
    assert main(["list", "ath9k"]) == 0
    assert "ath9k: " in capsys.readouterr().out
