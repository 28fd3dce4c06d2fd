# SPDX-License-Identifier: GPL-2.0-or-later
"""What a sweep of TSQ's ms says about a device: its knee, and the settings that follow."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tsqlab.errors import TsqlabError
from tsqlab.experiment.host import Shift, own_shift
from tsqlab.experiment.stored import Result, read_folder
from tsqlab.experiment.tsq import NONE, STOCK, STOCK_SHIFT, Tsq
from tsqlab.metrics.knee import WITHIN, Knee
from tsqlab.model.pacing_ratio import longest_ms, ratios_for, sets_its_own_rate
from tsqlab.report.plots.axes import short
from tsqlab.report.plots.curves import Curve, curves_of, format_knee
from tsqlab.report.table import LOST, many_lost
from tsqlab.results.repetitions import over_seeds

_SHIFT_MAX_MS = 1000.0
_SHIFT_SHORT = 0.05  # the share by which a shift's 1024 us, 512 us, ... may fall short of the ms


@dataclass(frozen=True)
class Tuning:
    """The knee, and what stands beside it."""

    curve: Curve
    knee: Knee | None  # None if no limit that was tried is enough
    seeds: int
    own: Shift  # what stock TSQ has on the device
    congestion_control: str = ""  # that of the uploads, if it is known


def read_tuning(folder: Path) -> Tuning:
    """What a folder's sweep says. Raises TsqlabError when it is none."""
    return tuning_of(read_folder(folder).results)


def tuning_of(results: Sequence[Result]) -> Tuning:
    """What a sweep of one device says. Raises TsqlabError when it is none."""
    found = curves_of(results)
    if found is None or len(found[1]) != 1:
        raise TsqlabError("no sweep of TSQ's ms: expected two limits or more, and nothing else")
    (curve,) = found[1].values()
    spec = results[0].spec
    control = spec.sender.congestion_control if spec else ""
    return Tuning(curve, curve.knee(), len(curve.seeds()), _own(results[0]), control)


def _own(result: Result) -> Shift:
    if result.spec is None or result.device is None:
        return Shift(STOCK_SHIFT, "the kernel's own")
    return own_shift(result.spec, result.device)


def shift_for(ms: float) -> int:
    """The largest sk_pacing_shift that allows *ms* of data, or nearly: 1000 / 2^shift ms."""
    enough = min(ms * (1 - _SHIFT_SHORT), _SHIFT_MAX_MS)
    return max(0, min(STOCK_SHIFT, math.floor(math.log2(1000 / enough))))


def tuning_text(tuning: Tuning) -> str:
    """The knee, what it costs, and what to set."""
    curve, knee = tuning.curve, tuning.knee
    limits = sorted(curve.points)
    each = [len(cells) for cells in curve.points.values()]
    seeds = f"{min(each)} to {max(each)} seeds" if min(each) < max(each) else _seeds(each[0])
    lines = [f"tried: {', '.join(short(ms) for ms in limits)} ms, {seeds} each"]
    lines += [f"{name + ':':10} {_numbers(curve.references[name])}"
              for name in (STOCK, NONE) if name in curve.references]  # fmt: skip
    if knee is None:
        most = limits[-1]
        why = f"none of them comes within {WITHIN:.0%} of the best goodput; try more with --ms"
        if not tuning.seeds:
            why = "not known, since no seed has all of them yet"
        return "\n".join([
            *lines,
            f"{short(most)} ms: {_numbers(curve.points[most])}",
            f"knee: {why}",
        ])  # fmt: skip
    lines += [
        f"knee:      {format_knee(knee)}: {_numbers(curve.points[knee.limit])}; the best is "
        f"{short(knee.best)} Mbit/s",
        f"           ({_interval(knee, tuning.seeds)})",
    ]
    if _stock_is_as_good(curve, knee):
        return "\n".join([
            *lines,
            "stock TSQ is as good, and keeps the ping as short: nothing to set",
        ])  # fmt: skip
    lines += [
        f"CoTSQ:     sysctl -w {_sysctls(Tsq.of_ms(knee.limit))}",
        f"stock:     {_stock(knee.limit, tuning)}",
        f"driver:    {_shift(knee.limit, tuning.own)}",
    ]
    return "\n".join(lines)


def _stock_is_as_good(curve: Curve, knee: Knee) -> bool:
    """Whether stock TSQ has the knee's share of the best goodput, and no longer a ping."""
    goodput, ping = (
        [over_seeds(cells, metric) for cells in (curve.references.get(STOCK, ()),
                                                 curve.points[knee.limit])]
        for metric in ("goodput_mbps", "ping_ms_p50")
    )  # fmt: skip
    if not goodput[0] or not ping[0] or not ping[1]:
        return False
    return goodput[0].mean >= (1 - WITHIN) * knee.best and ping[0].mean <= ping[1].mean


def _seeds(count: int) -> str:
    return f"{count} seeds" if count > 1 else "1 seed"


def _numbers(cells: Sequence[Result]) -> str:
    goodput, ping = over_seeds(cells, "goodput_mbps"), over_seeds(cells, "ping_ms_p50")
    parts = [
        f"{short(value.mean)} {unit}"
        for value, unit in ((goodput, "Mbit/s"), (ping, "ms of ping"))
        if value
    ]
    lost = over_seeds(cells, LOST)
    if lost and many_lost(cells, "ping_ms_p50"):
        parts.append(f"{lost.mean:.0%} of the pings lost")
    return ", ".join(parts) or "no number"


def _interval(knee: Knee, seeds: int) -> str:
    if knee.low is None:
        return f"{_seeds(seeds)}: too few for an interval, which takes 3"
    return (
        f"in brackets 95 % of the knees of 2000 bootstrap draws over {seeds} seeds, among the ms "
        "that were tried"
    )


def _sysctls(tsq: Tsq) -> str:
    return " ".join(f"{name}={value}" for name, value in tsq.sysctls().items())


def _stock(ms: float, tuning: Tuning) -> str:
    """What an unpatched kernel has for it."""
    if sets_its_own_rate(tuning.congestion_control):
        return f"nothing for {tuning.congestion_control}, which sets its rate by itself"
    shift = tuning.own.value
    assert shift != "kernel", "it is a number, whose value it is"
    ratios = ratios_for(ms, shift)
    if ratios is None:
        return f"no tcp_pacing_ca_ratio, which goes to {short(longest_ms(shift))} ms here"
    return (
        f"sysctl -w net.ipv4.tcp_pacing_ca_ratio={ratios.ca} "
        f"net.ipv4.tcp_pacing_ss_ratio={ratios.ss}\n"
        "           (of any kernel, and for all devices of the host: docs/stock-knobs.md)"
    )


def _shift(ms: float, own: Shift) -> str:
    shift = shift_for(ms)
    allows = f"{short(1000 / 2**shift)} ms"
    if shift == own.value:
        return f"sk_pacing_shift {shift}, {own.cause}, allows {allows}; nothing to set"
    return f"sk_pacing_shift {shift}: sk_pacing_shift_update(sk, {shift}) allows {allows}"
