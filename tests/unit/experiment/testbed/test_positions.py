# SPDX-License-Identifier: GPL-2.0-or-later
"""Positions of a medium's members: what they come to, and what is wrong with a file."""

import pytest

from tsqlab.cli import main
from tsqlab.errors import FileError, UsageError
from tsqlab.experiment.load import load
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.experiment.stored import measured, plain
from tsqlab.experiment.testbed.graph import Way
from tsqlab.guest.testbed import wiring
from tsqlab.units import BASE_UNITS, Decibel, Fraction

ROW = """\
title = "A row"
nodes = { AP = {}, C = { server = "AP" }, D = { server = "AP" } }

[[medium]]
name = "air"
device = "ath9k"
rate = "HT20 MCS7"
members.AP = { role = "ap", position = ["100 m", "0 m"] }
members.C = { role = "station", position = "0 m, 0 m" }
members.D = { role = "station", position = ["200 m", "0 m"], rate = "HT20 MCS0" }
"""


def read(tmp_path, text, *overrides):
    path = tmp_path / "row.toml"
    path.write_text(text, "utf-8")
    return load(str(path), overrides)


def ways(tmp_path, text, *overrides):
    (medium,) = read(tmp_path, text, *overrides).spec.testbed.graph.media
    return {(way.sender, way.receiver): way for way in medium.ways}


def test_a_pair_has_the_snr_of_its_distance(tmp_path):
    """100 m have 9.8 dB, as docs/positions.md says; 200 m 0.75, below the default of 4."""
    found = ways(tmp_path, ROW)
    near, far = Decibel.of("9.78 dB"), Decibel.of("75 cdB")
    assert found == {
        ("C", "AP"): Way("C", "AP", snr=near),
        ("AP", "C"): Way("AP", "C", snr=near),
        ("D", "AP"): Way("D", "AP", snr=near),
        ("AP", "D"): Way("AP", "D", snr=near, rate="HT20 MCS0"),
        ("C", "D"): Way("C", "D", snr=far, hears=False),
        ("D", "C"): Way("D", "C", snr=far, hears=False),
    }


def test_a_longer_reach_is_heard(tmp_path):
    found = ways(tmp_path, ROW, "medium.air.propagation.hears_from=0 dB")
    assert found["C", "D"].hears is None
    found = ways(tmp_path, ROW, "medium.air.propagation.power=20 dBm")
    assert (found["C", "D"].hears, found["C", "D"].snr) == (None, Decibel.of("4.75 dB"))


def test_twice_the_bandwidth_is_twice_the_noise(tmp_path):
    found = ways(tmp_path, ROW, "medium.air.rate=HT40 MCS7")
    assert found["C", "AP"].snr == Decibel.of("6.77 dB")


def test_a_pair_that_is_said_comes_first_and_a_loss_beside(tmp_path):
    text = ROW + 'loss = "1 %"\npairs."C-D" = { hears = true, snr = "8 dB" }\n'
    found = ways(tmp_path, text)
    assert found["C", "D"] == Way("C", "D", snr=Decibel.of("8 dB"), hears=True)
    assert (found["C", "AP"].loss, found["C", "AP"].snr) == (
        Fraction.of("1 %"), Decibel.of("9.78 dB")
    )  # fmt: skip


def test_positions_vary_as_texts(tmp_path):
    text = ROW + '\n[matrix]\nmedium.air.members.D.position = ["110 m, 0 m", "103 m, 4 m"]\n'
    cells = read(tmp_path, text).cells
    assert cells[1].id == "medium.air.members.D.position=103_m,_4_m"
    (medium,) = cells[1].spec.testbed.graph.media
    snr = next(way.snr for way in medium.ways if (way.sender, way.receiver) == ("D", "AP"))
    assert snr == Decibel.of("48.81 dB"), "5 m: 20.97 dB less than at 1 m"


def test_a_result_has_the_positions_and_reads_them_back(tmp_path):
    spec = read(tmp_path, ROW, "medium.air.propagation.exponent=2.5").spec
    assert Spec.model_validate(measured(spec), context={BASE_UNITS: True}) == spec
    assert plain(spec)["testbed"]["medium"]["air"]["members"]["C"]["position"] == [0, 0]


@pytest.mark.parametrize(
    ("old", "new", "where", "said"),
    [
        (', position = "0 m, 0 m"', "", "medium.air.members.C", 'too, as "AP" has one'),
        ('"0 m, 0 m"', '"0 m"', "position", '"3 m, 4 m" as one text'),
        ('"0 m, 0 m"', '["0 m", 3]', "position", "a number with a unit"),
        ('"0 m, 0 m"', '["0 m", "101 km"]', "position", "expected 0 m to 100 km"),
        ('"200 m"', '"300 m"', "members.D.position",
         'too far from "AP" to hear it; expected 155.8 m at most'),
        ("rate = \"HT20 MCS7\"\n", "rate = \"HT20 MCS7\"\nsnr = \"9 dB\"\n", "snr", "one of both"),
        ("rate = \"HT20 MCS7\"\n", "rate = \"HT20 MCS7\"\npropagation.exponent = 0.5\n",
         "propagation.exponent", "1.0 or more"),
        ("rate = \"HT20 MCS7\"\n", "rate = \"HT20 MCS7\"\npropagation.bandwidth = \"10 MHz\"\n",
         "propagation.bandwidth", "20 MHz"),
    ],
)  # fmt: skip
def test_a_mistake_is_named(tmp_path, old, new, where, said):
    assert old in ROW
    with pytest.raises(FileError) as error:
        read(tmp_path, ROW.replace(old, new))
    assert where in str(error.value)
    assert said in str(error.value)


def test_propagation_needs_positions(tmp_path):
    text = "\n".join(line for line in ROW.splitlines() if "position" not in line)
    members = '\nmembers = { AP = "ap", C = "station", D = "station" }\npropagation.exponent = 2\n'
    with pytest.raises(FileError, match="expected a position of each member"):
        read(tmp_path, text + members)


def test_a_station_out_of_reach_may_be_said_to_hear(tmp_path):
    text = ROW.replace('"200 m"', '"300 m"') + 'pairs."D-AP" = { hears = true, snr = "3 dB" }\n'
    assert ways(tmp_path, text)["AP", "D"].hears is True


@pytest.mark.parametrize(
    ("device", "rate", "said"),
    [("ath9k", "minstrel", 'propagation.bandwidth = "40 MHz"'),
     ("ath10k", "VHT80 MCS7 1ss", "propagation.reference_loss")],
)  # fmt: skip
def test_what_the_device_knows_is_held_against_it(tmp_path, device, rate, said):
    changes = [f"medium.air.device={device}", f"medium.air.rate={rate}",
               "medium.air.members.D.position=101 m, 0 m",
               "medium.air.members.C.position=99 m, 0 m"]  # fmt: skip
    if rate == "minstrel":
        text = ROW.replace(', rate = "HT20 MCS0"', "")
    else:
        text = ROW.replace("HT20 MCS0", "VHT80 MCS0 1ss")
    spec = read(tmp_path, text, *changes).spec
    profile = load_profile(device)
    with pytest.raises(UsageError, match=said):
        wiring(spec, profile, {device: profile})


def test_show_says_what_positions_come_to(tmp_path, capsys):
    path = tmp_path / "row.toml"
    path.write_text(ROW, "utf-8")
    assert main(["show", str(path)]) == 0
    printed = capsys.readouterr().out
    assert "  AP to C: SNR 9.78 dB\n" in printed
    assert "  D does not hear C\n" in printed
