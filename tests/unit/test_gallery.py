# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/gallery.md says nothing that its experiments do not show; what a run prints is a guest's."""

import pytest

from gallery import PAGE, PICTURES, numbers, sections
from tsqlab.cli import main
from tsqlab.experiment.bundled import bundled_experiments
from tsqlab.experiment.load import load
from tsqlab.paths import EXPERIMENTS

SECTIONS = {section.name: section for section in sections()}


def test_each_experiment_of_the_gallery_has_its_question():
    files = {name for name, path in bundled_experiments().items() if path.parent.name == "gallery"}
    assert set(SECTIONS) == files
    assert PAGE.read_text().count("\n## ") == len(files)


@pytest.mark.parametrize("name", SECTIONS)
def test_each_number_of_an_answer_is_in_the_table_or_the_file(name):
    section = SECTIONS[name]
    known = numbers(section.table) | numbers(bundled_experiments()[name].read_text())
    assert numbers(section.answer), "it has some"
    assert numbers(section.answer) - known == set()


@pytest.mark.parametrize("name", SECTIONS)
def test_the_pictures_are_what_show_draws(name, tmp_path, request, capsys):
    picture = PICTURES / f"{name}.svg"
    golden = request.config.getoption("--golden")
    drawn = picture if golden else tmp_path / "drawn.svg"
    assert main(["show", name, "--svg", str(drawn)]) == 0
    assert "flows" in capsys.readouterr().out
    assert drawn.read_text() == picture.read_text(), "pytest --golden draws it anew"


def test_those_with_programs_can_be_loaded_and_are_not_bundled():
    """A machine may lack the programs, and can run all that is bundled."""
    files = sorted((EXPERIMENTS / "gallery" / "programs").glob("*.toml"))
    assert [load(str(path)).name for path in files] == ["curl", "iperf3", "quic-beside-tcp"]
    assert not set(files) & set(bundled_experiments().values())


def test_together_they_take_half_a_minute_of_virtual_time_each_at_most():
    """So that nobody waits for them: a minute and a half of real time for all, on one CPU.

    Over wires alone a second takes a fifth as long, or less.
    """
    for name in SECTIONS:
        cells = load(name).cells
        radios = any(cell.spec.testbed.graph.media for cell in cells)
        assert sum(cell.spec.total.s for cell in cells) <= (30 if radios else 100)
