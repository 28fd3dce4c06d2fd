# SPDX-License-Identifier: GPL-2.0-or-later
"""``tsqlab shell``: look around in a node of a cell's testbed, or run a script there."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tsqlab.cli.cells import after_ns, chosen, guest_of, terminal_kind
from tsqlab.cli.kernels import kernel_for, module_for
from tsqlab.cli.options.shell import MAX
from tsqlab.errors import UsageError
from tsqlab.experiment.invalid import hint, shortened
from tsqlab.experiment.spec import Spec
from tsqlab.guest.shell import Visit, run_visit, visited

SCRIPT_BYTES_MAX = 1 << 20


def execute(options: argparse.Namespace) -> int:
    """Boot the guest with a shell in it; returns what the shell does."""
    experiment = chosen(options)
    spec = experiment.spec
    node = _node(spec, options.node)
    after = after_ns(spec, options.at)
    script = _script(options)
    guest = guest_of(experiment, kernel_for, module_for)
    visit = Visit(node, guest.begin_ns, after, script, _speed(options, script))
    plan = visited(guest.plan, visit, guest.wired.addresses, terminal_kind())
    if script is None:
        _say_where(spec, visit)
    with TemporaryDirectory(prefix="tsqlab-", ignore_cleanup_errors=True) as folder:
        return run_visit(guest.machine, plan, visit, Path(folder))


def _node(spec: Spec, name: str | None) -> str:
    nodes = spec.testbed.nodes
    if name is None:
        return nodes[0]
    if name not in nodes:
        raise UsageError(f'no node "{shortened(name)}"; {hint(name, nodes)}')
    return name


def _script(options: argparse.Namespace) -> str | None:
    """What is to be run; None: a shell on the terminal."""
    if options.script is None and sys.stdin.isatty():
        if not sys.stdout.isatty():
            raise UsageError("a shell needs a terminal; -c COMMAND runs a command without one")
        return None
    if options.script is not None:
        text: str = f"{options.script}\n"
    else:
        text = sys.stdin.buffer.read(SCRIPT_BYTES_MAX + 1).decode("utf-8", "surrogateescape")
    if len(text) > SCRIPT_BYTES_MAX:
        raise UsageError(f"the script has more than {SCRIPT_BYTES_MAX >> 20} MiB")
    return text


def _speed(options: argparse.Namespace, script: str | None) -> float | None:
    if options.speed == MAX:
        return None
    if options.speed is None:
        return 1.0 if script is None else None
    return float(options.speed)


def _say_where(spec: Spec, visit: Visit) -> None:
    """What somebody at a terminal should know."""
    others = ", ".join(node for node in spec.testbed.nodes if node != visit.node)
    pace = "jumps from timer to timer" if visit.speed is None else (
        "goes with the real clock" if visit.speed == 1 else
        f"goes {visit.speed:g} times as fast as the real clock"
    )  # fmt: skip
    flows = "no flows run" if visit.after_ns is None else "the cell's flows run"
    print(f"node {visit.node}; others, for ip netns exec: {others}")
    print(f"{flows}; virtual time {pace}; nothing is kept")
    print("exit ends the guest, and so does Ctrl-] three times, if it hangs", flush=True)
