# SPDX-License-Identifier: GPL-2.0-or-later
"""The manual page says what the commands' help says, and is good roff."""

import shutil
import subprocess

import pytest

import manual
from tsqlab.cli import COMMANDS


def test_the_page_is_current():
    text = manual.PAGE.read_text("utf-8")
    assert text == manual.page(manual.date_of(text)), "run tools/manual.py"


def test_every_command_and_option_is_in_it():
    text = manual.PAGE.read_text("utf-8").replace("\\-", "-")
    for name in COMMANDS:
        assert f"\n.SS {name}\n" in text
    for part in (".SS kernel build\n", ".SS model airtime\n", "--more-seeds N", "130: interrupted",
                 "(default: 6.12, or what the source says)", "$XDG_CACHE_HOME"):  # fmt: skip
        assert " ".join(part.split()) in " ".join(text.split()), part


def test_what_only_heads_a_list_is_not_in_it():
    assert ".B ACTION" not in manual.PAGE.read_text("utf-8")


def test_a_text_that_looks_like_a_request_is_none():
    assert manual._text(".TH 'x' a-b \\n") == "\\&.TH \\(aqx\\(aq a\\-b \\en"
    assert manual._text(f"{'x' * 70} 'y'") == f"{'x' * 70}\n\\&\\(aqy\\(aq"


CHECKERS = {
    "mandoc": ["mandoc", "-T", "lint", "-W", "style"],
    "man": ["man", "--warnings=w", "--encoding=UTF-8", "--troff-device=utf8", "--local-file"],
    "groff": ["groff", "-man", "-ww", "-z"],
}


@pytest.mark.parametrize("name", CHECKERS)
def test_a_checker_has_nothing_to_say(name):
    if not shutil.which(name):
        pytest.skip(f"there is no {name}")
    done = subprocess.run([*CHECKERS[name], manual.PAGE], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    if name == "man":
        assert "tsqlab - The real Linux TCP stack" in done.stdout.replace("‐", "-")
    else:
        assert done.stdout == ""
