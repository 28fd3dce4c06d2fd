# SPDX-License-Identifier: GPL-2.0-or-later
"""What a report says of how its cells were run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from folders import Page, results, written
from tsqlab.cli import main
from tsqlab.experiment.stored import read_folder
from tsqlab.paths import PROFILES
from tsqlab.report import make_report
from tsqlab.report.ran import Ran, what_ran

NAME = "cotsq-4"

OWN = """
title = "Mine"

[testbed]
layout = "wifi"
base_rtt = "5 ms"

[flows]
length = "4 s"

[matrix]
tsq = ["TSQ", "CoTSQ"]
seed = [1, 2]
"""


def ran(folder: Path, *overrides: str, name: str = NAME) -> Ran:
    """What is said of a run with what was given to --set, of two seeds."""
    return what_ran(read_folder(results(folder, name, overrides) / Path(name).stem))


def profile(folder: Path, old: str, new: str, name: str = "mine.toml") -> Path:
    text = (PROFILES / "ath9k_htc.toml").read_text("utf-8")
    assert old in text
    (folder / name).write_text(text.replace(old, new, 1), "utf-8")
    return folder / name


def edited(folder: Path, **changes: object) -> Path:
    """The folder with other keys in its manifest."""
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    (folder / "manifest.json").write_text(json.dumps(manifest | changes), "utf-8")
    return folder


def test_what_a_wifi_experiment_ran_on(tmp_path: Path) -> None:
    facts = ran(tmp_path).facts
    assert facts["Device"] == "ath9k_htc"
    assert facts["Layout"] == "wifi"
    assert facts["Rate"] == "HT40 MCS7 SGI", "the slower of both sides' own"
    assert facts["Sender"] == "cubic; offloads off; truesize 4352 B; era 4.13"
    assert facts["Flows"] == "tcp_nup of 1, 60 s, 5 s of ping alone before and after"
    assert facts["Seeds"] == "1, 2"
    assert facts["Paper"] == "cotsq, figure 4"
    assert facts["Kernel"] == "Linux 6.12.1, build 0123abcd, HZ 1000, patches of 6.12"


def test_what_a_wired_experiment_ran_on(tmp_path: Path) -> None:
    facts = ran(tmp_path, name="tptsq-5a").facts
    assert facts["Rate"] == "1 Gbit/s; bottleneck L10M, L100M, R10M, R100M, LR1000M"
    assert (facts["Device"], facts["Layout"]) == ("gigabit", "wired")


def test_what_ran_before_is_told(tmp_path: Path) -> None:
    told = ran(tmp_path / "campaign", 'before=["none", "cubic 10 s, bbr 5 s"]')
    assert told.facts["What ran before"] == "none or cubic 10 s, bbr 5 s"
    assert "before:  none or cubic 10 s, bbr 5 s" in told.lines()
    assert "before = none -> none, cubic 10 s, bbr 5 s" in told.changed
    first = ran(tmp_path / "first")
    assert "What ran before" not in first.facts
    assert not [line for line in first.lines() if line.startswith("before:")]


def test_an_access_point_that_is_the_server_is_told(tmp_path: Path) -> None:
    told = ran(tmp_path, "server=AP")
    assert told.facts["Layout"] == "wifi (server AP)"
    assert "server = S -> AP" in told.changed
    both = ran(tmp_path / "both", 'server=["S", "AP"]')
    assert both.facts["Layout"] == "wifi, wifi (server AP)"


def test_levels_of_a_factor_are_all_named(tmp_path: Path) -> None:
    facts = ran(tmp_path, 'rate=["HT40 MCS7 SGI", "HT20 MCS7 SGI"]', 'length="4 s"').facts
    assert facts["Rate"] == "HT40 MCS7 SGI, HT20 MCS7 SGI"


@pytest.mark.parametrize(
    ("kernel", "text"),
    [
        ({"name": "6.12", "cotsq": True}, "Linux 6.12.1, build 01, HZ 250, patches of 6.12, with"),
        ({"name": "mine", "source": "linux-mine", "cotsq": False},
         "Linux 6.12.1 (mine), of linux-mine, build 01, HZ 250, patches of 6.12, without CoTSQ"),
    ],
)  # fmt: skip
def test_a_kernel_says_whose_it_is(kernel: dict[str, object], text: str, tmp_path: Path) -> None:
    folder = results(tmp_path, NAME) / NAME
    known = {"id": "01", "release": "6.12.1", "hz": 250, "version": "6.12"}
    told = what_ran(read_folder(edited(folder, kernels=[known | kernel])))
    assert told.facts["Kernel"].startswith(text)
    assert told.kernels == ("Linux 6.12.1 (mine)" if kernel["name"] == "mine" else "Linux 6.12.1")


def test_a_run_of_all_seeds_has_nothing_changed(tmp_path: Path) -> None:
    told = ran(tmp_path, "seed=[1, 2]", name="tptsq-4")
    assert told.changed == ("seed = 1 to 5 -> 1, 2",)
    assert not told.elsewhere, "fewer seeds are the same experiment"
    folder = results(tmp_path / "all", NAME) / NAME
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    more = [cell | {"id": cell["id"] + str(seed), "state": "waiting",
                    "factors": cell["factors"] | {"seed": seed}}
            for cell in manifest["cells"] for seed in (3, 4, 5)]  # fmt: skip
    told = what_ran(read_folder(edited(folder, cells=manifest["cells"] + more)))
    assert told.changed == (), "what is still waiting was not changed"
    assert told.unchanged == f"nothing: this is {NAME} as it comes with tsqlab"


def test_every_key_that_was_changed_is_named(tmp_path: Path) -> None:
    told = ran(
        tmp_path, 'rate="HT20 MCS7 SGI"', 'length="4 s"', "seed=[1]", 'kernel="mine"',
        'tsq=["TSQ", "11TSQ"]',
    )  # fmt: skip
    assert told.changed == (
        "rate = HT40 MCS7 SGI -> HT20 MCS7 SGI",
        "length = 60 s -> 4 s",
        "tsq = TSQ, 2TSQ, 3TSQ, 4TSQ, 5TSQ, 6TSQ, 7TSQ, 8TSQ, 16TSQ, 32TSQ, NoTSQ -> TSQ, 11TSQ",
        "kernel = 6.12 -> mine",
        "seed = 1 to 5 -> 1",
    )
    assert told.elsewhere
    assert told.unchanged == ""


def test_a_default_that_was_written_is_no_change(tmp_path: Path) -> None:
    told = ran(tmp_path, 'rate="HT40 MCS7 SGI"', "pacing=2.0/1.2")
    assert told.changed == ("seed = 1 to 5 -> 1, 2",)


def test_levels_are_compared_by_what_they_mean(tmp_path: Path) -> None:
    """cotsq-3 has CoTSQ, which is 6 ms under another name."""
    told = ran(tmp_path, 'tsq=["TSQ", "6TSQ", "NoTSQ"]', name="cotsq-3")
    assert not [change for change in told.changed if change.startswith("tsq")]


def test_a_users_own_experiment_says_what_it_sets(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(OWN, "utf-8")
    told = ran(tmp_path / "results", name=str(file))
    assert told.written == (
        "base_rtt = 5 ms",
        "length = 4 s",
        "tsq = TSQ, CoTSQ",
        "seed = 1, 2",
    )
    assert (told.changed, told.unchanged) == ((), "")


def test_an_own_profile_is_told_by_what_is_other(tmp_path: Path) -> None:
    own = profile(tmp_path, 'refill_delay = "350 us"', 'refill_delay = "1 ms"')
    told = ran(tmp_path / "results", f'device="{own}"')
    assert "device = ath9k_htc -> mine.toml" in told.changed
    (found,) = told.profiles
    assert found.text == "mine.toml is ath9k_htc but for refill_delay = 1 ms, not 350 us"
    assert told.facts["Device"] == "mine.toml"
    assert str(tmp_path) not in "".join(told.lines()), "a page does not say where its user lives"


def test_a_key_of_the_profile_is_told_like_any_other(tmp_path: Path) -> None:
    told = ran(tmp_path, 'profile.report_delay=["0 us", "1 ms"]', "profile.title=Mine")
    assert "profile.report_delay = 475 us -> 0 us, 1 ms" in told.changed
    assert "device" not in "".join(told.changed), "nothing else of it is other"
    assert told.profiles == ()
    assert told.elsewhere
    other = ran(tmp_path / "other", "profile.access_point=ideal")
    assert "profile.access_point = its own -> ideal" in other.changed
    assert other.profiles == ()


def test_an_own_profile_that_is_like_no_other_is_told_whole(tmp_path: Path) -> None:
    text = """
kind = "airlink"
title = "An access point of one's own"
front = "fullmac"
band = "5 GHz"
rate = "HE80 MCS11 2ss"
aggregate_frames = 64
window_frames = 64
singles_ahead = 3
frame_tries = 5
density = "0 us"
host_frames = 77
resume_frames = 70
device_frames = 66
report_wait = "3 ms"
report_frames = 7
"""
    (tmp_path / "new.toml").write_text(text, "utf-8")
    (found,) = ran(tmp_path / "results", f'device="{tmp_path}/new.toml"').profiles
    assert (found.nearest, found.changes) == ("", ())
    assert "rate = HE80 MCS11 2ss" in found.lines


def test_bundled_profiles_need_no_words(tmp_path: Path) -> None:
    assert ran(tmp_path).profiles == ()
    own = profile(tmp_path, "AR9271", "My", "ath9k_htc.toml")
    told = ran(tmp_path / "own", f'device="{own}"', "seed=[1, 2]")
    assert [one.text for one in told.profiles] == ["ath9k_htc.toml is ath9k_htc"]
    assert "device" not in "".join(told.changed), "the same content is the same device"


def test_lines_of_the_terminal_break_between_keys_only(tmp_path: Path) -> None:
    lines = ran(tmp_path, 'rate="HT20 MCS7 SGI"', 'length="4 s"').lines()
    assert lines[0].startswith("run:     ath9k_htc; wifi; HT20 MCS7 SGI; cubic")
    (changed,) = (line for line in lines if line.startswith("changed: "))
    assert changed.startswith("changed: rate = HT40 MCS7 SGI -> HT20 MCS7 SGI; length = 60 s -> 4")
    assert all(line[:9].strip() in ("", "run:", "changed:") for line in lines)
    assert not any(line.endswith(" ") for line in lines)


def test_a_folder_without_conditions_says_nothing_of_them(tmp_path: Path) -> None:
    told = what_ran(read_folder(written(tmp_path)))
    assert (told.changed, told.written, told.unchanged, told.profiles) == ((), (), "", ())
    assert "Device" not in told.facts
    assert told.facts["Cells"] == "12"


def test_the_page_says_what_was_changed(tmp_path: Path) -> None:
    own = profile(tmp_path, 'refill_delay = "350 us"', 'refill_delay = "1 ms"')
    folder = results(tmp_path / "results", NAME, [f'device="{own}"', 'length="4 s"']) / NAME
    text = make_report(folder).read_text("utf-8")
    parsed = Page(text)
    assert parsed.open == ["html"] or not parsed.open
    assert "Changed from cotsq-4 as it comes with tsqlab:" in text
    assert "<li>length = 60 s -&gt; 4 s</li>" in text
    assert "Device profile mine.toml: ath9k_htc but for 1 key</summary>" in text
    assert "<li>refill_delay = 350 us -&gt; 1 ms</li>" in text
    assert "<h1>ath9k_htc: milliseconds of TSQ (changed)</h1>" in text
    assert str(tmp_path) not in text


def test_the_page_says_that_nothing_was_changed(tmp_path: Path) -> None:
    folder = results(tmp_path, NAME) / NAME
    text = make_report(folder).read_text("utf-8")
    assert "<h1>ath9k_htc: milliseconds of TSQ</h1>" in text
    assert "<li>seed = 1 to 5 -&gt; 1, 2</li>" in text


def test_the_terminal_says_it_before_the_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = results(tmp_path, NAME, ['length="4 s"']) / NAME
    assert main(["report", str(folder)]) == 0
    printed = capsys.readouterr().out
    assert printed.index("run: ") < printed.index("changed: ") < printed.index("goodput")
