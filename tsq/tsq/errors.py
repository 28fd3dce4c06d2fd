# SPDX-License-Identifier: GPL-2.0-or-later
"""What tsq says when it cannot do what it was asked for."""


class TsqError(Exception):
    """Says what is wrong, where, and what would do: printed without a traceback, status 1."""
