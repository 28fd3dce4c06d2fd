# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures of an experiment's results: a module per kind, all of them listed in `kinds`."""

import logging

# Without a home that it can write to, matplotlib takes a temporary folder, and says so in two
# lines about its own configuration, of which we use nothing.
logging.getLogger("matplotlib").setLevel(logging.ERROR)
