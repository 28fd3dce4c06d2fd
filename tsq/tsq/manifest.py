# SPDX-License-Identifier: GPL-2.0-or-later
"""The list of what `tsq verify` measured, as the lab reads it: `tsqlab report` makes its page.

The format is the lab's (src/tsqlab/results/folder.py). A round is what a seed is there: settings
are compared within it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from tsq.host import Host

MANIFEST = "manifest.json"


def file_of(setting: str, count: int) -> str:
    """The name of the file of a round's test."""
    return f"round-{count}-{setting.replace(' ', '-')}.flent.gz"


def write_manifest(
    host: Host, folder: Path, server: str, settings: Sequence[str], rounds: int
) -> None:
    """Of as many rounds as are done; whole or not at all."""
    document = {
        "experiment": "tsq-verify",
        "title": f"tsq verify: an upload to {server}",
        "plots": ["goodput-latency", "cdf", "goodput-ping"],
        "latency": "ping_ms",
        "factors": ["tsq", "seed"],
        "against": {"tsq": settings[0]},
        "kernels": [{"release": host.sysctl("kernel.osrelease") or ""}],
        "cells": [
            {
                "id": file_of(setting, count).removesuffix(".flent.gz"),
                "factors": {"tsq": setting, "seed": count},
                "file": file_of(setting, count),
                "state": "done",
            }
            for setting in settings
            for count in range(1, rounds + 1)
        ],
    }
    host.replace(folder / MANIFEST, json.dumps(document, indent=1) + "\n")
