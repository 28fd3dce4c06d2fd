# SPDX-License-Identifier: GPL-2.0-or-later
"""What a worker adopts, it also buries."""

import subprocess
import sys

ADOPTS = """
import subprocess, time
from tsqlab.guest.lifetime import adopt_orphans, bury_orphans, children

def ended(pid):
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(")")[2].split()[0] == "Z"

adopt_orphans()
for _ in range(3):  # each leaves a child behind, which ends by itself
    subprocess.run(["sh", "-c", "sleep 0.01 &"], check=True)
while not all(map(ended, children())):
    time.sleep(0.01)
print(len(children()))
bury_orphans()
print(len(children()))
bury_orphans()
"""


def test_orphans_that_have_ended_are_reaped():
    """A pool of workers may run more guests than there are process ids."""
    done = subprocess.run(
        [sys.executable, "-c", ADOPTS], capture_output=True, text=True, timeout=60
    )
    assert (done.stdout.split(), done.stderr) == (["3", "0"], "")
