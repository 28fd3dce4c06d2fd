# SPDX-License-Identifier: GPL-2.0-or-later
"""packetdrill's scripts in guests: what becomes of each, the same every time.

A stand-in for packetdrill is built here, which waits as the real one does. The real one is run
where TSQLAB_PACKETDRILL names it: it is no package of Debian 12.
"""

import itertools
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from as_nobody import in_child_as_nobody, public_folder, published
from tsqlab.cli import main
from tsqlab.guest.program import OUTPUT_BYTES
from tsqlab.guest.sandbox import NOBODY
from tsqlab.kernels import Recipe
from tsqlab.packetdrill import script
from tsqlab.packetdrill.script import Job, Outcome, Verdict, run_script
from tsqlab.packetdrill.suite import find_suite
from tsqlab.packetdrill.version import Version

HERE = Path(__file__).parent / "packetdrill"
REAL = os.environ.get("TSQLAB_PACKETDRILL")


@pytest.fixture(scope="session")
def fake(tmp_path_factory):
    program = tmp_path_factory.mktemp("fake") / "packetdrill"
    command = ["gcc", "-D_GNU_SOURCE", "-pthread", "-o", str(program), str(HERE / "fake.c")]
    subprocess.run(command, check=True)
    return program


@pytest.fixture
def scripts(tmp_path):
    """Make scripts of one word, by name."""
    folder = tmp_path / "scripts"
    folder.mkdir()

    def make(**words):
        for name, word in words.items():
            (folder / f"{name}.pkt").write_text(word)
        return folder

    return make


@pytest.fixture
def run(fake, scripts, kernel, tmp_path):
    """Run one script, in this process."""
    number = itertools.count()

    def one(word, limit_s=180, **options):
        suite = find_suite(scripts(x=word) / "x.pkt", [Version.IPV4], None, fake)
        settings = {"sysctls": {}, "seed": 1, "verbose": False, "kept": True} | options
        (x,) = suite.scripts
        folder = tmp_path / f"guest{next(number)}"
        limit_ns = int(limit_s * 1e9)
        return run_script(Job(suite, x, kernel, limit_ns=limit_ns, folder=folder, **settings))

    return one


def test_a_program_that_asks_times_and_yields_gets_on(run):
    outcome = run("pass")
    assert (outcome.verdict, outcome.output) == (Verdict.OK, ())


def test_what_a_script_finds(run):
    """Virtual time, the newest TCP_INFO, a sysctl, a tun device, run_all.py's arguments."""
    outcome = run("tell", sysctls={"net.ipv4.tcp_retries2": "7"}, verbose=True)
    assert outcome.verdict is Verdict.FAILED
    first, *arguments = outcome.output
    # 10 s until the measurement, ten ticks of 10 ms, 2 ms of another thread, and what looking
    # takes: 20 us at most for the ticks, 1 us for the thread.
    at = re.match(r"at (\d+\.\d+) s; ", first)
    assert 10.092 < float(at[1]) < 10.1021
    assert re.search(r"of 1\d{3} bytes, the last is 0; tcp_retries2 7; tun$", first)
    assert arguments[0] == "--send_omit_free"
    assert arguments[-2:] == ["-v", "x.pkt"]
    assert set(Version.IPV4.arguments) < set(arguments)


def test_the_same_script_says_the_same_every_time(run):
    assert run("tell") == run("tell")


def test_a_script_that_fails(run, tmp_path):
    outcome = run("fail", kept=False)
    assert not (tmp_path / "guest0").exists()
    assert outcome == Outcome(Verdict.FAILED)
    assert run("abort").output == ("(signal 6 ended packetdrill)",)


def test_a_script_that_lasts_too_long_in_virtual_time(run):
    outcome = run("sleep", limit_s=2.5)
    assert outcome.verdict is Verdict.TIMEOUT
    assert outcome.words == "not done after 2.5 s of virtual time"


def test_a_script_in_which_no_time_passes(run, monkeypatch):
    monkeypatch.setattr(script, "STUCK_AFTER_S", 3.0)
    outcome = run("spin")
    assert outcome.verdict is Verdict.ERROR
    assert outcome.words == "the guest's virtual time has stood still for 3 s"
    assert outcome.output[0] == "spinning", "what was said before"


def test_a_guest_that_takes_too_long_in_real_time(run, monkeypatch):
    monkeypatch.setattr(script, "WALL_LIMIT_S", 2.0)
    outcome = run("sleep", limit_s=100_000)
    assert outcome.verdict is Verdict.ERROR
    assert outcome.words == "the guest has taken more than 2 real seconds"


def test_a_script_that_ends_its_guest(run):
    outcome = run("end-guest")
    assert outcome.verdict is Verdict.ERROR
    assert outcome.words.startswith("the guest ended before its work")


def test_a_script_that_says_too_much(run, tmp_path):
    outcome = run("flood")
    assert outcome.verdict is Verdict.OK
    assert outcome.output[-1] == "(2097152 more bytes of output were not kept)"
    assert (tmp_path / "guest0" / "out" / "packetdrill.out").stat().st_size == OUTPUT_BYTES


@pytest.mark.skipif(os.getuid() != 0, reason="every test here already runs as an ordinary user")
def test_an_ordinary_user_gets_the_same(kernel, fake):
    """What the guest is shown besides is shown to nobody, too."""
    with public_folder() as public:
        program = Path(shutil.copy(fake, public))
        (public / "x.pkt").write_text("tell")
        suite = find_suite(public / "x.pkt", [Version.IPV4], None, program)
        everyones = published(kernel, public, kernel.modules)
        (x,) = suite.scripts
        (public / "nobody").mkdir()
        os.chown(public / "nobody", NOBODY, NOBODY)
        job = Job(suite, x, everyones, {}, 10**9, 1, False, public / "nobody" / "guest", False)
        expected = run_script(job)
        assert expected.verdict is Verdict.FAILED
        assert in_child_as_nobody(lambda: check_equal(run_script(job), expected)) == 0


def check_equal(one, other):
    assert one == other


@pytest.fixture
def command(fake, capsys):
    """The status of the command, and what it printed."""

    def run(*arguments, program=fake):
        status = main(["packetdrill", *map(str, arguments), "--packetdrill", str(program)])
        return status, *capsys.readouterr()

    return run


@pytest.mark.usefixtures("kernel")
def test_scripts_are_reported_in_their_order(command, scripts):
    folder = scripts(a="pass", b="fail", c="sleep", d="pass")
    status, out, err = command(folder, "--timeout", "1", "--jobs", "2")
    assert (status, err) == (1, "tsqlab: 2 of 4 scripts did not pass\n")
    assert out.splitlines() == [
        "KTAP version 1",
        "1..4",
        "ok 1 a.pkt (ipv4)",
        "not ok 2 b.pkt (ipv4)",
        "not ok 3 c.pkt (ipv4) # TIMEOUT not done after 1 s of virtual time",
        "ok 4 d.pkt (ipv4)",
        "# Totals: pass:2 fail:2 xfail:0 xpass:0 skip:0 error:0",
    ]


def test_the_kernels_own_parser_reads_what_is_printed(
    command, scripts, tree, tmp_path, monkeypatch
):
    """Over two kernels, which are one here, there are lists of tests within a list."""
    monkeypatch.setattr("tsqlab.cli.packetdrill.recipe_of", lambda _name: Recipe())
    _, out, _ = command(scripts(a="pass", b="fail"), "--kernel", "one", "--kernel", "other")
    (tmp_path / "ktap").write_text(out)
    parser = [sys.executable, "-B", tree / "tools/testing/kunit/kunit.py", "parse"]
    done = subprocess.run([*parser, tmp_path / "ktap"], capture_output=True, text=True)
    assert "Ran 4 tests: passed: 2, failed: 2" in done.stdout, done.stdout
    assert "[ERROR]" not in done.stdout, done.stdout


@pytest.mark.usefixtures("kernel")
def test_all_that_pass_are_status_0_and_leave_what_is_asked_for(command, scripts, tmp_path):
    kept = tmp_path / "kept"
    assert command(scripts(a="pass"), "--ip", "all", "--jobs", "2", "--out", str(kept))[0] == 0
    for version in Version:
        assert (kept / "6.12" / version.value / "a.pkt" / "console").stat().st_size > 0


@pytest.mark.usefixtures("kernel")
def test_a_sysctl_that_is_not_there_is_said_once(command, scripts):
    status, out, err = command(scripts(a="pass", b="pass"), "--sysctl", "net.ipv4.nothing=1")
    assert (status, out.count("ok")) == (1, 0)
    assert "cannot even do nothing" in err
    assert "cannot open /proc/sys/net/ipv4/nothing: No such file or directory" in err


@pytest.mark.usefixtures("kernel")
def test_a_packetdrill_that_does_not_run_is_said_once(command, scripts, tmp_path):
    broken = tmp_path / "broken"
    broken.write_bytes(b"\x7fELF\x02 is not all that it takes")
    broken.chmod(0o755)
    status, _, err = command(scripts(a="pass", b="pass"), program=broken)
    assert (status, err.count("cannot even do nothing")) == (1, 1)


needs_packetdrill = pytest.mark.skipif(
    not REAL, reason="TSQLAB_PACKETDRILL names no packetdrill, and Debian 12 has none"
)


@needs_packetdrill
@pytest.mark.usefixtures("kernel")
def test_what_the_series_promises(command):
    """Our own scripts: the sysctls' defaults, and the limits that a script can see."""
    status, out, _ = command(HERE, program=REAL)
    assert status == 0, out
    assert "# Totals: pass:6 " in out
