# SPDX-License-Identifier: GPL-2.0-or-later
"""Network devices as TSQ meets them: the driver, the shift that it writes, the queue, GSO.

Nothing here takes root. The links are `ip -json`'s, the queues `tc -json`'s, the rest is in /sys.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tsq.errors import TsqError
from tsq.host import Host
from tsq.limit import BRCMFMAC_SHIFT, MAC80211_SHIFT, STOCK_SHIFT, Gso

_OWN_SHIFTS = {"brcmfmac": BRCMFMAC_SHIFT, "rmnet": BRCMFMAC_SHIFT, "rmnet_data": BRCMFMAC_SHIFT}
_TUNNELS = ("wireguard", "tun", "gre", "sit", "vxlan", "ipip", "ip6tnl", "geneve", "xfrm")


@dataclass(frozen=True)
class Shift:
    """A device's sk_pacing_shift, and how it is known."""

    value: int
    known_by: str

    @property
    def text(self) -> str:
        """For people."""
        return f"{self.value} ({self.known_by})"


@dataclass(frozen=True)
class Device:
    """One network device."""

    name: str
    index: int
    kind: str  # the link's kind (veth, bridge, ...), or the driver's name, or "-"
    up: bool
    wireless: bool  # it has a phy
    mac80211: bool
    shift: Shift
    queue: str  # the kinds of its qdiscs, from the root
    gso: Gso
    fq: bool  # a qdisc that paces what has a rate
    beneath: tuple[str, ...] = ()  # devices that it sends through
    aql: str = ""  # airtime queue limits, where they may be read

    @property
    def loopback(self) -> bool:
        """Whether it leads nowhere."""
        return self.kind == "loopback"


def read_devices(host: Host) -> dict[str, Device]:
    """All devices of this network namespace, by their names."""
    links = _json(host, ["ip", "-json", "-details", "link", "show"])
    qdiscs: dict[str, list[str]] = {}
    for qdisc in _json(host, ["tc", "-json", "qdisc", "show"]):
        if qdisc.get("kind") not in (None, "ingress", "clsact"):
            kinds = qdiscs.setdefault(str(qdisc.get("dev")), [])
            if qdisc["kind"] not in kinds:
                kinds.append(str(qdisc["kind"]))
    users = _mac80211_users(host)
    found = {}
    for link in links:
        name = str(link.get("ifname"))
        found[name] = _device(host, link, qdiscs.get(name, []), users)
    return {name: _over(device, found) for name, device in found.items()}


def _json(host: Host, words: list[str]) -> list[dict[str, Any]]:
    try:
        # A row may be empty: what `ip` left out.
        return [row for row in json.loads(host.asked(words) or "[]") if row]
    except ValueError as error:
        raise TsqError(f"{' '.join(words)}: not JSON; is this iproute2 older than 5?") from error


def _mac80211_users(host: Host) -> set[str]:
    """The modules that use mac80211, directly or not."""
    users: set[str] = set()
    waiting = ["mac80211"]
    while waiting:
        for user in host.names(host.sys / "module" / waiting.pop() / "holders"):
            if user not in users:
                users.add(user)
                waiting.append(user)
    return users


def _device(host: Host, link: dict[str, Any], kinds: list[str], users: set[str]) -> Device:
    name, index = str(link["ifname"]), int(link.get("ifindex") or 0)
    folder = _folder(host, name, index)
    driver = host.target(folder / "device" / "driver")
    kind = str(link.get("linkinfo", {}).get("info_kind") or "")
    if link.get("link_type") == "loopback":
        kind = "loopback"
    wireless = (folder / "phy80211").exists()
    mac80211 = wireless and driver is not None and _uses_mac80211(host, folder, users)
    if not kinds and link.get("qdisc"):
        kinds = [str(link["qdisc"])]
    size = int(link.get("gso_ipv4_max_size") or link.get("gso_max_size") or 65536)
    return Device(
        name=name,
        index=index,
        kind=kind or driver or "-",
        up="UP" in link.get("flags", []),
        wireless=wireless,
        mac80211=mac80211,
        shift=_shift(kind or driver or "", mac80211, wireless),
        queue="+".join(kinds) or "-",
        gso=Gso(size, int(link.get("gso_max_segs") or 65535)),
        fq="fq" in kinds,
        beneath=tuple(
            entry.removeprefix("lower_")
            for entry in host.names(folder)
            if entry.startswith("lower_")
        ),
        aql=_aql(host, folder),
    )


def _folder(host: Host, name: str, index: int) -> Path:
    """Where /sys tells of it; nowhere if /sys is another namespace's (nsenter -n, unshare -n)."""
    folder = host.sys / "class" / "net" / name
    told = host.text(folder / "ifindex")
    return folder if told in (None, str(index)) else Path("/nowhere")


def _uses_mac80211(host: Host, folder: Path, users: set[str]) -> bool:
    """Whether its driver's module uses mac80211, or a module that uses both (iwlwifi, iwlmvm)."""
    module = host.target(folder / "device" / "driver" / "module")
    if module is None:
        return False
    return module in users or any(
        holder in users for holder in host.names(host.sys / "module" / module / "holders")
    )


def _shift(driver: str, mac80211: bool, wireless: bool) -> Shift:
    if mac80211:
        return Shift(MAC80211_SHIFT, "inferred: mac80211")
    if driver in _OWN_SHIFTS:
        return Shift(_OWN_SHIFTS[driver], f"inferred: {driver}")
    if driver in _TUNNELS:
        return Shift(STOCK_SHIFT, f"a guess: what is beneath {driver} is not looked at")
    if wireless:
        return Shift(STOCK_SHIFT, f"inferred: {driver or 'its driver'} has no mac80211")
    return Shift(STOCK_SHIFT, "inferred: the kernel's own")


def _over(device: Device, all_of_them: dict[str, Device]) -> Device:
    """The same device with the shift of what it sends through: the last to write is beneath."""
    seen, below = {device.name}, device
    while below.beneath and below.beneath[0] in all_of_them and below.beneath[0] not in seen:
        below = all_of_them[below.beneath[0]]
        seen.add(below.name)
    if below is device or below.shift.value == device.shift.value:
        return device
    shift = Shift(below.shift.value, f"inferred: {below.name} is beneath")
    return replace(device, shift=shift)


def _aql(host: Host, folder: Path) -> str:
    """mac80211's airtime queue limits of voice to background; debugfs shows them to root only."""
    phy = host.text(folder / "phy80211" / "name")
    if phy is None:
        return ""
    text = host.text(host.sys / "kernel" / "debug" / "ieee80211" / phy / "aql_txq_limit")
    return " ".join((text or "").split())
