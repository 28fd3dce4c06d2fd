# SPDX-License-Identifier: GPL-2.0-or-later
"""A ``[[flow]]`` of an experiment file: one flow, or ping, between two nodes.

Flent's tests are fixed sets of flows between the clients and the server. What is none of them, a
download beside an upload or a short flow beside a long one, is said flow by flow. The one that
sends connects, so that a download, too, begins with a handshake of the server's.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from tsqlab.experiment.bounds import KeyedError, between
from tsqlab.experiment.handles import Name, keys_of
from tsqlab.experiment.invalid import hint, shown
from tsqlab.experiment.testbed.graph import Graph
from tsqlab.experiment.testbed.keys import array_of_tables
from tsqlab.experiment.testbed.routes import parts
from tsqlab.units import Duration, Rate, Size

FLOW = "flow"
"""The key of the array of tables."""

FLOWS_MAX = 1000

DSCPS: Mapping[str, int] = {
    **{f"CS{number}": 8 * number for number in range(8)},
    **{f"AF{number}{drop}": 8 * number + 2 * drop for number in range(1, 5) for drop in (1, 2, 3)},
    "BE": 0, "LE": 1, "VA": 44, "EF": 46,
}  # fmt: skip
"""The names of code points: RFC 2474, 2597, 3246, 5865, 8622."""

CONTROL_NAME = "[a-z0-9_]{1,15}"
"""How the kernel may call a congestion control, as a regular expression."""


def _check_control(name: str) -> str:
    if not re.fullmatch(CONTROL_NAME, name):
        raise ValueError(
            f'expected one name, as "cubic", of up to 15 characters, not {shown(name)}'
        )
    return name


def _code_point(value: object) -> object:
    if isinstance(value, str) and value not in DSCPS:
        raise ValueError(f'no DSCP "{value}"; {hint(value, DSCPS)}, and the numbers 0 to 63')
    return DSCPS[value] if isinstance(value, str) else value


_Time = Annotated[Duration, between(Duration, "0 s", "1440 min")] | None
_Bytes = Annotated[Size, between(Size, "1 B", "1024 GiB")] | None
_Dscp = Annotated[int, BeforeValidator(_code_point), Field(ge=0, le=63, strict=True)]
_PayloadRate = Annotated[Rate, between(Rate, "0 bit/s", "100 Gbit/s")] | None
_Payload = Annotated[Size, between(Size, "8 B", "65507 B")] | None

# What belongs to flows of one kind.
_KINDS = {"congestion_control": "tcp", "bytes": "tcp", "rate": "udp", "size": "udp"}


class FlowTable(BaseModel):
    """One flow, as a file says it."""

    model_config = ConfigDict(frozen=True, extra="forbid", serialize_by_alias=True)

    name: Name = ""  # none: it is called by its number
    sender: str = Field(alias="from")  # the node that connects, and sends
    receiver: str = Field(alias="to")
    kind: Literal["tcp", "udp", "ping"] = "tcp"
    # None: those of sender.congestion_control, by turns.
    congestion_control: Annotated[str, AfterValidator(_check_control)] | None = None
    # When it starts, counted from the time at which flows begin. None: then, a few ms later as the
    # seed says; of a ping, the start of the measurement.
    start: _Time = None
    stop: _Time = None  # None: when flows end; of a ping, the end of the measurement
    bytes: _Bytes = None  # how many it sends; None: any number until it stops
    dscp: _Dscp = 0
    rate: _PayloadRate = None  # the payload rate of datagrams; None: flows.udp_rate
    size: _Payload = None  # the payload of a datagram; None: flows.udp_size

    @model_validator(mode="after")
    def _of_its_kind(self) -> FlowTable:
        for key, kind in _KINDS.items():
            if getattr(self, key) is not None and self.kind != kind:
                raise KeyedError([key], f'is of flows with kind = "{kind}", not "{self.kind}"')
        if self.sender == self.receiver:
            raise KeyedError(["to"], f'expected another node than "{self.sender}", where it starts')
        if self.bytes is not None and self.stop is not None:
            raise KeyedError(["stop"], "bytes says when it ends; expected one of the two")
        return self


FlowTables = Annotated[tuple[FlowTable, ...], array_of_tables(FLOW)]

FLOW_KEYS = keys_of(FlowTable)


def said_flows(flows: Sequence[FlowTable]) -> dict[str, object]:
    """The keys that flows are said by, dotted, each with its value.

    A flow is called by its name in them, or else by its number, from 1.
    """
    return {
        f"{FLOW}.{flow.name or number}.{field.alias or key}": getattr(flow, key)
        for number, flow in enumerate(flows, 1)
        for key, field in FlowTable.model_fields.items()
        if key != "name" and getattr(flow, key) != field.default
    }


def check_flows(
    flows: Sequence[FlowTable],
    graph: Graph,
    length: Duration,
    step: Duration,
    given: Collection[str],
) -> None:
    """Raises KeyedError for flows that a testbed cannot have in that time.

    *given* are the keys of [flows] that the file says beside them.
    """
    for key in ("test", "streams") if flows else ():
        if key in given:
            message = "is of Flent's tests; [[flow]] says itself what is sent"
            raise KeyedError(["flows", key], message)
    if len(flows) > FLOWS_MAX:
        raise KeyedError([FLOW], f"{len(flows)} flows; expected {FLOWS_MAX} at most")
    names: dict[str, int] = {}
    part = parts(graph) if flows else {}
    for number, flow in enumerate(flows, 1):
        at = [FLOW, str(number)]
        for key, node in (("from", flow.sender), ("to", flow.receiver)):
            if node not in graph.nodes:
                known = ", ".join(graph.nodes)
                raise KeyedError([*at, key], f'no node "{node}"; there are {known}')
        if part[flow.sender] != part[flow.receiver]:
            message = f'there is no way to "{flow.receiver}" from "{flow.sender}"'
            raise KeyedError([*at, "to"], message)
        if flow.name in names:
            raise KeyedError([*at, "name"], f'flow {names[flow.name]} is called "{flow.name}", too')
        names |= {flow.name: number} if flow.name else {}
        _check_times(flow, at, length, step)


def _check_times(flow: FlowTable, at: list[str], length: Duration, step: Duration) -> None:
    start, stop = flow.start or Duration(0), length if flow.stop is None else flow.stop
    if start >= length:
        raise KeyedError([*at, "start"], f"expected a time before flows.length, {length.text}")
    if stop > length:
        raise KeyedError([*at, "stop"], f"expected flows.length at most, {length.text}")
    if stop <= start:
        raise KeyedError([*at, "stop"], f"expected a time after its start, {start.text}")
    # A socket is shut down, and a ping sent, where samples are taken.
    if stop % step:
        raise KeyedError([*at, "stop"], f"expected a multiple of flows.step, {step.text}")
    if flow.kind == "ping" and start % step:
        raise KeyedError([*at, "start"], f"of a ping, expected a multiple of step, {step.text}")
