# SPDX-License-Identifier: GPL-2.0-or-later
"""The comments of a profile, by the keys that they are about."""

import pytest

from tsqlab.experiment.bundled import bundled_profiles
from tsqlab.experiment.sources import sources
from tsqlab.experiment.toml import read_toml

TEXT = """\
# What it is.
title = "a # in a text"       # not a comment
bus_bytes = "1 kB"  # a guess
  # that goes on
density = '8 us'
# ppdu_tries, frame_tries: closed, and
# nobody says

# Host and device: a heading
rate = "x"   # last
# A remark of its own.

[edca]
VO = { cw_min = 1 }           # halved
BE.cw_max = 5                 # kept
"""


def test_a_comment_is_of_the_key_that_it_stands_by():
    assert sources(TEXT, ["ppdu_tries", "frame_tries"]) == {
        "title": "not a comment",
        "bus_bytes": "a guess that goes on",
        "density": "",
        "ppdu_tries": "closed, and nobody says",
        "frame_tries": "closed, and nobody says",
        "rate": "last",
        "edca.VO": "halved",
        "edca.BE.cw_max": "kept",
    }


@pytest.mark.parametrize("name", bundled_profiles())
def test_every_number_of_a_bundled_profile_has_a_source_to_show(name):
    file = read_toml(bundled_profiles()[name])
    said = sources(file.text, ())
    bare = {key for key, value in file.tables.items() if key in said and not said[key]}
    assert bare <= {"kind", "title", "front", "band", "line_rate"}
