# SPDX-License-Identifier: GPL-2.0-or-later
"""``tsqlab show``: a testbed in words, and as a picture."""

import re
from xml.etree import ElementTree

import pytest

from tsqlab.cli import main
from tsqlab.experiment.bundled import bundled_experiments
from tsqlab.paths import ROOT


def shown(capsys, *arguments):
    assert main(["show", *arguments]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("name", bundled_experiments())
def test_every_experiment_is_shown(capsys, name):
    assert shown(capsys, name).splitlines()[-1].startswith(("flows of ", "flows: "))


def test_what_differs_is_said(capsys):
    changes = ["layout=hidden", "rts=0 B", "snr=20 dB", 'egress."AP>S".rate=5 Mbit/s', "loss=1 %"]
    text = shown(capsys, "cotsq-3", *(f"--set={change}" for change in changes))
    for said in (
        "  C2 does not hear C1\n",
        "  C1 to AP: loss 1 %, SNR 20 dB\n",
        "pfifo_fast, HTB 5 Mbit/s\n",
        ", RTS above 0 B\n",
        "flows of tcp_nup: C1 - S, C2 - S\n",
    ):
        assert said in text


def test_rate_control_is_named(capsys):
    assert ", minstrel_ht\n" in shown(
        capsys, "cotsq-3", "--set=device=ath9k", "--set=rate=minstrel"
    )


def test_flows_of_ones_own_are_said_one_by_one(capsys, tmp_path):
    file = tmp_path / "own.toml"
    tables = ['[[flow]]\nfrom = "C"\nto = "S"', '[[flow]]\nfrom = "R"\nto = "C"\nkind = "ping"']
    file.write_text("\n".join(['title = "Own"', *tables]))
    assert shown(capsys, str(file)).endswith("flows: tcp C>S, ping R>C\n")


def test_the_documentations_example_prints_what_it_shows(capsys, tmp_path):
    page = (ROOT / "docs" / "experiments.md").read_text()
    section = page[page.index("a testbed of your own\n") :]
    file = tmp_path / "two.toml"
    file.write_text(re.search(r"```toml\n(.*?)```", section, re.DOTALL)[1])
    (output,) = re.findall(
        r"^\$ tsqlab show two.toml\n(.*?)^```$", section, re.DOTALL | re.MULTILINE
    )
    assert shown(capsys, str(file)) == output


def test_what_is_wrong_is_an_error(capsys):
    assert main(["show", "cotsq-3", "--set", "stations=0"]) == 2
    assert "expected 1 or more" in capsys.readouterr().err


def test_a_picture_is_drawn_beside_the_words(capsys, tmp_path):
    file = tmp_path / "testbed.svg"
    assert shown(capsys, "cotsq-3", f"--svg={file}") == shown(capsys, "cotsq-3")
    texts = [text.text for text in ElementTree.parse(file).iter("{http://www.w3.org/2000/svg}text")]
    assert {"C", "AP", "S", "air", "10.0.2.1", "station of AP"} <= set(texts)


def test_a_picture_that_cannot_be_written_is_an_error(capsys, tmp_path):
    assert main(["show", "cotsq-3", f"--svg={tmp_path / 'nowhere' / 'x.svg'}"]) == 1
    assert "cannot be written" in capsys.readouterr().err
