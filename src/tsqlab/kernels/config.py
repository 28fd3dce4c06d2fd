# SPDX-License-Identifier: GPL-2.0-or-later
"""A kernel's configuration: allnoconfig and the fragments of kernel/config.

Starting from nothing keeps the build short; each fragment says what it is for. What a
fragment asks for and does not get is an error, not a surprise.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from tsqlab.errors import TsqlabError
from tsqlab.kernels.make import Build, make
from tsqlab.kernels.progress import Progress
from tsqlab.kernels.unfinished import make_good
from tsqlab.keys import key_of
from tsqlab.paths import KERNEL_CONFIG

PURPOSES = ("base", "net", "wifi")
"""The fragments of every guest."""

_ASSIGNMENT = re.compile(r"^(CONFIG_\w+)=(.*)$", re.MULTILINE)


class NotGrantedError(TsqlabError):
    """Options that were asked for, and that the kernel does not have."""

    def __init__(self, missing: Mapping[str, str], config: Mapping[str, str], tree: Path) -> None:
        """*missing* by name, the whole *config* that was made, and the *tree* that it is of."""
        super().__init__(
            "this kernel's Kconfig does not grant "
            f"{', '.join(f'{name}={value}' for name, value in missing.items())}: "
            "a name that changed, or a dependency that a fragment in kernel/config lacks"
        )
        self.missing, self.config, self.tree = missing, config, tree


def fragment_text(hz: int, extra: Sequence[str] = (), own: str = "") -> str:
    """All fragments of a kernel as one text; later ones win. *own* is the text of a user's."""
    texts = [(KERNEL_CONFIG / f"{name}.config").read_text("utf-8") for name in (*PURPOSES, *extra)]
    return "\n".join([*texts, *([own] if own else []), f"CONFIG_HZ_{hz}=y\n"])


def fragments_for(series_text: str) -> tuple[str, ...]:
    """The fragments that ask for what only a series has."""
    return ("kunit",) if "TCP_TSQ_KUNIT_TEST" in series_text else ()


def check_config(fragments: str, config: str, tree: Path = Path()) -> None:
    """Raise NotGrantedError when the *config* of *tree* lacks what *fragments* ask for."""
    wanted, got = dict(_ASSIGNMENT.findall(fragments)), dict(_ASSIGNMENT.findall(config))
    missing = {
        name: value
        for name, value in wanted.items()
        if got.get(name, "n") != value and not (value == "n" and name not in got)
    }
    if missing:
        raise NotGrantedError(missing, got, tree)


def configure(build: Build, fragments: str, options_key: str, progress: Progress) -> None:
    """Write .config, unless the same was done for the same options. Raises NotGrantedError."""
    make_good(build.output)
    done, key = build.output / "configured", key_of(fragments, options_key)
    if done.exists() and done.read_text("utf-8") == key and (build.output / ".config").exists():
        return
    progress.part("configuring")
    done.unlink(missing_ok=True)
    wanted = build.output / "wanted.config"
    wanted.write_text(fragments, "utf-8")
    targets = ["allnoconfig", f"KCONFIG_ALLCONFIG={wanted}"]
    make(build, targets, build.output / "config.log")
    check_config(fragments, (build.output / ".config").read_text("utf-8"), build.tree)
    done.write_text(key, "utf-8")
