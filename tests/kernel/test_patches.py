# SPDX-License-Identifier: GPL-2.0-or-later
"""Each series applies as a maintainer would apply it, and each patch builds alone."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import alone
from tsqlab.errors import TsqlabError
from tsqlab.experiment.era import ERAS
from tsqlab.kernels import Recipe, build, series
from tsqlab.kernels.cache import made
from tsqlab.kernels.config import fragment_text, fragments_for
from tsqlab.kernels.source import (
    ADDED,
    SERIES,
    added_patches,
    changes,
    find_source,
    history,
    patched_tree,
    patches_in,
    patches_of,
    versions,
)
from tsqlab.keys import key_of
from tsqlab.paths import cache

pytestmark = pytest.mark.kernels

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
    """The tree of a version with both series: the one that the guests' kernel is built from."""
    return lambda version: patched_tree(find_source(version, None), patches_of(version, None))


def options(version, arch):
    if arch != "um":
        return (HERE / f"{arch}.config").read_text()
    text = "".join(patch.read_text() for patch in patches_of(version, None))
    return fragment_text(1000, fragments_for(text))


@pytest.fixture
def stock(patched, tmp_path):
    """A repository with what a version's stock kernel has of the files that are changed."""

    def make(version):
        patches, tree, repository = patches_of(version, None), patched(version), tmp_path / "stock"
        everywhere = [*patches, *added_patches(version, ADDED)]
        touched = {name for patch in everywhere for name in alone.change(patch).files}
        for name in (name for name in touched if (tree / name).exists()):
            (repository / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(tree / name, repository / name)
        for patch in reversed(patches):
            alone.apply(patch, repository, "-R")
        git(repository, "init", "-q")
        git(repository, "add", "-A", "-f")
        git(repository, "commit", "-q", "-m", "stock")
        return repository

    return make


def am(repository, patches):
    for patch in patches:
        done = git(repository, "am", "--whitespace=error", str(patch))
        assert not done.returncode, f"{patch}: {done.stdout}{done.stderr}"


@pytest.mark.parametrize("version", versions())
def test_the_series_apply_one_above_the_other(patched, stock, version):
    repository, tree = stock(version), patched(version)
    am(repository, patches_of(version, None))
    for name in git(repository, "ls-files").stdout.splitlines():
        assert (repository / name).read_bytes() == (tree / name).read_bytes()


@pytest.mark.parametrize("name", (*SERIES, *ADDED))
@pytest.mark.parametrize("version", versions())
def test_each_series_applies_to_the_stock_kernel(stock, version, name):
    """And its cover letter ends with the figures that git format-patch would give it."""
    repository, patches = stock(version), patches_in(name, version)
    start = git(repository, "rev-parse", "HEAD").stdout.strip()
    am(repository, patches)
    letter = (patches[0].parent / "0000-cover-letter.txt").read_text()
    assert letter.endswith("\n\n" + git(repository, "diff", "--stat=72", "--summary", start).stdout)


def rewrite(file, pattern, with_what):
    """Replace a text that is there once."""
    text, count = re.subn(pattern, with_what, file.read_text(), flags=re.S)
    assert count == 1, f"{file}: {pattern}"
    file.write_text(text)


@pytest.mark.parametrize("version", versions())
def test_cotsq_applies_above_a_bbr_of_another_tree(stock, version):
    """Where BBRv2's and BBRv3's trees differ from stock's, no hunk may lean on stock's lines.

    They let a congestion control decide how many segments an skb has, reset a field of their own at
    the end of tcp_disconnect(), and know one default more.
    """
    repository = stock(version)
    ipv4 = repository / "net/ipv4"
    rewrite(
        ipv4 / "tcp_output.c",
        r"(static u32 tcp_tso_segs\(.*?\n\{\n).*?(\n\treturn min_t[^\n]*\n\})",
        r"\1\tu32 tso_segs = other_tso_segs(sk, mss_now);\n\2",
    )
    rewrite(ipv4 / "tcp.c", r"(\n\ttp->rcv_ooopack = 0;\n)", r"\1\ttp->other = 0;\n")
    rewrite(ipv4 / "Kconfig", r'(\n\tdefault "bbr" if DEFAULT_BBR\n)', r'\1\tdefault "o" if O\n')
    git(repository, "commit", "-q", "-a", "-m", "another tree's")
    am(repository, patches_in("tcp", version))


@pytest.mark.parametrize("version", versions())
def test_what_is_added_applies_above_the_series(stock, version):
    repository = stock(version)
    am(repository, [*patches_of(version, None), *added_patches(version, ADDED)])


@pytest.mark.parametrize(
    ("version", "name"), [(version, name) for version in versions() for name in history(version)]
)
def test_history_applies_above_the_series(patched, version, name):
    command = ["patch", "-p1", "-N", "--dry-run", "-d", str(patched(version))]
    done = subprocess.run([*command, "-i", str(history()[name])], capture_output=True, text=True)
    assert not done.returncode, done.stdout


@pytest.mark.parametrize("names", [list, reversed], ids=["in order", "the other way round"])
@pytest.mark.parametrize("version", versions())
def test_history_applies_one_above_the_other(patched, version, names):
    """In any order, so those of each era do. What is said of a patch alone is said above."""
    tree, patches = patched(version), [*names(list(history(version).values()))]

    def read(name):
        return (tree / name).read_bytes()

    assert set(series.patched(tree, read, patches)) == set(series.touched(patches))


@pytest.mark.parametrize("era", [era for era in ERAS.values() if era.patches], ids=lambda e: e.name)
def test_an_era_s_kernel_is_built(era):
    """Of each: they are what an experiment runs. Compilers' warnings would be the patches'."""
    kernel = build(Recipe(version="6.12", without=era.patches))
    assert kernel.cotsq
    assert kernel.linux.is_file()
    log = (kernel.linux.parent / "build.log").read_text()
    assert "warning:" not in log
    objects = [line.split()[-1] for line in log.splitlines() if line.startswith("  CC  ")]
    assert len(objects) < 30, "the others are those of the kernel without the patches"


@pytest.mark.parametrize("arch", alone.AREAS)
@pytest.mark.parametrize("version", versions())
def test_each_patch_builds_alone(patched, version, arch):
    patches = patches_of(version, None)
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
