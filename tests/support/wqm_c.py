# SPDX-License-Identifier: GPL-2.0-or-later
"""wqm's sources, compiled: as a library, and as the program."""

import ctypes
import os
import subprocess
from pathlib import Path

import pytest

from airlink_c import TRAP
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
    source = WQM / "policy.c"
    subprocess.run(["gcc", *STRICT, *TRAP, "-o", library, source], check=True)
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


SANITIZED = ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
"""What ends a process at the first wrong access or undefined behaviour."""


def built(folder, *flags):
    """The program in a folder; a test that needs libmnl's headers is skipped without them."""
    return _linked(folder / "wqm", sorted(WQM.glob("*.c")), flags)


def built_answers(folder):
    """tests/support/wqm/answers.c in a folder, which reads what netlink might say; sanitized."""
    sources = [path for path in sorted(WQM.glob("*.c")) if path.name != "main.c"]
    own = Path(__file__).parent / "wqm" / "answers.c"
    return _linked(folder / "answers", [own, *sources], (*SANITIZED, f"-I{WQM}"))


class Station(ctypes.Structure):
    """struct wqm_station."""

    _fields_ = (
        ("mac", ctypes.c_uint8 * 6),
        ("rate_kbps", ctypes.c_uint32),
        ("expected_kbps", ctypes.c_uint32),
        ("sent_bytes", ctypes.c_uint64),
        ("backlog_bytes", ctypes.c_uint64),
    )


class Stations(ctypes.Structure):
    """struct wqm_stations."""

    _fields_ = (("count", ctypes.c_size_t), ("station", Station * 2007))


class Traffic(ctypes.Structure):
    """struct wqm_traffic."""

    _fields_ = (
        ("sent", ctypes.c_bool),
        ("rate_kbps", ctypes.c_uint32),
        ("backlog_bytes", ctypes.c_uint64),
    )


class Survey(ctypes.Structure):
    """struct wqm_survey."""

    _fields_ = (
        ("known", ctypes.c_bool),
        ("time_ms", ctypes.c_uint64),
        ("busy_ms", ctypes.c_uint64),
        ("tx_ms", ctypes.c_uint64),
    )


def library(folder):
    """The whole program as a library; undefined behaviour ends the process."""
    made = ctypes.CDLL(str(_linked(folder / "wqm.so", sorted(WQM.glob("*.c")), TRAP)))
    stations = ctypes.POINTER(Stations)
    made.wqm_stations_compare.argtypes = (stations, stations, ctypes.c_bool)
    made.wqm_stations_compare.restype = Traffic
    survey = ctypes.POINTER(Survey)
    made.wqm_survey_free.argtypes = (survey, survey, ctypes.c_uint32)
    made.wqm_survey_free.restype = ctypes.c_uint32
    return made


def _linked(program, sources, flags):
    if not has_libmnl():
        pytest.skip("no headers of libmnl here; try: sudo apt-get install libmnl-dev")
    command = ["gcc", *STRICT, *flags, '-DWQM_VERSION="test"', "-o", program, *sources, "-lmnl"]
    subprocess.run(command, check=True)
    return program


def own_network(script, folder):
    """What a shell's script does in a network of its own, with which its processes end."""
    # /proc is that of its own processes: a sanitizer looks for itself there.
    own = ("--net", "--pid", "--mount-proc")
    network = ("unshare", "--map-root-user", *own, "--fork", "--kill-child")
    environment = os.environ | {"PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin"}
    options = {"cwd": folder, "capture_output": True, "text": True, "env": environment}
    tried = subprocess.run([*network, "tc", "qdisc", "show"], **options)
    if tried.returncode:
        pytest.skip(f"no network of its own: {tried.stderr.strip()}")
    return subprocess.run([*network, "sh", "-c", script], timeout=60, **options)


def has_libmnl():
    """Whether the compiler finds libmnl, wherever it looks."""
    head = "#include <libmnl/libmnl.h>\nint main(void) { return !mnl_socket_open; }\n"
    command = ["gcc", "-x", "c", "-", "-o", "/dev/null", "-lmnl"]
    return subprocess.run(command, input=head, text=True, capture_output=True).returncode == 0
