# SPDX-License-Identifier: GPL-2.0-or-later
"""Running an experiment's cells, on this machine or a cluster, into a folder."""

from tsqlab.runner.experiment import run

__all__ = ["run"]
