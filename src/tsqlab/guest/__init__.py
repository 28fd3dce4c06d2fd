# SPDX-License-Identifier: GPL-2.0-or-later
"""One User-Mode Linux per cell: what it is told (plan), how it is booted, what it brings back.

Inside the guest there is no Python: its PID 1 is the C program in agent/, at the top of the
checkout, which carries out a plan, a text that is made here. So a guest boots fast, and what it
does can be read and tested without booting it.
"""
