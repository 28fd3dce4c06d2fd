# SPDX-License-Identifier: GPL-2.0-or-later
"""``tsqlab new``: each file is a good experiment, and explains its keys as the pages do."""

import re
import resource
from itertools import pairwise

import pytest

from tsqlab.cli import main
from tsqlab.experiment.load import load
from tsqlab.experiment.starters import starters
from tsqlab.paths import ROOT

PAGES = "".join((ROOT / "docs" / f"{name}.md").read_text() for name in ("experiments", "programs"))


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("kind", starters())
def test_each_is_an_experiment_that_can_be_shown(kind, tmp_path, capsys):
    assert main(["new", "some", "--like", kind]) == 0
    said = capsys.readouterr().out
    assert (
        said == "wrote some.toml: read it, then tsqlab show some.toml, and tsqlab run some.toml\n"
    )
    assert load("some.toml").cells
    assert main(["show", "some.toml"]) == 0
    assert (tmp_path / "some.toml").read_bytes() == starters()[kind].read_bytes()


KEY = re.compile(r'([\w.">]+) = ')
NODES = {"S", "AP", "C1", "C2"}


@pytest.mark.parametrize("kind", starters())
def test_a_sentence_explains_each_key_where_it_first_stands(kind):
    lines = starters()[kind].read_text().splitlines()
    explained = {"title", *NODES}
    for before, line in pairwise(lines):
        if key := KEY.match(line):
            assert before.startswith("#") or {key[1], key[1].split(".")[-1]} & explained, line
            explained.add(key[1])


@pytest.mark.parametrize("kind", starters())
def test_each_key_is_one_that_a_page_has(kind):
    keys = [
        key[1] for line in starters()[kind].read_text().splitlines() if (key := KEY.match(line))
    ]
    names = {key.split(".")[-1].strip('"') for key in keys} - {*NODES, "R>C"}
    assert [name for name in sorted(names) if f"`{name}`" not in PAGES] == []


def test_without_words_it_is_mine_toml_over_wifi(tmp_path):
    assert main(["new"]) == 0
    assert (tmp_path / "mine.toml").read_bytes() == starters()["wifi"].read_bytes()


def test_nothing_is_overwritten(tmp_path, capsys):
    (tmp_path / "mine.toml").write_text("my work")
    assert main(["new", "mine.toml"]) == 2
    assert "mine.toml: is there already; give another name" in capsys.readouterr().err
    assert (tmp_path / "mine.toml").read_text() == "my work"


def test_half_a_file_is_not_left_in_the_way(tmp_path, capsys):
    """As on a disk that is full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        assert main(["new", "mine"]) == 2
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "mine.toml: cannot be written: File too large" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
    assert main(["new", "mine"]) == 0


def test_a_link_is_not_followed(tmp_path):
    (tmp_path / "mine.toml").symlink_to(tmp_path / "elsewhere")
    assert main(["new"]) == 2
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("no/such/folder", "no/such/folder.toml: cannot be written: No such file or directory"),
        ("a\0b", "cannot be written: embedded null byte"),
        ("", "'': no file's name; try: tsqlab new my-experiment"),
        ("here/.toml", "'here/.toml': no file's name"),
        ("x" * 300, "cannot be written: File name too long"),
    ],
)
def test_a_name_that_cannot_be_is_said_to_be_none(name, message, capsys):
    assert main(["new", name]) == 2
    assert message in capsys.readouterr().err


def test_a_kind_that_is_none_is_answered_with_those_that_are(capsys):
    with pytest.raises(SystemExit) as left:
        main(["new", "--like", "wlan"])
    assert left.value.code == 2
    assert "choose from" in (words := capsys.readouterr().err)
    assert all(kind in words for kind in starters())
