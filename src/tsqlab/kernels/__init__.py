# SPDX-License-Identifier: GPL-2.0-or-later
"""Kernels for guests: found or unpacked, patched, configured, built, cached by content.

The cache's folders are named by a hash of everything that went into them, so a folder that
is there is right, and one that is not is made under a lock:

    src/KEY       a patched source tree, read-only by convention
    linux/KEY     a build of it: the executable ``linux``, and what modules need
    modules/KEY   our modules, built against it
    agent/KEY     the guest's program
    own/KEY       a module of a user's own, built against a kernel
    fetched/KEY   what a machine was sent that runs cells for another (tsqlab.runner.cluster)
"""

from tsqlab.kernels.build import against, build, built
from tsqlab.kernels.recipe import Kernel, Recipe

__all__ = ["Kernel", "Recipe", "against", "build", "built"]
