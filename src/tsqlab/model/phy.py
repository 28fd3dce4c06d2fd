# SPDX-License-Identifier: GPL-2.0-or-later
"""Rates: how many data bits an OFDM symbol carries, from legacy to HE SU.

    N_CBPS = N_SD * bits per subcarrier * streams      coded bits in a symbol
    N_DBPS = floor(N_CBPS * code rate)                 data bits in a symbol
    rate   = N_DBPS / symbol                           symbol = useful part + guard interval

N_SD counts the data subcarriers. The floor matters in HE only: HT and VHT leave out the
combinations in which it would (and some more, below).

An MCS index says modulation and code rate and no more: HT's MCS 8 to 31 are ``mcs`` 0 to 7 with
2 to 4 ``streams``, as VHT and HE have written it ever since. Legacy rates, which have no MCS,
are counted the same way, 0 to 7 for 6 to 54 Mbit/s; :meth:`Rate.legacy` takes Mbit/s.

N_ES is how many convolutional encoders share the bits; each adds 6 tail bits to a PPDU. HT has
a second one above 300 Mbit/s. VHT has one for every 540 Mbit/s (600 with the short guard
interval, which is the same number of bits in a symbol), and more where that number would not
divide the bits of a symbol: 15 exceptions here. (They are found by that rule, which is behind the
tables of 802.11-2020 21.5; the tables themselves were not at hand. ns-3 has 13 of them, and 7 and
11 encoders with 8 streams at 160 MHz, MCS 5 and 8, whose 14976 and 22464 bits those numbers do
not divide.) Some combinations are not valid at all: MCS 9 at 20 MHz but with 3 and 6 streams, and
four more.

HT and VHT are taken to use these encoders (BCC), HE to use LDPC, which has no tail: LDPC is
mandatory in HE beyond 20 MHz, above 4 streams and for MCS 10 and 11, and what all devices use
in the rest. LDPC may need one symbol more than the bits alone (27.3.12.5.2); that is left out.

Not here: unequal modulation, STBC, MCS 32, DCM, MU, EHT.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from tsqlab.model.rounding import ceil_div

Standard = Literal["legacy", "HT", "VHT", "HE"]

LEGACY_MBPS = (6, 9, 12, 18, 24, 36, 48, 54)

# Bits per subcarrier, then the code rate as a fraction.
_LEGACY_MCS = ((1, 1, 2), (1, 3, 4), (2, 1, 2), (2, 3, 4), (4, 1, 2), (4, 3, 4), (6, 2, 3),
               (6, 3, 4))  # fmt: skip
_MCS = ((1, 1, 2), (2, 1, 2), (2, 3, 4), (4, 1, 2), (4, 3, 4), (6, 2, 3), (6, 3, 4), (6, 5, 6),
        (8, 3, 4), (8, 5, 6), (10, 3, 4), (10, 5, 6))  # fmt: skip
# The legacy rate nearest to each modulation and code rate, from below (10.6.11).
_REFERENCE_MBPS = (6, 12, 18, 24, 36, 48, 54, 54, 54, 54, 54, 54)


@dataclass(frozen=True)
class _Family:
    """What one standard has to offer."""

    subcarriers: dict[int, int]  # N_SD of each width in MHz
    mcs: tuple[tuple[int, int, int], ...]
    streams: int
    useful_ns: int  # the length of a symbol without its guard interval
    gi_ns: tuple[int, ...]


_FAMILIES: dict[Standard, _Family] = {
    "legacy": _Family({20: 48}, _LEGACY_MCS, 1, 3_200, (800,)),
    "HT": _Family({20: 52, 40: 108}, _MCS[:8], 4, 3_200, (800, 400)),
    "VHT": _Family({20: 52, 40: 108, 80: 234, 160: 468}, _MCS[:10], 8, 3_200, (800, 400)),
    "HE": _Family({20: 234, 40: 468, 80: 980, 160: 1960}, _MCS, 8, 12_800, (800, 1_600, 3_200)),
}

# Combinations of (width, streams, MCS) that VHT leaves out.
VHT_INVALID = frozenset(
    {(20, streams, 9) for streams in (1, 2, 4, 5, 7, 8)}
    | {(80, 3, 6), (80, 7, 6), (80, 6, 9), (160, 3, 9)}
)

_HT_ENCODER_BITS = 1_080  # N_DBPS at 300 Mbit/s with the short guard interval
_VHT_ENCODER_BITS = 2_160  # N_DBPS at 540 Mbit/s
_VHT_ENCODERS = {
    (80, 7, 2): 3, (80, 7, 7): 6, (80, 7, 8): 6, (80, 8, 7): 6, (160, 4, 7): 6,
    (160, 5, 8): 8, (160, 6, 7): 8, (160, 7, 3): 4, (160, 7, 4): 6, (160, 7, 5): 7,
    (160, 7, 7): 9, (160, 7, 8): 12, (160, 7, 9): 12, (160, 8, 5): 8, (160, 8, 8): 12,
}  # fmt: skip


@dataclass(frozen=True)
class Rate:
    """A way to send data bits. Raises ValueError when the standard has no such rate."""

    standard: Standard
    width_mhz: int
    streams: int  # the number of spatial streams
    mcs: int  # only modulation and code rate, in HT too
    gi_ns: int = 800  # the guard interval; 400 is the short one

    def __post_init__(self) -> None:
        """Refuse what the standard does not have."""
        if self.standard not in _FAMILIES:
            raise _refused(f"standard {self.standard}", _FAMILIES)
        family = _FAMILIES[self.standard]
        if self.standard == "HT" and 8 <= self.mcs <= 31:
            streams, mcs = self.mcs // 8 + 1, self.mcs % 8
            raise ValueError(f"HT's MCS {self.mcs} is written as {streams} streams with MCS {mcs}")
        choices: tuple[tuple[str, int, Collection[int]], ...] = (
            ("width in MHz", self.width_mhz, family.subcarriers),
            ("number of streams", self.streams, range(1, family.streams + 1)),
            ("MCS", self.mcs, range(len(family.mcs))),
            ("guard interval in ns", self.gi_ns, family.gi_ns),
        )
        for what, value, accepted in choices:
            if value not in accepted:
                raise _refused(f"{self.standard} {what} {value}", accepted)
        if self.standard == "VHT" and (self.width_mhz, self.streams, self.mcs) in VHT_INVALID:
            raise ValueError(
                f"VHT leaves out MCS {self.mcs} at {self.width_mhz} MHz with {self._streams()}: "
                "its bits do not divide among the encoders"
            )

    @classmethod
    def legacy(cls, mbps: int) -> Rate:
        """The OFDM rate of 802.11a and g with that many Mbit/s."""
        if mbps not in LEGACY_MBPS:
            raise _refused(f"legacy rate of {mbps} Mbit/s", LEGACY_MBPS)
        return cls("legacy", 20, 1, LEGACY_MBPS.index(mbps))

    @property
    def symbol_ns(self) -> int:
        """How long a symbol takes, its guard interval included."""
        return _FAMILIES[self.standard].useful_ns + self.gi_ns

    @property
    def n_dbps(self) -> int:
        """Data bits in a symbol."""
        family = _FAMILIES[self.standard]
        bits, numerator, denominator = family.mcs[self.mcs]
        return family.subcarriers[self.width_mhz] * bits * self.streams * numerator // denominator

    @property
    def n_es(self) -> int:
        """Convolutional encoders; 0 with LDPC."""
        if self.standard == "HE":
            return 0
        if self.standard == "VHT":
            exception = _VHT_ENCODERS.get((self.width_mhz, self.streams, self.mcs))
            return exception or ceil_div(self.n_dbps, _VHT_ENCODER_BITS)
        return 1 if self.n_dbps <= _HT_ENCODER_BITS else 2

    @property
    def bit_per_s(self) -> int:
        """The data rate, rounded down to a whole bit per second."""
        return self.n_dbps * 1_000_000_000 // self.symbol_ns

    @property
    def reference_mbps(self) -> int:
        """The non-HT reference rate, by which the rate of a response is chosen (10.6.11)."""
        return (LEGACY_MBPS if self.standard == "legacy" else _REFERENCE_MBPS)[self.mcs]

    def __str__(self) -> str:
        """Say it as people do."""
        mbps = f"{self.bit_per_s / 1e6:.6g} Mbit/s"
        if self.standard == "legacy":
            return f"legacy OFDM, {mbps}"
        name = f"{self.standard}{self.width_mhz} MCS {self.mcs}"
        return f"{name}, {self._streams()}, GI {self.gi_ns} ns, {mbps}"

    def _streams(self) -> str:
        return "1 stream" if self.streams == 1 else f"{self.streams} streams"


def _refused(what: str, accepted: Collection[object]) -> ValueError:
    listed = (
        f"{accepted[0]} to {accepted[-1]}"
        if isinstance(accepted, range)
        else ", ".join(map(str, accepted))
    )
    return ValueError(f"there is no {what}; accepted: {listed}")
