# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/own-module.md has the files that it shows, and no number that its tables have not."""

import pytest

from gallery import numbers, sections
from tsqlab.experiment.load import load
from tutorial import FILES, PAGE, block, changed, experiment

SECTIONS = {section.name: section for section in sections(PAGE)}
SOURCE = (FILES / "mycc" / "mycc.c").read_text()


def test_each_experiment_has_its_section():
    assert {experiment(name) for name in SECTIONS} == {path.name for path in FILES.glob("*.toml")}


def test_the_page_shows_the_files_that_a_reader_runs():
    assert block("c") == SOURCE
    assert block("toml") == (FILES / "shallow.toml").read_text()
    assert changed(SOURCE) != SOURCE


@pytest.mark.parametrize("name", SECTIONS)
def test_each_number_of_an_answer_is_in_the_table_or_the_file(name):
    section = SECTIONS[name]
    known = numbers(section.table) | numbers((FILES / experiment(name)).read_text())
    known |= numbers(SOURCE)
    assert numbers(section.answer), "it has some"
    assert numbers(section.answer) - known == set()


@pytest.mark.parametrize("name", SECTIONS)
def test_a_run_is_short(name):
    assert sum(cell.spec.total.s for cell in load(str(FILES / experiment(name))).cells) <= 30
