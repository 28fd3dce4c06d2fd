# SPDX-License-Identifier: GPL-2.0-or-later
"""Each cell is in one shard, whatever else changes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsqlab.experiment.load import load
from tsqlab.experiment.shard import WHOLE, Shard, dealt, shard_of, with_shard
from tsqlab.experiment.today import with_today

NAMES = st.sets(st.text(max_size=9), max_size=40)


@given(st.text(max_size=9), NAMES, st.integers(1, 12), st.randoms())
def test_cells_are_dealt_evenly_whatever_their_order(name, cells, of, random):
    numbers = dealt(name, cells, of)
    assert numbers.keys() == cells
    counts = [list(numbers.values()).count(number) for number in range(1, of + 1)]
    assert sum(counts) == len(cells)
    assert max(counts) - min(counts) <= 1
    shuffled = random.sample(sorted(cells), len(cells))
    assert dealt(name, shuffled, of) == numbers


def test_which_cells_are_in_a_shard_stays_the_same():
    """The shards of a run may be dealt by several versions of tsqlab, which have to agree."""
    cells = [f"seed={seed}" for seed in range(1, 9)]
    numbers = dealt("cotsq-3", cells, 3)
    assert "".join(str(numbers[cell]) for cell in cells) == "32223111"


def test_small_experiments_do_not_all_begin_with_the_first_shard():
    first = [dealt(f"one-{number}", ["cell"], 4)["cell"] for number in range(100)]
    assert all(first.count(number) > 10 for number in (1, 2, 3, 4))


def test_the_cells_of_other_shards_are_marked():
    whole = with_today(load("tptsq-4", ["seed=[1, 2]"]))
    parts = [with_shard(whole, Shard(number, 3)) for number in (1, 2, 3)]
    for at, cell in enumerate(whole.cells):
        here = [part.cells[at] for part in parts]
        assert [one.id for one in here] == [cell.id] * 3
        assert sum(not one.elsewhere for one in here) == 1
    assert [part.shard for part in parts] == ["1/3", "2/3", "3/3"]
    assert with_shard(whole, WHOLE) is whole


def test_a_level_of_another_order_is_in_the_same_shard():
    one, other = (
        with_shard(load("tptsq-4", [f"seed={seeds}"]), Shard(2, 3))
        for seeds in ("[1, 2, 3]", "[3, 1, 2]")
    )
    assert {cell.id: cell.elsewhere for cell in one.cells} == {
        cell.id: cell.elsewhere for cell in other.cells
    }


@pytest.mark.parametrize(
    "text", ["", "1", "0/3", "4/3", "1/0", "-1/3", "1/3/5", "1/1000000", "a/b", "\u0661/\u0663"]
)
def test_what_is_no_shard_is_said(text):
    with pytest.raises(ValueError, match="expected K/N, as 2/8, the second of eight shards, not "):
        shard_of(text)


def test_a_shard_is_read_and_written():
    assert str(shard_of("2/8")) == "2/8"
    assert shard_of("08/0010") == Shard(8, 10)
    assert shard_of("1/1").whole
