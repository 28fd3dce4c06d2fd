# SPDX-License-Identifier: GPL-2.0-or-later
"""What a run says of itself in its folder's manifest."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tsqlab.experiment.load import load
from tsqlab.experiment.profile import load_profile
from tsqlab.kernels import Kernel
from tsqlab.results.folder import ManifestKernel, read_manifest
from tsqlab.runner.cell import Job
from tsqlab.runner.folder import FolderState

STOCK = Kernel("6.12", "6.12.1", 1000, "01", True, Path(), Path(), Path())


def kernels(folder: Path, built: dict[str, Kernel]) -> list[ManifestKernel]:
    """The kernels in the manifest of a run over kernels of those names."""
    names = ", ".join(f'"{name}"' for name in built)
    experiment = load("tptsq-4", [f"kernel=[{names}]"])
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


def test_two_names_of_one_kernel_are_both_noted(tmp_path: Path) -> None:
    found = kernels(tmp_path, {"6.12": STOCK, "same": STOCK})
    assert [(kernel.name, kernel.id) for kernel in found] == [("6.12", "01"), ("same", "01")]
