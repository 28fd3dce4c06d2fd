# SPDX-License-Identifier: GPL-2.0-or-later
"""What of a machine a result depends on, besides the cell and what is sent with it.

A cell's key says of which specification, kernel and programs a result is. It is made where the
run was started, and a worker has to be such a machine, too: with the same tsqlab, the same
programs of the host that guests run, and the same libraries where these decide about bytes.
"""

from __future__ import annotations

import platform
import zlib
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version

from tsqlab import __version__
from tsqlab.guest import host_programs
from tsqlab.keys import key_of_files
from tsqlab.paths import PACKAGE

_PROGRAM = "guests' "
_SHOWN_MAX = 5


@cache
def about_host(programs: tuple[str, ...]) -> Mapping[str, str]:
    """What matters of this machine where these programs make testbeds, by what to call it.

    Raises TsqlabError.
    """
    contents = host_programs.contents(programs)
    return {
        "tsqlab": __version__,
        "the sources of tsqlab": key_of_files(PACKAGE.rglob("*.py"), PACKAGE),
        "the machine": platform.machine(),
        "Python": ".".join(platform.python_version_tuple()[:2]),
        "numpy": version("numpy"),
        "zlib": zlib.ZLIB_RUNTIME_VERSION,
        **{f"{_PROGRAM}{name}": digest for name, digest in contents.items()},
    }


def why_refused(there: Mapping[str, str], here: Mapping[str, str]) -> str:
    """Why results of a worker would not be those of this machine; "" if they are."""
    names = [name for name in {**here, **there} if there.get(name) != here.get(name)]
    programs = [name.removeprefix(_PROGRAM) for name in names if name.startswith(_PROGRAM)]
    others = [name for name in names if not name.startswith(_PROGRAM)]
    said = [_differs(name, there.get(name), here.get(name)) for name in others]
    if programs:
        more = len(programs) - _SHOWN_MAX
        listed = ", ".join(programs[:_SHOWN_MAX]) + (f" and {more} more" if more > 0 else "")
        said.append(f"its guests would run other programs or libraries: {listed}")
    return "; ".join(said)


def _differs(name: str, there: str | None, here: str | None) -> str:
    if name.startswith("the sources"):
        return f"{name} are others"
    return f"{name} is {there or 'missing'} there, and {here or 'missing'} here"
