# SPDX-License-Identifier: GPL-2.0-or-later
"""What ``tsqlab packetdrill`` takes."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from tsqlab.cli import count_to, folder
from tsqlab.cli.options import add_jobs, add_sandbox, later
from tsqlab.packetdrill.version import Version

ALL = "all"
"""Every version of IP."""

_LIMIT_S, _LIMIT_MAX_S = 180, 100_000  # the first is run_all.py's
_SEED_MAX = (1 << 63) - 1
_VALUE_MAX = 200


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument(
        "path", type=folder, metavar="DIR|FILE", help="scripts (*.pkt), such as gtests/net/tcp"
    )
    parser.add_argument(
        "--kernel", action="append", metavar="NAME", dest="kernels",
        help="the kernel under test (default: the newest); with several, a table of the scripts "
        "that end differently comes last",
    )  # fmt: skip
    parser.add_argument(
        "--ip", action="append", choices=(*(version.value for version in Version), ALL),
        help="the version of IP; may be repeated (default: ipv4)",
    )  # fmt: skip
    parser.add_argument(
        "--sysctl", action="append", type=_sysctl, default=[], metavar="NAME=VALUE",
        help="set before each script, which may set it otherwise",
    )  # fmt: skip
    add_jobs(parser, "scripts")
    parser.add_argument(
        "--timeout", type=count_to(_LIMIT_MAX_S), default=_LIMIT_S, metavar="S",
        help=f"how much virtual time a script may take (default: {_LIMIT_S} s)",
    )  # fmt: skip
    parser.add_argument(
        "--packetdrill", type=Path, metavar="FILE",
        help="the program (default: the checkout's own, then the one in PATH)",
    )  # fmt: skip
    parser.add_argument(
        "--root", type=folder, metavar="DIR",
        help="the folder that scripts can read (default: the checkout's gtests/net, or else "
        "that of the scripts)",
    )  # fmt: skip
    parser.add_argument(
        "--out", type=folder, metavar="DIR", help="keep each guest's console and output in it"
    )
    parser.add_argument(
        "--seed", type=count_to(_SEED_MAX), default=1, metavar="N",
        help="of the guests' random numbers (default: 1)",
    )  # fmt: skip
    parser.add_argument(
        "-v", "--verbose", action="store_true",
        help="packetdrill -v, which tells each packet; and what is said by scripts that pass",
    )  # fmt: skip
    add_sandbox(parser)
    parser.set_defaults(command=later("packetdrill"))


def _sysctl(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    named = re.fullmatch(r"[a-z0-9_]+([./][\w-]+)+", name, re.ASCII)
    if not named or not 0 < len(value) <= _VALUE_MAX or not value.isprintable():
        message = f"expected NAME=VALUE, as net.ipv4.tcp_sack=0, not {text[:100]!r}"
        raise argparse.ArgumentTypeError(message)
    return name, value
