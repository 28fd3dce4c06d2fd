# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes src/tsqlab/cli/words.txt: the names that TAB offers and that the schemas know.

    .venv/bin/python tools/words.py

tests/unit/cli/test_completion.py fails when the file is not what this would write.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal, get_args, get_origin

from tsqlab.cli.completion import WORDS
from tsqlab.experiment.causes import causes
from tsqlab.experiment.era import ERAS
from tsqlab.experiment.flows import TESTS
from tsqlab.experiment.handles import keys_of
from tsqlab.experiment.spec import QDISCS, TABLES, full_key
from tsqlab.metrics.ecn import ECN
from tsqlab.metrics.summarise import DIRECTED
from tsqlab.results.summary import METRICS

_HEAD = """\
# What TAB offers, a kind and its names a line. tools/words.py writes this, as to load the schemas
# that know it takes half a second.
"""
_CHOSEN = {
    "era": ERAS,
    "qdisc": QDISCS,
    "test": TESTS,
    "tsq": ("TSQ", "CoTSQ", "NoTSQ"),
}
"""Names of values, where a key's type does not have them."""


def words() -> str:
    """The file's text."""
    fields = {
        key: field
        for model in TABLES.values()
        for key, field in zip(keys_of(model), model.model_fields.values(), strict=True)
    }
    lines = {
        "cause": causes(),
        "era": ERAS,
        "key": [f"{key}." if _is_table(key) else f"{key}=" for key in fields],
        "metric": (*METRICS, *DIRECTED, *ECN),
    }  # fmt: skip
    for key, field in fields.items():
        if _is_table(key):
            continue
        if values := _CHOSEN.get(key) or list(_literals(field.annotation)):
            lines[f"value.{key}"] = values
    return _HEAD + "".join(f"{kind} {' '.join(names)}\n" for kind, names in lines.items())


def _is_table(key: str) -> bool:
    """Whether further keys follow it, with dots between."""
    return full_key(f"{key}.x") is not None


def _literals(kind: Any) -> Iterator[str]:
    if get_origin(kind) is Literal:
        yield from (text for text in get_args(kind) if isinstance(text, str))
    elif kind is bool:
        yield from ("true", "false")
    else:
        parts: Iterable[Any] = get_args(kind)
        for part in parts:
            yield from _literals(part)


if __name__ == "__main__":
    WORDS.write_text(words(), "utf-8")
