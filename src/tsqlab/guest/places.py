# SPDX-License-Identifier: GPL-2.0-or-later
"""Where a guest finds things, the same on every machine."""

PLAN_DIR = "/tsqlab/plan"
MODULE_DIR = "/tsqlab/modules"
OUT_DIR = "/tsqlab/out"
