# SPDX-License-Identifier: GPL-2.0-or-later
"""The claims about an experiment as a frame, with their verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tsqlab.experiment.stored import Folder
from tsqlab.report.claims import Judgement, judgements, unit_of

if TYPE_CHECKING:
    import pandas as pd

_NUMBERS = ("lower", "upper", "lab", "lab_low", "lab_high")
_TODAY = ("today_lab", "today_verdict")
COLUMNS = ("context", "statement", "paper", "quantity", "compare", "lower", "upper", "lab",
           "lab_low", "lab_high", "unit", "seeds", "verdict", "note", "cause", "counted",
           "kernel")  # fmt: skip


def claims_frame(folder: Folder) -> pd.DataFrame:
    """The frame that Results.claims() describes."""
    import pandas as pd  # noqa: PLC0415

    found = judgements(folder)
    columns = [*COLUMNS, *(_TODAY if folder.today else ())]
    index = pd.Index([one.own.claim.id for one in found], name="claim", dtype=object)
    frame = pd.DataFrame([_row(one) for one in found], index=index, columns=columns)
    numbers = [*_NUMBERS, *(["today_lab"] if folder.today else [])]
    types: dict[str, Any] = dict.fromkeys(numbers, float) | {"seeds": int, "counted": bool}
    return frame.astype(types)


def _row(one: Judgement) -> dict[str, Any]:
    claim, verdict, lab = one.own.claim, one.own, one.own.lab
    row = {
        "context": verdict.context,
        "statement": claim.statement,
        "paper": claim.paper,
        "quantity": claim.metric,
        "compare": claim.compare,
        "lower": claim.lower,
        "upper": claim.upper,
        "lab": lab.mean if lab else None,
        # One seed has no interval.
        "lab_low": lab.ends[0] if lab and lab.n > 1 else None,
        "lab_high": lab.ends[1] if lab and lab.n > 1 else None,
        "unit": unit_of(claim),
        "seeds": lab.n if lab else 0,
        "verdict": verdict.outcome,
        "note": verdict.note,
        "cause": claim.cause if verdict.outcome == "differs" else "",
        "counted": not claim.apart,
        "kernel": verdict.kernel,
    }
    if one.today:
        today = one.today.lab
        row |= {"today_lab": today.mean if today else None, "today_verdict": one.today.outcome}
    return row
