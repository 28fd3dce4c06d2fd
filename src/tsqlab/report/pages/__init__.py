# SPDX-License-Identifier: GPL-2.0-or-later
"""The pages that hold tables, claims and plots: one per experiment, and one of them all."""
