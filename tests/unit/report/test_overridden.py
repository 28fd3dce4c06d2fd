# SPDX-License-Identifier: GPL-2.0-or-later
"""What is written over a kernel's own is named where somebody may look for a patch's effect."""

from __future__ import annotations

from pathlib import Path

import pytest

from folders import results
from tsqlab.experiment.conditions import Conditions
from tsqlab.experiment.load import load
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.stored import read_folder
from tsqlab.guest.overrides import overrides
from tsqlab.report import identical_lines, make_report
from tsqlab.report.overridden import concerns_senders, overridden
from tsqlab.report.ran import what_ran

NAME = "cotsq-4"


def ran(*changes: str, name: str = NAME) -> list[Conditions]:
    cells = load(name, ["seed=1", *changes]).cells
    return [Conditions(cell.spec, load_profile(cell.spec.testbed.device)) for cell in cells]


def test_each_default_is_named_once_with_all_its_values() -> None:
    found = {one.name: one for one in overridden(ran('tsq=["TSQ", "6TSQ", "NoTSQ"]'))}
    pkts = found["net.ipv4.tcp_tsq_pkts"]
    assert (pkts.at, pkts.values, pkts.causes) == ("C", ("0", "1"), ("era 4.13", "sender.tsq"))
    assert pkts.text == "net.ipv4.tcp_tsq_pkts = 0 or 1 at C (era 4.13, sender.tsq)"
    cells = ran('tsq=["TSQ", "6TSQ", "NoTSQ"]')
    names = {one.name for cell in cells for one in overrides(cell.spec, cell.profile)}
    assert set(found) == names, "nothing is left out"


def test_many_values_are_counted() -> None:
    (us,) = (one for one in overridden(ran()) if one.name == "net.ipv4.tcp_tsq_us")
    assert us.text.count(" or ") == 3
    assert f"or {len(us.values) - 3} more at C" in us.text


@pytest.mark.parametrize(
    ("factor", "so"),
    [("kernel", True), ("hz", True), ("era", True), ("tsq", True), ("sender.offloads", True),
     ("seed", False), ("memory", False), ("qdisc", False), ("device", False), ("stray", False)],
)  # fmt: skip
def test_only_a_sender_has_its_defaults_written_over(factor: str, so: bool) -> None:
    assert concerns_senders(factor) is so


def test_two_kernels_that_are_alike_say_what_hides_them(tmp_path: Path) -> None:
    """The made-up cells all measured the same, as a patched default that is written over does."""
    changes = ['kernel=["6.12", "mine"]', 'device="brcmfmac"', 'tsq=["TSQ"]', 'era="today"']
    folder = read_folder(results(tmp_path, NAME, changes) / NAME)
    said = identical_lines(folder)
    at = said.index(
        'no difference: kernel: "6.12" and "mine" gave the same bytes in all 2 pairs of cells'
    )
    assert said[at + 1].startswith("  written over the kernel's own: sk_pacing_shift = 8 at C")
    assert "(profile brcmfmac)" in said[at + 1]
    assert any("by the lab: net.ipv4.tcp_mem, " in line for line in said)
    page = make_report(folder.path).read_text("utf-8")
    assert "These cells write over their kernel&#8217;s own:\nsk_pacing_shift = 8 at C" in page


def test_seeds_that_are_alike_have_nothing_to_do_with_it(tmp_path: Path) -> None:
    said = identical_lines(read_folder(results(tmp_path, NAME, ['tsq="TSQ"']) / NAME))
    assert said == ["no difference: seed: 1 and 2 gave the same bytes in their pair of cells"]


def test_every_page_has_the_list(tmp_path: Path) -> None:
    folder = results(tmp_path, "tptsq-4") / "tptsq-4"
    told = what_ran(read_folder(folder))
    text = make_report(folder).read_text("utf-8")
    assert "What the run writes over its kernel&#8217;s own" in text
    for one in told.overridden:
        assert f"<li>{one.text}</li>" in text
