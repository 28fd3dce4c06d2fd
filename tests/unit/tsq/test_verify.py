# SPDX-License-Identifier: GPL-2.0-or-later
"""A/B/A/B: the order, the interval of pairs, Flent's files, and that all is put back."""

import argparse
import gzip
import json

import pytest

import tsq_host
from tsq import setting, trial, verify
from tsq.devices import read_devices
from tsq.errors import TsqError
from tsq.host import Host
from tsq.manifest import file_of, write_manifest
from tsq.setting import Wanted
from tsq.trial import AS_IT_IS, Trial
from tsq.verify import Outcome, paired, read_outcome, rounds
from tsqlab.experiment.stored import read_folder
from tsqlab.report import summary_table, write_report


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


@pytest.mark.usefixtures("built")
def test_what_is_applied_already_would_be_neither_of_both(tmp_path, monkeypatch):
    """The first limit's apply would undo it: "as it is" would be two things."""
    host = tsq_host.made(tmp_path / "host")
    devices = read_devices(host)
    list(setting.apply(host, devices, devices["wlan0"], Wanted(4, "sysctl", host_wide=True)))
    monkeypatch.setattr("tsq.trial.shutil.which", lambda name: name)
    options = argparse.Namespace(server="s", ms=[6.0], rounds=2, length=1, out=str(tmp_path / "o"))
    with pytest.raises(TsqError, match="something is applied already"):
        list(trial.verify(host, options))
    assert not (tmp_path / "o").exists()


@pytest.mark.parametrize("server", ["", "-x", "a b", "a;b", "$(a)"])
def test_a_server_is_a_name_or_an_address(tmp_path, server):
    options = argparse.Namespace(server=server, ms=[6.0], rounds=2, length=1)
    with pytest.raises(TsqError, match="give a server"):
        list(trial.verify(tsq_host.made(tmp_path), options))


def test_what_verify_lacks_is_named_before_it_begins(tmp_path, monkeypatch):
    monkeypatch.setattr("tsq.trial.shutil.which", lambda name: name if name == "flent" else None)
    options = argparse.Namespace(server="::1", ms=[6.0], rounds=2, length=1)
    with pytest.raises(TsqError, match="no netperf here; .* non-free"):
        list(trial.verify(tsq_host.made(tmp_path), options))


@pytest.mark.usefixtures("built")
def test_an_apply_that_is_interrupted_is_undone(tmp_path, monkeypatch):
    host = tsq_host.made(tmp_path / "host")
    before = tsq_host.snapshot(tmp_path / "host")
    plain = setting.apply

    def interrupted(*words):
        yield from plain(*words)
        raise KeyboardInterrupt

    monkeypatch.setattr(setting, "apply", interrupted)
    wanted = {"6 ms": Wanted(6, "sysctl", host_wide=True)}
    with pytest.raises(KeyboardInterrupt):
        trial.Trial(host, "server", 10, tmp_path, wanted, "wlan0").run("6 ms", 1)
    assert tsq_host.snapshot(tmp_path / "host") == before


def test_the_lab_makes_its_page_of_it(tmp_path):
    """With the difference from the host as it is, paired by round."""
    settings = [AS_IT_IS, "6 ms"]
    for count in (1, 2, 3):
        for name, more in zip(settings, (0, 8), strict=True):
            at_s = [1_700_000_000 + 0.2 * step for step in range(1, 5)]
            pings = [{"t": t, "val": 11.0 + more} for t in at_s]
            upload = [{"t": t, "val": 40.0 + count + more} for t in at_s[1:3]]
            document = {
                "version": 4, "x_values": [0.2, 0.4, 0.6, 0.8], "results": {},
                "raw_values": {"TCP upload::1": upload, "Ping (ms) ICMP": pings},
                "metadata": {"NAME": "tcp_nup", "SERIES_META": {}, "LENGTH": 0.4, "STEP_SIZE": 0.2,
                             "TOTAL_LENGTH": 0.8, "T0": "2023-11-14T22:13:20.000000Z"},
            }  # fmt: skip
            (tmp_path / file_of(name, count)).write_bytes(packed(json.dumps(document).encode()))
    write_manifest(Host(), tmp_path, "a <b> server", settings, 3)
    content = read_folder(tmp_path)
    page = write_report(content).read_text()
    assert "an upload to a &lt;b&gt; server" in page
    assert "as it is" in page
    assert "8.00" in summary_table(content)
    assert "goodput_mbps_diff" in (tmp_path / "means.csv").read_text()
