# SPDX-License-Identifier: GPL-2.0-or-later
"""Networks of mac80211 without an access point, in virtual time: an IBSS, and a mesh of hops."""

import re

import pytest

from bss import MS, PAYLOAD_BYTES, address, genl, phy_rate, watch
from peers import chain
from stress import MODULE, wait_until
from tsqlab.airlink import messages
from tsqlab.airlink.messages import Link, Radio
from tsqlab.airlink.uapi import Front, ProfileAttribute
from tsqlab.model import hearing
from tsqlab.model.exchange import exchange
from tsqlab.model.hearing import Traffic
from tsqlab.model.mac import mpdu_bytes
from tsqlab.model.phy import Rate
from tsqlab.results.measurement import read_table

RATE = Rate("HT", 40, 1, 7, 400)
SECONDS = 8
T0_NS = 20_000 * MS
STOP_NS = T0_NS + 1000 * SECONDS * MS
BSSID = "02:00:00:00:01:00"
FIXED = f"fixed-freq {BSSID}"


def name(number):
    return f"N{number}"


def ip(number):
    return f"10.0.0.{number}"


def radios(count, kind, subframes):
    """So many in nodes of their own, with addresses; they join nothing yet."""
    yield from (MODULE, genl("-", messages.new_medium(1)))
    yield "write\t-\t/proc/sys/net/core/wmem_default\t1000000"
    for number in range(1, count + 1):
        node = name(number)
        made = Radio(
            *(1, address(number)),
            front=Front.SOFTMAC,
            rate=phy_rate(RATE),
            profile={ProfileAttribute.AGGREGATE_FRAMES: subframes},
        )
        yield f"run\t-\tip\tnetns\tadd\t{node}"
        yield genl(node, messages.new_radio(made))
        yield f"run\t{node}\tiw\tdev\twlan0\tset\ttype\t{kind}"
        yield f"run\t{node}\tip\taddress\tadd\t{ip(number)}/24\tdev\twlan0"
        yield f"run\t{node}\tip\tlink\tset\twlan0\tup"


def join(number, how):
    return "\t".join(["run", name(number), "iw", "dev", "wlan0", *how.split()])


def each_to_each(count):
    """Pings between all of them, which have to succeed."""
    for one in range(1, count + 1):
        for other in range(1, count + 1):
            if one != other:
                yield f"run\t{name(one)}\tping\t-q\t-c\t3\t-i\t0.2\t-w\t9\t{ip(other)}"


def flow(sender, receiver, mbps):
    """Datagrams from a second before the measurement to its end."""
    what = (
        f"{ip(receiver)}\t5001\t0\t{PAYLOAD_BYTES}\t{mbps * 10**6}\t{T0_NS - 1000 * MS}\t{STOP_NS}"
    )
    yield f"udp\t{name(receiver)}\tto\trecv\t{what}"
    yield f"udp\t{name(sender)}\tof\tsend\t{what}"


def clock():
    return f"clock\t{T0_NS}\t{100 * MS}\t{STOP_NS}"


def in_time(node, file, command):
    """What a command says in the middle of the measurement, in the folder of results."""
    script = f"{wait_until(T0_NS // 10**9 + SECONDS // 2)}; {command} >/tsqlab/out/{file} 2>&1"
    return f"run\t{node}\tsh\t-c\t({script}) &"


def received_per_s(out):
    values = read_table(out / "radio.tsv")["frames_received"]
    return (values[-1] - values[0]) / SECONDS


@pytest.mark.parametrize("fixed", [True, False])
def test_an_ibss_of_three_carries_a_saturated_flow(guest, fixed):
    """With a BSSID that is given, or by merging: the closed form's goodput within 1 %.

    Three beacons of 0.2 ms in 102.4 take 0.6 % of the air.
    """
    how = "ibss join i 5180 HT40+" + (f" {FIXED}" if fixed else "")
    lines = [*radios(3, "ibss", 16), *(join(number, how) for number in (1, 2, 3))]
    lines += [] if fixed else ["run\t-\tsleep\t10"]
    lines += each_to_each(3)
    lines += [in_time(name(number), f"cell{number}", "iw dev wlan0 link") for number in (1, 2, 3)]
    lines += [clock(), *flow(1, 2, 150), watch("N2", "radio", 1, address(2))]
    out = guest(*lines, "end")
    cells = {re.search(r"Joined IBSS (\S+)", (out / f"cell{n}").read_text())[1] for n in (1, 2, 3)}
    assert len(cells) == 1
    assert not fixed or cells == {BSSID}
    expected = 16e9 / exchange(RATE, mpdu_bytes(1500), 16).total_ns
    assert received_per_s(out) == pytest.approx(expected, rel=0.01)


def survey(text):
    """The times of a dump, in ms, by name."""
    rows = re.findall(r"channel (\w+) time:\s*(\d+) ms", text)
    return {word: int(ms) for word, ms in rows}


def test_a_survey_says_how_busy_the_channel_is(guest):
    """Of the sender of a saturated flow, its receiver, and a third that hears both.

    Against the closed form: within 1 % of the air, of which beacons take most.
    """
    lines = [
        *radios(3, "ibss", 16),
        *(join(n, f"ibss join i 5180 HT40+ {FIXED}") for n in (1, 2, 3)),
    ]
    lines += each_to_each(3)
    for number in (1, 2, 3):
        dumps = [f"iw dev wlan0 survey dump >/tsqlab/out/{when}{number}" for when in "ab"]
        script = f"({wait_until(T0_NS // 10**9 + 1)}; {dumps[0]}; sleep 6; {dumps[1]}) &"
        lines.append(f"run\t{name(number)}\tsh\t-c\t{script}")
    lines += [clock(), *flow(1, 2, 150), watch("N2", "radio", 1, address(2))]
    out = guest(*lines, "end")
    cycle = exchange(RATE, mpdu_bytes(1500), 16)
    data, answer = cycle.ppdu_ns / cycle.total_ns, cycle.response_ns / cycle.total_ns
    for number, tx in ((1, data), (2, answer), (3, 0)):
        first, last = (survey((out / f"{when}{number}").read_text()) for when in "ab")
        passed_ms = last["active"] - first["active"]
        assert passed_ms == pytest.approx(6000, rel=0.05)
        share = {word: (last[word] - first[word]) / passed_ms for word in last}
        assert share["busy"] == pytest.approx(data + answer, abs=0.01)
        assert share["transmit"] == pytest.approx(tx, abs=0.005)
        assert share["receive"] == pytest.approx(share["busy"] - share["transmit"], abs=0.001)
        assert last["active"] > 19_000, "since the device was started"


MESH_BYTES = mpdu_bytes(1500, four_addresses=True) + 6
"""With the Mesh Control field."""


def test_a_mesh_finds_a_path_of_three_hops(guest):
    """Each of four hears its neighbours only: what the exact simulation says of frames alone.

    Within 3 %, which leaves room for beacons, path requests and what these collide with.
    """
    ends = range(1, 5)
    lines = [*radios(4, "mp", 1)]
    for one in ends:
        for other in ends:
            if abs(one - other) > 1:
                deaf = Link(1, address(one), address(other), hears=False)
                lines.append(genl("-", messages.set_link(deaf)))
    lines += [join(one, "mesh join m freq 5180 HT40+ beacon-interval 100") for one in ends]
    lines += ["run\t-\tsleep\t5", *each_to_each(4)]
    lines += [in_time("N1", "paths", "iw dev wlan0 mpath dump")]
    lines += [clock(), *flow(1, 4, 150), watch("N4", "radio", 1, address(4))]
    out = guest(*lines, "end")
    rows = [line.split() for line in (out / "paths").read_text().splitlines()[1:]]
    assert {row[0]: (row[1], row[-2]) for row in rows}[address(4)] == (address(2), "3")
    model = hearing.simulate(chain(3, near=True), Traffic(RATE, MESH_BYTES), 24)
    assert received_per_s(out) == pytest.approx(model.received_per_s[-1].value, rel=0.03)
