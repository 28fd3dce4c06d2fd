# SPDX-License-Identifier: GPL-2.0-or-later
"""A kernel that is compiled by a profile of itself does what one does that is not."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tsqlab.experiment.era import ERAS
from tsqlab.experiment.matrix import Cell
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.guest.training import CellTraining
from tsqlab.kernels import Recipe, build
from tsqlab.kernels.guided import hot
from tsqlab.results.flent import read_flent
from tsqlab.runner.cell import Job, run_cell

pytestmark = pytest.mark.kernels  # it builds a kernel

# None is in the training: other qdiscs, controls, directions and losses, and IPv6's neighbour, UDP.
CELLS = {
    "wire": {"testbed": {"bottleneck": "R100M", "base_rtt": "20 ms",
                         "egress": {"C>R": {"qdisc": "sfq", "loss": "1 %"}}},
             "sender": {"congestion_control": "vegas"}},
    "down": {"testbed": {"layout": "wifi", "device": "ath9k"}, "flows": {"test": "tcp_download"}},
    "flood": {"testbed": {"layout": "wifi", "device": "ath9k_htc", "stations": 3},
              "flows": {"test": "udp_flood"}},
}  # fmt: skip


# Functions of tcp_output.c that no other file knows, and that a sender calls all the time.
STATIC = {"tcp_write_xmit", "tcp_event_new_data_sent", "tcp_select_window", "tcp_options_write",
          "tcp_established_options", "tcp_update_skb_after_send",
          "__tcp_transmit_skb"}  # fmt: skip


@pytest.fixture(scope="module")
def kernels():
    return build(Recipe(guided=False)), build(Recipe(), training=CellTraining())


@pytest.mark.parametrize("name", CELLS)
def test_a_profile_changes_no_result(kernels, name, tmp_path, cpu):
    assert kernels[0].id != kernels[1].id
    data = {"title": "", **CELLS[name]}
    data["flows"] = {**data.get("flows", {}), "length": "3 s", "delay": "0 s"}
    spec = Spec.model_validate(data)
    values = []
    for number, kernel in enumerate(kernels):
        folder = tmp_path / str(number)
        job = Job(Cell({}, spec), "key", load_profile(spec.testbed.device), kernel, folder)
        run_cell(job, cpu)
        values.append(read_flent(job.file)["raw_values"])
    assert values[0] == values[1]


def test_what_is_hot_is_there_and_was_counted(kernels):
    """A name that no object has any more, or which nothing runs, is to go from the list."""
    linux = kernels[1].linux.parent
    places = {name: [path.relative_to(linux) for path in linux.rglob(f"{name}.o")]
              for name in hot()}  # fmt: skip
    assert not [name for name, paths in places.items() if not paths]
    assert not [
        name
        for name, paths in places.items()
        if not any((linux / path).with_suffix(".gcda").exists() for path in paths)
    ]


@pytest.mark.parametrize("name", ["net/ipv4/tcp_output", "net/core/dev", "kernel/time/hrtimer"])
def test_the_compiler_has_found_the_counts(kernels, name):
    """What is called often is then in a section of its own; else gcc would only have warned."""
    found = [
        ".text.hot" in subprocess.run(
            ["readelf", "-SW", kernel.linux.parent / f"{name}.o"],
            capture_output=True, text=True, check=True,
        ).stdout
        for kernel in kernels
    ]  # fmt: skip
    assert found == [False, True]


def test_a_kernel_of_another_source_finds_the_counts_too(tmp_path):
    """Of static functions as well, which gcc knows by the name that their file has.

    Asked here without the flags that keep it quiet. What it is to write is named as it was, since
    that is part of a function's name, too. The counts may be older than a function, but not than
    these, which are static, and of each tree.
    """
    folder = build(Recipe(without=ERAS["4.16"].patches)).linux.parent
    (tmp_path / "net/ipv4").mkdir(parents=True)
    shutil.copy(folder / "net/ipv4/tcp_output.gcda", tmp_path / "net/ipv4")
    for name in ("tree", "include", "arch"):
        (tmp_path / name).symlink_to(folder / name)
    command = (folder / "net/ipv4/.tcp_output.o.cmd").read_text().splitlines()[0]
    loud = command.partition(" := ")[2].replace("-Wno-missing-profile", "-Wmissing-profile")
    assert "-Wmissing-profile" in loud
    said = subprocess.run(
        ["sh", "-c", loud], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stderr
    lost = set(re.findall(r"(\w+)\W* not found in profile data", said))
    assert lost.isdisjoint(STATIC)
    assert len(lost) < len(STATIC)


def test_no_makefile_has_flags_of_its_own_for_what_is_hot(kernels):
    """They would be replaced by ours."""
    linux = kernels[1].linux.parent
    tree = json.loads((linux / "tsqlab.json").read_text())["tree"]
    names = "|".join(hot())
    found = subprocess.run(
        ["grep", "-rnE", "--include=Makefile", rf"^CFLAGS_({names})\.o", tree],
        capture_output=True, text=True, check=False,
        env={**os.environ, "LC_ALL": "C"},
    ).stdout.splitlines()  # fmt: skip
    made = [line for line in found if (linux / Path(line.split(":")[0]).relative_to(tree).parent
            / line.partition("CFLAGS_")[2].partition(" ")[0]).exists()]  # fmt: skip
    assert made == []
