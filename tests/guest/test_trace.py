# SPDX-License-Identifier: GPL-2.0-or-later
"""``[lab] trace``: the kernel's trace events beside a cell, over a kernel that is built for them.

It is one more kernel to build, so these are run by ``make test-kernels``.
"""

import gzip
import re
import subprocess
import sys

import pytest

from pcap import instants_ns
from tsqlab.guest import traces
from tsqlab.guest.instants import T0_NS
from tsqlab.guest.plan import BOOT_UNIX_NS
from tsqlab.kernels import Recipe, build

pytestmark = pytest.mark.kernels

SPEC = {
    "testbed": {"bottleneck": "LR100M", "base_rtt": "4 ms"},
    "flows": {"length": "1 s", "delay": "500 ms", "streams": 2},
}
WIFI = {**SPEC, "testbed": {"layout": "wifi", "device": "ath9k", "base_rtt": "4 ms"}}
EVENT = re.compile(r"^ *(.{1,15})-(\d+) +\[000\] (.{5}) +(\d+)\.(\d{9}): (\w+): (.*)$")


@pytest.fixture(scope="session")
def kernel():
    return build(Recipe(extra=("trace",)))


def tracing(spec, *events, **lab):
    return {**spec, "lab": {"trace": list(events), **lab}}


def lines_of(folder):
    """The head's lines and the events', those that came with a cell."""
    (path,) = (folder / "traces").iterdir()
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    return [line for line in lines if line[0] == "#"], [line for line in lines if line[0] != "#"]


def parsed(lines):
    """Of each event its instant, in ns since the measurement began, its name and what it says."""
    found = [EVENT.match(line) for line in lines]
    assert all(found), [line for line, event in zip(lines, found, strict=True) if not event][:3]
    return [(int(one[4]) * 10**9 + int(one[5]), one[6], one[7]) for one in found]


@pytest.mark.parametrize("spec", [SPEC, WIFI], ids=["wire", "wifi"])
def test_events_repeat_to_the_byte(cell, tmp_path, spec):
    """Pointers among them, which the kernel hashes by a key that it draws from the seed."""
    spec = tracing(spec, "tcp:*", "skb:*", "net:*")
    documents = [cell(spec, folder=tmp_path / name) for name in ("one", "other")]
    one, other = (next((tmp_path / name / "traces").iterdir()) for name in ("one", "other"))
    assert one.read_bytes() == other.read_bytes()
    assert documents[0] == documents[1]
    _, lines = lines_of(tmp_path / "one")
    assert any(re.search(r"skbaddr=\w*[1-9a-f]\w*", line) for line in lines)


def test_events_are_at_the_instants_of_their_packets(cell, tmp_path):
    """A packet is given to the driver and shown to a capture at the same virtual ns."""
    cell(tracing(SPEC, "net:net_dev_start_xmit", capture=["C>R"]), folder=tmp_path)
    (pcap,) = (tmp_path / "pcaps").iterdir()
    captured = {at_ns - BOOT_UNIX_NS - T0_NS for at_ns in instants_ns(pcap)}
    head, lines = lines_of(tmp_path)
    events = parsed(lines)
    sent = [at_ns for at_ns, _, said in events if said.startswith("dev=c0 ")]
    assert len(sent) > 5_000
    assert set(sent) <= captured
    assert [at_ns for at_ns, *_ in events] == sorted(at_ns for at_ns, *_ in events)
    assert all(0 <= at_ns <= 2 * 10**9 for at_ns, *_ in events)
    count = f"# entries-in-buffer/entries-written: {len(events)}/{len(events)}   #P:1"
    assert head[0] == "# tracer: nop"
    assert count in head


def test_events_are_those_that_were_asked_for(cell, tmp_path):
    cell(tracing(SPEC, "tcp:tcp_probe", "qdisc:qdisc_d*"), folder=tmp_path)
    _, lines = lines_of(tmp_path)
    names = {name for _, name, _ in parsed(lines)}
    assert names == {"tcp_probe", "qdisc_dequeue"}


@pytest.mark.parametrize(
    ("event", "near"),
    [
        ("tcp:tcp_prob", "near it are tcp:tcp_probe, "),
        ("tpc:*", r"near it are (\w+:\*, )*tcp:\*"),
        ("nothing:like_this", "near it are "),
    ],
)
def test_an_event_that_the_kernel_lacks_has_names_near_it(cell, event, near):
    with pytest.raises(Exception, match=rf"no trace event '{re.escape(event)}'; {near}"):
        cell(tracing(SPEC, "tcp:*", event))


def test_an_event_that_is_lost_fails_its_cell(cell, monkeypatch):
    monkeypatch.setattr(traces, "_BUFFER_SHARE", 1 << 13)  # 64 KiB
    with pytest.raises(Exception, match=r"the trace lacks \d+ events, for which its buffer had no"):
        cell(tracing(SPEC, "skb:*", "net:*", "qdisc:*"))


def test_what_writes_events_is_not_in_them(cell, tmp_path):
    """Each page that is written would be events itself, and these pages more of them."""
    cell(tracing(SPEC, "kmem:*", "tcp:tcp_probe"), folder=tmp_path)
    _, lines = lines_of(tmp_path)
    parsed(lines)
    assert len(lines) > 10_000


def test_a_trace_that_is_too_long_says_so(cell, monkeypatch):
    monkeypatch.setattr(traces, "FILE_BYTES_MAX", 1 << 20)
    with pytest.raises(Exception, match="the trace is longer than 1 MiB; fewer events"):
        cell(tracing(SPEC, "net:*"))


@pytest.mark.parametrize("spec", [SPEC, WIFI], ids=["wire", "wifi"])
def test_what_is_measured_is_what_is_measured_without(cell, spec):
    """Not promised, as a cell with events is another one: but they take no time."""
    documents = [cell(one) for one in (spec, tracing(spec, "tcp:*", "net:*", "skb:*"))]
    first, second = ({key: one[key] for key in ("results", "raw_values")} for one in documents)
    assert first == second


def test_a_run_names_its_events(tmp_path, kernel):
    assert kernel, "a run would build it"
    (tmp_path / "short.toml").write_text(
        'title = "Short"\n[testbed]\nbottleneck = "L10M"\n[flows]\nlength = "1 s"\ndelay = "0 s"\n'
    )
    command = [sys.executable, "-m", "tsqlab.cli", "run", "short.toml", "--trace", "tcp:*"]

    def tsqlab():
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True)
        return done.stdout

    assert "results/short,trace=tcp_/traces/*.trace.txt.gz" in tsqlab()
    folder = tmp_path / "results" / "short,trace=tcp_"
    assert 'href="./traces/cell.trace.txt.gz"' in (folder / "report.html").read_text()
    assert "1 of 1 cells are done already" in tsqlab()
    # The line that docs/results.md has.
    one_liner = "zcat traces/*.gz | awk '/tcp_probe/ { match($0, /snd_cwnd=[0-9]+/); " + (
        "print $4, substr($0, RSTART + 9, RLENGTH - 9) }'"
    )
    done = subprocess.run(one_liner, shell=True, cwd=folder, capture_output=True, text=True)
    rows = [line.split() for line in done.stdout.splitlines()]
    assert len(rows) > 20
    assert all(re.fullmatch(r"\d+\.\d{9}:", at) and cwnd.isdigit() for at, cwnd in rows)
