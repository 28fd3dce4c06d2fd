# SPDX-License-Identifier: GPL-2.0-or-later
"""Frames from tests/support/frames.py on the air, under traffic: 500, or with --sanitized 40,000.

Five pairs of radios have a channel in common: an access point and its station, an IBSS and a mesh
of mac80211, and an access point and its station, and two peers, of fullmac. Frames come from a
monitor that is nothing else, and from one beside the access point, whose own name they often bear.
The kernel must have no complaint, and traffic must go on: that of fullmac at any time, since it
has no management frames; that of mac80211 after the networks have been joined again. (A forged
sequence number alone silences a peer until the true ones have caught up, on real devices too.)
"""

import frames
from bss import address, genl
from stress import MODULE, RATE, SIGNS_OF_LIFE, USB, afterwards, check, wait_until
from tsqlab.airlink import messages
from tsqlab.airlink.messages import Radio
from tsqlab.airlink.uapi import Front, Role
from tsqlab.results.measurement import read_table

T0_S = 8
PAUSE_NS = 4_000_000
JOIN_S, SETTLED_S = 6, 3
RATE_BIT_PER_S = 500_000
DATAGRAMS = SETTLED_S * RATE_BIT_PER_S / (8 * 1400)
BSSID = "02:00:00:00:01:00"
NODES = {"AP": 1, "C": 2, "I": 3, "J": 4, "K": 5, "L": 6, "F": 7, "G": 8, "M": 9,
         "P": 10, "Q": 11}  # fmt: skip
"""The radios: of mac80211 an access point, a station, an IBSS of two, a mesh of two; of fullmac
an access point and a station, and two peers; a monitor. Each is in a node of its own."""
FULLMAC = "FGPQ"
PAIRS = (("AP", "C"), ("I", "J"), ("K", "L"), ("F", "G"), ("P", "Q"))

HOSTAPD = """\
interface=wlan0
driver=nl80211
ssid=x
hw_mode=a
channel=36
wmm_enabled=1
ieee80211n=1
ht_capab=[HT40+][SHORT-GI-40]
"""
HOSTAPD_IS_UP = "until iw dev wlan0 info | grep -q channel; do sleep 0.1; done"
LEAVE = {
    "C": "disconnect",
    "I": "ibss leave",
    "J": "ibss leave",
    "K": "mesh leave",
    "L": "mesh leave",
}
_IBSS, _MESH = f"ibss join i 5180 HT40+ fixed-freq {BSSID}", "mesh join m freq 5180 HT40+"
JOIN = {"C": "connect -w x 5180", "I": _IBSS, "J": _IBSS, "K": _MESH, "L": _MESH}


def in_node(node, *words):
    return "\t".join(["run", node, *words])


def radios():
    yield genl("-", messages.new_medium(1))
    for node, number in NODES.items():
        yield in_node("-", "ip", "netns", "add", node)
        fullmac = node in FULLMAC
        made = Radio(
            *(1, address(number), "wlan0" if fullmac else ""),
            front=Front.FULLMAC if fullmac else Front.SOFTMAC,
            access_point=address(NODES["F"]) if node == "G" else "",
            role=Role.PEER if node in "PQ" else None,
            rate=RATE if fullmac else None,
            best_rate=None if fullmac else RATE,
            profile=USB if node == "C" else None,
        )
        yield genl(node, messages.new_radio(made))
        if node != "M":
            yield in_node(node, "ip", "address", "add", f"10.0.0.{number}/24", "dev", "wlan0")


def networks():
    for node, kind in (("I", "ibss"), ("J", "ibss"), ("K", "mp"), ("L", "mp"), ("M", "monitor")):
        yield in_node(node, "iw", "dev", "wlan0", "set", "type", kind)
    for node in NODES:
        if node != "AP":
            yield in_node(node, "ip", "link", "set", "wlan0", "up")
    yield in_node("M", "iw", "dev", "wlan0", "set", "freq", "5180")
    yield in_node("AP", "hostapd", "-B", "/tsqlab/plan/hostapd.conf")
    yield in_node("AP", "sh", "-c", HOSTAPD_IS_UP)
    yield in_node("AP", "iw", "dev", "wlan0", "interface", "add", "mon0", "type", "monitor")
    yield in_node("AP", "ip", "link", "set", "mon0", "up")
    for node, how in JOIN.items():
        yield in_node(node, "iw", "dev", "wlan0", *how.split())


def again(when_s):
    """What leaves a network then, and joins it again as if it had never been there."""
    for node, how in JOIN.items():
        script = f"{wait_until(when_s)}; iw dev wlan0 {LEAVE[node]}; sleep 1; iw dev wlan0 {how}"
        yield in_node(node, "sh", "-c", f"({script}) >/dev/null 2>&1 &")


def traffic(end_ns):
    """Two who ask for each other's addresses at the same ms do so again and again, and collide."""
    ways = [way for ends in PAIRS for way in (ends, ends[::-1])]
    for number, (node, to) in enumerate(ways):
        start_ns = (T0_S - 1) * 10**9 + number * 7_000_000
        words = f"10.0.0.{NODES[to]}\t9\t0\t1400\t{RATE_BIT_PER_S}\t{start_ns}\t{end_ns}"
        yield f"udp\t{to}\tto-{to}\trecv\t{words}"
        yield f"udp\t{node}\tof-{node}\tsend\t{words}"


def test_no_frame_breaks_anything(guest, kernel_watches, afterwards_s, piece):
    count = 2000 if kernel_watches else 250  # from each of the two
    over_s = T0_S + count * PAUSE_NS // 10**9 + 1
    end_s = over_s + JOIN_S + SETTLED_S
    files, check_leaks = afterwards(end_s + 1)
    files["hostapd.conf"] = HOSTAPD
    parties = [address(number) for number in NODES.values()] + [BSSID]
    lines = [SIGNS_OF_LIFE, MODULE, *radios(), *networks(), *again(over_s), check_leaks]
    lines += [f"clock\t{T0_S * 10**9}\t{10**9}\t{(end_s + 1 + afterwards_s) * 10**9}"]
    lines += traffic(end_s * 10**9)
    for seed, (node, device) in enumerate((("M", "wlan0"), ("AP", "mon0")), 2 * piece):
        made = frames.lines(seed, count, parties)
        files[node] = "".join(f"{line}\n" for line in made)
        lines.append(f"packet-try\t{node}\t{node}\t{device}\t/tsqlab/plan/{node}\t{PAUSE_NS}")
    out = guest(*lines, "end", batches=files)
    check(out)
    for node in ("M", "AP"):
        errors = (out / f"{node}.sent").read_text().split()
        assert len(errors) == count
        assert errors.count("0") > 0.9 * count, "a monitor sends what it does not understand"
    for node in (node for pair in PAIRS for node in pair):
        received = read_table(out / f"to-{node}.tsv")["datagrams"]
        last = end_s - T0_S
        assert received[last] - received[last - SETTLED_S] > 0.9 * DATAGRAMS, node
    for node in FULLMAC:
        received = read_table(out / f"to-{node}.tsv")["datagrams"]
        assert received[end_s - T0_S] > 0.9 * DATAGRAMS / SETTLED_S * (end_s - T0_S), node
