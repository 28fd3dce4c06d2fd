# SPDX-License-Identifier: GPL-2.0-or-later
"""A line of the record is held against the last ones of the same processor and compiler."""

import csv
import io
import re

import pytest

import record
from tsqlab.errors import TsqlabError
from tsqlab.paths import ROOT

HEAD = "date,commit,processor,compiler,L100M frame,L100M set-up\n"
STEADY = {"calibration": [0.2, 0.2, 0.2]}


def line(frame, set_up=1.0, processor="one", commit="c"):
    numbers = {"L100M frame": frame, "L100M set-up": set_up}
    return record.Line("2026-01-01", commit, processor, "gcc 12.2.0", numbers)


def text(*lines):
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows(each.words() for each in lines)
    return HEAD + file.getvalue()


def test_numbers_are_of_the_cheapest_rounds_and_without_the_set_up():
    costs = {"calibration": [0.3, 0.2], "L100M": [0.9, 0.7], "L100M set-up": [0.3, 0.4]}
    # (0.7 - 0.3) s for 80,000 frames are 0.5 s for 100,000.
    assert record.numbers_of(costs, {"L100M": 80_000}) == {
        "L100M frame": pytest.approx(2.5),
        "L100M set-up": pytest.approx(1.5),
    }


def test_a_line_is_written_and_read_back():
    assert record.read_record(text(line(2.0), line(2.5))) == [line(2.0), line(2.5)]


def test_what_is_within_the_spread_of_the_last_lines_is_said_to_be():
    before = [line(2.0)] * 7
    assert record.compared(line(2.19), before) == ["as the last 5 lines, within 10%"]


def test_what_is_above_it_is_called_slower_by_name():
    assert record.compared(line(2.3, 0.8), [line(2.0), line(1.9), line(2.1)]) == [
        "SLOWER: L100M frame 2.300, +15% to the last 3 lines' 2.000",
        "faster: L100M set-up 0.800, -20% to the last 3 lines' 1.000",
    ]


def test_the_last_five_count_and_one_outlier_does_not():
    before = [line(9.0)] * 5 + [line(2.0), line(2.0), line(9.0), line(2.0), line(2.0)]
    assert record.compared(line(2.0), before) == ["as the last 5 lines, within 10%"]


def test_another_processor_is_not_compared_with():
    (said,) = record.compared(line(9.0, processor="two"), [line(2.0)])
    assert said.startswith("bench/record.csv has no line of two with gcc 12.2.0 yet")


def test_a_slower_line_cannot_be_overlooked():
    said = record.report(line(3.0), STEADY, text(line(2.0)))
    head, own, mark, slower, _, again = said.splitlines()
    assert f"{head}\n" == HEAD
    assert own == "2026-01-01,c,one,gcc 12.2.0,3.000,1.000"
    assert mark == again == "!" * 72
    assert slower.startswith("SLOWER: L100M frame 3.000, +50%")


def test_rounds_that_lie_apart_say_that_the_machine_was_busy():
    busy = STEADY | {"L100M": [1.0, 1.3, 1.2]}
    assert record.unrest(busy) == pytest.approx(0.2)
    assert "the machine was busy: the same guests cost 20% more" in record.report(
        line(2.0), busy, text(line(2.0))
    )
    assert "busy" not in record.report(line(2.0), STEADY, text(line(2.0)))


def test_a_line_is_added_for_a_commit_and_for_nothing_else(tmp_path, monkeypatch):
    monkeypatch.setattr(record, "RECORD", tmp_path / "record.csv")
    record.RECORD.write_text(text(line(2.0)))
    record.append(line(2.1, commit="d"))
    assert record.RECORD.read_text() == text(line(2.0), line(2.1, commit="d"))
    with pytest.raises(TsqlabError, match="commit first what has changed"):
        record.append(line(2.1, commit=f"d{record.DIRTY}"))


def test_the_record_has_the_columns_that_a_run_measures():
    written = (ROOT / "bench" / "record.csv").read_text()
    names = [f"{cell} {what}" for cell in record.CELLS for what in ("frame", "set-up")]
    assert written.splitlines()[0].split(",") == [*record.ABOUT, *names]
    for each in record.read_record(written):
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", each.date)
        assert re.fullmatch(r"[0-9a-f]{12}", each.commit)
        assert all(number > 0 for number in each.numbers.values())
