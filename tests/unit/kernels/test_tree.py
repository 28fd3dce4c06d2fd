# SPDX-License-Identifier: GPL-2.0-or-later
"""What is found in a source tree, what is not, and what is not read again."""

import os
import subprocess
import time

import pytest

from faketree import git, make_tree
from tsqlab.errors import TsqlabError, UsageError
from tsqlab.kernels.tree import LINK, look, names_of


@pytest.fixture
def tree(tmp_path):
    return make_tree(tmp_path / "tree")


def known_of(tree):
    return {name: (one.stamp, "digest") for name, one in look(tree, {}).items() if one.stamp}


def changed(tree, known):
    return {name for name, one in look(tree, known).items() if one.digest is None}


@pytest.fixture
def settled(tree, monkeypatch):
    """A tree of which nothing has changed for a minute, and what is known of it then."""
    now = time.time_ns
    monkeypatch.setattr("time.time_ns", lambda: now() + 60 * 10**9)
    return known_of(tree)


def test_what_has_not_changed_is_known(tree, settled):
    assert changed(tree, settled) == set()


def test_what_changed_a_moment_ago_is_read_again_the_next_time(tree):
    """Somebody might write once more within the same tick of the clock."""
    known = known_of(tree)
    assert known == {}
    assert len(changed(tree, known)) == len(look(tree, {}))


def test_a_new_content_is_seen_though_size_and_time_are_the_old_ones(tree, settled):
    """rsync -a and cp -p set the time back; that of the change they cannot set."""
    before = (tree / "file").stat()
    time.sleep(0.02)
    (tree / "file").write_text("OLD\n")
    os.utime(tree / "file", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (tree / "file").stat().st_mtime_ns == before.st_mtime_ns
    assert changed(tree, settled) == {"file"}


def test_a_file_that_replaced_another_is_seen(tree, settled):
    before = (tree / "file").stat()
    (tree / "other").write_text("OLD\n")
    os.utime(tree / "other", ns=(before.st_atime_ns, before.st_mtime_ns))
    (tree / "other").rename(tree / "file")
    assert changed(tree, settled) == {"file"}


def test_a_mode_is_seen(tree, settled):
    (tree / "file").chmod(0o755)
    assert changed(tree, settled) == {"file"}
    assert look(tree, {})["file"].mode == 0o755


def test_git_says_what_belongs_to_a_checkout(tree):
    (tree / ".gitignore").write_text("*.o\n")
    git(tree, "init", "-q")
    git(tree, "add", "-A")
    git(tree, "commit", "-q", "-m", "x")
    (tree / "junk.o").touch()
    (tree / "added").touch()
    (tree / "file").unlink()
    names = look(tree, {})
    assert "added" in names
    assert not {"junk.o", "file", ".git/HEAD"} & set(names)


def test_a_build_in_an_unpacked_tarball_is_left_out(tree):
    (tree / "net" / ".gitignore").write_text("/generated.h\n")
    for name in ("vmlinux", "net/0.o", "net/.0.o.cmd", "net/generated.h", "include/config/A",
                 ".config", "arch/um/include/generated/asm/x.h", "net/built-in.a"):  # fmt: skip
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).touch()
    expected = {"Makefile", "Kconfig", "file", "include/a.h", "net/0.c", "net/1.c", "net/2.c"}
    assert set(names_of(tree)) - {"net/.gitignore"} == expected


def test_debians_gitignore_which_ignores_all_is_not_believed(tree):
    (tree / ".gitignore").write_text("/*\n!/debian/\n")
    assert {"Makefile", "net/0.c"} <= set(names_of(tree))


def test_a_tarball_within_somebodys_repository(tree):
    (tree.parent / ".gitignore").write_text("tree\n")
    git(tree.parent, "init", "-q")
    assert "net/0.c" in names_of(tree)


def test_the_variables_of_a_hook_mean_another_repository(tree, monkeypatch):
    git(tree, "init", "-q")
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    assert "net/0.c" in names_of(tree)


def test_a_tree_is_not_written_to(tree):
    git(tree, "init", "-q")
    git(tree, "add", "-A")
    (tree / "file").write_text("changed\n")

    def state():
        return sorted((str(path), path.lstat().st_mtime_ns) for path in tree.rglob("*"))

    before = state()
    look(tree, {})
    assert state() == before


def test_links_mean_the_same_in_a_copy(tree, tmp_path):
    (tree / "near").symlink_to("net/0.c")
    (tree / "net" / "whole").symlink_to(tree / "file")
    (tree / "far").symlink_to(tmp_path / "far")
    (tmp_path / "far").write_text("far\n")
    found = look(tree, {})
    assert (found["near"].mode, found["near"].link) == (LINK, "net/0.c")
    assert (found["net/whole"].mode, found["net/whole"].link) == (LINK, "../file")
    assert found["far"].mode == 0o644, "its content is a part of the kernel"


def test_a_link_to_a_folder_elsewhere_is_refused(tree, tmp_path):
    (tmp_path / "driver").mkdir()
    (tree / "net" / "driver").symlink_to(tmp_path / "driver")
    with pytest.raises(UsageError, match=r"net/driver: a link to a folder outside of the tree"):
        look(tree, {})


def test_names_that_are_no_utf_8(tree):
    with open(os.fsencode(tree) + b"/net/\xff.c", "w"):  # noqa: PTH123
        pass
    assert "net/\udcff.c" in look(tree, {})


def test_a_repository_of_somebody_else(tree, monkeypatch):
    git(tree, "init", "-q")

    def refuse(command, **_):
        return subprocess.CompletedProcess(command, 128, b"", b"fatal: dubious ownership\n")

    monkeypatch.setattr("subprocess.run", refuse)
    with pytest.raises(TsqlabError, match="dubious ownership"):
        look(tree, {})
