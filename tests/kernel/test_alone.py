# SPDX-License-Identifier: GPL-2.0-or-later
"""That the builds of single patches can fail, in a tree of two files that passes for Linux."""

import subprocess
from pathlib import Path

import pytest

import alone
from tsqlab.errors import TsqlabError

# Kbuild in miniature: O=, an object from a C file, and .config from nothing.
MAKEFILE = """\
allnoconfig:
\tcp granted $(O)/.config
%.o:
\t@mkdir -p $(O)/$(@D)
\tgcc -Wall -Iinclude -c $*.c -o $(O)/$@
net/ipv4/%.o: include/net/tcp.h
"""
HEADER, CODE = "include/net/tcp.h", "net/ipv4/tcp.c"
STOCK = {
    "Makefile": MAKEFILE,
    HEADER: "int limit(void);\n",
    CODE: "#include <net/tcp.h>\nint limit(void) { return 2; }\n",
}


@pytest.fixture(autouse=True)
def area(monkeypatch):
    um = {"include/": ["net/ipv4/tcp.o"], "arch/um/": ["arch/um/kernel/"]}
    monkeypatch.setattr(alone, "AREAS", {"um": um, "x86_64": {}})


@pytest.fixture
def linux(tmp_path):
    """A stock tree, and a function that makes the next patch of a series for it."""
    tree, patches = tmp_path / "tree", tmp_path / "6.12" / "tcp"
    patches.mkdir(parents=True)

    def git(*words):
        command = ["git", "-c", "user.name=x", "-c", "user.email=x", "-C", str(tree), *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def write(files):
        for name, text in files.items():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_text(text)

    write(STOCK)
    git("init", "-q")
    git("add", ".")
    git("commit", "-q", "-m", "stock")

    def patch(name, files):
        write(files)
        git("add", ".")
        path = patches / f"{len(list(patches.iterdir())) + 1:04}-{name}.patch"
        path.write_text(git("diff", "--cached"))
        git("commit", "-q", "-m", name)
        return path

    def build(options="CONFIG_A=y\n", granted="CONFIG_A=y\n"):
        series = sorted(patches.iterdir())
        stock = tmp_path / "stock"
        stock.mkdir()
        alone.stock_tree(tree, series, stock)
        assert all((stock / name).read_text() == text for name, text in STOCK.items())
        work = tmp_path / "work"
        work.mkdir()
        (stock / "granted").write_text(granted)
        alone.build_each(stock, series, "um", options, work)
        assert all((stock / name).read_text() == (tree / name).read_text() for name in STOCK)
        return work

    return patch, build


def test_a_good_series(linux):
    patch, build = linux
    patch("docs", {"Documentation/x.rst": "x\n"})
    patch("number", {CODE: STOCK[CODE].replace("2", "3")})
    work = build()
    assert "tcp.o" in (work / "0002-number.log").read_text()
    assert not (work / "0001-docs.log").exists(), "nothing to compile"


def test_what_only_the_next_patch_mends_is_caught_and_named(linux):
    patch, build = linux
    patch("uses-it", {CODE: STOCK[CODE].replace("2", "LIMIT")})
    patch("has-it", {HEADER: STOCK[HEADER] + "#define LIMIT 2\n"})
    with pytest.raises(TsqlabError) as caught:
        build()
    message = str(caught.value)
    assert message.startswith("6.12/tcp/0001-uses-it.patch, ARCH=um: the build failed")
    assert "tcp.c:2:26: error: 'LIMIT' undeclared" in message


def test_a_header_that_breaks_what_includes_it_is_caught(linux):
    patch, build = linux
    patch("header", {HEADER: "long limit(void);\n"})
    with pytest.raises(TsqlabError, match=r"0001-header\.patch.*\n(.*\n)*.*conflicting types"):
        build()


def test_a_warning_is_a_failure(linux):
    patch, build = linux
    patch("unused", {CODE: STOCK[CODE].replace("return", "int x; return")})
    with pytest.raises(TsqlabError, match=r"0001-unused\.patch.*warning\n.*\n?.*unused variable"):
        build()


def test_an_option_that_is_not_there_in_the_end_is_caught(linux):
    patch, build = linux
    patch("number", {CODE: STOCK[CODE].replace("2", "3")})
    with pytest.raises(TsqlabError, match="does not grant CONFIG_B=y"):
        build(options="CONFIG_B=y\n", granted="")


def test_a_place_that_nobody_has_thought_of_is_an_error():
    change = alone.Change(Path("x.patch"), frozenset({"mm/slab.h"}), frozenset())
    with pytest.raises(TsqlabError, match=r"mm/slab\.h: AREAS .* does not say what to build"):
        alone.goals([change], "um")


def test_goals():
    def change(*files, new=()):
        return alone.Change(Path("x.patch"), frozenset({*files, *new}), frozenset(new))

    first = change("net/ipv4/tcp_output.c", new=["include/net/tcp_tsq.h"])
    assert alone.goals([first], "um") == ["net/ipv4/tcp_output.o"]
    second = change("include/net/tcp_tsq.h")
    assert alone.goals([first, second], "um") == ["net/ipv4/tcp_output.o"]
    third = change("include/net/netns/ipv4.h")
    assert alone.goals([first, third], "um") == ["net/ipv4/tcp.o", "net/ipv4/tcp_output.o"]
    assert alone.goals([change("arch/um/kernel/time.c")], "um") == ["arch/um/kernel/"]
    assert alone.goals([change("arch/um/kernel/time.c", "arch/um/Kconfig")], "x86_64") == []
