# SPDX-License-Identifier: GPL-2.0-or-later
"""``tsqlab list``: experiments, device profiles, kernels, eras, papers; or one of them."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from tsqlab import __version__
from tsqlab.cli.columns import in_columns
from tsqlab.experiment.bundled import (
    bundled_experiments,
    bundled_profiles,
    outline_of,
    title_of,
)
from tsqlab.experiment.era import ERAS
from tsqlab.experiment.toml import read_toml
from tsqlab.kernels.names import named, taken_back
from tsqlab.kernels.source import subject_of, versions
from tsqlab.paths import PAPERS


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument(
        "name", nargs="?", help="show this one: what is in it, and where its numbers come from"
    )
    parser.add_argument(
        "--bibtex", action="store_true", help="the papers, and tsqlab, as entries of BibTeX"
    )
    parser.set_defaults(command=_list)


def _list(options: argparse.Namespace) -> None:
    if options.name is not None:
        # pydantic takes half a second, which a list need not wait for.
        from tsqlab.cli.details import details_of  # noqa: PLC0415

        print(details_of(options.name))
        return
    if options.bibtex:
        _bibtex()
        return
    print("experiments")
    for name, path in bundled_experiments().items():
        outline = outline_of(path)
        print(f"  {name:22} {outline.title} ({outline.cells} cells)")
    print("device profiles")
    for name, path in bundled_profiles().items():
        print(f"  {name:22} {title_of(path)}")
    print("kernels")
    for line in in_columns(_kernels()):
        print(f"  {line}")
    print("eras")
    for name, era in ERAS.items():
        print(f"  {name:22} {era.title}")
    print("papers")
    # pydantic takes a third of a second, which is what a list takes at most. What has a title alone
    # is the lab's own.
    for name, paper in read_toml(PAPERS).tables.items():
        year = f" ({paper.get('year', 'no year known')})" if len(paper) > 1 else ""
        print(f"  {name:22} {paper['title']}{year}")


def _kernels() -> Iterator[tuple[str, str]]:
    """Each by its name, and what it is."""
    for version in versions():
        yield version, f"Debian's linux-source-{version} with kernel/patches/{version}"
    for name, patch in taken_back().items():
        yield name, subject_of(patch)
    for name, recipe in named().items():
        yield name, f"yours, of {recipe.source or recipe.version}"


def _bibtex() -> None:
    from tsqlab.experiment.papers import cited  # noqa: PLC0415

    own = ("@software{tsqlab,", "  author = {{The tsqlab maintainers}},", "  title = {{tsqlab}},",
           f"  version = {{{__version__}}},", "}")  # fmt: skip
    print("\n\n".join([*(paper.bibtex(name) for name, paper in cited().items()), "\n".join(own)]))
