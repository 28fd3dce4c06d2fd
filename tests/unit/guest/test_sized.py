# SPDX-License-Identifier: GPL-2.0-or-later
"""qdisc = "wqm" in a plan, and where it has no place."""

import pytest

from tsqlab.errors import UsageError
from tsqlab.experiment.load import load
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.experiment.testbed.wqm import Wqm, wqm_of
from tsqlab.guest.plan import make_plan
from tsqlab.units import Duration


def spec_of(**testbed):
    chain = {"layout": "wifi-chain", "device": "ath9k_3.9", "qdisc": "wqm"}
    return Spec.model_validate({"title": "sized", "testbed": {**chain, **testbed}})


def plan_of(**testbed):
    spec = spec_of(**testbed)
    return make_plan(spec, load_profile(spec.testbed.device))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("wqm", Wqm()),
        ("wqm limit 5ms", Wqm(Duration.of("5 ms"))),
        ("wqm interval 20ms limit 1s", Wqm(Duration.of("1 s"), Duration.of("20 ms"))),
        ("pfifo limit 42", None),
        (None, None),
    ],
)
def test_what_a_text_says(text, expected):
    assert wqm_of(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("wqm 5ms", 'expected "wqm", or "wqm limit 2.5ms interval 100ms"'),
        ("wqm limit", 'expected "wqm", or'),
        ("wqm limit 5", "expected a number with a unit"),
        ("wqm limit 2s", "limit of wqm: expected 100 us to 1 s, not 2s"),
        ("wqm interval 1ms", "interval of wqm: expected 10 ms to 10 s, not 1ms"),
        ("wqm2", 'no qdisc "wqm2"'),
    ],
)
def test_what_is_none(tmp_path, text, message):
    path = tmp_path / "x.toml"
    path.write_text(f'title = "x"\n[testbed]\nqdisc = "{text}"\n')
    with pytest.raises(UsageError) as raised:
        load(str(path))
    assert message in str(raised.value)


def test_each_radio_has_a_pfifo_and_what_sizes_it():
    plan = plan_of(hops=2, rate="HT20 MCS1")
    for node, device in (("C", "w1"), ("N1", "w2"), ("S", "w3")):
        assert (
            f"qdisc add dev {device} root handle 10: pfifo limit 4\n" == plan.batches[f"{node}.tc"]
        )
        (line,) = (line for line in plan.measurement if line[:2] == ["wqm", node])
        assert line[2:9] == [
            f"wqm-{device}",
            device,
            "16",
            "13000",
            "2500000",
            "100000000",
            "airlink",
        ]


def test_under_mac80211_the_daemon_of_hosts_sizes_its_queues():
    plan = plan_of(device="ath9k", hops=1, qdisc="wqm limit 5ms")
    assert "C.tc" not in plan.batches
    assert not [line for line in plan.measurement if line[0] == "wqm"]
    lines = [line for line in plan.measurement if line[0] == "program"]
    assert [line[1] for line in lines] == ["C", "S"]
    assert lines[0][2:6] == ["wqm-w1", "10000000000", "80000000000", "65536"]
    assert lines[0][7:] == [
        *("/tsqlab/wqm", "w1", "--actuator", "txq", "--limit", "5ms", "--interval", "100ms"),
        *("--log", "/tsqlab/out/wqm-w1.log", "--state", "/tmp/wqm.w1"),
    ]


def test_one_radio_alone():
    plan = plan_of(qdisc="codel", egress={"C>air": {"qdisc": "wqm limit 1ms"}})
    (line,) = (line for line in plan.measurement if line[0] == "wqm")
    assert (line[1], line[6]) == ("C", "1000000")
    assert "codel" in plan.batches["S.tc"]


@pytest.mark.parametrize(
    ("testbed", "message"),
    [
        (
            {"egress": {"C>air": {"loss": "1 %"}}},
            'egress "C>air": qdisc = "wqm" has no place below HTB or netem',
        ),
        ({"layout": "wired", "device": "gigabit"}, 'egress "C>R": qdisc = "wqm" is of radios'),
    ],
)
def test_where_it_has_no_place(testbed, message):
    with pytest.raises(UsageError) as raised:
        plan_of(**testbed)
    assert message in str(raised.value)
