# SPDX-License-Identifier: GPL-2.0-or-later
"""Settings of TCP Small Queues, by the papers' names.

    B = min(bytes, max(ms * rate, pkts * MSS))                       (cotsq, section III)

| name             | bytes | ms | pkts |
|------------------|-------|----|------|
| TSQ              | stock: what the kernel and the driver do by themselves |
| xTSQ, as 4TSQ    | 10 MB | x  | 1    |
| CoTSQ            | 10 MB | 6  | 1    |
| xpkts, as 40pkts | 10 MB | 0  | x: a static limit (aggregating, section IV) |
| NoTSQ            | -1: no limit         |

cotsq's own "TSQ" is the series with 128 KB, 1 ms and no floor, which stock's two skbs are:
``{ bytes = 131072, us = 1000, pkts = "none" }``.

A table of ``bytes``, ``us`` and ``pkts`` sets the CoTSQ series' three sysctls as they are
(tcp_tsq_bytes, tcp_tsq_us, tcp_tsq_pkts), where 0 is stock's. So a limit without a floor in
packets, pkts = 0 in cotsq's own formula, is ``pkts = "none"``. It is written as 1, which is the
same: TCP compares the limit with what is below before it sends a packet, so that a flow with
nothing below it may always send one, whatever the limit. A table of ``shift`` sets mainline's own
knob, the value that a driver writes to sk_pacing_shift (10: about 1 ms, 8: 4 ms, 7: 8 ms). In the
name of a cell a table is a text such as "us=3500+pkts=2", which a file may also have in place of
the table.

What a setting allows is a number on an axis, in ms of data or in packets: "4TSQ", a table of
us = 4000 and sk_pacing_shift = 8 are about the same. Two settings are not numbers, but references
to compare with: stock TSQ without a shift of its own, and no limit at all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from tsqlab.experiment.era import CHARGED

COTSQ_MS = 6
STOCK_MS = 1  # what stock TSQ allows is about 2^-10 s; this is its place on the axis of xTSQ
STOCK_SHIFT = 10  # the default of sk_pacing_shift, which allows 2^-10 s
MAC80211_SHIFT = 7  # what mac80211 writes there (Linux 6.12, net/mac80211/main.c:917)
_BYTES_MAX = (1 << 31) - 1
_BYTES_OF_PAPERS = 10_000_000  # so large that it never limits a socket
_TIME_OFF_US = 1  # the least time, far below a packet; 0 would mean the time of stock TSQ
_TABLE = re.compile(r"[a-z]+=(-?[0-9]+|none)(\+[a-z]+=(-?[0-9]+|none))*")

Reference = Literal["stock TSQ", "no TSQ"]
STOCK: Reference = "stock TSQ"
NONE: Reference = "no TSQ"


@dataclass(frozen=True)
class KernelTime:
    """A share of the time that the kernel by itself allows, 1 s / 2^sk_pacing_shift, in us.

    The guest computes it of the default that its kernel has, which a patch may have changed.
    """

    numerator: int
    denominator: int

    def us(self, shift: int) -> int:
        """The value where the kernel's default is *shift*: rounded, and 1 at least."""
        whole = self.denominator << shift
        return max((2 * 10**6 * self.numerator + whole) // (2 * whole), 1)


def _floor(value: Any) -> Any:
    """The packets that a flow without a floor has all the same."""
    return 1 if value == "none" else value


class Tsq(BaseModel):
    """One setting; all zeros is stock."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    bytes: Annotated[int, Field(ge=-1, le=_BYTES_MAX)] = 0  # -1: no limit
    us: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    pkts: Annotated[int, BeforeValidator(_floor), Field(ge=0, le=65535)] = 0
    shift: Annotated[int, Field(ge=0, le=31)] = 0

    @classmethod
    def of_ms(cls, ms: float) -> Tsq:
        """The papers' xTSQ: *ms* of data at the pacing rate, and one packet at least."""
        return cls(bytes=_BYTES_OF_PAPERS, us=round(ms * 1000), pkts=1)

    @classmethod
    def of_packets(cls, packets: int) -> Tsq:
        """The papers' static limit: so many packets, whatever the rate."""
        return cls(bytes=_BYTES_OF_PAPERS, us=_TIME_OFF_US, pkts=packets)

    @property
    def limit_packets(self) -> int | None:
        """How many packets a static limit allows below TCP; None for other settings."""
        static = self.bytes >= 0 and self.us == _TIME_OFF_US and self.pkts > 0
        return self.pkts if static else None

    @property
    def limit_ms(self) -> float | None:
        """How many ms of data may be below TCP; None if the limit is not a time."""
        if self.bytes < 0 or self.limit_packets is not None:
            return None
        if self.us:
            return self.us / 1000
        return 1000 / 2**self.shift if self.shift else None

    @property
    def reference(self) -> Reference | None:
        """The reference that this setting is; None for a setting that is a number."""
        if self.bytes < 0:
            return NONE
        return STOCK if self == Tsq() else None

    def sysctls(
        self, truesize: int | None = None, shift: int | None = None, charged: int = CHARGED
    ) -> dict[str, int | KernelTime]:
        """The values of the CoTSQ series' sysctls for this setting; empty for stock.

        The kernel compares a limit in bytes, and a time at a rate in bytes, with what it charges
        for packets, which is up to three times what they carry. The values allow as many packets
        of *charged* bytes, what the kernel has for one, as the setting allows of *truesize* bytes;
        None changes nothing, and a limit in packets stays as it is. *shift* is what the driver
        writes to sk_pacing_shift; None is nothing, so that stock's time is that of the kernel's
        own default.
        """
        values: dict[str, int | KernelTime] = {"bytes": self.bytes, "us": self.us,
                                               "pkts": self.pkts}  # fmt: skip
        if truesize and self.bytes >= 0:
            values["bytes"] = round(self.bytes * charged / truesize)
            values["us"] = self._counted_us(truesize, self.shift or shift, charged)
        if not any(values.values()):
            return {}
        return {f"net.ipv4.tcp_tsq_{name}": value for name, value in values.items()}

    def _counted_us(self, truesize: int, shift: int | None, charged: int) -> int | KernelTime:
        if not self.us and shift is None:
            return KernelTime(charged, truesize)
        us = self.us or 1e6 / 2 ** (shift or 0)
        return max(round(us * charged / truesize), 1)


def parse_tsq(value: Any) -> Any:
    """The setting that a name stands for. Other values are left to the model. Raises ValueError."""
    if not isinstance(value, str):
        return value
    if _TABLE.fullmatch(value):
        # The table of a setting, in the form that names of cells have.
        return dict(part.split("=") for part in value.split("+"))
    if value == "TSQ":
        return Tsq()
    if value == "NoTSQ":
        return Tsq(bytes=-1)
    if re.fullmatch(r"[1-9][0-9]{0,3}pkts", value):
        return Tsq.of_packets(int(value.removesuffix("pkts")))
    if (ms := ms_of_name(value)) is not None:
        return Tsq.of_ms(ms)
    raise ValueError(
        f'no TSQ setting "{value}"; there are TSQ, 4TSQ (any number of ms), CoTSQ, 40pkts, NoTSQ, '
        "{ bytes = , us = , pkts = } and { shift = }"
    )


def ms_of_name(name: str) -> int | None:
    """The ms that a paper's name stands for: 4 for "4TSQ", about 1 for "TSQ"; else None."""
    if name in _MS_OF_NAMES:
        return _MS_OF_NAMES[name]
    match = re.fullmatch(r"([0-9]{1,3})TSQ", name)
    return int(match[1]) or None if match else None


_MS_OF_NAMES = {"TSQ": STOCK_MS, "CoTSQ": COTSQ_MS}


def name_of_ms(ms: float) -> str:
    """The text for a limit of *ms* in an experiment file: "4TSQ", or that of a table."""
    name = f"{ms:g}TSQ"
    if ms_of_name(name) == ms:
        return name
    return "+".join(f"{key}={value}" for key, value in Tsq.of_ms(ms) if value)


TsqSetting = Annotated[Tsq, BeforeValidator(parse_tsq)]
