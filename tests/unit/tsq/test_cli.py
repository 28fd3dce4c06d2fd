# SPDX-License-Identifier: GPL-2.0-or-later
"""The commands as they are called: what they print, refuse, and never show a traceback for."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest

import tsq_host
from tsq import cli, show
from tsq.devices import read_devices
from tsq.errors import TsqError
from tsq.timer import seconds_of
from tsqlab.paths import ROOT

ROOM = ROOT / "tsq"


@pytest.fixture
def host(tmp_path, monkeypatch):
    made = tsq_host.made(tmp_path)
    monkeypatch.setattr(cli, "_HOST", made)
    return made


@pytest.mark.usefixtures("host", "built")
def test_plan_prints_what_to_type(capsys):
    assert cli.main(["plan", "--ms", "6"]) == 0
    said = capsys.readouterr().out
    assert said.startswith(
        "DEV wlan0: shift 7 (inferred: mac80211), which is 7.8 ms; wanted: 6 ms\n"
    )
    assert "    sysctl -w net.ipv4.tcp_pacing_ca_ratio=92\n" in said
    assert re.search(r"\n    ip -4 route change unicast default via .* congctl tsq_cubic\n", said)
    assert "sysctl: needs --host-wide\n" in said
    assert "not known:" in said


@pytest.mark.usefixtures("host", "built")
def test_plan_for_programs_says_the_same(capsys):
    assert cli.main(["plan", "--ms", "6", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [method["name"] for method in document["methods"]] == ["cotsq", "bpf", "sysctl"]
    assert document["methods"][2]["harms"] == ["eth0 has 0.75 ms then (shift 10)"]


def test_show_tells_devices_without_a_flow(host, monkeypatch, capsys):
    monkeypatch.setattr(cli, "sample", lambda *_, **__: [])
    assert cli.main(["show"]) == 0
    said = capsys.readouterr().out
    assert "DEV wlan0  ath9k mac80211  queue: noqueue" in said
    assert "DEV eth0  e1000e wire  queue: mq+fq_codel" in said
    assert "DEV br0" not in said, "it is down"
    assert "no flow sent anything" in said
    assert cli.main(["show", "--json", "--dev", "eth0"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [device["name"] for device in document["devices"]] == ["eth0"]
    assert document["unknown"] == show.unknown(exact=False)
    assert read_devices(host)["wlan0"].shift.value == 7


@pytest.mark.parametrize("words", [["show", "--dev", "wlan9"], ["plan", "--ms", "0"],
                                   ["apply", "--ms", "6", "--for", "1y"],
                                   ["verify", "--ms", "6", "--", "-x"],
                                   ["verify", "server", "--rounds", "1"]])  # fmt: skip
def test_what_cannot_be_done_is_said_in_a_line(words, host, capsys):
    assert cli.main(words) == 1
    said = capsys.readouterr()
    assert re.fullmatch(r"tsq: [^\n]+\n", said.err)
    assert not (host.root / "operations").exists(), "and nothing was changed"


@pytest.mark.parametrize("words", [[], ["plan"], ["apply", "--ms", "x"], ["show", "-t", "0"],
                                   ["undo", "wlan0"],
                                   ["apply", "--ms", "6", "--method", "magic"]])  # fmt: skip
def test_wrong_arguments_are_two(words, capsys):
    with pytest.raises(SystemExit) as left:
        cli.main(words)
    assert left.value.code == 2
    assert "usage: tsq" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90), ("10m", 600), ("2h", 7200), ("1d", 86400)]
)
def test_times(text, seconds):
    assert seconds_of(text) == seconds


@pytest.mark.parametrize(
    "text", ["", "10", "m", "0s", "-1m", "1.5h", "31d", "9999999d", "1 m", "1m\n"]
)
def test_what_is_no_time(text):
    with pytest.raises(TsqError, match="is no time such as"):
        seconds_of(text)


class Gone:
    """A reader that has gone: `tsq apply | head -n 0`."""

    def write(self, _):
        raise BrokenPipeError

    def flush(self):
        raise BrokenPipeError


@pytest.mark.usefixtures("built")
def test_an_apply_that_nobody_reads_is_done_all_the_same(host, monkeypatch):
    monkeypatch.setattr(sys, "stdout", Gone())
    monkeypatch.setattr(os, "dup2", lambda *_: None)
    words = ["apply", "--ms", "6", "--method", "sysctl", "--host-wide", "--for", "9s"]
    assert cli.main(words) == 0
    assert host.sysctl("net.ipv4.tcp_pacing_ca_ratio") == "92"


@pytest.mark.usefixtures("host", "built")
def test_a_name_tells_a_terminal_nothing(host, capsys):
    links = json.loads((host.root / "links.json").read_text())
    links[1]["ifname"] = "a\x1b[2Jb"
    (host.root / "links.json").write_text(json.dumps(links))
    assert cli.main(["show", "--dev", "wlan0"]) == 1
    assert "a\\x1b[2Jb" in capsys.readouterr().err


def test_what_the_system_refuses_is_said(host, monkeypatch, capsys):
    def refused(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cli, "read_devices", refused)
    assert cli.main(["show"]) == 1
    assert capsys.readouterr().err.endswith("[Errno 28] No space left on device\n")
    assert host


def test_it_runs_from_its_folder_without_the_lab():
    """As it is installed: by any Python, whatever the path; nothing of the lab is loaded."""
    command = [sys.executable, "-I", str(ROOM / "tsq"), "--version"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(r"tsq [0-9.]+\n", done.stdout)


def test_no_module_needs_the_lab():
    sources = "".join(path.read_text() for path in (ROOM / "tsq").glob("*.py"))
    assert not re.search(
        r"^\s*(import|from) (tsqlab|matplotlib|scipy|numpy)", sources, re.MULTILINE
    )


def test_the_manual_page_has_every_option_and_command():
    page = (ROOM / "tsq.8").read_text().replace("\\-", "-")
    sources = (ROOM / "tsq" / "cli.py").read_text()
    options = set(re.findall(r'"(--[a-z-]+)"', sources)) - {"--token"}
    assert options | {"--help"} == set(re.findall(r"--[a-z-]+", page))
    for command in re.findall(r'add_parser\("([a-z]+)"', sources):
        assert re.search(rf"^\.B {command}$", page, re.MULTILINE), command
    if shutil.which("man"):
        done = subprocess.run(
            ["man", "--warnings", "-l", ROOM / "tsq.8"], capture_output=True, text=True
        )
        assert (done.returncode, done.stderr) == (0, "")


def test_the_page_of_advice_has_the_numbers_of_runs():
    """Each pair stands in the row of the same device on the page that the runs made."""
    docs = ROOT / "docs"
    runs = (docs / "stock-knobs.md").read_text()
    rows = re.findall(r"^\| `(\w+)`[^|]*ms \|(.*)$", (docs / "tsq.md").read_text(), re.MULTILINE)
    assert len(rows) == 4
    for device, row in rows:
        (table,) = re.findall(
            rf"^\| `{device}` \| RTT 1 ms .*?\n\n", runs, re.DOTALL | re.MULTILINE
        )
        pairs = re.findall(r"[\d.]+ / [\d.]+", row)
        assert len(pairs) >= 2
        assert [pair for pair in pairs if f" {pair} " not in table] == []
