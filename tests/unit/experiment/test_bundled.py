# SPDX-License-Identifier: GPL-2.0-or-later
"""What a list shows of what comes with tsqlab."""

from __future__ import annotations

from pathlib import Path

from tsqlab.experiment.bundled import outline_of
from tsqlab.experiment.load import load


def test_a_list_counts_the_cells_that_are_run(tmp_path: Path) -> None:
    """Without loading the file, in which keys with dots are tables."""
    path = tmp_path / "dots.toml"
    path.write_text(
        '# Nothing.\n# Expected: nothing.\ntitle = "Dots"\n[matrix]\nqdisc = ["fq", "pfifo_fast"]\n'
        'testbed.sysctl.C."net.ipv4.tcp_sack" = [0, 1]\nsysctl.S."net.ipv4.tcp_sack" = [0, 1]\n'
        "seed = [1, 2, 3]\n"
    )
    assert outline_of(path).cells == len(load(str(path)).cells) == 24
