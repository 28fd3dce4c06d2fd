# SPDX-License-Identifier: GPL-2.0-or-later
"""How long a PPDU is on the air, to the nanosecond.

A PPDU is a preamble, then symbols that carry 16 bits of service field, the PSDU, and 6 tail
bits for each convolutional encoder (none with LDPC):

    N_SYM  = ceil((16 + 8 * bytes + 6 * N_ES) / N_DBPS)
    legacy   20                                                        + 4 * N_SYM       us
    HT       8 + 8 + 4 + 8 + 4 + 4 * N_LTF                             + data
    VHT      8 + 8 + 4 + 8 + 4 + 4 * N_LTF + 4                         + data
    HE SU    8 + 8 + 4 + 4 + 8 + 4 + N_LTF * (LTF + GI)                + N_SYM * symbol + PE

HT is HT-mixed; the 4 us of VHT are VHT-SIG-B, which is there in SU PPDUs too (802.11-2020
21.3.2). ``data`` is 4 * N_SYM us, and with the short guard interval 4 * ceil(3.6 * N_SYM / 4):
L-SIG tells every other station how long the PPDU is in units of 4 us, and the standard makes
the PPDU that long (equations 19-92 and 21-98). N_LTF is 1, 2, 4, 4, 6, 6, 8, 8 for 1 to 8
streams.

HE has a choice of training fields. Here a guard interval of 0.8 or 1.6 us has the 2x HE-LTF
(6.4 us) and one of 3.2 us the 4x HE-LTF (12.8 us), the pairs that every HE device must have.
The packet extension PE gives a receiver time to decode, as much as it asks for (nominal packet
padding of 0, 8 or 16 us). It is 0 here unless said otherwise: that is what a receiver that asks
for nothing gets, with any length; what another one gets depends on how full the last symbol is
(0, 4, ... 16 us), so no one constant would be right.

At 2.4 GHz every PPDU is 6 us longer (:mod:`tsqlab.model.band`).

Control frames go as legacy PPDUs, or as duplicates of one in every 20 MHz, which take as long.
A response has the highest rate among the basic ones that is at most the reference rate of what
it responds to (10.6.6.5.2); for HT, VHT and HE the reference rate follows from modulation and
code rate alone (10.6.11): whatever the width and the streams, MCS 0 is answered at 6 Mbit/s,
MCS 1 and 2 at 12, and the rest at 24.
"""

from __future__ import annotations

from collections.abc import Sequence

from tsqlab.model.band import GHZ_5, Band
from tsqlab.model.phy import Rate
from tsqlab.model.rounding import ceil_div, round_up

ACK_BYTES = CTS_BYTES = 14
RTS_BYTES = 20
BLOCK_ACK_REQUEST_BYTES = 24
BLOCK_ACK_BYTES = {64: 32, 256: 56}
"""The bytes of a compressed block ack; the key is the number of bits in its bitmap."""

BASIC_MBPS = (6, 12, 24)
"""The mandatory rates, which is what access points take as basic."""

PE_MAX_NS = 16_000

_LTF = (1, 2, 4, 4, 6, 6, 8, 8)  # how many training fields 1 to 8 streams have
# The HE-LTF for each guard interval, which it does not include.
_HE_LTF_NS = {800: 6_400, 1_600: 6_400, 3_200: 12_800}
_L_SYMBOL_NS = 4_000  # the unit of L-SIG's length


def preamble_ns(rate: Rate) -> int:
    """The time from the first bit of training to the first data symbol."""
    if rate.standard == "legacy":
        return 20_000
    ltf = _LTF[rate.streams - 1]
    if rate.standard == "HT":
        return 32_000 + ltf * 4_000
    if rate.standard == "VHT":
        return 36_000 + ltf * 4_000
    return 36_000 + ltf * (_HE_LTF_NS[rate.gi_ns] + rate.gi_ns)


def symbols(rate: Rate, psdu_bytes: int) -> int:
    """Data symbols of a PSDU."""
    if psdu_bytes < 1:
        raise ValueError(f"a PSDU has at least 1 byte, not {psdu_bytes}")
    return ceil_div(16 + 8 * psdu_bytes + 6 * rate.n_es, rate.n_dbps)


def ppdu_ns(rate: Rate, psdu_bytes: int, band: Band = GHZ_5, pe_ns: int = 0) -> int:
    """A PPDU's duration; *pe_ns* is HE's packet extension."""
    _check(rate, band, pe_ns)
    data_ns = symbols(rate, psdu_bytes) * rate.symbol_ns
    if rate.standard != "HE":
        data_ns = round_up(data_ns, _L_SYMBOL_NS)
    return preamble_ns(rate) + data_ns + pe_ns + band.signal_extension_ns


def _check(rate: Rate, band: Band, pe_ns: int) -> None:
    if band.signal_extension_ns and (rate.standard == "VHT" or rate.width_mhz > 40):
        raise ValueError(f"there is no {rate} at {band.name}")
    if pe_ns not in range(0, PE_MAX_NS + 1, 4_000) or (pe_ns and rate.standard != "HE"):
        raise ValueError(
            f"a packet extension is HE's, and 0, 4000, ... 16000 ns; not {pe_ns} of {rate.standard}"
        )


def response_rate(rate: Rate, basic_mbps: Sequence[int] = BASIC_MBPS) -> Rate:
    """The rate of the response to a frame sent at *rate*, and of the RTS before it."""
    below = [mbps for mbps in basic_mbps if mbps <= rate.reference_mbps]
    if not below:
        raise ValueError(f"no basic rate among {basic_mbps} is at most {rate.reference_mbps}")
    return Rate.legacy(max(below))


def ack_ns(rate: Rate, band: Band = GHZ_5) -> int:
    """The ACK of a frame sent at *rate*."""
    return ppdu_ns(response_rate(rate), ACK_BYTES, band)


def block_ack_ns(rate: Rate, band: Band = GHZ_5, bitmap: int = 64) -> int:
    """The compressed block ack of an aggregate sent at *rate*; *bitmap* is 64 or 256 bits."""
    return ppdu_ns(response_rate(rate), BLOCK_ACK_BYTES[bitmap], band)


def rts_ns(rate: Rate, band: Band = GHZ_5) -> int:
    """The RTS before a frame sent at *rate*."""
    return ppdu_ns(response_rate(rate), RTS_BYTES, band)


def cts_ns(rate: Rate, band: Band = GHZ_5) -> int:
    """The CTS before a frame sent at *rate*."""
    return ppdu_ns(response_rate(rate), CTS_BYTES, band)
