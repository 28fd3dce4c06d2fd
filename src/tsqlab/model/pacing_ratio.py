# SPDX-License-Identifier: GPL-2.0-or-later
"""The time of TSQ that the sysctls of an unpatched kernel give.

TCP's rate is a ratio of cwnd / RTT: tcp_update_pacing_rate() in net/ipv4/tcp_input.c takes
tcp_pacing_ss_ratio while cwnd is below half of ssthresh, and tcp_pacing_ca_ratio from there on,
both in percent, 200 and 120 as the kernel comes, 1000 at most. TSQ allows 2^-shift s at that rate
(tcp_small_queue_check() in tcp_output.c), where shift is sk_pacing_shift. Of data at the usual
rate, the one of 120 %, a ratio r allows r / 120 of that:

    ms = 1000 / 2^shift * r / 120

The rate is not only TSQ's: flows that are paced are paced at it, and a congestion control that sets
the rate by itself, as BBR does, has no ratio.
"""

from __future__ import annotations

from dataclasses import dataclass

_STOCK_SS_PERCENT = 200
_STOCK_CA_PERCENT = 120
_PERCENT_MAX = 1000


@dataclass(frozen=True)
class PacingRatios:
    """Both ratios, in percent."""

    ss: int
    ca: int


def longest_ms(shift: int) -> float:
    """The longest time of TSQ, in ms at the usual rate, that a ratio gives."""
    return float(1000 / 2**shift * _PERCENT_MAX / _STOCK_CA_PERCENT)


def ratios_for(ms: float, shift: int) -> PacingRatios | None:
    """The ratios that give TSQ *ms*; None if none does.

    Slow start's keeps its relation to the other, as far as it goes.
    """
    ca = round(_STOCK_CA_PERCENT * ms * 2**shift / 1000)
    if not 1 <= ca <= _PERCENT_MAX:
        return None
    return PacingRatios(min(round(ca * _STOCK_SS_PERCENT / _STOCK_CA_PERCENT), _PERCENT_MAX), ca)


def sets_its_own_rate(congestion_control: str) -> bool:
    """Whether a control of the kernel, or of the BBR family, has no use for the ratios.

    They are those with a cong_control() of their own, after which tcp_cong_control() leaves the
    rate alone.
    """
    return congestion_control.startswith("bbr")
