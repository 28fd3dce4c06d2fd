# SPDX-License-Identifier: GPL-2.0-or-later
"""The limits that neither ruff nor mypy nor a compiler holds: ``make lint`` runs this.

    .venv/bin/python tools/check_tree.py [FILE...]

Looks at the files given, or at all that git knows or would add, and prints a line for each
finding, as compilers do: the file, the line, what is wrong, and what to do about it. The exit
status is 1 if there is any. It is a program and not a test so that it can look at the few files
of a commit in a fraction of a second, and so that an editor can jump to what it says;
tests/unit/tools/test_check_tree.py shows that each rule can fail.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

LINES_MAX = 500
SHORTER = {"README.md": 120, "CONTRIBUTING.md": 120, "docs/architecture.md": 120}
"""Pages that somebody is to read in one go."""
C_FUNCTION_LINES_MAX = 60  # ruff's PLR0915 limits the statements of Python's functions

EXCLUDED = {
    "COPYING": "the licence, word for word",
    "tests/golden/*": "pytest --golden writes them",
    "docs/man/*": "tools/manual.py writes it",
    "experiments/*/traces/*": "tools/link_traces.py writes them, by formula",
    "*.svg": "make readme and make flame draw them",
    "*.patch": "a patch is as long as its change; checkpatch reads it in tests/kernel",
    "kernel/patches/*.txt": "a cover letter, which git send-email formats",
    "src/tsqlab/py.typed": "a mark for type checkers, which has to be empty",
}
"""What no rule is about, and why."""

SOURCE = ("*.py", "*.c", "*.h", "*.sh", "*.html", "*.css", "*.mplstyle", "*Makefile", "*/Kbuild",
          ".ci/*")  # fmt: skip
"""What has a licence line. Data (TOML, config fragments, lists) is too little for one."""

FETCHING = ("src/*", "tools/*", "bench/*", "*.sh", "*.txt", "*.yaml", "*Makefile",
            "pyproject.toml", ".ci/*")  # fmt: skip
"""What might fetch something. Pages for people may have links."""

FORBIDDEN = (
    (
        ("src/tsqlab/runner/*",),
        re.compile(r"/ *(1e9|1_?000_?000_?000|10 ?\*\* ?9)\b"),
        "converts nanoseconds by hand",
        "use the specification's property that ends in _s",
    ),
    (
        ("src/tsqlab/*",),
        re.compile(r"\.(read|write)_text\((?!.*utf-8)"),
        "reads or writes in the encoding of the locale",
        'say "utf-8"',
    ),
    (
        FETCHING,
        # XML's names are allowed.
        re.compile(r"\bhttps?://(?!www\.w3\.org/)|--(extra-)?index-url\b"),
        "names a server",
        "name the package only: where it comes from is the machine's own setting",
    ),
)
"""The files of a rule, what no line of them may have, what that means, and what to do instead."""

Finding = tuple[int, str, str]
"""The line, what is wrong with it, and what to do."""


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Whether a file's name is one of the patterns, whose * stands for folders, too."""
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def check(name: str, text: str) -> Iterator[Finding]:
    """The findings in a file of that name."""
    if matches(name, EXCLUDED):
        return
    lines = text.splitlines()
    yield from _length(name, lines)
    if matches(name, SOURCE):
        yield from _licence(name, lines)
    yield from _opening(name, text)
    yield from _spaces(text)
    for patterns, pattern, what, advice in FORBIDDEN:
        if matches(name, patterns):
            yield from (
                (number, what, advice)
                for number, line in enumerate(lines, 1)
                if pattern.search(line)
            )
    if matches(name, ("*.c", "*.h")):
        yield from _c_functions(lines)


def _length(name: str, lines: Sequence[str]) -> Iterator[Finding]:
    limit = SHORTER.get(name, LINES_MAX)
    if len(lines) > limit:
        yield limit + 1, f"{len(lines)} lines, more than {limit}", "give a part a file of its own"


def _licence(name: str, lines: Sequence[str]) -> Iterator[Finding]:
    """What is built into a kernel has the kernel's licence, all else the project's."""
    kernel = name.startswith(("kernel/modules/", "tests/guest/escape/"))
    expected = "GPL-2.0" if kernel else "GPL-2.0-or-later"
    # The licence may follow a shebang or a template's first line.
    found = re.search(r"SPDX-License-Identifier: ([\w.-]+)", "\n".join(lines[:2]))
    if not found or found[1] != expected:
        yield 1, "no SPDX line of its licence", f"begin with SPDX-License-Identifier: {expected}"


_HEADS = {
    ("*.c", "*.h", "*.css"): r"(?:\s*(?:/\*.*?\*/|//[^\n]*))*",
    ("*.html",): r"(?:\s*(?:<!DOCTYPE html>|\{%[^\n]*%\}|\{#.*?#\}))*",
    ("*.md",): r"# [^\n]*",
    ("*.toml", "*.txt", "*.config", "*.sh", "*.yaml", "*.mplstyle", "*Makefile", "*/Kbuild",
     ".ci/*"): r"(?:#[^\n]*\n)*",
}  # fmt: skip
"""What a file may have before its content, by its kind."""

_NO_WORDS = re.compile(r"SPDX-License-Identifier: [^\n]*|#!/[^\n]*|<!DOCTYPE html>|\{%[^\n]*%\}")


def _opening(name: str, text: str) -> Iterator[Finding]:
    """A file begins with what it is for: a docstring, a comment, a title."""
    advice = "say in its first lines what it is for"
    if name.endswith(".py"):
        if not ast.get_docstring(ast.parse(text)):
            yield 1, "no docstring at the head of the file", advice
        return
    for patterns, pattern in _HEADS.items():
        if matches(name, patterns):
            head = re.match(pattern, text, re.DOTALL)
            if not head or not re.search(r"\w", _NO_WORDS.sub("", head[0])):
                yield 1, "no comment at the head of the file", advice


def _spaces(text: str) -> Iterator[Finding]:
    if text and not text.endswith("\n"):
        yield text.count("\n") + 1, "no newline at the end", "add one"
    for number, line in enumerate(text.splitlines(), 1):
        if line != line.rstrip():
            yield number, "spaces at the end of a line", "remove them"


def _c_functions(lines: Sequence[str]) -> Iterator[Finding]:
    """A function's body is between braces in the first column, as in the kernel."""
    begun = 0
    for number, line in enumerate(lines, 1):
        if line == "{":
            begun = number
        elif line == "}" and begun:
            if (size := number - begun - 1) > C_FUNCTION_LINES_MAX:
                what = f"a function of {size} lines, more than {C_FUNCTION_LINES_MAX}"
                yield begun, what, "give a part of it a name"
            begun = 0


def files() -> list[str]:
    """All files of the checkout but those that git ignores."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return sorted({name for name in listed.stdout.split("\0") if name})


def main(names: Sequence[str]) -> int:
    """Check the files of these names, or all; returns the exit status."""
    found = 0
    for name in names or files():
        path = ROOT / name
        if not path.is_file():  # the file was removed, which is not committed yet
            continue
        relative = str(path.resolve().relative_to(ROOT))
        if matches(relative, EXCLUDED):
            continue
        for line, what, advice in check(relative, path.read_text()):
            print(f"{relative}:{line}: {what}; {advice}")
            found += 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
