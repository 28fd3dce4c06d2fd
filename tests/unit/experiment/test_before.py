# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests that ran before: how a file says them, what is refused, and what a cell then is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tsqlab.errors import FileError
from tsqlab.experiment.before import REST
from tsqlab.experiment.conditions import Conditions
from tsqlab.experiment.load import load
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.experiment.stored import measured
from tsqlab.guest.instants import T0_NS, t0_ns
from tsqlab.guest.testbed import wiring
from tsqlab.guest.testbed.settings import guest_sysctls
from tsqlab.units import BASE_UNITS


def experiment(folder: Path, tables: str) -> Path:
    path = folder / "campaign.toml"
    path.write_text(f'# What is tested.\ntitle = "A campaign"\n{tables}\n')
    return path


@pytest.mark.parametrize(
    ("lab", "tests"),
    [
        ("", ()),
        ('before = "none"', ()),
        ("before = []", ()),
        ('before = "cubic 10 s"', ("cubic 10 s",)),
        ('before = ["cubic 10s", "bbr 1.5 s"]', ("cubic 10 s", "bbr 1500 ms")),
        ('before = "cubic  60 s, cubic 1 min"', ("cubic 60 s", "cubic 60 s")),
    ],
)
def test_how_a_file_says_them(lab: str, tests: tuple[str, ...], tmp_path: Path) -> None:
    (cell,) = load(str(experiment(tmp_path, f"[lab]\n{lab}"))).cells
    assert cell.spec.lab.before == tests


def test_they_vary_as_any_factor(tmp_path: Path) -> None:
    tables = '[matrix]\nbefore = ["none", "cubic 10 s", ["cubic 10 s", "bbr 5 s"]]'
    cells = load(str(experiment(tmp_path, tables))).cells
    assert [cell.id for cell in cells] == [
        "before=none", "before=cubic_10_s", "before=cubic_10_s,_bbr_5_s",
    ]  # fmt: skip
    assert [len(cell.spec.lab.before) for cell in cells] == [0, 1, 2]


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ('[lab]\nbefore = "cubic"', r'expected a congestion control and how long .* not \'cubic\''),
        ('[lab]\nbefore = "cubic 10 parsecs"', r'with a unit \(.*\), .* not \'10 parsecs\''),
        ('[lab]\nbefore = "cubic 50 ms"', r'"cubic 50 ms": expected 100 ms to 60 min'),
        ('[lab]\nbefore = "cubic 61 min"', r'"cubic 61 min": expected 100 ms to 60 min'),
        ('[lab]\nbefore = "cubic 1 s,"', r"how long it sent, .* not ''"),
        ("[lab]\nbefore = 10", r'expected tests as "cubic 10 s", or "none", not 10'),
        (f'[lab]\nbefore = {["cubic 1 s"] * 21}', "21 tests; expected 20 at most"),
        ('[lab]\nbefore = "cubic 1 s"\n[flows]\ntest = "ping"', 'test = "ping" has no TCP flow'),
        ('[lab]\nbefore = "bbr 1 s"\n[flows]\ntest = "udp_flood"', '"udp_flood" has no TCP flow'),
    ],
)  # fmt: skip
def test_what_is_no_test_is_refused(tables: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(FileError, match=rf"campaign\.toml:\d+: lab\.before: .*{message}"):
        load(str(experiment(tmp_path, tables)))


def spec_of(*before: str) -> Spec:
    return Spec.model_validate({"title": "", "lab": {"before": list(before)}})


def test_a_cell_is_another_one_with_them() -> None:
    alone, after = spec_of(), spec_of("cubic 10 s", "bbr 500 ms")
    assert "before" not in measured(alone)["lab"], "keys and results of cells without stay"
    assert measured(after)["lab"]["before"] == ["cubic 10 s", "bbr 500 ms"]
    assert Spec.model_validate(measured(after), context={BASE_UNITS: True}) == after
    assert after.total.s - alone.total.s == 10.5 + 2 * REST.s
    wired = wiring(after, load_profile("gigabit"))
    assert t0_ns(after, wired.set_up_ns) - T0_NS == 10_500_000_000 + 2 * REST
    told = [Conditions(spec, load_profile("gigabit")).texts["before"] for spec in (alone, after)]
    assert told == ["none", "cubic 10 s, bbr 500 ms"]


def test_a_guest_allows_their_congestion_controls() -> None:
    (allowed,) = (setting.value for setting in guest_sysctls(spec_of("yeah 1 s", "cubic 1 s"))
                  if setting.name == "net.ipv4.tcp_allowed_congestion_control")  # fmt: skip
    assert allowed == "reno cubic yeah"
