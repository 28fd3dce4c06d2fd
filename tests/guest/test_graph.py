# SPDX-License-Identifier: GPL-2.0-or-later
"""Testbeds that are graphs: packets get everywhere, and radios share what they share."""

import re

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from graphs import graphs
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.guest.boot import Machine
from tsqlab.guest.plan import Plan, make_plan
from tsqlab.guest.run import run_plan
from tsqlab.guest.testbed import wiring
from tsqlab.metrics import trace
from tsqlab.model.band import GHZ_2_4
from tsqlab.model.contention import Contender, simulate
from tsqlab.model.exchange import Settings, exchange
from tsqlab.model.mac import mpdu_bytes
from tsqlab.model.phy import Rate
from tsqlab.results.measurement import read_table

SHORT = {"length": "1 s", "delay": "0 s"}


def profiles(spec):
    changes = spec.testbed.profile
    return {name: load_profile(name, changes=changes.get(name, {}))
            for name in spec.testbed.graph.devices}  # fmt: skip


@pytest.fixture
def run(kernel, cpu, tmp_path_factory):
    """Run a plan in a guest; the folder that it wrote to."""
    return lambda plan: run_plan(
        Machine(kernel, 256 << 20, 1, cpu), plan, tmp_path_factory.mktemp("guest")
    )


def pings(spec):
    """A ping from each node to each other: the name of its series, and the plan's line."""
    addresses = spec.testbed.graph.addresses
    for here in addresses:
        for there in addresses:
            if here != there:
                series = f"ping-{here}-{there}"
                yield (
                    series,
                    ["ping", here, series, "icmp", addresses[there], "5001", "0", "200000000"],
                )


def goodput_mbps(document, begin_s, end_s):
    """Each flow's between two instants of the measurement."""
    found = []
    for name, series in sorted(document["results"].items()):
        if re.fullmatch(r"TCP upload::\d+", name):
            within = [value for time_s, value in zip(document["x_values"], series, strict=True)
                      if begin_s < time_s <= end_s and value is not None]  # fmt: skip
            found.append(sum(within) / len(within))
    return found


def test_a_parking_lot_on_wires_has_max_min_shares(cell):
    """Two links of 100 Mbit/s, a flow over both and one over each: 50 Mbit/s of frames each.

    HTB counts 1514 bytes for 1448 of payload: 47.8 Mbit/s. CUBIC over fq_codel.
    """
    document = cell({
        "testbed": {"layout": "parking-lot", "bottleneck": "R100M", "qdisc": "fq_codel",
                    "base_rtt": "10 ms"},
        "flows": {"streams": 3, "length": "16 s", "delay": "0 s"},
        "sender": {"offloads": "on"},
    })  # fmt: skip
    assert goodput_mbps(document, 6, 16) == [pytest.approx(50 * 1448 / 1514, rel=0.02)] * 3
    flows = trace(document).flows
    assert [(flow.sender, flow.receiver) for flow in flows] == [
        ("C", "S"), ("C1", "S1"), ("C2", "S2")
    ]  # fmt: skip


def saturated(run, spec, seconds):
    """Frames that each client of a testbed gets through in so many seconds, of 1500 bytes of IP."""
    spec = Spec.model_validate({"title": "", "lab": {"memory": "256 MiB"}, **spec})
    others = profiles(spec)
    own = others.get(spec.testbed.device)
    profile = own or load_profile(spec.testbed.device, changes=spec.testbed.profile)
    plan = make_plan(spec, profile, others)
    graph, start_ns = spec.testbed.graph, 10_000_000_000
    end_ns = start_ns + 10**9 * (1 + seconds)
    lines = [["clock", str(start_ns), str(10**8), str(end_ns)]]
    for number, ends in enumerate(graph.ends):
        to, port = graph.addresses[ends.server], str(5001 + number)
        # Whoever asks for a neighbour meanwhile sends to nobody, without ever having to wait.
        lines.append(
            ["ping", ends.client, f"{ends.client}-ping", "icmp", to, port, "0", str(10**9)]
        )
        words = [to, port, "0", "1472", "0", str(start_ns + 5 * 10**8), str(end_ns)]
        lines.append(["udp", ends.server, f"{ends.client}-recv", "recv", *words])
        lines.append(["udp", ends.client, f"{ends.client}-send", "send", *words])
    radios = wiring(spec, profile, others).radios
    watched = {radio.name: radio for radio in radios}
    lines += [list(watched[ends.client].line) for ends in graph.ends]
    out = run(Plan(plan.set_up, (*lines, ["end"]), plan.batches))
    tables = [read_table(out / f"{watched[ends.client].series}.tsv") for ends in graph.ends]
    first = int((tables[0]["t_ns"] >= 10**9).argmax())
    return [int(table["frames_acked"][-1] - table["frames_acked"][first]) for table in tables]


SINGLES = {"device": "ideal", "rate": "HT40 MCS7 SGI",
           "profile": {"aggregate_frames": 1, "aggregates_ahead": 2, "singles_ahead": 8,
                       "ppdu_tries": 7}}  # fmt: skip


def test_two_bsss_on_a_channel_share_it_as_the_exact_simulation_says(run):
    """Two saturated stations, each of an access point of its own: goodput within 2 %."""
    seconds = 8
    spec = {"testbed": {"layout": "two-bss", "server": "AP", **SINGLES}}
    frames = saturated(run, spec, seconds)
    cycle = exchange(Rate("HT", 40, 1, 7, 400), mpdu_bytes(1500), 1)
    one = Contender(cycle.ppdu_ns, cycle.sifs_ns + cycle.response_ns, 1, attempts=7)
    model = simulate([one] * 2, 20_000)
    assert sum(frames) / seconds == pytest.approx(model.goodput_bit_per_s.value, rel=0.02)
    assert min(frames) > 0.9 * max(frames)


def test_two_channels_carry_twice_as_much(run):
    """The same two BSSs, each on a channel of its own: each is alone."""
    seconds, radio = 2, {"device": "ath9k", "rate": "HT20 MCS7 SGI"}
    spec = {
        "nodes": {"AP1": {}, "AP2": {}, "C1": {"server": "AP1"}, "C2": {"server": "AP2"}},
        "link": [{"between": ["AP1", "AP2"]}],
        "medium": [
            {"name": f"air{number}", **radio,
             "members": {f"AP{number}": "ap", f"C{number}": "station"}} for number in (1, 2)
        ],
    }  # fmt: skip
    alone = {"testbed": {"layout": "wifi", "server": "AP", **radio}}
    (expected,) = saturated(run, alone, seconds)
    assert saturated(run, spec, seconds) == [pytest.approx(expected, rel=0.02)] * 2


@pytest.mark.parametrize(("changes", "frames"), [({}, 32), ({"aggregate_frames": 8}, 8)])
def test_a_station_has_its_own_card_and_what_is_changed_of_it(run, changes, frames):
    """450 Mbit/s of three streams on a medium of two: within 2 % of the closed form."""
    seconds = 2
    spec = {
        "nodes": {"AP": {}, "C": {"server": "AP"}},
        "medium": [{"name": "air", "device": "ath9k",
                    "members": {"AP": "ap", "C": {"role": "station", "device": "ath9k_3x3"}}}],
        "testbed": {"profile": {"ath9k_3x3": changes},
                    "sysctl": {"guest": {"net.core.wmem_default": 1_000_000}}},
    }  # fmt: skip
    (sent,) = saturated(run, spec, seconds)
    cycle = exchange(Rate("HT", 40, 3, 7, 400), mpdu_bytes(1500), frames, Settings(band=GHZ_2_4))
    assert sent / seconds == pytest.approx(frames * 1e9 / cycle.total_ns, rel=0.02)


UPLOADS = {"streams": 2, "length": "3 s", "delay": "0 s"}


def test_hidden_stations_collide(cell):
    """Whole aggregates are lost, since nobody defers: far less than of stations that hear all."""
    heard, hidden = (
        sum(goodput_mbps(cell({"testbed": {"layout": layout, "device": "ath9k", "stations": 2},
                               "flows": UPLOADS}), 1, 3))
        for layout in ("wifi", "hidden")
    )  # fmt: skip
    assert hidden < 0.7 * heard


def test_a_slow_station_gets_its_own_rate(cell):
    """HT20 MCS0 has 6.5 Mbit/s: a download to it has less, and takes most of the air."""
    document = cell({
        "nodes": {"AP": {}, "C": {"server": "AP"}},
        "medium": [{"name": "air", "device": "ath9k",
                    "members": {"AP": "ap", "C": {"role": "station", "rate": "HT20 MCS0"}}}],
        "flows": {"test": "tcp_download", "length": "3 s", "delay": "0 s"},
    })  # fmt: skip
    mean = document["metadata"]["SERIES_META"]["TCP download"]["MEAN_VALUE"]
    assert 4.5 < mean < 6.5


@settings(max_examples=3, derandomize=True, database=None, phases=[Phase.generate],
          suppress_health_check=list(HealthCheck))  # fmt: skip
@given(tables=graphs(nodes_min=20, nodes_max=20))
def test_each_of_twenty_nodes_pings_each_other(run, tables):
    """Wires, and BSSs of both fronts on several channels: 380 pings in a guest of each graph."""
    spec = Spec.model_validate({"title": "", "flows": SHORT, **tables})
    others = profiles(spec)
    plan = make_plan(spec, others[spec.testbed.device], others)
    asked = dict(pings(spec))
    clock = next(line for line in plan.measurement if line[0] == "clock")
    out = run(Plan(plan.set_up, (clock, *asked.values(), ["end"]), plan.batches))
    answered = {name: len(read_table(out / f"{name}.tsv")["t_ns"]) for name in asked}
    assert [name for name, count in answered.items() if count < 2] == []
