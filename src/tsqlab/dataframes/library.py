# SPDX-License-Identifier: GPL-2.0-or-later
"""pandas, if it is there: nothing else of tsqlab needs it."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from tsqlab.errors import TsqlabError


def library() -> ModuleType:
    """The module pandas. Raises TsqlabError where there is none."""
    try:
        return import_module("pandas")
    except ImportError as error:
        raise TsqlabError(
            f"no pandas ({error}), which tsqlab.open() needs: pip install 'tsqlab[pandas]'"
        ) from error
