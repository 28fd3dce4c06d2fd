# SPDX-License-Identifier: GPL-2.0-or-later
"""The three ways to set TSQ's limit on a host, as they would be here: changes, caveats, reasons
not to.

    cotsq   the sysctls of a kernel with CoTSQ's patches: exact, for all of the network namespace
    bpf     cubic with a limit of its own, for the routes of one device: nobody else is touched
    sysctl  tcp_pacing_ca_ratio and tcp_pacing_ss_ratio, on any kernel: for all of the namespace,
    and the pace of whatever is paced

Everything here is read without root, and nothing is changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tsq.bpf import OBJECTS, has_libbpf
from tsq.changes import ABSENT, CONTROL_NAME, Change, Control, Route, Sysctl
from tsq.devices import Device
from tsq.errors import TsqError
from tsq.host import Host
from tsq.knobs import CA_RATIO, CONTROL, SS_RATIO, TSQ_US
from tsq.limit import Ratios, ms_max, ratios_for
from tsq.routes import candidates, default_devices, with_control

ORDER = ("cotsq", "bpf", "sysctl")
"""What `--method auto` tries first: what is exact, then what touches nobody else."""
MS_LEAST, MS_MOST = 0.1, 1000.0


@dataclass(frozen=True)
class Method:
    """One way, on this host, for one device and one limit."""

    name: str
    changes: tuple[Change, ...] = ()
    why_not: str = ""  # "": it can be done
    harms: tuple[str, ...] = ()  # what it would do to others: needs --host-wide
    caveats: tuple[str, ...] = ()


def check_ms(ms: float) -> None:
    """TsqError unless it is a limit that makes sense."""
    if not MS_LEAST <= ms <= MS_MOST:
        raise TsqError(f"--ms {ms:g}: is not between {MS_LEAST:g} and {MS_MOST:g}")


def device_of(host: Host, devices: Mapping[str, Device], name: str | None) -> Device:
    """The device of that name, or that of the default route."""
    if name is not None:
        if name not in devices:
            there = ", ".join(sorted(devices))
            raise TsqError(
                f"--dev {name}: no such device in this network namespace; there are {there}"
            )
        return devices[name]
    found = [default for default in default_devices(host) if default in devices]
    if not found:
        found = [device.name for device in devices.values() if device.up and not device.loopback]
        if len(found) != 1:
            raise TsqError("there is no default route; say which device: --dev DEV")
    return devices[found[0]]


def methods(host: Host, devices: Mapping[str, Device], device: Device, ms: float) -> list[Method]:
    """All three, in the order of ORDER."""
    check_ms(ms)
    return [
        _cotsq(host, devices, device, ms),
        _bpf(host, device, ms),
        _sysctl(host, devices, device, ms),
    ]


def _others(devices: Mapping[str, Device], device: Device) -> list[Device]:
    """Devices of the same namespace that are in use, and neither above nor beneath this one."""
    return [
        other
        for other in devices.values()
        if other.up
        and not other.loopback
        and other.name != device.name
        and other.name not in device.beneath
        and device.name not in other.beneath
    ]


def _cotsq(host: Host, devices: Mapping[str, Device], device: Device, ms: float) -> Method:
    now = host.sysctl(TSQ_US)
    if now is None:
        return Method(
            "cotsq", why_not="this kernel does not have CoTSQ's patches (docs/real-machines.md)"
        )
    us = round(1000 * ms)
    return Method(
        "cotsq",
        changes=(Sysctl(TSQ_US, now, str(us)),),
        harms=tuple(
            f"{other.name} has {ms:g} ms, too, in place of its driver's"
            for other in _others(devices, device)
        ),
        caveats=("it is a time at the pacing rate; running flows follow with their next packet",),
    )


def _sysctl(host: Host, devices: Mapping[str, Device], device: Device, ms: float) -> Method:
    shift = device.shift.value
    ratios = ratios_for(ms, shift)
    if ratios is None:
        return Method(
            "sysctl",
            why_not=f"the ratio goes from {ms_max(shift) / 1000:.2g} to {ms_max(shift):.3g} ms at "
            f"shift {shift}",
        )
    before = {name: host.sysctl(name) for name in (CA_RATIO, SS_RATIO)}
    if None in before.values():
        return Method("sysctl", why_not=f"there is no {CA_RATIO} in this network namespace")
    control = host.sysctl(CONTROL) or ""
    if control.startswith("bbr"):
        return Method("sysctl", why_not=f"{control} sets its own rate: the ratios do nothing to it")
    after = {CA_RATIO: str(ratios.ca), SS_RATIO: str(ratios.ss)}
    return Method(
        "sysctl",
        changes=tuple(Sysctl(name, before[name] or "", after[name]) for name in after),
        harms=tuple(_ratio_harms(devices, device, ratios)),
        caveats=tuple(_ratio_caveats(device, ratios, ms)),
    )


def _ratio_harms(devices: Mapping[str, Device], device: Device, ratios: Ratios) -> list[str]:
    harms = [
        f"{other.name} has {ratios.ms(other.shift.value):.2g} ms then (shift {other.shift.value})"
        for other in _others(devices, device)
    ]
    pace = f"at {ratios.ca} % of cwnd / RTT"
    if ratios.ca < 100:
        pace += ", which is slower than the flow could be"
    harms += [
        f"fq at {one.name} paces its flows {pace}" for one in devices.values() if one.up and one.fq
    ]
    return harms


def _ratio_caveats(device: Device, ratios: Ratios, ms: float) -> list[str]:
    caveats = [
        "of unpaced flows only: others, such as BBR's, are as before, or paced at that rate",
        f"it also decides how large skbs are: as long as {ms:g} ms of a flow are less than two of "
        f"{device.gso.max_size} bytes, it may have up to twice as much below TCP",
        "ss -i and mptcp's scheduler show and use that rate; new network namespaces (containers) "
        "start at 120 and 200 again",
    ]
    if ratios.ss < ratios.ca * 200 / 120 - 1:
        caveats.append(f"in slow start it is {ratios.ss} % only: the sysctl ends there")
    if device.shift.known_by.startswith("a guess"):
        caveats.append(f"the shift of {device.name} is {device.shift.known_by}")
    return caveats


def _bpf(host: Host, device: Device, ms: float) -> Method:
    why_not = _no_bpf(host, device)
    if why_not:
        return Method("bpf", why_not=why_not)
    routes = candidates(host, device.name)
    usable = [route for route in routes if not route.why_not]
    if not usable:
        return Method("bpf", why_not=f"no route by {device.name} that it could be given to")
    control = Control(CONTROL_NAME, ABSENT, str(round(1000 * ms)))
    changed = (
        Route(f"{route.family}:{device.index}", route.text, with_control(route.text, CONTROL_NAME))
        for route in usable
    )
    caveats = [
        "new connections only; what a program chose before it connected gives way to the route's",
        "a route that is made anew (DHCP, roaming) starts without it",
        "whether the kernel takes the program is known when it is loaded, as root",
    ]
    usual = host.sysctl(CONTROL) or "cubic"
    if usual != "cubic":
        caveats.append(f"flows by {device.name} have cubic's cwnd then, not {usual}'s")
    caveats += [
        f"left alone, for {route.why_not}: {route.text}" for route in routes if route.why_not
    ]
    return Method("bpf", changes=(control, *changed), caveats=tuple(caveats))


def _no_bpf(host: Host, device: Device) -> str:
    """Why BPF cannot be used here, as far as anybody may know."""
    lockdown = host.text(host.sys / "kernel" / "security" / "lockdown") or ""
    reasons = {
        "this kernel has no BTF (CONFIG_DEBUG_INFO_BTF)": not (
            host.sys / "kernel" / "btf" / "vmlinux"
        ).exists(),
        "the BPF JIT is off; try: sysctl -w net.core.bpf_jit_enable=1": host.number(
            "net.core.bpf_jit_enable"
        )
        == 0,
        "the kernel is locked down for confidentiality": "[confidentiality]" in lockdown,
        "its object is not built; try: make -C tsq (needs clang and libbpf-dev)": not (
            OBJECTS / f"{CONTROL_NAME}.bpf.o"
        ).is_file(),
        "no libbpf here; try: sudo apt-get install libbpf1": not has_libbpf(),
        f"{CONTROL_NAME} is registered already: by tsq here (tsq undo) or in another "
        "namespace": host.controls_has(CONTROL_NAME),
        f"fq at {device.name} paces all flows, and what is paced is left alone": device.fq,
    }
    return next((reason for reason, holds in reasons.items() if holds), "")
