# SPDX-License-Identifier: GPL-2.0-or-later
"""Access points with saturated stations, as lines for a guest's plan.

Each BSS is on a medium of its own, so that many are measured in one boot. Every station sends
UDP datagrams of 1500 bytes of IP as fast as its socket takes them; what is compared is what the
radios count between two instants.
"""

from dataclasses import dataclass, field

from tsqlab.airlink import messages
from tsqlab.airlink.messages import Edca, Link, PhyRate, Radio
from tsqlab.airlink.uapi import Phy, ProfileAttribute
from tsqlab.guest.plan import Plan
from tsqlab.guest.testbed import radio_lines
from tsqlab.model.phy import Rate
from tsqlab.results.measurement import read_table

MS = 10**6
START_NS, WARM_UP_NS, STEP_NS = 10_000 * MS, 200 * MS, 10 * MS
PAYLOAD_BYTES, IP_BYTES = 1472, 1500
ACCESS_POINT = 254
TOS = {"VO": 0xC0, "VI": 0xA0, "BE": 0x00, "BK": 0x20}  # CS6, CS5, CS0 and CS1
ONE_PPDU = [Edca(ac, txop_us=0) for ac in (0, 1)]  # VO and VI send one at a time, as BE and BK do


@dataclass(frozen=True)
class Bss:
    """What stands on one medium."""

    rate: Rate
    aggregate_frames: int = 1
    stations: int = 1
    profile: dict[ProfileAttribute, int] = field(default_factory=dict)
    loss_ppb: int | None = None  # from station to access point
    band: int = 5
    deaf: bool = False  # whether the stations hear the access point only
    seed: int = 1
    categories: tuple[str, ...] = ()  # which one each station sends in; none: best effort
    rates: tuple[Rate, ...] = ()  # each station's, and its access point's to it; none: rate
    down: bool = False  # whether it is the access point that sends, to all stations

    @property
    def settings(self):
        """The profile of all its radios."""
        return {
            ProfileAttribute.AGGREGATE_FRAMES: self.aggregate_frames,
            ProfileAttribute.AGGREGATES_AHEAD: 2,
            ProfileAttribute.SINGLES_AHEAD: 8,
            **self.profile,
        }

    def rate_of(self, number):
        """A radio's own rate."""
        return self.rate if number == ACCESS_POINT or not self.rates else self.rates[number - 1]

    def tos(self, number):
        """The IPv4 TOS byte of a station's datagrams."""
        return TOS[self.categories[number - 1]] if self.categories else TOS["BE"]


def address(number):
    return f"02:00:00:00:00:{number:02x}"


def device(medium, number):
    return f"a{medium}" if number == ACCESS_POINT else f"w{medium}.{number}"


def phy_rate(rate):
    return PhyRate(
        Phy[rate.standard.upper()], rate.mcs, rate.streams, rate.width_mhz, rate.gi_ns
    )  # fmt: skip


def genl(node, message):
    return "\t".join(radio_lines.genl(node, message))


def watch(node, series, medium, address):
    return "\t".join(radio_lines.watch(node, series, medium, address))


def measure(guest, bsses, seconds):
    """Run all *bsses* at once, each for so many of the *seconds*; each station's counts in it."""
    return counts(guest(plan=plan(bsses, seconds)), bsses, seconds)


def plan(bsses, seconds, step_ns=STEP_NS):
    """The plan; all count every *step_ns*."""
    lengths_ns = _lengths_ns(seconds)
    end_ns = START_NS + WARM_UP_NS + max(lengths_ns)
    lines = [
        "module\t/tsqlab/modules/airlink.ko",
        f"write\t-\t/proc/sys/net/core/wmem_default\t{_send_buffer_bytes(bsses)}",
    ]
    flows, batches = [], {}
    for medium, (bss, length_ns) in enumerate(zip(bsses, lengths_ns, strict=True), 1):
        lines += _set_up(medium, bss, batches)
        flows += _flows(medium, bss, START_NS + WARM_UP_NS + length_ns)
    clock = f"clock\t{START_NS + WARM_UP_NS}\t{step_ns}\t{end_ns}"
    return Plan(words(lines), words([clock, *flows, "end"]), batches)


def words(lines):
    """Lines of a plan that a test writes with tabs between their words."""
    return tuple(line.split("\t") for line in lines)


def counts(out, bsses, seconds):
    """Each station's counts in its BSS's seconds, from what the guest wrote."""
    return [
        [_counts(out, medium, number, length_ns) for number in range(1, bss.stations + 1)]
        for medium, (bss, length_ns) in enumerate(zip(bsses, _lengths_ns(seconds), strict=True), 1)
    ]


def _lengths_ns(seconds):
    return [max(1, round(length * 100)) * STEP_NS for length in seconds]


def _send_buffer_bytes(bsses):
    """Of a socket: all that a radio's sockets hold has room in it, so that they block."""
    return 4_000_000 // max(2 * bss.stations if bss.down else 1 for bss in bsses)


def _set_up(medium, bss, batches):
    numbers = (ACCESS_POINT, *range(1, bss.stations + 1))
    yield genl("-", messages.new_medium(medium, bss.band, bss.seed))
    for number in numbers:
        node = device(medium, number)
        ours = f"10.{medium}.0.{number}/24"
        others = [n for n in numbers if n != number]
        batches[f"{node}.ip"] = "".join(
            [
                f"address add {ours} dev {node}\nlink set {node} up\n",
                *(
                    f"neigh add 10.{medium}.0.{n} lladdr {address(n)} dev {node}\n"
                    for n in others
                    if ACCESS_POINT in (n, number)
                ),
            ]
        )
        yield f"run\t-\tip\tnetns\tadd\t{node}"
        made = Radio(
            medium,
            address(number),
            node,
            access_point="" if number == ACCESS_POINT else address(ACCESS_POINT),
            rate=phy_rate(bss.rate_of(number)),
            profile=bss.settings,
        )
        yield genl(node, messages.new_radio(made))
        for edca in ONE_PPDU if bss.categories else ():
            yield genl(node, messages.set_radio(medium, address(number), edca=edca))
        yield f"run\t{node}\tip\t-batch\t/tsqlab/plan/{node}.ip"
    for number in numbers[1:]:
        if bss.loss_ppb is not None:
            link = Link(medium, address(number), address(ACCESS_POINT), loss_ppb=bss.loss_ppb)
            yield genl("-", messages.set_link(link))
        if bss.rates:
            rate = phy_rate(bss.rate_of(number))
            link = Link(medium, address(ACCESS_POINT), address(number), rate=rate)
            yield genl("-", messages.set_link(link))
        if bss.deaf:
            for other in numbers[1:]:
                if other != number:
                    link = Link(medium, address(number), address(other), hears=False)
                    yield genl("-", messages.set_link(link))


def _flows(medium, bss, end_ns):
    for number in range(1, bss.stations + 1):
        node, port = device(medium, number), 5000 + number
        receiver, sender = (number, ACCESS_POINT) if bss.down else (ACCESS_POINT, number)
        to, tos = f"10.{medium}.0.{receiver}", bss.tos(number)
        words = f"{to}\t{port}\t{tos}\t{PAYLOAD_BYTES}\t0\t{START_NS}\t{end_ns}"
        yield f"udp\t{device(medium, receiver)}\t{node}-recv\trecv\t{words}"
        yield f"udp\t{device(medium, sender)}\t{node}-send\tsend\t{words}"
        yield watch(node, node, medium, address(number))


def _counts(out, medium, number, length_ns):
    table = read_table(out / f"{device(medium, number)}.tsv")
    last = int((table["t_ns"] == length_ns).argmax())
    return {name: int(values[last] - values[0]) for name, values in table.items()}
