# SPDX-License-Identifier: GPL-2.0-or-later
"""Fragments of a kernel's configuration that a user writes, on top of the lab's.

Kconfig drops in silence what it does not know and what lacks a dependency. An option that was asked
for and is not there afterwards is an error, which says where it was asked for and, as far as the
tree's Kconfig files tell, why it was not granted.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path

from tsqlab.errors import FileError, TsqlabError, one_line
from tsqlab.kernels.config import NotGrantedError
from tsqlab.results.files import read_regular

BYTES_MAX = 1 << 20

_SET = re.compile(r"(CONFIG_\w+)=(\"[ !#-~]*\"|[!#-~]+)", re.ASCII)
_UNSET = re.compile(r"# (CONFIG_\w+) is not set", re.ASCII)
_DECLARED = re.compile(r"\s*(?:menu)?config\s+(\w+)\s*(?:#.*)?", re.ASCII)
_HZ = "CONFIG_HZ"


@dataclass(frozen=True)
class Asked:
    """An option that a fragment asks for."""

    name: str  # "CONFIG_NET_SCH_TEQL"
    value: str
    place: str  # the file and the line


def read_fragments(paths: Iterable[Path]) -> tuple[Asked, ...]:
    """What all of *paths* ask for, in their order. Raises FileError."""
    return tuple(asked for path in paths for asked in _read(path))


def _read(path: Path) -> Iterator[Asked]:
    try:
        lines = read_regular(path, BYTES_MAX).decode().splitlines()
    except UnicodeDecodeError:
        raise FileError(path, "cannot be read: not UTF-8") from None
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or error
        raise FileError(path, f"cannot be read: {said}") from None
    for number, text in enumerate(lines, 1):
        line = text.strip()
        option = _SET.fullmatch(line) or _UNSET.fullmatch(line)
        if option is None:
            if line and not line.startswith("#"):
                found = one_line(line[:60])
                raise FileError(path, f'expected CONFIG_NAME=y, not "{found}"', number)
            continue
        name, value = option[1], option[2] if option.re is _SET else "n"
        if value == "m":
            raise FileError(path, f"{name}: no module of the tree is in a guest; write =y", number)
        if name == _HZ or name.startswith(f"{_HZ}_"):
            raise FileError(path, f"{name}: tsqlab kernel build --hz says it", number)
        yield Asked(name, value, f"{path}:{number}")


def text_of(asked: Iterable[Asked]) -> str:
    """What is asked for, as a fragment."""
    return "".join(f"{option.name}={option.value}\n" for option in asked)


def explained(error: NotGrantedError, asked: Sequence[Asked]) -> TsqlabError:
    """Which options were not granted, each with where it was asked for and why not."""
    places = {option.name: option.place for option in asked}
    own = [name for name in error.missing if name in places]
    options = _options(error.tree)
    lines = [
        f"{places[name]}: {name}={error.missing[name]} does not take: "
        f"{_why(name.removeprefix('CONFIG_'), options, error.config)}"
        for name in own
    ]
    others = [f"{name}={value}" for name, value in error.missing.items() if name not in places]
    if others:
        lines.append(f"the lab needs {', '.join(others)}, which these fragments take away")
    return TsqlabError("\n".join(lines))


def _why(name: str, options: Mapping[str, _Option], config: Mapping[str, str]) -> str:
    option = options.get(name)
    if option is None:
        near = get_close_matches(name, options, n=1, cutoff=0.85)
        return "this kernel has no such option" + (
            f'; did you mean "CONFIG_{near[0]}"?' if near else ""
        )
    needed = [text for text in (_lacking(depends, config) for depends in option.depends) if text]
    if not option.prompt:
        needed.append("another option that selects it, since it is not to be chosen by itself")
    need = f"it needs {'; '.join(needed)}" if needed else "another option excludes it, or its menu"
    return f"{need} ({option.place})"


def _lacking(depends: str, config: Mapping[str, str]) -> str:
    """What an option depends on, with what of it is not so; empty if all of it is."""
    words = dict.fromkeys(re.findall(r"(!?)\b([A-Z0-9_]{2,})\b", depends))
    wrong = [
        f"{name} is {'set' if negated else 'not set'}"
        for negated, name in words
        if (config.get(f"CONFIG_{name}", "n") == "n") != bool(negated)
    ]
    return f"{depends} ({', '.join(wrong)})" if wrong else ""


@dataclass
class _Option:
    """An option as Kconfig files declare it."""

    place: str
    depends: list[str] = field(default_factory=list)
    prompt: bool = False


_BEGINS = re.compile(r"\s*(?:menu|choice)\b")
_IF = re.compile(r"\s*if\s+(.*)")
_ENDS = re.compile(r"\s*(?:endmenu|endchoice|endif)\b")
_ALONE = re.compile(r"\s*(?:comment|source)\b")
_PROMPT = re.compile(r'\s*(?:(?:def_)?(?:bool|tristate|string|int|hex)\s+["\']|prompt\b)')
_DEPENDS = re.compile(r"\s*depends\s+on\s+(.*)")
_CONTINUED = re.compile(r"(?:.*\\\n)+.*")


def _on_one_line(match: re.Match[str]) -> str:
    """A line that others continue, and empty ones in their place."""
    return match[0].replace("\\\n", " ") + "\n" * match[0].count("\n")


def _options(tree: Path) -> dict[str, _Option]:
    """The options of a tree, but for those of foreign architectures."""
    found: dict[str, _Option] = {}
    for path in _kconfig_files(tree):
        text = _CONTINUED.sub(_on_one_line, path.read_text("utf-8", "replace"))
        _read_options(text.splitlines(), str(path.relative_to(tree)), found)
    return found


def _read_options(lines: Sequence[str], file: str, found: dict[str, _Option]) -> None:
    """Those of a file. What a menu, a choice or an if around them needs, they need, too."""
    around: list[list[str]] = []
    needs: list[str] = []  # of what stands above: an option, or a menu
    option = None
    for number, line in enumerate(lines, 1):
        if declared := _DECLARED.fullmatch(line):
            above = [text for texts in around for text in texts]
            option = found.setdefault(declared[1], _Option(f"{file}:{number}", above))
            needs = option.depends
        elif condition := _IF.match(line):
            option, needs = None, [" ".join(condition[1].split())]
            around = [*around, needs]
        elif _BEGINS.match(line):
            option, needs = None, []
            around = [*around, needs]
        elif _ENDS.match(line):
            option, needs, around = None, [], around[:-1]
        elif _ALONE.match(line):
            option, needs = None, []
        elif depends := _DEPENDS.match(line):
            needs.append(" ".join(depends[1].split()))
        elif option and _PROMPT.match(line):
            option.prompt = True


def _kconfig_files(tree: Path) -> Iterator[Path]:
    """They, in a tree of links (tsqlab.kernels.increment) too: those of a tree itself are relative,
    and some lead in circles.
    """
    waiting = [tree]
    while waiting:
        folder = waiting.pop()
        for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
            path = Path(entry.path)
            if entry.is_symlink() and not path.readlink().is_absolute():
                continue
            if entry.is_dir():
                foreign = folder == tree / "arch" and entry.name not in ("um", "x86")
                waiting += [] if foreign else [path]
            elif entry.name.startswith("Kconfig"):
                yield path
