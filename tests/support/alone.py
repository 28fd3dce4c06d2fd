# SPDX-License-Identifier: GPL-2.0-or-later
"""Building each patch alone, as git bisect would: with those before it, not after.

A kernel for each patch, version and architecture would take an hour. What a patch can break is
less: the files that it changes, and the files that include a header that it changes. So one
output folder goes through all of them, and after each patch make is given

- every .c that the patches have changed so far (in arch/um its folder: half of it is compiled
  against the host's headers, and 6.1 forgets that when it is asked for a single object),
- and as soon as something else of the stock kernel has, a header or a Kconfig, the part of the
  kernel that it is for (AREAS); make knows what in there to compile again.

Objects only, nothing is linked. A warning is a failure.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tsqlab.errors import TsqlabError
from tsqlab.kernels.config import check_config
from tsqlab.kernels.make import Build, make

USER_MODE = ("arch/um/", "arch/x86/um/", "arch/x86/Makefile.um")
"""What of a kernel's source is for User-Mode Linux alone."""


def _objects(folder: str, *names: str) -> tuple[str, ...]:
    return tuple(f"{folder}/{name}.o" for name in names)


_UM = (
    *("arch/um/kernel/", "arch/um/os-Linux/", "arch/x86/um/", "drivers/char/random.o"),
    *_objects("kernel/time", "hrtimer", "jiffies", "time", "timekeeping", "timer"),
)
# TCP itself, and of the rest what reads its structures, its namespace and its counters.
_TCP = (
    *_objects("net/ipv4", "tcp", "tcp_input", "tcp_output", "tcp_ipv4", "tcp_timer", "tcp_cong"),
    *_objects("net/ipv4", "tcp_minisocks", "tcp_metrics", "tcp_fastopen", "tcp_rate", "tcp_bbr"),
    *_objects("net/ipv4", "tcp_recovery", "tcp_offload", "tcp_cubic", "tcp_diag", "inet_diag"),
    *_objects("net/ipv4", "proc", "sysctl_net_ipv4", "af_inet", "inet_connection_sock", "route"),
    *_objects("net/ipv4", "inet_timewait_sock", "ip_output", "ip_sockglue", "icmp", "udp"),
    *_objects("net/core", "net_namespace", "sock", "filter", "skbuff"),
    *_objects("net/ipv6", "tcp_ipv6", "af_inet6", "ipv6_sockglue"),
)
_TCP_USERS = (
    *_objects("net/ipv4", "syncookies", "tcp_bpf", "tcp_ulp"),
    *_objects("net/ipv6", "syncookies", "proc", "inet6_connection_sock"),
    *_objects("net/mptcp", "protocol", "subflow", "sockopt", "ctrl"),
    *("net/core/net-traces.o", "net/tls/tls_main.o", "net/tls/tls_device.o"),
)

AREAS: Mapping[str, Mapping[str, Sequence[str]]] = {
    "um": {**dict.fromkeys(USER_MODE, _UM), "include/": _TCP, "net/": _TCP},
    "x86_64": {"include/": (*_TCP, *_TCP_USERS), "net/": (*_TCP, *_TCP_USERS)},
}
"""By architecture: what is to be made when something below a folder changes that is no .c."""


# As netdev's own checks. Stock arch/um is not clean at it.
_STRICT = {"x86_64": ["W=1"]}

_NOT_COMPILED = ("Documentation/", "MAINTAINERS", "tools/testing/")


@dataclass(frozen=True)
class Change:
    """What a patch does to the tree."""

    patch: Path
    files: frozenset[str]
    new: frozenset[str]  # of these, the ones that were not there before


def change(patch: Path) -> Change:
    """Read it off a patch."""
    text = patch.read_text()
    files = re.findall(r"^diff --git a/(\S+) ", text, re.MULTILINE)
    new = re.findall(r"^diff --git a/(\S+) .*\nnew file mode", text, re.MULTILINE)
    return Change(patch, frozenset(files), frozenset(new))


def goals(changes: Sequence[Change], arch: str) -> list[str]:
    """What to make after the last of *changes*, the patches that are applied."""
    areas = AREAS[arch]
    new = {name for change in changes for name in change.new}
    wanted: dict[str, None] = {}  # in order, and each once
    for name in sorted({name for change in changes for name in change.files}):
        if name.startswith(USER_MODE) and arch != "um":
            continue
        if name.endswith(".c") and not name.startswith("arch/"):
            wanted[f"{name.removesuffix('.c')}.o"] = None
        elif name not in new and not name.startswith(_NOT_COMPILED):
            area = next((area for area in areas if name.startswith(area)), None)
            if area is None:
                raise TsqlabError(f"{name}: AREAS in {__file__} does not say what to build")
            wanted |= dict.fromkeys(areas[area])
    return list(wanted)


def build_each(stock: Path, patches: Sequence[Path], arch: str, config: str, work: Path) -> None:
    """Apply one patch after the other to the tree *stock*, and build after each.

    *stock* changes; *work* gets a log for each patch. Raises TsqlabError that names the patch
    and the architecture, and has the compiler's lines, also for no more than a warning.
    """
    build = Build(stock, work / "build", arch)
    build.output.mkdir()
    (work / "wanted.config").write_text(config)
    done: list[Change] = []
    for patch in patches:
        done.append(change(patch))
        where = f"{_name(patch)}, ARCH={arch}"
        apply(patch, stock)
        todo = goals(done, arch)
        if not todo:
            continue
        try:
            _build(build, todo, work / f"{patch.stem}.log")
        except TsqlabError as error:
            raise TsqlabError(f"{where}: {error}") from error
    if (build.output / ".config").exists():  # else nothing of it is for this architecture
        check_config(config, (build.output / ".config").read_text())


def _build(build: Build, todo: Sequence[str], log: Path) -> None:
    # Anew each time: a patch may have added the option that a line of it sets.
    wanted = build.output.parent / "wanted.config"
    make(build, ["allnoconfig", f"KCONFIG_ALLCONFIG={wanted}"], log.with_suffix(".config.log"))
    make(build, [*_STRICT.get(build.arch, ()), *todo], log)
    lines = log.read_text().splitlines()
    for at, line in enumerate(lines):
        if "warning:" in line:
            raise TsqlabError("\n".join(["it builds with a warning", *lines[at : at + 12]]))


def stock_tree(patched: Path, patches: Sequence[Path], folder: Path) -> None:
    """A copy of the tree *patched* without its *patches*.

    Its files are hard links, but for those that the patches change.
    """
    subprocess.run(["cp", "-al", f"{patched}/.", str(folder)], check=True)
    for name in {name for patch in patches for name in change(patch).files}:
        own = (folder / name).read_bytes()
        (folder / name).unlink()
        (folder / name).write_bytes(own)
    for patch in reversed(patches):
        apply(patch, folder, "-R")


def apply(patch: Path, tree: Path, *options: str) -> None:
    """Apply a patch, without any fuzz. Raises TsqlabError."""
    command = ["patch", "-p1", "-s", "-F0", "--no-backup-if-mismatch", *options]
    done = subprocess.run(
        [*command, "-d", str(tree), "-i", str(patch)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise TsqlabError(f"{_name(patch)} does not apply: {done.stdout}")


def _name(patch: Path) -> str:
    """As "6.12/tcp/0001-NAME.patch"."""
    return "/".join(patch.parts[-3:])
