# SPDX-License-Identifier: GPL-2.0-or-later
"""What the papers claim of an experiment, as data beside it (docs/claims.md).

The claims of experiments/PAPER/NAME.toml stand in experiments/PAPER/claims/NAME.toml, a table
for each, whose name is the claim's. Reading them asks nothing of any result.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from tsqlab.experiment.bounds import KeyedError
from tsqlab.experiment.bundled import bundled_claims, bundled_profiles
from tsqlab.experiment.causes import causes
from tsqlab.experiment.flow_table import FLOWS_MAX
from tsqlab.experiment.invalid import first_error, hint, reason, unknown
from tsqlab.experiment.matrix import Level
from tsqlab.experiment.spec import full_key
from tsqlab.experiment.toml import TomlFile, flattened, read_toml
from tsqlab.experiment.tsq import ms_of_name
from tsqlab.metrics.flows import FLOW_QUANTITIES
from tsqlab.metrics.shapes import SHAPES
from tsqlab.metrics.summarise import DIRECTED
from tsqlab.results.summary import METRICS

QUANTITIES = (*(name for name in METRICS if name not in ("sim_s", "wall_s")), *DIRECTED, *SHAPES)
"""What a claim can be about: metrics and shapes, of one cell."""

_SEED = "seed"


def _check_quantity(name: str) -> str:
    known = dict.fromkeys((*QUANTITIES, *FLOW_QUANTITIES))
    if name not in known:
        raise ValueError(f'no quantity "{name}"; {hint(name, known)}')
    return name


def _check_factors(setting: Mapping[str, Level]) -> Mapping[str, Level]:
    for name in setting:
        if name == _SEED:
            raise ValueError("a claim is about all seeds; leave the seed out")
        if full_key(name) is None:
            raise ValueError(f'no key "{name}" can vary')
    return setting


def _check_over(over: Mapping[str, Sequence[Level]]) -> Mapping[str, Sequence[Level]]:
    _check_factors(dict.fromkeys(over, 0))
    if len(over) > 1:
        raise ValueError("a curve is over one factor")
    for levels in over.values():
        if len(levels) < 2 or len(set(levels)) < len(levels):
            raise ValueError("a curve has two levels or more, each once")
    return over


def _check_fitted(names: tuple[str, ...]) -> tuple[str, ...]:
    profiles = bundled_profiles()
    for name in names:
        profile, _, key = name.partition(".")
        if profile not in profiles:
            raise ValueError(f'no profile "{profile}"; {hint(profile, profiles)}')
        if key not in (keys := flattened(read_toml(profiles[profile]).tables)):
            raise ValueError(f'{profile} does not set "{key}"; {hint(key, keys)}')
    return names


def _check_cause(name: str) -> str:
    if name not in causes():
        raise ValueError(f'no cause "{name}"; {hint(name, causes())}')
    return name


CURVES = ("knee", "step", "highest", "lowest", "span")
"""The comparisons that are made on a curve."""


def level_number(value: Level) -> float:
    """The number that a level begins with: 6 of "6TSQ", 10 of "10 ms", and 1 of "TSQ"."""
    if not isinstance(value, str):
        return float(value)
    if (ms := ms_of_name(value)) is not None:
        return float(ms)
    match = re.match(r"[0-9]+(\.[0-9]+)?", value)
    if not match:
        raise ValueError(f'"{value}" does not begin with a number, as a knee needs it')
    return float(match[0])


_STATED = re.compile(r"(?:about )?([0-9]+(?:\.[0-9]+)?)(?: to ([0-9]+(?:\.[0-9]+)?))?(?: \S+)?")

Over = Annotated[Mapping[str, Sequence[Level]], AfterValidator(_check_over)]
Setting = Annotated[Mapping[str, Level], AfterValidator(_check_factors)]
Text = Annotated[str, Field(min_length=1)]
Bound = Annotated[float, Field(strict=True, allow_inf_nan=False)]


class Claim(BaseModel):
    """One checkable statement of a paper."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Text  # the table's name: the statement's name in the paper's list, and a suffix
    statement: Text  # what the paper says
    paper: Text  # the number that the paper gives, or what it says in place of one
    # One of QUANTITIES, or of a flow one of FLOW_QUANTITIES, measured in each cell.
    quantity: Annotated[str, AfterValidator(_check_quantity)]
    # The [[flow]] that it is measured of, by its place in the file; None: of all.
    flow: Annotated[int, Field(ge=1, le=FLOWS_MAX, strict=True)] | None = None
    # How the numbers of the cells in "of", "to" and "over" are compared; docs/claims.md explains
    # each way.
    compare: Literal["value", "ratio", "difference", "knee", "step", "highest", "lowest", "span"]
    of: Setting = {}  # factors and their levels
    to: Setting = {}
    over: Over = {}  # one factor and some of its levels, in the curve's order
    # The accepted range, ends included, in the quantity's unit; a ratio has none.
    lower: Bound | None = None
    upper: Bound | None = None
    why: Text  # how the statement became these bounds
    # Another claim, which asks the same of the same cells: this one is shown, and counted once.
    same_as: str = ""
    # "PROFILE.KEY" of each value that was fitted to this number, which predicts nothing therefore.
    fitted: Annotated[tuple[str, ...], AfterValidator(_check_fitted)] = ()
    # Why the lab's number differs, in short: a name of experiments/causes.toml.
    cause: Annotated[str, AfterValidator(_check_cause)] = ""
    explanation: str = ""  # why the lab's number differs
    evidence: str = ""  # what shows that the explanation is right

    @model_validator(mode="after")
    def _whole(self) -> Claim:
        if (self.compare in ("ratio", "difference")) != bool(self.to):
            raise ValueError('"to" belongs to a ratio or a difference, and those need it')
        if (self.compare in CURVES) != bool(self.over):
            raise ValueError(f'"over" belongs to {", ".join(CURVES)}, and those need it')
        if not self.of and not self.over:
            raise ValueError('"of" is needed')
        if set(self.of) & set(self.over):
            raise ValueError('what "over" varies cannot stand in "of"')
        if self.compare == "knee":
            for value in self.levels:
                level_number(value)
        if self.to and set(self.to) != set(self.of):
            raise ValueError('"of" and "to" must name the same factors')
        if self.to and self.to == self.of:
            raise ValueError('"of" and "to" are the same setting')
        if self.lower is None and self.upper is None:
            raise ValueError('at least one of "lower" and "upper" is needed')
        if self.lower is not None and self.upper is not None and self.lower > self.upper:
            raise ValueError('"lower" is above "upper"')
        return self

    @model_validator(mode="after")
    def _of_flow(self) -> Claim:
        if self.flow is not None and self.quantity not in FLOW_QUANTITIES:
            said = f'no flow has a "{self.quantity}"; {hint(self.quantity, FLOW_QUANTITIES)}'
            raise KeyedError(["quantity"], said)
        if self.flow is None and self.quantity not in QUANTITIES:
            raise KeyedError(["quantity"], f'"{self.quantity}" is of one flow, and needs "flow"')
        return self

    @property
    def metric(self) -> str:
        """What is measured in each cell: the quantity, of the flow if it is of one."""
        return self.quantity if self.flow is None else f"{self.quantity}_{self.flow}"

    @model_validator(mode="after")
    def _explained(self) -> Claim:
        if bool(self.explanation) != bool(self.evidence):
            raise ValueError('"explanation" and "evidence" go together')
        if self.explanation and not self.cause:
            raise ValueError('"explanation" needs a "cause", which the totals have it under')
        if self.same_as == self.id:
            raise ValueError('"same_as" names another claim')
        return self

    @property
    def apart(self) -> str:
        """Why it is not counted; empty if it is."""
        if self.fitted:
            return f"{', '.join(self.fitted)} fitted to it"
        return f"the same as {self.same_as}" if self.same_as else ""

    @property
    def levels(self) -> Sequence[Level]:
        """The levels that the curve goes over; empty for a claim about one setting or two."""
        return next(iter(self.over.values()), ())

    @property
    def sides(self) -> tuple[Mapping[str, Level], ...]:
        """The settings that the claim is about: one, two, or those of a curve."""
        if self.over:
            (factor,) = self.over
            return tuple({**self.of, factor: value} for value in self.levels)
        return (self.of, self.to) if self.to else (self.of,)

    @property
    def stated(self) -> tuple[float, float] | None:
        """The paper's own number as a range: (90, 95) of "90 to 95 Mbit/s", (35, 35) of "about 35".

        None where the paper has words instead.
        """
        match = _STATED.fullmatch(self.paper)
        return (float(match[1]), float(match[2] or match[1])) if match else None

    def accepts(self, value: float) -> bool:
        """Whether *value* lies in the accepted range."""
        return (self.lower is None or value >= self.lower) and (
            self.upper is None or value <= self.upper
        )


def claims_of(experiment: str) -> tuple[Claim, ...]:
    """The claims about a bundled experiment; none about another. Raises FileError."""
    path = bundled_claims().get(experiment)
    return read_claims(path) if path else ()


def read_claims(path: Path) -> tuple[Claim, ...]:
    """The claims of a file, in its order. Raises FileError."""
    file = read_toml(path)
    return tuple(_claim(file, name, table) for name, table in file.tables.items())


def _claim(file: TomlFile, name: str, table: Any) -> Claim:
    if not isinstance(table, dict):
        raise file.error([name], "expected a claim: a table, [ID], with its keys")
    if "id" in table:
        raise file.error([name, "id"], _unknown(["id"]))
    try:
        return Claim.model_validate({"id": name, **table})
    except ValidationError as error:
        where, first = first_error(error)
        keys = [part for part in where if part in Claim.model_fields]
        raise file.error([name, *(keys or where)], reason(first, _unknown)) from None


_RENAMED = {"words": "statement"}  # keys that files written before 0.1.0 have


def _unknown(where: Sequence[str]) -> str:
    accepted = [name for name in Claim.model_fields if name != "id"]
    if new := _RENAMED.get(where[-1]):
        return f'unknown key; it is called "{new}" now'
    return unknown(where[-1], accepted)
