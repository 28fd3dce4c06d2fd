# SPDX-License-Identifier: GPL-2.0-or-later
"""``tsqlab run``: an experiment's cells, then its table and report; or all bundled ones."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

from tsqlab.cli.cells import debug_command
from tsqlab.cli.executors import start_of
from tsqlab.cli.kernels import kernel_for, module_for
from tsqlab.cli.progress import BatchProgress, RunProgress
from tsqlab.cli.report import RESULTS, show, show_all
from tsqlab.errors import TsqlabError, UsageError
from tsqlab.experiment.bundled import bundled_experiments
from tsqlab.experiment.further import with_further
from tsqlab.experiment.load import Experiment, load
from tsqlab.experiment.shard import WHOLE, Shard, with_shard
from tsqlab.experiment.stored import read_folder
from tsqlab.experiment.today import nothing_to_add, with_today
from tsqlab.report import make_report
from tsqlab.report.table import aligned
from tsqlab.report.unsettled import unsettled
from tsqlab.runner.batch import Account, prepare, run_batch
from tsqlab.runner.cell import CellError
from tsqlab.runner.executor import Start
from tsqlab.runner.experiment import jobs_of, run


def _own_folder(name: str, overrides: Sequence[str], shard: Shard = WHOLE) -> Path:
    """The default folder of a run. One with overrides has its own, so it replaces no other.

    Those of one shard are together in a folder, as tsqlab merge takes them.
    """
    text = ",".join([name, *overrides]).replace('"', "").replace("'", "")
    word = re.sub(r"[^\w.,=+-]+", "_", text)
    # A name of a file has 255 bytes at most, and the rest of a letter is not one.
    return _home(shard) / word.encode()[:200].decode(errors="ignore")


def _home(shard: Shard) -> Path:
    return RESULTS if shard.whole else RESULTS / f"shard-{shard.number}-of-{shard.of}"


def execute(options: argparse.Namespace) -> None:
    """Run what is asked for, and show what came of it."""
    if options.all == (options.experiment is not None):
        raise UsageError("give an experiment, or --all; tsqlab list names the bundled ones")
    if options.more_seeds and not options.shard.whole:
        raise UsageError(
            "--more-seeds asks the results of all shards; merge them, and give it to a run of the "
            "merged folder"
        )
    start = start_of(options.executor, options.jobs)
    overrides = list(options.overrides)
    overrides += [f"seed={options.seed}"] if options.seed is not None else []
    overrides += [f"kernel={json.dumps(options.kernel)}"] if options.kernel is not None else []
    overrides += [f"capture={options.capture}"] if options.capture is not None else []
    overrides += [f"trace={options.trace}"] if options.trace is not None else []
    if options.all:
        _run_all(options, overrides, start)
    else:
        experiment = load(options.experiment, overrides)
        out = options.out or _own_folder(experiment.name, overrides, options.shard)
        if options.shard.whole:
            run_shown(experiment, out, start, options.more_seeds, options.today)
        else:
            own = with_shard(_with_today(experiment, options.today), options.shard)
            _run_cells(own, out, start)
            print(_of_shard(options, sum(not cell.elsewhere for cell in own.cells)))


def run_shown(
    experiment: Experiment, out: Path, start: Start, more_seeds: int = 0, today: bool = False
) -> None:
    """Run an experiment with its progress shown, then show its results."""
    _run_cells(_with_today(experiment, today and not more_seeds), out, start)
    if more_seeds:
        more = _with_today(_with_more(experiment, out, more_seeds), today)
        if more is not experiment:
            _run_cells(more, out, start)
    show(out)


def _of_shard(options: argparse.Namespace, done: int) -> str:
    """What a shard's run says in place of a report, which is of all shards."""
    where = f"{RESULTS}/shard-*-of-{options.shard.of} --out {RESULTS}"
    return (
        f"shard {options.shard}: {done} cells are done; when all shards are: "
        f"tsqlab merge {'DIR... --out DIR' if options.out else where}"
    )


def _run_cells(experiment: Experiment, out: Path, start: Start) -> None:
    todo = jobs_of(experiment, out, kernel_for, module_for)
    with closing(RunProgress(partial(_hint, experiment))) as progress:
        run(experiment, todo, out, start, progress)


def _hint(experiment: Experiment, cell: str, error: TsqlabError) -> str | None:
    """How to look at a cell whose kernel has died: it does the same each time."""
    own = (one for one in experiment.cells if one.id == cell and not (one.further or one.today))
    if not isinstance(error, CellError) or not error.died or not any(own):
        return None
    return f"to see it die, in gdb and with lines: {debug_command(experiment, cell)}"


def _with_more(experiment: Experiment, out: Path, most: int) -> Experiment:
    """The experiment with further seeds where its verdicts are open, which it says."""
    wanted = unsettled(read_folder(out), most)
    if not wanted:
        return experiment
    more = with_further(experiment, wanted)
    further = len(more.cells) - len(experiment.cells)
    print(f"{experiment.name}: {further} cells of further seeds, as some verdicts are open")
    return more


def _with_today(experiment: Experiment, wanted: bool) -> Experiment:
    """The experiment with its cells once more over hosts of today, or why not, if *wanted*."""
    if not wanted:
        return experiment
    if why := nothing_to_add(experiment):
        print(f"{experiment.name}: nothing to add for --today: {why}")
    return with_today(experiment)


def _run_all(options: argparse.Namespace, overrides: Sequence[str], start: Start) -> None:
    def folder_of(name: str) -> Path:
        own = _own_folder(name, overrides, options.shard)
        return options.out / name if options.out else own

    def read(name: str, today: bool) -> Experiment:
        return with_shard(_with_today(load(name, overrides), today), options.shard)

    today = options.today and not options.more_seeds
    experiments = [(name, partial(read, name, today)) for name in bundled_experiments()]
    after = make_report if options.shard.whole else _no_report
    accounts = _run_each(experiments, folder_of, start, after)
    if options.more_seeds:
        further = list(_second_ones(options, experiments, folder_of, accounts))
        for name, account in _run_each(further, folder_of, start, after).items():
            accounts[name] = replace(account, wall_s=accounts[name].wall_s + account.wall_s)
    _finish(options, overrides, list(accounts.values()))


def _no_report(folder: Path) -> None:
    """A shard has none: its experiment's report is of all shards."""


Loads = Sequence[tuple[str, Callable[[], Experiment]]]


def _run_each(
    experiments: Loads,
    folder_of: Callable[[str], Path],
    start: Start,
    after: Callable[[Path], object],
) -> dict[str, Account]:
    """Run experiments, the shortest first; what became of each, by its name."""
    prepared = prepare(experiments, folder_of, kernel_for, module_for)
    accounts: dict[str, Account] = {}
    seconds = sum(entry.left_s for entry in prepared)
    with closing(BatchProgress(len(prepared), seconds)) as progress:
        for account in run_batch(
            prepared, start, lambda entry: progress.experiment(entry.name), after
        ):
            accounts[account.name] = account
            progress.line(_news(account, len(accounts), len(prepared)))
    return accounts


def _second_ones(
    options: argparse.Namespace,
    experiments: Loads,
    folder_of: Callable[[str], Path],
    accounts: Mapping[str, Account],
) -> Iterator[tuple[str, Callable[[], Experiment]]]:
    """What of the experiments that went well is to be run beyond their own cells."""
    for name, read in experiments:
        if not accounts[name].error:
            own = read()
            more = _with_more(own, folder_of(name), options.more_seeds)
            more = _with_today(more, options.today)
            if more is not own:
                yield name, partial(lambda one: one, more)


def _finish(
    options: argparse.Namespace, overrides: Sequence[str], accounts: Sequence[Account]
) -> None:
    """Say what was run, make the page of all, and raise TsqlabError if anything failed."""
    print(accounts_table(accounts))
    # A run with overrides and no --out has folders that are not named after experiments.
    if not options.shard.whole:
        print(_of_shard(options, sum(account.done for account in accounts)))
    elif options.out or not overrides:
        show_all(options.out or RESULTS, reports=False)
    failed = [account for account in accounts if account.error]
    if failed:
        names = ", ".join(account.name for account in failed)
        raise TsqlabError(
            f"{len(failed)} of {len(accounts)} experiments failed: {names}; "
            "the same command goes on from here"
        )


def _news(account: Account, number: int, of: int) -> str:
    outcome = f"failed: {account.error}" if account.error else f"{account.wall_s:.0f} s"
    return f"[{number}/{of}] {account.name}: {outcome}"


def accounts_table(accounts: Sequence[Account]) -> str:
    """Where the time went: a line per experiment, and the sum."""
    head = ["experiment", "cells", "simulated", "cells took", "speed", "this run"]
    units = ["", "", "s", "s", "s/s", "s"]
    rows = [_account_row(account) for account in [*accounts, _total(accounts)]]
    return "\n".join(aligned([head, units, *rows], left=1))


def _account_row(account: Account) -> list[str]:
    name = f"{account.name} (failed)" if account.error else account.name
    cells = (
        str(account.cells)
        if account.done == account.cells
        else f"{account.done} of {account.cells}"
    )
    speed = "-" if account.speed is None else f"{account.speed:.1f}"
    return [
        name, cells, f"{account.simulated_s:.0f}", f"{account.cells_wall_s:.0f}", speed,
        f"{account.wall_s:.0f}",
    ]  # fmt: skip


def _total(accounts: Sequence[Account]) -> Account:
    return Account(
        "all",
        sum(account.cells for account in accounts),
        sum(account.done for account in accounts),
        sum(account.simulated_s for account in accounts),
        sum(account.cells_wall_s for account in accounts),
        sum(account.wall_s for account in accounts),
    )
