# SPDX-License-Identifier: GPL-2.0-or-later
"""wqm on hosts of a guest: over mac80211's TXQs in an IBSS, and over qdiscs of fullmac peers.

N1 sends datagrams to N2, more than 144.4 Mbit/s carry, while a script runs in N1. Not as fast as
its socket takes them: what a full queue drops leaves room in the socket at once, so that sending
would never come to an end in virtual time.
"""

import random
import re
from collections import Counter
from itertools import pairwise

import pytest

import wqm_c
from bss import MS, PAYLOAD_BYTES, address, genl, phy_rate, words
from stress import MODULE, wait_until
from tsqlab.airlink import messages
from tsqlab.airlink.messages import Radio, payload
from tsqlab.airlink.uapi import Front, ProfileAttribute, Role
from tsqlab.guest.places import PROGRAM
from tsqlab.guest.plan import Plan
from tsqlab.guest.program import Program, read_ended
from tsqlab.model.phy import Rate

RATE = Rate("HT", 20, 2, 7, 400)
B_MIN, B_MAX, OLD = 42, 95, 8192
OFFERED_BPS = 150 * 10**6
T0_S = 15
BSSID = "02:00:00:00:01:00"
JOIN = f"iw dev wlan0 ibss join i 5180 HT20 fixed-freq {BSSID}"
PROFILE = {ProfileAttribute.AGGREGATE_FRAMES: 32, ProfileAttribute.AGGREGATES_AHEAD: 2}

# A phy is named by its number: sysfs shows no phys in this network.
HELPERS = f"""\
cd /tsqlab/out
alias wqm={PROGRAM}
phy=phy#$(iw dev wlan0 info 2>&1 | sed -n 's/.*wiphy //p')
limit() {{ iw $phy get txq | sed -n 's/Packet limit:[[:space:]]*\\([0-9]*\\) pkts/limit \\1/p'; }}
"""


def node(number, radio, *, joins):
    """A radio in a node of its own, with an address."""
    name = f"N{number}"
    yield f"run\t-\tip\tnetns\tadd\t{name}"
    yield genl(name, messages.new_radio(radio))
    if joins:
        yield f"run\t{name}\tiw\tdev\twlan0\tset\ttype\tibss"
    yield f"run\t{name}\tip\taddress\tadd\t10.0.0.{number}/24\tdev\twlan0"
    yield f"run\t{name}\tip\tlink\tset\twlan0\tup"
    if joins:
        yield "\t".join(["run", name, *JOIN.split()])


def nodes(front, count=2):
    """The nodes N1, N2, ..., with radios of one kind."""
    joins = front == Front.SOFTMAC
    yield from (MODULE, genl("-", messages.new_medium(1)))
    yield "write\t-\t/proc/sys/net/core/wmem_default\t4000000"
    for number in range(1, count + 1):
        more = {} if joins else {"role": Role.PEER}
        radio = Radio(
            *(1, address(number), "" if joins else "wlan0"),
            front=front,
            rate=phy_rate(RATE),
            profile=PROFILE,
            **more,
        )
        yield from node(number, radio, joins=joins)
    yield "run\tN1\tping\t-q\t-c\t3\t-i\t0.2\t-w\t9\t10.0.0.2"


# Where N1's datagrams go, unseen, while its radio is gone: their sender must not fail.
ELSEWHERE = (
    "ip link add d0 type dummy",
    "ip address add 10.0.0.1/32 dev d0",
    "ip link set d0 up",
    "ip route add 10.0.0.0/24 dev d0 metric 1000",
)


@pytest.fixture
def run(guest, tmp_path):
    """Run a script in N1; what it says, line by line, and the rows of its log."""
    program = wqm_c.built(tmp_path)

    def one(text, *, front=Front.SOFTMAC, seconds=10, requests=()):
        start, t0, stop = ((T0_S + s) * 1000 * MS for s in (-2, 0, seconds))
        there = ". /tsqlab/plan/script >/tsqlab/out/said 2>&1"
        elsewhere = ["\t".join(["run", "N1", *line.split()]) for line in ELSEWHERE]
        lines = [*nodes(front), *elsewhere, f"run\tN1\tsh\t-c\t({wait_until(T0_S)}; {there}) &"]
        lines.append(f"clock\t{t0}\t{100 * MS}\t{stop}")
        flow = f"10.0.0.2\t5001\t0\t{PAYLOAD_BYTES}\t{OFFERED_BPS}\t{start}\t{stop}"
        lines += [f"udp\tN2\tto\trecv\t{flow}", f"udp\tN1\tof\tsend\t{flow}"]
        batches = {"script": HELPERS + text}
        if requests:
            batches["tried"] = "".join(f"4 {payload(each).hex()}\n" for each in requests)
            lines.append(f"genl-try\t-\ttried\tairlink\t/tsqlab/plan/tried\t0\t{3000 * MS}")
        out = guest(plan=Plan((), words([*lines, "end"]), batches, shown={PROGRAM: program}))
        return (out / "said").read_text().splitlines(), rows(out / "log")

    return one


def rows(log):
    if not log.exists():
        return []
    head, *lines = log.read_text().splitlines()
    return [dict(zip(head.split("\t"), line.split("\t"), strict=True)) for line in lines]


def limits(said):
    return [int(line.split()[1]) for line in said if line.startswith("limit ")]


# While the daemon is stopped, what it has logged last is what it has set last.
LOOKS = """\
limit
wqm wlan0 --state state --log log & id=$!
for look in 1 2 3 4 5 6; do
	sleep 0.77
	kill -STOP $id; tail -n 1 log; limit; kill -CONT $id
done
kill -USR1 $id; kill $id; wait $id; echo status $?
limit; ls
"""


def test_the_limit_in_the_log_is_the_one_that_iw_shows(run):
    """Between B_min and B_max of the rate; a SIGTERM puts the old one back."""
    said, log = run(LOOKS)
    first, *looks, last = limits(said)
    logged = [int(line.split("\t")[6]) for line in said if line.count("\t") == 7]
    assert first == last == OLD
    assert looks == logged
    assert len(set(looks)) > 1
    assert all(B_MIN <= limit <= B_MAX for limit in looks)
    # The rate is that of the last frames: after a loss it may be a slower one.
    assert Counter(row["rate_kbps"] for row in log).most_common(1)[0][0] == "144400"
    assert "status 0" in said
    assert "state" not in said
    (status,) = (line for line in said if line.startswith("wlan0: limit of the TXQs: "))
    assert "(it was 8192 packets); rate 1" in status
    # The channel is N2's for its answers only; busy is counted in whole ms.
    assert all(int(row["free_permille"]) >= 950 for row in log)


WAYS_OUT = """\
until_set() { until [ "$(tail -n 1 log | cut -f 7)" -gt 0 ] 2>&-; do sleep 0.1; done; }
wqm wlan0 --state state --log log & id=$!
until_set; kill -9 $id; wait $id; limit; cat state
wqm --restore wlan0 --state state; limit

wqm wlan0 --state state --log log & id=$!
until_set; kill -9 $id; wait $id; rm log
wqm wlan0 --state state --log log & id=$!
until_set; limit; kill $id; wait $id; limit

wqm wlan0 --state state --log log & id=$!
until_set; limit; iw dev wlan0 del; wait $id; echo status $?; limit; ls
"""


def test_a_killed_one_and_a_removed_device_leave_the_old_limit(run):
    """A kill -9 by way of --restore, or of the next wqm; a device by itself."""
    said, _ = run(WAYS_OUT)
    killed, restored, again, ended, before, gone = limits(said)
    assert B_MIN <= killed <= B_MAX
    assert "txq 0 8192" in said
    assert restored == ended == gone == OLD
    assert B_MIN <= again <= B_MAX
    assert B_MIN <= before <= B_MAX
    # By --restore, and by the next one.
    assert said.count("program: wlan0: another wqm was killed; the limit is 8192 again") == 2
    assert "program: wlan0: the device is gone" in said
    assert "status 0" in said
    assert "state" not in said


NO_RATE = """\
tc qdisc replace dev wlan0 root handle 1: pfifo limit 1000
ip route del 10.0.0.0/24 dev wlan0
ping -q -b -i 0.05 -I wlan0 10.0.0.255 >ignored 2>&1 & ping=$!
sleep 0.5
wqm wlan0 --actuator qdisc --state state --log log & id=$!
sleep 5; kill $id; wait $id; kill $ping
"""


def test_that_no_rate_is_known_is_said_once(run):
    """Broadcasts have no station whose rate mac80211 would tell."""
    said, log = run(NO_RATE)
    assert said == [
        "program: wlan0: in 20 intervals in which it sent no station had a rate, so its limit "
        "stays as it is; try --rate expected, or give one, as in --rate 65Mbit"
    ]
    assert sum(row["sent"] == "1" for row in log) >= 40
    assert {(row["rate_kbps"], row["limit_packets"]) for row in log} == {("0", "0")}


DISTURBED = f"""\
wqm wlan0 --state state --log log & id=$!
sleep 1; iw dev wlan0 ibss leave
sleep 1; {JOIN}
sleep 1; ip link set wlan0 down
sleep 1; ip link set wlan0 up; {JOIN}
sleep 2; kill $id; wait $id; echo status $?; limit
"""


def test_stations_that_leave_and_a_device_that_is_down_are_survived(run):
    """While there is nobody, nothing is sent, and the limit stays as it was."""
    said, log = run(DISTURBED, seconds=9)
    assert "status 0" in said
    assert limits(said) == [OLD]
    sent = "".join(row["sent"] for row in log)
    assert re.fullmatch("1+0+1+0+1+", re.sub("1(?:0|00)(?=1)", "1", sent)), sent
    kept = [row["limit_packets"] for row in log if row["sent"] == "0"]
    before = [one["limit_packets"] for one, other in pairwise(log) if other["sent"] == "0"]
    assert kept == before


def test_a_radio_that_is_pulled_out_ends_it_without_a_fault(run):
    said, log = run(
        "wqm wlan0 --state state --log log; echo status $?; ls",
        requests=[messages.del_radio(1, address(2)), messages.del_radio(1, address(1))],
    )
    assert said[:2] == ["program: wlan0: the device is gone", "status 0"]
    assert "state" not in said
    assert len(log) >= 29


def qdiscs(said):
    """Kind, limit, dropped and waiting packets of each `tc -s qdisc show`, of which one is N1's."""
    found = re.findall(
        r"qdisc (\w+) .*?limit (\d+)p.*?dropped (\d+),.*?backlog \w+ (\d+)p", " ".join(said)
    )
    return [(kind, *(int(number) for number in numbers)) for kind, *numbers in found]


SIZED = """\
for kind in pfifo codel fq_codel; do
	tc qdisc del dev wlan0 root 2>&-
	tc qdisc add dev wlan0 root handle 1: $kind limit 1000
	sleep 1
	wqm wlan0 --state state --log $kind.log --rate 144.4Mbit & id=$!
	sleep 2
	tail -n 1 $kind.log | cut -f 7 | sed 's/^/limit /'
	tc -s qdisc show dev wlan0; kill $id; wait $id; tc -s qdisc show dev wlan0
done
"""


def test_a_qdisc_over_a_saturated_radio_is_sized(run):
    """Any kind, to what tc shows; nothing but the new limit has packets dropped."""
    said, _ = run(SIZED, front=Front.FULLMAC)
    seen = qdiscs(said)
    logged = limits(said)
    kinds = ("pfifo", "codel", "fq_codel")
    assert [kind for kind, *_ in seen] == [kind for kind in kinds for _ in range(2)]
    assert [limit for _, limit, *_ in seen[0::2]] == logged
    assert [limit for _, limit, *_ in seen[1::2]] == [1000] * 3
    assert all(B_MIN <= limit <= B_MAX for limit in logged)
    assert all(waiting <= limit for _, limit, _, waiting in seen[0::2])


CHANGES = """\
tc qdisc replace dev wlan0 root handle 1: pfifo limit 1000
sleep 1.5; tc -s qdisc show dev wlan0
tc qdisc change dev wlan0 root handle 1: pfifo limit 50; tc -s qdisc show dev wlan0
tc qdisc replace dev wlan0 root handle 1: pfifo limit 1000
ip link set wlan0 txqueuelen 1000
sleep 1.5; tc -s qdisc show dev wlan0
ip link set wlan0 txqueuelen 50; tc -s qdisc show dev wlan0
"""


def test_txqueuelen_empties_a_queue_that_a_limit_leaves(run):
    """What waits stays at a new limit of 50; a new txqueuelen loses all of it, uncounted."""
    said, _ = run(CHANGES, front=Front.FULLMAC)
    (*_, waiting), limited, (*_, waiting_again), emptied = qdiscs(said)
    assert waiting > 500
    assert waiting_again > 500
    assert limited == ("pfifo", 50, 0, waiting)
    assert emptied == ("pfifo", 1000, 0, 0)


STATIONS = 4


def comings_and_goings(number, seconds):
    """A station's commands: it comes, stays for a while, and is away for a while.

    For so long that N1 has forgotten it, after 60 to 90 s: mac80211 would take a station of an IBSS
    that is back before for the one of before, and its first frames for repeated ones.
    """
    rng = random.Random(number)
    yield f"sleep {rng.randint(1, 20)}\n"
    for _ in range(1 + seconds // 100):
        yield f"{JOIN}\nsleep {rng.randint(5, 100)}\n"
        yield f"iw dev wlan0 ibss leave\nsleep {rng.randint(95, 150)}\n"


@pytest.mark.parametrize("seconds", [60, pytest.param(3600, marks=pytest.mark.kernels)])
def test_stations_may_come_and_go_for_an_hour(guest, tmp_path, seconds):
    """At random times, pinged all the while: no interval is lost, and the limit is as it was."""
    program = wqm_c.built(tmp_path)
    others = range(2, 2 + STATIONS)
    batches = {f"N{number}": "".join(comings_and_goings(number, seconds)) for number in others}
    pings = "".join(f"ping -q -i 0.1 -s 1400 10.0.0.{number} >ignored &\n" for number in others)
    batches["script"] = (
        f"{HELPERS}{pings}wqm wlan0 --state state --log log & id=$!\n"
        f"sleep {seconds}.05; kill $id; wait $id; echo status $?; limit; ls\n"
    )
    set_up = [*nodes(Front.SOFTMAC, 1 + STATIONS)]
    set_up += [f"run\tN{number}\tiw\tdev\twlan0\tibss\tleave" for number in others]
    set_up += [f"run\tN{number}\tsh\t-c\tsh /tsqlab/plan/N{number} &" for number in others]
    does = Program("N1", "x", ("sh", "/tsqlab/plan/script"), (seconds + 10) * 1000 * MS)
    clock = ["clock", str(T0_S * 1000 * MS), str(1000 * MS)]
    plan = Plan(words(set_up), (clock, does.line(), ["end"]), batches, shown={PROGRAM: program})
    out = guest(plan=plan)
    said = read_ended(out, "x").out.splitlines()
    log = rows(out / "log")
    assert said[:2] == ["status 0", f"limit {OLD}"]
    assert "state" not in said
    assert len(log) == 10 * seconds
    assert sum(row["sent"] == "1" for row in log) > len(log) / 4
    assert all(B_MIN <= int(row["limit_packets"]) <= B_MAX for row in log[50:])
