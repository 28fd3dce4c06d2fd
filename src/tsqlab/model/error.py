# SPDX-License-Identifier: GPL-2.0-or-later
"""Lost MPDUs by signal-to-noise ratio: the NIST model of OFDM errors.

Pei and Henderson, "Validation of OFDM model in ns-3" (2010), which ns-3 has as its
NistErrorRateModel. Additive white Gaussian noise; a hard-decision Viterbi decoder of the
convolutional code (K = 7, 133 171, punctured) that all of OFDM, HT and VHT has:

    p   = uncoded bit error rate of the modulation, by erfc
    D   = sqrt(4 p (1 - p))
    pe  = sum over d of c(d) D^d / (2 k)          union bound, code rate k/n; at most 1
    PER = 1 - (1 - pe)^bits

with the code's distance spectrum c(d) from Frenger, Orten, Ottosson and Svensson, "Multi-rate
convolutional codes" (1998), tables 3.1.1 and 3.1.2, and for 5/6 from Haccoun and Begin,
"High-rate punctured convolutional codes" (1989), table V.

The SNR is that of the data subcarriers of one spatial stream, each stream having the same; all
bits of an MPDU count, however many streams carry them. (ns-3.44 divides the bits by the
streams.) A wider channel changes nothing: it is the SNR over that channel.

The radio has these formulas from here: tools/error_table.py makes its table
(``kernel/modules/airlink/air/error_table.h``) with this module. Errors are the one thing that is
not written down twice.

Real receivers decode softly, and HE has LDPC: both do better, by some 2 dB. What matters here
is how steeply a rate fails, and in which order they do.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

# The spectrum for each code rate, k/n: its first distance, the step between distances, and c(d).
_SPECTRA: dict[tuple[int, int], tuple[int, int, tuple[int, ...]]] = {
    (1, 2): (10, 2, (36, 211, 1_404, 11_633, 77_433, 502_690, 3_322_763, 21_292_910,
                     134_365_911)),
    (2, 3): (6, 1, (3, 70, 285, 1_276, 6_160, 27_128, 117_019, 498_860, 2_103_891, 8_784_123)),
    (3, 4): (5, 1, (42, 201, 1_492, 10_469, 62_935, 379_644, 2_253_373, 13_073_811, 75_152_755,
                    428_005_675)),
    (5, 6): (4, 1, (92, 528, 8_694, 79_453, 792_114, 7_375_573, 67_884_974, 610_875_423,
                    5_427_275_376, 47_664_215_639)),
}  # fmt: skip


@dataclass(frozen=True, order=True)
class Coding:
    """Modulation and code rate."""

    bits: int  # bits per subcarrier: 1 BPSK, 2 QPSK, 4, 6, 8, 10 QAM
    code: tuple[int, int]


_HALF, _TWO_THIRDS, _THREE_QUARTERS, _FIVE_SIXTHS = _SPECTRA

LEGACY_CODINGS = (
    Coding(1, _HALF), Coding(1, _THREE_QUARTERS), Coding(2, _HALF), Coding(2, _THREE_QUARTERS),
    Coding(4, _HALF), Coding(4, _THREE_QUARTERS), Coding(6, _TWO_THIRDS),
    Coding(6, _THREE_QUARTERS),
)  # fmt: skip
"""The codings of 6 to 54 Mbit/s."""

MCS_CODINGS = (
    Coding(1, _HALF), Coding(2, _HALF), Coding(2, _THREE_QUARTERS), Coding(4, _HALF),
    Coding(4, _THREE_QUARTERS), Coding(6, _TWO_THIRDS), Coding(6, _THREE_QUARTERS),
    Coding(6, _FIVE_SIXTHS), Coding(8, _THREE_QUARTERS), Coding(8, _FIVE_SIXTHS),
    Coding(10, _THREE_QUARTERS), Coding(10, _FIVE_SIXTHS),
)  # fmt: skip
"""The codings of MCS 0 to 11 with one stream: HT has 8 of them, VHT 10, HE all."""


def uncoded_error(bits: int, snr_db: float) -> float:
    """The bit error rate of BPSK (1) or square QAM (2, 4, ... bits), before decoding."""
    snr = 10 ** (snr_db / 10)
    if bits == 1:
        return 0.5 * math.erfc(math.sqrt(snr))
    points = 1 << bits
    # The number of neighbours that a point has on average, over the bits of one dimension.
    factor = (1 - 1 / math.sqrt(points)) / (bits / 2)
    return factor * math.erfc(math.sqrt(1.5 * snr / (points - 1)))


def decoded_error(coding: Coding, snr_db: float) -> float:
    """The probability of an error event in a decoded bit, as bounded above."""
    p = uncoded_error(coding.bits, snr_db)
    d = math.sqrt(4 * p * (1 - p))
    first, step, spectrum = _SPECTRA[coding.code]
    union = sum(c * d ** (first + step * term) for term, c in enumerate(spectrum))
    return min(1.0, union / (2 * coding.code[0]))


def bit_hazard(coding: Coding, snr_db: float) -> float:
    """-ln(1 - pe): an MPDU of n bits survives with probability exp(-n * this)."""
    pe = decoded_error(coding, snr_db)
    return math.inf if pe == 1 else -math.log1p(-pe)


def mpdu_error(coding: Coding, snr_db: float, mpdu_bytes: int) -> float:
    """The probability that an MPDU of so many bytes (with header and FCS) is lost."""
    return -math.expm1(-8 * mpdu_bytes * bit_hazard(coding, snr_db))
