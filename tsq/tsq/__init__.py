# SPDX-License-Identifier: GPL-2.0-or-later
"""tsq: TCP Small Queues on hosts as they are, shown, planned, set and put back.

It is a tool of its own for any Linux from 6.1 on, and imports nothing of the lab; what both know
(the formula, the version) is held equal by tests.
"""

__version__ = "0.1.0"
