# SPDX-License-Identifier: GPL-2.0-or-later
"""A folder that follows a tree: what differs is written, and nothing else."""

import os
import shutil
import stat

import pytest

from tsqlab.kernels.mirror import Mirror, Wanted
from tsqlab.kernels.progress import Unwatched
from tsqlab.kernels.tree import look

OLD_NS = 1_600_000_000 * 10**9


@pytest.fixture
def tree(tmp_path):
    tree = tmp_path / "tree"
    for name in ("a", "b", "deep/er/c"):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(f"{name}\n")
    return tree


class Follower:
    """A mirror of a tree that knows nothing but its memory, as a new process does."""

    def __init__(self, tree, folder):
        self.tree, self.folder, self.read = tree, folder, []

    def follow(self, before_reading=lambda _: None):
        def read(name):
            before_reading(name)
            self.read.append(name)
            return (self.tree / name).read_bytes()

        self.read = []
        found = look(self.tree, {})
        wanted = {name: Wanted(one.mode, one.digest, one.link) for name, one in found.items()}
        mirror = Mirror(self.folder / "copy", self.folder / "copy.json")
        told = []
        mirror.update(wanted, read, Unwatched(), told.extend)
        return sorted(told)

    def times(self):
        return {name: os.lstat(path).st_mtime_ns for name, path in self.paths().items()}

    def paths(self):
        copy = self.folder / "copy"
        return {
            str(path.relative_to(copy)): path
            for path in copy.rglob("*")
            if path.is_symlink() or path.is_file()
        }

    def content(self):
        return {
            name: f"-> {path.readlink()}" if path.is_symlink() else path.read_text()
            for name, path in self.paths().items()
        }


@pytest.fixture
def follower(tree, tmp_path):
    one = Follower(tree, tmp_path / "workshop")
    one.follow()
    return one


def as_tree(tree):
    return {
        str(path.relative_to(tree)): f"-> {path.readlink()}"
        if path.is_symlink()
        else path.read_text()
        for path in tree.rglob("*")
        if path.is_symlink() or path.is_file()
    }


def test_it_holds_what_the_tree_holds(follower, tree):
    assert follower.content() == as_tree(tree)
    assert follower.follow() == []


def change(tree):
    (tree / "b").write_text("other\n")


def delete(tree):
    (tree / "deep/er/c").unlink()


def rename(tree):
    (tree / "a").rename(tree / "deep" / "a")


def link(tree):
    (tree / "a").unlink()
    (tree / "a").symlink_to("b")


def file_becomes_folder(tree):
    (tree / "a").unlink()
    (tree / "a").mkdir()
    (tree / "a" / "x").write_text("x\n")


def folder_becomes_file(tree):
    (tree / "deep/er/c").unlink()
    (tree / "deep/er").rmdir()
    (tree / "deep/er").write_text("no folder\n")


def folder_becomes_link(tree):
    (tree / "deep").rename(tree / "deeper")
    (tree / "deep").symlink_to("deeper")


EDITS = [
    change,
    delete,
    rename,
    link,
    file_becomes_folder,
    folder_becomes_file,
    folder_becomes_link,
]


@pytest.mark.parametrize("edit", EDITS)
def test_it_follows_an_edit_and_leaves_the_rest_alone(edit, follower, tree):
    before, times = follower.content(), follower.times()
    edit(tree)
    follower.follow()
    assert follower.content() == as_tree(tree)
    assert follower.content() != before
    kept = {name for name, text in follower.content().items() if before.get(name) == text}
    assert kept
    assert {name: follower.times()[name] for name in kept} == {name: times[name] for name in kept}


@pytest.mark.parametrize("edit", EDITS)
def test_an_update_that_was_cut_off_is_made_good(edit, follower, tree, tmp_path):
    """At any file: what the memory says must be true at each moment, or be "nobody knows"."""
    edit(tree)
    cuts = 0

    for at in range(10):
        other = Follower(tree, tmp_path / f"workshop{at}")
        other.tree = tree
        shutil.copytree(follower.folder, other.folder, symlinks=True)
        calls = iter(range(100))

        def cut(_, calls=calls, at=at):
            if next(calls) == at:
                raise KeyboardInterrupt

        try:
            other.follow(cut)
        except KeyboardInterrupt:
            cuts += 1
        other.follow()
        assert other.content() == as_tree(tree)
    assert cuts or edit in (delete, link, folder_becomes_link)


def test_an_update_that_was_cut_off_and_a_tree_that_went_back(follower, tree):
    """What came in the first half is known to nobody, and is not wanted any more."""
    (tree / "new1").write_text("1\n")
    (tree / "new2").write_text("2\n")

    def cut(name):
        if name == "new2":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        follower.follow(cut)
    assert "new1" in follower.content()
    (tree / "new1").unlink()
    (tree / "new2").unlink()
    follower.follow()
    assert follower.content() == as_tree(tree)


def test_a_file_half_written_is_written_again(follower, tree):
    (follower.folder / "copy" / "b").unlink()
    (follower.folder / "copy" / "b").write_text("oth")
    follower.follow()
    assert follower.content() == as_tree(tree)


def test_without_its_memory_it_compares_and_keeps_times(follower, tree):
    times = follower.times()
    (follower.folder / "copy" / "left over").write_text("x")
    (follower.folder / "copy.json").write_text("{")
    follower.follow()
    assert follower.times() == times, "what is the same is not written"
    assert follower.content() == as_tree(tree)


def test_the_same_content_with_another_time_is_not_written(follower, tree):
    """As after a checkout to and fro."""
    times = follower.times()
    (tree / "a").write_text("a\n")
    follower.follow()
    assert follower.times() == times


def test_an_older_file_is_newer_in_the_copy(follower, tree):
    """make compiles what is newer than its object, and a restored file may be older."""
    before = follower.times()["a"]
    (tree / "a").write_text("from a backup\n")
    os.utime(tree / "a", ns=(OLD_NS, OLD_NS))
    follower.follow()
    assert follower.times()["a"] > before


def test_a_mode_follows_without_a_new_time(follower, tree):
    before = follower.times()["a"]
    (tree / "a").chmod(0o755)
    follower.follow()
    path = follower.folder / "copy" / "a"
    assert stat.S_IMODE(path.stat().st_mode) == 0o555, "and nobody edits it by mistake"
    assert follower.times()["a"] == before
    (tree / "a").chmod(0o644)
    follower.follow()
    assert stat.S_IMODE(path.stat().st_mode) == 0o444


def test_what_somebody_changed_in_the_copy_is_as_in_the_tree_again(follower, tree):
    path = follower.folder / "copy" / "b"
    path.chmod(0o644)
    path.write_text("X\n")
    follower.follow()
    assert follower.content() == as_tree(tree)


def test_the_tree_is_never_written_to_through_a_link(follower, tree):
    """A folder of the copy that is a link to one of the tree, by whatever way it came to be."""
    (tree / "deep/er/c").unlink()
    (tree / "keep").mkdir()
    (tree / "keep" / "c").write_text("precious\n")
    copy = follower.folder / "copy"
    (copy / "deep/er/c").unlink()
    (copy / "deep/er").rmdir()
    (copy / "deep/er").symlink_to(tree / "keep")
    follower.follow()
    assert (tree / "keep" / "c").read_text() == "precious\n"


def test_it_says_what_came_and_went(follower, tree):
    (tree / "b").write_text("changed\n")
    (tree / "new").write_text("new\n")
    (tree / "a").unlink()
    assert follower.follow() == ["a", "new"]


def test_what_a_build_left_stays(follower, tree):
    (follower.folder / "copy" / "x.o").touch()
    change(tree)
    follower.follow()
    assert (follower.folder / "copy" / "x.o").exists()
