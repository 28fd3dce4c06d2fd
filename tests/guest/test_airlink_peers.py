# SPDX-License-Identifier: GPL-2.0-or-later
"""Peers of the fullmac front: a flow, chains, hidden nodes, against the model; and their frames."""

import subprocess
from math import hypot, sqrt

import pytest

import peers
from bss import MS, genl, phy_rate
from peers import Peers, chain, ip, mac, name
from stress import MODULE
from tsqlab.airlink import messages
from tsqlab.airlink.messages import Radio, payload
from tsqlab.airlink.uapi import Front, Role
from tsqlab.model import hearing
from tsqlab.model.exchange import Settings, exchange
from tsqlab.model.hearing import Node, Traffic
from tsqlab.model.mac import mpdu_bytes
from tsqlab.model.phy import Rate
from tsqlab.results.measurement import read_table

RATE, MPDU_BYTES = Rate("HT", 40, 1, 7, 400), mpdu_bytes(1500)
SECONDS, MODEL_SECONDS = 8, 24
T0_NS = 10_000 * MS
EINVAL = 22

HIDDEN = (Node(frozenset({1, 2})), *(Node(frozenset({0}), 0, saturated=True) for _ in range(2)))
"""A receiver between two that do not hear each other."""


def received_per_s(counts, node):
    return counts[node]["frames_received"] / SECONDS


def check(seen, seconds, model):
    """Within three standard errors: the model's, and that of a run of the lab, which is shorter."""
    lab_error = model.standard_error * sqrt(MODEL_SECONDS / seconds)
    error = hypot(model.standard_error, lab_error)
    assert seen == pytest.approx(model.value, abs=3 * error)


def test_a_saturated_flow_between_peers_has_the_closed_forms_goodput(guest):
    """Within 1 %: frames alone, and aggregates under a block ack."""
    rates = (RATE, RATE, Rate("VHT", 80, 2, 9, 400), Rate("HE", 80, 2, 11))
    sizes = (1, 16, 32, 32)
    traffic = [Traffic(rate, MPDU_BYTES, size) for rate, size in zip(rates, sizes, strict=True)]
    cases = [Peers(chain(1, near=True), one) for one in traffic]
    for one, counts in zip(traffic, peers.measure(guest, cases, SECONDS), strict=True):
        alone = exchange(one.rate, MPDU_BYTES, one.subframes)
        expected = one.subframes * 1e9 / alone.total_ns
        assert received_per_s(counts, 1) == pytest.approx(expected, rel=0.01), one
        sent = counts[0]
        assert sent["subframes"] / sent["ppdus"] == pytest.approx(one.subframes, rel=0.003)


CHAINS = [(2, 1), (3, 1), (2, 16), (3, 16)]


@pytest.mark.parametrize("near", [True, False])
def test_a_chain_of_peers_carries_what_the_exact_simulation_says(guest, near):
    """Hops and subframes; who hears neighbours only is hidden from the next but one."""
    cases = [
        Peers(chain(hops, near=near), Traffic(RATE, MPDU_BYTES, subframes))
        for hops, subframes in CHAINS
    ]
    for case, counts in zip(cases, peers.measure(guest, cases, SECONDS), strict=True):
        model = hearing.simulate(case.nodes, case.traffic, MODEL_SECONDS)
        check(received_per_s(counts, -1), SECONDS, model.received_per_s[-1])


@pytest.mark.parametrize("rts", [False, True])
@pytest.mark.parametrize("subframes", [1, 16])
def test_hidden_nodes_collide_as_the_exact_simulation_says(guest, subframes, rts):
    """Goodput and failed attempts, of frames alone and of aggregates; two seeds."""
    traffic = Traffic(RATE, MPDU_BYTES, subframes, Settings(rts=rts))
    model = hearing.simulate(HIDDEN, traffic, MODEL_SECONDS)
    cases = [Peers(HIDDEN, traffic, seed) for seed in (1, 2)]
    runs = peers.measure(guest, cases, SECONDS)
    received = sum(received_per_s(counts, 0) for counts in runs) / len(runs)
    senders = [sender for counts in runs for sender in counts[1:]]
    attempts = sum(one["rts" if rts else "ppdus"] for one in senders)
    failed = sum(one["ppdus_failed"] for one in senders)
    check(received, len(runs) * SECONDS, model.received_per_s[0])
    check(failed / attempts, len(runs) * SECONDS, model.failure_probability)


FIELDS = ("wlan.ta", "wlan.ra", "wlan.fc.tods", "wlan.fc.fromds", "wlan.bssid", "arp.opcode",
          "radiotap.ampdu.reference", "udp.dstport")  # fmt: skip
BROADCAST = "ff:ff:ff:ff:ff:ff"


def test_peers_find_each_other_and_their_frames_are_of_no_bss(guest):
    """Three of them, each to each: ARP to all, then aggregates; address 3 is the wildcard BSSID."""
    pairs = [(one, other) for one in range(3) for other in range(3) if one != other]
    lines = [MODULE, genl("-", messages.new_medium(1))]
    for number in range(3):
        lines += peer(number)
    lines += [genl("-", messages.new_sniffer(1, "air0")), "run\t-\tip\tlink\tset\tair0\tup"]
    lines += [f"clock\t{T0_NS}\t{MS}\t{T0_NS + 500 * MS}"]
    lines += ["capture\t-\tair\tair0\t65536\t1000000000"]
    for number, (one, other) in enumerate(pairs):
        start_ns = T0_NS + (50 + 7 * number) * MS  # two who ask at once collide again and again
        what = f"{ip(1, other)}\t{5000 + number}\t0\t1400\t10000000\t{start_ns}\t{T0_NS + 400 * MS}"
        lines += [f"udp\t{name(1, other)}\tto{number}\trecv\t{what}"]
        lines += [f"udp\t{name(1, one)}\tof{number}\tsend\t{what}"]
    out = guest(*lines, "end")
    for number in range(len(pairs)):
        received = read_table(out / f"to{number}.tsv")["datagrams"][-1]
        assert received == read_table(out / f"of{number}.tsv")["datagrams"][-1] > 200

    command = ["tshark", "-r", str(out / "air.pcap"), "-Y", "wlan.fc.type == 2", "-T", "fields"]
    command += [word for field in FIELDS for word in ("-e", field)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    frames = [dict(zip(FIELDS, row.split("\t"), strict=True)) for row in text.splitlines()]
    assert {frame["wlan.bssid"] for frame in frames} == {BROADCAST}
    assert {frame["wlan.fc.tods"] + frame["wlan.fc.fromds"] for frame in frames} <= {
        "00",
        "FalseFalse",
    }
    macs = {mac(number) for number in range(3)}
    asked = {frame["wlan.ta"] for frame in frames if frame["wlan.ra"] == BROADCAST}
    assert asked <= macs
    assert len(asked) >= 2, "who was asked knows who has asked"
    data = [frame for frame in frames if frame["udp.dstport"]]
    assert {(frame["wlan.ta"], frame["wlan.ra"]) for frame in data} == {
        (mac(one), mac(other)) for one, other in pairs
    }
    assert any(frame["radiotap.ampdu.reference"] for frame in data)


def peer(number, medium=1):
    """A peer in a node of its own, with an address."""
    node = name(medium, number)
    made = Radio(medium, mac(number), node, role=Role.PEER, rate=phy_rate(RATE))
    yield f"run\t-\tip\tnetns\tadd\t{node}"
    yield genl(node, messages.new_radio(made))
    yield f"run\t{node}\tip\taddress\tadd\t{ip(medium, number)}/24\tdev\t{node}"
    yield f"run\t{node}\tip\tlink\tset\t{node}\tup"


def test_a_role_that_cannot_be_is_refused_and_the_words_say_why(guest):
    ap = mac(7)
    requests = [
        (Radio(1, mac(0), role=Role.PEER, access_point=ap), "only a station has an access point"),
        (Radio(1, mac(0), role=Role.ACCESS_POINT, access_point=ap), "only a station has"),
        (Radio(1, mac(0), role=Role.STATION), "an attribute is missing"),
        (Radio(1, mac(0), front=Front.SOFTMAC, role=Role.PEER), "the host chooses"),
    ]
    texts = [messages.new_medium(1), *(messages.new_radio(radio) for radio, _ in requests)]
    files = {"tried": "".join(f"4 {payload(text).hex()}\n" for text in texts)}
    trying = f"genl-try\t-\ttried\tairlink\t/tsqlab/plan/tried\t0\t{MS}"
    clock = f"clock\t{T0_NS}\t{MS}\t{T0_NS + 20 * MS}"
    out = guest(MODULE, clock, trying, "end", batches=files)
    answers = [line.split("\t") for line in (out / "tried.answers").read_text().splitlines()]
    assert answers[0][0] == "0"
    for (number, said), (_, expected) in zip(answers[1:], requests, strict=True):
        assert number == str(EINVAL)
        assert expected in said
