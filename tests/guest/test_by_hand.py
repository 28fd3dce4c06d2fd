# SPDX-License-Identifier: GPL-2.0-or-later
"""tools/guest.py, as CONTRIBUTING.md shows it: a guest by hand, and an edited plan."""

import pytest

from tsqlab.paths import ROOT

# The era's own kernel would have to be built, which other tests do.
WORDS = ("cotsq-3", "era=today", "tsq=CoTSQ", "seed=1", 'length="1 s"', 'delay="100 ms"')


@pytest.fixture
def by_hand(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import guest  # noqa: PLC0415  (it is no package's)

    return lambda *more: guest.main([str(tmp_path), *WORDS, *more])


def test_a_guest_by_hand_leaves_all_there_is(by_hand, tmp_path):
    assert by_hand("capture=C>AP", "--plan") == 0
    plan = tmp_path / "plan" / "plan"
    # An edited plan stays: all of each packet.
    plan.write_text(plan.read_text().replace("\tcapture-wlan1\twlan1\t192\t",
                                             "\twhole\twlan1\t65536\t"))  # fmt: skip
    assert by_hand() == 0
    assert (tmp_path / "out" / "done").exists()
    assert (tmp_path / "out" / "whole.pcap").stat().st_size > 1_000_000, "1 s of Wi-Fi"
    assert "tsqlab: t 1200 ms" in (tmp_path / "console").read_text(), "its length, and twice 0.1 s"


def test_a_plan_that_fails_says_why(by_hand, tmp_path, capsys):
    by_hand("--plan")
    (tmp_path / "plan" / "plan").write_text("nonsense\nend\n")
    assert by_hand() == 1
    assert "plan: no such thing as 'nonsense'" in capsys.readouterr().err
