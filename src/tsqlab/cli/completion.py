# SPDX-License-Identifier: GPL-2.0-or-later
"""What TAB offers, by argcomplete: the parser's own commands and options, and the names below.

The shell runs ``tsqlab`` at each TAB, so nothing here may load the schemas, which take half a
second. What they know of names is in words.txt; tools/words.py writes it.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import argcomplete
from argcomplete.completers import BaseCompleter, DirectoriesCompleter, FilesCompleter
from argcomplete.lexers import split_line

from tsqlab.experiment.bundled import bundled_claims, bundled_experiments, bundled_profiles
from tsqlab.experiment.look import ENGLISH, languages

WORDS = Path(__file__).parent / "words.txt"

Offered = Callable[[str], Iterable[str]]
"""What there is to offer, given what has been typed of the word."""


def words_typed() -> list[str]:
    """The words before the one that TAB stands in, without the program's own name."""
    line = os.environ["COMP_LINE"]
    point = len(line.encode()[: int(os.environ["COMP_POINT"])].decode(errors="ignore"))
    _, _, _, typed, _ = split_line(line, point)
    return typed[1:]


def complete(parser: argparse.ArgumentParser) -> None:
    """Print what TAB offers, and end the process."""
    _attach(parser)
    argcomplete.autocomplete(parser, always_complete_options=False)


def _attach(parser: argparse.ArgumentParser) -> None:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                _attach(command)
        elif completer := _completer(parser.prog, action):
            action.completer = completer  # type: ignore[attr-defined]  # as argcomplete has it


def _completer(prog: str, action: argparse.Action) -> BaseCompleter | None:
    key = action.option_strings[-1] if action.option_strings else action.dest
    command = prog.partition(" ")[2]
    offered = _BY_ARGUMENT.get((command, key)) or _BY_ARGUMENT.get(("", key))
    if offered:
        return _Offer(offered)
    if action.metavar == "DIR":
        return DirectoriesCompleter()
    return None


class _Offer(BaseCompleter):
    """The words of a function, as argcomplete asks for them."""

    def __init__(self, offered: Offered) -> None:
        self.offered = offered

    def __call__(
        self,
        *,
        prefix: str,
        action: argparse.Action,  # noqa: ARG002
        parser: argparse.ArgumentParser,  # noqa: ARG002
        parsed_args: argparse.Namespace,  # noqa: ARG002
    ) -> list[str]:
        return [word for word in self.offered(prefix) if word.startswith(prefix)]


def _files(prefix: str) -> Iterable[str]:
    return FilesCompleter(["toml"])(prefix)


def _experiments(prefix: str) -> Iterable[str]:
    yield from bundled_experiments()
    yield from _files(prefix)


def _profiles(prefix: str) -> Iterable[str]:
    yield from bundled_profiles()
    yield from _files(prefix)


def _kernels(_prefix: str) -> Iterable[str]:
    from tsqlab.kernels.names import named, taken_back  # noqa: PLC0415
    from tsqlab.kernels.source import versions  # noqa: PLC0415

    return [*versions(), *taken_back(), *named()]


def claim_names() -> list[str]:
    """The names of all claims: their tables' headers, since to read the files takes too long."""
    texts = (path.read_text("utf-8") for path in bundled_claims().values())
    return [name for text in texts for name in re.findall(r"^\[([\w.-]+)\]", text, re.MULTILINE)]


def _explained(_prefix: str) -> Iterable[str]:
    return [*claim_names(), *bundled_experiments(), *_words()["cause"]]


def _listed(prefix: str) -> Iterable[str]:
    return [*_experiments(prefix), *bundled_profiles(), *_kernels(prefix), *_words()["era"]]


def _settings(prefix: str) -> Iterable[str]:
    """Keys, and after an equals sign the values that there are names for."""
    key, equals, _ = prefix.partition("=")
    if not equals:
        return _words()["key"]
    values = _VALUES.get(key.rpartition(".")[2], lambda: _words().get(f"value.{key}", []))
    return [f"{key}={value}" for value in values()]


def _columns(prefix: str) -> Iterable[str]:
    """Metrics, after those that are there already."""
    before = prefix.rpartition(",")[0]
    return [f"{before},{name}" if before else name for name in _words()["metric"]]


def _words() -> Mapping[str, list[str]]:
    """The names of words.txt, by their kind."""
    lines = (line.split() for line in WORDS.read_text("utf-8").splitlines())
    return {kind: names for kind, *names in lines if kind != "#"}


_VALUES: Mapping[str, Callable[[], Iterable[str]]] = {
    "device": bundled_profiles,
    "kernel": lambda: _kernels(""),
}

_BY_ARGUMENT: Mapping[tuple[str, str], Offered] = {
    ("", "experiment"): _experiments,
    ("", "--set"): _settings,
    ("", "--kernel"): _kernels,
    ("", "--columns"): _columns,
    ("", "--language"): lambda _: [ENGLISH, *languages()],
    ("tune", "profile"): _profiles,
    ("list", "name"): _listed,
    ("explain", "name"): _explained,
}
"""What is offered, by the command and the argument; of no command: of any."""
