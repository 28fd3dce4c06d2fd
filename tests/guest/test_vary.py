# SPDX-License-Identifier: GPL-2.0-or-later
"""[[vary]]: links that change over time, at the very instants that the file says."""

import shutil

import numpy as np
import pytest

from link_traces import FOLDER
from pcap import frames, instants_ns
from tsqlab.experiment.vary_files import with_files
from tsqlab.guest.instants import T0_NS
from tsqlab.guest.plan import BOOT_UNIX_NS
from tsqlab.metrics import summarise

PAYLOAD_SHARE = 1472 / 1538
BEGIN_NS = BOOT_UNIX_NS + T0_NS + 500_000_000  # when flows begin
OWN = bytes.fromhex("020000000102")  # S's address
GRAIN_NS = 256  # of a guest's clock
MS = 10**6
FLOWS = {"test": "udp_flood", "length": "3 s", "delay": "500 ms"}


def wire(*changes, **tables):
    return {
        "nodes": {"C": {"server": "S"}, "S": {}},
        "link": [{"between": ["C", "S"], "rate": "100 Mbit/s"}],
        "flows": FLOWS,
        "vary": [{"link": "C>S", **change} for change in changes],
        **tables,
    }


@pytest.fixture
def arrivals(cell, tmp_path):
    """Run a cell; when each frame has come to S, in ns from when flows begin, and its bits."""

    def run(spec):
        cell({**spec, "lab": {"capture": ["S>C"]}}, folder=tmp_path)
        (pcap,) = (tmp_path / "pcaps").iterdir()
        packets = list(zip(instants_ns(pcap), frames(pcap), strict=True))
        return np.array([(at_ns - BEGIN_NS, wire_bits(frame)) for at_ns, frame in packets
                         if frame[6:12] != OWN])  # fmt: skip

    return run


def wire_bits(frame):
    """What a frame takes of the wire: preamble, FCS and gap included, and a short one's padding."""
    is_ip = frame[12:14] == b"\x08\x00"
    size = 14 + int.from_bytes(frame[16:18], "big") if is_ip else len(frame)
    return 8 * (max(size + 4, 64) + 20)


def test_a_rate_changes_in_the_middle_of_a_frame(arrivals):
    """Each frame comes as long after the one before as the capacity between them says."""
    steps = [(0, 10_000), (1000 * MS, 2_500), (2000 * MS, 64_000)]
    rate = [[f"{at} ns", f"{kbps} kbit/s"] for at, kbps in steps]
    came = arrivals(wire({"rate": rate}))
    came = came[(came[:, 0] > 100 * MS) & (came[:, 0] < 2900 * MS)]
    bounds = [at for at, _ in steps] + [3000 * MS]
    carried = sum(
        kbps * (np.minimum(came[:, 0], end) - np.minimum(np.maximum(came[0, 0], at), end)).clip(0)
        for (at, kbps), end in zip(steps, bounds[1:], strict=True)
    )
    sent = 10**6 * (came[:, 1].cumsum() - came[0, 1])
    rates = np.select([came[:, 0] <= at for at in bounds[1:]], [kbps for _, kbps in steps])
    assert len(came) > 2500
    assert np.abs((carried - sent) / rates).max() <= 2 * GRAIN_NS, "in ns, at either end"


def test_deliveries_are_at_their_instants_and_come_again(arrivals):
    """The flow's packets and pings, in their order, as many bytes at each instant."""
    instants = [0, 3, 3, 10, 11, 40, 90]
    came = arrivals(wire({"deliveries": instants}))
    came = came[(came[:, 0] > 5 * MS) & (came[:, 0] < 2900 * MS)]
    at_ms = np.floor(came[:, 0] / MS).astype(int)
    assert (came[:, 0] - MS * at_ms).max() < 2 * GRAIN_NS
    assert set(at_ms % 90) <= {0, 3, 10, 11, 40}
    expected = [90 * number + at for number in range(40) for at in instants]
    got = came[:, 1].cumsum() / 8 - 38 * np.arange(1, len(came) + 1)  # packets' bytes
    room = 1500 * np.array([sum(5 < one <= at for one in expected) for at in at_ms])
    assert (room - got).max() < 1500 + 1500, "a packet lacks its last bytes, and one is not there"
    assert (got - room).max() <= 1500, "it had begun before"


def test_a_mahimahi_trace_is_followed_to_the_packet(arrivals, tmp_path):
    """Of a flow that always has packets of 1500 bytes waiting: one at each opportunity, no other.

    The trace is the bundled cellular one, read from its file, and the packets are a capture's.
    """
    trace = FOLDER / "cellular.trace"
    shutil.copy(trace, tmp_path / "link.trace")
    spec = wire(
        {"deliveries": "link.trace"},
        flows={"length": "3 s", "delay": "500 ms"},
        flow=[{"from": "C", "to": "S", "kind": "udp", "start": "0 s"}],
    )
    came = arrivals(with_files(spec, tmp_path))
    opportunities = [int(line) for line in trace.read_text().split()]
    # At the first the flow has sent nothing yet: it begins at that very instant.
    expected = [at for at in opportunities if 0 < at <= 3000]
    at_ns = came[:, 0]
    at_ns = at_ns[at_ns <= 3000 * MS + GRAIN_NS]
    assert set(came[:, 1]) == {8 * 1538}, "all are of 1500 bytes"
    assert len(expected) > 2500
    assert [round(at / MS) for at in at_ns] == expected
    assert np.abs(at_ns - MS * np.array(expected)).max() <= 2 * GRAIN_NS


def test_a_delay_is_that_of_when_a_frame_leaves(cell):
    """Of pings that are sent at once, beside no other flow."""
    document = cell({
        **wire({"delay": [["1 s", "20 ms"], ["2 s", "0 s"]], "repeat": "3 s"}),
        "flows": {"test": "ping", "length": "6 s", "delay": "500 ms"},
    })  # fmt: skip
    rows = document["raw_values"]["Ping (ms) ICMP"]
    rtts = {round((row["t"] - row["val"] / 1e3) * 1e9 - BEGIN_NS): row["val"] for row in rows}
    assert len(rtts) > 60
    for sent_ns, rtt_ms in rtts.items():
        slow = sent_ns > 0 and 1000 <= sent_ns / MS % 3000 < 2000
        assert rtt_ms == pytest.approx(20 if slow else 0, abs=0.1), sent_ns / MS


def test_losses_begin_and_end(cell):
    document = cell({
        **wire({"loss": [["1 s", "100 %"], ["2 s", "0 %"]]}),
        "flows": {"test": "ping", "length": "3 s", "delay": "500 ms"},
    })  # fmt: skip
    sent = [round((row["t"] - row["val"] / 1e3) * 1e9 - BEGIN_NS) / MS
            for row in document["raw_values"]["Ping (ms) ICMP"]]  # fmt: skip
    assert not [at for at in sent if 1001 < at < 2000]
    assert len(sent) == pytest.approx(30, abs=1)


@pytest.mark.parametrize("device", ["ath9k_htc", "ath9k"])
def test_a_radio_link_changes_at_its_instant(cell, device):
    """Good, with each MPDU lost, good again, and out of reach."""
    spec = {
        "testbed": {"layout": "wifi", "device": device, "server": "AP"},
        "flows": FLOWS,
        "vary": [
            {"link": "C>AP", "loss": [["700 ms", "100 %"], ["1.3 s", "0 %"]]},
            {"link": "C-AP", "snr": [["2.3 s", "0 dB"]]},
        ],
    }
    document = cell(spec)
    rows = [(row["t"] * 1e9 - BEGIN_NS, row["val"])
            for row in document["raw_values"]["UDP upload"] if "val" in row]  # fmt: skip
    periods = ((0.2, 0.7), (0.8, 1.3), (1.6, 2.3), (2.4, 3.0))
    good, lost, again, away = (
        np.mean([mbps for at, mbps in rows if begin * 1e9 < at <= end * 1e9])
        for begin, end in periods
    )
    assert good > 80
    assert again == pytest.approx(good, rel=0.1)
    assert max(lost, away) < 0.02 * good, "what waited for a retry may come through"


def test_a_rate_of_802_11_changes(cell):
    spec = {
        "testbed": {"layout": "wifi", "device": "ath9k_htc", "server": "AP"},
        "flows": FLOWS,
        "vary": [{"link": "C>AP", "rate": [["0 s", "HT20 MCS7"], ["1.5 s", "HT20 MCS0"]]}],
    }
    document = cell(spec)
    rows = [(row["t"] * 1e9 - BEGIN_NS, row["val"])
            for row in document["raw_values"]["UDP upload"] if "val" in row]  # fmt: skip
    fast = np.mean([mbps for at, mbps in rows if 2e8 < at <= 1.5e9])
    slow = np.mean([mbps for at, mbps in rows if 1.9e9 < at <= 3e9])
    assert 45 < fast < 65
    assert 5 < slow < 6.5


def test_changes_repeat_to_the_byte(cell, tmp_path):
    spec = wire(
        {"rate": [["0 s", "8 Mbit/s"], ["777 us", "3 Mbit/s"]], "repeat": "2 ms"},
        {"loss": [["0 s", "1 %"], ["1 s", "3 %"]]},
        flows={"length": "3 s", "delay": "500 ms"},
    )
    files = []
    for name in ("one", "other"):
        found = summarise(cell(spec, folder=tmp_path / name))
        files += (path.read_bytes() for path in (tmp_path / name).glob("*.flent.gz"))
    assert files[0] == files[1]
    mean_mbps = (0.777 * 8 + 1.223 * 3) / 2
    assert 0.3 * mean_mbps < found["goodput_mbps"] < mean_mbps * PAYLOAD_SHARE
    assert found["wire_busy_share"] is None, "it has no rate that could be full"
