# SPDX-License-Identifier: GPL-2.0-or-later
"""``[lab] capture``: the pcaps beside a cell, read by tshark, and that they repeat."""

import collections
import re
import subprocess
import sys

import pytest

from pcap import frames
from tsqlab.guest import captures
from tsqlab.results.flent import KEY

SHORT = {"length": "2 s", "delay": "500 ms", "streams": 2}
BRIEF = {**SHORT, "length": "1 s"}  # of radios that carry much
WIRED = {"testbed": {"bottleneck": "LR100M", "base_rtt": "4 ms"}, "flows": SHORT}
# Chance decides where BBR probes, which queue of fq_codel a flow is in, and what netem loses.
CHANCE = {
    "testbed": {
        "qdisc": "fq_codel",
        "bottleneck": "LR100M",
        "egress": {"R>S": {"rate": "50 Mbit/s", "loss": "0.1 %"}},
    },
    "sender": {"congestion_control": "cubic,bbr"},
    "flows": {**SHORT, "test": "rrul"},
}
WIFI = {
    "testbed": {"layout": "wifi", "stations": 2, "base_rtt": "4 ms"},
    "sender": {"congestion_control": "cubic,bbr"},
    "flows": {**SHORT, "streams": 3},
}
WIRED_ALL = ("C>R", "R>C", "R>S", "S>R")
WIFI_ALL = ("C1>AP", "C2>AP", "AP>C", "AP>S", "S>AP")


# An access point on two channels, each with a station of its own, and a wire.
TWO_MEDIA = {
    "nodes": {"S": {}, "AP": {}, "C": {"server": "S"}, "D": {"server": "S"}},
    "medium": [
        {"name": "one", "device": "ath9k_htc", "members": {"AP": "ap", "C": {"role": "station"}}},
        {"name": "two", "device": "ath9k", "members": {"AP": "ap", "D": {"role": "station"}}},
    ],
    "link": [{"between": ["AP", "S"], "delay": "2 ms"}],
    "flows": BRIEF,
}


def on(spec, **testbed):
    return spec | {"testbed": spec["testbed"] | testbed}


def capturing(spec, *names, **lab):
    return spec | {"lab": {"capture": list(names), **lab}}


def tshark(pcap, *fields, only="frame"):
    """The fields of a capture's packets, a row each."""
    words = [word for field in fields for word in ("-e", field)]
    command = ["tshark", "-r", str(pcap), "-Y", only, "-T", "fields", *words]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [tuple(line.split("\t")) for line in text.splitlines()]


@pytest.fixture
def captured(cell, tmp_path):
    """Run a cell with captures; its document, and its pcaps by what they are of."""

    def run(spec, name="captured"):
        document = cell(spec, folder=tmp_path / name)
        of = {re.sub(r"\W", "_", one): one for one in spec["lab"]["capture"]}
        folder = tmp_path / name / "pcaps"
        return document, {of[path.stem.removeprefix("cell-")]: path for path in folder.iterdir()}

    return run


@pytest.mark.parametrize(
    ("spec", "names"),
    [
        (CHANCE, WIRED_ALL),
        (on(WIFI, device="ath10k") | {"flows": {**BRIEF, "test": "tcp_ndown"}}, WIFI_ALL),
    ],
    ids=["chance", "downloads"],
)
def test_a_cell_with_captures_repeats(captured, tmp_path, spec, names):
    runs = [captured(capturing(spec, *names), name) for name in ("first", "second")]
    for _, pcaps in runs:
        assert set(pcaps) == set(names)
        assert all(len(frames(pcap)) > 100 for pcap in pcaps.values())
    (_, first), (_, second) = runs
    assert all(first[name].read_bytes() == second[name].read_bytes() for name in names)
    one, other = (tmp_path / name / "cell.flent.gz" for name in ("first", "second"))
    assert one.read_bytes() == other.read_bytes()


def test_what_leaves_by_one_side_arrives_at_the_other(captured):
    """The two ends of the wire that nothing is lost on, each packet by its first bytes."""
    _, pcaps = captured(capturing(WIRED, "R>S", "S>R"))
    sides = [frames(pcaps[name]) for name in ("R>S", "S>R")]
    mac = bytes.fromhex("020000000202")  # the router's
    sent, received = ([one for one in side if one[6:12] == mac] for side in sides)
    assert len(sent) > 5_000
    # What is on its way at the end has not arrived.
    assert received == sent[: len(received)]
    assert len(sent) - len(received) < 50


def test_a_snap_length_leaves_the_headers_and_the_true_length(captured):
    _, pcaps = captured(capturing(WIRED, "C>R"))
    rows = tshark(pcaps["C>R"], "frame.len", "frame.cap_len", "tcp.options.timestamp.tsval",
                  only="tcp.dstport >= 5001 && tcp.len > 0")  # fmt: skip
    assert {row[:2] for row in rows} == {("1514", "192")}
    assert all(tsval for _, _, tsval in rows), "the last of the headers is there"
    _, pcaps = captured(capturing(WIRED, "C>R", snap_length="128 KiB"), "whole")
    rows = tshark(pcaps["C>R"], "frame.len", "frame.cap_len")
    assert all(length == there for length, there in rows)


@pytest.mark.parametrize("device", ["ath9k_htc", "ath9k"])
def test_the_air_has_the_aggregates_that_the_radios_count(captured, device):
    """Each PPDU of several frames that the station sent, and TCP's headers within."""
    spec = on(WIFI, device=device, stations=1) | {"sender": {"tsq": "NoTSQ"}}
    spec["flows"] = {**BRIEF, "streams": 3}
    document, pcaps = captured(capturing(spec, "air"))
    assert document["metadata"][KEY]["spec"]["lab"]["capture"] == ["air"], "a cell of its own"
    assert tshark(pcaps["air"], "frame.number", only="_ws.malformed") == []
    rows = tshark(pcaps["air"], "radiotap.ampdu.reference", "radiotap.mactime",
                  only="wlan.ta == 02:00:00:00:01:01 && wlan.fc.type_subtype == 0x28")  # fmt: skip
    sizes = collections.Counter(collections.Counter(row for row in rows if row[0]).values())
    counted = document["metadata"]["SERIES_META"]["wifi_stats_C"]["SUBFRAMES_OF"]
    assert sizes == {n: count for n, count in enumerate(counted, 1) if n > 1 and count}
    assert max(sizes) > 10
    ports = tshark(pcaps["air"], "tcp.dstport", only="tcp.len > 0")
    assert {port for (port,) in ports} == {"5001", "5002", "5003"}


def test_each_medium_and_link_of_a_graph_has_a_capture_of_its_own(captured):
    """What is sent on one channel is not on the other; times are ns; runs are the same bytes."""
    names = ("one", "two", "AP>S", "C>AP")
    spec = capturing(TWO_MEDIA, *names)
    runs = [captured(spec, name)[1] for name in ("first", "second")]
    for name in names:
        first, second = (pcaps[name].read_bytes() for pcaps in runs)
        assert first == second
        assert tshark(runs[0][name], "frame.number", only="_ws.malformed") == []
        assert len(frames(runs[0][name])) > 1000
    times = [time.partition(".")[2] for (time,) in tshark(runs[0]["AP>S"], "frame.time_epoch")]
    assert any(int(fraction) % 1000 for fraction in times), "ns, and not the us of 802.11"
    sides = {
        name: set(tshark(pcap, "tcp.srcport", "tcp.dstport", only="tcp.len > 0"))
        for name, pcap in runs[0].items()
    }
    data = {name: {int(to) for _, to in ports} for name, ports in sides.items()}
    assert data == {"one": {5001}, "two": {5002}, "AP>S": {5001, 5002}, "C>AP": {5001}}
    references = [row for row in tshark(runs[0]["two"], "radiotap.ampdu.reference") if row[0]]
    assert len(references) > 500


def test_a_capture_that_is_too_long_says_so(cell, monkeypatch):
    monkeypatch.setattr(captures, "file_bytes_max", lambda count: (1 << 20) // count)
    with pytest.raises(Exception, match=r"the capture on c0 is longer than 1 MiB at 1\.\d+ s"):
        cell(capturing(WIRED, "C>R"))


@pytest.mark.usefixtures("kernel")
def test_a_run_names_its_captures(tmp_path):
    experiment = tmp_path / "short.toml"
    experiment.write_text(
        'title = "Short"\n[testbed]\nbottleneck = "L10M"\n[flows]\nlength = "1 s"\ndelay = "0 s"\n'
    )
    command = [sys.executable, "-m", "tsqlab.cli", "run", "short.toml", "--capture", "C>R,S>R"]

    def tsqlab():
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True)
        return done.stdout

    assert "results/short,capture=C_R,S_R/pcaps/*.pcap" in tsqlab()
    folder = tmp_path / "results" / "short,capture=C_R,S_R"
    names = ["cell-C_R.pcap", "cell-S_R.pcap"]
    assert sorted(path.name for path in (folder / "pcaps").iterdir()) == names
    assert all(f'href="./pcaps/{name}"' in (folder / "report.html").read_text() for name in names)
    assert "1 of 1 cells are done already" in tsqlab()
    (folder / "pcaps" / names[0]).unlink()
    assert "done already" not in tsqlab()
    assert (folder / "pcaps" / names[0]).exists()
