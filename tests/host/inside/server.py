# SPDX-License-Identifier: GPL-2.0-or-later
"""tsq verify against a server, and what it leaves: a JSON object. In namespaces of its own.

server.py FOLDER    where tsq verify makes its own
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import crash
import link

TSQ = str(Path(crash.__file__).parents[3] / "tsq" / "tsq")
WORDS = ["--ms", "6", "--rounds", "3", "--length", "4", "--method", "sysctl", "--host-wide"]


def main(folder):
    """An upload through TBF at 60 Mbit/s, as it is and with 6 ms."""
    os.environ["PATH"] = f"{Path(sys.executable).parent}:/usr/sbin:/sbin:{os.environ['PATH']}"
    link.wire()
    Path(crash.TCP, "tcp_congestion_control").write_text("reno")  # as in boots.py
    far = ["ip", "netns", "exec", "far"]
    with (
        link.bottleneck(segments=1),
        subprocess.Popen([*far, "netserver", "-D", "-4"], stdout=subprocess.DEVNULL) as server,
    ):
        try:
            time.sleep(1)
            before = crash.snapshot(crash.TCP)
            done = subprocess.run(
                [sys.executable, TSQ, "verify", link.FAR, *WORDS, "--dev", "va", "--out", folder],
                capture_output=True,
                text=True,
            )
            left = crash.different(before, crash.snapshot(crash.TCP))
        finally:
            server.kill()
    said = {"out": done.stdout, "err": done.stderr, "status": done.returncode, "left": left}
    print(json.dumps(said))


if __name__ == "__main__":
    main(sys.argv[1])
