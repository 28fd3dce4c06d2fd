# SPDX-License-Identifier: GPL-2.0-or-later
"""What a run says of itself in its folder's manifest."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from folders import results
from synthetic import record
from tsqlab.experiment.load import load
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.stored import measured
from tsqlab.experiment.today import with_today
from tsqlab.kernels import Kernel
from tsqlab.report import make_report
from tsqlab.results.flent import to_flent, write_flent
from tsqlab.results.folder import ManifestKernel, read_manifest
from tsqlab.runner.cell import Job
from tsqlab.runner.experiment import _summarise, jobs_of
from tsqlab.runner.folder import FolderState

STOCK = Kernel("6.12", "6.12.1", 1000, "01", True, Path(), Path(), Path())


def kernels(folder: Path, built: dict[str, Kernel], era: str = "today") -> list[ManifestKernel]:
    """The kernels in the manifest of a run over kernels of those names."""
    names = ", ".join(f'"{name}"' for name in built)
    experiment = load("tptsq-4", [f"kernel=[{names}]", f'era="{era}"'])
    profile = load_profile("gigabit")
    jobs = tuple(
        Job(cell, "key", profile, built[cell.spec.lab.kernel], folder) for cell in experiment.cells
    )
    FolderState(folder, experiment, jobs).write()
    return read_manifest(folder).kernels


def test_a_kernel_is_noted_by_its_name_and_its_source(tmp_path: Path) -> None:
    mine = replace(STOCK, id="02", source="linux-mine", cotsq=False)
    assert kernels(tmp_path, {"6.12": STOCK, "mine": mine}) == [
        ManifestKernel(
            id="01", release="6.12.1", hz=1000, version="6.12", name="6.12", cotsq=True
        ),
        ManifestKernel(
            id="02", release="6.12.1", hz=1000, version="6.12", name="mine",
            source="linux-mine", cotsq=False,
        ),
    ]  # fmt: skip


def test_a_cell_is_done_when_its_captures_are_there(tmp_path: Path) -> None:
    experiment = load("tptsq-4", ["seed=1", 'capture=["C>R", "S>R"]'])
    cells, profile = experiment.cells, load_profile("gigabit")
    jobs = tuple(Job(cell, "key", profile, STOCK, tmp_path) for cell in cells)
    state = FolderState(tmp_path, experiment, jobs)
    assert [path.name for path in jobs[0].pcaps.values()] == [
        f"{cells[0].id}-C_R.pcap", f"{cells[0].id}-S_R.pcap"
    ]  # fmt: skip
    state.write()
    jobs[0].file.touch()
    state.note(jobs[0], 1.0)
    again = FolderState(tmp_path, experiment, jobs)
    again.read()
    assert not again.done(jobs[0])
    (tmp_path / "pcaps").mkdir()
    for path in jobs[0].pcaps.values():
        path.touch()
    again.read()
    assert again.done(jobs[0])
    row = read_manifest(tmp_path).cells[0]
    assert row.pcaps == {name: path.name for name, path in jobs[0].pcaps.items()}


def test_a_cell_is_done_when_its_trace_events_are_there(tmp_path: Path) -> None:
    experiment = load("tptsq-4", ["seed=1", "trace=tcp:*,net:*"])
    jobs = tuple(
        Job(cell, "key", load_profile("gigabit"), STOCK, tmp_path) for cell in experiment.cells
    )
    state = FolderState(tmp_path, experiment, jobs)
    traced = tmp_path / "traces" / f"{jobs[0].cell.id}.trace.txt.gz"
    assert jobs[0].traced == traced
    state.write()
    jobs[0].file.touch()
    state.note(jobs[0], 1.0)
    again = FolderState(tmp_path, experiment, jobs)
    again.read()
    assert not again.done(jobs[0])
    traced.parent.mkdir()
    traced.touch()
    again.read()
    assert again.done(jobs[0])
    assert [row.trace for row in read_manifest(tmp_path).cells] == [
        job.traced.name for job in jobs if job.traced
    ]


@pytest.mark.parametrize(
    ("capture", "same"),
    [("snap_length=64 B", True), ("C>AP,AP>S", False), ("air", False), ("trace=tcp:*", False)],
)
def test_a_key_is_of_what_can_change_a_result(tmp_path: Path, capture: str, same: bool) -> None:
    override = capture if "=" in capture else f"capture={capture}"
    without, beside = (
        jobs_of(load("cotsq-3", ["seed=1", *overrides]), tmp_path, lambda _: STOCK)[0]
        for overrides in ([], [override])
    )
    assert (without.key == beside.key) == same
    assert (measured(without.cell.spec) == measured(beside.cell.spec)) == same


def test_two_names_of_one_kernel_are_both_noted(tmp_path: Path) -> None:
    found = kernels(tmp_path, {"6.12": STOCK, "same": STOCK})
    assert [(kernel.name, kernel.id) for kernel in found] == [("6.12", "01"), ("same", "01")]


def test_a_kernel_is_noted_with_the_era_that_it_is_as_of(tmp_path: Path) -> None:
    (found,) = kernels(tmp_path, {"6.12": STOCK}, era="5.10")
    assert found.name == "6.12 as of 5.10"


def test_cells_of_today_are_marked_and_are_those_of_that_era(tmp_path: Path) -> None:
    own = load("tptsq-4", ["seed=1"])
    both = jobs_of(with_today(own), tmp_path, lambda _: STOCK)
    FolderState(tmp_path, own, both).write()
    manifest = read_manifest(tmp_path)
    assert (manifest.era, manifest.factors) == ("5.10", list(own.factors))
    count = len(own.cells)
    assert [cell.today for cell in manifest.cells] == [False] * count + [True] * count
    fresh = jobs_of(load("tptsq-4", ["seed=1", "era=today"]), tmp_path, lambda _: STOCK)
    assert [job.key for job in both[count:]] == [job.key for job in fresh]


def test_a_run_without_them_keeps_their_results(tmp_path: Path) -> None:
    own = load("tptsq-4", ["seed=1"])
    both = jobs_of(with_today(own), tmp_path, lambda _: STOCK)
    document = to_flent(record())
    for job in both:
        write_flent(job.file, document | {"metadata": document["metadata"] | {
            "TSQLAB": {"key": job.key}}})  # fmt: skip
    state = FolderState(tmp_path, own, both[: len(own.cells)])
    state.read()
    state.write()
    assert read_manifest(tmp_path).era == ""
    assert not any(cell.today for cell in read_manifest(tmp_path).cells)
    again = FolderState(tmp_path, own, both)
    again.read()
    assert all(again.done(job) for job in both)


def test_the_summary_of_a_run_is_that_of_its_report(tmp_path: Path) -> None:
    few = ['tsq=["TSQ", "NoTSQ"]', "seed=[1, 2]"]
    own, folder = load("cotsq-4", few), results(tmp_path, "cotsq-4", few, today=True) / "cotsq-4"
    profile = load_profile("ath9k_htc")
    jobs = tuple(Job(cell, "0123", profile, STOCK, folder) for cell in with_today(own).cells)
    state = FolderState(folder, own, jobs)
    state.read()
    _summarise(state)
    written = (folder / "summary.csv").read_text("utf-8")
    assert written.startswith("tsq,seed,era,goodput_mbps,")
    make_report(folder)
    assert (folder / "summary.csv").read_text("utf-8") == written
