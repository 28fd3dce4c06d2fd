# SPDX-License-Identifier: GPL-2.0-or-later
"""A machine in qemu that boots one of Debian's kernels, does what it is told, and says what it saw.

Its root is in memory: Debian's packages (debian.py), the modules, tsq as it is in the checkout, and
the programs of inside/. It has two serial lines, the console and one for results: a JSON object a
line.

Its processor is emulated and counts instructions as its clock, one a nanosecond; when it has
nothing to do, its clock leaps. So nothing depends on how fast or how busy the host is: the link has
its 60 Mbit/s always, and a wait costs nothing. TSQLAB_ACCEL=kvm is quicker, in real time.
"""

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import cpio
import debian
from tsqlab.paths import ROOT

HERE = Path(__file__).parent
MOST_S = 2400  # ten times what it takes; a machine that hangs is ended
_LINE = (
    "console=ttyS0 quiet loglevel=4 panic=-1 mitigations=off random.trust_cpu=on nokaslr "
    "rdinit=/init tsq.only={only}"
)


def boot(version, only="all"):
    """What the machine says: its JSON objects, in order, and the console."""
    with tempfile.TemporaryDirectory(prefix="tsq-host-") as name:
        work = Path(name)
        initrd = work / "initrd"
        with initrd.open("wb") as file:
            with _base().open("rb") as base:
                shutil.copyfileobj(base, file)
            _own(cpio.Archive(file), version)
        release = debian.release(version)
        words = [
            "qemu-system-x86_64", *_processor(), "-m", "1024", "-nodefaults",
            "-no-user-config", "-display", "none",
            "-no-reboot", "-serial", f"file:{work}/console", "-serial", f"file:{work}/results",
            "-kernel", str(debian.kernel(version) / f"boot/vmlinuz-{release}"),
            "-initrd", str(initrd), "-append", _LINE.format(only=only),
        ]  # fmt: skip
        with subprocess.Popen(words, stdin=subprocess.DEVNULL) as qemu:
            try:
                qemu.wait(MOST_S)
            except BaseException:
                qemu.kill()
                raise
        console = (work / "console").read_text(errors="replace")
        lines = (work / "results").read_text(errors="replace").splitlines()
    return [json.loads(line) for line in lines if line.startswith("{")], console


def _processor():
    if os.environ.get("TSQLAB_ACCEL") == "kvm":
        return ["-accel", "kvm", "-cpu", "host", "-smp", "2"]
    # With cmpxchg16b, which Linux allocates memory by, qemu 7.2 now and then leaves numbers in the
    # flags that are none, and the machine faults. Without five-level page tables it is quicker.
    return ["-accel", "tcg,thread=single", "-icount", "shift=0,sleep=off", "-rtc", "clock=vm",
            "-cpu", "max,cx16=off,la57=off", "-smp", "1"]  # fmt: skip


def _base():
    """The archive of Debian's packages, made once."""
    place = debian.folder() / "root.cpio"
    tar = debian.root()
    if not place.exists() or place.stat().st_mtime < tar.stat().st_mtime:
        new = debian.folder() / "root.cpio.new"
        with new.open("wb") as file:
            cpio.of_tar(tar, file)
        new.rename(place)
    return place


def _own(archive, version):
    kernel = debian.kernel(version)
    for path in debian.modules(version):
        archive.file(str(path.relative_to(kernel)), path.read_bytes())
    for path in sorted((ROOT / "tsq" / "tsq").rglob("*")):
        if path.is_file() and path.suffix in (".py", ".o"):
            cpio.add_program(archive, f"tsq/{path.relative_to(ROOT / 'tsq')}", path.read_bytes())
    for path in sorted((HERE / "inside").iterdir()):
        if path.is_file():
            archive.file(f"inside/{path.name}", path.read_bytes(), 0o755)
    archive.file("init", (HERE / "inside" / "init").read_bytes(), 0o755)
    archive.close()
