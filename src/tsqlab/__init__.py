# SPDX-License-Identifier: GPL-2.0-or-later
"""tsqlab: the real Linux TCP stack in virtual time over modelled links.

Packages are layers: each imports only from those below it. tests/unit/test_layers.py has their
order, with a sentence for each; docs/architecture.md is the map of the whole checkout.
"""

__version__ = "0.1.0"
