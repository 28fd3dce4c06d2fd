# SPDX-License-Identifier: GPL-2.0-or-later
"""Closed forms and small simulators of 802.11: what the lab's radio is held against.

Pure functions, written from the standard and from the papers. They share no code with the radio
itself (``kernel/modules``), with one exception: the radio's table of error rates is computed
from :mod:`~tsqlab.model.error` (``tools/error_table.py``). Times are nanoseconds, sizes bytes,
rates bits per second, as the names say. From the air upwards:

* :mod:`~tsqlab.model.band`, :mod:`~tsqlab.model.phy`, :mod:`~tsqlab.model.ppdu`: interframe
  spaces, rates, how long a PPDU is on the air
* :mod:`~tsqlab.model.error`: how likely an MPDU is lost, by signal-to-noise ratio
* :mod:`~tsqlab.model.edca`, :mod:`~tsqlab.model.mac`, :mod:`~tsqlab.model.exchange`: access to
  the medium, frames and aggregates, and the goodput of a station that has the medium to itself
* :mod:`~tsqlab.model.bianchi`, :mod:`~tsqlab.model.contention`: many stations, as a fixed point
  and exactly
* :mod:`~tsqlab.model.hearing`: the same where not all hear each other, and relays
* :mod:`~tsqlab.model.blockack`: lost frames, their repetition, and what that does to aggregates
* :mod:`~tsqlab.model.aggregation`, :mod:`~tsqlab.model.fit`, :mod:`~tsqlab.model.wqm`: the
  papers' own arithmetic
"""
