# SPDX-License-Identifier: GPL-2.0-or-later
"""What holds a flow back, of made-up flows in each situation; and what many looks make of it."""

from dataclasses import replace

import pytest

from tsq.host import Host
from tsq.limit import Knobs
from tsq.sampling import Sampled, sample
from tsq.view import Exact
from tsq_flows_made import FLOW, SINGLE, WIRE, view


@pytest.mark.parametrize(
    ("held_by", "changes"),
    [
        ("application", {"unsent_bytes": 0, "below_bytes": 40_000}),
        ("TSQ", {"below_bytes": 31_000}),
        ("TSQ", {"below_bytes": 16_000}),  # less than an skb below the limit
        ("cwnd", {"in_flight": 200}),
        ("cwnd", {"in_flight": 195}),  # an skb of ten does not fit
        ("cwnd", {"cwnd": 9, "in_flight": 7}),  # three might be waited for, not ten
        ("nothing", {"cwnd": 9, "in_flight": 6}),
        ("receiver", {"window_bytes": 150_000}),
        ("pacing", {"rate_max": 15_000_000}),
        ("nothing", {}),
    ],
)
def test_what_holds_it_back(held_by, changes):
    assert view(**changes).held_by == held_by


def test_a_kernel_that_tells_no_window_is_not_taken_to_have_none():
    assert view(window_bytes=None).held_by == "nothing"


def test_which_term_it_is():
    assert view().limit.binds == "two skbs"
    assert view(SINGLE).limit.binds == "time"
    assert view(knobs=Knobs(limit_output_bytes=20_000)).limit.binds == "bytes"


def test_a_limit_that_the_rate_raises_is_longer():
    """200 packets in 20 ms are 14.5 MB/s, and 17.4 at 120 %; whatever the rate is said to be."""
    assert view(SINGLE, rate=17_376_000).limit_ms == pytest.approx(1000 / 1024, abs=0.001)
    assert view(SINGLE, rate=6 * 17_376_000).limit_ms == pytest.approx(6000 / 1024, abs=0.001)
    assert view(SINGLE, rate=1_024_000, rate_max=1_024_000).limit_ms > 1, "two skbs, at its pace"
    assert view(srtt_us=0).limit_ms == 0
    slow_start = view(SINGLE, rate=28_960_000, ssthresh=0x7FFFFFFF)
    assert slow_start.limit_ms == pytest.approx(1000 / 1024, abs=0.001), "at 200 % there"


def test_what_bpf_read_is_believed():
    seen = view(exact=Exact(shift=7, paced=True, throttled=True), below_bytes=0)
    assert seen.held_by == "TSQ"
    assert (seen.shift.text, seen.paced.value) == ("7 (read by BPF)", True)
    assert seen.limit.cap_bytes is None


def test_who_is_paced_is_inferred_with_its_reason():
    assert view().paced.value is False
    assert view(control="bbr").paced.known_by == "inferred: bbr"
    assert view(replace(WIRE, fq=True)).paced.known_by == "inferred: fq at eth0"
    assert view(rate_max=1).paced.known_by == "inferred: SO_MAX_PACING_RATE"
    assert view(None).shift.known_by.startswith("a guess")


def sampled(*views):
    return Sampled(tuple(views), 1.0)


def test_most_looks_decide():
    limited, waiting = view(below_bytes=31_000), view(in_flight=200)
    answer = sampled(limited, limited, waiting).answer
    assert (answer.binds, answer.by) == ("two skbs", "looks")
    assert answer.share == pytest.approx(2 / 3)
    assert sampled(limited, waiting, waiting).answer.binds == "cwnd"
    assert sampled(view(), view()).answer.binds == "nothing"


def test_the_kernel_s_clock_is_believed_before_looks():
    """Half of the time in which it had something to send is enough."""
    first, last = view(in_flight=200), view(in_flight=200, busy_us=1_000_000, receiver_us=600_000)
    answer = sampled(first, last).answer
    assert (answer.binds, answer.share, answer.by) == ("receiver", 0.6, "the kernel's clock")
    last = view(in_flight=200, busy_us=1_000_000, buffer_us=900_000)
    assert sampled(first, last).answer.binds == "send buffer"
    last = view(in_flight=200, busy_us=1_000_000, receiver_us=400_000)
    assert sampled(first, last).answer.binds == "cwnd"


def test_how_often_it_was_limited_and_what_it_sent():
    flow = sampled(view(below_bytes=31_000), view(sent_bytes=1000), view(sent_bytes=3000))
    assert flow.limited_share == pytest.approx(1 / 3)
    assert (flow.sent_bytes, flow.looks, flow.busy) == (3000, 3, True)
    assert not sampled(view(unsent_bytes=0), view(unsent_bytes=0)).busy


class Asked(Host):
    """A host that is only asked for ways, and keeps how."""

    def asked(self, words):
        asked.append(" ".join(words))
        return "198.51.100.9 from 192.0.2.7 dev eth0 uid 0 \\    cache \n"


asked = []


def test_only_who_sends_is_asked_for_a_way_and_by_its_vrf():
    asked.clear()
    idle, busy = replace(FLOW, unsent_bytes=0, cookie=7), replace(FLOW, interface=9)
    devices = {"eth0": WIRE, "blue": replace(WIRE, name="blue", index=9)}
    (found,) = sample(Asked(), devices, 0.01, flows=lambda: [idle, busy])
    assert found.last.device == "eth0"
    assert asked == ["ip -oneline route get 198.51.100.9 from 192.0.2.7 oif blue"]


class Clock:
    """A time that passes only where somebody waits."""

    now_s = 0.0

    def monotonic(self):
        return self.now_s

    def sleep(self, seconds):
        self.now_s += seconds


def test_the_goodput_is_of_the_time_between_the_looks(monkeypatch):
    """The first takes 0.3 s on a usual machine: modules are loaded for it."""
    clock, sent = Clock(), [0]
    monkeypatch.setattr("tsq.sampling.time", clock)

    def flows():
        if not sent[0]:
            clock.sleep(0.3)
        sent[0] = 1 + int(1_000_000 * clock.now_s)
        return [replace(FLOW, sent_bytes=sent[0])]

    (found,) = sample(Asked(), {"eth0": WIRE}, 1.0, flows=flows)
    assert found.duration_s == pytest.approx(1.0)
    assert found.sent_bytes == pytest.approx(1_000_000, abs=2)
