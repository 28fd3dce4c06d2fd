# SPDX-License-Identifier: GPL-2.0-or-later
"""[[flow]]: what may be said of one, how it is reached by keys, and what a cell sends then."""

import re

import pytest

from tsqlab.errors import FileError, UsageError
from tsqlab.experiment.conditions import Conditions
from tsqlab.experiment.flows import START_JITTER_NS
from tsqlab.experiment.load import load
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.experiment.stored import _SPEC, measured
from tsqlab.units import BASE_UNITS

FILE = """\
title = "A download beside an upload"
[flows]
length = "10 s"
delay = "1 s"
[[flow]]
name = "up"
from = "C"
to = "S"
[[flow]]  # the short one
from = "S"
to = "C"
start = "2.0005 s"
bytes = "1 MB"
dscp = "EF"
[[flow]]
from = "R"
to = "C"
kind = "ping"
stop = "4 s"
[[flow]]
from = "R"
to = "S"
kind = "udp"
rate = "5 Mbit/s"
"""


def write(tmp_path, text=FILE):
    path = tmp_path / "test.toml"
    path.write_text(text)
    return str(path)


def spec_of(*flows, **tables):
    return Spec.model_validate({"title": "x", "flow": list(flows), **tables})


def test_what_is_sent_between_which_nodes_and_when(tmp_path):
    spec = load(write(tmp_path)).spec
    sent = spec.traffic()
    assert [(flow.series, flow.sender, flow.receiver, flow.client) for flow in sent.flows] == [
        ("TCP upload::1 up", "C", "S", "C"),
        ("TCP download::2", "S", "C", "S"),
        ("UDP upload::4", "R", "S", "R"),
    ]
    assert [flow.tos for flow in sent.flows] == [0, 46 << 2, 0]
    assert [(probe.series, probe.sender, probe.receiver) for probe in sent.probes] == [
        ("Ping (ms)::3", "R", "C")
    ]
    up, short, datagrams = (spec.period_ns(flow) for flow in sent.flows)
    assert 10**9 < up[0] < 10**9 + START_JITTER_NS, "as the flows of a test"
    assert short == (3_000_500_000, 11 * 10**9), "exactly when it says"
    assert (up[1], datagrams[1]) == (11 * 10**9, 11 * 10**9)
    assert spec.period_ns(sent.probes[0]) == (0, 5 * 10**9), "from the measurement's start"


def test_flows_that_name_no_control_take_turns(tmp_path):
    text = FILE.replace('name = "up"', 'name = "up"\ncongestion_control = "bbr"')
    text += '[[flow]]\nfrom = "C"\nto = "R"\n[sender]\ncongestion_control = "reno,vegas"\n'
    spec = load(write(tmp_path, text)).spec
    controls = [flow.congestion_control for flow in spec.traffic().flows]
    assert controls == ["bbr", "reno", "-", "vegas"]
    assert spec.controls == ("reno", "vegas", "bbr")
    assert spec.hosts == {"C", "R", "S"}


def test_a_station_at_either_end_is_a_download_or_an_upload():
    flows = [{"from": here, "to": there} for here, there in
             [("C1", "AP"), ("AP", "C2"), ("C1", "C2"), ("AP", "S"), ("S", "C1")]]  # fmt: skip
    spec = spec_of(*flows, testbed={"layout": "wifi", "stations": 2})
    directions = [flow.direction for flow in spec.traffic().flows]
    assert directions == ["up", "down", "up", "up", "down"]


@pytest.mark.parametrize(
    ("old", "new", "place", "message"),
    [
        ('from = "R"\nto = "C"', 'from = "X"\nto = "C"', ("flow.3.from", 16),
         'no node "X"; there are C, R, S'),
        ('to = "C"\nstart', 'to = "S"\nstart', ("flow.2.to", 11),
         'expected another node than "S", where it starts'),
        ('kind = "ping"', 'kind = "ping"\nbytes = "1 MB"', ("flow.3.bytes", 19),
         'is of flows with kind = "tcp", not "ping"'),
        ('bytes = "1 MB"', 'bytes = "1 MB"\nstop = "3 s"', ("flow.2.stop", 14),
         "bytes says when it ends"),
        ('bytes = "1 MB"', 'stop = "2 s"', ("flow.2.stop", 13), "expected a time after its start"),
        ('stop = "4 s"', 'stop = "11 s"', ("flow.3.stop", 19), "flows.length at most, 10 s"),
        ('stop = "4 s"', 'stop = "4.05 s"', ("flow.3.stop", 19), "a multiple of flows.step"),
        ('start = "2.0005 s"', 'start = "10 s"', ("flow.2.start", 12), "before flows.length"),
        ('stop = "4 s"', 'start = "1 ms"', ("flow.3.start", 19), "of a ping, expected a multiple"),
        ('kind = "udp"', 'kind = "sctp"', ("flow.4.kind", 23), "not 'sctp'"),
        ('dscp = "EF"', 'dscp = "EE"', ("flow.2.dscp", 14), 'no DSCP "EE"; there are CS0, CS1,'),
        ('dscp = "EF"', "dscp = 64", ("flow.2.dscp", 14), "expected 63 at most, not 64"),
        ('dscp = "EF"', 'dcsp = "EF"', ("flow.2.dcsp", 14), 'unknown key; did you mean "dscp"?'),
        ('dscp = "EF"', 'sender = "C"', ("flow.2.sender", 14), "unknown key; there are name"),
        ('name = "up"', 'name = "1"', ("flow.1.name", 6), "expected a letter, and up to 15"),
        ('start = "2.0005 s"', 'name = "up"', ("flow.2.name", 12), 'flow 1 is called "up", too'),
        ('name = "up"\nfrom = "C"', 'name = "up"', ("flow.1.from", 5), "is missing"),
        ('[flows]', '[flows]\nstreams = 2', ("flows.streams", 3),
         "is of Flent's tests; [[flow]] says itself what is sent"),
        ('[flows]', '[lab]\nbefore = ["cubic 10 s"]\n[flows]', ("lab.before", 3),
         "repeats a test, and [[flow]] is none"),
        ('name = "up"', 'congestion_control = "cubic,bbr"', ("flow.1.congestion_control", 6),
         "expected one name"),
    ],
)  # fmt: skip
def test_what_is_refused_has_key_and_line(old, new, place, message, tmp_path):
    assert old in FILE
    with pytest.raises(FileError, match=re.escape(message)) as caught:
        load(write(tmp_path, FILE.replace(old, new, 1)))
    assert (caught.value.key, caught.value.line) == place


def test_its_keys_vary_by_number_and_by_name(tmp_path):
    text = FILE + '[matrix]\nflow.up.congestion_control = ["cubic", "bbr"]\n'
    text += 'flow.2.bytes = ["1 MB", "2 MB"]\n'
    experiment = load(write(tmp_path, text), ["flow.4.to=C"])
    assert experiment.factors == ("flow.up.congestion_control", "flow.2.bytes")
    found = [(cell.spec.flow[0].congestion_control, cell.spec.flow[1].bytes, cell.spec.flow[3])
             for cell in experiment.cells]  # fmt: skip
    assert [(control, size) for control, size, _ in found] == [
        ("cubic", 10**6), ("cubic", 2 * 10**6), ("bbr", 10**6), ("bbr", 2 * 10**6)
    ]  # fmt: skip
    assert {flow.receiver for *_, flow in found} == {"C"}
    assert experiment.cells[0].id == "flow.up.congestion_control=cubic,flow.2.bytes=1_MB"


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("flow.5.bytes", 'no flow "5"; there are up, 2, 3, 4'),
        ("flow.1.bytes", 'no flow "1"; there are up, 2, 3, 4'),  # a flow has one name
        (
            "flow.up.byte",
            'no key "flow.up.byte" can vary or be set; of flow 1, flow.1. and one of n',
        ),
        ("flow.up.rate", 'is of flows with kind = "udp", not "tcp"'),
    ],
)
def test_a_key_that_no_flow_has(key, message, tmp_path):
    with pytest.raises(UsageError, match=re.escape(message)):
        load(write(tmp_path), [f'{key}="1 MB"' if "rate" not in key else f'{key}="1 Mbit/s"'])


def test_one_table_is_no_array(tmp_path):
    message = "flow: expected tables, each under [[flow]], not {'from': 'C'}"
    with pytest.raises(FileError, match=re.escape(message)):
        load(write(tmp_path, 'title = "x"\n[flow]\nfrom = "C"\n'))


def test_a_file_without_flows_has_none_to_set(tmp_path):
    with pytest.raises(UsageError, match=re.escape('no flow "1"; the file has no [[flow]]')):
        load(write(tmp_path, 'title = "x"\n'), ["flow.1.dscp=0"])


def test_a_level_that_is_refused_is_named_where_it_varies(tmp_path):
    text = FILE + '[matrix]\nflow.up.stop = ["1 s", "20 s"]\n'
    with pytest.raises(FileError, match="expected flows.length at most") as caught:
        load(write(tmp_path, text))
    assert (caught.value.key, caught.value.line) == ("matrix.flow.up.stop", 26)


def test_what_was_run_has_each_flow_by_its_keys(tmp_path):
    cell = Conditions(load(write(tmp_path)).spec, load_profile("gigabit"))
    own = {key: cell.texts[key] for key in cell.written if key.startswith("flow.")}
    assert own == {
        "flow.up.from": "C", "flow.up.to": "S",
        "flow.2.from": "S", "flow.2.to": "C", "flow.2.start": "2000.5 ms",
        "flow.2.bytes": "1000000 B", "flow.2.dscp": "46",
        "flow.3.from": "R", "flow.3.to": "C", "flow.3.kind": "ping", "flow.3.stop": "4 s",
        "flow.4.from": "R", "flow.4.to": "S", "flow.4.kind": "udp", "flow.4.rate": "5 Mbit/s",
    }  # fmt: skip


def test_a_stored_specification_has_them_and_one_without_says_nothing_of_them(tmp_path):
    spec = load(write(tmp_path)).spec
    stored = measured(spec)
    assert stored["flow"][1]["from"] == "S"
    assert _SPEC.validate_python(stored, context={BASE_UNITS: True}) == spec
    assert "flow" not in measured(Spec.model_validate({"title": "x"}))
