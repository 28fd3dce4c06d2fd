# SPDX-License-Identifier: GPL-2.0-or-later
"""Files of claims: what may stand in one, and those that come with tsqlab."""

from __future__ import annotations

from pathlib import Path

import pytest

from tsqlab.errors import FileError
from tsqlab.experiment.bundled import bundled_claims, bundled_experiments
from tsqlab.experiment.claims import Claim, claims_of, read_claims
from tsqlab.experiment.load import load

GOOD = """
[some-claim]
statement = "cut by half"
paper = "half"
quantity = "tcp_rtt_ms_p50"
compare = "ratio"
of = { tsq = "NoTSQ" }
to = { tsq = "TSQ" }
lower = 1.5
upper = 3
why = "half"
"""


def read(text: str, tmp_path: Path) -> tuple[Claim, ...]:
    path = tmp_path / "claims.toml"
    path.write_text(text)
    return read_claims(path)


def test_a_file_of_claims(tmp_path: Path) -> None:
    one, two = read(GOOD + GOOD.replace("some-claim", "another"), tmp_path)
    assert (one.id, two.id) == ("some-claim", "another")
    assert one.of == {"tsq": "NoTSQ"}
    assert (one.lower, one.upper) == (1.5, 3)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("statement =", "words =", 'some-claim.words: unknown key; it is called "statement" now'),
        ("why =", "whi =", 'claims.toml:11: some-claim.whi: unknown key; did you mean "why"?'),
        ('why = "half"', "", "claims.toml:2: some-claim.why: is missing"),
        ('why = "half"', 'why = ""', "claims.toml:11: some-claim.why: string should have"),
        ("why =", 'id = "x"\nwhy =', "some-claim.id: unknown key"),
        ("_p50", "_p51", 'claims.toml:5: some-claim.quantity: no quantity "tcp_rtt_ms_p51"; did'),
        ("tcp_rtt_ms_p50", "wall_s", 'no quantity "wall_s"'),
        ("tcp_rtt_ms_p50", "fct_s", 'quantity: "fct_s" is of one flow, and needs "flow"'),
        (
            '"tcp_rtt_ms_p50"',
            '"aggregate_mean"\nflow = 2',
            'quantity: no flow has a "aggregate_mean"; there are goodput_mbps, fct_s',
        ),
        ('"tcp_rtt_ms_p50"', '"tcp_rtt_ms_p50"\nflow = 0', "claims.toml:6: some-claim.flow: exp"),
        ('"ratio"', '"sum"', "some-claim.compare: expected 'value', 'ratio', 'diff"),
        ('"ratio"', '"value"', '"to" belongs to a ratio or a difference'),
        ('to = { tsq = "TSQ" }', "", "some-claim: .*those need it"),
        ('to = { tsq = "TSQ" }', "to = { mtu = 9000 }", "must name the same factors"),
        ('"NoTSQ"', '"TSQ"', "are the same setting"),
        ('of = { tsq = "NoTSQ"', 'of = { tsg = "NoTSQ"', 'claims.toml:7: .*no key "tsg" can vary'),
        ('of = { tsq = "NoTSQ"', "of = { seed = 1", "leave the seed out"),
        ("upper = 3", "upper = 1", '"lower" is above "upper"'),
        ("lower = 1.5\nupper = 3", "", 'at least one of "lower" and "upper"'),
        ("upper = 3", 'upper = "3"', "claims.toml:10: some-claim.upper: input should be a valid"),
        ("upper = 3", "upper = nan", "some-claim.upper: input should be a finite number"),
        ("upper = 3", 'explanation = "age"\nupper = 3', "go together"),
        ("to = {", "over = { tsq = [1, 2] }\nto = {", '"over" belongs to knee, step'),
        ('"ratio"', '"knee"', '"to" belongs to a ratio or a difference'),
        ("[some-claim]", "[some-claim", r"claims.toml:2: not TOML"),
        ("\n[some-claim]", 'title = "x"\n[some-claim]', "title: expected a claim"),
    ],
)
def test_what_is_wrong_in_a_file_is_named(old: str, new: str, message: str, tmp_path: Path) -> None:
    assert old in GOOD
    with pytest.raises(FileError, match=message):
        read(GOOD.replace(old, new, 1), tmp_path)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"nothing\.toml: cannot be read"):
        read_claims(tmp_path / "nothing.toml")


def test_a_file_of_claims_is_no_experiment() -> None:
    assert not {path for path in bundled_experiments().values() if path.parent.name == "claims"}


def test_every_wired_figure_has_its_claims() -> None:
    figures = {"tptsq-4", "tptsq-5a", "tptsq-5b", "tptsq-5c", "tptsq-6", "tptsq-7"}
    assert figures <= set(bundled_claims())


def test_no_two_claims_share_a_name() -> None:
    names = [one.id for path in bundled_claims().values() for one in read_claims(path)]
    assert len(names) == len(set(names))
    assert not claims_of("made-up")


@pytest.mark.parametrize("name", bundled_claims())
def test_claims_name_what_their_experiment_can_have(name: str) -> None:
    experiment = load(name)
    assert bundled_claims()[name].parent.parent == experiment.path.parent
    for one in claims_of(name):
        assert one.id.startswith(name)
        for side in one.sides:
            assert set(side) <= set(experiment.factors), "or the claim is never run"
            for factor, level in side.items():
                levels = {cell.factors[factor] for cell in experiment.cells}
                # The settings of TSQ are those of the kernel that runs it.
                assert level in levels, f"{one.id}: {factor}={level}"
            assert load(name, [f"{key}={level}" for key, level in side.items()]).cells
