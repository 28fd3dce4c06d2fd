# SPDX-License-Identifier: GPL-2.0-or-later
"""Each rule of tools/check_tree.py finds what it is for; `make lint` holds the tree to them."""

import pytest

from tsqlab.paths import ROOT

PY = '# SPDX-License-Identifier: GPL-2.0-or-later\n"""What it is for."""\n'
C = "// SPDX-License-Identifier: GPL-2.0\n/* What it is for. */\n"
MAKE = "# SPDX-License-Identifier: GPL-2.0-or-later\n# What it is for.\na:\n"
LONG = "int f(void)\n{\n" + "\tg();\n" * 61 + "}\n"


@pytest.fixture
def check_tree(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import check_tree  # noqa: PLC0415  (it is no package's)

    return check_tree


@pytest.mark.parametrize(
    ("name", "text", "line", "what"),
    [
        ("src/a.py", PY + "pass\n" * 499, 501, "501 lines, more than 500"),
        ("docs/a.md", "# A\n" + "b\n" * 500, 501, "501 lines, more than 500"),
        ("README.md", "# A\n" + "b\n" * 120, 121, "121 lines, more than 120"),
        ("src/a.py", '"""What it is for."""\n', 1, "no SPDX line of its licence"),
        ("src/a.py", PY.replace("-or-later", ""), 1, "no SPDX line of its licence"),
        ("kernel/modules/a/a.c", C.replace(".0", ".0-or-later"), 1, "no SPDX line of its licence"),
        ("src/a.py", PY.splitlines()[0] + "\n", 1, "no docstring at the head of the file"),
        ("kernel/modules/a/a.c", C.splitlines()[0] + "\nint a;\n/* b */\n", 1, "no comment"),
        ("a.toml", "a = 1\n", 1, "no comment at the head of the file"),
        ("a.md", "words\n", 1, "no comment at the head of the file"),
        ("a.html", "{% extends 'b' %}\n{# SPDX-License-Identifier: GPL-2.0-or-later #}\n<p>\n", 1,
         "no comment"),
        ("src/a.py", PY + "a = 1 \n", 3, "spaces at the end of a line"),
        ("src/a.py", PY + "a = 1", 3, "no newline at the end"),
        ("src/tsqlab/runner/a.py", PY + "a = b / 1e9\n", 3, "converts nanoseconds by hand"),
        ("src/tsqlab/a.py", PY + "a.read_text()\n", 3, "reads or writes in the encoding of"),
        ("requirements.txt", "# A\n--index-url x\n", 2, "names a server"),
        ("Makefile", MAKE + "\tcurl https" + "://a.example/b\n", 4, "names a server"),
        ("kernel/modules/a/a.c", C + LONG, 4, "a function of 61 lines, more than 60"),
    ],
)  # fmt: skip
def test_each_rule_finds_what_it_is_for(check_tree, name, text, line, what):
    ((found, said, advice),) = check_tree.check(name, text)
    assert found == line
    assert said.startswith(what)
    assert advice


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("src/a.py", PY + "pass\n" * 498),
        (".ci/run", "#!/bin/sh\n# SPDX-License-Identifier: GPL-2.0-or-later\n# What it is for.\n"),
        ("kernel/modules/a/Kbuild", "# SPDX-License-Identifier: GPL-2.0\n#\n# What it is for.\n"),
        ("kernel/modules/a/a.c", C + LONG.replace("\tg();\n", "", 1)),
        ("src/tsqlab/report/a.py", PY + "a = b / 1e9\n"),
        ("src/tsqlab/a.py", PY + 'a.write_text(b, "utf-8")\n'),
        ("docs/a.md", "# A\nhttps" + "://a.example/b\n"),
        ("tests/golden/a.txt", "a \n" * 501),
        ("kernel/patches/6.12/tcp/0001-a.patch", "a \n" * 501),
    ],
)
def test_what_is_good_or_excluded_is_not_found(check_tree, name, text):
    assert list(check_tree.check(name, text)) == []


def test_every_exclusion_is_of_something(check_tree):
    names = check_tree.files()
    for pattern, reason in check_tree.EXCLUDED.items():
        assert reason
        assert any(check_tree.matches(name, [pattern]) for name in names), pattern


def test_a_finding_says_where_it_is_and_what_to_do(check_tree, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(check_tree, "ROOT", tmp_path)
    (tmp_path / "a.py").write_text("a = 1\n")
    assert check_tree.main(["a.py"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "a.py:1: no SPDX line of its licence; begin with SPDX-License-Identifier: GPL-2.0-or-later",
        "a.py:1: no docstring at the head of the file; say in its first lines what it is for",
    ]
