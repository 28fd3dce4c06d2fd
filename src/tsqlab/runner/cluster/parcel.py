# SPDX-License-Identifier: GPL-2.0-or-later
"""A cell as it is sent to a worker, and what it leaves as it comes back.

A parcel has no path that the worker would follow, but those of what programs see: they have to be
on the worker as they are here, and are compared by what they contain.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from tsqlab.errors import TsqlabError
from tsqlab.guest.testbed import wiring
from tsqlab.kernels.daemon import wqm_daemon
from tsqlab.results.files import make_folder, write_whole
from tsqlab.runner.cell import CellError, Job, withdraw
from tsqlab.runner.cluster.content import Files, folder_of, name_of, paths_of_kernel, read_files
from tsqlab.runner.programs import seen_here

_MODULE, _DAEMON = "module.ko", "wqm"
_NOWHERE = Path()


@dataclass(frozen=True)
class Needs:
    """The names of the content that a guest is booted with."""

    kernel: str
    modules: tuple[str, ...]  # of the user's own, in the order of the job's
    daemon: str  # wqm, if the guest runs it

    @property
    def names(self) -> tuple[str, ...]:
        """All of them."""
        return tuple(filter(None, (self.kernel, *self.modules, self.daemon)))


@dataclass(frozen=True)
class Parcel:
    """A cell as it is sent."""

    job: bytes  # a Job whose paths lead nowhere
    needs: Needs


@dataclass(frozen=True)
class Left:
    """What a cell left, wherever it ran."""

    files: Mapping[str, bytes] = field(default_factory=dict)  # by their paths in its folder
    wall_s: float = 0.0  # the real seconds that it took
    error: CellError | None = None
    # Why the process that ran it is gone, and so the worker as far as the cell is concerned.
    lost: str = ""


class Packer:
    """Makes parcels, and has what they need."""

    def __init__(self) -> None:
        """Nothing has been packed."""
        self._files: dict[str, Files] = {}
        self._names: dict[str, str] = {}
        self._needs: dict[str, Needs] = {}

    def needs(self, job: Job) -> Needs:
        """What a cell's guest is booted with. Raises TsqlabError if it is not there."""
        if job.cell.id not in self._needs:
            self._needs[job.cell.id] = self._find(job)
        return self._needs[job.cell.id]

    def _find(self, job: Job) -> Needs:
        kernel = self._name(job.kernel.id, job, paths_of_kernel(job.kernel))
        modules = [
            self._name(str(module.file), job, {_MODULE: module.file}) for module in job.modules
        ]
        daemon = self._name(_DAEMON, job, {_DAEMON: wqm_daemon()}) if _runs_daemon(job) else ""
        return Needs(kernel, tuple(modules), daemon)

    def pack(self, job: Job) -> Parcel:
        """A cell's parcel. Raises TsqlabError as needs() does."""
        pathless = replace(
            job,
            kernel=replace(job.kernel, linux=_NOWHERE, modules=_NOWHERE, agent=_NOWHERE),
            modules=tuple(replace(module, file=_NOWHERE) for module in job.modules),
            shown={},
        )
        return Parcel(pickle.dumps(pathless), self.needs(job))

    def files(self, name: str) -> Files:
        """The content of that name."""
        return self._files[name]

    def _name(self, what: str, job: Job, paths: Mapping[str, Path]) -> str:
        """The name of files of a job, which are read once."""
        if what not in self._names:
            try:
                files = read_files(paths)
            except OSError as error:
                raise TsqlabError(f"{job.cell.title} cannot be sent: {error}") from error
            self._names[what] = name_of(files)
            self._files[self._names[what]] = files
        return self._names[what]


def _runs_daemon(job: Job) -> bool:
    return wiring(job.cell.spec, job.profile, job.others).runs_daemon


def unpack(parcel: Parcel) -> Job:
    """The job, whose paths lead nowhere yet."""
    job: Job = pickle.loads(parcel.job)
    return job


def placed(job: Job, parcel: Parcel, folder: Path) -> Job:
    """The job on the worker that runs it, into a folder of its own. Raises TsqlabError."""
    kernel = folder_of(parcel.needs.kernel)
    files = [folder_of(name) / _MODULE for name in parcel.needs.modules]
    return replace(
        job,
        folder=folder,
        kernel=replace(
            job.kernel, linux=kernel / "linux", modules=kernel / "modules", agent=kernel / "agent"
        ),
        modules=tuple(
            replace(module, file=file) for module, file in zip(job.modules, files, strict=True)
        ),
        daemon=folder_of(parcel.needs.daemon) / _DAEMON if parcel.needs.daemon else None,
        shown=seen_here(job.cell, job.programs),
    )


def gather(job: Job) -> dict[str, bytes]:
    """The bytes of what a cell has left in its folder."""
    return {
        str(path.relative_to(job.folder)): path.read_bytes()
        for path in (*job.beside, job.console, job.file)
        if path.is_file()
    }


def deliver(left: Left, job: Job) -> None:
    """Write what a cell left as if it had run here, its result last. Raises TsqlabError.

    Only the files of its own are written, whatever else has come.
    """
    job.console.unlink(missing_ok=True)
    own = {str(path.relative_to(job.folder)): path for path in (*job.beside, job.console, job.file)}
    written = {path: left.files[name] for name, path in own.items() if name in left.files}
    if not written.keys().isdisjoint(job.beside):
        withdraw(job)
    for path, content in written.items():
        make_folder(path.parent)
        write_whole(path, content)
