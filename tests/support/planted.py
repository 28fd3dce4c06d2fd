# SPDX-License-Identifier: GPL-2.0-or-later
"""A kernel with one more module, which makes it die 11 s after its boot (tests/guest/planted)."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

from tsqlab.guest.places import MODULE_DIR
from tsqlab.kernels.build import make_modules
from tsqlab.kernels.make import Build
from tsqlab.paths import ROOT

SOURCE = ROOT / "tests" / "guest" / "planted"
LOADED = ["module", f"{MODULE_DIR}/planted.ko"]
"""The line of a plan that loads it."""

BUG_LINE = 1 + SOURCE.joinpath("planted.c").read_text().splitlines().index(
    "\tBUG_ON(now_ns >= DIES_NS);"
)


def with_planted(kernel, folder):
    """The same kernel, whose modules are copied to *folder*, the planted one with them."""
    modules = folder / "modules"
    shutil.copytree(kernel.modules, modules)
    work = folder / "planted"
    shutil.copytree(SOURCE, work)
    tree = Path(json.loads((kernel.linux.parent / "tsqlab.json").read_text())["tree"])
    make_modules(Build(tree, kernel.linux.parent), work)
    shutil.copy(work / "planted.ko", modules)
    return replace(kernel, modules=modules)
