# SPDX-License-Identifier: GPL-2.0-or-later
"""The BPF objects, through libbpf: the congestion control, and the reader of flows.

libbpf.so.1 is there wherever iproute2 is, so neither a compiler nor bpftool is needed on the
host. It is called as C is (ctypes); what it says goes to the standard error, of which an error
keeps the line that tells most. What is registered lives in the kernel until it is taken out: no
process has to stay.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import struct
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tsq.errors import TsqError
from tsq.view import Exact

OBJECTS = Path(__file__).parent / "objects"
BTF = Path("/sys/kernel/btf/vmlinux")
_LIBRARY = "libbpf.so.1"
_STRUCT_OPS = 26  # BPF_MAP_TYPE_STRUCT_OPS
_ARGUMENTS: dict[str, tuple[type, ...]] = {
    "bpf_object__open_file": (ctypes.c_char_p, ctypes.c_void_p),
    "bpf_object__find_map_by_name": (ctypes.c_void_p, ctypes.c_char_p),
    "bpf_object__find_program_by_name": (ctypes.c_void_p, ctypes.c_char_p),
    "bpf_map__attach_struct_ops": (ctypes.c_void_p,),
    "bpf_program__attach_iter": (ctypes.c_void_p, ctypes.c_void_p),
}
"""Functions that return a pointer."""


class _MapInfo(ctypes.Structure):
    """The head of struct bpf_map_info (include/uapi/linux/bpf.h)."""

    _fields_ = (
        ("type", ctypes.c_uint32),
        ("id", ctypes.c_uint32),
        ("sizes", ctypes.c_uint32 * 4),  # of key and value, entries, flags
        ("name", ctypes.c_char * 16),
    )


def has_libbpf() -> bool:
    """Whether the library is where the loader of programs finds it."""
    try:
        ctypes.CDLL(_LIBRARY)
    except OSError:
        return False
    return True


def _libbpf() -> ctypes.CDLL:
    try:
        library = ctypes.CDLL(_LIBRARY, use_errno=True)
    except OSError as error:
        raise TsqError(f"no {_LIBRARY} here; try: sudo apt-get install libbpf1") from error
    for name, arguments in _ARGUMENTS.items():
        function = getattr(library, name)
        function.argtypes, function.restype = arguments, ctypes.c_void_p
    return library


class Loaded:
    """An object that the kernel has taken; everything of it goes with close() that is not in
    use."""

    def __init__(self, name: str, constant: int | None = None) -> None:
        """Load tsq/objects/NAME.bpf.o, with that value in its read-only data."""
        path = OBJECTS / f"{name}.bpf.o"
        if not path.is_file():
            raise TsqError(f"{path}: is not built; try: make -C tsq (needs clang and libbpf-dev)")
        self.library = _libbpf()
        with _said() as said:
            self._object = self.library.bpf_object__open_file(os.fsencode(path), None)
            if not self._object:
                raise TsqError(f"{path}: {_failure(said())}")
            try:
                self._load(constant)
            except TsqError as error:
                self.close()
                raise TsqError(f"the kernel does not take {name}: {_failure(said())}") from error

    def _load(self, constant: int | None) -> None:
        if constant is not None:
            value = struct.pack("=I", constant)
            data = self.part("bpf_object__find_map_by_name", ".rodata")
            if self.library.bpf_map__set_initial_value(data, value, ctypes.c_size_t(len(value))):
                raise TsqError("its constant cannot be set")
        if self.library.bpf_object__load(ctypes.c_void_p(self._object)):
            raise TsqError("it cannot be loaded")

    def part(self, find: str, name: str) -> Any:
        """A map or a program of it."""
        found = getattr(self.library, find)(self._object, name.encode())
        if not found:
            raise TsqError(f"{name}: is not in the object; is it of another tsq?")
        return ctypes.c_void_p(found)

    def close(self) -> None:
        """What nobody uses goes."""
        self.library.bpf_object__close(ctypes.c_void_p(self._object))


def try_control(microseconds: int) -> None:
    """Whether the kernel takes the congestion control: loads it, and lets it go. TsqError if
    not."""
    Loaded("tsq_cubic", microseconds).close()


def register(name: str, microseconds: int) -> None:
    """Make the congestion control available to all of the host. It stays when we end."""
    loaded = Loaded("tsq_cubic", microseconds)
    try:
        with _said() as said:
            place = loaded.part("bpf_object__find_map_by_name", name)
            link = loaded.library.bpf_map__attach_struct_ops(place)
            if not link:
                raise TsqError(f"{name}: is not registered: {_failure(said())}")
            # Otherwise what was attached would be taken out again.
            loaded.library.bpf_link__disconnect(ctypes.c_void_p(link))
            loaded.library.bpf_link__destroy(ctypes.c_void_p(link))
    finally:
        loaded.close()


def unregister(name: str) -> None:
    """Take the congestion control out; flows that have it keep it until they end."""
    library, before = _libbpf(), ctypes.c_uint32(0)
    found = ctypes.c_uint32(0)
    while library.bpf_map_get_next_id(before, ctypes.byref(found)) == 0:
        before = ctypes.c_uint32(found.value)
        fd = library.bpf_map_get_fd_by_id(found)
        if fd < 0:
            continue
        try:
            info, size = _MapInfo(), ctypes.c_uint32(ctypes.sizeof(_MapInfo))
            if library.bpf_obj_get_info_by_fd(fd, ctypes.byref(info), ctypes.byref(size)):
                continue
            if info.type == _STRUCT_OPS and info.name == name.encode():
                # One that flows use, but which is not registered any more, stays as it is.
                library.bpf_map_delete_elem(fd, ctypes.byref(ctypes.c_uint32(0)))
        finally:
            os.close(fd)


class FlowReader:
    """Reads of all flows, as often as it is called, what sock_diag does not tell."""

    def __init__(self) -> None:
        """Takes root. TsqError where the kernel does not take the program."""
        self._loaded = Loaded("tsq_flows")
        program = self._loaded.part("bpf_object__find_program_by_name", "tsq_flows")
        link = self._loaded.library.bpf_program__attach_iter(program, None)
        if not link:
            self._loaded.close()
            raise TsqError("the kernel has no iterator over TCP's flows (CONFIG_BPF_SYSCALL)")
        self._link = ctypes.c_void_p(link)

    def __call__(self) -> dict[int, Exact]:
        """By the flows' cookies."""
        library = self._loaded.library
        fd = library.bpf_iter_create(library.bpf_link__fd(self._link))
        if fd < 0:
            raise TsqError("the kernel gives no iterator over TCP's flows")
        with os.fdopen(fd, encoding="ascii") as file:
            return read_exact(file.read())

    def close(self) -> None:
        """Detach and unload."""
        self._loaded.library.bpf_link__destroy(self._link)
        self._loaded.close()


def read_exact(text: str) -> dict[int, Exact]:
    """The lines of tsq_flows.bpf.c: cookie, shift, paced, throttled."""
    found = {}
    for line in text.splitlines():
        cookie, shift, paced, throttled = map(int, line.split())
        found[cookie] = Exact(shift, paced != 0, throttled != 0)
    return found


@contextlib.contextmanager
def _said() -> Iterator[Any]:
    """What libbpf prints meanwhile, as a function that returns it; nobody else sees it."""
    with tempfile.TemporaryFile() as kept:
        saved = os.dup(2)
        os.dup2(kept.fileno(), 2)

        def text() -> str:
            os.lseek(kept.fileno(), 0, os.SEEK_SET)
            return os.read(kept.fileno(), 1 << 20).decode(errors="replace")

        try:
            yield text
        finally:
            os.dup2(saved, 2)
            os.close(saved)


_NO_KFUNCS = "BPF may not call its cubic here (kfuncs: Linux 6.12; 6.1 on x86-64 only)"
_TELLING = {
    "failed to find valid kernel BTF": "it has no BTF (CONFIG_DEBUG_INFO_BTF)",
    "not found in kernel or module BTFs": _NO_KFUNCS,
    "calling kernel function": _NO_KFUNCS,
    "Operation not permitted": "not permitted: it takes root (CAP_BPF, CAP_PERFMON, "
    "CAP_NET_ADMIN), and no lockdown for confidentiality",
}


def _failure(text: str) -> str:
    for sign, words in _TELLING.items():
        if sign in text:
            return words
    # The last of them only repeats that it failed.
    lines = [
        line.removeprefix("libbpf: ")
        for line in text.splitlines()
        if line.strip() and "failed to load object" not in line
    ]
    return lines[-1] if lines else os.strerror(ctypes.get_errno())
