#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Make the radio's error_table.h, in which error.c interpolates, of tsqlab.model.error's formula.

    PYTHONPATH=src python3 tools/error_table.py > kernel/modules/airlink/air/error_table.h

A curve for each modulation and code rate: -log2 of the hazard of a bit, at SNRs that are 0.1 dB
apart. It begins where half of all bits are lost, and so any MPDU is, and ends where the longest
MPDU is lost less often than once in 2e9 times.
"""

import math
import sys
import textwrap

from tsqlab.model.error import (
    LEGACY_CODINGS,
    MCS_CODINGS,
    Coding,
    bit_hazard,
    decoded_error,
)

STEPS_PER_DB = 10
SCALE = 1024
BITS_MAX = 8 * 65535
LOSS_MIN = 0.5e-9

HEADER = """\
/* SPDX-License-Identifier: GPL-2.0 */
/* Made by tools/error_table.py of tsqlab.model.error; do not edit. See error.c. */
#ifndef AIRLINK_ERROR_TABLE_H
#define AIRLINK_ERROR_TABLE_H

#include <linux/types.h>

#define CURVE_STEP_CDB\t{step}
#define CURVE_SCALE\t{scale}

struct curve {{
\ts16 first_cdb;\t\t/* the SNR of the first point */
\tu16 points;
\tconst u16 *log2;\t/* -log2 of the hazard of a bit, scaled */
}};
"""


def name_of(coding: Coding) -> str:
    """The name of a curve, such as qam64_5_6."""
    modulation = {1: "bpsk", 2: "qpsk"}.get(coding.bits, f"qam{1 << coding.bits}")
    return f"{modulation}_{coding.code[0]}_{coding.code[1]}"


def curve(coding: Coding) -> tuple[int, list[int]]:
    """The step at which the curve begins, and its points."""
    first = -20 * STEPS_PER_DB
    while decoded_error(coding, first / STEPS_PER_DB) > 0.5:
        first += 1
    points: list[int] = []
    hazard = 1.0
    while hazard * BITS_MAX > LOSS_MIN:
        hazard = bit_hazard(coding, (first + len(points)) / STEPS_PER_DB)
        points.append(round(-math.log2(hazard) * SCALE))
    return first, points


def make() -> str:
    """The header's text."""
    codings = sorted({*LEGACY_CODINGS, *MCS_CODINGS})
    step_cdb = 100 // STEPS_PER_DB
    parts = [HEADER.format(step=step_cdb, scale=SCALE)]
    rows = []
    for coding in codings:
        first, points = curve(coding)
        text = textwrap.fill(", ".join(map(str, points)), 71)
        body = "\n".join(f"\t{line}" for line in text.splitlines())
        name = f"{name_of(coding)}_points"
        parts.append(f"static const u16 {name}[] = {{\n{body}\n}};\n")
        rows.append(
            f"static const struct curve {name_of(coding)} = {{\n"
            f"\t.first_cdb = {first * step_cdb},\n\t.points = {len(points)},\n"
            f"\t.log2 = {name},\n}};\n"
        )
    for which, of in (("legacy", LEGACY_CODINGS), ("mcs", MCS_CODINGS)):
        body = "\n".join(f"\t&{name_of(coding)}," for coding in of)
        rows.append(f"static const struct curve *const curve_of_{which}[] = {{\n{body}\n}};\n")
    return "\n".join([*parts, *rows, "#endif /* AIRLINK_ERROR_TABLE_H */\n"])


if __name__ == "__main__":
    sys.stdout.write(make())
