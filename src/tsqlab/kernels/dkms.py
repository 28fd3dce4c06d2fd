# SPDX-License-Identifier: GPL-2.0-or-later
"""A Debian package of the module bbrs, which DKMS compiles for the kernels of a machine.

It has the module's source only. So it is made in a second, is the same for all architectures, and
the same bytes whenever and wherever it is made of the same source. What is done when it is
installed and removed is dkms's own, as in the packages that Debian makes with dh_dkms.

    /usr/src/tsqlab-bbrs-VERSION/       the source, and dkms.conf
    /usr/share/doc/tsqlab-bbrs-dkms/    the licence, and what version this is
"""

from __future__ import annotations

import gzip
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from email.utils import format_datetime
from pathlib import Path

from tsqlab import __version__
from tsqlab.errors import TsqlabError
from tsqlab.kernels.make import BUILD_DAY
from tsqlab.paths import KERNEL_MODULES
from tsqlab.results.files import make_folder, write_whole

_BBRS = KERNEL_MODULES / "bbrs"
_NAME = "tsqlab-bbrs"
"""What DKMS calls it."""
_PACKAGE = f"{_NAME}-dkms"
_MAINTAINER = "tsqlab <tsqlab@tsqlab>"
"""As in the packages of a kernel: the user and the machine are kept out."""

_ENVIRONMENT = {"SOURCE_DATE_EPOCH": f"{BUILD_DAY.timestamp():.0f}", "LC_ALL": "C"}

# How to compile it is DKMS's default, which is Kbuild's way and knows a kernel made by clang.
# Kernels before 6.1 are passed over. There is no upper bound: Kbuild looks into the headers for
# what has changed.
_DKMS_CONF = f"""\
PACKAGE_NAME="{_NAME}"
PACKAGE_VERSION="{__version__}"
BUILT_MODULE_NAME[0]="{_BBRS.name}"
DEST_MODULE_LOCATION[0]="/updates/dkms"
BUILD_EXCLUSIVE_KERNEL="^(6\\.[1-9]|[7-9]\\.|[1-9][0-9]+\\.)"
AUTOINSTALL="yes"
"""

# Without Recommends: dkms has them, for the headers of Debian's newest kernel.
_CONTROL = f"""\
Package: {_PACKAGE}
Version: {__version__}
Architecture: all
Maintainer: {_MAINTAINER}
Installed-Size: %d
Depends: dkms (>= 2.1.0.0)
Section: kernel
Priority: optional
Description: BBR family of TCP congestion controls (DKMS)
 The congestion controls bbr2, bbr3, bbrplus, bbrdev and bbr_cycle of tsqlab, as
 the source of a module for Linux 6.1 and later. DKMS compiles it for the kernel
 that runs and for each that is installed afterwards, if its headers are there.
 .
 A control is loaded when the sysctl net.ipv4.tcp_congestion_control names it.
"""

# What went before an attempt to upgrade or to remove that failed was removed from DKMS's tree.
_POSTINST = f"""\
#!/bin/sh
set -e

case "$1" in
configure | abort-upgrade | abort-remove | abort-deconfigure)
	/usr/lib/dkms/common.postinst {_NAME} {__version__} /usr/share/{_PACKAGE} "" "$2"
	;;
esac
"""

_PRERM = f"""\
#!/bin/sh
set -e

case "$1" in
remove | upgrade | deconfigure)
	if [ -n "$(dkms status -m {_NAME} -v {__version__})" ]; then
		dkms remove -m {_NAME} -v {__version__} --all
	fi
	;;
esac
"""

_COPYRIGHT = f"""\
The module {_BBRS.name} of tsqlab, a lab for the sending side of Linux' TCP.

Copyright 2026 the tsqlab maintainers

It is free software: it may be redistributed and modified under the terms of the GNU General
Public License, version 2, as published by the Free Software Foundation. It comes without any
warranty. On Debian systems the licence is in /usr/share/common-licenses/GPL-2.
"""

_CHANGELOG = f"""\
{_PACKAGE} ({__version__}) unstable; urgency=medium

  * The module {_BBRS.name} of tsqlab {__version__}.

 -- {_MAINTAINER}  {format_datetime(BUILD_DAY)}
"""


def build_dkms_package(out: Path) -> Path:
    """The package, made in the folder *out*. Raises TsqlabError where there is no dpkg-deb."""
    if shutil.which("dpkg-deb") is None:
        raise TsqlabError(
            "no dpkg-deb here: packages can be made on Debian only; docs/bbrs.md says how "
            f"{_BBRS} is compiled by hand"
        )
    package = out / f"{_PACKAGE}_{__version__}_all.deb"
    make_folder(out)
    with tempfile.TemporaryDirectory() as work:
        tree, packed = Path(work, "tree"), Path(work, package.name)
        _write(tree, _content(), executable=False)
        _write(tree / "DEBIAN", _scripts(), executable=True)
        _write(tree / "DEBIAN", _about(_content()), executable=False)
        _pack(tree, packed)
        write_whole(package, packed.read_bytes())
    return package


def sources() -> list[Path]:
    """The module's files, without what Kbuild has made beside them where somebody compiled it."""
    files = [_BBRS / "Kbuild", *_BBRS.glob("*.c"), *_BBRS.glob("*.h")]
    return sorted(path for path in files if not path.name.endswith(".mod.c"))


def _content() -> dict[str, bytes]:
    """What the package installs, by its place below the root."""
    source, about = f"usr/src/{_NAME}-{__version__}", f"usr/share/doc/{_PACKAGE}"
    return {
        **{f"{source}/{path.name}": path.read_bytes() for path in sources()},
        f"{source}/dkms.conf": _DKMS_CONF.encode(),
        f"{about}/copyright": _COPYRIGHT.encode(),
        f"{about}/changelog.gz": gzip.compress(_CHANGELOG.encode(), mtime=0),
    }


def _scripts() -> dict[str, bytes]:
    return {"postinst": _POSTINST.encode(), "prerm": _PRERM.encode()}


def _about(content: Mapping[str, bytes]) -> dict[str, bytes]:
    """What dpkg is told of the package."""
    size_kib = sum(-(-len(data) // 1024) for data in content.values())
    sums = [
        f"{hashlib.md5(data, usedforsecurity=False).hexdigest()}  {name}\n"
        for name, data in sorted(content.items())
    ]
    return {"control": (_CONTROL % size_kib).encode(), "md5sums": "".join(sums).encode()}


def _write(folder: Path, files: Mapping[str, bytes], *, executable: bool) -> None:
    """Write files and the folders above them, with modes that no umask has a part in."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        path.chmod(0o755 if executable else 0o644)
    for made in (folder, *(path for path in folder.rglob("*") if path.is_dir())):
        made.chmod(0o755)


def _pack(tree: Path, package: Path) -> None:
    command = ["dpkg-deb", "--root-owner-group", "-Zxz", "-z6", "--build", str(tree), str(package)]
    environment = os.environ | _ENVIRONMENT
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise TsqlabError(f"{package.name} could not be packed: {ran.stderr.strip()}")
