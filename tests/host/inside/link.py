# SPDX-License-Identifier: GPL-2.0-or-later
"""The link that uploads go through: veth to a network namespace "far", with TBF as the
bottleneck."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

NEAR, FAR = "10.9.0.1", "10.9.0.2"
UPLOAD = str(Path(__file__).parent / "upload.py")


def ip(*words):
    subprocess.run(["ip", *words], check=True)


def far(*words):
    ip("netns", "exec", "far", *words)


def tc(*words):
    subprocess.run(["tc", *words], check=True)


def wire():
    """Both ends, with addresses; no qdisc yet."""
    ip("netns", "add", "far")
    ip("link", "add", "va", "type", "veth", "peer", "name", "vb", "netns", "far")
    ip("address", "add", f"{NEAR}/24", "dev", "va")
    ip("link", "set", "va", "up")
    for words in (["address", "add", f"{FAR}/24", "dev", "vb"], ["link", "set", "vb", "up"],
                  ["link", "set", "lo", "up"]):  # fmt: skip
        ip("-netns", "far", *words)
    ip("address", "add", "2001:db8::1/64", "dev", "va")
    ip("-netns", "far", "address", "add", "2001:db8::2/64", "dev", "vb")
    ip("route", "add", "default", "via", FAR, "dev", "va", "metric", "100")
    ip("route", "add", "203.0.113.0/24", "via", FAR, "dev", "va", "mtu", "1400")
    Path("/proc/sys/net/ipv4/tcp_no_metrics_save").write_text("1")
    # IPv6's addresses are there only when nobody else has claimed them.
    while subprocess.check_output(["ip", "-6", "address", "show", "tentative"]):
        time.sleep(0.5)
    ip("-6", "route", "add", "2001:db8:1::/48", "via", "2001:db8::2", "dev", "va")


@contextlib.contextmanager
def vrf(name, near, far_end):
    """Another link to "far", in a routing domain of its own."""
    ip("link", "add", name, "type", "vrf", "table", "10")
    ip("link", "add", "vc", "type", "veth", "peer", "name", "vd", "netns", "far")
    for words in ([name, "up"], ["vc", "master", name], ["vc", "up"]):
        ip("link", "set", *words)
    ip("address", "add", f"{near}/24", "dev", "vc")
    ip("-netns", "far", "address", "add", f"{far_end}/24", "dev", "vd")
    ip("-netns", "far", "link", "set", "vd", "up")
    try:
        yield
    finally:
        for device in ("vc", name):
            ip("link", "del", device)


@contextlib.contextmanager
def bottleneck(rate="60mbit", segments=None, back=(), forth=()):
    """TBF at the sender; a device whose skbs are *segments* at most; netem's words each way."""
    ip("link", "set", "va", "gso_max_segs", str(segments or 65535))
    if forth:
        tc("qdisc", "add", "dev", "va", "root", "netem", *forth)
    else:
        # An skb that is larger than the burst would be split.
        burst = "16kb" if segments else "128kb"
        tc("qdisc", "add", "dev", "va", "root", "tbf", "rate", rate, "burst", burst, "latency",
           "200ms")  # fmt: skip
    if back:
        far("tc", "qdisc", "add", "dev", "vb", "root", "netem", *back)
    try:
        yield
    finally:
        tc("qdisc", "del", "dev", "va", "root")
        if back:
            far("tc", "qdisc", "del", "dev", "vb", "root")
        ip("link", "set", "va", "gso_max_segs", "65535")


@contextlib.contextmanager
def uploading(choice="", buffer=0, seconds=60, to=FAR):
    """An upload that goes on meanwhile."""
    far_end = ["ip", "netns", "exec", "far"]
    receive = [*far_end, sys.executable, UPLOAD, "receive", "5001", str(buffer)]
    send = [sys.executable, UPLOAD, "send", to, "5001", str(seconds), *([choice] * bool(choice))]
    with subprocess.Popen(receive) as taking:
        while not subprocess.check_output([*far_end, "ss", "-Hltn", "sport", "=", ":5001"]):
            time.sleep(0.1)
        with subprocess.Popen(send, stdout=subprocess.DEVNULL) as sending:
            try:
                yield
            finally:
                for process in (sending, taking):
                    os.kill(process.pid, signal.SIGKILL)


def sysctl(name, value):
    """A sysctl that is another meanwhile."""
    return _written(Path("/proc/sys") / name.replace(".", "/"), value)


@contextlib.contextmanager
def slow_start_to(packets):
    """CUBIC's slow start ends at that cwnd meanwhile, not where HyStart sees queues begin."""
    cubic = Path("/sys/module/tcp_cubic/parameters")
    with _written(cubic / "hystart", "0"), _written(cubic / "initial_ssthresh", str(packets)):
        yield


@contextlib.contextmanager
def _written(path, value):
    before = path.read_text()
    path.write_text(value)
    try:
        yield
    finally:
        path.write_text(before)
