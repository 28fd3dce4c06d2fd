# SPDX-License-Identifier: GPL-2.0-or-later
"""Experiment files: what they may say, and what is said back when they are wrong."""

import re

import pytest

from tsqlab.errors import FileError, UsageError
from tsqlab.experiment.bundled import bundled_experiments
from tsqlab.experiment.load import load
from tsqlab.experiment.spec import TABLES

GOOD = """\
# What is tested.
# What is expected.
title = "A test"

[testbed]
bottleneck = "L100M"
base_rtt = "10 ms"

[flows]
length = "30 s"

[matrix]
qdisc = ["pfifo_fast", "fq_codel limit 100"]
seed = [1, 2, 3]
"""


def write(tmp_path, text):
    path = tmp_path / "test.toml"
    path.write_text(text)
    return str(path)


def test_spreads_the_matrix(tmp_path):
    experiment = load(write(tmp_path, GOOD))
    assert experiment.comment == "What is tested.\nWhat is expected."
    assert experiment.factors == ("qdisc", "seed")
    assert len(experiment.cells) == 6
    last = experiment.cells[-1]
    assert last.factors == {"qdisc": "fq_codel limit 100", "seed": 3}
    assert last.id == "qdisc=fq_codel_limit_100,seed=3"
    assert last.spec.testbed.base_rtt == 10_000_000
    assert last.spec.lab.seed == 3


def test_overrides_win_and_end_a_factor(tmp_path):
    experiment = load(write(tmp_path, GOOD), ["seed=7", "qdisc=fq", "testbed.mtu=9000"])
    (cell,) = experiment.cells
    assert (cell.spec.lab.seed, cell.spec.testbed.qdisc, cell.spec.testbed.mtu) == (7, "fq", 9000)


def test_an_override_may_vary(tmp_path):
    experiment = load(write(tmp_path, GOOD), ["seed=[5, 6]", 'qdisc="fq"'])
    assert [cell.spec.lab.seed for cell in experiment.cells] == [5, 6]


@pytest.mark.parametrize("key", ['testbed.egress."R>C".qdisc', "testbed.egress.R>C.qdisc"])
def test_an_overrides_key_may_be_written_as_in_a_file(key, tmp_path):
    slots = load(write(tmp_path, GOOD), [f'{key}=["netem slot 50us", "fq"]', "seed=1"])
    assert "testbed.egress.R>C.qdisc" in slots.factors
    assert {cell.spec.testbed.egress["R>C"].qdisc for cell in slots.cells} == {
        "netem slot 50us",
        "fq",
    }
    key = "testbed.sysctl.C.'net.ipv4.tcp_sack'"
    experiment = load(write(tmp_path, GOOD), [f"{key}=0"])
    assert experiment.spec.testbed.sysctl["C"] == {"net.ipv4.tcp_sack": 0}


def test_dotted_factors_reach_into_tables(tmp_path):
    text = GOOD.replace("seed = [1, 2, 3]", '"egress.R>S.delay" = ["1 ms", "2 ms"]').replace(
        '"egress.R>S.delay"', 'testbed.egress."R>S".delay'
    )
    experiment = load(write(tmp_path, text))
    assert {cell.spec.testbed.egress["R>S"].delay for cell in experiment.cells} == {
        10**6,
        2 * 10**6,
    }


def test_a_sysctl_may_vary(tmp_path):
    text = GOOD + 'testbed.sysctl.C."net.ipv4.tcp_pacing_ca_ratio" = [120, 140]\n'
    experiment = load(write(tmp_path, text))
    values = {
        cell.spec.testbed.sysctl["C"]["net.ipv4.tcp_pacing_ca_ratio"] for cell in experiment.cells
    }
    assert values == {120, 140}


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ('base_rtt = "10 ms"', "base_rtt = 10", 7, r'expected a number with a unit .* "2.5 ms"'),
        ('base_rtt = "10 ms"', 'basertt = "10 ms"', 7, r'did you mean "base_rtt"\?'),
        ('bottleneck = "L100M"', 'bottleneck = "X100M"', 6, "names no bottleneck; write L100M"),
        ('bottleneck = "L100M"', 'layout = "ring"', 6, 'no layout "ring"; there are wired'),
        ('length = "30 s"', "length = 30", 10, "expected a number with a unit"),
        ('length = "30 s"', 'test = "tcp_nupp"', 10, 'no test "tcp_nupp"; there are ping'),
        ('length = "30 s"', 'length = "30.05 s"', 9, "multiples of step"),
        ('"fq_codel limit 100"', '"fq_coddle"', 13, 'no qdisc "fq_coddle"; there are pfifo_fast'),
        ("seed = [1, 2, 3]", "seed = 1", 14, "expected a list of values"),
        (
            "seed = [1, 2, 3]",
            "sede = [1]",
            14,
            r'no key "sede" can vary or be set; did you mean "seed"\?',
        ),
        ("seed = [1, 2, 3]", "seed = [1, 1]", 12, "two cells are the same"),
        ("seed = [1, 2, 3]", "seed = [-1]", 14, "expected 0 or more, not -1"),
        ('title = "A test"', "", None, "title: is missing"),
        ('title = "A test"', "title = ", 3, "not TOML"),
    ],
)
def test_says_what_is_wrong_and_where(tmp_path, old, new, line, message):
    assert old in GOOD
    path = write(tmp_path, GOOD.replace(old, new))
    with pytest.raises(FileError, match=message) as caught:
        load(path)
    assert caught.value.line == line
    assert str(caught.value).startswith(f"{path}:{line}: " if line else f"{path}: ")


def test_unknown_names_are_met_with_a_hint():
    with pytest.raises(UsageError, match='did you mean "tptsq-4"'):
        load("tptsq-44")
    with pytest.raises(UsageError, match="no such experiment file"):
        load("nowhere/x.toml")


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("seed", 'expected KEY=VALUE, as in "qdisc=fq"'),
        ("sede=1", 'no key "sede" can vary or be set; did you mean "seed"?'),
        ("title=x", 'no key "title" can vary or be set; it stands above the tables of'),
        ("lab.qdisc=fq", 'no key "lab.qdisc" can vary or be set; it is a key of [testbed]'),
        ('band="5 GHz"', 'no key "band" can vary or be set; device profiles have it: profile.band'),
        ("memory=67108864", 'expected a size with its unit, as "64 MiB", not 67108864'),
    ],
)
def test_an_override_must_name_a_key(override, message, tmp_path):
    with pytest.raises(UsageError, match=re.escape(message)):
        load(write(tmp_path, GOOD), [override])


@pytest.mark.parametrize(
    ("override", "where"),
    [
        ("qdisc=fifo", "testbed.qdisc"),  # varies in the file
        ('qdisc=["fq", "fifo"]', "testbed.qdisc"),  # varies by what was given
        ("base_rtt=1", "testbed.base_rtt"),  # stands in the file
        ("memory=1", "lab.memory"),  # does not
        ("layout=ring", "testbed.layout"),
        ('testbed.egress."S>R".loss=-1', "testbed.egress.S>R.loss"),
    ],
)
def test_what_is_wrong_with_an_override_is_not_said_of_the_file(override, where, tmp_path):
    with pytest.raises(UsageError) as caught:
        load(write(tmp_path, GOOD), [override])
    assert str(caught.value).startswith(f"--set {override}: {where}: ")


def test_what_is_wrong_in_the_file_is_not_said_of_an_override(tmp_path):
    with pytest.raises(FileError, match=r"test.toml:13: matrix.qdisc: no qdisc"):
        load(write(tmp_path, GOOD.replace("pfifo_fast", "fifo")), ["mtu=9000"])


@pytest.mark.parametrize("override", ["device=nothing", 'device=["gigabit", "nothing"]'])
def test_no_profile_of_an_override_is_not_said_of_the_file(override, tmp_path):
    with pytest.raises(UsageError, match='no device profile "nothing"') as caught:
        load(write(tmp_path, GOOD), [override]).profiles()
    assert str(caught.value).startswith(f"--set {override}: ")


@pytest.mark.parametrize("value", ["[TSQ, CoTSQ]", "[TSQ", "{ shift: 8 }"])
def test_quotes_may_be_left_out_of_one_value_only(value, tmp_path):
    with pytest.raises(UsageError, match=re.escape("a list's and a table's texts need quotes: ")):
        load(write(tmp_path, GOOD), [f"tsq={value}"])


@pytest.mark.parametrize(
    ("capture", "captured"),
    [
        ('["C>R", "S>R"]', ("C>R", "S>R")),  # of other keys, a list varies
        ("C>R,S>R", ("C>R", "S>R")),
        ("C>R", ("C>R",)),
        ("[]", ()),
    ],
)
def test_what_is_captured_is_the_same_in_all_cells(capture, captured, tmp_path):
    experiment = load(write(tmp_path, GOOD), [f"capture={capture}"])
    assert experiment.factors == ("qdisc", "seed")
    assert {cell.spec.lab.capture for cell in experiment.cells} == {captured}


@pytest.mark.parametrize(
    ("tables", "key", "message"),
    [
        ('[lab]\ncapture = ["C>X"]', "lab.capture",
         'no egress "C>X"; there are C>R, R>C, R>S and S>R'),
        ('[lab]\ncapture = "C"', "lab.capture", "S>R; a shell needs them quoted, as 'C>R'"),
        ('[lab]\ncapture = "air"', "lab.capture", 'layout = "wired" has no air; there are C>R,'),
        ('[lab]\ncapture = "AP>S,air,AP"\n[testbed]\nlayout = "wifi"\nstations = 2',
         "lab.capture", 'no egress "AP"; there are C1>AP, C2>AP, AP>C, AP>S, S>AP and air; a'),
        ('[lab]\ncapture = "C>R,C>R"', "lab.capture", "the same capture twice"),
        ('[lab]\nsnap_length = "32 B"', "lab.snap_length", 'expected 64 B to 128 KiB, not "32 B"'),
        ('[matrix]\ncapture = ["C>R", "R>C"]', "matrix.capture", "so it cannot vary; it is a key"),
        ('[matrix]\ntrace = ["tcp:*"]', "matrix.trace", "so it cannot vary; it is a key"),
        ('[lab]\ntrace = ["tcp_probe"]', "lab.trace", "expected events as SYSTEM:NAME"),
        ('[lab]\ntrace = "tcp:a b"', "lab.trace", "expected events as SYSTEM:NAME"),
        ('[lab]\ntrace = "tcp:*, tcp:*"', "lab.trace", "the same event twice"),
        (f"[lab]\ntrace = {[f'a:{one}' for one in range(51)]}", "lab.trace", "expected 50 at most"),
    ],
)  # fmt: skip
def test_what_cannot_be_captured_is_refused(tables, key, message, tmp_path):
    with pytest.raises(FileError, match=re.escape(message)) as caught:
        load(write(tmp_path, f'title = "x"\n{tables}\n'))
    assert (caught.value.key, caught.value.line) == (key, 3)


@pytest.mark.parametrize(
    ("line", "key", "message"),
    [
        (
            '[testbed]\nband = "5 GHz"',
            "testbed.band",
            "unknown key; device profiles have it: profile",
        ),
        ('[testbed]\nrate.C1 = "6 Mbit/s"', "testbed.rate", "one value, which all stations have"),
        ('[flows]\nqdisc = "fq"', "flows.qdisc", "it is a key of [testbed]; here there are test,"),
        ('[testbed]\negress."C>R".rat = 1', "testbed.egress.C>R.rat", 'did you mean "rate"?'),
        ('[testbed]\negress."C>R".mtu = 1', "testbed.egress.C>R.mtu", "here there are rate, qdisc"),
        ("[sender]\ntsq = { usec = 5 }", "sender.tsq.usec", 'did you mean "us"?'),
        ("[lab]\nmemory = 67108864", "lab.memory", 'its unit, as "64 MiB", not 67108864'),
        (
            "[matrix]\nband = [5]",
            "matrix.band",
            'no key "band" can vary or be set; device profiles',
        ),
        ('titel = "x"\n[lab]', "titel", 'unknown key; did you mean "title"?'),
    ],
)
def test_an_unknown_key_is_met_with_where_it_belongs(line, key, message, tmp_path):
    text = line if "titel" in line else f'title = "x"\n{line}'
    with pytest.raises(FileError, match=re.escape(message)) as caught:
        load(write(tmp_path, text))
    assert caught.value.key == key
    assert caught.value.line == (1 if "titel" in line else 3)


def test_bare_keys_are_unique_across_tables():
    keys = [key for table in TABLES.values() for key in table.model_fields]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("name", bundled_experiments())
def test_bundled_experiments_are_good_and_say_what_they_expect(name):
    experiment = load(name)
    assert re.search(r"^Expected: ", experiment.comment, re.MULTILINE)
    assert experiment.spec.title
