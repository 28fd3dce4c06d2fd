# SPDX-License-Identifier: GPL-2.0-or-later
"""Running an experiment's cells, on whatever executor runs them, into a folder."""

from tsqlab.runner.experiment import run

__all__ = ["run"]
