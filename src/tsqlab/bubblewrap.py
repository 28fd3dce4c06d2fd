# SPDX-License-Identifier: GPL-2.0-or-later
"""Which sandbox is wanted, and why bubblewrap is refused on a machine.

bubblewrap needs a user namespace, or root. Several parties may refuse one, and each does so by an
error of its own, which bubblewrap repeats without saying whose it is. So what it said is looked at
together with what the machine says of itself.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tsqlab.errors import UsageError, one_line

VARIABLE = "TSQLAB_SANDBOX"
BWRAP, NONE = "bwrap", "none"
KINDS = (BWRAP, NONE)

_USER_NAMESPACES = 10_000
_SAID_MAX = 500


def wanted() -> str:
    """The sandbox that guests are to have: one of KINDS. Raises UsageError."""
    kind = os.environ.get(VARIABLE) or BWRAP
    if kind not in KINDS:
        raise UsageError(f'{VARIABLE}: no sandbox "{one_line(kind)[:40]}"; there are bwrap, none')
    return kind


@dataclass(frozen=True)
class Refusal:
    """Why there is no sandbox, and what would give one."""

    why: str
    remedies: tuple[str, ...]
    said: str  # by bubblewrap

    def __str__(self) -> str:
        """It as lines."""
        said = f"bubblewrap: {self.said.removeprefix('bwrap: ')}"
        return "\n  ".join([f"no sandbox for guests: {self.why}", said, *self.remedies])


@dataclass(frozen=True)
class Host:
    """Where a machine says what it allows; tests have another root."""

    root: Path = Path("/")

    def number(self, sysctl: str) -> int | None:
        """A sysctl's value; None if there is no such sysctl."""
        try:
            return int((self.root / "proc/sys" / sysctl.replace(".", "/")).read_text("utf-8"))
        except (OSError, ValueError):
            return None

    @property
    def is_container(self) -> bool:
        """Whether this is a container, as far as can be told from inside."""
        marks = (".dockerenv", "run/.containerenv", "run/systemd/container")
        return any((self.root / mark).exists() for mark in marks)

    @property
    def filters_calls(self) -> bool:
        """Whether there are system calls that are refused to this process (seccomp)."""
        try:
            status = (self.root / "proc/self/status").read_text("utf-8")
        except OSError:
            return False
        return "Seccomp:\t2" in status


_APPARMOR = "kernel.apparmor_restrict_unprivileged_userns"
_CLONE = "kernel.unprivileged_userns_clone"
_MOST = "user.max_user_namespaces"


def refusal(said: str, host: Host | None = None) -> Refusal:
    """What is behind the words of a bubblewrap that did not run."""
    host = host or Host()
    lines = [one_line(line)[:_SAID_MAX] for line in said.splitlines() if line.strip()]
    said = next((line for line in lines if line.startswith("bwrap: ")), (lines or ["nothing"])[-1])
    why, remedies = _cause(said, host)
    return Refusal(why, (*remedies, *_without(host)), said)


def _cause(said: str, host: Host) -> tuple[str, tuple[str, ...]]:
    if host.number(_MOST) == 0 or "ENOSPC" in said:
        return _sysctl(_MOST, f"{host.number(_MOST)}", f"{_USER_NAMESPACES}")
    if host.number(_CLONE) == 0:
        return _sysctl(_CLONE, "0", "1")
    if host.number(_APPARMOR) == 1 and not host.is_container:
        return "AppArmor forbids user namespaces, as on Ubuntu since 23.10", tuple(_profile())
    if host.is_container or host.filters_calls:
        what = "this container" if host.is_container else "a filter of system calls (seccomp)"
        return f"{what} forbids namespaces", (
            "try: docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined "
            "--security-opt systempaths=unconfined (podman alike)",
        )
    if "does not support user namespaces" in said:
        return "the kernel has no user namespaces (CONFIG_USER_NS)", ()
    return "bubblewrap is refused, and neither a sysctl nor a container says why", (
        "(in a chroot, and under some security modules, user namespaces are refused as well)",
    )


def _sysctl(name: str, value: str, better: str) -> tuple[str, tuple[str, ...]]:
    kept = f"{name}={better}' | sudo tee /etc/sysctl.d/60-tsqlab.conf"
    return f"{name} = {value} allows no more user namespaces", (
        f"try: sudo sysctl {name}={better}",
        f"to keep it: echo '{kept}",
    )


def _profile() -> Iterator[str]:
    """How bubblewrap is allowed what it needs, and nothing else is."""
    path = shutil.which("bwrap") or "/usr/bin/bwrap"
    yield "try: sudo tee /etc/apparmor.d/bwrap with this as its input, then"
    yield "sudo apparmor_parser -r /etc/apparmor.d/bwrap"
    yield "    abi <abi/4.0>,"
    yield "    include <tunables/global>"
    yield f"    profile bwrap {path} flags=(unconfined) {{"
    yield "      userns,"
    yield "    }"
    yield f"or, for all programs: sudo sysctl {_APPARMOR}=0"


def _without(host: Host) -> Iterator[str]:
    where = "which is a sandbox itself" if host.is_container else "best in a container"
    yield f"or do without, {where}: --sandbox none, or {VARIABLE}=none (docs/sandbox.md)"
