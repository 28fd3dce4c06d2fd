# SPDX-License-Identifier: GPL-2.0-or-later
"""The documentation's examples are good, its tables complete, its links lead somewhere."""

import re
import shlex
import tomllib

import pytest

from tsqlab import __version__
from tsqlab.cli import main
from tsqlab.experiment.claims import QUANTITIES, Claim, read_claims
from tsqlab.experiment.flows import TESTS
from tsqlab.experiment.handles import keys_of
from tsqlab.experiment.load import load
from tsqlab.experiment.printed import FigureTable, SeriesTable
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.program_table import ProgramTable
from tsqlab.experiment.shown import PLOTS, Report
from tsqlab.experiment.spec import TABLES
from tsqlab.experiment.testbed.positions import PropagationTable
from tsqlab.experiment.testbed.written import (
    LinkTable,
    MediumTable,
    MemberTable,
    NodeTable,
    PairTable,
)
from tsqlab.experiment.vary import VaryTable
from tsqlab.kernels.source import changes, patches_of, versions
from tsqlab.metrics.shapes import SHAPES
from tsqlab.metrics.summarise import DIRECTED
from tsqlab.paths import ROOT
from tsqlab.report.verdicts import OUTCOMES
from tsqlab.results.summary import METRICS

PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
EXAMPLES = [
    pytest.param(text, id=f"{page.name}-{number}")
    for page in PAGES
    for number, text in enumerate(re.findall(r"```toml\n(.*?)```", page.read_text(), re.DOTALL))
]


@pytest.mark.parametrize("text", EXAMPLES)
def test_examples_are_good(text, tmp_path):
    path = tmp_path / "example.toml"
    path.write_text(text)
    if text.startswith("#") and "\nkind = " in text.partition("\n[")[0]:
        assert load_profile(str(path)).title
    elif "\nquantity = " in text:
        assert read_claims(path)
    else:
        assert load(str(path)).cells


MAPS = [ROOT / "CONTRIBUTING.md", ROOT / "docs" / "architecture.md"]
PLACEHOLDERS = re.compile(r"\b(NAME|PAPER|VERSION|CELL)\b")
OF_THE_USER = ("results/", ".venv/", "out/", "/tmp/")


def candidates(name):
    """The files that a name on a map may mean: of the checkout, of airlink, or of any folder."""
    pattern = PLACEHOLDERS.sub("*", name)
    yield from ROOT.glob(pattern)
    for room in ("experiments", "kernel/modules/airlink", "src/tsqlab/report", "src/tsqlab/guest"):
        yield from (ROOT / room).glob(pattern)
    if "/" not in name:
        for room in ("src", "agent", "experiments", "kernel", "tests"):
            yield from (ROOT / room).rglob(pattern)


@pytest.mark.parametrize("page", MAPS, ids=lambda page: page.name)
def test_what_a_map_names_is_there(page):
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    words = [word for code in re.findall(r"`([^`]+)`", text) for word in code.split()]
    paths = [
        word.rstrip("/")
        for word in words
        if re.fullmatch(r"[\w.*/-]*\w/|[\w.*/-]+\.(py|c|h|toml|md|yaml)", word)
        and not word.startswith(OF_THE_USER)
    ]
    assert len(paths) > 5
    assert [path for path in paths if not any(candidates(path))] == []


def test_the_functions_of_the_frame_s_way_are_where_it_says():
    text = (ROOT / "docs" / "architecture.md").read_text()
    places = re.findall(r"`(\w+)\(\)`\s+in\s+`([\w/]+\.c)`", text)
    assert len(places) > 4
    for function, name in places:
        source = (ROOT / "kernel" / "modules" / "airlink" / name).read_text()
        assert re.search(rf"^[a-z].*\b{function}\(", source, re.MULTILINE), function


@pytest.mark.parametrize("page", [ROOT / "README.md", *MAPS], ids=lambda page: page.name)
def test_make_can_what_a_page_promises(page):
    named = set(re.findall(r"(?:`|\$ )make ([a-z0-9-]+)", page.read_text()))
    targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert named <= targets


def test_a_version_is_one_number():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == __version__
    kernels = tomllib.loads((ROOT / "packaging" / "kernels" / "pyproject.toml").read_text())
    assert kernels["project"]["version"] == __version__
    assert project["optional-dependencies"]["kernels"] == [f"tsqlab-kernels=={__version__}"]
    assert f"## {__version__}" in (text := (ROOT / "CHANGELOG.md").read_text()) or (
        "## Unreleased" in text and f"will be {__version__}" in text
    )


def test_the_guest_by_hand_has_a_plan(tmp_path, monkeypatch, capsys):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import guest  # noqa: PLC0415  (it is no package's)

    text = (ROOT / "CONTRIBUTING.md").read_text()
    line, shown = re.findall(r"^\$ \S+ tools/guest.py /tmp/g (.*)\n(cell .*)$", text, re.MULTILINE)[
        0
    ]
    words = [str(tmp_path), *shlex.split(line), "--plan"]
    assert guest.main(words) == 0
    assert capsys.readouterr().out.strip() == shown.replace("/tmp/g", str(tmp_path))
    plan = tmp_path / "plan" / "plan"
    assert plan.read_text().startswith("module\t")
    plan.write_text("end\n")
    assert guest.main(words) == 0
    assert plan.read_text() == "end\n", "an edited plan stays"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        assert (page.parent / target).exists(), target


def test_every_key_is_documented():
    pages = ("experiments", "vary", "positions", "programs")
    text = "".join((ROOT / "docs" / f"{page}.md").read_text() for page in pages)
    graph = (NodeTable, LinkTable, MediumTable, MemberTable, PairTable, PropagationTable)
    printed = (ProgramTable, FigureTable, SeriesTable)
    for model in (*TABLES.values(), Report, *graph, VaryTable, *printed):
        for key in keys_of(model):
            assert f"`{key}`" in text
    for name in (*TESTS, *PLOTS):
        assert f"`{name}`" in text


def test_every_key_of_a_claim_is_documented():
    text = (ROOT / "docs" / "claims.md").read_text()
    for name in (*(key for key in Claim.model_fields if key != "id"), *SHAPES, *OUTCOMES):
        assert f"`{name}`" in text
    assert set(QUANTITIES) - {*METRICS, *DIRECTED} == set(SHAPES), "the rest is summary.csv's"


def test_every_metric_is_documented():
    text = (ROOT / "docs" / "results.md").read_text()
    for name in (*METRICS, *DIRECTED):
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
