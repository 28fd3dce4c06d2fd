# SPDX-License-Identifier: GPL-2.0-or-later
"""What claims say of themselves beside their bounds: causes, copies, what was fitted to them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tsqlab.errors import FileError
from tsqlab.experiment.bundled import bundled_claims, bundled_profiles
from tsqlab.experiment.causes import causes, read_causes
from tsqlab.experiment.claims import Claim, claims_of
from tsqlab.experiment.copies import groups
from tsqlab.paths import ROOT

CLAIMS = {claim.id: claim for name in bundled_claims() for claim in claims_of(name)}


def test_every_cause_is_some_claims_and_has_its_section() -> None:
    assert {claim.cause for claim in CLAIMS.values()} - {""} == set(causes())
    page = (ROOT / "docs" / "differences.md").read_text()
    assert re.findall(r"^## (.*)$", page, re.MULTILINE) == list(causes())
    for cause in causes().values():
        assert f"$ {cause.switch}\n" in page or not cause.switch


def test_a_cause_without_a_title_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "causes.toml"
    path.write_text("[age]\nswitch = 'x'\n")
    with pytest.raises(FileError, match=r"causes\.toml:1: age\.title: field required"):
        read_causes(path)


def test_copies_are_what_the_cells_say() -> None:
    """Of claims that ask the same of the same cells, all but one name the one that is counted."""
    found = {}
    for same in groups():
        (counted,) = (claim for claim in same if not claim.same_as)
        found |= {claim.id: counted.id for claim in same if claim != counted}
    assert found == {claim.id: claim.same_as for claim in CLAIMS.values() if claim.same_as}
    assert found["agg-10-cubic-1p-aggregate"] == "agg-8-cubic-TSQ"


def test_what_was_fitted_is_said_in_the_profile_in_the_claim_and_in_the_docs() -> None:
    fitted = {(name, claim.id) for claim in CLAIMS.values() for name in claim.fitted}
    of_profiles = {
        f"{profile}.{key}"
        for profile, path in bundled_profiles().items()
        for key in re.findall(r"^(\w+) = .*# fitted to", path.read_text(), re.MULTILINE)
    }
    assert {name for name, _ in fitted} == of_profiles
    page = (ROOT / "docs" / "calibration.md").read_text()
    table = re.findall(r"^\| `(\w+)` = [^|]* \| `(\w+)` \| `([\w-]+)`", page, re.MULTILINE)
    assert {(f"{profile}.{key}", claim) for key, profile, claim in table} == fitted


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"cause": "weather"}, 'no cause "weather"; there are'),
        ({"cause": "bbr-ago"}, 'did you mean "bbr-age"'),
        ({"explanation": "x", "evidence": "y"}, '"explanation" needs a "cause"'),
        ({"same_as": "one"}, '"same_as" names another claim'),
        ({"fitted": ["ath9.report_delay"]}, 'no profile "ath9"; did you mean "ath9k"'),
        ({"fitted": ["ath9k_htc.report_delays"]}, 'does not set "report_delays"; did you mean'),
    ],
)
def test_what_is_wrong_is_named(changes: dict[str, object], message: str) -> None:
    good = {"id": "one", "statement": "x", "paper": "x", "quantity": "goodput_mbps",
            "compare": "value", "of": {"tsq": "TSQ"}, "lower": 1, "why": "x"}  # fmt: skip
    assert not Claim.model_validate(good).apart
    with pytest.raises(ValueError, match=message):
        Claim.model_validate(good | changes)
