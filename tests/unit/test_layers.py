# SPDX-License-Identifier: GPL-2.0-or-later
"""A package imports only from those below it; what stands beside it imports nothing of it."""

import ast
import re

import pytest

from tsqlab.paths import PACKAGE, ROOT

# From the top to the bottom, and what each is for. A package, or a module that stands beside the
# packages, may import from all that come after it, and from nothing before.
LAYERS = {
    "cli": "reads arguments and prints: nothing imports it",
    "dataframes": "gives a folder of results as pandas' DataFrames",
    "report": "makes tables, plots and pages from a folder of results, and never runs a guest",
    "packetdrill": "runs packetdrill's scripts, each in a guest, and says what became of them",
    "runner": "runs the cells of an experiment that are not done yet, side by side",
    "guest": "turns one cell into a plan, boots a kernel with it, and reads what it leaves",
    "experiment": "reads what a user writes (experiments, profiles, claims), and a cell's back",
    "kernels": "builds kernels, modules and the agent, and caches them",
    "results": "owns every file of a results folder, for writing and for reading",
    "airlink": "speaks to the airlink module over generic netlink",
    "metrics": "computes numbers from samples",
    "model": "is 802.11 and the papers in closed form, the reference for the radio",
    "topology": "names the nodes and the egresses of both layouts",
    "keys": "names content by its hash",
    "bubblewrap": "knows which sandbox is wanted, and why bubblewrap is refused",
    "paths": "knows where the checkout's folders and the cache are",
    "units": "parses and writes quantities",
    "errors": "has the exceptions that all raise",
}
ORDER = list(LAYERS)

# The reference must not lean on what is held against it.
NARROWER = {"model": {"errors", "units"}}


def imports(source, module):
    """The line and full name of each import of tsqlab in a module, wherever it stands.

    What `from tsqlab import X` names is tsqlab.X, be it a module or a name of the package.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            parents = module.split(".")[: -node.level] if node.level else []
            base = ".".join([*parents, *([node.module] if node.module else [])])
            names = [f"{base}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from ((node.lineno, name) for name in names if name.split(".")[0] == "tsqlab")


def wrong(source, module):
    """What a module may not import: the line, the name, and why."""
    here = module.split(".")[1]
    below = NARROWER.get(here, set(ORDER[ORDER.index(here) + 1 :]))
    for line, name in imports(source, module):
        there = name.split(".")[1] if "." in name else "tsqlab"
        if there == "__version__" or there in below | {here}:
            continue
        yield f"line {line} imports {name}: {here} may use {sorted(below)} only"


def module_of(path):
    """The name by which a file's relative imports go: a package's own is below the package."""
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)


MODULES = sorted(PACKAGE.rglob("*.py"))


def test_every_package_has_its_place():
    found = {path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in MODULES}
    assert found - {"__init__"} == set(LAYERS), "state it in LAYERS, with what it is for"


def test_the_package_itself_imports_nothing_but_what_open_needs():
    """And that only when it is called: tests/unit/dataframes/test_open.py."""
    found = imports((PACKAGE / "__init__.py").read_text(), "tsqlab.__init__")
    assert {name.rpartition(".")[0] for _, name in found} == {"tsqlab.dataframes"}


@pytest.mark.parametrize("package", LAYERS)
def test_imports_go_down(package):
    files = [path for path in MODULES if module_of(path).split(".")[1] == package]
    assert files
    found = {
        str(path.relative_to(ROOT)): said
        for path in files
        if (said := list(wrong(path.read_text(), module_of(path))))
    }
    assert found == {}


def test_the_architecture_has_the_layers_in_their_order():
    text = (ROOT / "docs" / "architecture.md").read_text()
    (order,) = re.findall(r"From the top: (.*?)\. The model", text, re.DOTALL)
    assert re.findall(r"`(\w+)`", order) == ORDER


@pytest.mark.parametrize("room", ["kernel", "agent", "wqm", "tsq", "experiments"])
def test_what_stands_beside_imports_nothing_of_the_package(room):
    found = [
        str(path.relative_to(ROOT))
        for path in sorted((ROOT / room).rglob("*.py"))
        if list(imports(path.read_text(), path.stem))
    ]
    assert found == [], "what is made from Python belongs to tools/"


@pytest.mark.parametrize(
    "source",
    [
        "from tsqlab.guest.boot import run_guest",
        "from tsqlab import guest",
        "import tsqlab.guest.boot",
        "import tsqlab.guest.boot as boot",
        "from ..guest import boot",
        "from .. import guest",
        "def late():\n    from tsqlab.guest import boot",
        "if TYPE_CHECKING:\n    from tsqlab.guest import boot",
        "from tsqlab import *",
    ],
)
def test_an_upward_import_is_found(source):
    assert len(list(wrong(source, "tsqlab.metrics.knee"))) == 1


@pytest.mark.parametrize(
    ("source", "module"),
    [
        ("from tsqlab.metrics import knee", "tsqlab.report.table"),
        ("from tsqlab import __version__", "tsqlab.results.flent"),
        ("from . import shapes", "tsqlab.metrics.knee"),
        ("from ..model import phy", "tsqlab.metrics.knee"),
        ("from tsqlab.units import Rate", "tsqlab.model.phy"),
        ("import tsqlabels\nfrom numpy import guest", "tsqlab.metrics.knee"),
    ],
)
def test_other_imports_are_not(source, module):
    assert list(wrong(source, module)) == []


def test_the_model_stands_alone():
    assert list(wrong("from tsqlab.keys import key_of", "tsqlab.model.phy"))
