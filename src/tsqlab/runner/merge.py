# SPDX-License-Identifier: GPL-2.0-or-later
"""Folders of one experiment become one: the shards of a run, wherever each has run.

Each folder's manifest lists all cells of the experiment with the key of each, whichever shard it
ran. So whether folders belong together is seen without the experiment's file: they have the same
cells in the same order, of the same keys. What is done in any of them is copied, and what is then
there is what one run would have left, to the byte but for the real time that cells took.

The folder that is merged into may have been there before, and then counts as one of them. The
manifest is written last: a merge that is interrupted is done again.
"""

from __future__ import annotations

import filecmp
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tsqlab.errors import FileError, TsqlabError, UsageError
from tsqlab.experiment.shard import dealt, shard_of
from tsqlab.results.files import copy_whole, is_regular, make_folder
from tsqlab.results.folder import (
    MANIFEST,
    PCAPS,
    PROGRAMS,
    TRACES,
    Manifest,
    ManifestCell,
    read_manifest,
    write_manifest,
)
from tsqlab.runner.folder import LOGS, locked

_NAMED_MAX = 4  # so many cells, shards or programs an error names


@dataclass(frozen=True)
class Merged:
    """What a merge has put together."""

    folder: Path
    cells: int
    done: int
    again: int  # the cells that several folders had, the same bytes
    missing: str  # which shards the cells are of that nobody has run, as far as that is known

    @property
    def whole(self) -> bool:
        """Whether all cells are there."""
        return self.done == self.cells


@dataclass(frozen=True)
class _Source:
    """A folder that is read."""

    path: Path
    manifest: Manifest

    def files(self, cell: ManifestCell) -> dict[str, Path]:
        """All that a cell that is done has left, its result last, by names below a folder."""
        of = {PCAPS: list(cell.pcaps.values()), TRACES: [cell.trace] if cell.trace else [],
              PROGRAMS: [name for names in cell.programs.values() for name in names]}  # fmt: skip
        names = [f"{folder}/{name}" for folder, inside in of.items() for name in inside]
        return {name: self.path / name for name in (*names, _result(cell))}


def experiments_in(folders: Sequence[Path]) -> dict[str, list[Path]]:
    """The folders of each experiment, by their names: those given, or in those given.

    The name is empty if the folders that are given are themselves of one. Raises UsageError.
    """
    direct = [path for path in folders if (path / MANIFEST).exists()]
    if len(direct) == len(folders):
        return {"": direct}
    found: dict[str, list[Path]] = {}
    for path in folders:
        inside = sorted(path.glob(f"*/{MANIFEST}")) if path not in direct else []
        if not inside:
            why = "is itself one that tsqlab run wrote, and others hold such" if path in direct \
                else "has no results; give the folders that tsqlab run --shard wrote"  # fmt: skip
            raise UsageError(f"{path}: {why}")
        for manifest in inside:
            found.setdefault(manifest.parent.name, []).append(manifest.parent)
    return dict(sorted(found.items()))


def merge(folders: Sequence[Path], out: Path) -> Merged:
    """Put what is done in *folders* into *out*. Raises TsqlabError; no result is written then.

    UsageError is for folders that do not belong together.
    """
    with locked(out):
        sources = [_Source(path, read_manifest(path)) for path in _distinct(folders, out)]
        first = sources[0]
        for other in sources[1:]:
            _check_same(first, other)
        rows = list(zip(*(source.manifest.cells for source in sources), strict=True))
        had = [[source for source, cell in zip(sources, row, strict=True) if cell.done]
               for row in rows]  # fmt: skip
        _check_files(rows, had)
        cells = [_merged(row, done, out) for row, done in zip(rows, had, strict=True)]
        _keep_logs(sources, cells, out)
        update = {"cells": cells, "shard": ""}
        write_manifest(out, first.manifest.model_copy(update=update))
    waiting = [cell.id for cell in cells if not cell.done]
    return Merged(
        out, len(cells), len(cells) - len(waiting), sum(len(done) > 1 for done in had),
        _shards_of(sources, waiting),
    )  # fmt: skip


def _distinct(folders: Sequence[Path], out: Path) -> list[Path]:
    """The folders, each once, and first what is there of the one that they are merged into."""
    found: dict[Path, Path] = {}
    for path in [out, *folders] if (out / MANIFEST).exists() else folders:
        found.setdefault(path.resolve(), path)
    return list(found.values())


def _result(cell: ManifestCell) -> str:
    return f"{cell.id}.flent.gz"


def _check_same(one: _Source, other: _Source) -> None:
    """Raise UsageError unless both folders are of the same cells, by the same keys."""
    both, mine, theirs = f"{one.path} and {other.path}", one.manifest, other.manifest
    if mine.experiment != theirs.experiment:
        names = f'"{mine.experiment}" and "{theirs.experiment}"'
        raise UsageError(f"{both}: are of the experiments {names}; merge those of one")
    if mine.tsqlab != theirs.tsqlab:
        versions = f"{mine.tsqlab or 'an older one'} and {theirs.tsqlab or 'an older one'}"
        raise UsageError(
            f"{both}: were run by the versions {versions} of tsqlab, whose results may differ; "
            "run the shards by one version"
        )
    ids = [[cell.id for cell in manifest.cells] for manifest in (mine, theirs)]
    if ids[0] != ids[1]:
        only = sorted({*ids[0]} ^ {*ids[1]})
        what = f"only one has {_some(only)}" if only else "the cells are in another order"
        raise UsageError(
            f"{both}: are of other cells ({what}); run all shards of one file with the same options"
        )
    keys = zip(mine.cells, theirs.cells, strict=True)
    differ = [cell.id for cell, twin in keys if cell.key != twin.key]
    if differ:
        raise UsageError(
            f"{both}: {len(differ)} of {len(ids[0])} cells ({_some(differ)}) are of other keys: "
            f"{_why(mine, theirs)}; one run is of one"
        )


def _why(mine: Manifest, theirs: Manifest) -> str:
    """What of two manifests has the keys of their cells differ."""
    kernels = [{kernel.name: f"{kernel.release} ({kernel.id})" for kernel in manifest.kernels}
               for manifest in (mine, theirs)]  # fmt: skip
    for name in kernels[0].keys() & kernels[1].keys():
        if kernels[0][name] != kernels[1][name]:
            return f'the kernel "{name}" was {kernels[0][name]} and {kernels[1][name]}'
    names = sorted(mine.host.keys() | theirs.host.keys())
    if differ := [name for name in names if mine.host.get(name) != theirs.host.get(name)]:
        return f"the hosts' packages differ ({_some(differ)})"
    return "the specification, a device's profile or a module differs"


def _some(names: Sequence[str]) -> str:
    more = len(names) - _NAMED_MAX
    return ", ".join(names[:_NAMED_MAX]) + (f" and {more} more" if more > 0 else "")


def _check_files(rows: Sequence[Sequence[ManifestCell]], had: Sequence[Sequence[_Source]]) -> None:
    """Raise TsqlabError unless all files are there, and those that several have are the same."""
    for row, sources in zip(rows, had, strict=True):
        cell = row[0]
        for source in sources:
            for name, path in source.files(cell).items():
                if ("/" in name and path.parent.is_symlink()) or not is_regular(path):
                    raise FileError(path, f"expected a regular file, which {MANIFEST} names")
        results = [source.path / _result(cell) for source in sources]
        for other in results[1:]:
            if not filecmp.cmp(results[0], other, shallow=False):
                raise TsqlabError(
                    f"{results[0]} and {other} have one key and differ: a cell gives the same "
                    "bytes wherever it is run, so one of them is damaged; remove it, and run its "
                    "shard again"
                )


def _merged(row: Sequence[ManifestCell], had: Sequence[_Source], out: Path) -> ManifestCell:
    """A cell's row, whose files are copied unless they are in *out* already."""
    done = [cell for cell in row if cell.done]
    if done and had[0].path != out:
        for name, path in had[0].files(done[0]).items():
            _copy(path, out / name)
    return done[0] if done else row[0]


def _keep_logs(sources: Sequence[_Source], cells: Sequence[ManifestCell], out: Path) -> None:
    """Copy the consoles of cells that failed."""
    make_folder(out / LOGS)
    for cell in cells:
        logs = [source.path / LOGS / f"{cell.id}.log" for source in sources if not cell.done]
        for log in logs:
            if is_regular(log) and not log.parent.is_symlink() and log.parent != out / LOGS:
                _copy(log, out / LOGS / log.name)


def _copy(path: Path, to: Path) -> None:
    make_folder(to.parent)
    copy_whole(path, to)


def _shards_of(sources: Sequence[_Source], waiting: Sequence[str]) -> str:
    """Of which shards the cells are that nobody has run; empty if the folders are of none."""
    for manifest in (source.manifest for source in sources if waiting):
        with suppress(ValueError):
            of = shard_of(manifest.shard).of
            number_of = dealt(manifest.experiment, (cell.id for cell in manifest.cells), of)
            numbers = sorted({number_of[name] for name in waiting})
            return _some([f"{number}/{of}" for number in numbers])
    return ""
