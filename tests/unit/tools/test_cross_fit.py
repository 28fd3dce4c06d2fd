# SPDX-License-Identifier: GPL-2.0-or-later
"""How a fit is judged: by claims that it was not made for."""

from cross_fit import UNKNOWNS, Unknown, best, bundled_us, count, halves, report

NAMES = ("a", "b", "c", "d")
TRIED = {
    100: {"a": True, "b": False, "c": False, "d": True},
    200: {"a": True, "b": True, "c": True, "d": False},
    300: {"a": True, "b": False, "c": True, "d": False},
}
UNKNOWN = Unknown("card.delay", (100, 200, 300), {"delay": 0, "other": 25}, (), "card")


def test_halves_have_every_other_claim():
    assert halves(("c", "a", "d", "b", "e")) == (["a", "c", "e"], ["b", "d"])


def test_the_best_value_is_in_the_middle_of_those_that_are_as_good():
    assert best(TRIED, NAMES) == 200
    assert best(TRIED, ("a",)) == 200
    assert best(TRIED, ("d",)) == 100
    assert count(TRIED[200], ("a", "d", "of another card")) == 1


def test_each_half_judges_what_was_fitted_to_the_other():
    """To a and c 200 us is fitted, or 300: the lower of two. To b and d 100 or 200."""
    table, *lines = report(UNKNOWN, TRIED, 300)
    assert "| 200 us | 3 | 2 | 1 |" in table.splitlines()
    judged = "us, with which 1 of the 2 others hold; with the profile's 300 us"
    assert lines[-4:] == [
        f"fitted to one half: 200 {judged} 0",
        f"fitted to the other: 100 {judged} 2",
        "fitted to all: 200 us",
        "claims that it moves: b, c, d",
    ]


def test_what_hangs_on_the_number_moves_with_it():
    assert UNKNOWN.options(100) == ['profile.delay="100 us"', 'profile.other="125 us"']


def test_the_profile_s_own_value_is_among_those_that_are_tried():
    assert [bundled_us(unknown) in unknown.values_us for unknown in UNKNOWNS] == [True, True]
