# SPDX-License-Identifier: GPL-2.0-or-later
"""Who used the air, where stations share an access point: of each station, both ways told apart.

The airtime of a station up is that of the exchanges which it begins (RTS, CTS, data and answers,
each try), and down that of those which its access point begins with it. What goes to all stations
is nobody's.
"""

from __future__ import annotations

from tsqlab.metrics.document import Trace
from tsqlab.metrics.series import share_of_time
from tsqlab.metrics.statistics import jain

UP_AIRTIME, DOWN_AIRTIME = "up_airtime", "down_airtime"
"""What a station has a share of the time of; its name follows."""

FAIRNESS_AIRTIME = "fairness_airtime"
"""Jain's index of the stations' airtimes, up and down together."""


def airtime_metrics(cell: Trace) -> dict[str, float | None]:
    """Each station's shares of the time that the flows take, and Jain's index of them."""
    shares: dict[str, float | None] = {}
    stations: dict[str, float] = {}
    for radio in cell.radios:
        for receiver, counter_ns in radio.airtime_to_ns.items():
            share = share_of_time(counter_ns, cell.begin_s, cell.end_s)
            if share is None:
                continue
            whose = radio.node if radio.is_station else receiver
            shares[f"{UP_AIRTIME if radio.is_station else DOWN_AIRTIME}_{whose}"] = share
            stations[whose] = stations.get(whose, 0.0) + share
    return shares | {FAIRNESS_AIRTIME: jain(list(stations.values())) if stations else None}
