# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/own-module.md: its tables are what a reader gets, to the last digit.

``pytest --golden tests/guest/test_tutorial.py`` writes them anew; what the page says of them is
written by hand, and tests/unit/test_tutorial.py finds numbers there that no table has.
"""

import shutil

import pytest

from gallery import sections, write_table
from tsqlab.cli import main
from tsqlab.experiment.stored import read_folder
from tsqlab.report import summary_table
from tutorial import EDITED, FILES, PAGE, changed, experiment


@pytest.mark.parametrize("section", sections(PAGE), ids=lambda section: section.name)
def test_a_reader_gets_the_table_of_the_page(section, kernel, tmp_path, request):
    assert kernel, "a run would build it"
    home = tmp_path / "reader"
    shutil.copytree(FILES, home)
    source = home / "mycc" / "mycc.c"
    if section.name == EDITED:
        source.write_text(changed(source.read_text()))
    out = tmp_path / "results"
    path = home / experiment(section.name)
    assert main(["run", str(path), "--jobs", "1", "--out", str(out)]) == 0
    folder = read_folder(out)
    assert folder.unfinished == []
    table = f"{summary_table(folder)}\n"
    if request.config.getoption("--golden"):
        write_table(section.name, table, PAGE)
    else:
        assert table == section.table
