# SPDX-License-Identifier: GPL-2.0-or-later
"""Experiment files and what they specify: schema, matrix, profiles, claims, stored results."""
