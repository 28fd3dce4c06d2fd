# SPDX-License-Identifier: GPL-2.0-or-later
"""The journal of a run: a line a cell, whatever byte the run is killed at."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from tsqlab.cli import main
from tsqlab.errors import FileError, TsqlabError
from tsqlab.experiment.load import Experiment, load
from tsqlab.experiment.profile import load_profile
from tsqlab.kernels import Kernel
from tsqlab.results import folder as results_folder
from tsqlab.results.folder import MANIFEST, read_manifest
from tsqlab.results.journal import JOURNAL, JournalLine, add_line, read_journal
from tsqlab.runner.cell import Job
from tsqlab.runner.folder import FolderState

STOCK = Kernel("6.12", "6.12.1", 1000, "01", True, Path(), Path(), Path())
MATRIX = 'title = "x"\n[matrix]\nseed = [1, 2, 3, 4]\n'


def experiment_in(folder: Path, text: str = MATRIX) -> Experiment:
    (folder / "four.toml").write_text(text)
    return load(str(folder / "four.toml"))


def state_of(experiment: Experiment, folder: Path, key: str = "key") -> FolderState:
    profile = load_profile("gigabit")
    jobs = tuple(Job(cell, key, profile, STOCK, folder) for cell in experiment.cells)
    folder.mkdir(exist_ok=True)
    return FolderState(folder, experiment, jobs)


@pytest.fixture
def state(tmp_path: Path) -> FolderState:
    """A run that has begun, of four cells."""
    state = state_of(experiment_in(tmp_path), tmp_path / "out")
    state.write()
    return state


def do(state: FolderState, jobs: Sequence[Job]) -> None:
    for number, job in enumerate(jobs, 1):
        job.file.touch()
        state.note(job, number + 0.12345)


def done(folder: Path) -> list[bool]:
    return [cell.done for cell in read_manifest(folder).cells]


def test_a_cell_adds_a_line_and_leaves_the_manifest(state: FolderState) -> None:
    manifest, journal = state.path / MANIFEST, state.path / JOURNAL
    before = manifest.read_bytes()
    sizes = []
    for job in state.jobs:
        do(state, [job])
        sizes.append(journal.stat().st_size)
    line = b'{"id":"seed=1","key":"key","wall_s":1.123}\n'
    assert journal.read_bytes().startswith(line)
    assert sizes == [len(line) * count for count in (1, 2, 3, 4)]
    assert manifest.read_bytes() == before


def test_the_two_say_what_one_manifest_would(state: FolderState) -> None:
    do(state, state.jobs[1:3])
    both = read_manifest(state.path)
    assert [cell.wall_s for cell in both.cells] == [None, 1.123, 2.123, None]
    state.write()
    assert not (state.path / JOURNAL).exists()
    assert read_manifest(state.path) == both


def test_a_run_may_be_killed_at_any_byte(state: FolderState) -> None:
    do(state, state.jobs)
    journal = state.path / JOURNAL
    whole = journal.read_bytes()
    for size in range(len(whole) + 1):
        journal.write_bytes(whole[:size])
        cells = whole[:size].count(b"}")
        assert done(state.path) == [True] * cells + [False] * (4 - cells), size


def test_the_next_run_goes_on_behind_half_a_line(state: FolderState) -> None:
    do(state, state.jobs[:2])
    journal = state.path / JOURNAL
    journal.write_bytes(journal.read_bytes()[:-10])
    again = FolderState(state.path, state.experiment, state.jobs)
    again.read()
    assert [again.done(job) for job in state.jobs] == [True, False, False, False]
    again.write()
    do(again, state.jobs[2:])
    assert done(state.path) == [True, False, True, True]


def test_damage_costs_no_other_line(state: FolderState) -> None:
    """As after a loss of power: a block of zeros, or of another file."""
    do(state, state.jobs)
    journal = state.path / JOURNAL
    lines = journal.read_bytes().splitlines(keepends=True)
    for damage in (b"\0" * 4096, b"\xff\n", b"[]\n", b'{"id": 1}\n', b"9" * 5000 + b"\n"):
        journal.write_bytes(lines[0] + damage + b"\n" + b"".join(lines[2:]))
        assert done(state.path) == [True, False, True, True], damage[:10]


def test_a_line_counts_for_its_key_only(state: FolderState) -> None:
    do(state, state.jobs)
    another = state_of(state.experiment, state.path, key="another")
    another.read()
    assert not any(map(another.done, another.jobs))
    lines = (state.path / JOURNAL).read_bytes()
    another.write()
    (state.path / JOURNAL).write_bytes(lines)  # killed before it could remove it
    assert not any(done(state.path))
    assert read_manifest(state.path).cells[0].id in read_journal(state.path)


def test_a_run_that_ends_meanwhile_is_read_whole(
    state: FolderState, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The journal goes into the manifest between the two being read."""
    do(state, state.jobs)
    read = results_folder.read_journal

    def reads_and_is_overtaken(folder: Path) -> object:
        lines = read(folder)
        state.write()
        return lines

    monkeypatch.setattr(results_folder, "read_journal", reads_and_is_overtaken)
    assert all(done(state.path))


def test_a_folder_without_a_journal_is_read_as_ever(state: FolderState) -> None:
    do(state, state.jobs)
    state.write()
    assert [path.name for path in state.path.iterdir() if path.name.startswith("manifest")] == [
        MANIFEST
    ]
    assert all(done(state.path))


def test_the_last_line_of_a_cell_counts(tmp_path: Path) -> None:
    for wall_s in (1.0, 2.0):
        add_line(tmp_path, JournalLine(id="a", key="k", wall_s=wall_s))
    assert read_journal(tmp_path)["a"].wall_s == 2.0


def test_what_is_no_journal_is_an_error_that_names_it(
    state: FolderState, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(state.path / JOURNAL)
    with pytest.raises(FileError, match=r"manifest\.journal: cannot be read: expected a regular"):
        read_manifest(state.path)
    assert main(["report", str(state.path)]) == 2
    assert "manifest.journal" in capsys.readouterr().err
    (state.path / JOURNAL).unlink()
    (state.path / JOURNAL).mkdir()
    with pytest.raises(TsqlabError, match=r"manifest\.journal: cannot be written: Is a directory"):
        state.note(state.jobs[0], 1.0)
