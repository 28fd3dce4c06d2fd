# SPDX-License-Identifier: GPL-2.0-or-later
"""What a process can give up for good by itself, without a namespace and without root.

Landlock takes away all files but those that are named, and with its later versions TCP, signals
and abstract sockets to who is outside. It does not look at what changes a file by its path without
opening it (chmod, utime; truncate before Linux 6.2), nor at other sockets. A filter of system calls
(seccomp) refuses these. Both hold for all descendants, and neither can be taken back.

Not taken away, and so what native code in a guest can do without bubblewrap: see which paths of
the host there are, and how large; fill what it may write to; and, before Linux 6.12, send signals
to processes of the same user.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from collections.abc import Iterable

_libc = ctypes.CDLL(None, use_errno=True)

# Numbers of system calls, for x86_64.
_SECCOMP, _CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 317, 444, 445, 446
_SOCKET = 41
_REFUSED = (
    *(90, 92, 94, 132, 235, 260, 261, 268, 280, 452),  # chmod, chown, utime by path
    *(188, 189, 197, 198, 463, 466),  # setxattr, removexattr by path
    *(29, 30, 64, 68, 240),  # shmget, shmat, semget, msgget, mq_open
    *(248, 249, 250),  # add_key, request_key, keyctl
    *(425, 438, 304),  # io_uring_setup (which has sockets), pidfd_getfd, open_by_handle_at
)
_TRUNCATE, _TRUNCATE_ABI = 76, 3
_X32_BIT = 0x40000000
_AF_UNIX = 1

# linux/landlock.h. Each version of Landlock knows more of what is done to files.
_EXECUTE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 2, 1 << 3
_FILE_RIGHTS = 0b111 | 1 << 14 | 1 << 15  # of a file: execute, write, read, truncate, ioctl
_HANDLED_BITS = {1: 13, 2: 14, 3: 15, 5: 16}
_TCP, _TCP_ABI = 0b11, 4
_SCOPED, _SCOPED_ABI = 0b11, 6
_VERSION = 1
_PATH_BENEATH = 1

READ = _EXECUTE | _READ_FILE | _READ_DIR
WRITE = (1 << 16) - 1

_NO_NEW_PRIVS = 38
_FILTER, _SPEC_ALLOW = 1, 4


def version() -> int:
    """The version of Landlock that this kernel has; 0 if it has none."""
    return max(0, int(_libc.syscall(_CREATE_RULESET, None, 0, _VERSION)))


def no_new_privileges() -> None:
    """Have no program that this process runs give it more than it has."""
    _check(_libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0))


def keep_files(rights: Iterable[tuple[int, int]]) -> None:
    """Give up all files but those that are open, and those of *rights* and below.

    Each is a descriptor and READ or WRITE. Without Landlock nothing happens. Raises OSError.
    """
    abi = version()
    if not abi:
        return
    handled = (1 << _HANDLED_BITS[max(known for known in _HANDLED_BITS if known <= abi)]) - 1
    fields = [handled]
    fields += [_TCP] if abi >= _TCP_ABI else []
    fields += [_SCOPED] if abi >= _SCOPED_ABI else []
    about = struct.pack(f"={len(fields)}Q", *fields)
    ruleset = _check(_libc.syscall(_CREATE_RULESET, about, len(about), 0))
    for fd, wanted in rights:
        is_folder = os.fstat(fd).st_mode & 0o170000 == 0o040000
        allowed = wanted & handled & (-1 if is_folder else _FILE_RIGHTS)
        rule = struct.pack("=Qi", allowed, fd)
        _check(_libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, rule, 0))
    _check(_libc.syscall(_RESTRICT_SELF, ruleset, 0))
    os.close(ruleset)


def refuse_calls(may_connect: bool) -> None:
    """Give up system calls that a guest's kernel has no use for. Raises OSError.

    Sockets are among them, but for Unix ones of who *may_connect*.
    """
    refused = _REFUSED if version() >= _TRUNCATE_ABI else (*_REFUSED, _TRUNCATE)
    steps = _filter(refused, may_connect)
    code = ctypes.create_string_buffer(b"".join(steps))
    program = struct.pack("=HxxxxxxQ", len(steps), ctypes.addressof(code))
    # Without the last flag old kernels would slow down all that the guest computes.
    if (
        _libc.syscall(_SECCOMP, _FILTER, _SPEC_ALLOW, program)
        and ctypes.get_errno() != errno.ENOSYS
    ):
        _check(-1)


# linux/filter.h: what a step does.
_LOAD, _IF_EQUAL, _IF_AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
# linux/seccomp.h: where a call's number, its machine and its first argument are, and what follows.
_AT_NUMBER, _AT_ARCH, _AT_FIRST = 0, 4, 16
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | errno.EPERM
_X86_64 = 0xC000003E


def _filter(refused: Iterable[int], may_connect: bool) -> list[bytes]:
    """The steps of the filter: the last two refuse and allow."""
    checks: list[tuple[int, int]] = [(_IF_AT_LEAST, _X32_BIT)]
    checks += [(_IF_EQUAL, number) for number in refused]
    checks += [] if may_connect else [(_IF_EQUAL, _SOCKET)]
    # Behind the checks: whether it is a socket, and of which family; then allow, refuse.
    last = 3 if may_connect else 0
    steps = [_step(_LOAD, _AT_ARCH), _step(_IF_EQUAL, _X86_64, 0, len(checks) + last + 2)]
    steps += [_step(_LOAD, _AT_NUMBER)]
    for at, (what, value) in enumerate(checks):
        steps += [_step(what, value, len(checks) - at + last, 0)]
    if may_connect:
        steps += [
            _step(_IF_EQUAL, _SOCKET, 0, 2),
            _step(_LOAD, _AT_FIRST),
            _step(_IF_EQUAL, _AF_UNIX, 0, 1),
        ]
    return [*steps, _step(_RETURN, _ALLOW), _step(_RETURN, _REFUSE)]


def _step(what: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
    return struct.pack("=HBBI", what, then, otherwise, value)


def _check(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
