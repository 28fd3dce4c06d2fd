# SPDX-License-Identifier: GPL-2.0-or-later
"""A tree that is edited and built again and again, over a make that only copies files."""

import json
import os
import shutil
import subprocess
import sys
import time

import pytest

from faketree import PATCH, git, make_patches, make_tree
from tsqlab.errors import TsqlabError
from tsqlab.kernels import Recipe, against, build, mirror
from tsqlab.kernels import workshop as workshop_module
from tsqlab.kernels.build import built
from tsqlab.kernels.progress import Unwatched
from tsqlab.kernels.workshop import Workshop, opened, trees
from tsqlab.results.files import write_whole

BUILD = sys.modules[build.__module__]  # the package has the function by the module's name


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """With a shorter distrust of what is new, and an agent that need not be compiled."""
    monkeypatch.setenv("TSQLAB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("tsqlab.kernels.tree._NOT_TRUSTED_NS", 10_000_000)
    monkeypatch.setattr(BUILD, "guest_program", lambda _: tmp_path / "agent" / "agent")


@pytest.fixture
def tree(tmp_path):
    return make_tree(tmp_path / "linux")


@pytest.fixture
def recipe(tree, tmp_path):
    return Recipe(source=tree, patches=make_patches(tmp_path / "patches"))


def workshop():
    (folder,) = trees().glob("[!.]*-*")
    return folder


def compiled():
    """The objects that the last make compiled."""
    (log,) = workshop().glob("build-*/build.log")
    lines = log.read_text().splitlines()
    return sorted(line.split()[1] for line in lines if line.startswith("  CC"))


def tick():
    time.sleep(0.03)  # make compares times, which have the ticks of the kernel's clock


def test_one_edit_compiles_one_object(tree, recipe):
    first = build(recipe)
    assert compiled() == ["net/0.o", "net/1.o", "net/2.o"]
    tick()
    (tree / "net" / "1.c").write_text("edited\n")
    second = build(recipe)
    assert compiled() == ["net/1.o"]
    assert second.linux.read_text() == "0\nedited\n2\n"
    assert first.linux.read_text() == "0\n1\n2\n", "a kernel that was built stays as it is"
    assert first.id != second.id


def test_no_edit_runs_no_make(recipe, monkeypatch):
    first = build(recipe)
    monkeypatch.setattr(BUILD, "make", lambda *_: pytest.fail("make was run"))
    assert build(recipe) == first


def test_an_edit_that_is_taken_back_is_the_old_kernel(tree, recipe):
    first = build(recipe)
    tick()
    (tree / "net" / "1.c").write_text("edited\n")
    second = build(recipe)
    tick()
    (tree / "net" / "1.c").write_text("1\n")
    assert build(recipe) == first
    tick()
    (tree / "net" / "1.c").write_text("edited\n")
    assert build(recipe) == second
    (tree / "net" / "2.c").write_text("edited\n")
    assert build(recipe).linux.read_text() == "0\nedited\nedited\n"


def built_of(made_in):
    return (made_in.output / "linux").read_text()


def test_modules_are_built_against_a_kernel_where_it_was_built(recipe, monkeypatch):
    kernel = build(recipe)
    monkeypatch.setattr(BUILD, "make", lambda *_: pytest.fail("make was run"))
    with against(recipe, kernel) as made_in:
        assert made_in.tree == workshop() / "copy"
        assert built_of(made_in) == kernel.linux.read_text()


def test_modules_are_not_built_against_a_tree_that_has_changed(tree, recipe):
    kernel = build(recipe)
    tick()
    (tree / "net" / "1.c").write_text("edited\n")
    changed = pytest.raises(TsqlabError, match="has changed since its kernel was built; run again")
    with changed, against(recipe, kernel):
        pytest.fail("it is another kernel's")


def test_modules_are_built_against_the_kernel_although_its_tree_was_another_meanwhile(tree, recipe):
    kernel = build(recipe)
    tick()
    (tree / "net" / "1.c").write_text("edited\n")
    build(recipe)
    tick()
    (tree / "net" / "1.c").write_text("1\n")
    assert build(recipe) == kernel, "which is there, so that no make was run"
    with against(recipe, kernel) as made_in:
        assert built_of(made_in) == "0\n1\n2\n"


def test_a_header_compiles_what_includes_it(tree, recipe):
    build(recipe)
    tick()
    (tree / "include" / "a.h").write_text("edited\n")
    build(recipe)
    assert len(compiled()) == 3


def test_a_header_that_another_may_be_taken_for_compiles_all(tree, recipe):
    """make knows which header was found, not which would be."""
    build(recipe)
    tick()
    (tree / "net" / "a.h").write_text("in front of the other\n")
    build(recipe)
    assert len(compiled()) == 3
    tick()
    (tree / "net" / "b.h").write_text("a name of its own\n")
    build(recipe)
    assert compiled() == []


def test_the_patches_are_above_what_is_in_the_tree(tree, recipe):
    kernel = build(recipe)
    copy = workshop() / "copy"
    assert (copy / "file").read_text() == "new\n"
    (tree / "file").write_text("old\nand mine\n")
    other = build(recipe)
    assert (copy / "file").read_text() == "new\nand mine\n"
    assert kernel.id != other.id
    assert (tree / "file").read_text() == "old\nand mine\n"


def test_a_patched_file_that_did_not_change_is_not_written(tree, recipe):
    build(recipe)
    before = (workshop() / "copy" / "file").stat().st_mtime_ns
    tick()
    (tree / "file").write_text("old\n")
    (tree / "net" / "1.c").write_text("edited\n")
    build(recipe)
    assert (workshop() / "copy" / "file").stat().st_mtime_ns == before


def test_patches_that_change_are_applied_in_place(recipe, tmp_path):
    build(recipe)
    make_patches(tmp_path / "patches", PATCH.replace("+new", "+newer"))
    build(recipe)
    assert (workshop() / "copy" / "file").read_text() == "newer\n"
    assert compiled() == []


def test_a_patch_that_collides_is_tried_before_anything_is_copied(tree, recipe):
    (tree / "file").write_text("mine\n")
    with pytest.raises(TsqlabError, match=r"(?s)0001-x\.patch.*does not apply to .*-old"):
        build(recipe)
    assert not (workshop() / "copy").exists()


def test_other_patches_serve_in_the_same_folder(recipe, tree, tmp_path, monkeypatch):
    # Files that were written just now are read again each time, and these are.
    monkeypatch.setattr("tsqlab.kernels.tree._NOT_TRUSTED_NS", 0)
    tick()
    first = build(recipe)
    text = PATCH.replace("/file", "/net/1.c").replace("-old\n+new", "-1\n+other")
    others = Recipe(source=tree, patches=make_patches(tmp_path / "others", text))
    tick()
    assert build(others).linux.read_text() == "0\nother\n2\n"
    assert compiled() == ["net/1.o"]
    copy = workshop() / "copy" / "net" / "1.c"
    assert build(recipe) == first
    assert copy.read_text() == "other\n", "a kernel that is there leaves the copy alone"
    tick()
    (tree / "net" / "2.c").write_text("edited\n")
    assert build(recipe).linux.read_text() == "0\n1\nedited\n"


def test_a_tree_that_was_moved_finds_its_own_again(tree, recipe, tmp_path):
    first = build(recipe)
    tree.rename(tmp_path / "moved")
    (tmp_path / "moved" / "net" / "1.c").write_text("edited\n")
    moved = Recipe(source=tmp_path / "moved", patches=recipe.patches)
    tick()
    assert build(moved).linux.read_text() == "0\nedited\n2\n"
    assert compiled() == ["net/1.o"]
    assert json.loads((workshop() / "workshop.json").read_text())["tree"] == str(tmp_path / "moved")
    make_tree(tree)
    assert build(recipe) == first
    assert len(list(trees().glob("linux-*"))) == 2


def test_a_tree_with_a_name_that_kbuild_refuses(tree, recipe, tmp_path):
    tree.rename(tmp_path / "my linux: 2")
    build(Recipe(source=tmp_path / "my linux: 2", patches=recipe.patches))
    assert workshop().name == "my_linux__2-1"


def test_a_tree_by_another_way_is_the_same_tree(tree, recipe, tmp_path):
    first = build(recipe)
    (tmp_path / "link").symlink_to(tree)
    assert build(Recipe(source=tmp_path / "link", patches=recipe.patches)).id == first.id
    assert workshop()


def test_a_compilers_words_name_the_users_file(tree, recipe):
    (tree / "net" / "1.c").write_text("mistake\n")
    with pytest.raises(TsqlabError) as caught:
        build(recipe)
    assert f"{tree}/net/1.c:1:1: error: mistake" in str(caught.value)
    tick()
    (tree / "net" / "1.c").write_text("right\n")
    assert build(recipe).linux.read_text() == "0\nright\n2\n"
    assert "net/0.o" not in compiled(), "what was compiled before the mistake is there"


def test_a_compilers_words_of_a_patched_file_name_the_copy(tree, tmp_path):
    """Its lines are not those of the user's file."""
    text = PATCH.replace("/file", "/net/1.c").replace("-old\n+new", "-1\n+mistake")
    recipe = Recipe(source=tree, patches=make_patches(tmp_path / "patches", text))
    with pytest.raises(TsqlabError) as caught:
        build(recipe)
    assert f"{workshop()}/copy/net/1.c:1:1: error: mistake" in str(caught.value)


def test_another_option_in_the_tree_configures_again(tree, recipe):
    build(recipe)
    (config,) = workshop().glob("build-*/config.log")
    config.unlink()
    tick()
    (tree / "net" / "1.c").write_text("edited\n")
    build(recipe)
    assert not config.exists()
    (tree / "Kconfig").write_text("config B\n")
    build(recipe)
    assert config.exists()


@pytest.mark.parametrize("left", ["all", "objects"])
def test_a_clock_that_was_set_back_builds_anew(tree, recipe, left):
    """Else what was made in the future would look up to date for ever."""
    build(recipe)
    (output,) = workshop().glob("build-*")
    if left == "objects":  # it was cut off before they were linked
        (output / "linux").unlink()
    later = time.time() + 3600
    for path in output.rglob("*"):
        os.utime(path, (later, later))
    (tree / "net" / "1.c").write_text("edited\n")
    assert build(recipe).linux.read_text() == "0\nedited\n2\n"


def kill_a_build(tree, recipe, when_there_is):
    """Begin to build *tree*, slowly, and end it and its make at once."""
    program = (
        "from pathlib import Path\nfrom tsqlab.kernels import Recipe, build\n"
        f"build(Recipe(source=Path({str(tree)!r}), patches=Path({str(recipe.patches)!r})), None, 1)"
    )
    environment = {**os.environ, "SLOWLY": "0.7"}
    command = [sys.executable, "-c", program]
    begun = subprocess.Popen(command, env=environment, start_new_session=True)
    while not list(trees().glob(f"*/build-*/{when_there_is}")):
        time.sleep(0.02)
        assert begun.poll() is None
    os.killpg(begun.pid, 9)
    begun.wait()


def test_a_build_that_was_killed_goes_on(tree, recipe, monkeypatch):
    kill_a_build(tree, recipe, "net/1.o")
    # What was written in the last 10 s would be compiled again.
    monkeypatch.setattr("tsqlab.kernels.unfinished._LAST_NS", 0)
    assert build(recipe).linux.read_text() == "0\n1\n2\n"
    assert "net/0.o" not in compiled()


@pytest.mark.parametrize("when_there_is", ["wanted.config", "configured", "net/0.o"])
def test_a_build_that_was_killed_soon_after_its_begin_goes_on(tree, recipe, when_there_is):
    """Its options were written in the last 10 s, too, and are not trusted."""
    kill_a_build(tree, recipe, when_there_is)
    assert build(recipe).linux.read_text() == "0\n1\n2\n"


@pytest.mark.parametrize("where", ["discard", "write_whole"])
def test_a_header_that_comes_before_another_is_not_forgotten_by_a_kill(
    tree, recipe, monkeypatch, where
):
    """Neither before the objects are removed nor before the header is remembered."""
    build(recipe)
    tick()
    (tree / "net" / "a.h").write_text("in front of the other\n")

    def cut(*words):
        if where == "discard" or words[0].name == "copy.json":
            raise KeyboardInterrupt
        write_whole(*words)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(workshop_module if where == "discard" else mirror, where, cut)
        build(recipe)
    build(recipe)
    assert compiled() == ["net/0.o", "net/1.o", "net/2.o"]


def test_options_that_were_refused_are_not_taken_for_those_that_were_granted(tree, recipe):
    """They are the .config that is there, until the edit is taken back."""
    rule = "@grep -v -x -f Kconfig $(KCONFIG_ALLCONFIG) >$(O)/.config"
    makefile = (tree / "Makefile").read_text()
    (tree / "Makefile").write_text(makefile.replace("@cp $(KCONFIG_ALLCONFIG) $(O)/.config", rule))
    (tree / "Kconfig").write_text("CONFIG_NOTHING=y\n")
    build(recipe)
    (config,) = workshop().glob("build-*/.config")
    whole = config.read_text()
    assert "CONFIG_NET=y\n" in whole
    tick()
    (tree / "Kconfig").write_text("CONFIG_NET=y\n")
    with pytest.raises(TsqlabError, match="does not grant CONFIG_NET=y"):
        build(recipe)
    tick()
    (tree / "Kconfig").write_text("CONFIG_NOTHING=y\n")
    (tree / "net" / "1.c").write_text("edited\n")
    build(recipe)
    assert config.read_text() == whole


def test_what_is_saved_between_the_look_and_the_copy_has_its_own_kernel(
    tree, recipe, monkeypatch, tmp_path
):
    """Where the content was known, and the kernel of it is gone."""
    tick()
    first = build(recipe)
    other = PATCH.replace("/file", "/net/1.c").replace("-old\n+new", "-1\n+other")
    tick()
    build(Recipe(source=tree, patches=make_patches(tmp_path / "others", other)))
    shutil.rmtree(first.linux.parent)

    def saved_before(self, seen, progress):
        (tree / "net" / "1.c").write_text("saved meanwhile\n")
        return update(self, seen, progress)

    update = Workshop.update
    with monkeypatch.context() as patch:
        patch.setattr(Workshop, "update", saved_before)
        then = build(recipe)
    assert then.linux.read_text() == "0\nsaved meanwhile\n2\n"
    assert then.linux != first.linux
    tick()
    (tree / "net" / "1.c").write_text("1\n")
    again = build(recipe)
    assert again.linux == first.linux
    assert again.linux.read_text() == "0\n1\n2\n"


def test_two_at_once_wait_for_each_other(tree, recipe):
    program = (
        "from pathlib import Path\nfrom tsqlab.kernels import Recipe, build\n"
        "import sys; sys.modules[build.__module__].guest_program = lambda _: Path('/x/agent')\n"
        f"print(build(Recipe(source=Path({str(tree)!r}), patches=Path({str(recipe.patches)!r})))"
        ".linux)"
    )
    both = [
        subprocess.Popen(
            [sys.executable, "-c", program],
            stdout=subprocess.PIPE,
            env={**os.environ, "SLOWLY": "0.2"},
        )
        for _ in range(2)
    ]
    first, second = [one.communicate()[0] for one in both]
    assert first == second != b""
    assert len(compiled()) == 3
    assert len(list(built())) == 1


def test_who_waits_is_told(tree):
    class Heard(Unwatched):
        def part(self, what):
            raise InterruptedError(what)

    with (
        opened(tree, Unwatched()) as first,
        pytest.raises(InterruptedError, match=f"waiting for another tsqlab.* {first.folder}"),
        opened(tree, Heard()),
    ):
        pass


def test_a_memory_that_is_damaged_costs_time_only(tree, recipe):
    first = build(recipe)
    for name in ("seen.json", "copy.json"):
        (workshop() / name).write_text("[" * 100_000)
    assert build(recipe) == first
    tick()
    (tree / "net" / "1.c").write_text("edited\n")
    build(recipe)
    assert compiled() == ["net/1.o"]


@pytest.mark.parametrize("dirty", [False, True])
def test_a_checkout_builds_as_it_stands(tree, recipe, dirty):
    (tree / ".gitignore").write_text("*.o\n/include/config/\n")
    git(tree, "init", "-q")
    git(tree, "add", "-A")
    git(tree, "commit", "-q", "-m", "x")
    if dirty:
        (tree / "net" / "3.c").write_text("3\n")
        (tree / "net" / "0.o").write_text("of another build\n")
        (tree / "include" / "config").mkdir()
        (tree / "include" / "config" / "A").touch()
    kernel = build(recipe)
    assert kernel.linux.read_text() == "0\n1\n2\n" + "3\n" * dirty
    assert not (workshop() / "copy" / "net" / "0.o").exists()


def test_an_ordinary_user_with_a_tree_of_somebody_elses(tree, recipe):
    """Which cannot be written to."""
    for path in [tree, *tree.rglob("*")]:
        path.chmod(path.stat().st_mode & 0o555)
    try:
        assert build(recipe).linux.exists()
        assert (workshop() / "copy" / "net").stat().st_mode & 0o200
    finally:
        for path in [tree, *tree.rglob("*")]:
            path.chmod(path.stat().st_mode | 0o200)


def test_a_build_whose_product_is_gone_copies_it_again(recipe):
    kernel = build(recipe)
    shutil.rmtree(kernel.linux.parent)
    assert build(recipe) == kernel
    assert kernel.linux.exists()
