# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/gallery.md: its tables are what its experiments measure, to the last digit.

``pytest --golden tests/guest/test_gallery.py`` writes the tables anew; the answers below them are
written by hand, and tests/unit/test_gallery.py finds numbers there that no table has.
"""

import pytest

from gallery import sections, write_table
from tsqlab.cli import main
from tsqlab.experiment.stored import read_folder
from tsqlab.report import flows_table, summary_table


@pytest.mark.parametrize("section", sections(), ids=lambda section: section.name)
def test_a_run_prints_the_table_of_the_gallery(section, kernel, tmp_path, request):
    assert kernel, "a run would build it"
    assert main(["run", section.name, "--jobs", "1", "--out", str(tmp_path)]) == 0
    folder = read_folder(tmp_path)
    assert folder.unfinished == []
    tables = (summary_table(folder), flows_table(folder.results))
    table = "".join(f"{table}\n" for table in tables if table)
    if request.config.getoption("--golden"):
        write_table(section.name, table)
    else:
        assert table == section.table
