# SPDX-License-Identifier: GPL-2.0-or-later
"""The papers' names for settings of TCP Small Queues."""

import pytest
from pydantic import ValidationError

from tsqlab.errors import UsageError
from tsqlab.experiment.load import Experiment
from tsqlab.experiment.matrix import Cell
from tsqlab.experiment.spec import Sender, Spec
from tsqlab.experiment.tsq import (
    CHARGED,
    NONE,
    STOCK,
    KernelTime,
    Tsq,
    ms_of_name,
    name_of_ms,
    parse_tsq,
)
from tsqlab.kernels import Kernel
from tsqlab.runner.experiment import jobs_of


@pytest.mark.parametrize(
    ("given", "setting"),
    [
        ("TSQ", Tsq()),
        ("NoTSQ", Tsq(bytes=-1)),
        ("CoTSQ", Tsq(bytes=10_000_000, us=6000, pkts=1)),
        ("6TSQ", Tsq(bytes=10_000_000, us=6000, pkts=1)),
        ("16TSQ", Tsq(bytes=10_000_000, us=16000, pkts=1)),
        ("40pkts", Tsq(bytes=10_000_000, us=1, pkts=40)),
        ({"pkts": 40}, Tsq(pkts=40)),
        ({"bytes": 131072, "us": 3500}, Tsq(bytes=131072, us=3500)),
        ("bytes=-1+us=3500+pkts=2", Tsq(bytes=-1, us=3500, pkts=2)),
        ({"us": 1000, "pkts": "none"}, Tsq(us=1000, pkts=1)),
        ("us=1000+pkts=none", Tsq(us=1000, pkts=1)),
        ({"shift": 8}, Tsq(shift=8)),
    ],
)
def test_names(given, setting):
    assert Sender.model_validate({"tsq": given}).tsq == setting


@pytest.mark.parametrize(
    "given",
    [
        "0TSQ",
        "tsq",
        "0pkts",
        "-1TSQ",
        "1.5TSQ",
        "HalfTSQ",
        "ms=6",
        "us=",
        6,
        {"ms": 6},
        {"us": "none"},
        "us=none",
        "pkts=no",
    ],
)
def test_what_is_no_name(given):
    with pytest.raises(ValidationError):
        Sender.model_validate({"tsq": given})


@pytest.mark.parametrize(
    ("tsq", "ms", "packets", "name"),
    [
        ("TSQ", None, None, STOCK),
        ("NoTSQ", None, None, NONE),
        ("CoTSQ", 6.0, None, None),
        ("16TSQ", 16.0, None, None),
        ("40pkts", None, 40, None),
        (Tsq(us=500), 0.5, None, None),
        (Tsq(shift=8), 3.90625, None, None),
        (Tsq(bytes=100_000_000, us=1, pkts=64), None, 64, None),
        (Tsq(bytes=-1, us=1, pkts=64), None, None, NONE),
        (Tsq(pkts=64), None, None, None),
    ],
)
def test_a_setting_is_a_number_or_a_reference(tsq, ms, packets, name):
    setting = parse_tsq(tsq)
    assert (setting.limit_ms, setting.limit_packets, setting.reference) == (ms, packets, name)


@pytest.mark.parametrize(
    ("name", "ms"),
    [("TSQ", 1), ("1TSQ", 1), ("16TSQ", 16), ("CoTSQ", 6), ("0TSQ", None), ("NoTSQ", None)],
)
def test_the_ms_of_a_name(name, ms):
    assert ms_of_name(name) == ms


@pytest.mark.parametrize("ms", [0.002, 0.5, 1, 3.5, 6, 999, 1000])
def test_a_name_for_each_ms_is_read_back(ms):
    assert parse_tsq("6TSQ") == Tsq.of_ms(6)
    assert Sender.model_validate({"tsq": name_of_ms(ms)}).tsq == Tsq.of_ms(ms)


@pytest.mark.parametrize(
    ("tsq", "shift", "setting"),
    [
        ("TSQ", 10, Tsq(us=488)),  # of 1/1024 s
        ("TSQ", 8, Tsq(us=1953)),  # a driver's
        ("CoTSQ", 8, Tsq(bytes=5_000_000, us=3000, pkts=1)),
        ("40pkts", None, Tsq(bytes=5_000_000, us=1, pkts=40)),
        ("NoTSQ", None, Tsq(bytes=-1)),
        ({"shift": 7}, 10, Tsq(us=3906, shift=7)),
    ],
)
def test_packets_that_count_twice_as_much(tsq, shift, setting):
    given = Sender.model_validate({"tsq": tsq}).tsq
    assert given.sysctls(2 * CHARGED, shift) == setting.sysctls()
    assert given.sysctls() == given.sysctls(None, shift)


@pytest.mark.parametrize(("shift", "us"), [(10, 540), (9, 1081), (7, 4323), (31, 1)])
def test_stock_s_time_is_a_share_of_the_kernel_s_own(shift, us):
    """A patched default of 9 allows twice what 10 allows, of packets that count 4352 bytes, too."""
    values = Tsq().sysctls(4352)
    assert values == {
        "net.ipv4.tcp_tsq_bytes": 0,
        "net.ipv4.tcp_tsq_us": KernelTime(CHARGED, 4352),
        "net.ipv4.tcp_tsq_pkts": 0,
    }
    assert values["net.ipv4.tcp_tsq_us"].us(shift) == us
    assert us == max(round(1e6 / 2**shift * CHARGED / 4352), 1)


@pytest.mark.parametrize(
    ("pacing", "percent"),
    [("2.0/1.2", (200, 120)), ("6.0/3.65", (600, 365)), ("10.00/7.37", (1000, 737))],
)
def test_pacing_ratios(pacing, percent):
    ratios = Sender.model_validate({"pacing": pacing}).pacing_ratios()
    assert tuple(ratios.values()) == percent
    assert Sender().pacing_ratios() == {}


@pytest.mark.parametrize(
    "pacing", ["1.2", "120/200", "2/1.2", "2.0/1.234", 1.2, "10.01/1.2", "2.0/12.0"]
)
def test_what_is_no_pacing(pacing):
    with pytest.raises(ValidationError):
        Sender.model_validate({"pacing": pacing})


def test_stock_writes_nothing():
    assert Tsq().sysctls() == {}
    assert Tsq(shift=8).sysctls() == {}
    assert Tsq(us=6000).sysctls() == {
        "net.ipv4.tcp_tsq_bytes": 0,
        "net.ipv4.tcp_tsq_us": 6000,
        "net.ipv4.tcp_tsq_pkts": 0,
    }


def test_a_kernel_without_the_series_is_refused(tmp_path):
    cell = Cell({"tsq": "CoTSQ"}, Spec.model_validate({"title": "", "sender": {"tsq": "CoTSQ"}}))
    experiment = Experiment("x", tmp_path / "x.toml", "", ("tsq",), (cell,))
    kernel = Kernel("6.12", "6.12.1", 1000, "id", False, tmp_path, tmp_path, tmp_path)
    with pytest.raises(UsageError, match=r"tsq=CoTSQ: its TSQ setting needs a kernel with the Co"):
        jobs_of(experiment, tmp_path, lambda _: kernel)
