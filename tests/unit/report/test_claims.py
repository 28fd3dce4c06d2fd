# SPDX-License-Identifier: GPL-2.0-or-later
"""Claims: their files, the verdicts on them, and how these are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from synthetic import record
from tsqlab.experiment.claims import Claim
from tsqlab.experiment.stored import Folder, Result, read_folder
from tsqlab.metrics.document import trace
from tsqlab.report import claims_table, make_report
from tsqlab.report.claims import _what, claim_rows
from tsqlab.report.verdicts import Verdict, check
from tsqlab.results.flent import to_flent, write_flent
from tsqlab.results.folder import Manifest, ManifestCell
from tsqlab.results.record import Level

TRACE = trace(to_flent(record()))


def claim(**changes: Any) -> Claim:
    keys = {
        "id": "some-claim",
        "statement": "cut by half",
        "paper": "half",
        "quantity": "tcp_rtt_ms_p50",
        "compare": "value",
        "of": {"tsq": "TSQ"},
        "lower": 9,
        "upper": 11,
        "why": "about 10",
    }
    return Claim.model_validate(keys | changes)


RATIO = {"compare": "ratio", "of": {"tsq": "NoTSQ"}, "to": {"tsq": "TSQ"}, "lower": 1.5, "upper": 3}

Cells = Sequence[tuple[Mapping[str, Level], float | None]]


def folder(cells: Cells, undone: Sequence[int] = ()) -> Folder:
    """An experiment's folder of cells with that TCP RTT; *undone* are not done."""
    listed = [
        ManifestCell(id=str(at), factors=dict(factors), state="waiting" if at in undone else "done")
        for at, (factors, _) in enumerate(cells)
    ]
    results = [
        Result(str(at), factors, "file", TRACE, {"tcp_rtt_ms_p50": value})
        for at, (factors, value) in enumerate(cells)
        if at not in undone
    ]
    manifest = Manifest(experiment="made-up", title="Made up", cells=listed)
    return Folder(Path(), manifest, tuple(results))


def seeds(values: Sequence[float | None], **factors: Level) -> Cells:
    return [(factors | {"seed": seed}, value) for seed, value in enumerate(values, 1)]


def verdict(cells: Cells, undone: Sequence[int] = (), **changes: Any) -> Verdict:
    (one,) = check(folder(cells, undone), [claim(**changes)])
    return one


# Verdicts


@pytest.mark.parametrize(
    ("values", "word"),
    [
        ([10.0], "holds"),
        ([9.0, 10.0, 11.0], "holds"),
        ([9.0], "holds"),
        ([11.0], "holds"),
        ([8.999], "differs"),
        ([11.001], "differs"),
        ([1.0, 19.0], "holds"),  # the mean decides
        ([10.0, 10.0, 20.0], "differs"),
    ],
)
def test_the_mean_decides(values: list[float], word: str) -> None:
    assert verdict(seeds(values, tsq="TSQ")).outcome == word


@pytest.mark.parametrize(
    ("bounds", "value", "word"),
    [
        ({"lower": None, "upper": 11}, -5.0, "holds"),
        ({"lower": None, "upper": 11}, 12.0, "differs"),
        ({"lower": 9, "upper": None}, 500.0, "holds"),
        ({"lower": 9, "upper": None}, 8.0, "differs"),
        ({"lower": 0, "upper": None}, -1.0, "differs"),
        ({"lower": None, "upper": 0}, 1.0, "differs"),
    ],
)
def test_ranges_with_one_end(bounds: dict[str, Any], value: float, word: str) -> None:
    assert verdict(seeds([value], tsq="TSQ"), **bounds).outcome == word


def test_the_labs_number_has_its_interval() -> None:
    lab = verdict(seeds([9.0, 10.0, 11.0], tsq="TSQ")).lab
    assert lab is not None
    assert (lab.mean, lab.n) == (10, 3)
    assert lab.half_width == pytest.approx(4.302653 / 3**0.5)


def test_an_interval_across_a_bound_is_noted_and_decides_nothing() -> None:
    wide = verdict(seeds([9.0, 10.0, 11.0], tsq="TSQ"))
    assert (wide.outcome, "crosses a bound" in wide.note) == ("holds", True)
    outside = verdict(seeds([10.0, 12.0, 14.0], tsq="TSQ"))
    assert (outside.outcome, "crosses a bound" in outside.note) == ("differs", True)
    assert verdict(seeds([10.0, 10.1, 9.9], tsq="TSQ")).note == ""
    assert verdict(seeds([9.0], tsq="TSQ")).note == "", "one seed has no interval"


def test_a_claim_is_of_one_flow() -> None:
    cells = [({"tsq": "TSQ", "seed": seed}, 10.0) for seed in (1, 2)]
    found = folder(cells)
    results = [replace(one, metrics={"fct_s": 1.0, "fct_s_2": 0.5}) for one in found.results]
    of_flow = claim(quantity="fct_s", flow=2, lower=0.4, upper=0.6)
    (one,) = check(replace(found, results=tuple(results)), [of_flow])
    assert (one.outcome, one.lab and one.lab.mean) == ("holds", 0.5)
    assert _what(of_flow) == "completion time flow 2, TSQ"


def test_ratios_are_paired_by_seed() -> None:
    cells = [
        *seeds([20.0, 40.0, 80.0], tsq="NoTSQ"),
        *reversed(seeds([10.0, 20.0, 40.0], tsq="TSQ")),
    ]
    one = verdict(cells, **RATIO)
    assert one.outcome == "holds"
    assert one.lab is not None
    assert (one.lab.mean, one.lab.half_width, one.lab.n) == (2, 0, 3)


def test_the_order_of_the_cells_does_not_matter() -> None:
    """A matrix lists TSQ first, while most ratios are of NoTSQ."""
    cells = [*seeds([20.0, 40.0], tsq="NoTSQ"), *seeds([10.0, 20.0], tsq="TSQ")]
    assert verdict(cells, **RATIO).lab == verdict(cells[::-1], **RATIO).lab
    assert verdict(cells[::-1], **RATIO).outcome == "holds"


def test_differences_are_paired_by_seed_and_have_a_sign() -> None:
    cells = [*seeds([20.0, 31.0], tsq="NoTSQ"), *seeds([10.0, 21.0], tsq="TSQ")]
    one = verdict(cells, **RATIO | {"compare": "difference", "lower": 9, "upper": 11})
    assert one.lab is not None
    assert (one.outcome, one.lab.mean, one.lab.half_width) == ("holds", 10, 0)
    one = verdict(cells, **RATIO | {"compare": "difference", "lower": -11, "upper": -9})
    assert one.outcome == "differs"


@pytest.mark.parametrize(
    ("cells", "undone", "note"),
    [
        ([], (), "no cell has tsq=NoTSQ"),
        (seeds([1.0], tsq="TSQ"), (), "no cell has tsq=NoTSQ"),
        (seeds([1.0], tsq="NoTSQ"), (), "no cell has tsq=TSQ"),
        ([*seeds([2.0, 2.0], tsq="NoTSQ"), *seeds([1.0, 1.0], tsq="TSQ")], (1,), "1 of 4 cells"),
        ([*seeds([2.0, 2.0], tsq="NoTSQ"), *seeds([1.0], tsq="TSQ")], (), "1 of 4 cells"),
        (seeds([2.0], qdisc="fq"), (), "no cell has"),
    ],
)
def test_what_is_missing_is_not_run(cells: Cells, undone: Sequence[int], note: str) -> None:
    one = verdict(cells, undone, **RATIO)
    assert (one.outcome, one.lab) == ("not run", None)
    assert one.note.startswith(note)


def test_a_cell_of_another_setting_does_not_count() -> None:
    cells = [*seeds([10.0], tsq="TSQ"), *seeds([99.0], tsq="NoTSQ")]
    assert verdict(cells).outcome == "holds"
    assert verdict(cells, undone=(1,)).outcome == "holds"


@pytest.mark.parametrize("values", [[None], [10.0, None], [None, None]])
def test_a_number_that_a_cell_does_not_have_differs(values: list[float | None]) -> None:
    one = verdict(seeds(values, tsq="TSQ"))
    assert one.outcome == "differs"
    assert f"in {values.count(None)} of {len(values)}" in one.note


def test_a_ratio_to_nothing_is_no_number() -> None:
    one = verdict([*seeds([2.0], tsq="NoTSQ"), *seeds([0.0], tsq="TSQ")], **RATIO)
    assert (one.outcome, one.lab) == ("differs", None)


def test_a_factor_that_the_claim_does_not_name_makes_a_verdict_each() -> None:
    cells = [
        (factors | {"kernel": kernel, "hz": 1000}, value if kernel == "6.1" else 4 * value)
        for factors, value in (*seeds([20.0], tsq="NoTSQ"), *seeds([10.0], tsq="TSQ"))
        if value
        for kernel in ("6.1", "6.12")
        if not (factors["tsq"] == "TSQ" and kernel == "6.12")
    ]
    old, new = check(folder(cells), [claim(**RATIO)])
    assert (old.context, old.outcome) == ("kernel=6.1", "holds"), (
        "a factor with one level says nothing"
    )
    assert (new.context, new.outcome) == ("kernel=6.12", "not run")


def test_a_ping_of_which_many_were_lost_says_so() -> None:
    for share, said in ((0.1, False), (0.25, True)):
        read = folder(seeds([10.0], tsq="TSQ"))
        metrics = {"ping_ms_p50": 2.0, "ping_lost_share": share}
        lost = replace(read, results=(replace(read.results[0], metrics=metrics),))
        (one,) = check(lost, [claim(quantity="ping_ms_p50", lower=1, upper=3)])
        assert one.outcome == "holds"
        assert ("up to 25 % of the pings were lost" in one.note) == said


def test_a_shape_is_of_the_cells_trace() -> None:
    one = verdict(seeds([0.0], tsq="TSQ"), quantity="tcp_rtt_swing", lower=2, upper=3)
    assert one.outcome == "holds"
    none = verdict(seeds([0.0], tsq="TSQ"), quantity="tcp_rtt_dip_period_s")
    assert (none.outcome, none.lab) == ("differs", None)


KNEE = {"compare": "knee", "of": {}, "over": {"tsq": ["TSQ", "2TSQ", "CoTSQ", "8TSQ"]}}


def curve(*values: float | None, seed: int = 1) -> Cells:
    levels = ("TSQ", "2TSQ", "CoTSQ", "8TSQ")
    return [({"tsq": one, "seed": seed}, value) for one, value in zip(levels, values, strict=False)]


@pytest.mark.parametrize(
    ("compare", "values", "number"),
    [
        ("knee", (10, 50, 97, 100), 6),
        ("knee", (10, 50, 96.9, 100), 8),
        ("knee", (10, 98, 100, 50), 2),
        ("knee", (100, 100, 100, 100), 1),
        ("step", (10, 20, 30, 33), 1.1),
        ("step", (10, 20, 18, 33), 0.9),
        ("highest", (10, 30, 20, 5), 30),
        ("lowest", (10, 30, 20, 5), 5),
        ("span", (10, 30, 20, 15), 3),
    ],
)
def test_what_is_asked_of_a_curve(compare: str, values: tuple[float, ...], number: float) -> None:
    changes = KNEE | {"compare": compare, "lower": number - 1e-9, "upper": number + 1e-9}
    assert verdict(curve(*values), **changes).outcome == "holds"
    assert verdict(curve(*values)[::-1], **changes).outcome == "holds", "the claim has the order"


def test_each_seed_has_its_own_curve() -> None:
    cells = [*curve(10, 50, 100, 100), *curve(10, 50, 90, 100, seed=2)]
    lab = verdict(cells, **KNEE).lab
    assert lab is not None
    assert (lab.mean, lab.n) == (7, 2)
    assert verdict(cells[1:], **KNEE).note == "1 of 8 cells missing or not done"
    assert verdict(curve(10, None, 90, 100), **KNEE).note.startswith("no such number in 1 of 1")


def test_a_step_is_that_of_the_seeds_mean_curve() -> None:
    """Each seed falls once, and the means grow: 15, 21, 27, 30."""
    cells = [*curve(10, 22, 20, 30), *curve(20, 20, 34, 30, seed=2)]
    one = verdict(cells, **KNEE | {"compare": "step", "lower": 1, "upper": None})
    assert one.lab is not None
    assert (one.outcome, one.lab.mean, one.lab.n) == ("holds", 30 / 27, 2)
    assert "crosses a bound" in one.note, "two seeds do not settle it"
    assert verdict(curve(0, 1, 2, 3), **KNEE | {"compare": "step"}).lab is None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"over": {"tsq": ["TSQ"]}}, "two levels or more"),
        ({"over": {"tsq": ["TSQ", "TSQ"]}}, "each once"),
        ({"over": {"tsq": ["TSQ", "NoTSQ"]}}, '"NoTSQ" does not begin with a number'),
        ({"over": {"tsq": ["TSQ", "2TSQ"], "mtu": [1, 2]}}, "over one factor"),
        ({"over": {"seed": [1, 2]}}, "leave the seed out"),
        ({"over": {"tsg": [1, 2]}}, 'no key "tsg"'),
        ({"of": {"tsq": "TSQ"}}, 'cannot stand in "of"'),
        ({"compare": "value", "over": {}}, '"of" is needed'),
        ({"compare": "value"}, '"over" belongs to'),
    ],
)
def test_what_is_no_curve(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        claim(**KNEE | changes)


# What people see


@pytest.fixture
def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of two settings whose claims hold, differ and were not run."""
    document = to_flent(record())  # median TCP RTT: 20 ms
    write_flent(tmp_path / "cell.flent.gz", document)
    cells = [
        ManifestCell(id=tsq, factors={"tsq": tsq}, file="cell.flent.gz") for tsq in ("TSQ", "4TSQ")
    ]
    manifest = Manifest(experiment="made-up", title="Made up", factors=["tsq"], cells=cells)
    (tmp_path / "manifest.json").write_text(manifest.model_dump_json())
    told = {"explanation": "because <it> is", "evidence": "a counter", "cause": "bbr-age"}
    claims = (
        claim(id="one", lower=19, upper=21, **told),
        claim(id="two", lower=1, upper=2, **told),
        claim(id="three", **RATIO | {"of": {"tsq": "4TSQ"}, "lower": None, "upper": 1.5}),
        claim(id="four", **RATIO),
        claim(id="five", quantity="tcp_rtt_dip_period_s"),
        claim(id="six", compare="knee", of={}, over={"tsq": ["TSQ", "4TSQ"]}, lower=1, upper=2),
    )
    monkeypatch.setattr(
        "tsqlab.report.claims.claims_of", lambda name: claims if name == "made-up" else ()
    )
    return tmp_path


def test_a_table_for_the_terminal(shown: Path) -> None:
    head, *rows, blank, totals = claims_table(read_folder(shown)).splitlines()
    assert head.split() == ["claim", "paper", "accepted", "lab", "verdict"]
    assert [row.split()[0] for row in rows] == ["one", "two", "three", "four", "five", "six"]
    assert rows[0].split() == ["one", "half", "19", "to", "21", "ms", "20.0", "ms", "holds"]
    assert rows[1].endswith("differs")
    assert rows[2].split() == ["three", "half", "at", "most", "1.5", "1.00", "holds"], (
        "a ratio has no unit"
    )
    assert rows[3].endswith("not run: no cell has tsq=NoTSQ")
    assert rows[4].endswith("none     differs: no such number in 1 of 1 repetitions")
    assert not blank
    assert totals == "claims: 3 hold, 2 differ, 1 not run"


def test_what_is_not_counted_is_shown(shown: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    claims = (
        claim(id="one", lower=19, upper=21, fitted=["ath9k_htc.report_delay"]),
        claim(id="two", lower=1, upper=2, same_as="one", cause="bbr-age"),
        claim(id="three", lower=1, upper=2, cause="bbr-age"),
    )
    monkeypatch.setattr("tsqlab.report.claims.claims_of", lambda _: claims)
    _, *rows, _, totals = claims_table(read_folder(shown)).splitlines()
    assert rows[0].endswith("holds (not counted: ath9k_htc.report_delay fitted to it)")
    assert rows[1].endswith("differs (not counted: the same as one)")
    assert totals == "claims: 0 hold, 1 differs, 0 not run; 2 not counted"
    text = make_report(shown).read_text()
    assert text.count("not counted: ") == 2
    assert text.count("cause: bbr-age") == 2


def test_no_claims_no_table(shown: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tsqlab.report.claims.claims_of", lambda _: ())
    assert claims_table(read_folder(shown)) == ""
    assert "The paper beside the lab" not in make_report(shown).read_text()


def test_what_was_compared_is_said(shown: Path) -> None:
    lines = {line.id: line for line in claim_rows(read_folder(shown))}
    assert lines["one"].what == "TCP RTT median, TSQ"
    assert lines["three"].what == "TCP RTT median: 4TSQ / TSQ"
    assert lines["five"].accepted == "9 to 11 s"
    assert lines["six"].what == "TCP RTT median: knee of TSQ, 4TSQ"
    assert (lines["six"].accepted, lines["six"].lab) == ("1 to 2", "1.00"), "a knee has no unit"


def test_the_page_begins_with_the_claims(shown: Path) -> None:
    text = make_report(shown).read_text()
    assert text.index('id="claims"') < text.index('id="summary"') < text.index('id="cells"')
    for mark, word in (("✓", "holds"), ("✗", "differs"), ("–", "not run")):
        assert f'aria-hidden="true">{mark}</span> {word}</strong>' in text, "sign and word"
    assert "20.0 ms" in text


def test_a_verdict_says_which_kernel_it_is_of(shown: Path) -> None:
    lines = {line.id: line for line in claim_rows(read_folder(shown))}
    assert (lines["one"].kernel, lines["four"].kernel) == ("6.12.1", "6.12.1")
    cells = [*seeds([20.0], tsq="NoTSQ"), *seeds([10.0], tsq="TSQ")]
    read = folder(cells)
    of = {"0": "6.1.1", "1": "6.12.1"}
    results = tuple(replace(result, release=of[result.id]) for result in read.results)
    (mixed,) = check(replace(read, results=results), [claim(**RATIO)])
    assert mixed.kernel == "6.1.1, 6.12.1", "a verdict over two kernels cannot hide it"
    assert make_report(shown).read_text().count("<td>6.12.1</td>") == len(lines)


def test_the_page_explains_what_differs_and_only_that(shown: Path) -> None:
    text = make_report(shown).read_text()
    assert text.count("because &lt;it&gt; is") == 1
    assert text.count("a counter") == 1


def test_a_folder_without_a_done_cell_has_its_claims(shown: Path) -> None:
    read = read_folder(shown)
    waiting = [cell.model_copy(update={"state": "waiting"}) for cell in read.manifest.cells]
    none = replace(read, manifest=read.manifest.model_copy(update={"cells": waiting}), results=())
    assert {line.outcome for line in claim_rows(none)} == {"not run"}


@pytest.mark.parametrize(
    ("paper", "stated"),
    [
        ("44 Mbit/s", (44, 44)),
        ("90 to 95 Mbit/s", (90, 95)),
        ("about 35 ms", (35, 35)),
        ("1.5 to 4 ms", (1.5, 4)),
        ("10", (10, 10)),
        ("two orders of magnitude", None),
        ("at most about 10 ms", None),
    ],
)
def test_a_papers_number_is_read_out_of_its_text(
    paper: str, stated: tuple[float, float] | None
) -> None:
    claim = Claim(id="x", statement="x", paper=paper, quantity="goodput_mbps", compare="value",
                  of={"tsq": "TSQ"}, lower=1, why="x")  # fmt: skip
    assert claim.stated == stated
