# SPDX-License-Identifier: GPL-2.0-or-later
"""The picture of a testbed: everything is in it, and nothing lies on a text."""

import functools
import re
from itertools import combinations
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from matplotlib.font_manager import FontProperties, findfont
from matplotlib.ft2font import FT2Font, LoadFlags

from graphs import graphs
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.guest.testbed import wiring
from tsqlab.report.picture import testbed_svg as drawn
from tsqlab.report.picture.alone import alone
from tsqlab.report.picture.columns import columns_of
from tsqlab.report.picture.order import ordered
from tsqlab.report.picture.places import isotonic
from tsqlab.report.picture.scene import STRANDS_MAX, scene_of

profile = functools.cache(load_profile)
LAYOUTS = ("wired", "dumbbell", "parking-lot", "wifi", "hidden", "two-bss")
SVG = "{http://www.w3.org/2000/svg}"


def wired(tables):
    """A cell's specification, and its wiring."""
    spec = Spec.model_validate({"title": "", **tables})
    others = {name: profile(name) for name in spec.testbed.graph.devices}
    own = others.get(spec.testbed.device) or profile(spec.testbed.device)
    return spec, wiring(spec, own, others)


def of_layout(name, **testbed):
    return wired({"testbed": {"layout": name, **testbed}, "flows": {"streams": 6}})


class Picture:
    """An SVG, read back."""

    def __init__(self, svg):
        self.root = ElementTree.fromstring(svg)
        self.texts = list(self.root.iter(f"{SVG}text"))
        self.boxes = [box(rect) for group in self.root.iter(f"{SVG}g")
                      for rect in group.iter(f"{SVG}rect")]  # fmt: skip
        self.lines = [points(path.get("d")) for path in self.root.iter(f"{SVG}path")
                      if path.get("fill") == "none"]  # fmt: skip

    @property
    def said(self):
        return [text.text for text in self.texts]

    @property
    def names(self):
        """The names of nodes and media."""
        return [text.text for text in self.texts if text.get("font-weight") == "bold"]


def box(rect):
    x, y, width, height = (float(rect.get(key)) for key in ("x", "y", "width", "height"))
    return x, y, x + width, y + height


@functools.cache
def font(weight):
    return FT2Font(findfont(FontProperties(family="DejaVu Sans", weight=weight)))


def extent(text):
    """The room that a text takes in DejaVu Sans."""
    face, size = font(text.get("font-weight", "normal")), float(text.get("font-size", 12))
    face.set_size(1000, 72)
    advances = [face.load_char(ord(letter), flags=LoadFlags.NO_HINTING).linearHoriAdvance
                for letter in text.text]  # fmt: skip
    width = sum(advances) / 65536 / 1000 * size
    x, y = float(text.get("x")), float(text.get("y"))
    left = x - width / 2 if text.get("text-anchor") == "middle" else x
    return left, y - 0.76 * size, left + width, y + 0.24 * size


def points(d):
    """Points along a path of M, H and C."""
    found = []
    for letter, words in re.findall(r"([MHC])([^MHC]*)", d):
        numbers = [float(word) for word in words.split()]
        if letter == "M":
            found.append(tuple(numbers))
        elif letter == "H":
            x, y = found[-1]
            found += [(x + (numbers[0] - x) * step / 8, y) for step in range(1, 9)]
        else:
            x, y = found[-1]
            (_, _, _, _, right, below) = numbers
            for step in range(1, 17):
                t = step / 16
                # Both control points are half way across, at the heights of the ends.
                found.append((
                    x + (right - x) * (1.5 * t * (1 - t) + t**3),
                    y + (below - y) * (3 * t**2 - 2 * t**3),
                ))  # fmt: skip
    return found


def overlap(one, other):
    return (min(one[2], other[2]) - max(one[0], other[0]) > 0.1
            and min(one[3], other[3]) - max(one[1], other[1]) > 0.1)  # fmt: skip


def check(spec, made):
    picture = Picture(drawn(spec, made))
    graph = spec.testbed.graph
    expected = [*graph.nodes, *(medium.name for medium in graph.media)]
    assert sorted(picture.names) == sorted(expected), "each is there once"
    assert len(picture.boxes) == len(expected) + len(graph.links)
    places = [*picture.boxes]
    assert not any(overlap(*pair) for pair in combinations(places, 2)), "boxes are apart"
    extents = [extent(text) for text in picture.texts]
    assert not any(overlap(*pair) for pair in combinations(extents, 2)), "texts are apart"
    low, top, width, height = map(float, picture.root.get("viewBox").split())
    for left, above, right, below in extents:
        assert low <= left
        assert right <= low + width
        assert top <= above
        assert below <= top + height
    for line in picture.lines:
        crossed = [place for place in places for x, y in line
                   if place[0] + 0.2 < x < place[2] - 0.2
                   and place[1] + 0.2 < y < place[3] - 0.2]  # fmt: skip
        assert crossed == [], "no line crosses a box"


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_layout_is_all_there_and_legible(layout):
    check(*of_layout(layout))


@pytest.mark.parametrize(
    "more",
    [{"stations": 12, "rts": "0 B", "snr": "20 dB"},
     {"server": "AP", "device": "ath9k", "rate": "minstrel"}],
)  # fmt: skip
@pytest.mark.parametrize("layout", ["wifi", "hidden", "two-bss"])
def test_so_is_one_with_more_to_say(layout, more):
    check(*of_layout(layout, **more))


@settings(max_examples=60, deadline=None)
@given(tables=graphs())
def test_so_is_any_graph(tables):
    check(*wired(tables))


@settings(max_examples=8, deadline=None)
@given(tables=graphs(nodes_min=30, nodes_max=50))
def test_so_is_a_large_one(tables):
    check(*wired(tables))


def test_nodes_stand_in_the_order_of_the_way():
    spec, made = of_layout("parking-lot", hops=3)
    columns = columns_of(scene_of(spec, made))
    at = {node: columns[f"node {node}"] // 2 for node in spec.testbed.graph.nodes}
    assert at == {"C": 0, "C1": 0, "R1": 1, "C2": 1, "R2": 2, "C3": 2, "S1": 3, "R3": 3,
                  "S2": 4, "R4": 4, "S3": 5, "S": 5}  # fmt: skip


def test_a_download_has_its_client_on_the_left_as_an_upload_has():
    columns = [columns_of(scene_of(*wired({"flows": {"test": test}})))
               for test in ("tcp_upload", "tcp_download", "rrul")]  # fmt: skip
    assert columns[0] == columns[1] == columns[2]
    assert columns[0]["node C"] < columns[0]["node R"] < columns[0]["node S"]


def test_stations_without_flows_stand_beside_those_with():
    spec, made = wired({
        "nodes": {"AP": {}, "C1": {"server": "AP"}, "C2": {}},
        "medium": [{"name": "air", "members": {"AP": "ap", "C1": "station", "C2": "station"}}],
    })  # fmt: skip
    columns = columns_of(scene_of(spec, made))
    assert columns == {"node C1": 0, "node C2": 0, "medium air": 1, "node AP": 2}


def test_a_flow_goes_by_the_medium_that_its_packets_take():
    """Both nodes are on both channels; the second has been there first."""
    members = {"AP": "ap", "B": "station"}
    spec, made = wired({
        "nodes": {"AP": {}, "B": {}, "C": {"server": "B"}},
        "medium": [{"name": "one", "members": {"AP": "ap", "C": "station"}},
                   {"name": "two", "members": members}],
    })  # fmt: skip
    scene = scene_of(spec, made)
    assert scene.strands[0].way == ("node C", "medium one", "node AP", "medium two", "node B")


def test_a_flow_that_comes_and_goes_by_a_medium_has_one_line_there():
    """C - AP - D, though the two stations would reach each other by one hop."""
    spec, made = wired({
        "nodes": {"AP": {}, "C": {"server": "D", "via": {"D": "AP"}}, "D": {}, "S": {}},
        "link": [{"between": ["AP", "S"]}],  # so that it forwards
        "medium": [{"name": "air", "members": {"AP": "ap", "C": "station", "D": "station"}}],
    })  # fmt: skip
    scene = scene_of(spec, made)
    way = ("node C", "medium air", "node AP", "medium air", "node D")
    assert [strand.way for strand in scene.strands] == [way] * 2, "the flow and the pings"
    lines = ordered(scene, columns_of(scene)).lines
    assert [leg.strands for leg in lines["node AP", "medium air"]] == [(0, 1)]
    check(spec, made)


def test_a_way_that_is_given_is_drawn():
    spec, made = wired({
        "nodes": {"C": {"server": "S", "via": {"S": "R2"}}, "R1": {}, "R2": {}, "S": {}},
        "link": [{"between": pair} for pair in
                 (["C", "R1"], ["C", "R2"], ["R1", "S"], ["R2", "S"])],
    })  # fmt: skip
    assert scene_of(spec, made).strands[0].way[::2] == ("node C", "node R2", "node S")


def test_what_is_set_is_said():
    said = Picture(drawn(*of_layout("hidden", rts="0 B", snr="20 dB", stations=3))).said
    assert "C1, C2 and C3 do not hear each" in said
    assert any("SNR 20 dB" in line for line in said)
    assert any("RTS above" in line for line in said)
    said = Picture(drawn(*of_layout("wired", bottleneck="L10M", base_rtt="20 ms"))).said
    assert "C>R: 1 Gbit/s" in said
    assert "pfifo_fast, HTB 10 Mbit/s" in said
    assert "1 Gbit/s, 10 ms" in said
    assert "R>S: 1 Gbit/s, 10 ms" not in said, "what both ways share is said once"


def test_what_varies_is_said_at_its_link():
    vary = [{"link": "R>S", "rate": [["1 s", "10 Mbit/s"]], "delay": [["2 s", "3 ms"]]}]
    said = Picture(drawn(*wired({"vary": vary}))).said
    assert said.count("R>S varies: rate, delay") == 1
    tables = {"testbed": {"layout": "wifi"}, "vary": [{"link": "C-AP", "snr": [["1 s", "9 dB"]]}]}
    assert "C-AP varies: snr" in Picture(drawn(*wired(tables))).said


def test_each_flow_has_a_line_and_an_entry():
    tables = [{"from": "C", "to": "S"}, {"from": "S", "to": "C", "name": "page", "bytes": "1 MB"},
              {"from": "C", "to": "R", "kind": "ping"}]  # fmt: skip
    said = Picture(drawn(*wired({"flow": tables}))).said
    assert said[-3:] == ["1: TCP C → S", "2 page: TCP S → C", "3: ping C → R"]
    said = Picture(drawn(*wired({"flows": {"test": "rrul"}}))).said
    assert said[-3:] == ["4 × TCP C → S", "4 × TCP S → C", "4 × ping C → S"]
    many = [{"from": "C", "to": "S"}] * (STRANDS_MAX + 5)
    assert Picture(drawn(*wired({"flow": many}))).said[-1] == "and 5 more"


HOSTILE = '</title></svg><script>alert("1")</script>&amp;\x07\ufffe'


def test_a_hostile_text_is_a_text():
    radio = profile("ath9k_htc").model_copy(update={"title": f"{HOSTILE}]]>"})
    spec = Spec.model_validate({"title": HOSTILE, "testbed": {"layout": "wifi"}})
    for svg in (drawn(spec, wiring(spec, radio)), alone(drawn(spec, wiring(spec, radio)))):
        picture = Picture(svg)
        assert "<script" not in svg
        title = picture.root.find(f"{SVG}title").text
        assert title == "Testbed: " + HOSTILE.replace("\x07", "\ufffd").replace("\ufffe", "\ufffd")
        assert 'alert("1")' in "".join(picture.said)


def test_a_file_of_its_own_is_dark_where_its_viewer_is():
    svg = drawn(*of_layout("wifi"))
    used = set(re.findall(r'(?:fill|stroke)="(#[0-9a-f]{6})"', svg))
    dark = dict(re.findall(r'\[fill="(#[0-9a-f]{6})"\]\{fill:(#[0-9a-f]{6})\}', alone(svg)))
    assert len(used) > 4
    assert used <= set(dark), "each colour has another in the dark"
    assert all(dark[colour] != colour for colour in used)


def test_isotonic_numbers_are_the_nearest_that_never_fall():
    assert isotonic([1, 2, 3]) == [1, 2, 3]
    assert isotonic([3, 1]) == [2, 2]
    assert isotonic([1, 5, 3, 4, 9]) == [1, 4, 4, 4, 9]
