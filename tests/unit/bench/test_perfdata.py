# SPDX-License-Identifier: GPL-2.0-or-later
"""A file of perf record: whose each sample is, and both sides of its stack."""

import struct

import pytest

from perfdata import PerfDataError, read_samples

# IP, TID, TIME, CALLCHAIN, PERIOD: what perf record --call-graph fp asks for.
SAMPLE_TYPE = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 5 | 1 << 8
HOST, USER = 2**64 - 128, 2**64 - 512
HEADER_BYTES, ATTRIBUTE_BYTES = 104, 136


def record(kind, body):
    return struct.pack("<IHH", kind, 0, 8 + len(body)) + body


def comm(pid, name):
    padded = name.encode().ljust(16, b"\0")
    return record(3, struct.pack("<2I", pid, pid) + padded)


def fork(pid, parent):
    return record(7, struct.pack("<4IQ", pid, parent, pid, parent, 0))


def sample(pid, *stack, identifier=None):
    before = struct.pack("<Q2I2Q", 0x1234, pid, pid, 99, 250_000)
    first = b"" if identifier is None else struct.pack("<Q", identifier)
    return record(9, first + before + struct.pack(f"<{len(stack) + 1}Q", len(stack), *stack))


@pytest.fixture
def written(tmp_path):
    def write(*records, sample_type=SAMPLE_TYPE):
        data = b"".join(records)
        attribute = struct.pack("<2I3Q", 1, ATTRIBUTE_BYTES, 0, 4000, sample_type)
        sizes = (HEADER_BYTES, 0, HEADER_BYTES, ATTRIBUTE_BYTES)
        places = (HEADER_BYTES + ATTRIBUTE_BYTES, len(data))
        header = b"PERFILE2" + struct.pack("<6Q", *sizes, *places)
        path = tmp_path / "perf.data"
        path.write_bytes(
            header.ljust(HEADER_BYTES, b"\0") + attribute.ljust(ATTRIBUTE_BYTES, b"\0") + data
        )
        return path

    return write


def test_a_stack_has_two_sides(written):
    path = written(comm(7, "linux"), sample(7, HOST, 0xFFFF81, 0xFFFF82, USER, 0x60001000, 0x6000))
    (found,) = read_samples(path)
    assert (found.pid, found.program, found.forked) == (7, "linux", False)
    assert found.host == (0xFFFF81, 0xFFFF82)
    assert found.user == (0x60001000, 0x6000)


def test_a_process_that_was_forked_has_its_parent_s_name_until_it_runs_a_program(written):
    path = written(
        *(comm(7, "linux"), fork(8, 7), sample(8, USER, 1)),
        *(comm(8, "agent"), sample(8, USER, 2)),
        sample(9, USER, 3),
    )
    found = [(each.pid, each.program, each.forked) for each in read_samples(path)]
    assert found == [(8, "linux", True), (8, "agent", False), (9, "", False)]


def test_a_thread_is_no_new_process(written):
    path = written(comm(7, "linux"), fork(7, 7), sample(7, USER, 1))
    assert [each.forked for each in read_samples(path)] == [False]


def test_an_identifier_before_a_sample_moves_its_fields(written):
    own = SAMPLE_TYPE | 1 << 16
    path = written(comm(7, "linux"), sample(7, USER, 5, identifier=3), sample_type=own)
    assert [(each.pid, each.user) for each in read_samples(path)] == [(7, (5,))]


def test_what_perf_did_not_write_is_refused(written, tmp_path):
    (tmp_path / "other").write_bytes(b"x" * 200)
    with pytest.raises(PerfDataError, match="no file of perf record"):
        read_samples(tmp_path / "other")
    with pytest.raises(PerfDataError, match="without processes and stacks"):
        read_samples(written(sample_type=1))
