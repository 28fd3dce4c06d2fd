# SPDX-License-Identifier: GPL-2.0-or-later
"""What wqm makes of netlink's answers, of whole ones and of a hundred thousand damaged ones."""

import struct
import subprocess

import pytest

import wqm_c
from netlink_answers import (
    FAMILY,
    TLVS,
    attribute,
    basic,
    done,
    message,
    qdisc,
    queue,
    rate,
    refusal,
    station,
    survey,
    tids,
    wifi,
)

CASES = 100_000
EPERM, ENODEV, EINTR, EPROTO = 1, 19, 4, 71

QDISCS = [
    (qdisc("pfifo", ("I", 1000), statistics=(basic(10**12), queue(45420))),
     "qdisc 3 root 1 pfifo 10000 sizable 1 limit 1000 backlog 45420 sent 1000000000000"),
    (qdisc("bfifo", ("I", 100000), statistics=(queue(7),)),
     "qdisc 3 root 1 bfifo 10000 sizable 1 limit 100000 backlog 7 sent 0"),
    (qdisc("codel", [attribute(1, ("I", 5000)), attribute(2, ("I", 999))]),
     "qdisc 3 root 1 codel 10000 sizable 1 limit 999 backlog 0 sent 0"),
    (qdisc("fq_codel", [attribute(2, ("I", 10240)), attribute(6, ("I", 300))], parent=0x10002),
     "qdisc 3 root 0 fq_codel 10000 sizable 1 limit 10240 backlog 0 sent 0"),
    (qdisc("noqueue", None, handle=0),
     "qdisc 3 root 1 noqueue 0 sizable 0 limit 0 backlog 0 sent 0"),
    (qdisc("pfifo", None), "qdisc 3 root 1 pfifo 10000 sizable 0 limit 0 backlog 0 sent 0"),
    (qdisc("pfifo", ("H", 1)), "qdisc 3 root 1 pfifo 10000 sizable 0 limit 0 backlog 0 sent 0"),
]  # fmt: skip
STATIONS = [
    (station(1, rate(1444, 1444), attribute(27, ("I", 116821)), attribute(3, ("I", 5)),
             attribute(24, ("Q", 2**40 + 5)), tids(3028, 0, 1514)),
     f"station 01 rate 144400 expected 116821 sent {2**40 + 5} backlog 4542"),
    (station(2, rate(None, 65), attribute(3, ("I", 99))),
     "station 02 rate 6500 expected 0 sent 99 backlog 0"),
    (station(3), "station 03 rate 0 expected 0 sent 0 backlog 0"),
    (station(4, rate(2**32 - 1)), f"station 04 rate {2**32 - 1} expected 0 sent 0 backlog 0"),
    (station(6, attribute(31, [attribute(1, [attribute(6, [attribute(1, b"")])])])),
     "station 06 rate 0 expected 0 sent 0 backlog 0"),
    (station(5, attribute(8, b""), attribute(31, b"abc")),
     "station 05 rate 0 expected 0 sent 0 backlog 0"),
]  # fmt: skip
SURVEYS = [
    (survey(1000, 300, 200), "survey known 1 time 1000 busy 300 tx 200"),
    (survey(1000, 300), "survey known 0 time 1000 busy 300 tx 0"),
    (survey(), "survey known 0 time 0 busy 0 tx 0"),
]
OTHERS = [
    (wifi(attribute(1, ("I", 4)), attribute(266, ("I", 8192))), "phy 4 limit 8192"),
    (message(16, struct.pack("=BBH", 1, 2, 0) + attribute(1, ("H", FAMILY))), f"family {FAMILY}"),
]
ENDS = [
    (done(), "more 0 ''"),
    (done(-ENODEV), f"more -{ENODEV} ''"),
    (refusal(0), "more 0 ''"),
    (refusal(-EPERM), f"more -{EPERM} ''"),
    (refusal(-EPERM, "who are you"), f"more -{EPERM} 'who are you'"),
    (refusal(-EPERM, "no", message(99, b"12345678")), f"more -{EPERM} 'no'"),
    (refusal(-EPERM, "x" * 500), f"more -{EPERM} '{'x' * 127}'"),
    (message(3, b""), "more 0 ''"),
    (message(2, struct.pack("=i", -EPERM), flags=TLVS), f"more -{EPERM} ''"),
    (message(FAMILY, b"", flags=0x10), f"more -{EINTR} ''"),  # NLM_F_DUMP_INTR
    (message(FAMILY, b"", sequence=8), f"more -{EPROTO} ''"),
]
WHOLE = [*QDISCS, *STATIONS, *SURVEYS, *OTHERS]


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    folder = tmp_path_factory.mktemp("answers")
    program = wqm_c.built_answers(folder)

    def read(datagrams, *cases):
        path = folder / "datagrams"
        path.write_bytes(b"".join(struct.pack("=I", len(each)) + each for each in datagrams))
        done = subprocess.run([program, path, *cases], capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout.splitlines()

    return read


def test_whole_answers_are_read(answers):
    said = answers([datagram for datagram, _ in WHOLE])
    assert said[0::2] == [line for _, line in WHOLE]
    assert set(said[1::2]) == {"more 1 ''"}


def test_the_end_of_answers_has_its_error_and_explanation(answers):
    assert answers([datagram for datagram, _ in ENDS]) == [line for _, line in ENDS]


def test_what_is_no_answer_to_the_question_is_passed_over(answers):
    """A channel that is not in use, a station without an address, another kind of message."""
    nothing = [survey(1, 1, 1, in_use=False), wifi(attribute(21, [])), message(17, bytes(20))]
    assert set(answers(nothing)) == {"more 1 ''"}


def test_several_answers_of_a_datagram_are_all_read(answers):
    said = answers([STATIONS[0][0] + STATIONS[1][0] + done()])
    assert said == [STATIONS[0][1], STATIONS[1][1], "more 0 ''"]


def test_damaged_answers_do_no_harm(answers):
    """Each is found to be one of what wqm asks for, or none; most are, so the damage is small."""
    datagrams = [datagram for datagram, _ in (*WHOLE, *ENDS)]
    datagrams.append(b"".join(datagram for datagram, _ in (*QDISCS, *STATIONS, *SURVEYS)))
    (said,) = answers(datagrams, str(CASES))
    cases, found = (int(word) for word in said.split() if word.isdigit())
    assert cases == CASES
    assert found > CASES / 4
