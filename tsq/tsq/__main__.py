# SPDX-License-Identifier: GPL-2.0-or-later
"""``python -m tsq``, and ``python FOLDER/tsq``, which is how it is installed."""

import sys
from pathlib import Path

if not __package__:  # the folder was given: what is in it imports itself as tsq
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from tsq.cli import main  # (after the path)

sys.exit(main())
