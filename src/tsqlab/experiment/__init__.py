# SPDX-License-Identifier: GPL-2.0-or-later
"""Typed experiment files and their matrix of cells."""

from tsqlab.experiment.load import Experiment, load
from tsqlab.experiment.matrix import Cell

__all__ = ["Cell", "Experiment", "load"]
