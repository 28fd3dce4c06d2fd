# SPDX-License-Identifier: GPL-2.0-or-later
"""A guest in gdb: it stops at the same instant each time, and goes as it does without.

All that needs no debug information is tested over the usual kernel; a kernel that has it takes ten
minutes of CPU time, and is of test-kernels.
"""

import itertools
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest

from planted import BUG_LINE, LOADED, with_planted
from single import single
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.guest.boot import GuestError, Machine
from tsqlab.guest.debug import Stop, run_in_gdb
from tsqlab.guest.plan import make_plan
from tsqlab.guest.run import run_plan
from tsqlab.kernels import Recipe, build
from user import User

pytestmark = pytest.mark.skipif(shutil.which("gdb") is None, reason="needs gdb")

S = 10**9
BEGIN_NS = 10 * S
WIRED = {"flows": {"length": "1.5 s", "delay": "0.5 s"}}
WIFI = {"testbed": {"layout": "wifi"}, **WIRED}
NODES = {"c0": "C", "r0": "R", "r1": "R", "s0": "S", "wlan1": "C"}


def plan_of(spec):
    spec = Spec.model_validate(single(spec))
    return make_plan(spec, load_profile(spec.testbed.device))


@pytest.fixture(scope="session")
def debug_kernel():
    return build(Recipe(extra=("debug",)))


@pytest.fixture(autouse=True)
def patience():
    """A guest that does not come to its stop is a failure, and not a run that never ends."""

    def give_up(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(200)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def gdb(kernel, tmp_path, capfd, cpu):
    """What gdb says of a wired cell, and its exit status, after *commands* at the stop."""
    counter = itertools.count()

    def run(*commands, at_s=None, symbols=(), plan=None, of=kernel):
        at_ns = None if at_s is None else BEGIN_NS + int(at_s * S)
        stop = Stop(BEGIN_NS, at_ns, symbols, commands, is_batch=True, node_of=NODES)
        folder = tmp_path / f"gdb{next(counter)}"
        folder.mkdir()
        machine = Machine(of, 256 << 20, 1, cpu)
        status = run_in_gdb(machine, plan or plan_of(WIRED), stop, folder, "dumb")
        return status, capfd.readouterr().out

    return run


def test_it_stops_at_an_instant_the_same_each_time(gdb):
    looks = ("print *(unsigned long *)&jiffies_64", "print $sp", "backtrace", "info registers")
    runs = [gdb(*looks, at_s=0.7) for _ in range(2)]
    assert runs[0] == runs[1]
    status, said = runs[0]
    assert status == 0
    assert "tsqlab: virtual time 0.700000000 s of the measurement, 10700000000 ns" in said
    assert "timer_handler ()" in said


def test_it_stops_at_a_symbol_from_an_instant_on_with_the_same_packet(gdb):
    # The first argument is the socket, and its memory is the same each time.
    looks = ("print/x $rdi", "print *(unsigned long *)&jiffies_64")
    runs = [gdb(*looks, at_s=0.7, symbols=("tcp_write_xmit",)) for _ in range(2)]
    assert runs[0] == runs[1]
    (since,) = re.findall(r"tsqlab: virtual time (\d+\.\d{9}) s", runs[0][1])
    assert 0.7 <= float(since) < 0.8
    assert re.search(r"\$1 = 0x[0-9a-f]{8}", runs[0][1])


def test_the_beginning_is_an_instant(gdb):
    assert "virtual time 0.000000000 s" in gdb("backtrace 1", at_s=0)[1]


def test_it_goes_on_until_another_instant(gdb):
    said = gdb("lab-until 0.8s", "lab-until 0.81", at_s=0.7)[1]
    for time_s in ("0.700000000", "0.800000000", "0.810000000"):
        assert f"virtual time {time_s} s" in said


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("lab-until 0.6s", "it is 0.700000000 s already"),
        ("lab-until soon", "expected an instant of the measurement in s"),
        ("lab-until", "expected an instant"),
    ],
)
def test_an_instant_that_cannot_be(gdb, command, said):
    status, output = gdb(command, at_s=0.7)
    assert status == 1
    assert said in output


def test_a_symbol_that_is_not_there(gdb):
    status, said = gdb("backtrace", symbols=("no_such_function",))
    assert status == 2
    assert 'tsqlab: no symbol "no_such_function" in the kernel, nor in airlink, bbrs, wireline' in (
        said
    )


def test_what_a_guest_measures_is_what_it_does_without_gdb(gdb, kernel, tmp_path, cpu):
    """Stopped twice, and looked at."""
    machine = Machine(kernel, 256 << 20, 1, cpu)
    without = run_plan(machine, plan_of(WIRED), tmp_path / "without")
    _, said = gdb("backtrace", "lab-until 0.8s", "continue", at_s=0.7)
    assert "tsqlab: the guest has done its work and ended" in said
    within = tmp_path / "gdb0" / "out"
    files = sorted(path.name for path in without.iterdir())
    assert sorted(path.name for path in within.iterdir()) == sorted([*files, "console"])
    assert len(files) > 3
    for name in files:
        assert (within / name).read_bytes() == (without / name).read_bytes(), name


def test_a_guest_that_fails_says_why(gdb):
    plan = plan_of(WIRED).after_set_up(["write", "C", "/proc/sys/nothing", "1"])
    assert "cannot open /proc/sys/nothing" in gdb(plan=plan)[1]


def test_a_planted_bug_says_its_line_over_any_kernel(kernel, tmp_path, cpu):
    machine = Machine(with_planted(kernel, tmp_path), 256 << 20, 1, cpu)
    with pytest.raises(GuestError) as caught:
        run_plan(machine, plan_of(WIRED).after_set_up(LOADED), tmp_path / "guest")
    assert caught.value.died
    assert re.search(
        rf"BUG: failure at \S*planted.c:{BUG_LINE}/planted_check\(\)!", str(caught.value)
    )


def test_gdb_stops_where_the_kernel_dies(gdb, kernel, tmp_path):
    plan = plan_of(WIRED).after_set_up(LOADED)
    said = gdb("backtrace", plan=plan, of=with_planted(kernel, tmp_path))[1]
    assert "tsqlab: virtual time 1.0000" in said
    assert "tsqlab: the guest's kernel dies here" in said
    assert re.search(r"#0 .* panic \(", said)


AT_TERMINAL = """
import sys
from pathlib import Path
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.guest.boot import Machine
from tsqlab.guest.debug import Stop, run_in_gdb
from tsqlab.guest.plan import make_plan
from tsqlab.kernels import Recipe, build
spec = Spec.model_validate({"title": "x", "flows": {"length": "2000 s"}})
plan = make_plan(spec, load_profile(spec.testbed.device))
machine = Machine(build(Recipe()), 256 << 20, 1)
stop = Stop(10**10, int(sys.argv[2]) or None, commands=("print 6 * 7",))
sys.exit(run_in_gdb(machine, plan, stop, Path(sys.argv[1]), "xterm"))
"""


@pytest.fixture(autouse=True)
def built(kernel):
    """The kernel is there before anything is waited for."""


@pytest.fixture
def at_terminal(tmp_path):
    users = []

    def begin(at_ns):
        folder = tmp_path / "at"
        folder.mkdir()
        users.append(User([sys.executable, "-c", AT_TERMINAL, str(folder), str(at_ns)]))
        return users[-1]

    yield begin
    for user in users:
        user.close()


def test_at_a_terminal(at_terminal):
    user = at_terminal(10 * S + S // 10)
    user.sees("virtual time 0.100000000 s")
    user.sees(r"\$1 = 42")
    user.types("print 40 + 3\r")
    user.sees(r"\$2 = 43")
    user.types("quit\r")
    assert user.status() == 0
    assert user.is_cooked


def test_ctrl_c_stops_the_guest(at_terminal):
    user = at_terminal(0)
    user.sees("Starting program")
    time.sleep(2)
    user.types("\x03")
    user.sees("received signal SIGINT")
    user.sees("tsqlab: virtual time ")
    user.sees(r"\$1 = 42")
    user.types("print 40 + 3\r")
    user.sees(r"\$2 = 43")
    user.types("quit\r")
    assert user.status() == 0
    assert user.is_cooked


def test_gdb_that_is_left_takes_the_guest_with_it(at_terminal, processes, tmp_path):
    user = at_terminal(10 * S)
    user.sees("virtual time 0.000000000 s")
    assert processes(f"{tmp_path}/at/plan"), "bubblewrap has been told of it"
    user.types("\x1d\x1d\x1d")
    assert user.status() == 1
    assert user.is_cooked
    until = time.monotonic() + 20
    while (left := processes(f"{tmp_path}/at/plan")) and time.monotonic() < until:
        time.sleep(0.1)
    assert not left


@pytest.mark.kernels
def test_a_planted_bug_has_lines_all_the_way(debug_kernel, tmp_path, cpu):
    machine = Machine(with_planted(debug_kernel, tmp_path), 256 << 20, 1, cpu)
    with pytest.raises(GuestError) as caught:
        run_plan(machine, plan_of(WIRED).after_set_up(LOADED), tmp_path / "guest")
    # A call that does not return is last in its function, and would return to the next one.
    assert f"planted.c:{BUG_LINE}/planted_check()!" in str(caught.value)
    assert re.search(r"planted_fires\+\S+ \[planted\]  planted.c:\d+\n", str(caught.value))
    assert re.search(r"hrtimer_interrupt\+\S+  kernel/time/hrtimer.c:\d+\n", str(caught.value))


@pytest.mark.kernels
def test_gdb_stops_before_a_planted_bug(gdb, debug_kernel, tmp_path):
    plan = plan_of(WIRED).after_set_up(LOADED)
    _, said = gdb(
        "print now_ns", "continue", "backtrace", plan=plan, symbols=("planted_check",),
        of=with_planted(debug_kernel, tmp_path),
    )  # fmt: skip
    stopped, dies = said.index("planted_check (now_ns=11000000"), said.index("kernel dies here")
    assert stopped < dies
    assert re.search(r"\$1 = 11000000\d\d\d\n", said)
    assert f"planted.c:{BUG_LINE}" in said[dies:]


@pytest.mark.kernels
def test_a_module_s_symbols_and_the_lab_s_commands(gdb, debug_kernel):
    looks = ("print ppdu->frames", "backtrace 3", "print *ppdu")
    runs = [gdb(*looks, at_s=0.7, symbols=("al_ppdu_close",), plan=plan_of(WIFI), of=debug_kernel)
            for _ in range(2)]  # fmt: skip
    assert runs[0] == runs[1]
    assert re.search(r"Breakpoint 1, al_ppdu_close \(ppdu=0x[0-9a-f]+, answered=", runs[0][1])
    _, said = gdb("lab", "lab-skb skb", at_s=0.7, symbols=("__tcp_transmit_skb",), of=debug_kernel)
    assert re.search(r"tsqlab: process \d+ \(\w+\) in (node [CRS]|no node)", said)
    assert re.search(r"tsqlab: \d+ bytes, truesize \d+, \d+ segments, .* socket 0x[0-9a-f]+", said)


@pytest.mark.kernels
@pytest.mark.usefixtures("debug_kernel")
def test_the_command(tmp_path):
    path = tmp_path / "x.toml"
    path.write_text('title = "x"\n[flows]\nlength = "1 s"\ndelay = "0.2 s"\n')
    command = [sys.executable, "-m", "tsqlab.cli", "debug", str(path), "--at", "0.3 s"]
    given = [subprocess.run([*command, *more], input=b, capture_output=True, check=True).stdout
             for more, b in ((["--command", "lab"], b""), ([], b"lab\n"))]  # fmt: skip
    assert given[0] == given[1]
    assert given[0].count(b"tsqlab: virtual time 0.300000000 s of the measurement") == 2
