# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel cache: keys by content, whole or not at all, and errors to read."""

import subprocess
import sys
import tarfile

import pytest

from faketree import PATCH, make_patches, make_tree
from tsqlab.errors import TsqlabError, UsageError
from tsqlab.kernels import Recipe, build, built
from tsqlab.kernels.cache import made
from tsqlab.kernels.config import check_config
from tsqlab.kernels.make import Build, make
from tsqlab.kernels.names import named, recipe_of, remember
from tsqlab.kernels.source import changes, find_source, history, patched_tree, patches_of
from tsqlab.keys import key_of, key_of_files


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TSQLAB_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def tree(tmp_path):
    return make_tree(tmp_path / "tree")


def test_keys_tell_parts_apart():
    assert key_of("ab", "c") != key_of("a", "bc")
    assert key_of("a") == key_of(b"a")


def test_a_key_of_files_is_their_names_and_content(tree):
    before = key_of_files(tree.rglob("file"), tree)
    (tree / "file").write_text("new\n")
    assert key_of_files(tree.rglob("file"), tree) != before


def test_what_failed_is_made_again(tmp_path):
    def fail(folder):
        (folder / "half").touch()
        raise TsqlabError("no")

    with pytest.raises(TsqlabError):
        made(tmp_path / "x", fail)
    made(tmp_path / "x", lambda folder: (folder / "all").touch())
    assert not (tmp_path / "x" / "half").exists()


def test_two_makers_make_once(tmp_path):
    program = (
        "import sys, time; from pathlib import Path; from tsqlab.kernels.cache import made\n"
        "def make(folder):\n"
        "    time.sleep(0.5)\n"
        "    print('made')\n"
        f"made(Path({str(tmp_path / 'x')!r}), make)"
    )
    makers = [
        subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) for _ in range(2)
    ]
    assert sum(maker.communicate()[0].count(b"made") for maker in makers) == 1


def test_a_cache_that_cannot_be_written_says_so(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(TsqlabError, match="TSQLAB_CACHE names another place"):
        made(tmp_path / "file" / "x", lambda _: None)


@pytest.mark.parametrize("damage", ["cut", "empty", "missing", "no list", "list cut"])
def test_a_file_that_lost_its_end_is_made_again(damage, tmp_path):
    runs = []

    def make(folder):
        runs.append(folder)
        (folder / "linux").write_bytes(b"x" * 1000)
        (folder / "log").touch()

    folder = made(tmp_path / "x", make, ("linux",))
    (folder / "log").unlink()
    made(folder, make, ("linux",))
    assert len(runs) == 1, "nobody needs the log"
    image, whole = folder / "linux", folder / ".whole"
    if damage in ("cut", "empty"):
        image.write_bytes(b"x" * (500 if damage == "cut" else 0))
    elif damage == "missing":
        image.unlink()
    elif damage == "no list":
        whole.unlink()
    else:
        whole.write_bytes(whole.read_bytes()[:-3])
    made(folder, make, ("linux",))
    assert (len(runs), image.stat().st_size) == (2, 1000)


def test_what_was_whole_once_goes_in_one_step(tmp_path, monkeypatch):
    """A make that goes on must not be given what a removal has left that was cut off."""

    def refuse(*_, **__):
        raise KeyboardInterrupt

    folder = tmp_path / "cache" / "linux" / "x"
    made(folder, lambda new: (new / "linux").write_text("whole"), ("linux",))
    (folder / "linux").write_text("damaged")
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("shutil.rmtree", refuse)
        made(folder, lambda _: None, ("linux",), goes_on=True)
    seen = []
    made(folder, lambda new: seen.extend(new.iterdir()), ("linux",), goes_on=True)
    assert seen == []


def test_what_was_made_before_files_were_listed_is_whole(tmp_path):
    made(tmp_path / "x", lambda _: None)
    (tmp_path / "x" / ".whole").write_bytes(b"")
    made(tmp_path / "x", lambda _: pytest.fail("made again"), ("linux",))


def test_a_cache_that_must_not_be_read(tmp_path, monkeypatch):
    """Root may read everything, so that the refusal is made up."""

    def refuse(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("pathlib.Path.read_bytes", refuse)
    with pytest.raises(TsqlabError, match="Permission denied; TSQLAB_CACHE names another place"):
        made(tmp_path / "x", lambda _: None)


def test_a_kernel_that_is_being_made_is_not_listed(tmp_path):
    folder = tmp_path / "cache" / "linux" / "6.12-0123"
    folder.mkdir(parents=True)
    (folder / "tsqlab.json").touch()
    assert list(built()) == []


@pytest.mark.parametrize("text", ["", "[", "[]", "{}", "[" * 100_000, '{"version": "6.12"}'])
def test_a_build_that_does_not_know_itself(text, tmp_path):
    folder = tmp_path / "cache" / "linux" / "6.12-0123"
    folder.mkdir(parents=True)
    (folder / "tsqlab.json").write_text(text)
    (folder / ".whole").touch()
    with pytest.raises(TsqlabError, match=r"tsqlab\.json: damaged .* remove .*6\.12-0123 and it"):
        list(built())


@pytest.mark.parametrize("text", ["", "[", "[]", "5", "{}", "[" * 100_000])
def test_a_remembered_kernel_that_is_damaged(text, tmp_path):
    folder = tmp_path / "cache" / "names"
    folder.mkdir(parents=True)
    (folder / "mine.json").write_text(text)
    with pytest.raises(TsqlabError, match=r"mine\.json: damaged .*; remove it"):
        named()


def test_a_kernel_is_not_remembered_in_a_file(tree, tmp_path):
    (tmp_path / "cache").touch()
    with pytest.raises(TsqlabError, match="cache/names: cannot be written"):
        remember("mine", Recipe(source=tree))


@pytest.mark.parametrize("name", ["a b", "a:b"])
def test_a_cache_in_which_kbuild_refuses_to_build(name, tree, tmp_path, monkeypatch):
    monkeypatch.setenv("TSQLAB_CACHE", str(tmp_path / name))
    with pytest.raises(UsageError, match=r"no kernel builds in .*; TSQLAB_CACHE names another"):
        build(Recipe(source=tree))


def test_a_tarball_is_unpacked(tree, tmp_path):
    with tarfile.open(tmp_path / "linux-6.13.tar.gz", "w:gz") as tar:
        tar.add(tree, "linux-6.13")
    source = find_source(None, tmp_path / "linux-6.13.tar.gz")
    assert source.version == "6.13"
    assert (patched_tree(source, []) / "file").read_text() == "old\n"


def test_a_newer_tree_takes_the_nearest_series(tree):
    assert find_source(None, tree).version == "6.13"
    assert {path.parts[-3] for path in patches_of("6.13", None)} == {"6.12"}
    assert {path.parts[-3] for path in patches_of("6.6", None)} == {"6.1"}
    with pytest.raises(UsageError, match=r"no patches in kernel/patches for 5\.10"):
        patches_of("5.10", None)


def test_a_patchs_message_is_no_reason_to_build_again(tmp_path):
    one, other = tmp_path / "one.patch", tmp_path / "other.patch"
    one.write_text(f"Subject: one\n---\n\ndiff --git a/file b/file\n{PATCH}")
    other.write_text(f"Subject: other\n---\n\ndiff --git a/file b/file\n{PATCH}")
    assert changes([one]) == changes([other]) != b""
    other.write_text(one.read_text().replace("+new", "+newer"))
    assert changes([one]) != changes([other])


def test_a_patch_that_does_not_apply_is_named(tree, tmp_path):
    with tarfile.open(tmp_path / "linux-6.13.tar.gz", "w:gz") as tar:
        tar.add(tree, "linux-6.13")
    patches = make_patches(tmp_path / "patches", PATCH.replace("-old", "-other"))
    with pytest.raises(
        TsqlabError, match=r"(?s)0001-x\.patch does not apply to .*gz:.*file.*-other"
    ):
        patched_tree(find_source(None, tmp_path / "linux-6.13.tar.gz"), patches_of("6.13", patches))


def test_a_source_that_is_not_there():
    with pytest.raises(UsageError, match=r"apt-get install linux-source-9\.9"):
        find_source("9.9", None)


def test_an_option_that_is_not_granted_is_an_error():
    with pytest.raises(TsqlabError, match="CONFIG_B=y"):
        check_config("CONFIG_A=y\nCONFIG_B=y\nCONFIG_C=n\n", "CONFIG_A=y\n# CONFIG_B is not set\n")


def test_a_failed_build_shows_the_compilers_lines(tmp_path):
    (tmp_path / "Makefile").write_text(
        "all:\n\t@for i in $$(seq 100); do echo chatter; done\n"
        "\t@echo 'x.c:1:2: error: no such thing'; false\n"
    )
    with pytest.raises(TsqlabError, match=r"x\.c:1:2: error: no such thing") as caught:
        make(Build(tmp_path, tmp_path), ["all"], tmp_path / "log")
    assert str(caught.value).count("chatter") < 10


def test_a_tree_has_one_name_while_it_is_compiled_and_its_own_in_errors(tmp_path):
    output = tmp_path / "output"
    output.mkdir()
    for name in ("a", "b"):
        tree = tmp_path / name
        tree.mkdir()
        (tree / "Makefile").write_text("all:\n\t@echo $(srctree)/x.c:1:2: error: /tree/y; false\n")
        with pytest.raises(TsqlabError, match=rf"{tree}/x\.c:1:2: error: /tree/y"):
            make(Build(tree, output), ["all"], tmp_path / "log")
        assert "\ntree/x.c:1:2" in (tmp_path / "log").read_text()
        assert (output / "tree").resolve() == tree


def test_kernels_have_names(tmp_path):
    recipe = Recipe(source=tmp_path, hz=250)
    remember("net-next", recipe)
    assert named() == {"net-next": recipe}
    assert recipe_of("net-next") == recipe
    assert recipe_of("6.1") == Recipe(version="6.1")
    with pytest.raises(UsageError, match=r'no kernel "nn"; there are 6.12, 6.1, .*, net-next'):
        recipe_of("nn")
    with pytest.raises(UsageError, match="is no name for a kernel"):
        remember("../x", recipe)


def test_a_kernel_may_lack_changes_that_history_takes_back():
    first, second = "cwnd-memory", "hystart-usec"
    assert {first, second, "tso-grow"} <= set(history())
    both = recipe_of(f"6.1-without-{first}-without-{second}")
    assert both == Recipe(version="6.1", without=(first, second))
    with pytest.raises(UsageError, match=f"6.12-without-{first}"):
        recipe_of("6.12-without-nothing")
    with pytest.raises(UsageError, match="no kernel"):
        recipe_of("6.1-without-tso-grow")  # which came with v6.10
