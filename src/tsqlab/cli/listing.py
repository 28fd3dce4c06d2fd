# SPDX-License-Identifier: GPL-2.0-or-later
"""``tsqlab list``: experiments, device profiles, kernels."""

from __future__ import annotations

import argparse
from typing import Any

from tsqlab.experiment.load import bundled, load
from tsqlab.experiment.profile import bundled_profiles, load_profile
from tsqlab.kernels.names import taken_back
from tsqlab.kernels.source import versions


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("list", help="experiments, device profiles, kernels")
    parser.set_defaults(command=_list)


def _list(options: argparse.Namespace) -> None:
    del options
    print("experiments")
    for name in bundled():
        experiment = load(name)
        print(f"  {name:22} {experiment.spec.title} ({len(experiment.cells)} cells)")
    print("device profiles")
    for name in bundled_profiles():
        print(f"  {name:22} {load_profile(name).title}")
    print("kernels")
    for version in versions():
        print(f"  {version:26} Debian's linux-source-{version} with kernel/patches/{version}")
    for name in taken_back():
        print(f"  {name:26} with one upstream change taken back, by kernel/patches/history")
