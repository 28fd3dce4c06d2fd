# SPDX-License-Identifier: GPL-2.0-or-later
"""Flows of recorded netlink messages are what ss(8) printed of the same flows."""

import re
import socket
import struct
from pathlib import Path

import pytest
from pyroute2 import DiagSocket
from pyroute2.netlink.diag import MarshalDiag
from pyroute2.netlink.exceptions import NetlinkError

from tsq.errors import TsqError
from tsq.flows import flows_of, read_flows

RECORDED = Path(__file__).parent / "recorded"


def parts():
    """The answers for IPv4 and for IPv6, as bytes."""
    text = re.sub(r"^#.*\n", "", (RECORDED / "flows.hex").read_text(), flags=re.MULTILINE)
    return [bytes.fromhex(part) for part in text.split("\n\n")]


@pytest.fixture(scope="module")
def flows():
    found = [flow for part in parts() for flow in flows_of(list(MarshalDiag().parse(part)))]
    return {(flow.source_port, flow.port): flow for flow in found}


def printed():
    """The rows of ss by the flows' ports."""
    rows = {}
    for line in (RECORDED / "flows.ss").read_text().splitlines():
        words = line.split()
        rows[int(words[3].rpartition(":")[2]), int(words[4].rpartition(":")[2])] = line
    return rows


ROWS = printed()


def shown(row, pattern, default="0"):
    match = re.search(pattern, row)
    return match[1] if match else default


@pytest.mark.parametrize("ports", ROWS, ids=lambda ports: f"{ports[0]}-{ports[1]}")
def test_each_is_as_ss_shows_it(flows, ports):
    flow, row = flows[ports], ROWS[ports]
    assert flow.control == "bbr"
    assert flow.cwnd == int(shown(row, r"\bcwnd:(\d+)"))
    assert flow.mss == int(shown(row, r" mss:(\d+)"))
    assert flow.srtt_us == round(1000 * float(shown(row, r" rtt:([\d.]+)")))
    assert flow.min_rtt_us == round(1000 * float(shown(row, r"minrtt:([\d.]+)")))
    assert flow.unsent_bytes == int(shown(row, r"notsent:(\d+)"))
    assert flow.below_bytes == int(shown(row, r"skmem:\([^)]*,t(\d+),"))
    assert flow.inode == int(shown(row, r"ino:(\d+)"))
    assert flow.sent_bytes == int(shown(row, r"bytes_sent:(\d+)"))
    # It grows: ss came 12 ms later.
    later_us = 1000 * int(shown(row, r"rwnd_limited:(\d+)ms")) - flow.receiver_us
    assert later_us == (12_000 if flow.receiver_us else 0)
    assert flow.window_bytes == int(shown(row, r"snd_wnd:(\d+)"))
    assert flow.flying_bytes == 0, "all was acknowledged"
    # ss prints bits; the kernel has bytes.
    assert flow.rate == pytest.approx(int(shown(row, r"pacing_rate (\d+)bps")) / 8, abs=1)
    rate_max = shown(row, r"pacing_rate \d+bps/(\d+)bps", "")
    assert flow.rate_max == (int(rate_max) // 8 if rate_max else None)


def test_the_recorded_ones_are_four(flows):
    assert set(flows) == set(ROWS)
    assert {flow.name for flow in flows.values()} >= {"127.0.0.1:5001", "[::1]:5002"}
    assert all(flow.loops for flow in flows.values())


def test_a_message_of_no_flow_is_left_out():
    assert flows_of([{"attrs": []}, {"attrs": [("INET_DIAG_INFO", {})]}, {}]) == []


def test_who_has_closed_and_still_sends_is_seen():
    """CLOSE-WAIT, which answers who has no more to ask; and after close() what is still to go."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)) as client:
            with listening.accept()[0] as server:
                client.shutdown(socket.SHUT_WR)
                assert server.recv(1) == b"", "its end has come"
                server.setblocking(False)
                while True:
                    try:
                        server.send(bytes(1 << 16))
                    except BlockingIOError:
                        break
                (flow,) = (flow for flow in read_flows() if flow.source_port == port)
                assert flow.unsent_bytes
            (flow,) = (flow for flow in read_flows() if flow.source_port == port)
            assert (flow.inode, flow.unsent_bytes > 0) == (0, True)


def test_a_kernel_that_does_not_tell_is_said(monkeypatch):
    class Refused(DiagSocket):
        def get_sock_stats(self, **_):
            raise NetlinkError(2, "No such file or directory")

    monkeypatch.setattr("pyroute2.DiagSocket", Refused)
    with pytest.raises(TsqError, match="No such file or directory.*tcp_diag"):
        read_flows()


def test_a_live_flow_is_found():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)) as one, listening.accept()[0]:
            one.sendall(bytes(1000))
            flow = next(flow for flow in read_flows() if flow.port == port)
            cookie = struct.unpack("=Q", one.getsockopt(socket.SOL_SOCKET, 57, 8))[0]
            assert (flow.cookie, flow.sent_bytes, flow.unsent_bytes) == (cookie, 1000, 0)
