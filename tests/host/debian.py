# SPDX-License-Identifier: GPL-2.0-or-later
"""Debian's own kernels and a small root of its packages, fetched by apt from the machine's mirror.

Everything is below the cache folder (host/), and apt is told to have its lists there, too: the
machine's own sources and packages are not touched. What is there already is not asked for again.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

from tsqlab.paths import cache

SUITE = "bookworm"
DEBIANS = ("6.1", "6.12")  # the suite's own, and that of its backports
OWN = os.environ.get("TSQLAB_HOST_DEB")
"""A kernel's package to try as well, such as `tsqlab kernel deb --btf` makes."""
KERNELS = (*DEBIANS, *([OWN] if OWN else ()))
PACKAGES = "busybox-static,python3,python3-pyroute2,iproute2,kmod,libbpf1"
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
MODULES = ("veth", "sch_tbf", "sch_netem", "sch_fq", "inet_diag", "tcp_diag", "tcp_bbr",
           "vrf")  # fmt: skip
NEEDED = ("qemu-system-x86_64", "mmdebstrap", "depmod", "dpkg-deb", "apt-get")


def missing():
    """The programs that are not here."""
    path = f"{os.environ['PATH']}:/usr/sbin:/sbin"
    return [name for name in NEEDED if shutil.which(name, path=path) is None]


def run(*words, **options):
    environment = os.environ | {"PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin", "LC_ALL": "C"}
    environment |= options.pop("env", {})
    return subprocess.run(
        words, check=True, capture_output=True, text=True, env=environment, **options
    ).stdout


def folder():
    made = cache() / "host"
    made.mkdir(parents=True, exist_ok=True)
    return made


def mirror():
    """Where this machine has Debian from: its own setting."""
    told = run(
        "apt-get", "indextargets", "--format", "$(LABEL) $(REPO_URI)", "Created-By: Packages"
    )
    found = [line.split()[1] for line in told.splitlines() if line.startswith("Debian http")]
    assert found, f"apt-get indextargets names no mirror of Debian: {told!r}"
    return found[0]


def apt():
    """The environment in which apt has lists of its own."""
    place = folder() / "apt"
    for name in ("lists/partial", "archives/partial", "etc"):
        (place / name).mkdir(parents=True, exist_ok=True)
    (place / "etc" / "debian.sources").write_text(
        f"Types: deb\nURIs: {mirror()}\nSuites: {SUITE} {SUITE}-backports\nComponents: main\n"
        f"Signed-By: {KEYRING}\n"
    )
    conf = place / "apt.conf"
    conf.write_text(
        f'Dir::Etc::sourcelist "/dev/null";\nDir::Etc::sourceparts "{place}/etc";\n'
        f'Dir::State::lists "{place}/lists";\nDir::Cache "{place}";\nAPT::Sandbox::User "root";\n'
    )
    return {"APT_CONFIG": str(conf)}


def kernel(version):
    """The folder of a kernel's package, opened: boot/vmlinuz-*, lib/modules/*."""
    deb = Path(version) if version == OWN else None
    place = folder() / f"kernel-{deb.stem if deb else version}"
    if not place.exists() or (deb and deb.stat().st_mtime > place.stat().st_mtime):
        deb = deb or _fetched(version)
        opened = place.with_name("kernel.new")
        shutil.rmtree(opened, ignore_errors=True)
        shutil.rmtree(place, ignore_errors=True)
        run("dpkg-deb", "-x", str(deb), str(opened))
        (release,) = (path.name for path in (opened / "lib/modules").iterdir())
        run("depmod", "-b", str(opened), release)
        opened.rename(place)
        os.utime(place)  # it has the time that the package's own folder has
    return place


def _fetched(version):
    """The package of a kernel of Debian's."""
    package, debs = _package(version), folder() / "debs"
    debs.mkdir(exist_ok=True)
    if not list(debs.glob(f"{package}_*.deb")):
        run("apt-get", "download", package, cwd=debs, env=apt())
    return next(debs.glob(f"{package}_*.deb"))


def _package(version):
    """What linux-image-cloud-amd64 of that version depends on; one that is here already first."""
    pattern = rf"(linux-image-{re.escape(version)}\.\S*-cloud-amd64)"
    for deb in sorted((folder() / "debs").glob("linux-image-*.deb")):
        if match := re.match(pattern, deb.name.split("_")[0]):
            return match[1]
    environment = apt()
    run("apt-get", "update", env=environment)
    told = run("apt-cache", "show", "linux-image-cloud-amd64", env=environment)
    found = re.findall(rf"^Depends: {pattern}", told, re.MULTILINE)
    assert found, f"there is no linux-image-cloud-amd64 {version} in {SUITE} or its backports"
    return found[0]


def release(version):
    """What uname -r says there."""
    (name,) = (path.name for path in (kernel(version) / "lib/modules").iterdir())
    return name


def modules(version):
    """The files of the modules that a test needs, with those that they need, below the folder."""
    place = kernel(version) / "lib/modules" / release(version)
    needs = {}
    for line in (place / "modules.dep").read_text().splitlines():
        file, _, others = line.partition(":")
        needs[file] = others.split()
    wanted = set()
    for name in MODULES:
        for file, others in needs.items():
            if re.search(rf"/{name}\.ko(\.xz)?$", file):
                wanted |= {file, *others}
    kept = [place / file for file in wanted]
    return kept + [path for path in place.glob("modules.*") if path.is_file()]


def root():
    """A tar of the packages, unpacked and not set up: a machine's system for a minute."""
    place = folder() / "root.tar"
    if not place.exists():
        new = folder() / "root.new.tar"
        run("mmdebstrap", "--variant=extract", f"--include={PACKAGES}", SUITE, str(new), mirror())
        new.rename(place)
    return place
