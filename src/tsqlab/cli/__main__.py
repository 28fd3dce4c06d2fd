# SPDX-License-Identifier: GPL-2.0-or-later
"""``python -m tsqlab.cli``."""

import sys

from tsqlab.cli import main

if __name__ == "__main__":
    sys.exit(main())
