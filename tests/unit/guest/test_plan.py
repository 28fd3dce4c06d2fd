# SPDX-License-Identifier: GPL-2.0-or-later
"""A cell's plan, held against golden files.

``pytest --golden`` writes them anew: read the difference before you commit it.
"""

import pytest

from tsqlab.airlink.rates import parse_rate
from tsqlab.errors import TsqlabError, UsageError
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.guest.plan import Plan, make_plan
from tsqlab.guest.testbed import egress_queues, wiring

SPECS = {
    "upload-L100M": {"testbed": {"bottleneck": "L100M"}, "sender": {"offloads": "off"}},
    "rrul-netem": {
        "testbed": {
            "bottleneck": "R10M",
            "qdisc": "fq_codel",
            "base_rtt": "20 ms",
            "mtu": 9000,
            "egress": {"S>R": {"delay": "3 ms", "loss": "0.1 %"}},
            "sysctl": {"C": {"net.ipv4.tcp_ecn": 1}},
        },
        "flows": {"test": "rrul"},
        "sender": {"congestion_control": "bbr", "offloads": "gso"},
        "lab": {"seed": 2},
    },
    "udp-flood": {
        "flows": {"test": "udp_flood", "udp_rate": "50 Mbit/s"},
        "sender": {"offloads": "off"},
    },
    "two-controls": {
        "flows": {"streams": 3, "test": "tcp_ndown"},
        "sender": {"congestion_control": "cubic,bbr", "offloads": "on"},
    },
    "campaign": {
        "flows": {"length": "30 s"},
        "lab": {"before": ["cubic 10 s", "bbr 500 ms"]},
    },
    "wifi-fullmac": {
        "testbed": {"layout": "wifi", "base_rtt": "2.5 ms"},
        "sender": {"tsq": {"shift": 7}, "truesize": "kernel"},
        "lab": {"seed": 3, "era": "4.13"},
    },
    "wifi-softmac": {
        "testbed": {
            "layout": "wifi",
            "device": "ath9k",
            "stations": 2,
            "rate": "HT20 MCS7",
            "rts": "0 B",
            "loss": "1 %",
            "snr": "25 dB",
        },
        "flows": {"streams": 3},
        "lab": {"era": "4.13"},
    },
    "wifi-no-server": {
        "testbed": {"layout": "wifi", "device": "ath9k_3x3", "server": "AP"},
        "flows": {"test": "rrul_be"},
        "sender": {"tsq": {"bytes": 131072, "us": 1000, "pkts": "none"}},
        "lab": {"era": "4.13"},
    },
    "own-flows": {
        "testbed": {"sysctl": {"guest": {"net.core.wmem_max": 4194304}}},
        "flows": {"length": "10 s"},
        "flow": [
            {"from": "C", "to": "S", "stop": "5 s"},
            {"from": "S", "to": "C", "start": "1.5 s", "bytes": "1 MB", "dscp": "AF21"},
            {"from": "R", "to": "S", "kind": "udp", "rate": "5 Mbit/s", "size": "500 B"},
            {"from": "C", "to": "R", "kind": "ping", "start": "2 s"},
        ],
        "sender": {"tsq": {"shift": 7}},
    },
    "wifi-own-flows": {
        "testbed": {"layout": "wifi", "device": "ath9k", "stations": 2},
        "flow": [
            {"from": "AP", "to": "C2", "congestion_control": "bbr3"},
            {"from": "C1", "to": "C2"},
            {"from": "AP", "to": "S"},
        ],
        "sender": {"tsq": {"us": 2000}},
    },
    "dumbbell": {
        "testbed": {"layout": "dumbbell", "bottleneck": "R100M", "qdisc": "fq", "base_rtt": "4 ms"},
        "flows": {"test": "tcp_ndown", "streams": 2},
    },
    "parking-lot": {
        "testbed": {"layout": "parking-lot", "bottleneck": "LR100M", "hops": 2},
        "flows": {"streams": 3},
    },
    "two-bss": {
        "testbed": {"layout": "two-bss", "server": "AP", "loss": "1 %"},
        "flows": {"streams": 2},
    },
    "hidden": {"testbed": {"layout": "hidden", "device": "ath9k", "rts": "0 B"}},
    "graph": {
        "testbed": {"egress": {"AP1>S": {"rate": "20 Mbit/s", "qdisc": "fq_codel"}}},
        "nodes": {
            "S": {},
            "AP1": {},
            "AP2": {"via": {"C1": "S"}},
            "C1": {"server": "S"},
            "C2": {"server": "AP2"},
            "C3": {},
        },
        "link": [
            {"between": ["AP1", "S"], "delay": "5 ms", "loss": {"S>AP1": "1 %"}},
            {"between": ["S", "AP2"], "device": "tg3", "rate": {"S>AP2": "100 Mbit/s"}},
        ],
        "medium": [
            {
                "name": "air",
                "device": "ath9k",
                "members": {
                    "AP1": "ap",
                    "C1": {"role": "station", "of": "AP1", "rate": "HT20 MCS0"},
                    "AP2": "ap",
                    "C2": {"role": "station", "of": "AP2"},
                },
                "pairs": {"C1-C2": {"hears": False}, "C1>AP1": {"snr": "20 dB"}},
            },
            {"name": "other", "members": {"AP2": "ap", "C3": "station"}, "rts": "0 B"},
        ],
        "flows": {"streams": 2},
        "lab": {"capture": ["other", "C2>AP2"]},
    },
    "wifi-chain-fullmac": {
        "testbed": {
            "layout": "wifi-chain",
            "hops": 3,
            "sinks": "each",
            "loss": "1 %",
            "qdisc": "pfifo limit 1000",
            "egress": {"N1>air": {"qdisc": "codel"}},
        },
        "flows": {"streams": 3},
    },
    "wifi-chain-softmac": {
        "testbed": {"layout": "wifi-chain", "device": "ath9k", "hears": "next", "rts": "0 B"},
    },
    "mesh": {
        "testbed": {"layout": "mesh", "device": "ath10k", "hops": 2, "snr": "30 dB"},
        "flows": {"test": "tcp_ndown", "streams": 2},
    },
    "ibss": {
        "nodes": {"A": {"server": "D"}, "B": {}, "C": {}, "D": {}},
        "medium": [
            {
                "name": "one",
                "device": "ath9k",
                "rate": "minstrel",
                "snr": "30 dB",
                "members": {"A": "ibss", "B": "ibss", "C": {"role": "station"}, "D": "ap"},
            },
            {
                "name": "two",
                "device": "ath10k",
                "rate": "HT20 MCS7",
                "members": {"B": "ap", "C": "station", "A": "ibss", "D": "ibss"},
            },
        ],
    },
    "peers": {
        "nodes": {
            "S": {},
            "N1": {"server": "S", "via": {"N4": "N3"}},
            "N2": {},
            "N3": {},
            "N4": {},
            "AP": {},
            "C": {"server": "AP"},
        },
        "link": [{"between": ["N4", "S"]}],
        "medium": [
            {
                "name": "air",
                "members": {
                    **dict.fromkeys(("N1", "N2", "N3", "N4"), "peer"),
                    "AP": "ap",
                    "C": "station",
                },
                "pairs": {"N1-N4": {"hears": False}, "N1>N2": {"loss": "1 %"}},
            },
        ],
        "lab": {"capture": ["N2>air"]},
    },
    "wifi-today": {"testbed": {"layout": "wifi", "device": "brcmfmac"}},
}


def text_of(spec):
    others = {name: load_profile(name) for name in spec.testbed.graph.devices}
    files = make_plan(spec, load_profile(spec.testbed.device), others).files()
    return "".join(f"==> {name} <==\n{text}" for name, text in files.items())


@pytest.mark.parametrize("name", SPECS)
def test_plan(name, golden):
    spec = Spec.model_validate({"title": name, **SPECS[name]})
    golden(f"plan-{name}.txt", text_of(spec))


def test_a_card_that_moderates_its_interrupts_is_set_so():
    plans = {}
    for device in ("gigabit", "tg3", "e1000e"):
        spec = Spec.model_validate({"title": "", "testbed": {"device": device}})
        plans[device] = ["\t".join(line) for line in make_plan(spec, load_profile(device)).set_up]
    moderation = {name: [line for line in plan if "\t-C\ts0" in line or "s0/wireline" in line]
                  for name, plan in plans.items()}  # fmt: skip
    assert moderation == {
        "gigabit": [],
        "tg3": [
            "ethtool\t-\t-C\ts0\ttx-usecs\t72\ttx-frames\t53",
            "ethtool\t-\t-C\ts0\trx-usecs\t20\trx-frames\t5",
        ],
        "e1000e": [
            "ethtool\t-\t-C\ts0\ttx-usecs\t8\ttx-frames\t0",
            "write\t-\t/sys/class/net/s0/wireline/receive_interval_ns\t50000",
        ],
    }


def queues_of(spec):
    """What each egress of a wire does to what it sends."""
    return {end.port.egress: end.queue for end in spec.testbed.graph.link_ends}


def test_netem_is_above_the_rate_and_the_qdisc_below():
    spec = Spec.model_validate(
        {"title": "", "testbed": {"egress": {"R>S": {"rate": "10 Mbit/s", "delay": "1 ms"}}}}
    )
    lines = egress_queues("r1", queues_of(spec)["R>S"])
    assert [line.split(" handle ")[0] for line in lines if line.startswith("qdisc")] == [
        "qdisc add dev r1 root",
        "qdisc add dev r1 parent 5:1",
        "qdisc add dev r1 parent 1:1",
    ]


@pytest.mark.parametrize(
    ("bottleneck", "rates"),
    [
        ("L10M", {"C>R": 10**7}),
        ("R100M", {"R>S": 10**8}),
        ("LR1000M", {}),
    ],
)
def test_bottlenecks_shape_one_egress(bottleneck, rates):
    spec = Spec.model_validate({"title": "", "testbed": {"bottleneck": bottleneck, "qdisc": "fq"}})
    shaped = queues_of(spec)
    assert {name: egress.rate for name, egress in shaped.items() if egress.rate} == rates
    # Without a shaper, any egress may be the bottleneck.
    special = set(rates) or set(spec.testbed.egresses)
    assert {name for name, egress in shaped.items() if egress.qdisc == "fq"} == special


@pytest.mark.parametrize(
    ("testbed", "message"),
    [
        ({"device": "ath9k"}, 'device "ath9k" is a radio, which layout "wired" has no place for'),
        (
            {"layout": "wifi", "device": "gigabit"},
            'device "gigabit" is an Ethernet card, which layout "wifi" has no place for',
        ),
        ({"layout": "wifi", "mtu": 2297}, r"mtu = 2297: .* \(front = 'fullmac'\); expected 68 to"),
        ({"layout": "wifi", "device": "ath9k", "mtu": 255}, "expected 256 to 2304"),
    ],
)
def test_a_device_that_has_not_what_is_asked_is_refused(testbed, message):
    spec = Spec.model_validate({"title": "", "testbed": testbed})
    with pytest.raises(UsageError, match=message):
        make_plan(spec, load_profile(spec.testbed.device))


@pytest.mark.parametrize(
    ("testbed", "capture", "lines"),
    [
        ({}, ["R>C"], ["capture R capture-r0 r0 192 1073741824"]),
        (
            {"layout": "wifi", "stations": 12},
            ["C1>AP", "C12>AP", "AP>C", "AP>S", "air"],  # together 4 GiB
            ["capture C1 capture-wlan1 wlan1 192 858993459",
             "capture C12 capture-wlan12 wlan12 192 858993459",
             "capture AP capture-wlan0 wlan0 192 858993459",
             "capture AP capture-e0 e0 192 858993459",
             "capture - capture-air0 air0 192 858993459"],
        ),
    ],
)  # fmt: skip
def test_captures_come_behind_all_that_is_there_without_them(testbed, capture, lines):
    plans = []
    for lab in ({}, {"capture": capture}):
        spec = Spec.model_validate({"title": "", "testbed": testbed, "lab": lab})
        plans.append(make_plan(spec, load_profile(spec.testbed.device)))
    without, beside = plans
    assert beside.measurement == (
        *without.measurement[:-1], *(line.split() for line in lines), ["end"]
    )  # fmt: skip
    air = "air" in capture
    assert len(beside.set_up) == len(without.set_up) + 2 * air, "a sniffer, which is brought up"
    assert beside.set_up[: len(without.set_up)] == without.set_up


def test_streams_take_turns_at_the_stations():
    spec = Spec.model_validate(
        {"title": "", "testbed": {"layout": "wifi", "stations": 2}, "flows": {"streams": 3}}
    )
    plan = make_plan(spec, load_profile(spec.testbed.device)).files()["plan"]
    senders = [line.split("\t")[1] for line in plan.splitlines() if "\tconnect\tsend" in line]
    assert senders == ["C1", "C2", "C1"]


@pytest.mark.parametrize(
    ("device", "rate", "words"),
    [
        ("ath9k", None, "ht-mcs-2.4 15 sgi-2.4"),
        ("ath10k", None, "vht-mcs-5 2:9 sgi-5"),
        ("ath10k", "HE80 MCS11 2ss", "he-mcs-5 2:11"),
    ],
)
def test_mac80211_is_told_the_rate(device, rate, words):
    testbed = {"layout": "wifi", "device": device, "rate": rate}
    spec = Spec.model_validate({"title": "", "testbed": testbed})
    plan = make_plan(spec, load_profile(device)).files()["plan"].replace("\t", " ")
    for node, name in (("AP", "wlan0"), ("C", "wlan1")):
        assert f"run {node} iw dev {name} set bitrates {words}\n" in plan


@pytest.mark.parametrize("rate", [None, "minstrel"])
def test_a_radio_is_made_with_its_rate_or_with_its_best_one(rate):
    testbed = {"layout": "wifi", "device": "ath9k", "rate": rate}
    spec = Spec.model_validate({"title": "", "testbed": testbed})
    wired = wiring(spec, load_profile("ath9k"))
    (channel,) = wired.channels
    radio = channel.radio(channel.medium.members[1])
    best = parse_rate("HT40 MCS15 SGI")
    assert (radio.rate, radio.best_rate) == ((None, best) if rate else (best, None))
    words = [" ".join(line) for line in wired.set_up()]
    assert any("set bitrates" in line for line in words) == (rate is None)


def test_rate_control_is_mac80211_s():
    spec = Spec.model_validate({"title": "", "testbed": {"layout": "wifi", "rate": "minstrel"}})
    with pytest.raises(UsageError, match='device "ath9k_htc" has no mac80211 above it'):
        make_plan(spec, load_profile("ath9k_htc"))


@pytest.mark.parametrize("word", ["a\tb", "a\nwrite\t-\t/proc/x", "a\rb", "a\0b", ""])
def test_nothing_in_a_word_becomes_a_line(word):
    with pytest.raises(TsqlabError, match="cannot be a word of a guest's plan"):
        Plan((["run", "-", word],), ()).files()


def test_a_plan_is_extended_at_its_parts():
    plan = Plan((["a"],), (["clock", "0"], ["end"]), {"b.ip": "x\n"})
    longer = plan.before_set_up(["0"]).after_set_up(["b"]).during(["c"])
    assert longer.files() == {"b.ip": "x\n", "plan": "0\na\nb\nclock\t0\nc\nend\n"}
