# SPDX-License-Identifier: GPL-2.0-or-later
"""``tsq doctor``: what this host has of what each method needs, and what of it would be in the
way."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tsq import state
from tsq.bpf import OBJECTS, has_libbpf, try_control
from tsq.devices import Device
from tsq.errors import TsqError
from tsq.host import Host
from tsq.knobs import CONTROL, TSQ_US
from tsq.timer import by_systemd
from tsq.trial import NEEDED, no_flent


@dataclass(frozen=True)
class Finding:
    """One line: what was looked at, how it is, and whether it is as it should be."""

    what: str
    how: str
    good: bool


def findings(host: Host, devices: Mapping[str, Device]) -> Iterator[Finding]:
    """All that was looked at, in the order in which methods need it."""
    release = host.text(host.proc / "sys" / "kernel" / "osrelease") or "?"
    yield Finding("kernel", release, _release(release) >= (6, 1))
    pyroute2 = importlib.util.find_spec("pyroute2") is not None
    yield Finding(
        "show",
        "pyroute2" if pyroute2 else "no pyroute2; try: apt install python3-pyroute2",
        pyroute2,
    )
    cotsq = host.sysctl(TSQ_US)
    yield Finding("cotsq", f"{TSQ_US} = {cotsq}" if cotsq else "not in this kernel", bool(cotsq))
    yield from _bpf(host)
    control = host.sysctl(CONTROL) or "?"
    own_rate = control.startswith("bbr")
    words = f"{control} sets its own rate: the ratios do nothing to it" if own_rate else control
    yield Finding("congestion control", words, not own_rate)
    for device in devices.values():
        if device.up and device.fq:
            yield Finding(
                "fq", f"at {device.name}: paces what has a rate; bpf leaves it alone", False
            )
    first = host.is_first_namespace()
    yield Finding(
        "network namespace", "the first" if first else "one of its own, or not to be told", first
    )
    timer = by_systemd(host)
    yield Finding(
        "--for, --persist", "systemd" if timer else "no systemd here: --for is a process", timer
    )
    absent = [name for name in NEEDED if shutil.which(name) is None]
    yield Finding("verify", no_flent(absent) if absent else "flent and netperf", not absent)
    for lasting in (False, True):
        try:
            applied = state.load(host, lasting=lasting)
        except TsqError as error:
            yield Finding("state", str(error), False)
            continue
        if applied:
            how = "at each boot" if lasting else "until the next boot"
            yield Finding("applied", f"{applied.ms:g} ms by {applied.method}, {how}", True)


def _bpf(host: Host) -> Iterator[Finding]:
    btf = (host.sys / "kernel" / "btf" / "vmlinux").exists()
    yield Finding("bpf: BTF", "there" if btf else "not in this kernel", btf)
    jit = host.number("net.core.bpf_jit_enable")
    yield Finding(
        "bpf: JIT", {0: "off", 1: "on"}.get(jit or 0, "on") if jit is not None else "?", jit != 0
    )
    lockdown = host.text(host.sys / "kernel" / "security" / "lockdown") or "[none]"
    yield Finding("bpf: lockdown", lockdown, "[confidentiality]" not in lockdown)
    library = has_libbpf()
    yield Finding("bpf: libbpf", "there" if library else "none; try: apt install libbpf1", library)
    built = (OBJECTS / "tsq_cubic.bpf.o").is_file()
    yield Finding("bpf: object", "built" if built else "not built; try: make -C tsq", built)
    if not (btf and library and built):
        return
    if os.geteuid() != 0:
        yield Finding("bpf: load", "only root may try", False)
        return
    try:
        try_control(6000)
    except TsqError as error:
        yield Finding("bpf: load", str(error), False)
    else:
        yield Finding("bpf: load", "the kernel takes it", True)


def _release(text: str) -> tuple[int, ...]:
    numbers = text.split("-", maxsplit=1)[0].split(".")[:2]
    return tuple(int(number) for number in numbers if number.isdigit())


def as_text(found: Iterator[Finding]) -> Iterator[str]:
    """A line each."""
    for finding in found:
        yield f"{'ok ' if finding.good else ' - '} {finding.what}: {finding.how}"
    yield "not known: whether a limit helps your link; tsq verify SERVER measures it"
