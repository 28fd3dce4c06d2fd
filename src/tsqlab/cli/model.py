# SPDX-License-Identifier: GPL-2.0-or-later
"""``tsqlab model``: closed forms of the radio and of the papers, without a guest."""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tsqlab import units
from tsqlab.cli import count_to
from tsqlab.errors import UsageError

if TYPE_CHECKING:
    from tsqlab.model.phy import Rate

_UDP_IP_BYTES = 28
_PACING = (1.2, 1.6)  # the values of the aggregating paper
_LIMITS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 400)


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    _add_airtime(actions)
    _add_aggregation(actions)


def _add_airtime(actions: Any) -> None:
    airtime = actions.add_parser(
        "airtime", help="one station's exchange, part by part, and its goodput"
    )
    airtime.add_argument("--standard", choices=("legacy", "HT", "VHT", "HE"), default="HT")
    airtime.add_argument("--mbps", type=int, default=54, help="a legacy rate: 6 to 54")
    airtime.add_argument("--width", type=int, default=20, metavar="MHZ")
    airtime.add_argument("--streams", type=int, default=1)
    airtime.add_argument("--mcs", type=int, default=7, help="from 0 on for each number of streams")
    airtime.add_argument("--gi", type=int, default=800, metavar="NS", help="guard interval")
    airtime.add_argument("--band", choices=("5", "2.4"), default="5", metavar="GHZ")
    airtime.add_argument("--ac", choices=("BK", "BE", "VI", "VO"), default="BE")
    airtime.add_argument("--rts", action="store_true", help="RTS and CTS before each PPDU")
    airtime.add_argument("--ccmp", action="store_true", help="encrypted")
    airtime.add_argument("--ip-bytes", type=count_to(65535), default=1500, metavar="BYTES")
    airtime.add_argument(
        "--subframes", type=count_to(256), help="MPDUs in the PPDU (default: the most that fit)"
    )
    airtime.set_defaults(command=_airtime)


def _add_aggregation(actions: Any) -> None:
    aggregation = actions.add_parser(
        "aggregation", help="the aggregating paper's goodput and RTT under a limit of t packets"
    )
    aggregation.add_argument("--rate", type=_rate, default=216_000_000, help='"216 Mbit/s", 216M')
    aggregation.add_argument("--access", type=_time, default=500_000, help='t_oh: "0.5 ms"')
    aggregation.add_argument("--base-rtt", type=_time, default=2_500_000, help='"2.5 ms"')
    aggregation.add_argument("--aggregate", type=_time, default=4_000_000, help='largest: "4 ms"')
    aggregation.add_argument("--backlog", type=_share, default=0.8, help="c, the backlog factor")
    aggregation.add_argument("--pacing", type=_positive, nargs="+", default=_PACING, metavar="P")
    aggregation.add_argument(
        "--limits", type=count_to(1_000_000), nargs="+", default=_LIMITS, metavar="T"
    )
    aggregation.add_argument("--csv", action="store_true", help="commas, for a program")
    aggregation.set_defaults(command=_aggregation)


def _airtime(options: argparse.Namespace) -> None:
    from tsqlab.model import band, edca, mac  # noqa: PLC0415  (keeps --help quick)
    from tsqlab.model.exchange import Settings, exchange  # noqa: PLC0415

    if options.ip_bytes <= _UDP_IP_BYTES:
        raise UsageError(f"--ip-bytes {options.ip_bytes}: an IP packet of UDP has 29 bytes or more")
    where = band.GHZ_5 if options.band == "5" else band.GHZ_2_4
    try:
        rate = _phy_rate(options)
        mpdu = mac.mpdu_bytes(options.ip_bytes, ccmp=options.ccmp)
        fits = mac.largest_aggregate(rate, mpdu)
        subframes = options.subframes or fits
        if subframes > fits:
            raise UsageError(f"--subframes {subframes}: no more than {fits} fit, at {rate}")
        settings = Settings(edca.STATION[options.ac], where, options.rts, subframes)
        parts = exchange(rate, mpdu, subframes, settings)
    except ValueError as error:
        raise UsageError(str(error)) from error
    psdu = mac.psdu_bytes(rate.standard, mpdu, subframes)
    print(f"{rate}, {where.name}")
    print(f"{_count(subframes, 'MPDU')} of {mpdu} bytes, PSDU of {psdu} bytes")
    for name, ns in (
        ("AIFS", parts.aifs_ns),
        ("mean backoff", parts.backoff_ns),
        ("RTS, CTS", parts.protection_ns),
        ("PPDU", parts.ppdu_ns),
        ("SIFS", parts.sifs_ns),
        ("ACK" if subframes == 1 else "block ack", parts.response_ns),
        ("exchange", parts.total_ns),
    ):
        if ns:
            print(f"  {name:14}{ns / 1000:10.1f} us")
    goodput = parts.goodput_bit_per_s((options.ip_bytes - _UDP_IP_BYTES) * subframes)
    print(f"UDP goodput {goodput / 1e6:.2f} Mbit/s, {goodput / rate.bit_per_s:.1%} of the rate")


def _phy_rate(options: argparse.Namespace) -> Rate:
    from tsqlab.model.phy import Rate  # noqa: PLC0415  (keeps --help quick)

    if options.standard == "legacy":
        return Rate.legacy(options.mbps)
    return Rate(options.standard, options.width, options.streams, options.mcs, options.gi)


def _count(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _aggregation(options: argparse.Namespace) -> None:
    from tsqlab.model import aggregation as model  # noqa: PLC0415  (keeps --help quick)

    rows: list[Sequence[float]] = []
    for pacing in options.pacing:
        parameters = model.Parameters(
            rate_bit_per_s=options.rate,
            access_ns=options.access,
            rtt_base_ns=options.base_rtt,
            aggregate_max_ns=options.aggregate,
            pacing=pacing,
            backlog=options.backlog,
        )
        columns = (
            model.packets_in_card(options.limits, parameters),
            model.goodput_bit_per_s(options.limits, parameters) / 1e6,
            model.rtt_ns(options.limits, parameters) / 1e6,
        )
        rows += [(pacing, *row) for row in zip(options.limits, *columns, strict=True)]
    if options.csv:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(("pacing", "limit_packets", "packets_in_card", "goodput_mbps", "rtt_ms"))
        writer.writerows((p, t, f"{k:.6g}", f"{g:.6g}", f"{r:.6g}") for p, t, k, g, r in rows)
        return
    full = model.Parameters(rate_bit_per_s=options.rate, aggregate_max_ns=options.aggregate)
    print(f"largest aggregate: {_count(int(full.aggregate_max_packets), 'packet')}")
    print(f"{'pacing':>6}{'t':>6}{'k':>10}{'goodput':>10}{'RTT':>10}")
    print(f"{'':22}{'Mbit/s':>10}{'ms':>10}")
    for pacing, limit, packets, goodput, rtt in rows:
        print(f"{pacing:6g}{limit:6}{packets:10.2f}{goodput:10.2f}{rtt:10.2f}")


def _argument(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    """An argument's type: what *parse* raises becomes argparse's own error."""

    def convert(text: str) -> Any:
        try:
            return parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return convert


def _short_rate(text: str) -> int:
    """A rate as everywhere, or as tc(8) and the papers write it: 216M."""
    rate = units.Rate.of(f"{text}bit/s" if text[-1:] in ("k", "M", "G") else text)
    if not rate:
        raise ValueError("expected a rate above 0")
    return rate


def _number(text: str, most: float, accepted: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0 < value <= most:
        raise ValueError(f"expected {accepted}, not {text!r}")
    return value


_rate = _argument(_short_rate)
_time = _argument(units.Duration.of)
_share = _argument(lambda text: _number(text, 1, "a number above 0 and up to 1"))
_positive = _argument(lambda text: _number(text, 1000, "a number above 0"))
