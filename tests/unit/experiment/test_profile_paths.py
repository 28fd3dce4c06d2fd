# SPDX-License-Identifier: GPL-2.0-or-later
"""A device profile of one's own: where its path starts, and what a result depends on."""

import re
from pathlib import Path

import pytest

from tsqlab.errors import FileError
from tsqlab.experiment.bundled import bundled_profiles
from tsqlab.experiment.load import load
from tsqlab.experiment.profile import NoProfileError, load_profile
from tsqlab.kernels import Kernel
from tsqlab.runner.experiment import jobs_of

EXPERIMENT = 'title = "x"\n[testbed]\nlayout = "wifi"\ndevice = "{}"\n'
KERNEL = Kernel("6.12", "6.12.0", 1000, "id", True, Path("linux"), Path("modules"), Path("agent"))


def radio(title, more=""):
    return (
        f'kind = "airlink"\ntitle = "{title}"\nfront = "fullmac"\nband = "5 GHz"\n'
        f'rate = "HT40 MCS7 SGI"\n{more}\n'
    )


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of an experiment and a profile, and the shell in another."""
    (tmp_path / "paper").mkdir()
    (tmp_path / "shell").mkdir()
    monkeypatch.chdir(tmp_path / "shell")
    (tmp_path / "paper" / "ax.toml").write_text(radio("beside"))
    return tmp_path


def experiment(folder, device, overrides=()):
    path = folder / "paper" / "e.toml"
    path.write_text(EXPERIMENT.format(device))
    return load(str(path), overrides)


def title(folder, device, overrides=()):
    loaded = experiment(folder, device, overrides)
    return loaded.profiles()[-1].title


@pytest.mark.parametrize("device", ["ax.toml", "./ax.toml", "../paper/ax.toml"])
def test_a_path_starts_at_the_experiments_folder(folder, device):
    assert title(folder, device) == "beside"


def test_a_path_on_the_command_line_starts_at_the_shells(folder):
    (folder / "shell" / "ax.toml").write_text(radio("the shell's"))
    assert title(folder, "ax.toml", ["device=ax.toml"]) == "the shell's"
    assert title(folder, "ax.toml", ['testbed.device=["ideal", "./ax.toml"]']) == "the shell's"
    assert title(folder, "ax.toml", ["seed=2"]) == "beside"


def test_a_bundled_name_is_never_a_file(folder):
    (folder / "paper" / "ideal").write_text(radio("no suffix"))
    (folder / "paper" / "ideal.toml").write_text(radio("mine"))
    assert title(folder, "ideal") == load_profile("ideal").title
    assert title(folder, "ideal.toml") == "mine"
    assert title(folder, "./ideal") == "no suffix"


def test_a_path_in_a_profile_starts_at_that_profiles_folder(folder):
    (folder / "paper" / "far").mkdir()
    for name, text in (
        ("far/c.toml", radio("c", 'access_point = "ap.toml"')),
        ("far/ap.toml", radio("ap", 'ethernet = "../wire.toml"')),
        ("wire.toml", bundled_profiles()["gigabit"].read_text()),
    ):
        (folder / "paper" / name).write_text(text)
    profile = load_profile("far/c.toml", folder / "paper")
    assert (profile.title, profile.access_point.title) == ("c", "ap")


@pytest.mark.parametrize(
    ("device", "message"),
    [
        ("ax", 'no device profile "ax"; did you mean the file, "ax.toml"?'),
        ("ideal.toml", 'no device profile "ideal.toml"; did you mean the bundled one, "ideal"?'),
        ("ay.toml", "paper/ay.toml is not there; a path starts at the folder of the file"),
        ("ideel", 'no device profile "ideel"; did you mean "ideal"?'),
    ],
)
def test_a_profile_that_is_not_there_is_an_error_of_the_line_that_names_it(folder, device, message):
    with pytest.raises(FileError, match=re.escape(message)) as caught:
        title(folder, device)
    assert (caught.value.key, caught.value.line) == ("testbed.device", 4)
    path = folder / "paper" / "m.toml"
    path.write_text(EXPERIMENT.format("ideal") + f'[matrix]\ndevice = ["{device}"]\n')
    with pytest.raises(FileError, match=re.escape(message)) as caught:
        jobs_of(load(str(path)), folder, lambda _: KERNEL)
    assert (caught.value.key, caught.value.line) == ("matrix.device", 6)


def test_what_is_wrong_in_a_profile_is_an_error_of_the_profile(folder):
    (folder / "paper" / "bad.toml").write_text("kind = 5\n")
    with pytest.raises(FileError, match=r"bad.toml:1: kind: expected"):
        title(folder, "bad.toml")
    with pytest.raises(NoProfileError):
        load_profile("nowhere")


def test_a_result_depends_on_a_profiles_content_and_not_on_its_path(folder):
    def keys(device):
        jobs = jobs_of(experiment(folder, device), folder, lambda _: KERNEL)
        return [job.key for job in jobs]

    other = folder / "paper" / "other.toml"
    other.write_text(radio("beside"))
    here = keys("ax.toml")
    assert here == keys("./other.toml") == keys(folder / "paper" / "ax.toml")
    other.write_text(radio("beside", "pacing_shift = 8"))
    assert here != keys("./other.toml")
