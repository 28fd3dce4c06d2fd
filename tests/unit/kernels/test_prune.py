# SPDX-License-Identifier: GPL-2.0-or-later
"""What was used longest ago goes first, and never what is in use or what something else needs."""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import threading
from pathlib import Path

import pytest

from faketree import make_tree
from tsqlab.cli import main
from tsqlab.errors import UsageError
from tsqlab.kernels import Recipe, build, cache, prune
from tsqlab.kernels.cache import WHOLE, made
from tsqlab.kernels.prune import BYTES, Entry, chosen, entries, in_use, kept, remove, whole_kernels
from tsqlab.kernels.workshop import trees

MIB = 1 << 20


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A cache of the test's own."""
    path = tmp_path / "cache"
    monkeypatch.setenv("TSQLAB_CACHE", str(path))
    monkeypatch.setattr(cache, "_USED", {})
    monkeypatch.setattr(prune, "default_folders", lambda: [path / "linux" / "none"])
    return path


def add(folder, name, used_s, *, mib=1, tree=None):
    """An entry of *mib*, last used then; a kernel was built from the entry *tree*."""
    path = folder / name
    path.mkdir(parents=True)
    (path / "content").write_bytes(b"x" * (mib * MIB))
    if tree:
        (path / "tsqlab.json").write_text(json.dumps({"tree": str(folder / tree)}))
    (path / WHOLE).write_text("{}")
    os.utime(path / WHOLE, (used_s, used_s))
    return path


def link(folder, name, base, used_s):
    """A tree of links to another."""
    path = add(folder, name, used_s, mib=0)
    (path / "kernel").symlink_to(folder / base / "kernel")
    return path


def names(found):
    return [entry.name for entry in found]


def bound(mib):
    """In MiB, with room for the folders themselves."""
    return mib * MIB + MIB // 2


def test_the_oldest_goes_first_and_no_more_than_is_needed(folder):
    for day, name in enumerate(("linux/6.12-a", "linux/6.12-b", "linux/6.12-c", "agent/d")):
        add(folder, name, 1000 + day)
    found = entries()
    assert names(found) == ["agent/d", "linux/6.12-c", "linux/6.12-b", "linux/6.12-a"]
    assert names(chosen(found, bound(4), ())) == []
    assert names(chosen(found, bound(2), ())) == ["linux/6.12-a", "linux/6.12-b"]
    assert names(chosen(found, 0, {folder / "linux" / "6.12-b"})) == [
        "linux/6.12-a", "linux/6.12-c", "agent/d",
    ]  # fmt: skip


def test_a_tree_goes_with_the_last_kernel_that_needs_it(folder):
    add(folder, "src/6.12-t", 1, mib=4)
    add(folder, "linux/6.12-a", 10, tree="src/6.12-t")
    add(folder, "linux/6.12-b", 30, tree="src/6.12-t")
    add(folder, "agent/c", 20)
    found = entries()
    assert next(entry.used_s for entry in found if entry.name == "src/6.12-t") == 30
    assert names(chosen(found, bound(6), ())) == ["linux/6.12-a"]
    assert names(chosen(found, bound(5), ())) == ["linux/6.12-a", "agent/c"]
    assert names(chosen(found, 0, ())) == ["linux/6.12-a", "agent/c", "linux/6.12-b", "src/6.12-t"]


def test_a_tree_of_links_keeps_the_one_that_it_leads_to(folder):
    add(folder, "src/6.12-base", 1, mib=4)
    link(folder, "src/6.12-links", "src/6.12-base", 2)
    kernel = add(folder, "linux/6.12-old", 9, tree="src/6.12-links")
    found = entries()
    assert {entry.used_s for entry in found} == {9}
    assert chosen(found, 0, {kernel}) == []
    assert names(chosen(found, 0, ())) == ["linux/6.12-old", "src/6.12-links", "src/6.12-base"]


def test_a_kernel_that_is_being_built_keeps_its_tree(folder):
    """It says which by a link, before it has a tsqlab.json."""
    add(folder, "src/6.12-t", 1, mib=4)
    unfinished = add(folder, "linux/6.12-a", 1)
    (unfinished / WHOLE).unlink()
    (unfinished / "tree").symlink_to(folder / "src" / "6.12-t")
    assert chosen(entries(), 0, {unfinished}) == []


def test_what_is_in_use_stays_and_its_use_is_remembered(folder):
    used = add(folder, "linux/6.12-a", 1)
    add(folder, "linux/6.12-b", 2)
    assert made(used, pytest.fail) == used
    found = entries()
    assert names(found) == ["linux/6.12-a", "linux/6.12-b"]
    assert kept(found) == {used, folder / "linux" / "none"}
    assert names(prune.prune(0)) == ["linux/6.12-b"]
    assert names(remove(found)) == [], "not even if it was chosen before it was in use"
    assert used.is_dir()


def test_another_process_that_uses_it_keeps_it_until_its_end(folder):
    used = add(folder, "linux/6.12-a", 1)
    script = (
        "import sys; from pathlib import Path; from tsqlab.kernels.cache import made;"
        "made(Path(sys.argv[1]), None); print(flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, used], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        other.stdout.readline()
        assert prune.prune(0) == []
        other.stdin.close()
        other.wait()
    assert names(prune.prune(0)) == ["linux/6.12-a"]


def test_what_is_being_made_stays(folder):
    path = folder / "linux" / "6.12-a"

    def make(inside):
        (inside / "linux").write_bytes(b"x" * MIB)
        assert in_use(Entry(path, prune.KERNEL, 1, 1.0))
        assert prune.prune(0) == []

    made(path, make)
    assert (path / WHOLE).exists()


def test_a_tree_stays_if_a_kernel_has_come_that_needs_it(folder):
    add(folder, "src/6.12-t", 1)
    found = entries()
    add(folder, "linux/6.12-new", 5, tree="src/6.12-t")
    assert remove(found) == []
    assert (folder / "src" / "6.12-t").is_dir()


def test_what_goes_is_gone_in_one_step(folder, monkeypatch):
    """Cut off while it removes, it leaves nothing that would be taken for whole."""
    path = add(folder, "linux/6.12-a", 1)
    (path / "linux").touch()

    def cut(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "rmtree", cut)
        with pytest.raises(KeyboardInterrupt):
            prune.prune(0)
    assert not path.exists()
    assert list((folder / "removed").iterdir())
    made(path, lambda inside: (inside / "linux").touch())
    assert main(["kernel", "prune"]) == 0, "there is nothing to remove but what is left"
    assert list((folder / "removed").iterdir()) == []
    assert (path / "linux").exists()


def test_made_and_pruned_at_once_it_is_whole_or_made_again(folder):
    """Whoever is given a folder has all of it, whatever is pruned beside."""
    path, ends = folder / "linux" / "6.12-a", threading.Event()
    script = (
        "import sys; from pathlib import Path; from tsqlab.kernels.cache import made;"
        "path = Path(sys.argv[1]);"
        "made(path, lambda inside: (inside / 'linux').write_text('whole'), ('linux',));"
        "sys.exit(0 if (path / 'linux').read_text() == 'whole' else 1)"
    )
    pruned = []

    def prunes():
        while not ends.is_set():
            pruned.extend(prune.prune(0))

    pruner = threading.Thread(target=prunes)
    pruner.start()
    try:
        for _ in range(12):
            done = subprocess.run(
                [sys.executable, "-c", script, path], capture_output=True, text=True, check=False
            )
            assert (done.returncode, done.stderr) == (0, "")
    finally:
        ends.set()
        pruner.join()
    assert pruned, "there was nothing to meet"


def test_a_workshop_that_was_pruned_is_found_no_more(folder):
    workshop = trees() / "linux-1"
    workshop.mkdir(parents=True)
    (workshop / "workshop.json").write_text('{"tree": "/nowhere"}')
    assert names(prune.prune(0)) == ["trees/linux-1"]
    assert not list(trees().glob("*/workshop.json"))
    assert not [path for path in folder.iterdir() if path.name == "linux-1"]


def test_what_is_not_of_the_lab_stays(folder):
    for name in ("host/debs", "names/x", "profiles/6.12-a"):
        add(folder, name, 1)
    (folder / "linux-6.12.1.tar.xz").touch()
    prune.prune(0)
    assert sorted(path.name for path in folder.iterdir()) == [
        "host", "linux-6.12.1.tar.xz", "names", "profiles",
    ]  # fmt: skip


def test_a_size_is_measured_once(folder, monkeypatch):
    add(folder, "linux/6.12-a", 1)
    before = entries()
    monkeypatch.setattr(prune, "_size", pytest.fail)
    assert entries() == before


def test_sizes_that_are_damaged_are_measured_again(folder):
    add(folder, "linux/6.12-a", 1)
    before = entries()
    (folder / "sizes.json").write_text('{"nonsense": [], "x": "y"}')
    assert entries() == before


@pytest.mark.parametrize(
    ("text", "bytes_max"),
    [("none", None), ("1000", 1000), ("2 GiB", 2 << 30), ("", 20 << 30), ("0", 0)],
)
def test_the_bound_is_as_written(monkeypatch, text, bytes_max):
    monkeypatch.setenv(BYTES, text)
    assert prune.bytes_max() == bytes_max


@pytest.mark.parametrize("text", ["much", "-1", "20 GiBs", "١"])
def test_a_bound_that_is_none(monkeypatch, text):
    monkeypatch.setenv(BYTES, text)
    with pytest.raises(UsageError, match=BYTES):
        prune.bytes_max()


def test_the_commands_say_what_goes(folder, capsys):
    add(folder, "src/6.12-t", 1, mib=4)
    add(folder, "linux/6.12-a", 86400, tree="src/6.12-t")
    add(folder, "linux/6.12-b", 2 * 86400)
    assert main(["kernel", "list", "--sizes"]) == 0
    listed = capsys.readouterr().out
    assert [line.split()[-1] for line in listed.splitlines()[:3]] == [
        "linux/6.12-b", "linux/6.12-a", "src/6.12-t",
    ]  # fmt: skip
    assert main(["kernel", "prune", "--dry-run", "--to", "2 MiB"]) == 0
    said = capsys.readouterr().out
    assert "it would free" in said
    assert "6.12-t" in said
    assert len(whole_kernels()) == 2
    assert main(["kernel", "prune", "--to", "2 MiB"]) == 0
    assert names(entries()) == ["linux/6.12-b"]
    assert main(["kernel", "prune", "--to", "2 MiB"]) == 0
    assert "nothing to remove" in capsys.readouterr().out.splitlines()[-1]


def test_what_cannot_be_had_is_an_error(folder, capsys):
    made(add(folder, "linux/6.12-a", 1), pytest.fail)
    assert main(["kernel", "prune", "--to", "1"]) == 1
    assert "cannot be had" in capsys.readouterr().err


@pytest.fixture
def tarball(tmp_path):
    tree = make_tree(tmp_path / "tree")
    with tarfile.open(tmp_path / "linux-6.13.tar.gz", "w:gz") as tar:
        tar.add(tree, "linux-6.13")
    (tmp_path / "patches").mkdir()
    (tmp_path / "patches" / "0001-x.patch").write_text(
        "A message.\n\n--- a/file\n+++ b/file\n@@ -1 +1 @@\n-old\n+new\n"
    )
    return tmp_path / "linux-6.13.tar.gz"


def test_a_build_has_the_bound_and_says_what_went(folder, tarball, monkeypatch, capsys):
    old = add(folder, "linux/6.12-a", 1, mib=3)
    monkeypatch.setenv(BYTES, "2 MiB")
    words = ["kernel", "build", "--source", str(tarball), "--patches",
             str(tarball.parent / "patches"), "--guided", "no"]  # fmt: skip
    assert main(words) == 0
    said = capsys.readouterr()
    lines = [line for line in (said.out + said.err).splitlines() if "removed from the" in line]
    assert len(lines) == 1
    assert "1 kernel" in lines[0]
    assert not old.exists()
    late = add(folder, "linux/6.12-b", 1, mib=3)
    assert main(words) == 0
    assert late.exists(), "a build that finds its kernel there removes nothing"


def test_what_a_pruned_kernel_had_is_made_again(folder, tarball, monkeypatch):
    recipe = Recipe(source=tarball, patches=tarball.parent / "patches", guided=False)
    kernel = build(recipe)
    tree = Path(json.loads((kernel.linux.parent / "tsqlab.json").read_text())["tree"])
    for fd in cache._USED.values():
        os.close(fd)
    monkeypatch.setattr(cache, "_USED", {})
    gone = names(prune.prune(0))
    assert gone.index(f"src/{tree.name}") > gone.index(f"linux/{kernel.linux.parent.name}")
    assert not tree.exists()
    assert not list((folder / "removed").iterdir())
    assert build(recipe).id == kernel.id
    assert tree.exists()
