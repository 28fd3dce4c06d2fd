# SPDX-License-Identifier: GPL-2.0-or-later
"""Doing a test's work as an ordinary user, for tests that root runs."""

import contextlib
import dataclasses
import os
import shutil
import tempfile
import traceback
from pathlib import Path

from tsqlab.guest.sandbox import NOBODY


@contextlib.contextmanager
def public_folder():
    """A temporary folder that anyone can enter."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        Path(name).chmod(0o755)
        yield Path(name)


def published(kernel, folder, modules):
    """The kernel in a folder where anyone can read it, with those *modules*."""
    shutil.copy(kernel.linux, folder / "linux")
    shutil.copy(kernel.agent, folder / "agent")
    shutil.copytree(kernel.preload, folder / kernel.preload.name, dirs_exist_ok=True)
    own = folder / "modules"
    own.mkdir(exist_ok=True)
    for module in modules.glob("*.ko"):
        if module.parent != own:
            shutil.copy(module, own)
    return dataclasses.replace(kernel, linux=folder / "linux", agent=folder / "agent", modules=own)


def in_child_as_nobody(work):
    """The exit status of a child that gives up root and then works."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            os.environ["HOME"] = "/nonexistent"
            work()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
