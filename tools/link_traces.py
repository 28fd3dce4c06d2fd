# SPDX-License-Identifier: GPL-2.0-or-later
"""The bundled traces of links that vary, by formula: a cellular one and a satellite one.

    .venv/bin/python tools/link_traces.py [FOLDER]

Writes ``cellular.trace`` and ``satellite.csv`` to experiments/gallery/traces, or to FOLDER; a
test holds the bundled ones against this. They are of no operator's network: they have the manner of
such links, with numbers that were chosen.

**Cellular** (Mahimahi's format: a line for each instant, in whole ms, at which 1500 bytes get
through). The logarithm of the rate is that of 12 Mbit/s, a sum of two slow sines (users of the cell
that come and go), and a first-order autoregression that forgets within half a second (fading):

    ln r(t) = ln 12 + 0.5 sin(2 pi t / 8) + 0.3 sin(2 pi t / 2.7 + 1) + x(t)
    x(t + h) = a x(t) + sqrt(1 - a^2) 0.35 n,  a = exp(-h / 0.5 s),  h = 20 ms,  n normal

An opportunity stands where the integral of r passes another 1500 bytes, rounded down to a ms, as
the scheduler of a cell grants whole subframes.

**Satellite** (a table of instants). Terminals of a constellation in low orbits are given satellites
anew every 15 s, at seconds 12, 27, 42 and 57 of each minute. From one to the next the rate is 40
Mbit/s times exp(0.4 n), between 10 and 100, and the propagation delay one way 15 to 30 ms, evenly.
In the 150 ms before each change a fifth of the packets are lost, and otherwise none.
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "experiments" / "gallery" / "traces"

CELLULAR_S, CELLULAR_MBPS = 8, 12.0
SATELLITE_S, FIRST_CHANGE_S, BETWEEN_CHANGES_S = 60, 12, 15
_SEED = 1
_PACKET_BITS = 8 * 1500


def _normal(chance: random.Random) -> float:
    """A normal number of two even ones, after Box and Muller.

    Python promises the same even numbers of a seed in every version, and no normal ones.
    """
    radius = math.sqrt(-2 * math.log(1 - chance.random()))
    return radius * math.cos(2 * math.pi * chance.random())


def cellular() -> str:
    """The cellular trace, a period of its first sine."""
    chance = random.Random(_SEED)
    step_ms, memory_s, spread = 20, 0.5, 0.35
    keeps = math.exp(-step_ms / 1000 / memory_s)
    fading, bits, instants = 0.0, 0.0, []
    for ms in range(CELLULAR_S * 1000):
        if ms % step_ms == 0:
            fading = keeps * fading + math.sqrt(1 - keeps**2) * spread * _normal(chance)
        t_s = ms / 1000
        slow = 0.5 * math.sin(2 * math.pi * t_s / 8) + 0.3 * math.sin(2 * math.pi * t_s / 2.7 + 1)
        bits += CELLULAR_MBPS * math.exp(slow + fading) * 1000
        while bits >= _PACKET_BITS:
            bits -= _PACKET_BITS
            instants.append(ms)
    return "".join(f"{ms}\n" for ms in instants)


def _satellites() -> Iterator[tuple[float, float, float, float]]:
    """Instants in s, with rate in Mbit/s, delay in ms and loss in percent."""
    chance = random.Random(_SEED)
    begin_s, change_s = 0.0, float(FIRST_CHANGE_S)
    while begin_s < SATELLITE_S:
        rate = min(100.0, max(10.0, 40 * math.exp(0.4 * _normal(chance))))
        delay = 15 + 15 * chance.random()
        yield begin_s, rate, delay, 0
        if change_s < SATELLITE_S:
            yield change_s - 0.15, rate, delay, 20
        begin_s, change_s = change_s, change_s + BETWEEN_CHANGES_S


def satellite() -> str:
    """The satellite's table, of a minute."""
    rows = [
        f"{t_s:.2f},{rate:.1f},{delay:.1f},{loss}\n" for t_s, rate, delay, loss in _satellites()
    ]
    return "".join(["t_s,rate_mbps,delay_ms,loss_percent\n", *rows])


def main(arguments: Sequence[str]) -> None:
    """Write both."""
    folder = Path(arguments[0]) if arguments else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cellular.trace").write_text(cellular())
    (folder / "satellite.csv").write_text(satellite())


if __name__ == "__main__":
    main(sys.argv[1:])
