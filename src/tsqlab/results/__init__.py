# SPDX-License-Identifier: GPL-2.0-or-later
"""What a cell measured, and the files that keep it."""
