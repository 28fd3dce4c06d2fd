# SPDX-License-Identifier: GPL-2.0-or-later
"""The signal-to-noise ratio between two places, and whether one is heard at the other.

    loss  = reference + 10 exponent log10(d / 1 m)     log-distance path loss
    noise = k 290 K bandwidth + noise figure           -174 dBm in each Hz
    SNR   = power - loss - noise

Path loss by the logarithm of the distance is Rappaport's, "Wireless Communications: Principles and
Practice" (2nd edition, 2002), 4.9.1; his table 4.2 has an exponent of 2 in free space, 1.6 to 1.8
in a building's line of sight, 2.7 to 3.5 in a city, and 4 to 6 through walls. The reference is that
of free space at 1 m (Friis): 40.2 dB at 2437 MHz, 46.7 dB at 5180 MHz. There is no fading and no
shadowing: the same places give the same SNR at all times, both ways.

Who receives with less than ``hears_from_db`` does not notice a frame's preamble. ns-3 takes 4 dB
(the MinimumRssi and Threshold of its ThresholdPreambleDetectionModel), and a noise figure of 7 dB,
a power of 16 dBm and an exponent of 3 (WifiPhy, LogDistancePropagationLossModel).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

_LIGHT_M_PER_S = 299_792_458.0
_BOLTZMANN_J_PER_K = 1.380_649e-23
_ROOM_K = 290.0

REFERENCE_M = 1.0
"""The distance of the reference loss. Nothing is nearer."""


def free_space_db(frequency_hz: float, distance_m: float = REFERENCE_M) -> float:
    """The path loss of free space."""
    return 20 * math.log10(4 * math.pi * distance_m * frequency_hz / _LIGHT_M_PER_S)


def noise_dbm(bandwidth_hz: float, noise_figure_db: float) -> float:
    """The power of a receiver's noise."""
    thermal_mw = 1000 * _BOLTZMANN_J_PER_K * _ROOM_K * bandwidth_hz
    return 10 * math.log10(thermal_mw) + noise_figure_db


@dataclass(frozen=True)
class Propagation:
    """What all radios on a channel have in common."""

    exponent: float
    reference_db: float  # the path loss at REFERENCE_M
    power_dbm: float  # of every radio
    noise_figure_db: float
    bandwidth_hz: float
    hears_from_db: float  # the SNR below which a radio does not sense another

    def loss_db(self, distance_m: float) -> float:
        """The path loss."""
        ratio = max(distance_m, REFERENCE_M) / REFERENCE_M
        return self.reference_db + 10 * self.exponent * math.log10(ratio)

    def snr_db(self, distance_m: float) -> float:
        """The signal-to-noise ratio at a distance."""
        noise = noise_dbm(self.bandwidth_hz, self.noise_figure_db)
        return self.power_dbm - self.loss_db(distance_m) - noise

    def hears(self, distance_m: float) -> bool:
        """Whether two radios at a distance sense each other."""
        return self.snr_db(distance_m) >= self.hears_from_db

    @property
    def range_m(self) -> float:
        """The distance up to which two radios sense each other, REFERENCE_M at least."""
        left_db = self.snr_db(REFERENCE_M) - self.hears_from_db
        return REFERENCE_M * 10 ** (max(0.0, left_db) / (10 * self.exponent))
