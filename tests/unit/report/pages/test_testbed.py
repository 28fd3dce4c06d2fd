# SPDX-License-Identifier: GPL-2.0-or-later
"""The testbed's picture on an experiment's page, and in a file among its plots."""

import re

import pytest

from folders import MATRIX, Page, results, written
from tsqlab.experiment.stored import read_folder
from tsqlab.report import make_report
from tsqlab.report.pages import testbed as on_page
from tsqlab.report.pages.testbed import picture_of


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The page of made-up results, and the folder."""
    devices = 'device=["ath9k_htc", "ath9k"]'
    folder = results(tmp_path_factory.mktemp("made"), overrides=[devices]) / "cotsq-3"
    return make_report(folder).read_text(), folder


def test_a_page_shows_the_testbed(made):
    text, folder = made
    section = text[text.index('<h2 id="testbed">') :].partition("</section>")[0]
    for word in ("C", "AP", "air", "S", "10.0.2.1", "TCP C → S"):
        assert f">{word}</text>" in section
    first = read_folder(folder).results[0].id
    assert f"It is that of {first}; others differ by device." in section, "tsq is not of it"
    assert 'fill="var(--ink, #202124)"' in section
    assert 'fill="var(--raised, #f5f6f8)"' in section
    assert not re.search(r'(fill|stroke)="#', section), "the page governs all colours"
    assert len(Page(text).ids) == len(set(Page(text).ids))


def test_it_is_a_file_too(made):
    _, folder = made
    svg = (folder / "plots" / "testbed.svg").read_text()
    assert svg.startswith("<svg ")
    assert "var(" not in svg
    assert "prefers-color-scheme" in svg


def test_nothing_is_said_of_what_does_not_differ(tmp_path):
    folder = results(tmp_path) / "cotsq-3"
    picture = picture_of(read_folder(folder))
    assert picture.varies == ()
    assert "It is that of" not in make_report(folder).read_text()


def test_a_page_without_specifications_has_no_picture(tmp_path):
    folder = written(tmp_path, MATRIX[:1], plots=[])
    assert picture_of(read_folder(folder)) is None
    assert 'id="testbed"' not in make_report(folder).read_text()


def test_a_large_testbed_is_left_to_show(made, monkeypatch):
    monkeypatch.setattr(on_page, "NODES_MAX", 2)
    assert picture_of(read_folder(made[1])) is None


def test_what_would_not_run_today_is_no_reason_to_fail(tmp_path):
    folder = read_folder(results(tmp_path) / "cotsq-3")
    cell = folder.results[0]
    wire = cell.device.ethernet  # a layout of radios has no place for it
    object.__setattr__(cell, "device", wire)
    assert picture_of(folder) is None
