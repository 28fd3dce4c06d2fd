# SPDX-License-Identifier: GPL-2.0-or-later
"""Each patch of the series applies as netdev's maintainers would, and builds alone."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

import alone
from tsqlab.errors import TsqlabError
from tsqlab.kernels.cache import made
from tsqlab.kernels.config import fragment_text, fragments_for
from tsqlab.kernels.source import changes, find_source, history, patched_tree, series, versions
from tsqlab.keys import key_of
from tsqlab.paths import cache

HERE = Path(__file__).parent


def git(folder, *words):
    nobody = {
        f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    config = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    return subprocess.run(
        ["git", "-C", str(folder), *words],
        env=os.environ | nobody | config,
        capture_output=True,
        text=True,
    )


@pytest.fixture(scope="session")
def patched():
    """The tree of a version with its series: the one that the guests' kernel is built from."""
    return lambda version: patched_tree(find_source(version, None), series(version, None))


def options(version, arch):
    if arch != "um":
        return (HERE / f"{arch}.config").read_text()
    text = "".join(patch.read_text() for patch in series(version, None))
    return fragment_text(1000, fragments_for(text))


@pytest.mark.parametrize("version", versions())
def test_all_patches_apply_with_git_am(patched, version, tmp_path):
    patches, tree = series(version, None), patched(version)
    stock = tmp_path / "stock"
    names = sorted({name for patch in patches for name in alone.change(patch).files})
    for name in names:
        (stock / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(tree / name, stock / name)
    for patch in reversed(patches):
        alone.apply(patch, stock, "-R")
    git(stock, "init", "-q")
    git(stock, "add", "-A", "-f")
    git(stock, "commit", "-q", "-m", "stock")
    for patch in patches:
        done = git(stock, "am", "--whitespace=error", str(patch))
        assert not done.returncode, f"{patch.name}: {done.stdout}{done.stderr}"
    for name in names:
        assert (stock / name).read_bytes() == (tree / name).read_bytes()


@pytest.mark.parametrize("name", history())
@pytest.mark.parametrize("version", versions())
def test_history_applies_above_the_series(patched, version, name):
    command = ["patch", "-p1", "-N", "--dry-run", "-d", str(patched(version))]
    done = subprocess.run([*command, "-i", str(history()[name])], capture_output=True, text=True)
    assert not done.returncode, done.stdout


@pytest.mark.parametrize("arch", alone.AREAS)
@pytest.mark.parametrize("version", versions())
def test_each_patch_builds_alone(patched, version, arch):
    patches = series(version, None)
    config = options(version, arch)
    compiler = subprocess.run(["gcc", "--version"], capture_output=True, check=True).stdout
    what = [changes([patch]) for patch in patches]
    how = Path(alone.__file__).read_bytes()
    key = key_of(find_source(version, None).key, *what, arch, config, compiler, how)

    def build(folder):
        stock = folder / "stock"
        stock.mkdir()
        try:
            alone.stock_tree(patched(version), patches, stock)
            alone.build_each(stock, patches, arch, config, folder)
        finally:  # what stays is the logs
            shutil.rmtree(stock)
            shutil.rmtree(folder / "build", ignore_errors=True)

    failure = None
    try:
        made(cache() / "alone" / f"{version}-{arch}-{key}", build)
    except TsqlabError as error:
        failure = str(error)
    if failure:
        pytest.fail(failure, pytrace=False)
