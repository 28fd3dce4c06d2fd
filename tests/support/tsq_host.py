# SPDX-License-Identifier: GPL-2.0-or-later
"""A host below a folder, for tests of tsq: /proc/sys, /sys, routes and BPF, all as files.

What changes it dies, if it is told to, before or after its n-th operation, as a kill -9 would have
it: the process is gone, and nothing of Python's runs any more.
"""

import json
import os
from dataclasses import dataclass
from pathlib import Path

from tsq.errors import TsqError
from tsq.host import Host, beside

SYSCTLS = {
    "net.ipv4.tcp_pacing_ca_ratio": "120",
    "net.ipv4.tcp_pacing_ss_ratio": "200",
    "net.ipv4.tcp_limit_output_bytes": "1048576",
    "net.ipv4.tcp_tso_rtt_log": "9",
    "net.ipv4.tcp_min_tso_segs": "2",
    "net.ipv4.tcp_congestion_control": "cubic",
    "net.ipv4.tcp_available_congestion_control": "reno cubic",
    "net.core.bpf_jit_enable": "1",
    "kernel.osrelease": "6.12.95+deb12-cloud-amd64",
}
ROUTES = {
    "4": [
        "unicast default via 192.0.2.1 dev wlan0 proto dhcp scope global src 192.0.2.7 metric 600 ",
        "unicast default via 198.51.100.1 dev eth0 proto dhcp scope global metric 700 ",
        "unicast 192.0.2.0/24 dev wlan0 proto kernel scope link src 192.0.2.7 metric 600 ",
        "unicast 203.0.113.0/24 proto static scope global metric 50 \\\tnexthop via 192.0.2.1 dev "
        "wlan0 weight 1 \\\tnexthop via 198.51.100.1 dev eth0 weight 1 ",
    ],
    "6": [
        "unicast 2001:db8::/64 dev wlan0 proto kernel scope global metric 256 expires 86392sec "
        "pref medium",
        "unicast 2001:db8:1::/48 via fe80::1 dev wlan0 proto static scope global metric 1024 pref "
        "medium",
        "unicast fe80::/64 dev wlan0 proto kernel scope global metric 256 pref medium",
        "unicast default via fe80::1 dev wlan0 proto ra scope global metric 1024 expires 1780sec "
        "pref medium",
    ],
}
LINKS = [
    {"ifname": "lo", "ifindex": 1, "flags": ["LOOPBACK", "UP"], "link_type": "loopback",
     "gso_max_size": 65536},
    {"ifname": "wlan0", "ifindex": 3, "flags": ["UP"], "link_type": "ether", "gso_max_size": 65536,
     "gso_max_segs": 65535},
    {"ifname": "eth0", "ifindex": 2, "flags": ["UP"], "link_type": "ether", "gso_max_size": 65536,
     "gso_max_segs": 65535},
    {"ifname": "br0", "flags": [], "link_type": "ether", "linkinfo": {"info_kind": "bridge"}},
]  # fmt: skip
QDISCS = [
    {"kind": "noqueue", "dev": "lo", "root": True},
    {"kind": "noqueue", "dev": "wlan0", "root": True},
    {"kind": "mq", "dev": "eth0", "root": True},
    {"kind": "fq_codel", "dev": "eth0", "parent": "1:1"},
]


@dataclass(frozen=True)
class FakeHost(Host):
    """All of it below *root*; dies at operation *die_at*, after it if *after*.

    With *halfway* it dies there in the middle of writing a file; what is one system call is done.
    """

    root: Path = Path()
    die_at: int = -1
    after: bool = False
    halfway: bool = False
    renamed: str = ""  # what wlan0 is called now

    def _next(self):
        path = self.root / "operations"
        return int(path.read_text()) if path.exists() else 0

    def _operation(self, do):
        count = self._next()
        (self.root / "operations").write_text(str(count + 1))
        if count == self.die_at and not (self.after or self.halfway):
            os._exit(137)
        result = do()
        if count == self.die_at:
            os._exit(137)
        return result

    # What changes something.

    def write(self, path, value):
        return self._operation(lambda: super(FakeHost, self).write(path, value))

    def replace(self, path, text):
        def in_two():
            path.parent.mkdir(parents=True, exist_ok=True)
            beside(path).write_text(text[: len(text) // 2])
            os._exit(137)

        if self.halfway and self._next() == self.die_at:
            return self._operation(in_two)
        return self._operation(lambda: super(FakeHost, self).replace(path, text))

    def disarm(self, unit):
        self._note("disarmed", unit)

    def remove(self, path):
        return self._operation(lambda: super(FakeHost, self).remove(path))

    def link(self, path, to):
        return self._operation(lambda: super(FakeHost, self).link(path, to))

    def later(self, seconds, words):
        return self._operation(lambda: self._note("later", f"{seconds} {' '.join(words[2:])}\n"))

    def control_register(self, name, microseconds):
        assert microseconds > 0
        return self._operation(lambda: self._controls([*self._list(), name]))

    def control_unregister(self, name):
        return self._operation(lambda: self._controls([n for n in self._list() if n != name]))

    def told(self, words):
        return self._operation(lambda: self._route(words))

    # What is asked.

    def device_name(self, index):
        return {3: self.renamed or "wlan0", 2: "eth0"}.get(index)

    def asked(self, words):
        if words[:2] == ["ip", "-json"]:
            return (self.root / "links.json").read_text()
        if words[:2] == ["tc", "-json"]:
            return (self.root / "qdiscs.json").read_text()
        return (self.root / f"routes{words[1].removeprefix('-')}").read_text()

    # Inside.

    def _note(self, name, text):
        (self.root / name).write_text(text)

    def _list(self):
        return self.sysctl("net.ipv4.tcp_available_congestion_control").split()

    def _controls(self, names):
        path = self.sysctl_path("net.ipv4.tcp_available_congestion_control")
        path.write_text(" ".join(names) + "\n")

    def _route(self, words):
        """ip route change: the kernel finds it by prefix and metric, and takes what is known."""
        assert words[:1] == ["ip"] and words[2:4] == ["route", "change"], words
        path = self.root / f"routes{words[1][1:]}"
        new = words[4:]
        if "congctl" in new and new[new.index("congctl") + 1] not in self._list():
            raise TsqError("RTNETLINK answers: Invalid argument")
        lines = path.read_text().splitlines()
        (at,) = [
            at
            for at, line in enumerate(lines)
            if line.split()[:2] == new[:2]
            and "nexthop" not in line
            and line.split()[line.split().index("metric") + 1] == new[new.index("metric") + 1]
        ]
        path.write_text(
            "".join(f"{line}\n" for line in [*lines[:at], " ".join(new) + " ", *lines[at + 1 :]])
        )


def made(root, **options):
    """A host of today below that folder: a mac80211 radio, a wire, and BPF."""
    for name, value in SYSCTLS.items():
        path = root / "proc/sys" / name.replace(".", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{value}\n")
    for family, lines in ROUTES.items():
        (root / f"routes{family}").write_text("".join(f"{line.rstrip()} \n" for line in lines))
    (root / "links.json").write_text(json.dumps(LINKS))
    (root / "qdiscs.json").write_text(json.dumps(QDISCS))
    _sysfs(root / "sys")
    for pid in ("1", "self"):
        (root / f"proc/{pid}/ns").mkdir(parents=True)
    (root / "proc/self/ns/net").write_text("")
    (root / "proc/1/ns/net").hardlink_to(root / "proc/self/ns/net")
    return at(root, **options)


def at(root, **options):
    """The host that is below that folder."""
    return FakeHost(
        proc=root / "proc",
        sys=root / "sys",
        run=root / "run/tsq",
        units=root / "etc/systemd/system",
        kept=root / "var/lib/tsq",
        root=root,
        **options,
    )


def _sysfs(sys):
    """wlan0 is ath9k's, which uses mac80211 through ath9k_common; eth0 is e1000e's."""
    (sys / "kernel/btf").mkdir(parents=True)
    (sys / "kernel/btf/vmlinux").write_text("")
    for module, holders in {"mac80211": ["ath9k_common"], "ath9k_common": ["ath9k"]}.items():
        for holder in holders:
            (sys / "module" / module / "holders" / holder).mkdir(parents=True)
    for name, driver in {"wlan0": "ath9k", "eth0": "e1000e"}.items():
        device = sys / "class/net" / name / "device"
        device.mkdir(parents=True)
        (sys / "module" / driver).mkdir(parents=True, exist_ok=True)
        bus = sys / "bus" / driver
        bus.mkdir(parents=True)
        (bus / "module").symlink_to(sys / "module" / driver)
        (device / "driver").symlink_to(bus)
    (sys / "class/net/wlan0/phy80211").mkdir()


def snapshot(root):
    """All of a host that apply may change, to compare; not the count of operations."""
    return {
        str(path.relative_to(root)): str(path.readlink()) if path.is_symlink() else path.read_text()
        for top in ("proc", "run", "etc", "var", "routes4", "routes6")
        for path in sorted([root / top, *(root / top).rglob("*")])
        if path.is_symlink() or path.is_file()
        if path.name != "lock"
    }
