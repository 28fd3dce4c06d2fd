# SPDX-License-Identifier: GPL-2.0-or-later
"""A result's specification is read back as what it was."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from folders import results
from tsqlab.errors import FileError
from tsqlab.experiment.bundled import bundled_experiments
from tsqlab.experiment.load import load
from tsqlab.experiment.profile import Airlink, Profile, load_profile
from tsqlab.experiment.stored import _PROFILE, _SPEC, _typed, plain, read_folder
from tsqlab.results.flent import read_flent, write_flent
from tsqlab.results.folder import (
    Manifest,
    ManifestCell,
    ManifestKernel,
    read_manifest,
    write_manifest,
)


def through_a_file(specified: object) -> object:
    return json.loads(json.dumps(specified))


@pytest.mark.parametrize("name", bundled_experiments())
def test_what_is_stored_is_what_was_run(name: str) -> None:
    for cell in load(name).cells:
        stored = through_a_file(plain(cell.spec))
        assert _typed(Path(), "spec", _SPEC, stored) == cell.spec
        profile: Profile = load_profile(cell.spec.testbed.device)
        assert _typed(Path(), "device", _PROFILE, through_a_file(plain(profile))) == profile


def test_a_result_knows_its_setting(tmp_path: Path) -> None:
    folder = read_folder(results(tmp_path) / "cotsq-3")
    devices = {result.spec.testbed.device for result in folder.results if result.spec}
    assert devices == {"ath9k_htc"}
    assert all(result.spec for result in folder.results)


def test_a_result_of_another_version_is_named(tmp_path: Path) -> None:
    folder = results(tmp_path) / "cotsq-3"
    path = sorted(folder.glob("*.flent.gz"))[0]
    document = read_flent(path)
    document["metadata"]["TSQLAB"]["spec"]["sender"]["tsq"]["ns"] = 1
    write_flent(path, document)
    with pytest.raises(FileError, match=r"TSQLAB\.spec\.sender\.tsq\.ns: not what this version"):
        read_folder(folder)


def test_a_bare_integer_in_a_file_is_no_quantity() -> None:
    assert Airlink.model_fields  # the same models as above, without the context of a result
    with pytest.raises(ValueError, match="expected a number with a unit"):
        _SPEC.validate_python({"title": "", "flows": {"length": 10**9}})


def test_a_manifest_is_read_as_it_was_written(tmp_path: Path) -> None:
    manifest = Manifest(
        experiment="x", title="X", plots=["cdf"], latency="tcp_rtt_ms", factors=["seed"],
        kernels=[ManifestKernel(id="01", release="6.12.1", hz=1000, version="6.12")],
        cells=[ManifestCell(id="seed=1", key="23", factors={"seed": 1}, file="a", wall_s=0.5),
               ManifestCell(id="seed=2", factors={"seed": 2}, state="waiting")],
    )  # fmt: skip
    write_manifest(tmp_path, manifest)
    assert read_manifest(tmp_path) == manifest


def test_a_manifest_of_before_is_read_too(tmp_path: Path) -> None:
    kernel = {"id": "01", "release": "6.12.1", "hz": 1000, "series": "6.12"}
    old = {"experiment": "x", "title": "X", "cells": [], "kernels": [kernel]}
    (tmp_path / "manifest.json").write_text(json.dumps(old))
    assert read_manifest(tmp_path).kernels[0].version == "6.12"
