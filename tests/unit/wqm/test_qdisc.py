# SPDX-License-Identifier: GPL-2.0-or-later
"""The program on qdiscs of this machine's kernel, in a network of its own that nobody else sees.

The device is the loopback device, whose packets pass a qdisc like any others, and which has no
rate: it is given.
"""

import re
import subprocess

import pytest

import wqm_c

OLD = "pfifo limit 1000"
RUN = ("--rate 65Mbit", "--state state")


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return wqm_c.built(tmp_path_factory.mktemp("wqm"), *wqm_c.SANITIZED)


@pytest.fixture
def shell(program, tmp_path):
    """Run a script in a network of its own; `wqm` is the program, and may have a way to be run."""

    def run(script, qdisc=OLD):
        set_up = "set -e; ip link set lo up\n"
        if qdisc:
            set_up += f"tc qdisc replace dev lo root handle 1: {qdisc}\n"
        at_once = f'PATH="{program.parent}:$PATH"\n{set_up}{script}'
        done = wqm_c.own_network(at_once, tmp_path)
        if "is unknown" in done.stderr:
            pytest.skip(f"this machine's kernel has no {qdisc}")
        return done

    return run


def wqm(how="", options="", before=""):
    """A daemon, pings until it has seen one and set a limit, what tc shows, and how it is ended."""
    run = " ".join((*RUN, "--interval 10ms --log log", options))
    seen = (
        "until grep -q low log 2>ignored || ! kill -0 $!; do ping -q -c1 127.0.0.1 >ignored; done"
    )
    return f"rm -f log; {before} wqm lo {run} & {seen}; tc qdisc show dev lo; {how}\n"


def limits(text):
    return [int(limit) for limit in re.findall(r"qdisc \w+ 1: .*limit (\d+)", text)]


def rows(tmp_path):
    head, *lines = (tmp_path / "log").read_text().splitlines()
    return [dict(zip(head.split("\t"), line.split("\t"), strict=True)) for line in lines]


@pytest.mark.parametrize("qdisc", ["pfifo", "codel", "fq_codel"])
@pytest.mark.parametrize("signal", ["TERM", "HUP"])
def test_the_limit_is_set_and_put_back(shell, tmp_path, qdisc, signal):
    """An empty queue at 65 Mbit/s begins at 24 packets, and may grow by one in an interval."""
    end = f"kill -{signal} $!; wait $!; tc qdisc show dev lo"
    done = shell(wqm(end), f"{qdisc} limit 1000")
    assert (done.returncode, done.stderr) == (0, "")
    during, after = limits(done.stdout)
    logged = {int(row["limit_packets"]) for row in rows(tmp_path)} - {0}
    assert min(logged) == 24
    assert during in logged
    assert after == 1000
    assert not (tmp_path / "state").exists()


def test_a_limit_in_bytes_is_one_of_whole_frames(shell):
    done = shell(
        wqm("kill $!; wait $!; tc qdisc show dev lo").replace("tc qdisc", "tc -j qdisc"),
        "bfifo limit 100000",
    )
    during, after = (int(limit) for limit in re.findall(r'"limit":(\d+)', done.stdout))
    assert during % 1514 == 0
    assert during / 1514 >= 24
    assert after == 100000


def test_a_killed_one_leaves_what_restore_puts_back(shell, tmp_path):
    done = shell(
        wqm(
            "kill -9 $!; wait $! || true; cat state; wqm --restore lo --state state;"
            "tc qdisc show dev lo; wqm --restore lo --state state"
        )
    )
    assert limits(done.stdout)[1] == 1000
    assert "qdisc 1 pfifo 10000 1000\n" in done.stdout
    assert done.stderr.count("lo: another wqm was killed; the limit is 1000 again") == 1
    assert not (tmp_path / "state").exists()


def test_the_next_one_puts_back_what_a_killed_one_has_left(shell):
    killed = wqm("kill -9 $!; wait $! || true")
    done = shell(killed + wqm("kill $!; wait $!; tc qdisc show dev lo"))
    said = done.stderr.replace("Killed\n", "")  # a shell tells it or not
    assert said == "wqm: lo: another wqm was killed; the limit is 1000 again\n"
    assert limits(done.stdout)[-1] == 1000


def test_restore_leaves_another_qdisc_alone(shell):
    done = shell(
        wqm("kill -9 $!; wait $! || true")
        + "tc qdisc replace dev lo root handle 2: pfifo limit 77\n"
        "wqm --restore lo --state state; tc qdisc show dev lo"
    )
    assert "limit 77p" in done.stdout
    assert "lo: another wqm was killed; the queue whose limit was 1000 is gone" in done.stderr


@pytest.mark.parametrize("state", ["state", "elsewhere"])
@pytest.mark.parametrize("second", ["--rate 65Mbit", "--restore"])
def test_two_do_not_size_one_queue(shell, second, state):
    """Wherever the second keeps its old limit; it does not put that of the first back, either."""
    copied = "cp state elsewhere;" if second == "--restore" and state == "elsewhere" else ""
    tried = f"! wqm lo {second} --state {state}; tc qdisc show dev lo; cat state"
    done = shell(wqm(f"{copied} {tried}; kill $!; wait $!"))
    assert done.stderr == "wqm: lo: another wqm sizes its queue; stop that one first\n"
    assert all(24 <= limit <= 95 for limit in limits(done.stdout))
    assert "qdisc 1 pfifo 10000 1000\n" in done.stdout


def test_a_second_queue_may_be_sized_beside_the_first(shell):
    made = "ip link add v0 type veth peer name v1"
    if shell(made).returncode:
        pytest.skip("this machine has no veth")
    done = shell(
        f"{made}; ip link set v0 up; tc qdisc replace dev v0 root handle 1: {OLD}\n"
        + wqm(
            "first=$!; wqm v0 --rate 65Mbit --state v0 &"
            "until [ -s v0 ] || ! kill -0 $!; do sleep 0.1; done; kill $!; wait $!; kill $first"
        )
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "made",
    [
        *("echo txq 0 8192 and more >state", "echo qdisc 1 pfifo >state"),
        *("head -c 128 /dev/zero >state", "head -c 129 /dev/zero >state"),
        *("ln -s kept state", "mkdir state", "mkfifo state"),
    ],
)
def test_a_file_of_another_is_left_as_it_is(shell, made):
    look = "stat -c '%i %F %s %y' state"
    done = shell(f"{made}; {look}; ! wqm lo {' '.join(RUN)}; {look}")
    assert re.fullmatch(r"wqm: state: .*; .*try: --state FILE\n", done.stderr)
    before, after = done.stdout.splitlines()
    assert before == after


def test_an_empty_file_is_as_good_as_none(shell, tmp_path):
    """One is left by a kill between its making and its writing, when nothing was changed yet."""
    done = shell(": >state; wqm --restore lo --state state\n" + wqm("kill $!; wait $!"))
    assert (done.returncode, done.stderr) == (0, "")
    assert not (tmp_path / "state").exists()


def test_a_full_disk_is_an_error_that_changes_nothing(shell):
    done = shell(
        "mkdir small; mount -t tmpfs -o size=4k,nr_inodes=3 none small\n"
        "head -c 4096 /dev/zero >small/x\n"
        "wqm lo --rate 65Mbit --state small/state || tc qdisc show dev lo; ls small"
    )
    assert done.stderr == "wqm: small/state: No space left on device; nothing was changed\n"
    assert limits(done.stdout) == [1000]
    assert done.stdout.endswith("\nx\n")


def test_a_replaced_root_ends_it(shell, tmp_path):
    done = shell(wqm("tc qdisc replace dev lo root handle 2: pfifo limit 77; wait $!"))
    assert done.returncode == 1
    assert "somebody has replaced its root, the pfifo 1:" in done.stderr
    assert not (tmp_path / "state").exists()


def test_a_device_that_goes_ends_it_without_a_fault(shell, tmp_path):
    made = "ip link add v0 type veth peer name v1"
    if shell(made).returncode:
        pytest.skip("this machine has no veth")
    done = shell(
        f"{made}; ip link set v0 up; tc qdisc replace dev v0 root handle 1: {OLD}\n"
        f"wqm v0 {' '.join(RUN)} --interval 10ms &\n"
        "until [ -s state ]; do sleep 0.1; done; ip link del v0; wait $!"
    )
    assert (done.returncode, done.stderr) == (0, "wqm: v0: the device is gone\n")
    assert not (tmp_path / "state").exists()


def test_a_signal_has_it_tell_how_things_are(shell):
    done = shell(wqm("kill -USR1 $!; kill $!; wait $!"))
    assert re.search(
        r"lo: limit of the pfifo: \d+ packets \(it was 1000 packets\); .*\d+ intervals", done.stderr
    )


def test_a_dry_run_changes_nothing_and_needs_no_privilege(shell, tmp_path):
    nobody = "setpriv --bounding-set=-all"
    done = shell(
        wqm("kill $!; wait $!", "--dry-run", nobody) + f"{nobody} wqm lo {' '.join(RUN)} --once"
    )
    assert done.returncode == 0
    assert limits(done.stdout) == [1000]
    assert int(rows(tmp_path)[-1]["limit_packets"]) >= 24
    assert "lo: limit of the pfifo: not changed yet (it was 1000 packets)" in done.stderr
    assert not (tmp_path / "state").exists()


def test_one_capability_is_enough(shell):
    done = shell(wqm("kill $!; wait $!", before="setpriv --bounding-set=-all,+net_admin"))
    assert (done.returncode, done.stderr) == (0, "")
    assert limits(done.stdout)[0] >= 24


def test_without_it_the_error_names_it(shell, tmp_path):
    done = shell(f"setpriv --bounding-set=-all wqm lo {' '.join(RUN)}")
    assert (done.returncode, done.stderr) == (
        1,
        "wqm: lo: its limit cannot be set: Operation not permitted; "
        "that takes CAP_NET_ADMIN, try: sudo wqm, or --dry-run\n",
    )
    assert not (tmp_path / "state").exists()


@pytest.mark.parametrize(
    ("options", "qdisc", "said"),
    [
        ("none0", None, "none0: No such device; `ip link` names the devices"),
        ("lo --rate 65Mbit", None, "its root is noqueue, whose limit wqm cannot set; .* try: tc "
         "qdisc replace dev lo root handle 1: pfifo limit 1000"),
        ("lo --rate 65Mbit", "sfq", "its root is sfq, whose limit wqm cannot set"),
        ("lo", None, "it is no Wi-Fi device of cfg80211, so nobody says its rate; give it, as in"),
        ("lo", OLD, "it is no Wi-Fi device of cfg80211, so nobody says its rate; give it, as in"),
        ("lo --rate 1Mbit --actuator txq", OLD, "it has no TXQs, .* try: --actuator qdisc"),
        ("lo --rate 1Mbit --state /none/x", OLD, "/none/x: No such file .* try: --state FILE"),
        ("lo --rate 1Mbit --log /none/x", OLD, "--log /none/x: No such file or directory"),
    ],
)  # fmt: skip
def test_what_cannot_be_sized_is_an_error_that_says_what_to_do(shell, options, qdisc, said):
    done = shell(f"wqm {options}", qdisc)
    assert done.returncode == 1
    assert re.search(said, done.stderr)
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("", "a device is missing; try: wqm wlan0"),
        ("a b", "one device at a time"),
        ("a/b", "a/b: no device has such a name"),
        ("a-name-too-long-", "no device has such a name"),
        ("lo --limit 2.5", "--limit 2.5: it has to be a time from 0.1ms to 1000ms"),
        ("lo --limit 1us", "--limit 1us: it has to be a time"),
        ("lo --limit 0.0000001s", "--limit 0.0000001s: it has to be a time"),
        ("lo --interval 9ms", "--interval 9ms: it has to be a time from 10ms to 10000ms"),
        ("lo --interval 9999999999ms", "--interval 9999999999ms: it has to be a time"),
        ("lo --rate 0Mbit", "--rate 0Mbit: it has to be tx, expected, or a rate"),
        ("lo --rate 5000Gbit", "--rate 5000Gbit: it has to be"),
        ("lo --rate 1.0001kbit", "--rate 1.0001kbit: it has to be"),
        ("lo --actuator aql", "--actuator aql: it has to be auto, qdisc or txq"),
        ("lo --nothing", "wqm --help has the options"),
        ("lo --restore --once", "--restore changes the limit, which --dry-run and --once do not"),
    ],
)
def test_bad_usage_says_what_would_be_accepted(program, options, said):
    done = subprocess.run([program, *options.split()], capture_output=True, text=True)
    assert done.returncode == 2
    assert said in done.stderr


@pytest.mark.parametrize("option", ["--limit 2.5ms", "--limit 0.0025s", "--limit 2500us"])
def test_a_time_may_be_in_any_unit(shell, option):
    done = shell(f"wqm lo {' '.join(RUN)} --once {option}")
    assert done.returncode == 0


def test_the_help_has_every_option(program):
    said = subprocess.run([program, "--help"], capture_output=True, text=True).stdout
    source = (wqm_c.WQM / "options.c").read_text()
    known = re.findall(r'\{ "([a-z-]+)", (?:no|required)_argument', source)
    assert set(known) == set(re.findall(r"--([a-z-]+)", said))
