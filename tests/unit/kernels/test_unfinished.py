# SPDX-License-Identifier: GPL-2.0-or-later
"""What may be trusted in a folder in which make was killed."""

import os
import signal
import subprocess
import sys
import time

import pytest

from tsqlab.errors import TsqlabError
from tsqlab.kernels.make import Build, make
from tsqlab.kernels.unfinished import building, make_good
from waiting import is_free, wait_until


def write(path, age_s, text="x"):
    path.write_text(text)
    then = time.time() - age_s
    os.utime(path, (then, then))
    return path


def test_after_a_kill_what_was_written_last_goes_and_the_rest_stays(tmp_path):
    old, empty = write(tmp_path / "old.o", 100), write(tmp_path / "empty.o", 100, "")
    header, half = write(tmp_path / "asm-offsets.h", 100, ""), write(tmp_path / "half.o", 1)
    (tmp_path / "include" / "config").mkdir(parents=True)
    option = write(tmp_path / "include" / "config" / "FOO", 100, "")
    with pytest.raises(SystemExit), building(tmp_path):
        os.rename(tmp_path / ".tsqlab-builds", tmp_path / "mark")  # noqa: PTH104
        raise SystemExit
    (tmp_path / "mark").rename(tmp_path / ".tsqlab-builds")  # nobody came to remove it
    with building(tmp_path):
        assert old.exists()
        assert option.exists(), "include/config is full of empty files"
        assert not half.exists()
        assert not empty.exists()
        assert not header.exists()


def test_what_is_written_after_a_kill_is_not_what_was_written_last(tmp_path):
    half = write(tmp_path / "half.o", 100)
    (tmp_path / ".tsqlab-builds").touch()
    make_good(tmp_path)
    options = write(tmp_path / "wanted.config", 0)
    with building(tmp_path):
        assert options.exists()
        assert not half.exists()


def test_after_an_end_of_any_other_kind_all_is_good(tmp_path):
    with pytest.raises(KeyboardInterrupt), building(tmp_path):
        new = write(tmp_path / "new.o", 0)
        raise KeyboardInterrupt
    with building(tmp_path):
        assert new.exists()


SLOW = """\
all: a.o b.o c.o
	@:
%.o:
	@echo "  CC      $@"; [ $@ != b.o ] || [ -e quick ] || sleep 60
	@echo $@ >$@
"""


def test_a_make_that_outlives_its_tsqlab_is_waited_for(tmp_path):
    """It has the lock: two makes in one folder would write to the same objects."""
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "Makefile").write_text(SLOW)
    program = (
        "import sys; from pathlib import Path\n"
        "from tsqlab.kernels.cache import made\nfrom tsqlab.kernels.make import Build, make\n"
        f"tree = Path({str(tree)!r})\n"
        f"made(Path({str(tmp_path / 'x')!r}),"
        " lambda folder: make(Build(tree, folder, jobs=1), ['all'], folder / 'log'),"
        " goes_on=True)"
    )
    begun = subprocess.Popen([sys.executable, "-c", program], start_new_session=True)
    while not (tree / "a.o").exists():
        time.sleep(0.02)
    time.sleep(0.2)
    begun.kill()  # and not its make
    begun.wait()
    second = subprocess.Popen([sys.executable, "-c", program])
    with pytest.raises(subprocess.TimeoutExpired):
        second.wait(1.0)
    (tree / "quick").touch()
    os.killpg(begun.pid, signal.SIGTERM)
    assert second.wait(20) == 0
    assert (tree / "c.o").exists()


def test_a_program_that_outlives_its_tsqlab_is_waited_for(tmp_path):
    """It has the lock, too: cp would go on in a folder that is made anew."""
    runs = tmp_path / "runs"
    program = (
        "from pathlib import Path\nfrom tsqlab.kernels.cache import locked, ran\n"
        f"with locked(Path({str(tmp_path / 'x')!r})):\n"
        f"    ran(['sh', '-c', 'touch {runs}; exec sleep 60'])\n"
    )
    begun = subprocess.Popen([sys.executable, "-c", program], start_new_session=True)
    wait_until(runs.exists)
    begun.kill()
    begun.wait()
    assert not is_free(tmp_path / ".x.lock")
    os.killpg(begun.pid, signal.SIGTERM)
    wait_until(lambda: is_free(tmp_path / ".x.lock"))


def test_a_make_goes_on_where_one_was_interrupted(tmp_path):
    (tmp_path / "Makefile").write_text(SLOW)

    class Interrupt:
        def part(self, what):
            pass

        def count(self, done, *_):
            if done == 2:
                raise KeyboardInterrupt

    build = Build(tmp_path, tmp_path, jobs=1)
    with pytest.raises(KeyboardInterrupt):
        make(build, ["all"], tmp_path / "log", Interrupt())
    (tmp_path / "quick").touch()
    make(build, ["all"], tmp_path / "log")
    assert (tmp_path / "log").read_text().count("  CC ") == 2, "b.o and c.o; a.o is there"


@pytest.mark.parametrize("everything", ["all: b.o", "all:\n\t@$(MAKE) b.o"])
def test_what_a_killed_make_has_left_is_not_trusted(tmp_path, everything):
    """As when memory is short: it was killed, or the one below it was, and we were not."""
    tree, quick = tmp_path / "tree", tmp_path / "quick"
    tree.mkdir()
    rule = f"@echo half >$@; [ -e {quick} ] || {{ kill -9 $$PPID; exit 1; }}; echo whole >$@"
    (tree / "Makefile").write_text(f"{everything}\nb.o:\n\t{rule}\n")
    build = Build(tree, tree, jobs=1)
    with pytest.raises(TsqlabError, match="the build failed"):
        make(build, ["all"], tmp_path / "log")
    assert (tree / "b.o").exists()
    quick.touch()
    make(build, ["all"], tmp_path / "log")
    assert (tree / "b.o").read_text() == "whole\n"


def test_a_module_that_was_cut_off_leaves_its_kernel_alone(tmp_path):
    """Its make writes into its own folder, so there is the mark, and what is made again."""
    (tmp_path / "Makefile").write_text("modules:\n\t@ls $(M) $(O) -A >$(O)/seen\n")
    linux, module = tmp_path / "linux", tmp_path / "module"
    linux.mkdir()
    module.mkdir()
    kernel, source = write(linux / "vmlinux", 1), write(module / "front.c", 1)
    build = Build(tmp_path, linux, jobs=1, module=module)
    make(build, ["modules"], tmp_path / "log")
    during = (linux / "seen").read_text().split()
    assert during.count(".tsqlab-builds") == 1
    assert during.index(".tsqlab-builds") > during.index(f"{module}:")
    note = write(module / ".front.o.cmd", 1)
    (module / ".tsqlab-builds").touch()  # as if the first had been killed
    make(build, ["modules"], tmp_path / "log")
    assert kernel.exists()
    assert source.exists()
    assert not note.exists()
