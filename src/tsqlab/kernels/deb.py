# SPDX-License-Identifier: GPL-2.0-or-later
"""Debian packages of a kernel with CoTSQ: for real machines, not for guests.

The source is Debian's, the options are the machine's own, the patches are TCP's series
(kernel/patches/VERSION/tcp), and Kbuild's bindeb-pkg does the rest. The build's folder stays,
because a distribution's options take hours: a build that was interrupted goes on, and the next
one is short.

    OUT/*.deb           the kernel, and the headers that DKMS wants
    OUT/build.log
    OUT/build/linux/    Kbuild's O=; what else it packs is beside it
"""

from __future__ import annotations

import gzip
import lzma
import platform
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tsqlab.errors import TsqlabError, UsageError
from tsqlab.kernels.cache import locked
from tsqlab.kernels.config import check_config
from tsqlab.kernels.make import HOST, Build, check_folder, make
from tsqlab.kernels.progress import Progress, Unwatched
from tsqlab.kernels.source import find_source, patched_tree, patches_in
from tsqlab.kernels.unfinished import make_good
from tsqlab.paths import cache
from tsqlab.results.files import make_folder

_BOOT = Path("/boot")
_UNPACK: dict[str, Callable[[bytes], bytes]] = {".xz": lzma.decompress, ".gz": gzip.decompress}

_NO_CONFIG = (
    "; say --config FILE: another machine's /boot/config-*, or Debian's own of the package "
    "linux-config-6.12, /usr/src/linux-config-6.12/config.amd64_none_amd64.xz"
)

# The options that we set in place of the machine's. Nobody here has Debian's keys, so nothing is
# signed, which lockdown would demand.
_OURS = """\
CONFIG_LOCALVERSION="-cotsq"
CONFIG_LOCALVERSION_AUTO=n
CONFIG_MODULE_SIG=n
CONFIG_SECURITY_LOCKDOWN_LSM=n
"""
# Debug information takes 20 GB and twice the time. How to say that there is none is an option that
# exists only with DEBUG_KERNEL.
_NO_DEBUG_INFO = "CONFIG_DEBUG_INFO=n\n"
_CHOICE = "CONFIG_DEBUG_INFO_NONE=y\n"
# BTF is made of debug information, by pahole.
_BTF = """\
CONFIG_DEBUG_INFO_DWARF_TOOLCHAIN_DEFAULT=y
CONFIG_DEBUG_INFO_BTF=y
"""
# Modules are packed without their debug information; their BTF stays. A package of debug
# information, which nobody asked for, is not made from 6.12 on.
_BTF_WORDS = ("INSTALL_MOD_STRIP=1", "DEB_BUILD_PROFILES=pkg.linux-upstream.nokerneldbg")

# Options that get Kconfig's default again because they name files of Debian's build, or the build
# itself.
_NOT_THEIRS = re.compile(
    r"^(# )?CONFIG_(SYSTEM_TRUSTED_KEYS|SYSTEM_REVOCATION_KEYS|MODULE_SIG\w*|BUILD_SALT"
    r"|DEBUG_INFO\w*|LOCALVERSION\w*|SECURITY_LOCKDOWN_LSM\w*)[= ].*\n",
    re.MULTILINE,
)

_PACKAGES = {
    *("bc", "bison", "cpio", "debhelper", "dpkg-dev", "fakeroot", "flex", "gcc", "kmod", "make"),
    *("libc6-dev", "libelf-dev", "libssl-dev", "patch", "rsync", "xz-utils"),
}
_PAHOLE = "dwarves"
_COMPRESSORS = {"ZSTD": "zstd", "LZ4": "lz4", "LZO": "lzop", "BZIP2": "bzip2"}


@dataclass(frozen=True)
class Order:
    """Which packages, and where to."""

    version: str | None = None  # the version of Debian's source; None: the newest that has a series
    config: Path | None = None  # the options, perhaps .xz or .gz; None: the running kernel's
    out: Path = Path("debs")
    jobs: int | None = None  # how many jobs at a time; None: one for each CPU
    btf: bool = False  # whether it has BTF, which BPF programs for any kernel read


def build_packages(order: Order, progress: Progress | None = None) -> list[Path]:
    """The packages to install, first the kernel. Hours, with a distribution's options.

    Raises UsageError when there is no such source or no options, and TsqlabError when
    something that the build needs is not installed, or when it fails.
    """
    source = find_source(order.version, None)
    config = machine_config(order.config)
    if packages := missing_packages(config, btf=order.btf):
        raise TsqlabError(
            f"building packages needs more; try: sudo apt-get install {' '.join(packages)}"
        )
    output = (order.out / "build" / "linux").absolute()
    for folder in (output, cache()):
        check_folder(folder)
    make_folder(output)
    progress = progress or Unwatched()
    with locked(output, progress):
        tree = patched_tree(source, cotsq_patches(source.version), progress)
        build = Build(tree, output, HOST, order.jobs)
        progress.part("configuring")
        _configure(build, config, btf=order.btf)
        progress.part("compiling")
        words = _BTF_WORDS if order.btf else ()
        make(build, ["bindeb-pkg", *words], order.out / "build.log", progress)
        return _handed_over(output, order.out)


def machine_config(given: Path | None) -> str:
    """The options in the file *given*, or those of the kernel that runs. Raises UsageError."""
    path = given or _BOOT / f"config-{platform.release()}"
    unpack = _UNPACK.get(path.suffix, bytes)
    try:
        text = unpack(path.read_bytes()).decode()
    except (OSError, lzma.LZMAError, EOFError, UnicodeDecodeError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise UsageError(f"{path}: {why}{'' if given else _NO_CONFIG}") from error
    if "CONFIG_NET=y" not in text:
        raise UsageError(f"{path}: no kernel's options: it has no CONFIG_NET=y")
    return text


def package_config(config: str, *, btf: bool = False) -> str:
    """A machine's options with ours in place of what only the distribution can build."""
    debug_info = _BTF if btf else _NO_DEBUG_INFO + _CHOICE
    return _NOT_THEIRS.sub("", config) + _OURS + debug_info


def cotsq_patches(version: str) -> list[Path]:
    """The series that a real machine has a use for: a package is Debian's kernel with CoTSQ."""
    return patches_in("tcp", version)


def missing_packages(config: str, *, btf: bool = False) -> list[str]:
    """The Debian packages that a build with *config* needs and that are not installed.

    Raises TsqlabError where there is no dpkg.
    """
    if shutil.which("dpkg-query") is None:
        raise TsqlabError("no dpkg here: kernel packages can be built on Debian only")
    compression = re.findall(r"^CONFIG_(?:KERNEL|MODULE_COMPRESS)_(\w+)=y$", config, re.MULTILINE)
    wanted = {*_PACKAGES, *(_COMPRESSORS[name] for name in compression if name in _COMPRESSORS)}
    wanted |= {_PAHOLE} if btf else set()
    return sorted(wanted - _installed(wanted))


def _installed(packages: set[str]) -> set[str]:
    command = ["dpkg-query", "-W", "-f=${db:Status-Status} ${Package}\n", *packages]
    lines = subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()
    return {line.split()[1] for line in lines if line.startswith("installed ")}


def _configure(build: Build, config: str, *, btf: bool) -> None:
    """Write .config, unless it would be the same: a new one would compile everything anew."""
    make_good(build.output)
    wanted, path = package_config(config, btf=btf), build.output / ".config"
    asked = build.output / "asked.config"
    if not path.exists() or not asked.exists() or asked.read_text("utf-8") != wanted:
        asked.unlink(missing_ok=True)
        path.write_text(wanted, "utf-8")
        asked.write_text(wanted, "utf-8")
    make(build, ["olddefconfig"], build.output / "config.log")
    check_config(_OURS + (_BTF if btf else _NO_DEBUG_INFO), path.read_text("utf-8"))


def _handed_over(output: Path, out: Path) -> list[Path]:
    """The packages of the kernel and its headers. linux-libc-dev is the system's own.

    That of debug information is left where it was made: it has gigabytes.
    """
    lines = (output / "debian" / "files").read_text("utf-8").splitlines()
    names = sorted((line.split()[0] for line in lines), reverse=True)
    packed = re.compile(r"linux-(image|headers)-(?!.*-dbg_).*\.deb")
    return [(out / "build" / name).rename(out / name) for name in names if packed.fullmatch(name)]
