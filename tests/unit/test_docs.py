# SPDX-License-Identifier: GPL-2.0-or-later
"""The documentation's examples are good, its tables complete, its links lead somewhere."""

import re

import pytest

from tsqlab.cli import main
from tsqlab.experiment.claims import QUANTITIES, Claim, read_claims
from tsqlab.experiment.flows import TESTS
from tsqlab.experiment.load import load
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.spec import PLOTS, TABLES, Report
from tsqlab.kernels.source import changes, patches_of, versions
from tsqlab.metrics.shapes import SHAPES
from tsqlab.paths import ROOT
from tsqlab.report.verdicts import WORDS
from tsqlab.results.summary import METRICS

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
EXAMPLES = [
    pytest.param(text, id=f"{page.name}-{number}")
    for page in PAGES
    for number, text in enumerate(re.findall(r"```toml\n(.*?)```", page.read_text(), re.DOTALL))
]


@pytest.mark.parametrize("text", EXAMPLES)
def test_examples_are_good(text, tmp_path):
    path = tmp_path / "example.toml"
    path.write_text(text)
    if text.startswith("#") and "\nkind = " in text:
        assert load_profile(str(path)).title
    elif "\nquantity = " in text:
        assert read_claims(path)
    else:
        assert load(str(path)).cells


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        assert (page.parent / target).exists(), target


def test_every_key_is_documented():
    text = (ROOT / "docs" / "experiments.md").read_text()
    for model in (*TABLES.values(), Report):
        for key in model.model_fields:
            assert f"`{key}`" in text
    for name in (*TESTS, *PLOTS):
        assert f"`{name}`" in text


def test_every_key_of_a_claim_is_documented():
    text = (ROOT / "docs" / "claims.md").read_text()
    for name in (*(key for key in Claim.model_fields if key != "id"), *SHAPES, *WORDS):
        assert f"`{name}`" in text
    assert set(QUANTITIES) - set(METRICS) == set(SHAPES), "the rest is summary.csv's"


def test_every_metric_is_documented():
    text = (ROOT / "docs" / "results.md").read_text()
    for name in METRICS:
        assert f"`{name}`" in text or f"`_{name.rsplit('_', 1)[1]}`" in text


COMMANDS = sorted(
    {
        line
        for page in PAGES
        for line in re.findall(r"^\$ tsqlab (.*?)(?: +#.*)?$", page.read_text(), re.MULTILINE)
    }
)


@pytest.mark.parametrize("line", COMMANDS)
def test_the_commands_exist(line, capsys):
    with pytest.raises(SystemExit) as left:
        main([*line.split(), "--help"])
    assert left.value.code == 0
    assert "usage: tsqlab" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "output"),
    re.findall(
        r"^```console\n\$ tsqlab (model .*?)\n(.*?)^```$",
        (ROOT / "docs" / "radio-model.md").read_text(),
        re.MULTILINE | re.DOTALL,
    ),
)
def test_the_models_examples_print_what_they_show(line, output, capsys):
    assert main(line.split()) == 0
    assert capsys.readouterr().out == output


@pytest.mark.parametrize("version", versions())
def test_the_kernels_names_are_as_the_series_has_them(version):
    text = (ROOT / "docs" / "real-machines.md").read_text()
    added = "".join(
        re.findall(r"^\+.*$", changes(patches_of(version, None)).decode(), re.MULTILINE)
    )
    names = set(re.findall(r"\b(?:tcp_tsq_\w+|TCP_TSQ_\w+|0x\w+)", text))
    assert len(names) >= 7
    assert [name for name in names if not re.search(rf"\b{name}\b", added)] == []
