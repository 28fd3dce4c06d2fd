# SPDX-License-Identifier: GPL-2.0-or-later
"""A user's own module: what is read of its folder, and how it is compiled, with a make of our own.

tests/guest/test_own_modules.py compiles real ones.
"""

import contextlib
import os
import shutil

import pytest

from as_nobody import in_child_as_nobody, public_folder
from tsqlab.errors import TsqlabError, UsageError
from tsqlab.guest.sandbox import NOBODY
from tsqlab.kernels import own_source
from tsqlab.kernels.make import Build
from tsqlab.kernels.own_modules import own_module
from tsqlab.kernels.own_source import Source, kbuild, read_source
from tsqlab.kernels.progress import Unwatched


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TSQLAB_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def folder(tmp_path):
    """A module's folder with a single file."""
    path = tmp_path / "mycc"
    path.mkdir()
    (path / "mycc.c").write_text("int a;\n")
    return path


def read(folder):
    return read_source(folder, folder.name, f"./{folder.name}")


def test_what_is_read_of_a_folder(folder):
    (folder / "lib").mkdir()
    for name in ("mycc.h", "lib/x.S", "lib/Makefile"):
        (folder / name).write_text("x\n")
    before = read(folder)
    assert [*before.files] == ["lib/Makefile", "lib/x.S", "mycc.c", "mycc.h", "Kbuild"]
    (folder / ".git").mkdir()
    for name in ("mycc.ko", "mycc.mod.c", "mycc.o", ".mycc.o.cmd", "notes.txt", ".git/x.c", ".x.c"):
        (folder / name).write_text("made\n")
    assert read(folder) == before
    assert read(folder).key == before.key


def test_a_key_is_of_names_and_content(folder):
    keys = {read(folder).key}
    (folder / "mycc.c").write_text("int b;\n")
    keys.add(read(folder).key)
    (folder / "mycc.c").rename(folder / "other.c")
    keys.add(read(folder).key)
    keys.add(read_source(folder, "other", "./other").key)
    assert len(keys) == 4


def test_a_folder_without_a_kbuild_gets_one(folder):
    assert read(folder).files["Kbuild"] == b"obj-m := mycc.o\n"
    assert kbuild("x", ["b.c", "a.c", "a.h", "lib/c.c"]) == "obj-m := x.o\nx-y := b.o a.o\n"
    with pytest.raises(UsageError, match="x: no .c file in it, and no Kbuild"):
        kbuild("x", ["x.h"])
    with pytest.raises(UsageError, match=r"none can be called as the module, x.c; rename it, or"):
        kbuild("x", ["x.c", "y.c"])
    (folder / "Makefile").write_text("obj-m := mycc.o\n")
    assert "Kbuild" not in read(folder).files


def test_a_link_that_leaves_the_folder(folder, tmp_path):
    (tmp_path / "secret.h").write_text("mine\n")
    (folder / "inside.h").symlink_to("mycc.c")
    assert read(folder).files["inside.h"] == b"int a;\n"
    (folder / "outside.h").symlink_to("../secret.h")
    with pytest.raises(UsageError, match="outside.h: a link that leaves the folder"):
        read(folder)


def test_folders_that_are_none(folder, tmp_path, monkeypatch):
    with pytest.raises(UsageError, match='no folder "./nothing"'):
        read_source(tmp_path / "nothing", "nothing", "./nothing")
    with pytest.raises(UsageError, match="no folder"):
        read_source(folder / "mycc.c", "mycc.c", "mycc/mycc.c")
    (folder / "a b.c").write_text("")
    with pytest.raises(UsageError, match="make takes no file of that name"):
        read(folder)
    (folder / "a b.c").unlink()
    (folder / "loop.h").symlink_to("loop.h")
    with pytest.raises(UsageError, match="cannot be read"):
        read(folder)
    (folder / "loop.h").unlink()
    monkeypatch.setattr(own_source, "ENTRIES_MAX", 0)
    with pytest.raises(UsageError, match="more than 0 files; expected a module's folder"):
        read(folder)


def test_more_than_a_module_has(folder, monkeypatch):
    monkeypatch.setattr(own_source, "BYTES_MAX", 10)
    (folder / "more.h").write_text("12345")
    with pytest.raises(UsageError, match="expected a module's folder"):
        read(folder)


MAKEFILE = """\
modules:
	@echo '  CC [M]  $(M)/x.o'
	@{said}
	@{does}
"""


needs_programs = pytest.mark.skipif(
    shutil.which("bwrap") is None or shutil.which("make") is None, reason="needs bwrap and make"
)


@pytest.fixture
def compiled(folder, tmp_path):
    """Compile it by a tree whose make says and does that; the module, and how often it was made."""
    runs = []

    def run(said="true", does="printf '\\0__param_str_beta\\0' >$(M)/x.ko"):
        tree, output = tmp_path / "tree", tmp_path / "cache" / "linux" / "6.12-0123"
        for path in (tree, output, tmp_path / "cache" / "src"):
            path.mkdir(parents=True, exist_ok=True)
        (tree / "Makefile").write_text(MAKEFILE.format(said=said, does=does))

        @contextlib.contextmanager
        def against():
            runs.append(output)
            yield Build(tree, output)

        return own_module(read(folder), output, against(), Unwatched()), len(runs)

    return run


@needs_programs
def test_a_module_is_compiled_once_for_each_content(compiled, folder):
    module, times = compiled()
    assert (module.name, module.parameters, module.warnings) == ("mycc", ("beta",), "")
    assert module.file.read_bytes() == b"\0__param_str_beta\0"
    assert times == 1
    assert compiled() == (module, 1)
    (folder / "mycc.c").write_text("int b;\n")
    assert compiled()[1] == 2


@needs_programs
def test_warnings_have_the_users_names_and_are_told_again(compiled):
    said = "echo '$(M)/mycc.c:3:5: warning: x'"
    module, _ = compiled(said)
    assert module.warnings == "./mycc/mycc.c:3:5: warning: x"
    assert compiled(said) == (module, 1)


@needs_programs
def test_errors_are_the_compilers_and_nothing_is_kept(compiled):
    failing = "echo '$(M)/mycc.c:3:5: error: x' >&2; exit 1"
    with pytest.raises(TsqlabError) as error:
        compiled(failing)
    told = ["./mycc does not compile", "./mycc/mycc.c:3:5: error: x"]
    assert str(error.value).splitlines() == told, "without make's own"
    assert compiled()[1] == 2, "it is tried again"


@needs_programs
def test_what_a_compiler_says_is_text_and_of_some_length(compiled):
    module, _ = compiled("printf '\\033[31mred\\n'; for n in `seq 100`; do echo $$n; done")
    shown = module.warnings.splitlines()
    assert shown[0] == "?[31mred"
    assert shown[-1] == "... (41 more lines)"


@needs_programs
@pytest.mark.parametrize(
    ("does", "words"),
    [("true", "it makes none"), ("touch $(M)/a.ko $(M)/b.ko", "it makes a.ko b.ko")],
)
def test_a_folder_is_one_module(compiled, does, words):
    with pytest.raises(TsqlabError, match=rf"expected one module of its Kbuild; {words}"):
        compiled(does=does)


ESCAPES = {
    "the host's users": "cat /etc/passwd",
    "a home": 'ls "$$HOME_OF_TEST"',
    "the network": "test -e /sys/class/net",
    "processes": "test -e /proc/1",
    "the tree": "touch $(CURDIR)/new",
    "the kernel": "touch $(O)/new",
    "its source": "touch /source/new",
    "programs": "touch /usr/bin/new",
}


@needs_programs
@pytest.mark.parametrize("what", ESCAPES)
def test_a_makefile_reaches_nothing_of_the_host(compiled, what, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("x")
    command = ESCAPES[what].replace("$$HOME_OF_TEST", str(secret))
    with pytest.raises(TsqlabError, match="does not compile"):
        compiled(does=command)
    with pytest.raises(TsqlabError, match="expected one module"):
        compiled(does="true")


@needs_programs
def test_the_environment_is_not_shown(compiled, monkeypatch):
    monkeypatch.setenv("A_SECRET", "x")
    module, _ = compiled(said="env | grep SECRET || true")
    assert module.warnings == ""


@needs_programs
@pytest.mark.skipif(os.geteuid() != 0, reason="the tests above are an ordinary user's")
def test_an_ordinary_user_compiles_as_root_does(monkeypatch):
    with public_folder() as home:
        home.chmod(0o777)
        monkeypatch.setenv("TSQLAB_CACHE", str(home / "cache"))
        source = Source("mycc", "./mycc", {"Kbuild": b"obj-m := mycc.o"})

        def compile_it():
            tree, output = home / "tree", home / "output"
            tree.mkdir()
            output.mkdir()
            (tree / "Makefile").write_text(MAKEFILE.format(said="id -u", does="touch $(M)/x.ko"))
            against = contextlib.nullcontext(Build(tree, output))
            module = own_module(source, output, against, Unwatched())
            assert module.warnings == f"{NOBODY}"
            assert module.file.exists()

        assert in_child_as_nobody(compile_it) == 0
