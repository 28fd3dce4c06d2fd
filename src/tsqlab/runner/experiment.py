# SPDX-License-Identifier: GPL-2.0-or-later
"""All cells of an experiment, those that are not done yet, on whatever executor runs them."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from tsqlab.errors import TsqlabError, UsageError
from tsqlab.experiment.bundled import is_file
from tsqlab.experiment.host import needs_cotsq
from tsqlab.experiment.invalid import hint
from tsqlab.experiment.load import Experiment
from tsqlab.experiment.matrix import Cell
from tsqlab.experiment.modules import MODULES, module_name
from tsqlab.experiment.shown import Report
from tsqlab.experiment.spec import Spec
from tsqlab.experiment.stored import measured, plain
from tsqlab.guest import host_programs
from tsqlab.guest.sandbox import NO_FOREIGN_CODE, confines_files
from tsqlab.guest.testbed import wiring
from tsqlab.kernels import Kernel
from tsqlab.kernels.daemon import wqm_key
from tsqlab.kernels.own_modules import OwnModule
from tsqlab.kernels.own_source import Source
from tsqlab.keys import key_of
from tsqlab.results.files import forget_unfinished
from tsqlab.results.flent import read_measured
from tsqlab.results.folder import ERA
from tsqlab.results.repetitions import side_by_side
from tsqlab.results.summary import SummaryRow, write_summary
from tsqlab.runner.cell import Job
from tsqlab.runner.executor import Ended, Note, Second, Start
from tsqlab.runner.folder import FolderState, locked
from tsqlab.runner.programs import Looked, seen_by

_POLL_S = 0.2


class Watcher(Protocol):
    """An object that is told how a run goes."""

    def start(self, cells: int, done: int, seconds: float) -> None:
        """*cells* in all, *done* of them earlier, *seconds* of virtual time still to run."""

    def tick(self, seconds: float) -> None:
        """So many more virtual seconds have been run."""

    def finished(self, cell: str, wall_s: float) -> None:
        """A cell is done."""

    def failed(self, cell: str, error: TsqlabError) -> None:
        """A cell has failed, the first one of its cause."""

    def told(self, text: str) -> None:
        """Something is worth a line, and the run goes on."""


ModuleFor = Callable[[Cell, Kernel, Source], OwnModule]


def nobody(cell: Cell, kernel: Kernel, source: Source) -> OwnModule:
    """Whoever builds no modules: raises TsqlabError."""
    raise TsqlabError(f"{cell.title}: nothing builds {source.said} for {kernel.release} here")


def jobs_of(
    experiment: Experiment,
    folder: Path,
    kernel_for: Callable[[Cell], Kernel],
    module_for: ModuleFor = nobody,
) -> tuple[Job, ...]:
    """The experiment's cells with all that they need. Raises UsageError for what is not there.

    *kernel_for* and *module_for* build what a cell needs, or find it built.
    """
    jobs = []
    looked: Looked = {}
    digest_of = cache(host_programs.digest)
    profiles, others_of_cells = experiment.profiles(), experiment.others()
    needs = zip(experiment.cells, profiles, others_of_cells, experiment.modules(), strict=True)
    for cell, profile, others, sources in needs:
        # Says whether they fit before anything is built.
        wired = wiring(cell.spec, profile, others)
        kernel = kernel_for(cell)
        if needs_cotsq(cell.spec, profile, others) and not kernel.cotsq:
            raise UsageError(
                f"{cell.title}: its TSQ setting needs a kernel with the CoTSQ series, which "
                f'"{cell.spec.lab.kernel}" ({kernel.release}) is not; tsq = "TSQ" and '
                '{ shift = } work with any where truesize = "kernel"'
            )
        devices = [_stable(plain(one)) for one in (profile, *others.values())]
        daemon = [wqm_key()] if wired.runs_daemon else []
        own = [source.key for source in sources]
        seen = seen_by(experiment, cell, looked)
        programs = [seen.key] if cell.spec.program else []
        content = _stable(_content(cell.spec))
        made_by = host_programs.makers(wired.programs, runs_own=bool(cell.spec.program))
        host = digest_of(made_by)
        key = key_of(content, *devices, kernel.id, *daemon, *own, *programs, host)
        if sources and not confines_files():
            raise UsageError(f"{cell.title}: {sources[0].said}: {NO_FOREIGN_CODE}")
        modules = tuple(module_for(cell, kernel, source) for source in sources)
        _check_parameters(cell, modules)
        jobs.append(
            Job(cell, key, profile, kernel, folder, others, modules, seen.shown, made_by, seen.key)
        )
    return tuple(jobs)


def _check_parameters(cell: Cell, modules: Iterable[OwnModule]) -> None:
    """Raise UsageError for a parameter that a module lacks: the kernel would ignore it."""
    for module in modules:
        for name in cell.spec.lab.parameters.get(module.name, {}):
            if name not in module.parameters:
                known = hint(name, module.parameters) if module.parameters else "it has none"
                raise UsageError(
                    f'{cell.title}: the module {module.name} has no parameter "{name}"; {known}'
                )


def run(
    experiment: Experiment, jobs: tuple[Job, ...], folder: Path, start: Start, watcher: Watcher
) -> None:
    """Run what is not done yet, on the executor that *start* makes, and write the summary.

    One cell's failure does not stop the others; TsqlabError is raised at the end.
    """
    with locked(folder):
        for place in (folder, *(path for path in folder.iterdir() if path.is_dir())):
            forget_unfinished(place)
        state = FolderState(folder, experiment, jobs)
        state.read()
        state.write()
        own = [job for job in jobs if not job.cell.elsewhere]
        todo = [job for job in own if not state.done(job)]
        seconds = sum(job.cell.spec.total.s for job in todo)
        watcher.start(len(own), len(own) - len(todo), seconds)
        try:
            causes = _run_all(todo, state, start, watcher) if todo else Counter()
        finally:
            if todo:
                state.write()
        shutil.rmtree(folder / ".work", ignore_errors=True)
        _summarise(state)
    if causes:
        raise TsqlabError(_all_told(causes, len(own), folder))


def _all_told(causes: Counter[str], cells: int, folder: Path) -> str:
    """How many cells failed, of how many causes if some are of one, and where the others are."""
    failures, shared = causes.total(), len(causes) < causes.total()
    plural = "" if len(causes) == 1 else "s"
    of = f", of {len(causes)} cause{plural}" if shared else ""
    others = "" if failures == cells else f"; the others are in {folder}"
    return f"{failures} of {cells} cells failed{of}{others}"


def _run_all(todo: list[Job], state: FolderState, start: Start, watcher: Watcher) -> Counter[str]:
    """Run the jobs; returns how many failed of each cause. The first of each is told."""
    executor = start(len(todo))
    causes: Counter[str] = Counter()
    seconds = {job.cell.id: 0.0 for job in todo}
    left = len(todo)
    try:
        for job in todo:
            executor.submit(job)
        while left:
            for event in executor.events(_POLL_S):
                match event:
                    case Second(cell, second):
                        watcher.tick(second - seconds[cell])
                        seconds[cell] = second
                    case Note(text):
                        watcher.told(text)
                    case Ended(job, _, error):
                        left -= 1
                        if error is None:
                            # Nobody has to have heard of each second.
                            watcher.tick(job.cell.spec.total.s - seconds[job.cell.id])
                        _settle(event, state, watcher, causes)
    except BaseException:
        executor.kill()
        raise
    executor.end()
    return causes


def _settle(ended: Ended, state: FolderState, watcher: Watcher, causes: Counter[str]) -> None:
    job, error = ended.job, ended.error
    if error is None:
        state.note(job, ended.wall_s)
        watcher.finished(job.cell.id, ended.wall_s)
        return
    causes[error.cause] += 1
    if causes[error.cause] == 1:
        watcher.failed(job.cell.id, error)


def _summarise(state: FolderState) -> None:
    rows, factors = [], list(state.experiment.factors)
    twice = any(job.cell.today for job in state.jobs)
    for job in state.jobs:
        if state.done(job):
            _, _, metrics = read_measured(job.file)
            wall_s = state.wall_s[job.cell.id]
            era = {ERA: job.cell.spec.lab.era} if twice else {}
            rows.append(SummaryRow({**job.cell.factors, **era}, metrics | {"wall_s": wall_s}))
    if twice:
        factors, rows = [*factors, ERA], side_by_side(rows, ERA)
    write_summary(state.path / "summary.csv", factors, rows)


def _content(spec: Spec) -> dict[str, Any]:
    """A specification without what stands for a profile or a module's folder, whose content is in
    the key, too.

    So a result stays one of its cell when the files move together, or another user has them. What
    the report draws changes no result, and is left out as well.
    """
    data = measured(spec.model_copy(update={"report": Report()}))
    data["testbed"].pop("profile", None)
    if spec.lab.modules:
        data["lab"][MODULES] = [module_name(path) for path in spec.lab.modules]
    if is_file(spec.testbed.device):
        data["testbed"]["device"] = ""
    for program in data.get("program", ()):
        program["see"] = sorted(program["see"])  # the paths of the host are what their content is
    return data


def _stable(data: Mapping[str, Any]) -> str:
    return json.dumps(data, sort_keys=True)
