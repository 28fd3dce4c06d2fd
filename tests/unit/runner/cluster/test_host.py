# SPDX-License-Identifier: GPL-2.0-or-later
"""What a result depends on of a machine, and how a machine is refused that differs."""

import pytest

from tsqlab import __version__
from tsqlab.runner.cluster.host import about_host, why_refused


def test_a_machine_is_told_by_its_sources_programs_and_libraries():
    about = about_host(("ip", "tc"))
    assert about["tsqlab"] == __version__
    assert {"the sources of tsqlab", "the machine", "Python", "numpy", "zlib", "guests' ip",
            "guests' tc"} <= set(about)  # fmt: skip
    assert "guests' hostapd" not in about, "which only cells with radios run"


def test_the_same_machine_is_not_refused():
    assert why_refused(dict(about_host(("ip",))), about_host(("ip",))) == ""


@pytest.mark.parametrize(
    ("there", "why"),
    [
        ({"a": "1"}, "zlib is missing there, and 1.2 here"),
        ({"zlib": "1.3", "a": "1"}, "zlib is 1.3 there, and 1.2 here"),
        ({"zlib": "1.2", "a": "1", "guests' x": "1"},
         "its guests would run other programs or libraries: x"),
        ({"zlib": "1.2", "a": "1", **{f"guests' {n}": "1" for n in range(7)}},
         "its guests would run other programs or libraries: 0, 1, 2, 3, 4 and 2 more"),
    ],
)  # fmt: skip
def test_what_differs_is_said(there, why):
    assert why_refused(there, {"zlib": "1.2", "a": "1"}) == why
