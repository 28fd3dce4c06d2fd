# SPDX-License-Identifier: GPL-2.0-or-later
"""What a cell writes over its kernel's defaults where it sends: the list, held against the plan."""

import re

import pytest

from tsqlab.airlink.packets import decoded
from tsqlab.airlink.uapi import KERNEL_SHIFT
from tsqlab.experiment.bundled import bundled_experiments
from tsqlab.experiment.load import load
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.guest.overrides import overrides, senders
from tsqlab.guest.plan import make_plan

WIFI = {"layout": "wifi"}
OTHERS = [
    {"testbed": {"sysctl": {"C": {"net.ipv4.tcp_sack": 0, "net.ipv4.tcp_wmem": "1 2 3"}}}},
    {"flows": {"test": "rrul"}, "sender": {"pacing": "2.0/1.4", "offloads": "gso"}},
    {"sender": {"tsq": {"shift": 8}, "truesize": "4352 B"}},
    {"testbed": {**WIFI, "device": "brcmfmac", "stations": 3}, "flows": {"streams": 3}},
    {"testbed": {**WIFI, "device": "brcmfmac"}, "lab": {"era": "4.13"}},
    {"testbed": {**WIFI, "device": "ath9k"}, "sender": {"tsq": {"shift": 6}}},
    {"testbed": {**WIFI, "device": "ath9k"}, "lab": {"era": "4.13"}},
    {"testbed": {**WIFI, "device": "ath10k"}, "sender": {"truesize": "4352 B"}},
    {"testbed": WIFI, "flows": {"test": "tcp_download"}, "sender": {"congestion_control": "bbr"}},
    {"testbed": {**WIFI, "device": "brcmfmac", "server": "AP"}, "flows": {"test": "rrul"}},
    {
        "testbed": {**WIFI, "device": "ath9k_3x3", "server": "AP"},
        "flows": {"test": "tcp_download"},
        "sender": {"tsq": {"shift": 6}},
    },
]
BUNDLED = [pytest.param(load(name).spec, id=name) for name in bundled_experiments()]


def spec_of(data):
    return Spec.model_validate({"title": "", **data})


def shift_of(line):
    """The pacing_shift that a request for a radio has; None without one."""
    profile = decoded(bytes.fromhex(line[3])).get_attr("PROFILE")
    return profile and profile.get_attr("PACING_SHIFT")


def words_of_plan(spec, profile, others):
    """What the lines of the set-up write at the senders: the name, and the value if it is plain."""
    plan, nodes = make_plan(spec, profile, others), senders(spec)
    first = {"C": "c0", "S": "s0"} if spec.testbed.layout == "wired" else {"S": "e1"}
    devices = {device: node for node, device in first.items() if node in nodes}
    for line in plan.set_up:
        if line[0] == "write" and line[2].startswith("/proc/sys/") and line[1] in (*nodes, "-"):
            yield line[2].removeprefix("/proc/sys/").replace("/", "."), line[3]
        elif line[0] == "write-time" and line[1] in nodes:
            yield line[2].removeprefix("/proc/sys/").replace("/", "."), None
        elif line[0] == "write" and line[2].endswith("pacing_shift"):
            if line[2].split("/")[4] in devices:
                yield "sk_pacing_shift", line[3]
        elif line[0] == "genl" and line[1] in nodes and (shift := shift_of(line)):
            yield "sk_pacing_shift", None if shift == KERNEL_SHIFT else str(shift)
        elif line[0] == "ethtool" and line[1] in nodes and line[2] == "-K" and "gso" in line:
            yield "TSO, GSO and GRO", None  # GRO alone is what the radio's own driver has not
    for node in nodes:
        yield from words_of_links(plan.batches[f"{node}.ip"])
    for line in plan.measurement:
        if line[0] == "tcp" and line[4] == "send" and len(line) > 12:
            yield "TCP_TX_DELAY", f"{line[12]} us"


def words_of_links(batch):
    """What a node's commands for ip(8) say of skbs."""
    if "gso_max_segs" in batch:
        yield "gso_max_segs", None
    if size := re.search(r" gso_max_size (\d+) ", batch):
        yield "gso_max_size", size[1]


@pytest.mark.parametrize("spec", [*BUNDLED, *map(spec_of, OTHERS)])
def test_all_that_the_plan_writes_is_named_and_nothing_else(spec):
    profile = load_profile(spec.testbed.device)
    others = {name: load_profile(name) for name in spec.testbed.graph.devices}
    found = overrides(spec, profile, others)
    written = set(words_of_plan(spec, profile, others))
    assert {name for name, _ in written} == {override.name for override in found}
    values = {(override.name, override.value) for override in found}
    assert {pair for pair in written if pair[1] is not None} <= values
    assert all(override.cause and set(override.nodes) <= set(senders(spec)) for override in found)


def causes(data, name):
    spec = spec_of(data)
    return [(override.where, override.value, override.cause)
            for override in overrides(spec, load_profile(spec.testbed.device))
            if override.name == name]  # fmt: skip


def test_what_a_patch_of_the_shift_cannot_show():
    """Stock TSQ over a wire, over a radio of then, and of today: 1, 1 and mac80211's 8 ms."""
    radio = {"testbed": {**WIFI, "device": "ath9k"}}
    then = {**radio, "lab": {"era": "4.13"}}
    assert causes({}, "sk_pacing_shift") == []
    assert causes(radio, "sk_pacing_shift") == []
    ((where, value, cause),) = causes(then, "sk_pacing_shift")
    assert (where, cause) == ("C", "era 4.13")
    assert value == "the kernel's own default, in the place of mac80211's"
    (time,) = causes(then, "net.ipv4.tcp_tsq_us")
    words = "2408 / 4352 of the kernel's own time of TSQ: 540 if its sk_pacing_shift is 10"
    assert time == ("C", words, "era 4.13")
    brcmfmac = {"testbed": {**WIFI, "device": "brcmfmac"}}
    assert causes(brcmfmac, "sk_pacing_shift") == [("C", "8", "profile brcmfmac")]
    assert causes({**brcmfmac, "lab": {"era": "4.13"}}, "sk_pacing_shift") == []


def test_who_asks_for_what():
    lab = {"sender": {"tsq": "CoTSQ", "truesize": "4352 B", "offloads": "off"}}
    assert causes(lab, "net.ipv4.tcp_tsq_us") == [("C", "3320", "sender.tsq, sender.truesize")]
    assert causes(lab, "gso_max_segs") == [("C", "1: one packet per skb", "sender.offloads")]
    assert causes({"sender": {"tsq": "CoTSQ"}}, "net.ipv4.tcp_tsq_us")[0][2] == "sender.tsq"
    assert causes({}, "net.ipv4.tcp_wmem")[0][2] == "the lab"
    own = {"testbed": {"sysctl": {"C": {"net.ipv4.tcp_wmem": "1 2 3"}}}}
    assert causes(own, "net.ipv4.tcp_wmem") == [("C", "1 2 3", "testbed.sysctl.C")]
    many = {"testbed": {**WIFI, "stations": 20}, "flows": {"test": "rrul"}}
    assert causes(many, "net.ipv4.tcp_rmem")[0][0] == "C1 to C4 and S"
