# SPDX-License-Identifier: GPL-2.0-or-later
"""``tsqlab shell`` as a user meets it: scripts, and a terminal that is restored."""

import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tsqlab.paths import ROOT
from user import User

FILE = """\
title = "Somewhere to look around"
[flows]
length = "3 s"
delay = "0.5 s"
"""


@pytest.fixture(autouse=True)
def built(kernel):
    """The kernel is there before a command's output is read."""


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "here.toml"
    path.write_text(FILE)
    return path


def command(*arguments):
    return [sys.executable, "-m", "tsqlab.cli", "shell", *map(str, arguments)]


@pytest.fixture
def script(file):
    def run(*arguments, given=""):
        done = subprocess.run(command(file, *arguments), capture_output=True, input=given.encode())
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    return run


@pytest.fixture
def at_terminal(file):
    users = []

    def begin(*arguments, **options):
        users.append(User(command(file, *arguments), **options))
        return users[-1]

    yield begin
    for user in users:
        user.close()


def test_a_script_ends_as_its_commands_do(script):
    said = script("S", "-c", "ip -br addr show dev s0; echo wrong >&2; exit 7")
    assert said[0] == 7
    assert re.fullmatch(r"s0\S* +\S+ +10\.0\.\d+\.\d+/24 *\n", said[1])
    assert said[2] == "wrong\n"


def test_a_script_is_what_is_given_as_input(script, tmp_path):
    assert script(given="ip -br link show dev c0 | cut -c1-2\nfalse\n")[:2] == (1, "c0\n")
    assert [path.name for path in tmp_path.iterdir()] == ["here.toml"], "nothing is kept"


def test_it_says_the_same_each_time(script):
    """Its time is virtual, and jumps."""
    runs = [script("C", "-c", "ping -c 3 S; cat /proc/uptime; head -c 8 /dev/urandom | od -x")
            for _ in range(2)]  # fmt: skip
    assert runs[0] == runs[1]
    assert runs[0][0] == 0
    assert "3 packets transmitted, 3 received" in runs[0][1]


def test_at_an_instant_there_are_the_cell_s_flows(script):
    look = "cat /proc/uptime; ss -Htin dst S; sleep 20; ss -Htn | wc -l"
    status, said, _ = script("C", "--at", "2 s", "-c", look)
    assert status == 0
    assert said.startswith("12.00 ")
    assert "cubic" in said
    assert re.search(r"bytes_acked:\d{6,}", said), "1.5 s of it have gone"
    assert said.endswith("\n0\n"), "they are over, and the guest is not"


def test_without_an_instant_there_are_none(script):
    assert script("C", "-c", "ss -Htn | wc -l") == (0, "0\n", "")


def test_a_terminal(at_terminal):
    """What a person does: look, wait, interrupt, change the window, leave."""
    user = at_terminal("C", rows=33, columns=101)
    user.sees("virtual time goes with the real clock")
    user.sees("C:~# ")
    assert not user.is_cooked
    user.types("stty size; tty\r")
    user.sees("33 101\r\n/dev/tty1\r\n")
    user.sees("# ")
    begun = time.monotonic()
    user.types("sleep 2\r")
    user.sees(r"\[2\.\d\d s\] C:~# |\[3\.\d\d s\] C:~# ")
    assert time.monotonic() - begun > 1.5, "its time is the real one"
    user.types("sleep 1000\r")
    user.sees("sleep 1000")
    time.sleep(0.3)
    user.types("\x03")  # Ctrl-C is the guest's
    user.sees(r"\^C[\s\S]*# ")
    user.resize(40, 120)
    time.sleep(0.5)
    user.types("stty size\r")
    user.sees("40 120")
    user.sees("# ")
    user.types("exit 5\r")
    assert user.status() == 5
    assert user.is_cooked


def test_a_shell_that_hangs_is_left(at_terminal):
    user = at_terminal()
    user.sees("C:~# ")
    user.types("while :; do :; done\r")
    time.sleep(1)
    user.types("\x1d\x1d\x1d")
    user.sees("left by three times")
    assert user.status() == 1
    assert user.is_cooked


def test_a_guest_ends_with_the_command(at_terminal, processes):
    user = at_terminal("S", "--speed", "max")
    user.sees("jumps from timer to timer")
    user.sees("S:~# ")
    ours = {pid for pid in processes("con1=fd:") if descends(pid, user.pid)}
    assert ours
    user.ends(signal.SIGTERM)
    assert user.status() == 1
    assert user.is_cooked
    deadline = time.monotonic() + 20
    while ours & set(processes("con1=fd:")) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not ours & set(processes("con1=fd:"))


def descends(pid, ancestor):
    """Whether a process is a descendant of another."""
    while pid > 1:
        if pid == ancestor:
            return True
        pid = int(Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[1])
    return False


def test_a_slower_clock(at_terminal):
    """A tenth of the real one: in two seconds a few tenths of one go by."""
    user = at_terminal("--speed", "0.1")
    user.sees("0.1 times as fast")
    user.sees("C:~# ")
    time.sleep(2)
    user.types("\r")
    assert 0.1 < float(re.findall(r"\[(\d+\.\d+) s\]", user.sees("C:~# "))[-1]) < 2


def test_others_are_reached_by_their_names(at_terminal):
    user = at_terminal("C")
    user.sees("others, for ip netns exec: R, S")
    user.sees("# ")
    user.types("ip netns exec S ping -qc 1 C | grep -o '1 received'\r")
    user.sees("\r1 received")
    user.types("exit\r")
    assert user.status() == 0


ESCAPE = """
import ctypes, errno, os
for path in ("/etc/passwd", "/home", "/root", "/tsqlab/plan"):
    print(path, os.path.exists(path))
for path in ("/tsqlab/plan/x", "/usr/x", "/etc/hosts", "/tsqlab/clock"):
    try:
        open(path, "w")
        print(path, "is written to")
    except OSError as error:
        print(path, errno.errorcode[error.errno])
"""


def test_a_visitor_sees_no_more_than_a_cell_does(script):
    status, said, _ = script("--speed", "50", "-c", f"python3 - <<'X'\n{ESCAPE}\nX")
    assert status == 0
    assert said.splitlines()[:4] == [
        "/etc/passwd False", "/home False", "/root False", "/tsqlab/plan True",
    ]  # fmt: skip
    for line in said.splitlines()[4:]:
        assert line.split()[1] in ("EROFS", "ENXIO", "EACCES"), line


PAGE = (ROOT / "docs" / "debugging.md").read_text()
SHOWN = re.findall(r"^\$ tsqlab shell (.* -c .*)\n((?:(?!\$|```).*\n)*)", PAGE, re.MULTILINE)


@pytest.mark.parametrize(("line", "output"), SHOWN, ids=["idle", "flows"])
def test_the_documentation_s_examples_print_what_they_show(line, output):
    words = [sys.executable, "-m", "tsqlab.cli", "shell", *shlex.split(line)]
    done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert (done.stdout, done.returncode) == (output, 0)
