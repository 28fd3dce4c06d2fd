# SPDX-License-Identifier: GPL-2.0-or-later
"""Several folders of results as one: their cells side by side, told apart by a factor, "run".

What varies in one folder only has its one value in the others, out of their specifications, so
that equal settings are equal. Cells are not copied: the page of the whole links to where they are.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tsqlab.errors import UsageError
from tsqlab.experiment.spec import full_key
from tsqlab.experiment.stored import Folder, Result, read_folder
from tsqlab.report.table import COLUMNS, known
from tsqlab.results.folder import MANIFEST, Manifest, ManifestCell
from tsqlab.results.record import Level
from tsqlab.results.repetitions import NOTHING

RUN = "run"
"""The factor that tells the folders apart."""


def read_combined(paths: Sequence[Path], out: Path) -> Folder:
    """Read several folders, as one at *out*. Raises UsageError when nothing can be compared."""
    if len({path.resolve() for path in paths}) < len(paths):
        raise UsageError("the same folder twice; give others to compare")
    if (out / MANIFEST).exists():
        raise UsageError(f"{out}: holds results of its own; choose another folder with --out")
    folders = [read_folder(path).whole for path in paths]
    _check(folders)
    names = run_names(paths)
    titles = dict.fromkeys(folder.manifest.title for folder in folders)
    factors = _merged([result.factors for folder in folders for result in folder.results[:1]])
    results = [
        _moved(result, name, folder, factors, out)
        for name, folder in zip(names, folders, strict=True)
        for result in folder.results
    ]
    first = folders[0].manifest
    manifest = Manifest(
        experiment=" + ".join(names),
        title="; ".join(titles),
        plots=list(dict.fromkeys(plot for folder in folders for plot in folder.manifest.plots)),
        latency=first.latency,
        columns=first.columns,
        look=first.look,
        factors=[RUN, *factors],
        kernels=list({kernel.id: kernel for folder in folders
                      for kernel in folder.manifest.kernels}.values()),
        cells=[ManifestCell(id=result.id, factors=dict(result.factors), state="done")
               for result in results],
    )  # fmt: skip
    return Folder(out, manifest, tuple(results))


def _merged(orders: Iterable[Iterable[str]]) -> list[str]:
    """All names in one order that agrees with each: a new one stands before what follows it."""
    merged: list[str] = []
    for order in orders:
        names = list(order)
        for place, name in enumerate(names):
            if name not in merged:
                after = next((other for other in names[place:] if other in merged), None)
                merged.insert(len(merged) if after is None else merged.index(after), name)
    return merged


def run_names(paths: Sequence[Path]) -> list[str]:
    """A name for each folder: as many of the last parts of its path as tell it from the others."""
    parts = [path.resolve().parts for path in paths]
    for count in range(1, max(map(len, parts)) + 1):
        names = ["/".join(part[-count:]) for part in parts]
        if len(set(names)) == len(names):
            return names
    raise UsageError("the same folder twice; give others to compare")


def _check(folders: Sequence[Folder]) -> None:
    """Whether there is a number that all of them have. Raises UsageError."""
    for folder in folders:
        if not folder.results:
            raise UsageError(f"{folder.path}: no cell of it is done, so nothing can be compared")
    have = {folder.path: known(folder.results, COLUMNS) for folder in folders}
    if not set.intersection(*map(set, have.values())):
        said = "; ".join(f"{path} has {', '.join(names) or 'none'}" for path, names in have.items())
        raise UsageError(f"nothing can be compared: of the table's metrics, {said}")


def _moved(result: Result, name: str, folder: Folder, factors: Iterable[str], out: Path) -> Result:
    """A cell as one of the whole."""
    own: dict[str, Level] = {}
    for factor in factors:
        level = _level(result, factor)
        own[factor] = NOTHING if level is None else level
    file = os.path.relpath(folder.path.resolve() / result.file, out.resolve())
    return replace(result, id=f"{name.replace('/', '+')}: {result.id}",
                   factors={RUN: name, **own}, file=file)  # fmt: skip


def _level(result: Result, factor: str) -> Level | None:
    """The level of a factor, be it that it varies or that the specification has it once."""
    if factor in result.factors or result.spec is None:
        return result.factors.get(factor)
    value: object = result.spec
    for part in (full_key(factor) or factor).split("."):
        value = value.get(part) if isinstance(value, Mapping) else getattr(value, part, None)
    # Other values have several ways to be written, and a level is a text of a file.
    return value if type(value) in (str, int, float) else None  # type: ignore[return-value]
