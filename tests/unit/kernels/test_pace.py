# SPDX-License-Identifier: GPL-2.0-or-later
"""How far a build is, as its progress is told."""

import json

import pytest

from tsqlab.kernels.pace import Pace


class Heard:
    def __init__(self):
        self.counts, self.parts = [], []

    def part(self, what):
        self.parts.append(what)

    def count(self, done, of=None, left_s=None):
        self.counts.append((done, of, left_s))


@pytest.fixture
def output(tmp_path):
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


def run(pace, output, lines):
    heard = Heard()
    for seconds, name in lines:
        pace.line(f"  CC      {name}", seconds, heard)
        (output / name).touch()
    return heard


def test_the_first_build_counts_and_knows_no_end(tmp_path, output):
    pace = Pace(tmp_path / "memory", output)
    assert run(pace, output, [(0, "a.o"), (1, "b.o")]).counts == [(1, None, None), (2, None, None)]


def test_a_version_of_which_the_number_is_known(tmp_path, output):
    pace = Pace(tmp_path / "memory", output, likely=870)
    assert run(pace, output, [(0, "a.o")]).counts == [(1, 870, None)]


@pytest.fixture
def known(tmp_path, output):
    """A build in which three objects took 1, 1 and 8 s."""
    pace = Pace(tmp_path / "memory", output)
    run(pace, output, [(0, "a.o"), (1, "b.o"), (2, "slow.o")])
    pace.end(10)
    (output / "linux").touch()
    return tmp_path / "memory"


def test_a_build_of_the_same_is_measured_in_time_and_not_in_files(known, tmp_path):
    assert json.loads(known.read_text()) == {"a.o": 1, "b.o": 1, "slow.o": 8}
    output = tmp_path / "another"
    output.mkdir()
    counts = run(Pace(known, output), output, [(0, "a.o"), (2, "b.o"), (4, "slow.o")]).counts
    assert [(done, of) for done, of, _ in counts] == [(1, 3), (2, 3), (3, 3)]
    # It takes twice as long as the last one: after 2 of 3 objects, 8 of 10 s are left, or 16.
    assert counts[1][2] == pytest.approx(8 * 2 / 2)
    assert counts[2][2] == pytest.approx(0)


def test_a_build_that_was_cut_off_goes_on_where_it_was(known, output):
    (output / "slow.o").unlink()
    counts = run(Pace(known, output), output, [(0, "slow.o")]).counts
    assert [(done, of) for done, of, _ in counts] == [(3, 3)]


def test_the_first_build_of_all_goes_on_where_it_was_cut_off(tmp_path, output):
    """Nothing is remembered of it, and it does not begin at 0 again."""
    (output / "net").mkdir()
    for name in ("a.o", "net/b.o"):
        (output / name).touch()
    counts = run(Pace(tmp_path / "memory", output, likely=870), output, [(0, "c.o")]).counts
    assert counts == [(3, 870, None)]


def test_an_edit_after_it_is_not_a_share_of_all(tmp_path, output):
    for name in ("a.o", "b.o", "linux"):
        (output / name).touch()
    counts = run(Pace(tmp_path / "memory", output, likely=870), output, [(0, "a.o")]).counts
    assert counts == [(1, None, None)]


def test_what_an_edit_makes_anew_nobody_knows_before(known, output):
    pace = Pace(known, output, likely=870)
    assert run(pace, output, [(0, "a.o"), (1, "b.o")]).counts == [(1, None, None), (2, None, None)]
    pace.end(2)
    assert json.loads(known.read_text())["slow.o"] == 8, "a small build is no measure"


def test_a_build_of_which_only_the_end_was_seen_is_no_measure(tmp_path, output):
    """As the second half of one that was killed."""
    for name in ("a.o", "b.o", "c.o"):
        (output / name).touch()
    pace = Pace(tmp_path / "memory", output)
    run(pace, output, [(0, "d.o")])
    pace.end(1)
    assert not (tmp_path / "memory").exists()


def test_objects_that_the_last_build_did_not_have(known, tmp_path):
    output = tmp_path / "another"
    output.mkdir()
    lines = [(0, "x.o"), (1, "y.o"), (2, "z.o")]
    assert run(Pace(known, output), output, lines).counts[-1] == (3, None, None)


def test_linking_is_said(output):
    heard = Heard()
    Pace(None, output).line("  LD      vmlinux.o", 1, heard)
    assert heard.parts == ["linking"]


@pytest.mark.parametrize("text", ["", "[", "[1]", '{"a": "x"}'])
def test_a_damaged_memory_is_none(text, tmp_path, output):
    (tmp_path / "memory").write_text(text)
    assert run(Pace(tmp_path / "memory", output), output, [(0, "a.o")]).counts == [(1, None, None)]
