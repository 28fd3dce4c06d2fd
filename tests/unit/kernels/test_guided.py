# SPDX-License-Identifier: GPL-2.0-or-later
"""A kernel that is compiled by a profile of itself, over a make that only copies files."""

import os
import shutil
import sys
import tarfile
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from faketree import make_patches, make_tree
from tsqlab.errors import TsqlabError
from tsqlab.kernels import Recipe, build, increment
from tsqlab.kernels.guided import hot, place_of, profile_in
from tsqlab.kernels.progress import Unwatched
from tsqlab.paths import cache

BACK = """\
Subject: [PATCH] x: as before v6.1

--- a/net/1.c
+++ b/net/1.c
@@ -1 +1 @@
-1
+one
"""
BUILD = sys.modules[build.__module__]  # the package has the function by the module's name


@pytest.fixture(autouse=True)
def fake(tmp_path, monkeypatch):
    """One object is hot, and an agent need not be compiled."""
    monkeypatch.setenv("TSQLAB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(BUILD, "guest_program", lambda _: tmp_path / "agent" / "agent")
    monkeypatch.setattr("tsqlab.kernels.guided._HOT", tmp_path / "hot.txt")
    (tmp_path / "hot.txt").write_text("# The only one that matters\n1\n")
    back = tmp_path / "x.patch"
    back.write_text(BACK)
    monkeypatch.setattr("tsqlab.kernels.ingredients.history", lambda _: {"x": back})


@pytest.fixture
def recipe(tmp_path):
    return Recipe(source=tarball(tmp_path, "a"), patches=make_patches(tmp_path / "patches"))


def tarball(folder, name, sources=3):
    """A source of version 6.13."""
    tree = make_tree(folder / name / "tree", sources)
    with tarfile.open(folder / name / "linux-6.13.tar.gz", "w:gz") as tar:
        tar.add(tree, "linux-6.13")
    return folder / name / "linux-6.13.tar.gz"


class Training:
    """Notes what kernels it was given, and leaves a file of counts."""

    folder = "/guest/counts"

    def __init__(self, key="key", counts="counts"):
        self.key, self.counts, self.flags = key, counts, []

    def run(self, kernel, work):
        self.flags.append(flags_of(kernel))
        (work / "net").mkdir()
        (work / "net" / "#some#where#net#1.gcda").write_text(self.counts)
        return work


def interrupt(*_, **__):
    raise KeyboardInterrupt


def kernels():
    return sorted(path.name for path in (cache() / "linux").glob("[!.]*"))


def flags_of(kernel):
    """With what the objects were compiled."""
    folder = kernel.linux.parent / "net"
    return [(folder / f".{name}.o.cmd").read_text().strip() for name in range(3)]


def compiled(kernel):
    log = (kernel.linux.parent / "build.log").read_text()
    return [line.split()[1] for line in log.splitlines() if line.startswith("  CC")]


def test_what_is_hot_counts_first_and_is_compiled_again_by_its_counts(recipe):
    training = Training()
    kernel = build(recipe, training=training)
    (counting,) = training.flags
    assert counting[1].startswith("-fprofile-generate=/guest/counts/")
    assert (counting[0], counting[2]) == ("", "")
    assert compiled(kernel) == ["net/1.o"]
    flags = flags_of(kernel)
    assert (flags[0], flags[2]) == ("", "")
    assert flags[1].startswith("-fprofile-use ")
    assert (kernel.linux.parent / "net" / "1.gcda").read_text() == "counts"
    assert len(list((cache() / "linux").glob("6.13-*"))) == 1, "the one that counted is removed"
    assert len(list((cache() / "modules").glob("[!.]*"))) == 1


def test_a_profile_is_made_once_and_used_by_whoever_builds_the_version(recipe, tmp_path):
    training = Training()
    kernel = build(recipe, training=training)
    assert build(recipe, training=training) == build(recipe) == kernel
    older = build(replace(recipe, without=("x",)), training=training)
    assert flags_of(older) == flags_of(kernel)
    assert older.linux.read_text() == "0\none\n2\n"
    own = make_tree(tmp_path / "own")
    of_tree = build(replace(recipe, source=own), training=training)
    assert of_tree.id != build(replace(recipe, source=own, guided=False)).id
    assert len(training.flags) == 1


def test_without_a_training_and_a_profile_nothing_guides_it(recipe):
    plain = build(recipe)
    assert flags_of(plain) == ["", "", ""]
    guided = build(recipe, training=Training())
    assert guided.id != plain.id
    assert build(replace(recipe, guided=False), training=Training()) == plain
    assert build(replace(recipe, extra=("debug",)), training=Training()).id != guided.id
    assert compiled(guided) == ["net/1.o"], "the others are taken over"


def test_a_run_does_not_train_where_a_kernel_is_built(recipe):
    """Who has built one without a profile does not wait for minutes before a run."""
    plain, training = build(recipe), Training()
    assert build(recipe, training=training, anew=False) == plain
    older = replace(recipe, without=("x",))
    assert flags_of(build(older, training=training, anew=False)) == ["", "", ""]
    assert training.flags == []
    assert build(recipe, training=training) != plain
    assert len(training.flags) == 1
    assert build(recipe, training=Training("another"), anew=False) != plain


def test_a_changed_module_is_compiled_and_no_kernel(recipe, tmp_path, monkeypatch):
    first, training = build(recipe, training=Training()), Training("another")
    changed = tmp_path / "modules" / "x"
    changed.mkdir(parents=True)
    (changed / "Kbuild").touch()
    monkeypatch.setattr("tsqlab.kernels.ingredients.KERNEL_MODULES", changed.parent)
    run = build(recipe, training=training, anew=False)
    assert run.linux == first.linux
    assert [path.name for path in run.modules.glob("*.ko")] == ["x.ko"]
    older = build(replace(recipe, without=("x",)))
    assert compiled(older) == ["net/1.o"], "the others are taken over"
    assert training.flags == []


def test_a_run_that_has_to_compile_a_kernel_trains_it(recipe):
    training = Training()
    assert build(recipe, training=training, anew=False) == build(recipe)
    assert len(training.flags) == 1


def test_another_source_or_training_makes_another_profile(recipe, tmp_path):
    first = build(recipe, training=Training())
    other = Training("another", "other counts")
    second = build(recipe, training=other)
    assert len(other.flags) == 1
    assert second.id != first.id
    assert compiled(second) == ["net/1.o"], "the kernel that counted is compiled again"
    assert (second.linux.parent / "net" / "1.gcda").read_text() == "other counts"
    newer = replace(recipe, source=tarball(tmp_path, "b", 4))
    training = Training("another", "other counts")
    build(newer, training=training)
    assert len(training.flags) == 1
    again = Training("a third", "counts")
    assert build(recipe, training=again) == first, "the same counts make the same kernel"


def test_a_guest_that_cannot_run_is_told_of_and_the_kernel_is_there(recipe):
    class Broken(Training):
        def run(self, kernel, work):
            del kernel, work
            raise TsqlabError("no bwrap; try: tsqlab doctor")

    class Heard(Unwatched):
        notes = ()

        def note(self, text):
            self.notes += (text,)

    heard = Heard()
    kernel = build(recipe, heard, training=Broken())
    assert "no bwrap" in heard.notes[0]
    assert flags_of(kernel) == ["", "", ""]
    assert build(recipe) == kernel


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"key": 1, "source": "", "training": ""}'])
def test_a_profile_that_is_damaged_is_made_again(recipe, text):
    first = build(recipe, training=Training())
    (about,) = (cache() / "profiles").glob("*/tsqlab.json")
    about.write_text(text)
    again = Training()
    assert build(recipe, training=again) == first
    assert len(again.flags) == 1


def test_a_place_is_of_a_compiler_and_a_list(tmp_path):
    place = place_of("6.13", "gcc 12")
    assert place != place_of("6.13", "gcc 13")
    assert profile_in(place) is None
    (tmp_path / "hot.txt").write_text("1 2\n")
    assert hot() == ("1", "2")
    assert place != place_of("6.13", "gcc 12")


def test_a_build_that_is_cut_off_has_the_counts_when_it_goes_on(recipe):
    """What was written last is removed then, which must not be these."""
    kernel = build(recipe, training=Training())
    folder = kernel.linux.parent
    long_ago = time.time() - 100
    for path in folder.rglob("*"):
        if path.suffix != ".gcda":
            os.utime(path, (long_ago, long_ago))
    (folder / ".whole").unlink()
    (folder / ".tsqlab-builds").touch()
    (folder / "net" / "1.o").touch()
    assert build(recipe) == kernel
    assert "net/1.o" in compiled(kernel)
    assert (folder / "net" / "1.gcda").read_text() == "counts"


def half_a_copy(command):
    """As a kill leaves it: one object, which was not written yet."""
    folder = Path(command[3].partition("=")[2])
    (folder / "net").mkdir()
    (folder / "net" / "0.o").touch()
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("where", "what", "cut"), [(increment, "ran", half_a_copy), (BUILD, "discard", interrupt)]
)
def test_what_was_cut_off_when_there_was_a_profile_goes_on(recipe, monkeypatch, where, what, cut):
    """It is made of the kernel that counted, which goes then, without another training."""
    with monkeypatch.context() as patch:
        patch.setattr(where, what, cut)
        with pytest.raises(KeyboardInterrupt):
            build(recipe, training=Training())
    training = Training()
    kernel = build(recipe, training=training)
    assert kernel.linux.read_text() == "0\n1\n2\n"
    assert flags_of(kernel)[1].startswith("-fprofile-use")
    assert not training.flags
    assert compiled(kernel) == ["net/1.o"]
    assert kernels() == [kernel.linux.parent.name]


def test_half_a_copy_is_forgotten_when_what_it_was_of_is_gone(recipe, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(increment, "ran", half_a_copy)
        with pytest.raises(KeyboardInterrupt):
            build(recipe, training=Training())
    for mark in (cache() / "linux").glob("*/.whole"):
        shutil.rmtree(mark.parent)
    assert build(recipe, training=Training()).linux.read_text() == "0\n1\n2\n"


def test_a_profile_is_whole_or_not_there(recipe, monkeypatch, tmp_path):
    """Also where a training has the counts of another, whose profile somebody uses."""

    def half(_, target, **__):
        target.mkdir()
        raise KeyboardInterrupt

    build(recipe, training=Training())
    for training in (Training("the same counts"), Training("others", "other counts")):
        with monkeypatch.context() as patch, suppress(KeyboardInterrupt):
            patch.setattr("tsqlab.kernels.guided.shutil.copytree", half)
            build(recipe, training=training)
    build(replace(recipe, source=make_tree(tmp_path / "own")))
    (laid_out,) = (cache() / "trees").glob("*/build-*/net/1.gcda")
    assert laid_out.read_text() == "counts"
    build(recipe, training=Training("others", "other counts"))
    profile = profile_in(place_of("6.13", BUILD._compiler()))
    assert (profile.folder / "net" / "1.gcda").read_text() == "other counts"
