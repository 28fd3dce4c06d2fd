# SPDX-License-Identifier: GPL-2.0-or-later
"""A/B/A/B: the order, the interval of pairs, Flent's files, and that all is put back."""

import gzip
import json

import pytest

import tsq_host
from tsq import trial, verify
from tsq.errors import TsqError
from tsq.setting import Wanted
from tsq.trial import AS_IT_IS, Trial
from tsq.verify import Outcome, paired, read_outcome, rounds


def test_the_interval_is_of_the_differences():
    """Rounds differ by 50 Mbit/s among each other, and each by 3 from its own pair."""
    before = [10.0, 60.0, 35.0, 20.0, 55.0, 41.0]
    after = [value + 3 + nudge for value, nudge in zip(before, [0.1, -0.1] * 3, strict=True)]
    interval = paired(before, after)
    assert interval.mean == pytest.approx(3)
    assert 2.9 <= interval.low <= interval.mean <= interval.high <= 3.1
    assert interval.tells
    assert not paired(before, [*before[1:], before[0]]).tells


@pytest.mark.parametrize(("before", "after"), [([1.0], [2.0]), ([], []), ([1.0, 2.0], [1.0])])
def test_too_few_rounds_have_none(before, after):
    with pytest.raises(TsqError, match="two rounds at least"):
        paired(before, after)


def flent(path, uploads, pings):
    results = {"TCP upload sum": uploads, "Ping (ms) ICMP": pings}
    path.write_bytes(gzip.compress(json.dumps({"results": results}).encode()))
    return path


def test_pings_beside_the_upload_count(tmp_path):
    """Flent pings for 5 s before and after, too."""
    path = flent(tmp_path / "a.flent.gz", [None, 40.0, 50.0, None], [1.0, 20.0, None, 1.0])
    assert read_outcome(path) == Outcome(45.0, 20.0)


def packed(text):
    """The same bytes each time: each worker of pytest is to find the same tests."""
    return gzip.compress(text, mtime=0)


@pytest.mark.parametrize(
    "data",
    [b"", b"no gzip", packed(b"{"), packed(b"[]"), packed(b'{"results": {}}'),
     packed(b'{"results": {"TCP upload sum": [null], "Ping (ms) ICMP": [null]}}'),
     packed(b'{"results": {"TCP upload sum": ["a"], "Ping (ms) ICMP": [1]}}'),
     packed(b'{"results": {"TCP upload sum": [1, 2], "Ping (ms) ICMP": [1]}}')],
)  # fmt: skip
def test_a_file_that_is_none_is_said(tmp_path, data):
    path = tmp_path / "a.flent.gz"
    path.write_bytes(data)
    with pytest.raises(TsqError, match="is no complete result"):
        read_outcome(path)


def test_every_setting_once_a_round_in_another_order():
    ran = []

    def run(name, count):
        ran.append((count, name))
        return Outcome(count, 1.0)

    settings = [AS_IT_IS, "4 ms", "6 ms"]
    done = list(rounds(settings, 20, run))
    orders = [tuple(name for number, name in ran if number == count) for count in range(1, 21)]
    assert all(sorted(order) == sorted(settings) for order in orders)
    assert len(set(orders)) > 3
    text = "\n".join(verify.as_text(done, settings))
    assert "20 rounds" in text
    assert "+0.0 [+0.0, +0.0] (?)" in text


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize("fails", [False, True])
def test_a_test_leaves_the_host_as_it_was(tmp_path, monkeypatch, fails):
    host = tsq_host.made(tmp_path / "host")
    before = tsq_host.snapshot(tmp_path / "host")
    during = []

    def test(_, name, path):
        during.append((name, host.sysctl("net.ipv4.tcp_pacing_ca_ratio")))
        if fails:
            raise TsqError("flent: no")
        flent(path, [1.0], [2.0])

    monkeypatch.setattr(Trial, "_flent", test)
    wanted = {"6 ms": Wanted(6, "sysctl", for_s=60, host_wide=True)}
    tried = trial.Trial(host, "server", 10, tmp_path, wanted, "wlan0")
    for name in (AS_IT_IS, "6 ms"):
        if fails:
            with pytest.raises(TsqError):
                tried.run(name, 1)
        else:
            assert tried.run(name, 1) == Outcome(1.0, 2.0)
    assert during == [(AS_IT_IS, "120"), ("6 ms", "92")]
    assert tsq_host.snapshot(tmp_path / "host") == before
