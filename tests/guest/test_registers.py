# SPDX-License-Identifier: GPL-2.0-or-later
"""A process keeps its floating point registers, though the kernel leaves them where they are."""

import re
import subprocess
from pathlib import Path

from tsqlab.guest.places import PROGRAM
from tsqlab.guest.plan import Plan
from tsqlab.guest.program import Program, read_ended

SOURCE = Path(__file__).parent / "registers" / "registers.c"
S = 10**9
FLAGS = ("-O1", "-Wall", "-Wextra", "-Werror", "-std=gnu2x", "-pthread")
KEPT = {
    "threads": 1000,
    "signals while it sleeps": 200,
    "signals while it runs": 200,
    "fork": 40,
    "vfork": 40,
    "exec": 20,
    "page faults": 200,
    "ptrace": 20,
}
"""How often each way is tried."""


def test_registers_are_kept(guest, tmp_path):
    program = tmp_path / "registers"
    subprocess.run(["gcc", *FLAGS, "-o", program, SOURCE], check=True)
    line = Program("-", "x", (PROGRAM,), 10 * S).line()
    clock = ["clock", str(10 * S), str(S)]
    out = guest(plan=Plan((), (clock, line, ["end"]), shown={PROGRAM: program}))
    ended = read_ended(out, "x")
    lines = re.findall(r"^(.+): kept (\d+), lost (\d+)$", ended.out, re.MULTILINE)
    assert {way: (int(kept), int(lost)) for way, kept, lost in lines} == {
        way: (times, 0) for way, times in KEPT.items()
    }
    assert ended.succeeded
