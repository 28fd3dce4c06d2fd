# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel's own checkers on our modules and patches: a minute of CPU time, in test-kernels."""

import fnmatch
import re
import shutil
import subprocess

import pytest

from tsqlab.kernels.build import make_modules
from tsqlab.kernels.make import Build
from tsqlab.kernels.own_source import kbuild
from tsqlab.kernels.source import ADDED, added_patches, history, patches_of, versions
from tsqlab.paths import KERNEL_MODULES, ROOT

pytestmark = pytest.mark.kernels

MYCC = ROOT / "docs" / "own-module" / "mycc"
MODULES = sorted(path.parent.name for path in KERNEL_MODULES.glob("*/Kbuild"))


def check(tree, files, *options):
    """Hold each file against checkpatch."""
    command = ["perl", str(tree / "scripts" / "checkpatch.pl"), "--strict", "--no-tree", *options]
    for file in files:
        done = subprocess.run([*command, str(file)], capture_output=True, text=True)
        assert "total: 0 errors, 0 warnings, 0 checks" in done.stdout, done.stdout


@pytest.mark.parametrize("module", MODULES)
def test_checkpatch_is_content_with_the_modules(tree, module):
    files = [path for path in (KERNEL_MODULES / module).rglob("*") if path.suffix in (".c", ".h")]
    assert files
    check(tree, files, "-f")


def test_checkpatch_is_content_with_the_module_of_the_tutorial(tree):
    check(tree, [MYCC / "mycc.c"], "-f")


@pytest.mark.parametrize("version", versions())
def test_checkpatch_is_content_with_the_series(tree, version):
    # Commits of upstream are not in the project's own repository.
    # Whether new files have a maintainer is the next test's question, which looks for the answer.
    patches = [*patches_of(version, None), *added_patches(version, ADDED)]
    check(tree, patches, "--ignore", "UNKNOWN_COMMIT_ID,FILE_PATH_CHANGES")


@pytest.mark.parametrize("version", versions())
def test_new_files_of_the_series_have_a_maintainer(tree, version):
    patterns = re.findall(r"^F:\s+(\S+)$", (tree / "MAINTAINERS").read_text(), re.MULTILINE)
    # The last two sections, on all files, are everybody's.
    patterns = [pattern for pattern in patterns if pattern not in ("*", "*/")]
    text = "".join(patch.read_text() for patch in patches_of(version, None))
    new = re.findall(r"^--- /dev/null\n\+\+\+ b/(\S+)$", text, re.MULTILINE)
    assert len(new) >= 2
    for name in new:
        assert any(fnmatch.fnmatch(name, pattern) for pattern in patterns), name


def test_checkpatch_is_content_with_history(tree):
    # As above.
    check(tree, history().values(), "--ignore", "UNKNOWN_COMMIT_ID")


@pytest.mark.parametrize("module", [*MODULES, MYCC.name])
def test_no_warnings_under_w1_and_sparse(kernel, tree, module, tmp_path):
    work = tmp_path / module
    shutil.copytree(MYCC if module == MYCC.name else KERNEL_MODULES / module, work)
    if module == MYCC.name:
        (work / "Kbuild").write_text(kbuild(module, ["mycc.c"]))
    make_modules(Build(tree, kernel.linux.parent), work, ["W=1", "C=2"])
    log = (tmp_path / f"{module}.log").read_text()
    assert f"CHECK   {work}" in log, "sparse has run"
    assert "warning:" not in log
    assert "error:" not in log
