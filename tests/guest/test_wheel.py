# SPDX-License-Identifier: GPL-2.0-or-later
"""The wheels: in an environment of their own, without a compiler, from any folder.

tests/wheel does the same on machines of other distributions, with the whole wheel.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from tsqlab.paths import ROOT

CELL = ("--set", "era=today", "--set", "tsq=CoTSQ", "--set", "seed=1", "--set", "length=2 s",
        "--set", "delay=500 ms")  # fmt: skip


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    """Both, and the second one with the kernel of today only."""
    folder = tmp_path_factory.mktemp("wheels")
    build = [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", folder, ROOT]
    subprocess.run(build, check=True, capture_output=True)
    tool = [sys.executable, ROOT / "tools" / "kernels_wheel.py", folder, "--era", "today"]
    subprocess.run(tool, check=True, capture_output=True)
    return sorted(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def environment(wheels, tmp_path_factory):
    """A fresh environment with the wheels, which has what they depend on from this one."""
    folder = tmp_path_factory.mktemp("venv")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-index"]
    subprocess.run([*pip, "--no-deps", *wheels], check=True)
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "others.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder


@pytest.fixture
def tsqlab(environment, tmp_path):
    """Run tsqlab of that environment, in an empty folder, with next to no programs."""
    (tmp_path / "bin").mkdir()
    for name in ("bwrap", "env", "taskset"):
        (tmp_path / "bin" / name).symlink_to(shutil.which(name))
    (tmp_path / "here").mkdir()

    def run(*words):
        return subprocess.run(
            [environment / "bin" / "tsqlab", *words], cwd=tmp_path / "here",
            env={"PATH": str(tmp_path / "bin"), "HOME": str(tmp_path)},
            capture_output=True, text=True,
        )  # fmt: skip

    return run


def test_the_wheel_has_all_that_the_checkout_has(wheels):
    """Each file of the folders that it bundles, and nothing that git does not know."""
    rooms = ("agent", "experiments", "kernel", "wqm", "src/tsqlab")
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others",
                             "--exclude-standard", *rooms],
                            capture_output=True, text=True, check=True).stdout  # fmt: skip
    files = {name for name in listed.split("\0") if name and (ROOT / name).is_file()}
    expected = {
        name.removeprefix("src/") if name.startswith("src/") else f"tsqlab/bundled/{name}"
        for name in files
    }
    (wheel,) = (path for path in wheels if path.name.startswith("tsqlab-"))
    with zipfile.ZipFile(wheel) as archive:
        there = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert "tsqlab-0.1.0.data/data/share/man/man1/tsqlab.1" in there
    there = {name for name in there if ".data/" not in name}
    assert there == expected


@pytest.mark.usefixtures("kernel")
def test_the_wheel_of_kernels_names_its_sources_and_its_tag(wheels):
    (wheel,) = (path for path in wheels if path.name.startswith("tsqlab_kernels-"))
    assert wheel.name.partition("-py3-none-")[2].startswith("manylinux_2_")
    with zipfile.ZipFile(wheel) as archive:
        (notice,) = (name for name in archive.namelist() if name.endswith("/NOTICE.md"))
        said = archive.read(notice).decode()
        names = set(archive.namelist())
    assert "gcc" in said and "| iproute2 |" in said and "| libc6 |" in said and "{" not in said
    assert "tsqlab_kernels/sources/config/6.12.config" in names
    assert "tsqlab_kernels/sources/kernel/modules/airlink/main.c" in names
    for patch in (ROOT / "kernel" / "patches" / "6.12").rglob("*.patch"):
        named = f"`{patch.relative_to(ROOT / 'kernel' / 'patches')}`" in said
        assert named or patch.parent.name == "trace"
        assert f"tsqlab_kernels/sources/{patch.relative_to(ROOT)}" in names


@pytest.mark.usefixtures("kernel")
def test_installed_it_lists_what_there_is(tsqlab):
    said = tsqlab("list").stdout
    assert "cotsq-3" in said and "ath9k_htc" in said
    assert "6.12" in tsqlab("kernel", "list").stdout
    built = tsqlab("kernel", "build")
    assert "tsqlab_kernels/linux/6.12/linux" in built.stdout, built.stderr


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize(("device", "sandbox"), [("ath9k_htc", "bwrap"), ("ath9k", "none")])
def test_a_cell_of_the_wheel_is_the_checkout_s_to_the_byte(tsqlab, tmp_path, device, sandbox):
    """A radio without and one below mac80211, so that ip, tc, iw and hostapd are all used.

    The second one without bubblewrap. Neither a compiler nor any program of guests is in its PATH,
    and its cache is empty.
    """
    cell = ("run", "cotsq-3", *CELL, "--set", f"device={device}")
    done = tsqlab(*cell, "--out", "results", "--sandbox", sandbox)
    assert done.returncode == 0, done.stderr
    own = [sys.executable, "-m", "tsqlab.cli", *cell, "--out", tmp_path / "own"]
    subprocess.run(own, check=True, capture_output=True, env={**os.environ})
    (theirs,) = (tmp_path / "here" / "results").glob("*.flent.gz")
    assert theirs.read_bytes() == (tmp_path / "own" / theirs.name).read_bytes()
    assert not (tmp_path / ".cache").exists() or not list(Path(tmp_path, ".cache").rglob("linux"))


@pytest.mark.usefixtures("kernel")
def test_what_the_wheel_lacks_is_said(tsqlab):
    done = tsqlab("run", "cotsq-3", "--set", "seed=1")
    assert done.returncode == 1
    assert "without 15 changes: tsqlab-kernels" in done.stderr
    assert "has no such kernel, and nothing builds one here" in done.stderr
