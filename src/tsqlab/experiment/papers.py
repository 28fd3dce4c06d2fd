# SPDX-License-Identifier: GPL-2.0-or-later
"""The papers that the experiments come from: experiments/papers.toml, read."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from tsqlab.experiment.named import read_named
from tsqlab.paths import PAPERS


class Paper(BaseModel):
    """A paper. What is empty nobody has looked up."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["article", "inproceedings", "misc"] = "misc"  # as BibTeX calls it
    title: str
    subtitle: str = ""
    authors: tuple[str, ...] = ()
    venue: str = ""
    volume: str = ""
    pages: str = ""
    year: int | None = None
    doi: str = ""
    url: str = ""

    @property
    def whole_title(self) -> str:
        """The title with its subtitle."""
        return f"{self.title}: {self.subtitle}" if self.subtitle else self.title

    @property
    def citation(self) -> str:
        """The paper as a list of references has it, as far as it is known."""
        where = [self.venue, f"vol. {self.volume}" if self.volume else "",
                 f"pp. {self.pages}" if self.pages else "",
                 str(self.year or ""), f"doi:{self.doi}" if self.doi else "", self.url]  # fmt: skip
        parts = [", ".join(self.authors), self.whole_title, ", ".join(filter(None, where))]
        return ". ".join(filter(None, parts)) + "."

    def bibtex(self, key: str) -> str:
        """The paper as an entry of BibTeX, as far as it is known."""
        venue = {"article": "journal", "inproceedings": "booktitle"}.get(self.kind, "howpublished")
        fields = {
            "author": " and ".join(self.authors), "title": f"{{{self.whole_title}}}",
            venue: self.venue, "volume": self.volume, "pages": self.pages.replace("-", "--"),
            "year": str(self.year or ""), "doi": self.doi, "url": self.url,
        }  # fmt: skip
        lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
        return "\n".join([f"@{self.kind}{{{key},", *lines, "}"])


@functools.cache
def papers() -> Mapping[str, Paper]:
    """The papers by their short names, in the order of their pages. Raises FileError."""
    return read_papers(PAPERS)


_OWN = ("tsqlab", "gallery", "stock-knobs")  # the lab's own experiments, which no paper describes


def cited() -> dict[str, Paper]:
    """The papers that somebody else wrote. Raises FileError."""
    return {name: paper for name, paper in papers().items() if name not in _OWN}


def read_papers(path: Path) -> dict[str, Paper]:
    """The papers of a file, in its order. Raises FileError."""
    return read_named(path, Paper)
