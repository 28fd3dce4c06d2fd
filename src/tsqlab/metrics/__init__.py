# SPDX-License-Identifier: GPL-2.0-or-later
"""Numbers out of measurements: pure functions on arrays and on Flent documents."""

from tsqlab.metrics.document import Document, Trace, trace
from tsqlab.metrics.statistics import Estimate, estimate, jain, mean, percentile
from tsqlab.metrics.summarise import Metrics, summarise, summarise_trace

__all__ = [
    "Document",
    "Estimate",
    "Metrics",
    "Trace",
    "estimate",
    "jain",
    "mean",
    "percentile",
    "summarise",
    "summarise_trace",
    "trace",
]
