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

A table of ``bytes``, ``us`` and ``pkts`` sets the CoTSQ series' three sysctls as they are
(tcp_tsq_bytes, tcp_tsq_us, tcp_tsq_pkts); one of ``shift`` is mainline's own knob, what a
driver writes to sk_pacing_shift (10: about 1 ms, 8: 4 ms, 7: 8 ms). A cell of a table has a
name such as "us=3500+pkts=2", which may be written instead.
"""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

COTSQ_MS = 6
CHARGED = 2408
"""Bytes that a guest's kernel charges a socket for a packet of 1500 bytes on its own: 1448 of
data in a page, and 960 for the head and the sk_buff. A test in a guest holds it to that."""
STOCK_SHIFT = 10  # of sk_pacing_shift: 2^-10 s
_BYTES_MAX = (1 << 31) - 1


class Tsq(BaseModel):
    """One setting; all zeros is stock."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    bytes: Annotated[int, Field(ge=-1, le=_BYTES_MAX)] = 0  # -1: no limit
    us: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    pkts: Annotated[int, Field(ge=0, le=65535)] = 0
    shift: Annotated[int, Field(ge=0, le=31)] = 0

    def counted(self, truesize: int) -> Tsq:
        """What does to packets of CHARGED bytes as this one does to packets of *truesize*.

        The kernel holds bytes and time at a rate of bytes against what it charges for packets,
        which is up to three times what they carry. A limit in packets is one in either.
        """
        us = self.us or 1e6 / 2 ** (self.shift or STOCK_SHIFT)
        fewer = CHARGED / truesize
        return self.model_copy(
            update={
                "us": max(round(us * fewer), 1) if self.bytes >= 0 else self.us,
                "bytes": round(self.bytes * fewer) if self.bytes > 0 else self.bytes,
            }
        )

    def sysctls(self) -> dict[str, int | str]:
        """What of it the CoTSQ series' sysctls say; empty for stock."""
        values = {"bytes": self.bytes, "us": self.us, "pkts": self.pkts}
        if not any(values.values()):
            return {}
        return {f"net.ipv4.tcp_tsq_{name}": value for name, value in values.items()}


def _by_name(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if re.fullmatch(r"[a-z]+=-?[0-9]+(\+[a-z]+=-?[0-9]+)*", value):
        return dict(part.split("=") for part in value.split("+"))  # a table, as a cell names it
    if value == "TSQ":
        return Tsq()
    if value == "NoTSQ":
        return Tsq(bytes=-1)
    if re.fullmatch(r"[1-9][0-9]{0,3}pkts", value):
        # 1 us: the least, since 0 is stock's time; it is far below a packet.
        return Tsq(bytes=10_000_000, us=1, pkts=int(value.removesuffix("pkts")))
    number = str(COTSQ_MS) if value == "CoTSQ" else value.removesuffix("TSQ")
    if value.endswith("TSQ") and re.fullmatch(r"[0-9]{1,3}", number) and int(number):
        return Tsq(bytes=10_000_000, us=int(number) * 1000, pkts=1)
    raise ValueError(
        f'no TSQ setting "{value}"; there are TSQ, 4TSQ (any number of ms), CoTSQ, 40pkts, NoTSQ, '
        "{ bytes = , us = , pkts = } and { shift = }"
    )


TsqSetting = Annotated[Tsq, BeforeValidator(_by_name)]
