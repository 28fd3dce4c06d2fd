# SPDX-License-Identifier: GPL-2.0-or-later
"""``tsq apply`` and ``tsq undo``: a method is chosen, an undo armed, the changes made or put
back."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from tsq import state
from tsq.bpf import try_control
from tsq.devices import Device
from tsq.errors import TsqError
from tsq.host import Host
from tsq.methods import Method, methods
from tsq.persist import persisted
from tsq.state import State, Undone
from tsq.timer import arm, disarm


@dataclass(frozen=True)
class Wanted:
    """What apply was asked for."""

    ms: float
    method: str = "auto"
    for_s: int | None = None
    persist: bool = False
    host_wide: bool = False


Probe = Callable[[int], None]


def choose(
    host: Host,
    devices: Mapping[str, Device],
    device: Device,
    wanted: Wanted,
    probe: Probe = try_control,
) -> Method:
    """The method that was asked for, or the first that can be had without harm. TsqError if
    none."""
    refused = []
    for method in methods(host, devices, device, wanted.ms):
        if wanted.method not in ("auto", method.name):
            continue
        why_not = method.why_not or _harmful(method, wanted) or _not_taken(method, wanted.ms, probe)
        if not why_not:
            return method
        refused.append(f"{method.name}: {why_not}")
    raise TsqError("; ".join(refused))


def _harmful(method: Method, wanted: Wanted) -> str:
    if not method.harms or wanted.host_wide:
        return ""
    return f"is refused without --host-wide: {', '.join(method.harms)}"


def _not_taken(method: Method, ms: float, probe: Probe) -> str:
    """Whether the kernel takes the program is known only by loading it, which changes nothing."""
    if method.name == "bpf":
        try:
            probe(round(1000 * ms))
        except TsqError as error:
            return str(error)
    return ""


def apply(
    host: Host,
    devices: Mapping[str, Device],
    device: Device,
    wanted: Wanted,
    probe: Probe = try_control,
) -> Iterator[str]:
    """Set it, and say what was done. What an earlier apply set is undone first.

    What --persist made stays unless there is a new --persist: the unit itself runs this at boot.
    """
    if wanted.persist and wanted.for_s:
        raise TsqError("--persist and --for: one or the other")
    with state.alone(host):
        for lasting in (False, True) if wanted.persist else (False,):
            yield from _put_back(host, lasting=lasting)
        method = choose(host, devices, device, wanted, probe)
        token = secrets.token_hex(8)
        if wanted.for_s:
            yield arm(host, wanted.for_s, token)
        if wanted.persist:
            files = persisted(host, device, wanted.ms, method.name, host_wide=wanted.host_wide)
            state.apply(host, State(method.name, wanted.ms, token, files), lasting=True)
        state.apply(host, State(method.name, wanted.ms, token, method.changes), lasting=False)
    yield f"{method.name}: {wanted.ms:g} ms on {device.name}"
    for change in method.changes:
        yield f"    {change.command(change.after)}"
    for caveat in method.caveats:
        yield f"    - {caveat}"


def undo(host: Host, token: str = "") -> Iterator[str]:
    """Put back what is still as we set it, and say so. TsqError if something could not be."""
    nothing, failed = True, []
    with state.alone(host):
        for lasting in (False, True):
            try:  # whatever is wrong with one, the other is put back
                if state.load(host, lasting=lasting):
                    nothing = False
                yield from _put_back(host, token, lasting=lasting)
            except TsqError as error:
                failed.append(str(error))
    if failed:
        raise TsqError("; ".join(failed))
    if nothing:
        yield "nothing is applied here"


def _put_back(host: Host, token: str = "", *, lasting: bool) -> Iterator[str]:
    """What was applied until the next boot, or at each. TsqError if something could not be."""
    state.tidy(host, lasting=lasting)
    applied = state.load(host, lasting=lasting)
    if applied is None:
        return
    done = state.undo(host, lasting=lasting, token=token)
    yield from told(done)
    if done.failed:
        words = "; ".join(f"{change.target}: {why}" for change, why in done.failed)
        raise TsqError(f"not undone, and kept to be tried again: {words}")
    if not token:
        disarm(host, applied.token)


def told(done: Undone) -> Iterator[str]:
    """What an undo did, for people."""
    for change in done.restored:
        yield f"back: {change.command(change.before)}"
    for change, now in done.overwritten:
        how = f"now: {now}" if now else "it is gone"
        yield f"left alone, for it is no longer as tsq set it: {change.target} ({how})"
