# SPDX-License-Identifier: GPL-2.0-or-later
"""The most that links and TSQ's settings allow, against numbers worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from tsqlab.experiment.capacity import capacity
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.results.record import Capacity, TsqCapacity, WireCapacity


def capacity_of(sender: Any = None, flows: Any = None, **testbed: Any) -> Capacity:
    spec = Spec.model_validate(
        {"title": "test", "testbed": testbed, "sender": sender or {}, "flows": flows or {}}
    )
    return capacity(spec, load_profile(spec.testbed.device))


def test_a_wire_carries_its_rate_and_htbs_is_counted_without_preamble_and_gap() -> None:
    wires = capacity_of(bottleneck="L10M").wires
    assert wires["C>R"] == WireCapacity(10, 0)
    assert wires["R>S"] == wires["S>R"] == WireCapacity(1000, 24)
    assert capacity_of(bottleneck="LR100M").wires["C>R"] == WireCapacity(100, 24)


def test_htb_above_a_slower_card_is_no_limit() -> None:
    wires = capacity_of(bottleneck="LR100M", egress={"C>R": {"rate": "200 Mbit/s"}}).wires
    assert wires["C>R"] == WireCapacity(100, 24)


@pytest.mark.parametrize(
    ("device", "rate", "frames", "msdus", "ring"),
    [
        ("ath9k_htc", None, 17, 1, 246),
        ("ath9k", None, 32, 1, 512),
        # 4096 us at 65 Mbit/s are 33280 bytes, less preamble: 21 subframes of 1544.
        ("ath9k", "HT20 MCS7", 21, 1, 512),
        # Two at a time share a window of 64.
        ("ath10k", None, 32, 3, 528),
        ("brcmfmac", None, 32, 1, 1536),
        # 65535 bytes of HT.
        ("ideal", None, 42, 1, 1000),
        ("ideal", "54 Mbit/s", 1, 1, 1000),
    ],
)
def test_the_largest_aggregate(
    device: str, rate: str | None, frames: int, msdus: int, ring: int
) -> None:
    radio = capacity_of(layout="wifi", device=device, **({"rate": rate} if rate else {})).radios[
        "C"
    ]
    assert (radio.aggregate_frames, radio.amsdu_frames, radio.ring_frames) == (frames, msdus, ring)


def test_small_datagrams_make_larger_aggregates() -> None:
    flows = {"test": "udp_flood", "udp_size": "72 B"}
    assert (
        capacity_of(flows=flows, layout="wifi", device="ideal").radios["C"].aggregate_frames == 64
    )


def test_both_sides_have_their_own_profile() -> None:
    radios = capacity_of(layout="wifi", stations=2).radios
    assert {node: radio.aggregate_frames for node, radio in radios.items()} == {
        "C1": 17, "C2": 17, "AP": 32,
    }  # fmt: skip
    assert radios["AP"].pulls
    assert not radios["C1"].pulls


def test_an_access_point_that_is_the_server_has_no_wire_and_is_a_sender() -> None:
    most = capacity_of(
        {"tsq": "CoTSQ"}, {"test": "tcp_download"}, layout="wifi", server="AP",
        sysctl={"AP": {"net.ipv4.tcp_tsq_us": 700}},
    )  # fmt: skip
    assert most.wires == {}
    assert set(most.radios) == {"C", "AP"}
    assert most.tsq == {"TCP download": TsqCapacity(10_000_000, 700)}


@pytest.mark.parametrize(
    ("sender", "sysctl", "expected"),
    [
        ({}, {}, TsqCapacity(1 << 20, 0)),
        ({"tsq": "CoTSQ"}, {}, TsqCapacity(10_000_000, 6000)),
        ({"tsq": "CoTSQ", "truesize": "4816 B"}, {}, TsqCapacity(5_000_000, 3000, 0.5)),
        ({"truesize": "4816 B"}, {}, TsqCapacity(1 << 20, 0, 0.5)),
        ({"tsq": "NoTSQ"}, {}, TsqCapacity(-1, 0)),
        ({}, {"C": {"net.ipv4.tcp_limit_output_bytes": 5000}}, TsqCapacity(5000, 0)),
        ({}, {"C": {"net/ipv4/tcp_tsq_us": "700"}}, TsqCapacity(1 << 20, 700)),
        ({}, {"S": {"net.ipv4.tcp_tsq_us": 700}}, TsqCapacity(1 << 20, 0)),
    ],
)
def test_tsqs_terms_are_those_of_the_senders_node(
    sender: Any, sysctl: Any, expected: TsqCapacity
) -> None:
    assert capacity_of(sender, sysctl=sysctl).tsq == {"TCP upload::1": expected}
