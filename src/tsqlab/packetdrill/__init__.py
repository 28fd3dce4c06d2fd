# SPDX-License-Identifier: GPL-2.0-or-later
"""packetdrill's scripts in virtual time: each in a guest of its own, over one kernel or several.

A script says which packets a TCP sends and when. On a real machine it is held against a clock that
anything may hold up, so scripts have tolerances and fail now and then all the same. In a guest
nothing holds the clock up. packetdrill itself and its scripts are the user's, and stay as they are.
"""
