# SPDX-License-Identifier: GPL-2.0-or-later
"""The module bbrs in a guest: its core is mainline's BBR to the bit, and what its controls change.

What holds the core is the kernel's own `bbr` beside it: the same cell, sample by sample.
"""

import numpy as np
import pytest

from tsqlab.experiment.era import ERAS
from tsqlab.experiment.matrix import Cell
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.kernels import Recipe, build
from tsqlab.results.flent import read_flent
from tsqlab.runner.cell import Job, run_cell

TODAY = {"era": "today"}
PATH = {"bottleneck": "R100M", "base_rtt": "20 ms"}
LONG = {"length": "13 s", "delay": "1 s"}  # PROBE_RTT is after 10 s
SHORT = {"length": "4 s", "delay": "1 s"}
HOST = {"offloads": "on", "truesize": "kernel"}

SAME = {
    "wire": {"testbed": PATH, "flows": LONG},
    # A fifth of the packets lost is what the search for a policer begins at.
    "loss": {"testbed": {**PATH, "egress": {"C>R": {"loss": "3 %"}}}, "flows": LONG},
    "policer": {"testbed": {**PATH, "egress": {"C>R": {"loss": "22 %"}}}, "flows": SHORT},
    "idle": {"testbed": PATH, "flows": {**SHORT, "test": "rrul_be"}},
    "ath9k": {"testbed": {"layout": "wifi", "device": "ath9k"}, "flows": LONG},
}


def spec_of(control, spec, **sender):
    return {
        "lab": TODAY,
        **spec,
        "sender": {**HOST, "congestion_control": control, **sender},
    }


def rows(document):
    return document["raw_values"]["TCP upload::1"]


def steady(document, key):
    """The samples of the second half of the flow."""
    values = [row[key] for row in rows(document)]
    return np.array(values[len(values) // 2 :])


def at_length(path):
    """A parameter whose cells take seconds: of `make test-kernels`."""
    return pytest.param(path, marks=pytest.mark.kernels)


def test_bbr_s_own_cycle_written_out_is_mainline_s_bbr_to_the_bit(cell):
    own = cell(spec_of("bbr_cycle", SAME["wire"], cycle="1.25/0.75/6"))
    assert own["raw_values"] == cell(spec_of("bbr", SAME["wire"]))["raw_values"]


@pytest.mark.parametrize("control", ["bbrplus", "bbr_cycle"])
@pytest.mark.parametrize("path", ["wire", *(at_length(path) for path in SAME if path != "wire")])
def test_at_stock_settings_it_is_mainline_s_bbr_to_the_bit(cell, control, path):
    own, mainline = (cell(spec_of(name, SAME[path])) for name in (control, "bbr"))
    assert own["raw_values"] == mainline["raw_values"]


@pytest.mark.kernels
@pytest.mark.parametrize("era", [era for era in ERAS if era != "today"])
def test_in_an_era_it_is_as_old_as_the_kernel_s_own(era, tmp_path, cpu):
    kernel = build(Recipe(version="6.12", without=ERAS[era].patches))
    values = []
    for control in ("bbr", "bbrplus"):
        lab = {"era": era}
        data = {"title": "", **spec_of(control, {"testbed": PATH, "flows": SHORT, "lab": lab})}
        spec = Spec.model_validate(data)
        job = Job(Cell({}, spec), "key", load_profile("gigabit"), kernel, tmp_path / control)
        run_cell(job, cpu)
        values.append(read_flent(job.file)["raw_values"])
    assert values[0] == values[1]


def test_bbrplus_paces_by_the_ratios(cell):
    """What it may have in flight is the same, so on an idle link only the pace tells."""
    spec = {"testbed": {**PATH, "bottleneck": "L100M"}, "flows": SHORT}
    rates = []
    for pacing in ("2.0/1.2", "4.0/2.4", "6.0/3.6"):
        document = cell(spec_of("bbrplus", spec, pacing=pacing))
        rates.append(np.median(steady(document, "tcp_pacing_rate")))
    # The phase at the estimate is the median: 99 % of what the link carries.
    assert np.array(rates) == pytest.approx(np.array([1, 2, 3]) * rates[0], rel=0.02)


def test_bbrdev_leaves_no_queue_where_v1_does(cell):
    """Its DOWN lasts until the queue of UP is gone; v1's is over after an RTT."""
    rtts = {
        control: np.mean(steady(cell(spec_of(control, SAME["wire"])), "tcp_rtt"))
        for control in ("bbr", "bbrdev")
    }
    assert rtts["bbrdev"] - 20 < (rtts["bbr"] - 20) / 1.5


def dips(document):
    """When cwnd falls to half and less of what is usual, and how far: PROBE_RTT."""
    table = [(row["t"], row["tcp_cwnd"]) for row in rows(document)[10:]]  # past STARTUP
    usual, found = np.median([cwnd for _, cwnd in table]), []
    for t, cwnd in table:
        if cwnd > usual / 2:
            continue
        if found and t - found[-1][0] < 1:
            found[-1] = (found[-1][0], min(found[-1][1], cwnd))
        else:
            found.append((t, cwnd))
    return found


@pytest.mark.parametrize(
    ("control", "period_s", "depth"), [("bbrplus", 10, 4), ("bbr2", 5, 83), ("bbr3", 5, 83)]
)
def test_probe_rtt_comes_when_it_is_due_and_is_as_deep_as_said(cell, control, period_s, depth):
    """Half of a BDP is 83 packets of 1448 bytes: 96 Mbit/s of payload for 20 ms."""
    flows = {**LONG, "length": f"{2 * period_s + 3} s", "step": "50 ms"}
    times, depths = zip(
        *dips(cell(spec_of(control, {"testbed": PATH, "flows": flows}))), strict=True
    )
    assert len(times) >= 2
    # The RTT that expires is that of the last PROBE_RTT, which takes 200 ms and a round.
    assert np.diff(times) == pytest.approx(period_s + 0.2, abs=0.3)
    assert np.array(depths) == pytest.approx(depth, rel=0.05)


@pytest.mark.parametrize(
    ("control", "up", "down", "more"),
    [
        ("bbrplus", 1.25, 0.75, {}),
        ("bbr2", 1.25, 0.75, {}),
        ("bbr3", 1.25, 0.91, {}),
        ("bbr_cycle", 1.5, 0.6, {"cycle": "1.5/0.6/5"}),
    ],
)
def test_phases_have_their_gains(cell, control, up, down, more):
    flows = {"length": "13 s", "delay": "1 s", "step": "10 ms"}
    spec = spec_of(control, {"testbed": PATH, "flows": flows}, **more)
    rates = steady(cell(spec), "tcp_pacing_rate")
    # The estimate moves by a few percent from cycle to cycle, so steps tell: into UP, and from
    # UP to DOWN. Out of DOWN is a larger one (1 / 0.75), or too small to count (1 / 0.91).
    steps = rates[1:] / rates[:-1]
    assert np.min(steps[steps > 1.15]) == pytest.approx(up, rel=0.03)
    assert np.median(steps[steps < 0.85]) == pytest.approx(down / up, rel=0.03)


@pytest.mark.kernels
@pytest.mark.parametrize("control", ["bbr2", "bbr3"])
def test_a_loss_of_1_percent_is_borne_and_one_of_3_is_answered(cell, control):
    """2 % is the threshold. The first version bears both."""
    goodputs = {}
    for name, loss in ((control, "1 %"), (control, "3 %"), ("bbrplus", "3 %")):
        testbed = {**PATH, "egress": {"C>R": {"loss": loss}}}
        document = cell(spec_of(name, {"testbed": testbed, "flows": {**LONG, "step": "100 ms"}}))
        values = [row["val"] for row in rows(document) if "val" in row]
        goodputs[name, loss] = np.mean(values[len(values) // 4 :])
    assert goodputs["bbrplus", "3 %"] > 90
    assert goodputs[control, "1 %"] > 0.8 * 94
    assert goodputs[control, "3 %"] < 0.8 * 94


PAUSES = """\
import socket, sys, time
role, control = sys.argv[1:]
if role == "receiver":
    with socket.create_server(("", 9000)) as listener, open("/tsqlab/out/received", "w") as log:
        peer = listener.accept()[0]
        while data := peer.recv(1 << 20):
            print(time.monotonic(), len(data), file=log)
    sys.exit()
peer = socket.socket()
peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, control.encode())
peer.connect(("10.0.2.1", 9000))
begun = time.monotonic()
while time.monotonic() < begun + 2:
    peer.send(b"x" * 65536)
while time.monotonic() < begun + 5:
    peer.send(b"x" * 1000)
    time.sleep(0.05)
while time.monotonic() < begun + 6:
    peer.send(b"x" * 65536)
"""


@pytest.mark.kernels
@pytest.mark.parametrize("control", ["bbrplus", "bbrdev", "bbr2", "bbr3"])
def test_after_a_program_had_nothing_to_send_it_is_as_fast_as_before(guest, control):
    """What such a program's ACKs say is not the path's bandwidth."""
    script = f"python3 /tsqlab/plan/pauses receiver {control} & sleep 0.1; exec ip netns exec C "
    lines = [
        f"run\tS\tsh\t-c\t{script} python3 /tsqlab/plan/pauses sender {control}",
        "clock\t30000000000\t100000000\t30100000000",
        "end",
    ]
    spec = spec_of(control, {"testbed": PATH})
    received = (guest(*lines, spec=spec, batches={"pauses": PAUSES}) / "received").read_text()
    times, sizes = np.array([line.split() for line in received.splitlines()], float).T
    times -= times[0]

    def goodput(begin_s, end_s):
        within = (times >= begin_s) & (times < end_s)
        return sizes[within].sum() * 8 / (end_s - begin_s) / 1e6

    assert goodput(1, 2) > 90
    assert goodput(3, 5) < 1
    # The first 1 MB and more was in the socket's buffer when the pause began.
    assert goodput(5.1, 5.5) > 0.9 * goodput(1, 2)


def test_the_parameters_of_bbr_cycle_are_bounded(guest):
    parameters = "/sys/module/bbrs/parameters"
    script = (
        f"cd {parameters}; echo 150 >cycle_up; echo 90 >cycle_down; echo 3 >cycle_cruise; "
        "echo 391 >cycle_up; echo 0 >cycle_cruise; echo 9 >cycle_down; "
        "cat cycle_up cycle_down cycle_cruise cycle_drain >/tsqlab/out/parameters"
    )
    clock = "clock\t10000000000\t100000000\t10100000000"
    out = guest("module\t/tsqlab/modules/bbrs.ko", f"run\t-\tsh\t-c\t{script}", clock, "end")
    assert (out / "parameters").read_text().split() == ["150", "90", "3", "N"]
