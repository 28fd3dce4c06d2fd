# SPDX-License-Identifier: GPL-2.0-or-later
"""[[vary]]: what may be said of a link over time, in the file or in one that it names."""

import struct

import pytest

from tsqlab.errors import FileError, UsageError
from tsqlab.experiment.conditions import Conditions, differences
from tsqlab.experiment.load import load
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.experiment.stored import _SPEC, measured
from tsqlab.guest.plan import make_plan
from tsqlab.units import BASE_UNITS

HEAD = 'title = "Changes"\n'
WIFI = HEAD + '[testbed]\nlayout = "wifi"\ndevice = "ath9k"\nserver = "AP"\n'
BEGIN_NS = 15_000_000_000  # of flows, after 5 s of ping alone


def experiment(tmp_path, *changes, head=HEAD, **files):
    """An experiment with such [[vary]] tables, beside *files*."""
    path = tmp_path / "changes.toml"
    path.write_text(head + "".join(f"[[vary]]\n{change}\n" for change in changes))
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    return load(str(path))


def plan_of(tmp_path, *changes, head=HEAD, **files):
    spec = experiment(tmp_path, *changes, head=head, **files).spec
    return make_plan(spec, load_profile(spec.testbed.device))


def schedule(plan, name):
    """A schedule's kind, beginning, period and entries."""
    data = bytes.fromhex(plan.batches[name].strip())
    kind, start_ns, period_ns, count, *words = struct.unpack(f"={len(data) // 8}Q", data)
    assert count == len(words) // 2
    return kind, start_ns, period_ns, list(zip(words[::2], words[1::2], strict=True))


RATE = 'link = "R>S"\nrate = [["0 s", "10 Mbit/s"], ["1.5 s", "2500 kbit/s"]]'


def test_a_wire_is_given_its_rates_before_it_moves(tmp_path):
    plan = plan_of(tmp_path, RATE + '\nrepeat = "4 s"')
    rates = [(0, 10_000), (1_500_000_000, 2_500)]
    assert schedule(plan, "r1.rates") == (0, BEGIN_NS, 4_000_000_000, rates)
    write = ["write-hex", "-", "/sys/class/net/r1/wireline/schedule", "/tsqlab/plan/r1.rates"]
    assert write in plan.set_up
    assert plan.set_up.index(write) < plan.set_up.index(
        ["run", "-", "ip", "-batch", "/tsqlab/plan/move.ip"]
    )
    assert not [line for line in plan.measurement if line[0] == "later"]


def test_both_ways_of_a_wire(tmp_path):
    plan = plan_of(tmp_path, 'link = "C-R"\ndelay = [["0 s", "5 ms"]]')
    for name in ("c0.delays", "r0.delays"):
        assert schedule(plan, name) == (2, BEGIN_NS, 0, [(0, 5_000_000)])


def test_deliveries_come_again_after_the_last_unless_told(tmp_path):
    entries = [(0, 1500), (3_000_000, 1500), (3_000_000, 1500)]
    once = plan_of(tmp_path, 'link = "R>S"\ndeliveries = [0, 3, 3]')
    assert schedule(once, "r1.deliveries") == (1, BEGIN_NS, 3_000_000, entries)
    later = plan_of(tmp_path, 'link = "R>S"\ndeliveries = [0, 3, 3]\nrepeat = "10 ms"')
    assert schedule(later, "r1.deliveries")[2] == 10_000_000


def test_losses_are_netems_which_is_there_from_the_start(tmp_path):
    plan = plan_of(tmp_path, 'link = "R>S"\nloss = [["1 s", "0.5 %"], ["2 s", "0 %"]]')
    assert "netem limit 10000000\n" in plan.batches["R.tc"]
    netem = "tc\tqdisc\tchange\tdev\tr1\troot\thandle\t5:\tnetem\tlimit\t10000000"
    assert plan.batches["later"].splitlines() == [
        f"{BEGIN_NS + 10**9}\trun\tR\t{netem}\tloss\t0.5000000%",
        f"{BEGIN_NS + 2 * 10**9}\trun\tR\t{netem}",
        "end",
    ]
    assert ["later", "-", "later", "/tsqlab/plan/later"] in plan.measurement


def test_a_radio_link_is_told_by_airlink_in_the_order_of_time(tmp_path):
    plan = plan_of(
        tmp_path,
        'link = "C-AP"\nsnr = [["0 s", "30 dB"], ["2 s", "12.5 dB"]]\nrepeat = "30 s"',
        'link = "C>AP"\nrate = [["1 s", "HT20 MCS0"]]',
        head=WIFI,
    )
    lines = [line.split("\t") for line in plan.batches["later"].splitlines()]
    times = [int(line[0]) - BEGIN_NS for line in lines[:-1]]
    assert times == sorted(times)
    # 60 s of flows and 5 s of ping after them are three rounds: both ways, and the rate.
    assert len(times) == 2 * 2 * 3 - 2 * 1 + 1 + 2 * 1
    assert {tuple(line[1:4]) for line in lines[:-1]} == {("genl", "-", "airlink")}


TABLE = "t_s,rate_mbps,delay_ms\n0,50,20.5\n15,0.064,40\n"


def test_a_table_in_a_file(tmp_path):
    plan = plan_of(tmp_path, 'link = "R>S"\nfile = "sky.csv"', **{"sky.csv": TABLE})
    assert schedule(plan, "r1.rates")[3] == [(0, 50_000), (15 * 10**9, 64)]
    assert schedule(plan, "r1.delays")[3] == [(0, 20_500_000), (15 * 10**9, 40_000_000)]


def test_a_trace_of_mahimahis(tmp_path):
    plan = plan_of(tmp_path, 'link = "R>S"\ndeliveries = "lte.up"', **{"lte.up": "1\n1\n7\n"})
    assert [at for at, _ in schedule(plan, "r1.deliveries")[3]] == [10**6, 10**6, 7 * 10**6]


def test_what_a_file_says_is_kept_with_the_result(tmp_path):
    spec = experiment(tmp_path, 'link = "R>S"\nfile = "sky.csv"', **{"sky.csv": TABLE}).spec
    again = _SPEC.validate_python(measured(spec), context={BASE_UNITS: True})
    assert again == spec
    assert "vary" not in measured(Spec(title="none"))


def test_cells_differ_by_what_changes(tmp_path):
    profile = load_profile("gigabit")
    specs = [experiment(tmp_path, change).spec for change in (RATE, RATE.replace("10 M", "12 M"))]
    (change,) = differences(*(Conditions(spec, profile) for spec in specs))
    assert str(change) == (
        "vary.1.rate = 0 s 10 Mbit/s, 1.5 s 2500 kbit/s -> 0 s 12 Mbit/s, 1.5 s 2500 kbit/s"
    )
    long = [f'link = "R>S"\ndeliveries = {[*range(1, 50), last]}' for last in (60, 61)]
    (change,) = differences(*(Conditions(experiment(tmp_path, one).spec, profile) for one in long))
    assert change.old.startswith("50 instants, ")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ('link = "R>S"', "nothing changes of it; expected one of rate, delay, loss"),
        ('link = "R>T"\ndelay = [["0 s", "1 ms"]]', 'no link "R>T"; did you mean "R>S"?'),
        ('link = "R>S"\nsnr = [["0 s", "1 dB"]]', "R>S is a wire, of which vary rate, delay"),
        ('link = "R>S"\nrate = "10 Mbit/s"', 'expected instants and values, as [["0 s", ...'),
        ('link = "R>S"\nrate = []', "expected instants and values"),
        ('link = "R>S"\nrate = [["0 s", "HT20 MCS0"]]', "expected a number with a unit (bit/s"),
        ('link = "R>S"\nrate = [["0 s", "1 bit/s"]]', "expected a whole number of kbit/s"),
        ('link = "R>S"\nrate = [["0 s", "200 Gbit/s"]]', "kbit/s up to 100 Gbit/s"),
        ('link = "R>S"\ndelay = [["0 s", "11 s"]]', "expected 0 s to 10 s"),
        ('link = "R>S"\ndelay = [["1 s", "0 s"], ["1 s", "1 ms"]]', "1 s comes after 1 s"),
        (RATE + '\nrepeat = "1.5 s"', "expected more than 1500 ms, the last instant of rate"),
        (RATE + "\ndeliveries = [1]", "say what a wire carries as rate does"),
        ('link = "R>S"\ndeliveries = [2, 1]', "expected instants in ms that ascend"),
        ('link = "R>S"\ndeliveries = [0, 0]', "expected an instant after 0 ms"),
        ('link = "R>S"\ndeliveries = [5]\nrepeat = "4 ms"', "expected 5 ms, the last delivery"),
        (f'link = "R>S"\ndeliveries = {[1] * 1001}', "no more than a delivery in a us"),
        (
            'link = "R>S"\nloss = [["0 s", "1 %"], ["1 us", "0 %"]]\nrepeat = "1 ms"',
            "loss changes 130002 times; expected 100000 at most",
        ),
        ('link = "R>S"\nfile = 3', "expected the name of a file, not 3"),
        ('link = "R>S"\nfile = "none.csv"', "none.csv: cannot be read: No such file"),
        ('link = "R>S"\nspeed = 3', "unknown key"),
    ],
)
def test_what_cannot_be(tmp_path, change, message):
    with pytest.raises(UsageError) as raised:
        experiment(tmp_path, change)
    assert message in str(raised.value)


def test_the_same_twice(tmp_path):
    with pytest.raises(UsageError, match=r"changes.toml:7: vary.2.delay: the delay of R>S varies"):
        experiment(
            tmp_path, 'link = "R>S"\ndelay = [["0 s", "1 ms"]]',
            'link = "R-S"\ndelay = [["0 s", "2 ms"]]',
        )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "sky.csv:1: expected a line of names: t_s"),
        ("t_s\n0\n", "sky.csv:1: expected a line of names: t_s"),
        ("t_s,rate\n", 'sky.csv:1: no column "rate"; did you mean "phy_rate"'),
        ("t_s,rate_mbps,rate_kbps\n", 'sky.csv:1: "rate_kbps" says rate once more'),
        ("t_s,delay_ms\n0,1\n1\n", "sky.csv:3: has 1 values; expected 2"),
        ("t_s,delay_ms\n0,x\n", "expected a number with a unit"),
        ("t_s,delay_ms\n-1,1\n", "expected a number with a unit"),
        ("t_s,delay_ms\n", "expected instants and values"),
        ("\xff", "sky.csv"),
    ],
)
def test_a_table_that_is_none(tmp_path, text, message):
    with pytest.raises(UsageError) as raised:
        experiment(tmp_path, 'link = "R>S"\nfile = "sky.csv"', **{"sky.csv": text})
    assert message in str(raised.value)


@pytest.mark.parametrize("line", ["", "x", "-1", "1.5", "٣", "9" * 12])
def test_a_trace_that_is_none(tmp_path, line):
    with pytest.raises(FileError, match="lte.up:2: expected a whole number of ms"):
        experiment(tmp_path, 'link = "R>S"\ndeliveries = "lte.up"', **{"lte.up": f"1\n{line}\n2\n"})
