# SPDX-License-Identifier: GPL-2.0-or-later
"""Whose profile a radio has, and at which rate it sends: what its medium, or itself, is said to."""

from __future__ import annotations

from tsqlab.airlink.rates import kbps, parse_rate
from tsqlab.experiment.profile import MINSTREL, Airlink, Others
from tsqlab.experiment.testbed.graph import Medium, Member, Role


def own_radio(usual: Airlink, member: Member, others: Others) -> Airlink:
    """The profile of a radio on a medium whose stations have the *usual* one."""
    if member.device is not None:
        own = others[member.device]
        assert isinstance(own, Airlink), "checked"
        return own
    return (usual.access_point or usual) if member.role == Role.AP else usual


def rate_text(medium: Medium, member: Member, usual: Airlink, others: Others) -> str:
    """The rate of data that a station sends and gets, or an access point sends where none differs.

    It is the slower of the station's and its access point's own, unless a rate is given. Rate
    control goes no higher than that.
    """
    if given := member.rate or (medium.rate if medium.rate != MINSTREL else None):
        return given
    own = own_radio(usual, member, others)
    if member.access_point:
        sides = (own, own_radio(usual, medium.at(member.access_point), others))
    else:
        sides = (usual, own)
    return min((side.rate for side in sides), key=lambda rate: kbps(parse_rate(rate)))
