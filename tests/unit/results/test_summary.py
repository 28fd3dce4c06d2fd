# SPDX-License-Identifier: GPL-2.0-or-later
"""summary.csv."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsqlab.errors import FileError, TsqlabError
from tsqlab.metrics.limits import SHARES
from tsqlab.metrics.summarise import DIRECTED
from tsqlab.results.summary import (
    METRICS,
    PINGS,
    SummaryRow,
    format_number,
    read_summary,
    write_summary,
)

ROWS = [
    SummaryRow({"bottleneck": "L10M", "qdisc": "fq_codel limit 10", "seed": 1},
               {"goodput_mbps": 9.57123456789, "retransmits": 1_234_567.0, "wall_s": 4.5}),
    SummaryRow({"bottleneck": "say, \"two\"", "qdisc": "pfifo", "seed": 2},
               {"goodput_mbps": None, "ping_ms_p10": 0.00012345678}),
]  # fmt: skip


def test_a_row_per_cell_with_the_factors_first(tmp_path: Path) -> None:
    path = tmp_path / "summary.csv"
    write_summary(path, ["bottleneck", "qdisc", "seed"], ROWS)
    lines = path.read_text().splitlines()
    assert lines[0] == ",".join(["bottleneck", "qdisc", "seed", *METRICS])
    shares = "," * len(SHARES)
    assert lines[1] == f"L10M,fq_codel limit 10,1,9.57123,,,,,,,,,,,,,1234570,,{shares},,4.5"
    assert lines[2] == f'"say, ""two""",pfifo,2,,0.000123457,,,,,,,,,,,,,,{shares},,'


def test_flows_have_columns_behind_those_of_nodes_one_after_another(tmp_path: Path) -> None:
    path = tmp_path / "summary.csv"
    numbers = ["fct_s_10", "ping_ms_p50_2", "fct_s_1", "airtime_AP", "goodput_mbps_1"]
    rows = [SummaryRow({}, dict.fromkeys(numbers, 1.5) | {"fct_s_3": None})]
    write_summary(path, [], rows)
    further = path.read_text().splitlines()[0].split(",")[len(METRICS) :]
    assert further == ["airtime_AP", "goodput_mbps_1", "fct_s_1", "ping_ms_p50_2", "fct_s_10"]
    assert read_summary(path)[1][0].metrics["fct_s_10"] == 1.5


@pytest.mark.parametrize("without", [PINGS, (*PINGS, *SHARES)], ids=["pings", "shares"])
def test_a_summary_from_before_there_were(without: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "summary.csv"
    names = [name for name in METRICS if name not in without]
    path.write_text(f"seed,{','.join(names)}\n1,9.5{',' * (len(names) - 1)}4.5\n")
    factors, (row,) = read_summary(path)
    assert factors == ["seed"]
    assert (row.metrics["goodput_mbps"], row.metrics["wall_s"]) == (9.5, 4.5)
    assert not set(without) & set(row.metrics)


def test_what_is_written_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "summary.csv"
    write_summary(path, ["bottleneck", "qdisc", "seed"], ROWS)
    factors, rows = read_summary(path)
    assert factors == ["bottleneck", "qdisc", "seed"]
    assert rows[1].factors == {"bottleneck": 'say, "two"', "qdisc": "pfifo", "seed": "2"}
    assert rows[0].metrics["goodput_mbps"] == 9.57123
    assert rows[1].metrics["goodput_mbps"] is None


def test_a_nodes_own_numbers_come_last(tmp_path: Path) -> None:
    path = tmp_path / "summary.csv"
    own = {"airtime_C10": 0.5, "goodput_mbps_C10": 4.0, "goodput_mbps_C2": 3.0, "airtime_AP": 0.1}
    write_summary(path, ["seed"], [SummaryRow({"seed": 1}, own), SummaryRow({"seed": 2}, {})])
    _, rows = read_summary(path)
    assert list(rows[0].metrics)[len(METRICS) :] == [
        "goodput_mbps_C2", "goodput_mbps_C10", "airtime_AP", "airtime_C10",
    ]  # fmt: skip
    assert rows[0].metrics["goodput_mbps_C10"] == 4
    assert rows[1].metrics["goodput_mbps_C10"] is None
    path.write_text(path.read_text().replace("airtime_AP", "airtime of AP"))
    with pytest.raises(FileError, match="its last columns are not"):
        read_summary(path)


def test_a_direction_has_a_column_where_a_cell_has_both(tmp_path: Path) -> None:
    """Up and down stand before single nodes; a folder of uploads has neither."""
    path, both = tmp_path / "summary.csv", {"goodput_up_mbps": 17.0, "goodput_down_mbps": 180.0}
    upload = SummaryRow({"seed": 2}, {"goodput_up_mbps": 90.0, "goodput_down_mbps": None})
    write_summary(path, ["seed"], [SummaryRow({"seed": 1}, {"airtime_AP": 0.5, **both}), upload])
    _, rows = read_summary(path)
    assert list(rows[0].metrics)[len(METRICS) :] == [*DIRECTED, "airtime_AP"]
    assert [rows[1].metrics[name] for name in DIRECTED] == [90, None]
    write_summary(path, ["seed"], [upload])
    assert list(read_summary(path)[1][0].metrics) == list(METRICS)


def test_the_same_rows_give_the_same_bytes(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    write_summary(one, ["seed"], ROWS)
    write_summary(two, ["seed"], ROWS)
    assert one.read_bytes() == two.read_bytes()


def test_a_summary_without_rows(tmp_path: Path) -> None:
    path = tmp_path / "summary.csv"
    write_summary(path, [], [])
    assert read_summary(path) == ([], [])


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_six_digits_are_kept_without_an_exponent(value: float) -> None:
    text = format_number(value)
    assert "e" not in text
    assert float(text) == pytest.approx(value, rel=5e-6)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "its last columns are not"),
        ("a,b\n1,2\n", "its last columns are not"),
        ("seed," + ",".join(METRICS) + "\n1,2\n", r"summary\.csv:2: 2 fields"),
        (",".join(METRICS) + "\n" + "x" + "," * (len(METRICS) - 1) + "\n", r":2: .*'x'"),
    ],
)
def test_damage_is_found_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "summary.csv"
    path.write_text(text)
    with pytest.raises(FileError, match=message):
        read_summary(path)


def test_a_missing_summary_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no such summary"):
        read_summary(tmp_path / "summary.csv")


def test_a_summary_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TsqlabError, match="cannot be written"):
        write_summary(tmp_path / "nowhere" / "summary.csv", ["seed"], ROWS)
