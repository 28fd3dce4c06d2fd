# SPDX-License-Identifier: GPL-2.0-or-later
"""Archives in the format "newc", which Linux unpacks as its first root file system.

The kernel takes several, one after the other: Debian's packages are one that stays the same, and
what a test adds is another.
"""

import py_compile
import stat
import sys
import tarfile
import tempfile
from pathlib import Path

_LEFT_OUT = ("usr/share/doc/", "usr/share/man/", "usr/share/locale/", "usr/share/info/",
             "usr/share/zoneinfo/", "var/lib/", "var/cache/", "dev/")  # fmt: skip
_COMPILED = ("usr/lib/python3/dist-packages/pyroute2/",
             f"usr/lib/python3.{sys.version_info.minor}/")  # fmt: skip
"""What is compiled, if this Python is the one that will run it; another one takes no notice."""


class Archive:
    """One archive, written entry by entry."""

    def __init__(self, file):
        self._file, self._number, self._folders = file, 0, {""}

    def add(self, name, mode, data=b""):
        """A file, folder or link (whose data is where it leads)."""
        self._number += 1
        encoded = name.encode() + b"\0"
        numbers = (self._number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(encoded), 0)
        head = b"070701" + b"".join(b"%08X" % number for number in numbers)
        self._file.write(_padded(head + encoded) + _padded(data))

    def folder(self, name):
        """A folder and those above it."""
        if name not in self._folders:
            self.folder(name.rpartition("/")[0])
            self._folders.add(name)
            self.add(name, stat.S_IFDIR | 0o755)

    def file(self, name, data, mode=0o644):
        """A file in its folder."""
        self.folder(name.rpartition("/")[0])
        self.add(name, stat.S_IFREG | mode, data)

    def link(self, name, to):
        """A symbolic link in its folder."""
        self.folder(name.rpartition("/")[0])
        self.add(name, stat.S_IFLNK | 0o777, to.encode())

    def close(self):
        """The entry that says that it is the last."""
        self.add("TRAILER!!!", 0)


def _padded(data):
    return data + bytes(-len(data) % 4)


def of_tar(tar, file):
    """An archive of what is in a tar, without what only people read."""
    archive = Archive(file)
    with tarfile.open(tar) as opened:
        for member in opened:
            name = member.name.removeprefix("./").strip("/")
            if not name or name.startswith(_LEFT_OUT):
                continue
            if member.isdir():
                archive.folder(name)
            elif member.issym():
                archive.link(name, member.linkname)
            elif member.islnk():
                target = opened.getmember(member.linkname)
                archive.file(name, opened.extractfile(target).read(), target.mode)
            elif member.isfile():
                data = opened.extractfile(member).read()
                if name.startswith(_COMPILED):
                    add_program(archive, name, data)
                else:
                    archive.file(name, data, member.mode)
    archive.close()


def add_program(archive, name, data):
    """A file, and beside a source Python's bytecode: what is emulated is slow to compile."""
    archive.file(name, data)
    if not name.endswith(".py"):
        return
    folder, _, file = name.rpartition("/")
    with tempfile.TemporaryDirectory() as work:
        source, made = Path(work) / file, Path(work) / "made"
        source.write_bytes(data)
        unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
        try:
            py_compile.compile(str(source), str(made), name, doraise=True,
                               invalidation_mode=unchecked)  # fmt: skip
        except py_compile.PyCompileError:  # lib2to3's tests have such files
            return
        compiled = f"{file.removesuffix('.py')}.{sys.implementation.cache_tag}.pyc"
        archive.file(f"{folder}/__pycache__/{compiled}", made.read_bytes())
