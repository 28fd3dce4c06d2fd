# SPDX-License-Identifier: GPL-2.0-or-later
"""What a machine with systemd sees of tsq over three boots, each ended by this.

The first tries `--for` and ends with `--persist`; at the second the device comes late; the third
has nothing of it any more. What is seen is a JSON object a line.
"""

import json
import subprocess
import time
from pathlib import Path

import crash
from tsq.setting import Wanted

TSQ = ["/usr/bin/python3", "/tsq/tsq"]
BOOTS, SAID = Path("/boots"), Path("/said")
LATE_S = 60  # four tries of the unit


def asked(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    return {"out": done.stdout.strip(), "err": done.stderr, "status": done.returncode}


def tsq(*words):
    return asked(*TSQ, *words)


def device():
    """A device that leads somewhere."""
    for words in (
        "link add va type veth peer name vb",
        "address add 10.9.0.1/24 dev va",
        "link set vb up",
        "link set va up",
        "route add default via 10.9.0.2 dev va",
    ):
        subprocess.run(["ip", *words.split()], check=True)


def ratios():
    return [int(Path(crash.TCP, f"tcp_pacing_{one}_ratio").read_text()) for one in ("ca", "ss")]


def units():
    """The units of tsq's that do something or wait for it."""
    told = asked("systemctl", "list-units", "--plain", "--no-legend", "tsq*")["out"]
    return [" ".join(line.split()[:4]) for line in told.splitlines()]


def first():
    device()
    # systemd-run, the state, a ratio; then no more.
    died = crash.do(3, "apply", Wanted(6, "sysctl", for_s=4, host_wide=True))
    yield "killed", died | {"ratios": ratios(), "units": units()}
    time.sleep(8)
    yield "killed, later", {"ratios": ratios(), "units": units()}
    words = ["apply", "--ms", "6", "--method", "sysctl", "--host-wide", "--dev", "va"]
    yield "for an hour", tsq(*words, "--for", "1h") | {"units": units()}
    yield "undone", tsq("undo") | {"ratios": ratios(), "units": units()}
    yield (
        "persist",
        tsq(*words, "--persist")
        | {
            "ratios": ratios(),
            "enabled": asked("systemctl", "is-enabled", "tsq")["out"],
            "verified": asked(
                "systemd-analyze", "verify", "--man=no", "/etc/systemd/system/tsq.service"
            ),
        },
    )


def second():
    yield "without the device", {"ratios": ratios(), "units": units()}
    device()
    end = time.monotonic() + LATE_S
    while ratios()[0] == 120 and time.monotonic() < end:
        time.sleep(1)
    time.sleep(1)
    yield "with it", {"ratios": ratios(), "units": units()}
    yield (
        "undone at last",
        tsq("undo")
        | {
            "ratios": ratios(),
            "files": [str(path) for path in Path("/etc/systemd/system").rglob("tsq*")],
        },
    )


def third():
    device()
    time.sleep(20)
    yield "nothing", {"ratios": ratios(), "units": units(), "doctor": tsq("doctor")["out"]}


def main():
    boot = int(BOOTS.read_text()) if BOOTS.exists() else 0
    BOOTS.write_text(str(boot + 1))
    try:
        # Ratios are nothing to BBR, which may be what this kernel begins with; a namespace of its
        # own may have what any user may choose, and cubic need not be of those.
        Path(crash.TCP, "tcp_congestion_control").write_text("reno")
        with SAID.open("a") as file:
            for name, value in (first, second, third)[boot]():
                print(json.dumps({"part": f"boot {boot}", "name": name, "value": value}), file=file)
    finally:
        subprocess.run(["systemctl", "poweroff" if boot == 2 else "reboot"])


if __name__ == "__main__":
    main()
