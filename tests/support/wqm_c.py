# SPDX-License-Identifier: GPL-2.0-or-later
"""wqm's sources, compiled: as a library, and as the program."""

import ctypes
import subprocess

from tsqlab.paths import ROOT

WQM = ROOT / "wqm"
STRICT = ("-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror")


class Policy(ctypes.Structure):
    """struct wqm_policy."""

    _fields_ = (
        ("drain_limit_ns", ctypes.c_uint64),
        ("buffer_packets", ctypes.c_uint32),
        ("alarm", ctypes.c_int),
    )


class Interval(ctypes.Structure):
    """struct wqm_interval."""

    _fields_ = (
        ("rate_kbps", ctypes.c_uint32),
        ("backlog_bytes", ctypes.c_uint32),
        ("free_permille", ctypes.c_uint32),
        ("sent", ctypes.c_bool),
    )


def compiled_policy(folder):
    """policy.c as a library; undefined behaviour ends the process."""
    library = folder / "policy.so"
    trap = ("-fsanitize=undefined", "-fsanitize-undefined-trap-on-error", "-shared", "-fPIC")
    source = WQM / "policy.c"
    subprocess.run(["gcc", *STRICT, *trap, "-o", library, source], check=True)
    made = ctypes.CDLL(str(library))
    made.wqm_policy.argtypes, made.wqm_policy.restype = (ctypes.c_uint64,), Policy
    made.wqm_policy_step.argtypes = (ctypes.POINTER(Policy), ctypes.POINTER(Interval))
    made.wqm_policy_step.restype = ctypes.c_uint32
    made.wqm_drain_ns.argtypes = (ctypes.POINTER(Interval),)
    made.wqm_drain_ns.restype = ctypes.c_uint64
    for name in ("wqm_buffer_min_packets", "wqm_buffer_start_packets"):
        getattr(made, name).argtypes = (ctypes.c_uint32,)
        getattr(made, name).restype = ctypes.c_uint32
    return made
