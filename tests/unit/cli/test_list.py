# SPDX-License-Identifier: GPL-2.0-or-later
"""``tsqlab list NAME``: one experiment, one profile, one kernel, or the nearest name."""

import re
from pathlib import Path

import pytest

from tsqlab.cli import main
from tsqlab.experiment.bundled import bundled_experiments, bundled_profiles
from tsqlab.experiment.era import ERAS
from tsqlab.experiment.neutral import NEUTRAL
from tsqlab.kernels import Recipe
from tsqlab.kernels.names import remember, taken_back
from tsqlab.kernels.source import versions


def shown(capsys, *words):
    assert main(["list", *words]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(
    "name", [*bundled_experiments(), *bundled_profiles(), *versions(), *taken_back(), *ERAS]
)
def test_whatever_the_list_names_can_be_shown(name, capsys):
    words = shown(capsys, name)
    assert words.startswith(f"{name}: ")
    assert "\n\n\n" not in words


def test_a_profile_is_shown_with_its_sources_and_what_it_leaves_out(capsys):
    words = re.sub(r"\s+", " ", shown(capsys, "ath9k_htc"))
    for part in (
        "refill_delay 350 us fitted to cotsq-3b, see docs/calibration.md: firmware forms",
        "edca.VI.cw_min 3 tqi_cwmin = qinfo->tqi_cwmin / 2; /* XXX */",
        "ppdu_tries 10 firmware: rcRateFind_11n() gives out 10",
        "aggregate_bytes no limit the firmware's table",
        "aggregate_time 5484 us ",
        "access_point ath9k_3x3 cotsq's access point",
    ):
        assert part in words
    assert all(f" {key} " in words for key in NEUTRAL)


def test_an_experiment_is_shown_with_its_size_and_claims(capsys):
    words = shown(capsys, "cotsq-4")
    for part in ("55 cells of 70 s: 3850 s of virtual time", "claims: 6", "cotsq-4b-knee",
                 "seed  1, 2, 3, 4, 5", "Expected: goodput grows"):  # fmt: skip
        assert part in words
    assert "testbed.device             gigabit (default)" in shown(capsys, "tptsq-5a")


def test_a_kernel_is_shown_with_its_patches(capsys):
    words = shown(capsys, "6.12-without-hystart-usec")
    assert "um/0001               um: let the timer frequency be chosen" in words
    assert "without hystart-usec  tcp_cubic: end slow start as before v5.6" in words


def test_the_list_says_what_each_kernel_is(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("TSQLAB_CACHE", str(tmp_path))
    remember("mine", Recipe(source=Path("/src/linux")))
    kernels = shown(capsys).partition("\nkernels\n")[2].partition("\neras\n")[0].splitlines()
    start = kernels[0].index("Debian's")
    assert f"  {'mine':{start - 2}}yours, of /src/linux" in kernels
    assert (
        f"  {'6.12-without-hystart-usec':{start - 2}}tcp_cubic: end slow start as before v5.6"
        in kernels
    )


def test_an_era_is_shown_with_what_it_takes_back(capsys):
    words = re.sub(r"\s+", " ", shown(capsys, "4.13"))
    for part in (
        "packets to a radio offloads off, truesize 4352 B",
        'v5.1 78dc70ebaa38 ("tcp_bbr: adapt cwnd based on ack aggregation estimation")',
        "back by: bbr-ack-aggregation",
        "back by: net.ipv4.tcp_limit_output_bytes = 262144",
        "back by: the era's own settings",
    ):
        assert part in words
    assert len(ERAS["4.13"].before) == words.count("back by: ")
    assert "no change is taken back" in shown(capsys, "today")
    assert "5.10 " in shown(capsys).partition("eras")[2]


def test_files_can_be_shown_too(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text(bundled_profiles()["ideal"].read_text())
    (tmp_path / "e.toml").write_text('title = "x"\n')
    assert "the block ack window, IEEE" in shown(capsys, "mine.toml")
    assert "1 cell of 70 s: 70 s of virtual time" in shown(capsys, "./e.toml")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("ath9kk", 'no experiment, device profile, kernel or era "ath9kk"; did you mean "ath9k"?'),
        ("nothing like it", "tsqlab list without a name shows all that there is"),
        ("nowhere.toml", "nowhere.toml: cannot be read: "),
    ],
)
def test_a_name_of_nothing(name, message, capsys):
    assert main(["list", name]) == 2
    assert message in capsys.readouterr().err


def test_flows_are_shown_by_their_keys(capsys, tmp_path):
    path = tmp_path / "own.toml"
    flow = '[[flow]]\nfrom = "{}"\nto = "{}"\n{}\n'
    page = flow.format("S", "C", 'name = "page"')
    path.write_text(f'title = "x"\n{flow.format("C", "S", "")}{page}')
    assert main(["list", str(path)]) == 0
    shown = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert {"flow.1.from C", "flow.page.from S", "flow.page.to C"} <= set(shown)
