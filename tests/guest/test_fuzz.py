# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages from tests/support/fuzz.py, under traffic: a thousand, or with --sanitized 100,000.

The kernel must have no complaint, the module must go afterwards, and nothing must be left of it.
"""

from collections import Counter

import fuzz
from bss import ACCESS_POINT
from stress import MODULE, SIGNS_OF_LIFE, afterwards, bss, check, nodes, run

EPERM = 1
PAUSE_NS = 2_000_000
NOBODY = 65534

# A radio that messages have made does something only once somebody has brought it up.
BRING_UP = """\
while sleep $1; do
	for device in /sys/class/net/*; do echo "link set ${device##*/} up"; done | ip -force -batch -
done 2>/dev/null
"""


def answers(out, name):
    """The error numbers that a genl-try has got, and how often each; 0 is none, -1 no answer."""
    lines = (out / f"{name}.answers").read_text(errors="replace").splitlines()
    return Counter(int(line.split("\t")[0]) for line in lines)


def test_no_message_breaks_anything(guest, kernel_watches, afterwards_s, piece):
    count = 10_000 if kernel_watches else 1000
    t0_s = 8
    length_ns = (count + 500) * PAUSE_NS
    end_ns = t0_s * 10**9 + length_ns
    files, check_leaks = afterwards(end_ns // 10**9)
    files["fuzz"] = "".join(f"{line}\n" for line in fuzz.lines(2 * piece - 1, count))
    files["nobody"] = "".join(f"{line}\n" for line in fuzz.lines(2 * piece, count // 10))
    files["up"] = BRING_UP
    often = "1" if kernel_watches else "0.1"
    lines = [SIGNS_OF_LIFE, MODULE, *nodes(), *bss(), check_leaks]
    lines += [run("sh", "-c", f"sh /tsqlab/plan/up {often} &")]
    lines += [run("ip", "link", "set", "lo", "up")]
    lines += [f"clock\t{t0_s * 10**9}\t{10**9}\t{end_ns + afterwards_s * 10**9}"]
    lines += ["ping\t-\twaits\ticmp\t127.0.0.1\t9\t0\t1000000000"]
    for node, to, name in (("C", ACCESS_POINT, "up"), ("AP", 1, "down")):
        lines += [f"udp\t{node}\t{name}\tsend\t10.0.0.{to}\t9\t0\t1400\t20000000\t1\t{end_ns}"]
    for name, uid, pause_ns in (("fuzz", 0, PAUSE_NS), ("nobody", NOBODY, 10 * PAUSE_NS)):
        lines += [f"genl-try\t-\t{name}\tairlink\t/tsqlab/plan/{name}\t{uid}\t{pause_ns}"]
    out = guest(*lines, "end", batches=files)
    check(out)
    root, nobody = answers(out, "fuzz"), answers(out, "nobody")
    assert root.total() == count
    assert root[0] > count / 10, "many were accepted"
    assert len(root) > 6, "and the others refused for many reasons"
    assert nobody[EPERM] > nobody.total() / 3, "only root changes anything"
