# SPDX-License-Identifier: GPL-2.0-or-later
"""wqm, the daemon for real hosts, as cells run it that have mac80211's queues."""

from __future__ import annotations

from pathlib import Path

from tsqlab.errors import TsqlabError
from tsqlab.kernels.cache import made, ran
from tsqlab.kernels.prebuilt import installed
from tsqlab.keys import key_of, key_of_files
from tsqlab.paths import WQM, cache

_COMMAND = ("gcc", "-std=gnu11", "-O2", "-Wall", "-Wextra", '-DWQM_VERSION="lab"')
_LIBRARIES = ("-lmnl",)
_NAME = "wqm"


def wqm_key() -> str:
    """A hash of all that it is made of."""
    return key_of(key_of_files([*WQM.glob("*.[ch]")], WQM), *_COMMAND, *_LIBRARIES)


def wqm_daemon() -> Path:
    """The program, which is compiled if it is not there. Raises TsqlabError."""
    package = installed()
    if package and package.wqm == wqm_key():
        return package.daemon
    return made(cache() / "wqm" / wqm_key(), _compile, (_NAME,)) / _NAME


def _compile(folder: Path) -> None:
    sources = map(str, sorted(WQM.glob("*.c")))
    command = [*_COMMAND, "-o", str(folder / _NAME), *sources, *_LIBRARIES]
    done = ran(command)
    if "libmnl/libmnl.h" in done.stderr:
        raise TsqlabError(
            'qdisc = "wqm" under mac80211 is the daemon of hosts, which needs libmnl; '
            "try: sudo apt-get install libmnl-dev"
        )
    if done.returncode:
        raise TsqlabError(f"wqm does not compile:\n{done.stderr[-3000:]}")
