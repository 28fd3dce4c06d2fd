# SPDX-License-Identifier: GPL-2.0-or-later
"""Kernels that come built, in the package tsqlab-kernels, for machines without a compiler.

tools/kernels_wheel.py makes the package: kernels with their modules, the agent, wqm, and the
programs that guests run (tsqlab.guest.sandbox shows them). ``about.json`` in it names each kernel
by what it is asked for as, a version, a frequency, and the changes that are taken back; and beside
that stand the keys of its ingredients. A tsqlab of other ingredients has other guests. So it does
not take such a kernel, and says which of them differ.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tsqlab import __version__
from tsqlab.errors import TsqlabError
from tsqlab.kernels.ingredients import ingredients, taken_back
from tsqlab.kernels.recipe import Kernel, Recipe
from tsqlab.kernels.source import versions

DISTRIBUTION = "tsqlab-kernels"
_PACKAGE = "tsqlab_kernels"
ABOUT = "about.json"


@dataclass(frozen=True)
class Built:
    """A kernel of the package."""

    name: str  # of its folders below linux/ and modules/
    version: str
    release: str
    hz: int
    id: str
    cotsq: bool
    asked: str  # what asks for it, as asked_as() says it
    ingredients: Mapping[str, str]

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Built:
        """It, as the package describes it."""
        return cls(**{key: data[key] for key in cls.__dataclass_fields__})


@dataclass(frozen=True)
class Package:
    """The package, as it is installed."""

    folder: Path
    version: str
    wqm: str  # the key of the daemon in it
    kernels: tuple[Built, ...]
    # What makes testbeds is, as tsqlab.guest.host_programs says it of a host.
    programs_are: Mapping[str, Mapping[str, str]]

    @property
    def title(self) -> str:
        """It as a text names it."""
        return f"{DISTRIBUTION} {self.version}"

    @property
    def daemon(self) -> Path:
        """The daemon of hosts, wqm."""
        return self.folder / "wqm" / "wqm"

    @property
    def programs(self) -> Path:
        """The folder with the programs of guests."""
        return self.folder / "programs"

    def kernel(self, built: Built) -> Kernel:
        """One of its kernels, ready to boot."""
        return Kernel(
            version=built.version,
            release=built.release,
            hz=built.hz,
            id=built.id,
            cotsq=built.cotsq,
            linux=self.folder / "linux" / built.name / "linux",
            modules=self.folder / "modules" / built.name,
            agent=self.folder / "agent" / "agent",
        )


def asked_as(recipe: Recipe) -> str:
    """A recipe of Debian's source as a text that is the same for all that mean the same kernel."""
    version = recipe.version or versions()[0]
    words = [version, f"{recipe.hz} Hz", *sorted(recipe.extra)]
    words += [] if recipe.cotsq else ["without cotsq"]
    # A version is somebody's word, and known to be one only where it has something to take back.
    back = taken_back(recipe, version) if recipe.without else {}
    words += [f"without {name}" for name in sorted(back)]
    return ", ".join(words)


def installed() -> Package | None:
    """The package, if it is installed beside tsqlab. Raises TsqlabError if it is damaged."""
    spec = find_spec(_PACKAGE)
    if spec is None or spec.origin is None:  # a folder that only has the name has no origin
        return None
    folder = Path(spec.origin).parent
    try:
        data = json.loads((folder / ABOUT).read_text("utf-8"))
        kernels = tuple(Built.of(entry) for entry in data["kernels"])
        package = Package(
            folder, str(data["version"]), str(data["wqm"]), kernels, dict(data["programs_are"])
        )
        for kernel in map(package.kernel, kernels):
            if not (kernel.linux.is_file() and kernel.modules.is_dir() and kernel.agent.is_file()):
                raise FileNotFoundError(f"{kernel.linux} or what goes with it")
    except (OSError, LookupError, TypeError, ValueError, AttributeError) as error:
        raise TsqlabError(
            f"{folder}: damaged ({error!r}); try: pip install --force-reinstall {DISTRIBUTION}"
        ) from error
    return package


def prebuilt(recipe: Recipe, package: Package | None) -> tuple[Kernel | None, str]:
    """The package's kernel of a recipe; or None, and why it has none, as a sentence.

    The sentence is empty where there is no package, or where it could have none: the recipe is of
    something of the user's.
    """
    own = recipe.source or recipe.patches or recipe.fragments or not recipe.prebuilt
    if package is None or own:
        return None, ""
    asked = asked_as(recipe)
    built = next((built for built in package.kernels if built.asked == asked), None)
    if built is None:
        return None, f"{package.title} has no such kernel"
    wanted = ingredients(recipe)
    others = [name for name, key in wanted.items() if built.ingredients.get(name) != key]
    if others:
        return None, (
            f"that of {package.title} is of another {' and '.join(others)} "
            f"than this tsqlab {__version__}"
        )
    return package.kernel(built), ""
