# SPDX-License-Identifier: GPL-2.0-or-later
"""A testbed that a user writes: what its keys come to, and what is wrong with a file."""

from dataclasses import dataclass

import pytest

from tsqlab.errors import FileError, UsageError
from tsqlab.experiment.conditions import Conditions
from tsqlab.experiment.load import load
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.experiment.stored import measured, plain
from tsqlab.experiment.testbed.graph import Ends, Way
from tsqlab.experiment.testbed.routes import Route, routes
from tsqlab.guest.plan import make_plan
from tsqlab.guest.testbed import wiring
from tsqlab.units import BASE_UNITS, Decibel, Duration, Fraction, Rate

CHAIN = """\
# A chain.
# Expected: nothing.
title = "A chain"

[nodes]
C = { server = "S" }
R = {}
S = {}

[[link]]
between = ["C", "R"]

[[link]]
between = ["R", "S"]
rate = { "R>S" = "100 Mbit/s" }
delay = "5 ms"
loss = { "S>R" = "1 %" }
qdisc = "fq_codel"
"""

CELL = """\
# Two access points.
# Expected: nothing.
title = "Two access points"

[nodes]
A = {}
B = {}
C = { server = "A" }
D = { server = "B" }

[[link]]
between = ["A", "B"]

[[medium]]
name = "air"
device = "ath9k"
loss = "1 %"
members.A = "ap"
members.B = "ap"
members.C = { role = "station", of = "A" }
members.D = { role = "station", of = "B", rate = "HT20 MCS0" }

[medium.pairs."C-D"]
hears = false

[medium.pairs."A>C"]
snr = "20 dB"
"""


def read(tmp_path, text, *overrides):
    path = tmp_path / "it.toml"
    path.write_text(text, "utf-8")
    return load(str(path), overrides)


def spec_of(tmp_path, text, *overrides):
    return read(tmp_path, text, *overrides).spec


def test_a_link_has_what_each_way_says(tmp_path):
    graph = spec_of(tmp_path, CHAIN).testbed.graph
    near, far = graph.links[1].ends
    assert (near.line_rate, far.line_rate) == (Rate.of("100 Mbit/s"), None)
    assert (near.propagation, far.propagation) == (Duration.of("5 ms"), Duration.of("5 ms"))
    assert (near.queue.loss, far.queue.loss) == (0, Fraction.of("1 %"))
    assert (near.queue.qdisc, far.queue.qdisc) == ("fq_codel", "fq_codel")
    assert graph.links[0].near.queue.qdisc == "pfifo_fast"


def test_an_egress_says_more_of_a_way(tmp_path):
    more = '\n[testbed]\nqdisc = "fq"\negress."R>S" = { rate = "10 Mbit/s", loss = "2 %" }\n'
    graph = spec_of(tmp_path, CHAIN + more).testbed.graph
    assert graph.links[1].near.queue.rate == Rate.of("10 Mbit/s")
    assert graph.links[1].near.queue.loss == Fraction.of("2 %")
    assert [link.near.queue.qdisc for link in graph.links] == ["fq", "fq_codel"]


def test_the_ends_of_flows_are_those_that_nodes_name(tmp_path):
    assert spec_of(tmp_path, CHAIN).testbed.ends == (Ends("C", "S"),)
    assert spec_of(tmp_path, CELL).testbed.ends == (Ends("C", "A"), Ends("D", "B"))


def test_flows_take_turns_at_their_ends(tmp_path):
    experiment = read(tmp_path, CELL, "streams=3")
    plan = make_plan(experiment.spec, experiment.profiles()[0], experiment.others()[0])
    listening = [line[1] for line in plan.measurement if line[0] == "tcp" and line[3] == "listen"]
    sending = [line[1] for line in plan.measurement if line[0] == "tcp" and line[4] == "send"]
    assert (listening, sending) == (["A", "B", "A"], ["C", "D", "C"])


def test_a_medium_says_how_each_hears_each(tmp_path):
    (medium,) = spec_of(tmp_path, CELL).testbed.graph.media
    loss, snr = Fraction.of("1 %"), Decibel.of("20 dB")
    assert set(medium.ways) == {
        Way("C", "A", loss),
        Way("A", "C", loss, snr),
        Way("D", "B", loss),
        Way("B", "D", loss, rate="HT20 MCS0"),
        Way("C", "D", hears=False),
        Way("D", "C", hears=False),
    }


def test_a_station_has_a_rate_of_its_own_both_ways(tmp_path):
    experiment = read(tmp_path, CELL)
    made = wiring(experiment.spec, experiment.profiles()[0], experiment.others()[0])
    lines = [" ".join(line) for line in made.set_up() if "bitrates" in line]
    assert [line.split("bitrates ")[1] for line in lines] == [
        "ht-mcs-2.4 15 sgi-2.4", "ht-mcs-2.4 15 sgi-2.4", "ht-mcs-2.4 0 lgi-2.4"
    ]  # fmt: skip
    assert [line.split()[1] for line in lines] == ["A", "C", "D"], "B sends at the rate of each"


def test_the_shortest_way_is_taken_and_another_can_be_given(tmp_path):
    triangle = CHAIN + '\n[[link]]\nbetween = ["C", "S"]\n'
    around = triangle.replace('C = { server = "S" }', 'C = { server = "S", via = { S = "R" } }')
    direct, given = (spec_of(tmp_path, text).testbed.graph for text in (triangle, around))
    assert routes(direct, "C") == (Route("default", "10.0.1.2"),), "the block R - S by R"
    assert routes(given, "C")[:2] == (Route("10.0.2.2", "10.0.1.2"), Route("10.0.3.2", "10.0.1.2"))


def test_a_matrix_and_set_reach_links_and_media(tmp_path):
    text = CELL + '\n[matrix]\nmedium.air.loss = ["0 %", "5 %"]\nlink.A-B.delay = ["1 ms"]\n'
    experiment = read(tmp_path, text, "medium.air.members.D.rate=HT20 MCS7", "nodes.C.server=B")
    assert [cell.id for cell in experiment.cells] == [
        "medium.air.loss=0_,link.A-B.delay=1_ms", "medium.air.loss=5_,link.A-B.delay=1_ms"
    ]  # fmt: skip
    testbed = experiment.cells[1].spec.testbed
    assert testbed.medium["air"].loss == Fraction.of("5 %")
    assert testbed.medium["air"].members["D"].rate == "HT20 MCS7"
    assert testbed.graph.links[0].far.propagation == Duration.of("1 ms")
    assert testbed.ends[0] == Ends("C", "B")


def test_conditions_show_what_links_and_media_say(tmp_path):
    spec = spec_of(tmp_path, CHAIN)
    texts = Conditions(spec, load_profile("gigabit")).texts
    assert texts["link.R-S.delay"] == "5 ms"
    assert texts["link.R-S.rate.R>S"] == "100 Mbit/s"
    assert texts["device"] == "gigabit"


@pytest.mark.parametrize("text", [CHAIN, CELL])
def test_a_result_has_the_graph_and_reads_it_back(tmp_path, text):
    spec = spec_of(tmp_path, text)
    assert Spec.model_validate(plain(spec), context={BASE_UNITS: True}) == spec
    assert Spec.model_validate(measured(spec), context={BASE_UNITS: True}) == spec


def test_the_cells_device_is_the_first_mediums_or_links(tmp_path):
    assert spec_of(tmp_path, CHAIN).testbed.device == "gigabit"
    assert spec_of(tmp_path, CELL).testbed.device == "ath9k"
    assert list(read(tmp_path, CELL).others()[0]) == ["ath9k", "gigabit"]


@dataclass(frozen=True)
class Wrong:
    """A file with something else in the place of *old*, and what is said of it."""

    text: str
    old: str
    new: str
    place: str  # the line and the key
    said: str


WRONG = [
    Wrong(
        CHAIN, 'between = ["C", "R"]', 'between = ["C", "Q"]', "11 link.C-Q.between", 'no node "Q"'
    ),
    Wrong(
        CHAIN,
        'between = ["C", "R"]',
        'between = ["C", "C"]',
        "11 link.C-C.between",
        "two different",
    ),
    Wrong(
        CHAIN, 'between = ["C", "R"]', 'between = ["C"]', "11 link.1.between", "expected two nodes"
    ),
    Wrong(
        CHAIN,
        'between = ["C", "R"]',
        'between = ["R", "S"]',
        "13 link.2",
        'there is a link "R-S" already',
    ),
    Wrong(
        CHAIN,
        'between = ["C", "R"]',
        'between = ["S", "R"]',
        "13 link.R-S",
        '"S-R" is between the same two nodes',
    ),
    Wrong(CHAIN, "S = {}", "S = {}\nT = {}", "9 nodes.T", "is at no link and on no medium"),
    Wrong(CHAIN, 'delay = "5 ms"', 'delay = "11 s"', "16 link.R-S.delay", "expected 0 s to 10 s"),
    Wrong(CHAIN, 'delay = "5 ms"', 'dely = "5 ms"', "16 link.R-S.dely", 'did you mean "delay"?'),
    Wrong(CHAIN, '"R>S" = "100', '"R>C" = "100', "15 link.R-S.rate.R>C", 'expected "R>S" or "S>R"'),
    Wrong(CHAIN, 'server = "S"', 'server = "T"', "6 nodes.C.server", 'no node "T"'),
    Wrong(CHAIN, 'server = "S"', 'server = "C"', "6 nodes.C.server", "another node than this one"),
    Wrong(CHAIN, '{ server = "S" }', "{}", "5 nodes", "expected a node with server ="),
    Wrong(CHAIN, "R = {}", 'R = { via = { S = "C" } }', "7 nodes.R.via.S", '"C" has one port only'),
    Wrong(
        CHAIN,
        'server = "S"',
        'server = "S", via = { R = "S" }',
        "6 nodes.C.via.R",
        '"S" is no neighbour of "C"',
    ),
    Wrong(CHAIN, "R = {}", "guest = {}", "7 nodes.guest", '"guest" means what all nodes share'),
    Wrong(CHAIN, "R = {}", '"a-b" = {}', "7 nodes.a-b", "cannot be a name"),
    Wrong(
        CHAIN,
        "[[link]]",
        '[testbed]\nlayout = "wired"\n\n[[link]]',
        "11 testbed.layout",
        "has its own nodes",
    ),
    Wrong(
        CHAIN,
        "[[link]]",
        "[testbed]\nstations = 2\n\n[[link]]",
        "10 testbed",
        '"stations" belongs to layout = "wifi"',
    ),
    Wrong(
        CHAIN,
        "[[link]]",
        '[testbed]\negress."C>S".rate = "1 Mbit/s"\n\n[[link]]',
        "10 testbed",
        'no egress "C>S"; there are C>R, R>C, R>S, S>R',
    ),
    Wrong(
        CELL,
        'of = "A" }',
        'of = "C" }',
        "20 medium.air.members.C.of",
        '"C" is no access point on it; the access points are A, B',
    ),
    Wrong(CELL, ', of = "A" }', " }", "20 medium.air.members.C", "expected of = the access point"),
    Wrong(
        CELL,
        'A = "ap"',
        'A = "boss"',
        "18 medium.air.members.A",
        'no role "boss"; there are ap, station',
    ),
    Wrong(
        CELL,
        'A = "ap"',
        'A = { role = "ap", rate = "HT20 MCS0" }',
        "18 medium.air.members.A.rate",
        "belongs to a station",
    ),
    Wrong(CELL, 'name = "air"', 'name = "A"', "15 medium.A.name", '"A" is a node'),
    Wrong(CELL, 'name = "air"', "", "14 medium.1.name", "expected a name"),
    Wrong(CELL, '"C-D"', '"C-Q"', "23 medium.air.pairs.C-Q", '"Q" is no member'),
    Wrong(CELL, '"C-D"', '"C"', "23 medium.air.pairs.C", "expected two members"),
    Wrong(
        CELL,
        'device = "ath9k"',
        'device = "ath9k"\nrate = "minstrel"',
        "22 medium.air.members.D.rate",
        "needs a fixed rate",
    ),
]


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.place)
def test_what_is_wrong_is_said_where_it_stands(tmp_path, wrong):
    assert wrong.old in wrong.text
    with pytest.raises(FileError) as caught:
        read(tmp_path, wrong.text.replace(wrong.old, wrong.new, 1))
    assert wrong.said in caught.value.message
    assert f"{caught.value.line} {caught.value.key}" == wrong.place


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("link.R-T.delay=1 ms", 'no link "R-T"; did you mean "R-S"?'),
        ("medium.air.loss=1 %", 'no medium "air"; the file has none'),
        ("link.C-R.delay=1", "testbed.link.C-R.delay"),
        ("link.C-R.device=gigabot", 'no device profile "gigabot"; did you mean "gigabit"?'),
    ],
)
def test_an_override_that_is_wrong_is_named(tmp_path, override, said):
    with pytest.raises(UsageError) as caught:
        read(tmp_path, CHAIN, override).others()
    assert f"--set {override}" in str(caught.value)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("link.A-B.device=ath9k", 'link "A-B": device "ath9k" is a radio'),
        ("medium.air.device=gigabit", 'medium "air": device "gigabit" is an Ethernet card'),
        ("mtu=9000", 'mtu = 9000: device "ath9k" is a radio'),
    ],
)
def test_a_device_of_the_wrong_kind_is_refused(tmp_path, override, said):
    experiment = read(tmp_path, CELL, override)
    with pytest.raises(UsageError, match=said):
        wiring(experiment.spec, experiment.profiles()[0], experiment.others()[0])


APART = CHAIN.replace("S = {}", "S = {}\nX = {}\nY = {}", 1) + '\n[[link]]\nbetween = ["X", "Y"]\n'


def test_parts_may_be_apart_as_long_as_no_flow_is_between_them(tmp_path):
    assert read(tmp_path, APART).spec.testbed.nodes == ("C", "R", "S", "X", "Y")
    with pytest.raises(FileError, match='there is no way to "Y" from "C"') as caught:
        read(tmp_path, APART.replace('server = "S"', 'server = "Y"'))
    assert caught.value.key == "nodes.C.server"


def test_a_flow_without_a_way_is_refused(tmp_path):
    flow = '\n[[flow]]\nfrom = "X"\nto = "{}"\nkind = "tcp"\n'
    read(tmp_path, APART + flow.format("Y"))
    with pytest.raises(FileError, match='there is no way to "R" from "X"') as caught:
        read(tmp_path, APART + flow.format("R"))
    assert caught.value.key == "flow.1.to"
