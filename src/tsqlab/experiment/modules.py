# SPDX-License-Identifier: GPL-2.0-or-later
"""Modules of a user's own in ``[lab]``: which folders, in which order, with which parameters.

A module is a folder, and is called as that is. What is in it is read when a cell is to run
(Experiment.modules()), and is part of the cell's key; so a path says where it lies, and nothing of
a result depends on it. Parameters are a table of their own, since they vary:
``parameters.mycc.beta = [500, 700]``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator

from tsqlab.experiment.bounds import KeyedError
from tsqlab.experiment.invalid import hint, shown

MODULES, PARAMETERS = "modules", "parameters"
"""The keys of [lab]."""

MODULES_MAX = 20
PARAMETERS_MAX = 50
"""Of a module: a line of a guest's plan has 64 words."""
_NOTHING = "none"
_VALUE_MAX = 200

NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,54}")
"""What a module's folder may be called: a name that make and the guest take as it is."""

Value = bool | int | str


def module_name(path: str) -> str:
    """What a module is called: as its folder is."""
    return PurePosixPath(path).name


def _listed(value: object) -> object:
    """Folders in a text, with commas between, as a list; that is how a matrix has its levels."""
    if isinstance(value, str):
        return [] if value.strip() == _NOTHING else [text.strip() for text in value.split(",")]
    if not isinstance(value, list | tuple):
        raise ValueError(f'expected folders as ["./mycc"], or "{_NOTHING}", not {shown(value)}')
    return value


def _checked(paths: tuple[str, ...]) -> tuple[str, ...]:
    if len(paths) > MODULES_MAX:
        raise ValueError(f"{len(paths)} modules; expected {MODULES_MAX} at most")
    for path in paths:
        if not path.isprintable() or not NAME.fullmatch(module_name(path)):
            raise ValueError(
                'expected a folder with a name of letters, digits, - and _, as "./mycc", '
                f"not {shown(path)}"
            )
    names = [module_name(path) for path in paths]
    if twin := next((name for name in names if names.count(name) > 1), None):
        raise ValueError(f'two modules "{twin}"; expected folders of different names')
    return paths


def _check_value(value: Value) -> Value:
    if isinstance(value, str) and not re.fullmatch(rf"[!#-~]{{1,{_VALUE_MAX}}}", value):
        raise ValueError(
            f"expected a number, true, false, or a word of up to {_VALUE_MAX} letters, "
            f"not {shown(value)}"
        )
    return value


def _check_names(parameters: dict[str, dict[str, Value]]) -> dict[str, dict[str, Value]]:
    for module, values in parameters.items():
        if len(values) > PARAMETERS_MAX:
            found = f"{len(values)} parameters; expected {PARAMETERS_MAX} at most"
            raise KeyedError([module], found)
        for name in values:
            if not re.fullmatch(r"[A-Za-z_]\w{0,50}", name, re.ASCII):
                raise KeyedError([module], f"no parameter has a name as {shown(name)}")
    return parameters


Modules = Annotated[tuple[str, ...], BeforeValidator(_listed), AfterValidator(_checked)]
Parameters = Annotated[
    dict[str, dict[str, Annotated[Value, AfterValidator(_check_value)]]],
    AfterValidator(_check_names),
]


def check_parameters(modules: Sequence[str], parameters: Mapping[str, Mapping[str, Value]]) -> None:
    """Raises KeyedError for parameters of what is no module."""
    names = [module_name(path) for path in modules]
    for name in parameters:
        if name not in names:
            known = hint(name, names) if names else f"[lab] has no {MODULES}"
            raise KeyedError([PARAMETERS, name], f"no module {shown(name)}; {known}")


def arguments(values: Mapping[str, Value]) -> list[str]:
    """Parameters in the kernel's words."""
    return [
        f"{name}={'NY'[value] if isinstance(value, bool) else value}"
        for name, value in values.items()
    ]
