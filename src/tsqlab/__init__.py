# SPDX-License-Identifier: GPL-2.0-or-later
"""tsqlab: the real Linux TCP stack in virtual time over modelled links.

Layers, each importing only from those after it: ``cli``, ``report``, ``runner``,
``experiment``, then ``kernels``, ``guest``, ``results``, ``metrics``, ``model``. What they share
are :mod:`tsqlab.errors`, :mod:`tsqlab.units` and :mod:`tsqlab.paths`.
"""

__version__ = "0.1.0"
