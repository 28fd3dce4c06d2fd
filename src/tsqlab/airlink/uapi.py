# SPDX-License-Identifier: GPL-2.0-or-later
"""kernel/modules/airlink/netlink/uapi.h in Python: a mirror, which a test holds against the header.

Each enumeration is one of the header's, its members in the header's order, without their
common prefix. What an attribute's value is stands in the header too.
"""

from __future__ import annotations

from enum import IntEnum

FAMILY = "airlink"
VERSION = 1

KERNEL_SHIFT = 0xFFFFFFFF
"""PACING_SHIFT's value for the one that a socket of this kernel has by itself."""


class Command(IntEnum):
    """AIRLINK_CMD_*."""

    UNSPEC = 0
    NEW_MEDIUM = 1
    DEL_MEDIUM = 2
    NEW_RADIO = 3
    DEL_RADIO = 4
    SET_RADIO = 5
    GET_RADIO = 6
    SET_LINK = 7
    NEW_SNIFFER = 8
    DEL_SNIFFER = 9


class Attribute(IntEnum):
    """AIRLINK_ATTR_*."""

    UNSPEC = 0
    MEDIUM = 1
    BAND = 2
    SEED = 3
    ADDRESS = 4
    NAME = 5
    FRONT = 6
    ACCESS_POINT = 7
    RATE = 8
    RATE_CONTROL = 9
    BEST_RATE = 10
    PROFILE = 11
    EDCA = 12
    PEER = 13
    LOSS = 14
    SNR = 15
    HEARS = 16
    STATS = 17
    PAD = 18
    ROLE = 19


class Front(IntEnum):
    """How a radio meets the network stack."""

    FULLMAC = 0  # an Ethernet-like device; the firmware does 802.11
    SOFTMAC = 1  # a mac80211 device


class Role(IntEnum):
    """Whom a fullmac radio exchanges frames with."""

    ACCESS_POINT = 0  # its stations
    STATION = 1  # its access point
    PEER = 2  # any other peer of the medium


class Phy(IntEnum):
    """What a rate belongs to."""

    LEGACY = 0
    HT = 1
    VHT = 2
    HE = 3


class RateAttribute(IntEnum):
    """AIRLINK_RATE_*."""

    UNSPEC = 0
    PHY = 1
    MCS = 2
    STREAMS = 3
    WIDTH = 4
    GI = 5


class ProfileAttribute(IntEnum):
    """AIRLINK_PROFILE_*; struct al_profile has a field of each name, in lower case."""

    UNSPEC = 0
    AGGREGATE_FRAMES = 1
    AGGREGATE_BYTES = 2
    AGGREGATE_US = 3
    WINDOW_FRAMES = 4
    AGGREGATES_AHEAD = 5
    SINGLES_AHEAD = 6
    AMSDU_FRAMES = 7
    AMSDU_BYTES = 8
    SUBFRAME_BYTES_MIN = 9
    DENSITY_NS = 10
    PPDU_TRIES = 11
    FRAME_TRIES = 12
    RTS_BYTES = 13
    DEVICE_QUEUES = 14
    DEVICE_FRAMES = 15
    HOST_FRAMES = 16
    RESUME_FRAMES = 17
    BUS_FRAMES = 18
    BUS_BYTES = 19
    BUS_TRANSFERS = 20
    BUS_MBPS = 21
    BUS_NS = 22
    REFILL_NS = 23
    REPORT_NS = 24
    REPORT_FRAMES = 25
    REPORT_WAIT_NS = 26
    RECEIVE_WAIT_NS = 27
    RECEIVE_WAIT_MAX_NS = 28
    PACING_SHIFT = 29
    RECEIVE_WITH_REPORTS = 30
    AQL = 31
    RECEIVE_FRAMES = 32


class EdcaAttribute(IntEnum):
    """AIRLINK_EDCA_*."""

    UNSPEC = 0
    AC = 1
    AIFSN = 2
    CW_MIN = 3
    CW_MAX = 4
    TXOP = 5


class StatsAttribute(IntEnum):
    """AIRLINK_STATS_*; stats.h says what each counts."""

    UNSPEC = 0
    PPDUS = 1
    PPDUS_FAILED = 2
    SUBFRAMES = 3
    FRAMES_ACKED = 4
    FRAMES_RETRIED = 5
    FRAMES_DROPPED = 6
    BYTES_ACKED = 7
    FRAMES_RECEIVED = 8
    RTS = 9
    TX_NS = 10
    BUSY_NS = 11
    HOST_FRAMES = 12
    BUS_FRAMES = 13
    DEVICE_FRAMES = 14
    SUBFRAMES_OF = 15
    LINKS = 16
    PAD = 17


class LinkAttribute(IntEnum):
    """AIRLINK_LINK_*."""

    UNSPEC = 0
    ADDRESS = 1
    AIRTIME_NS = 2
    PAD = 3


COUNTERS = tuple(
    attribute for attribute in StatsAttribute if 0 < attribute < StatsAttribute.SUBFRAMES_OF
)
"""The statistics that are a number each."""
