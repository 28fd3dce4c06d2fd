# SPDX-License-Identifier: GPL-2.0-or-later
"""A kernel with a few files changed: only these are compiled, and the other stays what it is."""

import os
import shutil
import subprocess
import tarfile
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from faketree import PATCH, make_tree
from tsqlab.kernels import Recipe, build, increment
from tsqlab.kernels.cache import is_made, ran
from tsqlab.kernels.increment import copy_built, forget_half_copied, linked_tree
from tsqlab.kernels.progress import Unwatched

BACK = """\
Subject: [PATCH] x: as before v6.1

diff --git a/net/1.c b/net/1.c
--- a/net/1.c
+++ b/net/1.c
@@ -1 +1 @@
-1
+one
"""


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TSQLAB_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def recipe(tmp_path, monkeypatch):
    """A tarball, a series of one patch, and a change to take back."""
    tree = make_tree(tmp_path / "tree")
    with tarfile.open(tmp_path / "linux-6.13.tar.gz", "w:gz") as tar:
        tar.add(tree, "linux-6.13")
    (tmp_path / "series").mkdir()
    (tmp_path / "series" / "0001-x.patch").write_text(PATCH)
    (tmp_path / "history").mkdir()
    back = tmp_path / "history" / "x.patch"
    back.write_text(BACK)
    monkeypatch.setattr("tsqlab.kernels.ingredients.history", lambda _: {"x": back})

    def make(*without):
        return Recipe(source=tmp_path / "linux-6.13.tar.gz", patches=tmp_path / "series",
                      without=without)  # fmt: skip

    return make


def compiled(kernel):
    log = (kernel.linux.parent / "build.log").read_text()
    return [line.split()[1] for line in log.splitlines() if line.startswith("  CC")]


def test_only_what_is_changed_is_compiled(recipe):
    without = build(recipe("x"))
    base = build(recipe())
    assert (base.linux.read_text(), without.linux.read_text()) == ("0\n1\n2\n", "0\none\n2\n")
    assert sorted(compiled(base)) == ["net/0.o", "net/1.o", "net/2.o"]
    assert compiled(without) == ["net/1.o"]
    assert base.id != without.id
    assert [path.name for path in base.modules.glob("*.ko")]
    assert sorted(path.name for path in without.modules.glob("*.ko")) == sorted(
        path.name for path in base.modules.glob("*.ko")
    )


def test_what_is_changed_is_compiled_when_the_other_kernel_is_younger_than_the_tree(recipe):
    """As after a new profile: the tree is kept, and all that is copied was built after it."""
    build(recipe("x"))
    base, without = (build(replace(recipe(*back), hz=250)) for back in ((), ("x",)))
    assert compiled(without) == ["net/1.o"]
    assert (base.linux.read_text(), without.linux.read_text()) == ("0\n1\n2\n", "0\none\n2\n")


def test_a_build_that_was_cut_off_goes_on(recipe, monkeypatch):
    """While it copies it begins anew, and after that it goes on with what was copied."""
    base = build(recipe())
    with monkeypatch.context() as patch:
        patch.setattr(increment, "_rename_in", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        (base.linux.parent / "x.cmd").touch()  # a note, in which names are exchanged
        with pytest.raises(KeyboardInterrupt):
            build(recipe("x"))
    assert build(recipe("x")).linux.read_text() == "0\none\n2\n"


@pytest.mark.parametrize("room", ["linux", "modules"])
def test_what_is_being_copied_is_never_taken_for_the_other_kernel(recipe, monkeypatch, room):
    """Neither by who looks meanwhile, nor after a kill, when nobody removes anything."""
    build(recipe())
    copied, made_meanwhile = [], []

    def cut_off(command):
        done = ran(command)
        folder = Path(command[3].partition("=")[2])
        if folder.parent.name == room:
            copied.append(folder)
            made_meanwhile.append(is_made(folder))
            raise KeyboardInterrupt
        return done

    with monkeypatch.context() as patch:
        patch.setattr(increment, "ran", cut_off)
        with pytest.raises(KeyboardInterrupt):
            build(recipe("x"))
    assert made_meanwhile == [False]
    assert not is_made(copied[0])
    assert build(recipe("x")).linux.read_text() == "0\none\n2\n"


def test_a_copy_that_was_cut_off_is_whole_no_sooner_for_having_a_copy_s_copy(tmp_path):
    """What is copied may have been a copy itself, and says so."""
    first, second, third = (tmp_path / name for name in ("first", "second", "third"))
    for folder in (first, second, third):
        folder.mkdir()
    (first / "a.o").write_text("a")
    copy_built(first, second, {}, None)
    command = ["cp", "-a", *map(str, second.iterdir()), str(third)]
    subprocess.run(command, check=True)
    (third / "copied-from").unlink()
    (third / "copying").touch()
    (third / "a.o").write_text("")  # where it was cut off
    forget_half_copied(third)
    assert not list(third.iterdir())
    copy_built(second, third, {}, None)
    assert (third / "copied-from").read_text() == f"{second}\n"
    forget_half_copied(third)
    assert (third / "a.o").read_text() == "a"


def test_a_copy_has_the_times_and_the_new_names(tmp_path):
    base, folder = tmp_path / "base", tmp_path / "folder"
    (base / "net").mkdir(parents=True)
    notes, built = base / "net" / ".a.o.cmd", base / "net" / "a.o"
    notes.write_text(f"gcc -I/old/tree/include -o {base}/net/a.o /old/tree/net/a.c\n")
    built.write_bytes(b"\0/old/tree\0")
    for path in (notes, built):
        os.utime(path, ns=(1_000, 1_500_000_123))
    (base / "build.log").touch()
    folder.mkdir()
    (folder / "half").touch()
    copy_built(base, folder, {tmp_path / "tree": tmp_path / "new", base: folder}, None)
    copy_built(base, folder, {}, None)
    names = sorted(path.name for path in folder.rglob("*"))
    assert names == [".a.o.cmd", "a.o", "copied-from", "net"]
    assert (folder / "net" / "a.o").read_bytes() == built.read_bytes()
    assert (folder / "net" / ".a.o.cmd").stat().st_mtime_ns == 1_500_000_123
    assert str(base) not in (folder / "net" / ".a.o.cmd").read_text()
    (folder / "net" / "a.o").unlink()
    copy_built(base, folder, {}, None)
    assert not (folder / "net" / "a.o").exists(), "what make did since is kept"


def test_a_copy_of_a_copy_names_neither(tmp_path):
    """A module is linked of the objects that its *.mod names, whose folder may be gone."""
    folders = [tmp_path / name for name in ("first", "second", "third")]
    names = (".x.mod.cmd", "x.mod", "modules.order")
    folders[0].mkdir()
    for name in names:
        (folders[0] / name).write_text(f"{folders[0]}/x.o\n")
    for base, folder in pairwise(folders):
        folder.mkdir()
        copy_built(base, folder, {}, None)
        shutil.rmtree(base)
    assert {(folders[2] / name).read_text() for name in names} == {f"{folders[2]}/x.o\n"}


def test_a_linked_tree_has_real_folders_where_a_file_is_changed(tmp_path):
    base = make_tree(tmp_path / "src" / "6.13-0")
    patch = tmp_path / "x.patch"
    patch.write_text(BACK)
    tree = linked_tree(base, [patch], Unwatched())
    assert tree.parent == base.parent
    assert (tree / "net" / "1.c").read_text() == "one\n"
    assert (base / "net" / "1.c").read_text() == "1\n"
    assert not (tree / "net" / "1.c").is_symlink()
    assert (tree / "net" / "0.c").is_symlink()
    assert not (tree / "net").is_symlink()
    assert (tree / "include").is_symlink()
    assert linked_tree(base, [patch], Unwatched()) == tree
