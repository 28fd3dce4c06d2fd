# SPDX-License-Identifier: GPL-2.0-or-later
"""One station that always has something to send: its goodput in closed form.

The medium goes through the same exchange again and again,

    AIFS | backoff | [RTS | SIFS | CTS | SIFS] | PPDU | SIFS | ACK or block ack

with CWmin / 2 slots of backoff on average, because nobody collides. So

    goodput = payload in the PPDU / duration of the exchange

No losses (:mod:`tsqlab.model.blockack` has them), no beacons (0.2 % of the air), no TXOP of more
than one PPDU.
"""

from __future__ import annotations

from dataclasses import dataclass

from tsqlab.model.band import GHZ_5, Band
from tsqlab.model.edca import STATION, Access
from tsqlab.model.mac import psdu_bytes
from tsqlab.model.phy import Rate
from tsqlab.model.ppdu import ack_ns, block_ack_ns, cts_ns, ppdu_ns, rts_ns


@dataclass(frozen=True)
class Exchange:
    """The parts of an exchange, in their order, each in nanoseconds."""

    aifs_ns: int
    backoff_ns: int  # the mean backoff
    protection_ns: int  # RTS, SIFS, CTS, SIFS; 0 without RTS
    ppdu_ns: int
    sifs_ns: int
    response_ns: int  # the ACK or the block ack

    @property
    def busy_ns(self) -> int:
        """The time from the first bit to the end of the response."""
        return self.protection_ns + self.ppdu_ns + self.sifs_ns + self.response_ns

    @property
    def total_ns(self) -> int:
        """The mean time from the end of one response to the end of the next."""
        return self.aifs_ns + self.backoff_ns + self.busy_ns

    def goodput_bit_per_s(self, payload_bytes: int) -> float:
        """The rate at which *payload_bytes* arrive, if the PPDU carries so many."""
        return payload_bytes * 8e9 / self.total_ns


@dataclass(frozen=True)
class Settings:
    """How a station goes about it."""

    access: Access = STATION["BE"]
    band: Band = GHZ_5
    rts: bool = False  # whether an RTS precedes every PPDU
    window: int = 64  # the agreed block-ack window; the bitmap has 256 bits if it is beyond 64
    pe_ns: int = 0  # HE's packet extension


def exchange(
    rate: Rate, mpdu_bytes: int, subframes: int = 1, settings: Settings | None = None
) -> Exchange:
    """The exchange of *subframes* MPDUs of that size.

    Raises ValueError for what the standard cannot send.
    """
    settings = settings or Settings()
    band = settings.band
    size = psdu_bytes(rate.standard, mpdu_bytes, subframes)
    bitmap = 64 if settings.window <= 64 else 256
    rts_cts_ns = rts_ns(rate, band) + cts_ns(rate, band) + 2 * band.sifs_ns
    return Exchange(
        aifs_ns=settings.access.aifs_ns(band),
        backoff_ns=settings.access.mean_backoff_ns(band),
        protection_ns=rts_cts_ns if settings.rts else 0,
        ppdu_ns=ppdu_ns(rate, size, band, settings.pe_ns),
        sifs_ns=band.sifs_ns,
        response_ns=ack_ns(rate, band) if subframes == 1 else block_ack_ns(rate, band, bitmap),
    )
