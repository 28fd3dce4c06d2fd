# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes docs/man/tsqlab.1, the manual page, out of what each command says with --help.

    .venv/bin/python tools/manual.py

The help is the one owner of what a command takes: only what no command says is here.
tests/unit/tools/test_manual.py fails when the page is not what this would write.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import textwrap
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from unittest import mock

from tsqlab import __version__, cli

PAGE = Path(__file__).resolve().parent.parent / "docs" / "man" / "tsqlab.1"

_TITLE = re.compile(r"^\.TH TSQLAB 1 (\S+) .*$", re.MULTILINE)

_DESCRIPTION = (
    "tsqlab runs experiments, files of TOML, cell by cell: each cell boots a Linux kernel as a "
    "process whose clock is virtual, over modelled radios and wires, and leaves what was measured "
    "in a folder. The same cell gives the same bytes in each run. An experiment is one that comes "
    "with tsqlab, by its name, which tsqlab list prints, or a file, by a name that has a slash or "
    "ends in .toml."
)

_FILES = (
    ("results/NAME", "what a run leaves: report.html, summary.csv, and a .flent.gz for each cell"),
    ("~/.cache/tsqlab", "built kernels, modules and sources; or in $XDG_CACHE_HOME"),
)
_ENVIRONMENT = (("TSQLAB_CACHE", "the folder of built kernels, in place of ~/.cache/tsqlab"),)
_EXAMPLES = (
    ("tsqlab run cotsq-3 --seed 1", "one seed of a bundled experiment"),
    ("tsqlab explain cotsq-3a-goodput", "what a paper claims, and what the lab says of it"),
    ("tsqlab new mine && tsqlab run mine.toml", "an experiment of your own"),
)

_WIDE = "100000"  # columns: a help whose lines do not break is easy to read


def page(date: str) -> str:
    """The page of that date."""
    return "\n".join(_lines(date)) + "\n"


def date_of(text: str) -> str:
    """The date that a page says. Raises ValueError if it is none."""
    if not (title := _TITLE.search(text)):
        raise ValueError("no line .TH of tsqlab")
    return title[1]


def _lines(date: str) -> Iterator[str]:
    whole = _help(())
    yield '.\\" SPDX-License-Identifier: GPL-2.0-or-later'
    yield ".\\\" The manual page of tsqlab: tools/manual.py writes it out of the commands' help."
    yield f'.TH TSQLAB 1 {date} "tsqlab {__version__}" "User commands"'
    yield from (".SH NAME", f"tsqlab \\- {_roff(_paragraph(whole).rstrip('.'))}")
    yield from (".SH SYNOPSIS", ".B tsqlab", ".I COMMAND", "[options]")
    yield from (".SH DESCRIPTION", _text(_DESCRIPTION), ".SH COMMANDS")
    yield "Each has"
    yield from ('.BR \\-h ", " \\-\\-help ,', "which prints what stands here.")
    for name, said in _entries(whole, of_commands=True):
        yield from _command((name,), said)
    yield from (".SH OPTIONS", *_tagged(_entries(whole)))
    yield from (".SH FILES", *_tagged(_FILES), ".SH ENVIRONMENT", *_tagged(_ENVIRONMENT))
    yield from (".SH EXIT STATUS", _text(_status()), ".SH EXAMPLES")
    for command, said in _EXAMPLES:
        yield from (".TP", f".B {_roff(command)}", _text(said))
    yield from (".SH SEE ALSO", ".BR flent (1),", ".BR tc (8),", ".BR tsq (8),", ".BR wqm (8)")


def _command(words: Sequence[str], said: str) -> Iterator[str]:
    """A command's section, and after it those of what it divides into."""
    text = _help(words)
    usage = re.search(r"^usage: (.*)$", text, re.MULTILINE)
    assert usage, "argparse prints it first"
    yield from (f".SS {_roff(' '.join(words))}", _text(f"{said[:1].upper()}{said[1:]}."))
    yield from (".PP", f".B {_roff(usage[1].replace(' [-h]', ''))}")
    yield from _tagged(_entries(text))
    for name, said_of_it in _entries(text, of_commands=True):
        yield from _command((*words, name), said_of_it)


def _help(words: Sequence[str]) -> str:
    """What a command says with --help."""
    shown = io.StringIO()
    with (
        mock.patch.dict(os.environ, {"COLUMNS": _WIDE}),
        contextlib.redirect_stdout(shown),
        contextlib.suppress(SystemExit),
    ):
        cli.main([*words, "--help"])
    return shown.getvalue()


def _paragraph(text: str) -> str:
    """The description, which stands between the usage and the first list."""
    return text.split("\n\n")[1].strip()


def _entries(text: str, *, of_commands: bool = False) -> Iterator[tuple[str, str]]:
    """What a help lists: arguments, or commands, which stand two columns further in."""
    indent = 4 if of_commands else 2
    names: list[str] = []
    depth = 0  # of the name that a further line belongs to
    for line in text.splitlines():
        here = len(line) - len(line.lstrip())
        if 0 < here <= _NAMES_UNTIL:
            depth = here
        if here == indent:
            name, _, said = line.strip().partition("  ")
            names.append(f"{name}\0{said.strip()}")
        elif here > _NAMES_UNTIL and depth == indent:  # its name is too long to have it beside it
            names[-1] += line.strip()
    for entry in names:
        name, _, said = entry.partition("\0")
        if name != "-h, --help" and (said or not _is_metavar(name, text)):
            yield name, said


_NAMES_UNTIL = 8  # columns; what a name's help says stands further in


def _is_metavar(name: str, text: str) -> bool:
    """Whether it only heads a list of commands."""
    return f"\n  {name}\n    " in text


def _tagged(entries: Sequence[tuple[str, str]] | Iterator[tuple[str, str]]) -> Iterator[str]:
    for name, said in entries:
        yield from (".TP", f".B {_roff(name)}")
        yield _text(said) if said else "\\&"


def _status() -> str:
    """What the command line's own docstring says of the exit status."""
    return " ".join((cli.__doc__ or "").split("\n\n")[1].split())


def _text(text: str) -> str:
    """Text lines: one that begins as a request does is none."""
    lines = textwrap.wrap(text, _COLUMNS, break_long_words=False, break_on_hyphens=False)
    return "\n".join(f"\\&{_roff(line)}" if line.startswith((".", "'")) else _roff(line)
                     for line in lines)  # fmt: skip


_COLUMNS = 70  # of source: what stands for a letter takes up to four


def _roff(text: str) -> str:
    """Words that stand for themselves in roff."""
    return text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace('"', "\\(dq")


def main() -> None:
    """Write the page; the date is today's if anything else has changed."""
    before = PAGE.read_text("utf-8") if PAGE.exists() else ""
    old = date_of(before) if before else ""
    if not old or page(old) != before:
        PAGE.parent.mkdir(exist_ok=True)
        PAGE.write_text(page(f"{datetime.now(UTC):%Y-%m-%d}"), "utf-8")


if __name__ == "__main__":
    main()
