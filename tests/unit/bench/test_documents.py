# SPDX-License-Identifier: GPL-2.0-or-later
"""Results are the same, or it is said where they differ first."""

import copy

import pytest

from documents import difference

DOCUMENT = {
    "results": {"TCP upload": [1.0, None, 2.5]},
    "metadata": {"TSQLAB": {"kernel": {"id": "a", "release": "6.12.117"}, "key": ""}},
}


def changed(path, value):
    document = copy.deepcopy(DOCUMENT)
    *way, last = path
    place = document
    for key in way:
        place = place[key]
    place[last] = value
    return document


def test_only_what_says_which_build_it_was_may_differ():
    other = changed(["metadata", "TSQLAB", "kernel", "id"], "b")
    assert difference(DOCUMENT, other) is None
    other = changed(["metadata", "TSQLAB", "kernel", "release"], "6.12.118")
    assert difference(DOCUMENT, other) == (
        "metadata.TSQLAB.kernel.release is '6.12.117' before, and '6.12.118' after"
    )


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (["results", "TCP upload", 2], 2.6, "results.TCP upload.2 is 2.5 before, and 2.6 after"),
        # As JSON they are other bytes, though Python calls them equal.
        (["results", "TCP upload", 0], 1, "results.TCP upload.0 is 1.0 before, and 1 after"),
        (["results", "TCP upload"], [1.0], "results.TCP upload has 3 entries before, and 1 after"),
        (["results", "Ping"], [], "results.Ping is only there after"),
        (["results"], None, "results is {'TCP upload': [1.0, None, 2.5]} before, and None after"),
    ],
)
def test_the_first_difference_is_named(path, value, said):
    assert difference(DOCUMENT, changed(path, value)) == said


def test_what_is_gone_is_named():
    assert difference({"a": 1, "b": 2}, {"b": 3}) == "a is only there before"
