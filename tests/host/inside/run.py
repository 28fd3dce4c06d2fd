# SPDX-License-Identifier: GPL-2.0-or-later
"""All that is tried in a machine: each part prints a JSON object, which the tests outside judge."""

import json
import subprocess
import sys
import time
import traceback
from pathlib import Path

import crash
import link

sys.path.insert(0, str(Path(__file__).parent.parent / "tsq"))
TSQ = [sys.executable, "-X", "faulthandler", str(Path(__file__).parent.parent / "tsq" / "tsq")]
SETTLED_S = 1.5  # after slow start
LOOK_S = "1.5"
SLOW_START = 60  # packets; below.toml has the lab's flows end it there, too


def tsq(*words, user=None):
    """What tsq prints, its errors, and its status."""
    done = subprocess.run([*TSQ, *words], capture_output=True, text=True, user=user)
    return {"out": done.stdout, "err": done.stderr, "status": done.returncode}


def look(*words, device="va"):
    """The one flow as `tsq show` sees it, once it has settled."""
    time.sleep(SETTLED_S)
    told = tsq("show", "--json", "--dev", device, "-t", LOOK_S, *words)
    if told["status"]:
        return told
    (flow,) = [row for row in json.loads(told["out"])["flows"] if row["port"] == 5001]
    return flow


def situations():
    """The five that a person may meet, prepared."""
    with link.bottleneck(segments=1, back=("delay", "5ms")), link.uploading():
        yield "time", look()
    with link.bottleneck(), link.uploading():
        yield "two skbs", look()
    # Less than the time, but more than the two skbs that a flow may have whatever the bytes are.
    with (
        link.sysctl("net.ipv4.tcp_limit_output_bytes", "8000"),
        link.bottleneck(segments=1, back=("delay", "5ms")),
        link.uploading(),
    ):
        yield "bytes", look()
    with (
        link.bottleneck(forth=("delay", "40ms", "loss", "2%", "limit", "10000")),
        link.uploading(),
    ):
        yield "cwnd", look()
    with link.bottleneck(back=("delay", "20ms")), link.uploading(buffer=16384):
        yield "receiver", look()


def exact():
    """What is inferred is what BPF reads."""
    with link.bottleneck(), link.uploading():
        yield "exact", look("--bpf")
    with link.bottleneck(), link.uploading("bbr"):
        yield "exact bbr", look("--bpf")
        yield "inferred bbr", look()


def limits():
    """6 ms by each method: what is below TCP then, of flows whose slow start ends at one cwnd."""
    with link.bottleneck(segments=1, back=("delay", "5ms")), link.slow_start_to(SLOW_START):
        with link.uploading():
            yield "stock", look()
        for method in ("sysctl", "bpf", "cotsq"):
            told = tsq("apply", "--ms", "6", "--method", method, "--dev", "va", "--host-wide")
            if told["status"] == 0:
                with link.uploading():
                    told["flow"] = look()
                if method == "bpf":
                    with link.uploading("2000000"):
                        told["paced"] = look()
            told["undo"] = tsq("undo")
            yield method, told
    # Where skbs grow with the limit, both terms together are to be 6 ms.
    with link.bottleneck(back=("delay", "20ms")):
        told = tsq("apply", "--ms", "6", "--method", "bpf", "--dev", "va")
        if told["status"] == 0:
            with link.uploading():
                told["flow"] = look()
        tsq("undo")
        yield "bpf with GSO", told


def commands():
    """What the others say."""
    yield "doctor", tsq("doctor")
    yield "plan", tsq("plan", "--ms", "6", "--dev", "va")
    yield (
        "apply for 3 s",
        tsq("apply", "--ms", "6", "--method", "sysctl", "--dev", "va", "--for", "3s"),
    )
    yield "meanwhile", {"ratio": _ratio()}
    time.sleep(6)
    yield "afterwards", {"ratio": _ratio()}
    with link.bottleneck(segments=1, back=("delay", "5ms")), link.uploading():
        time.sleep(SETTLED_S)
        yield "measure", tsq("measure", "-t", "1.5")
        yield "measure by BPF", tsq("measure", "-t", "1.5", "--bpf")


def others():
    """What is not as simple: another user, a device with another name, a routing domain."""
    for words in (["show", "-t", "0.2"], ["plan", "--ms", "6", "--dev", "va"],
                  ["apply", "--ms", "6", "--method", "sysctl", "--dev", "va"]):  # fmt: skip
        yield f"nobody's {words[0]}", tsq(*words, user=65534)
    yield "two at once", crash.two_at_once()
    yield "renamed", renamed()
    with link.vrf("blue", "10.8.0.1", "10.8.0.2"), link.uploading("@blue", to="10.8.0.2"):
        yield "in a VRF", look(device="vc")


def renamed():
    """From Linux 6.2 on a device can have another name while it is up, and keeps its routes."""
    before = crash.routes()
    told = tsq("apply", "--ms", "6", "--method", "bpf", "--dev", "va")
    told["renamed"] = not subprocess.run(["ip", "link", "set", "va", "name", "metric"]).returncode
    told["undo"] = tsq("undo")
    if told["renamed"]:
        link.ip("link", "set", "metric", "name", "va")
    told["same"] = crash.routes() == before
    return told


def _ratio():
    return int(Path("/proc/sys/net/ipv4/tcp_pacing_ca_ratio").read_text())


PARTS = (situations, limits, exact, commands, others, crash.matrix)


def main():
    """Run what the kernel's command line names, or our own, or all."""
    words = [*sys.argv[1:], *Path("/proc/cmdline").read_text().split()]
    only = next(word.partition("=")[2] for word in words if word.startswith("tsq.only="))
    link.wire()
    for part in PARTS:
        if only == "all" or part.__name__ in only.split(","):
            try:
                for name, value in part():
                    print(f"{time.monotonic():.1f} s: {part.__name__}, {name}", file=sys.stderr)
                    print(
                        json.dumps({"part": part.__name__, "name": name, "value": value}),
                        flush=True,
                    )
            except Exception:
                told = {"part": part.__name__, "name": "failed", "value": traceback.format_exc()}
                print(json.dumps(told), flush=True)
    print(json.dumps({"part": "end", "name": "end", "value": True}), flush=True)


if __name__ == "__main__":
    main()
