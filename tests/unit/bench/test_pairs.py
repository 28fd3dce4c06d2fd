# SPDX-License-Identifier: GPL-2.0-or-later
"""Two checkouts take turns, and a row says how their cheapest runs compare."""

import shutil
import subprocess

import pytest

import pairs
import trees
from rows import rows
from tsqlab.paths import ROOT


class FakeTree:
    """A checkout whose runs cost what they are told to."""

    def __init__(self, name, costs, document, log):
        self.name, self.costs, self.document, self.log = name, list(costs), document, log

    def run(self, row, length_s):
        self.log.append((self.name, row, length_s))
        return trees.Outcome(self.costs.pop(0), self.document)


def measured(before, after, documents=({}, {})):
    log = []
    sides = dict(
        zip(
            pairs.SIDES,
            map(FakeTree, pairs.SIDES, (before, after), documents, (log, log)),
            strict=True,
        )
    )
    pair = pairs.Pair("a", 60.0)
    for number in range(len(before)):
        pairs.run_round(pair, sides, number, 60.0)
    return pair, log


def test_the_order_is_reversed_every_other_round():
    _, log = measured([1, 1, 1], [1, 1, 1])
    assert [name for name, _, _ in log] == [
        *("before", "after", "after", "before", "before", "after")
    ]
    assert {(row, length_s) for _, row, length_s in log} == {("a", 60.0)}


def test_the_cheapest_runs_are_compared_and_the_medians_shown():
    pair, _ = measured([2.0, 3.0, 9.0], [1.6, 1.5, 1.7])
    assert pairs.row_words(pair, "CUBIC") == [
        *("(a) CUBIC", "2.000 / 3.000", "1.500 / 1.600"),
        *("30.00", "40.00", "1.333", "the same"),
    ]


def test_a_set_up_has_no_speed():
    pair = pairs.Pair("e", 0.1, {"before": [0.3], "after": [0.2]})
    assert pairs.row_words(pair, "boot")[3:6] == ["", "", "1.500"]


def test_ns_3_is_beaten_by_the_fastest_run_of_each():
    pair, _ = measured([4.0], [2.0])
    pair.ns3_speeds = [0.9, 1.0]
    assert pairs.ns3_words(pair, "CUBIC")[1:7] == [
        "1.00",
        "15.00",
        "30.00",
        "15.0",
        "30.0",
        "20: met",
    ]
    pair.ns3_speeds = [1.0, 1.6]
    assert pairs.ns3_words(pair, "CUBIC")[6] == "20: missed"


def test_a_round_whose_results_differ_is_kept():
    pair, _ = measured([1, 1], [1, 1], ({"x": 1}, {"x": 2}))
    assert pair.results == "differ"
    assert pair.differences == ["x is 1 before, and 2 after"] * 2


def test_all_rows_can_be_made_and_last_as_long_as_asked():
    made = rows(2.5)
    assert "".join(made) == "abcdef"
    assert {name: row.simulated_s for name, row in made.items()} == {
        **dict.fromkeys("abcd", 2.5),
        **dict.fromkeys("ef", 0.1),
    }


def test_a_folder_is_taken_as_it_stands(tmp_path):
    assert trees.checkout(str(ROOT), tmp_path / "tree") == ROOT


def test_a_revision_is_unpacked(tmp_path, monkeypatch):
    repository = tmp_path / "repository"
    (repository / "src" / "tsqlab").mkdir(parents=True)
    (repository / "src" / "tsqlab" / "a.py").write_text("committed\n")
    git = ["git", "-C", repository, "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", "init", "-q", repository], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "a"], check=True)
    (repository / "src" / "tsqlab" / "a.py").write_text("edited\n")
    monkeypatch.setattr(trees, "ROOT", repository)
    tree = trees.checkout("HEAD", tmp_path / "tree")
    assert (tree / "src" / "tsqlab" / "a.py").read_text() == "committed\n"


def test_what_is_neither_is_refused_in_a_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(trees, "ROOT", tmp_path)
    shutil.rmtree(tmp_path / "tree", ignore_errors=True)
    assert pairs.main(["no-such-revision"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("pairs.py: no-such-revision: neither the folder of a checkout")
    assert said.count("\n") == 1


@pytest.mark.parametrize("text", ["g", "ax"])
def test_a_row_that_there_is_not_is_refused(text, capsys):
    with pytest.raises(SystemExit):
        pairs.main(["HEAD", "--rows", text])
    assert "there are abcdef" in capsys.readouterr().err
