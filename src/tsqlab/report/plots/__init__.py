# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures of an experiment's results: a module per kind, all of them listed in `kinds`."""
