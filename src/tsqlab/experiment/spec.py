# SPDX-License-Identifier: GPL-2.0-or-later
"""What an experiment specifies: the one schema of its file.

Every key has a unit in its value or none at all, a default where most experiments share it,
and a comment. Unknown keys are errors. Bare key names are unique across tables, so that
``[matrix]`` and ``--set`` can say ``qdisc`` for ``testbed.qdisc``.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    model_validator,
)

from tsqlab import topology
from tsqlab.experiment.before import Before, time_before
from tsqlab.experiment.bounds import KeyedError, between, one_of
from tsqlab.experiment.capture import SNAP_LENGTH, Captures, check_captures
from tsqlab.experiment.cycle import CycleText
from tsqlab.experiment.era import ERAS, TODAY, Offloads
from tsqlab.experiment.flow_table import FlowTables, check_flows, is_flow_key
from tsqlab.experiment.flows import (
    TESTS,
    Flow,
    Probe,
    Traffic,
    own_traffic,
    period_ns,
    traffic,
)
from tsqlab.experiment.invalid import shown
from tsqlab.experiment.profile import DataRateText
from tsqlab.experiment.shown import Report
from tsqlab.experiment.sysctl import SysctlName, SysctlValue, check_sysctls
from tsqlab.experiment.tsq import Tsq, TsqSetting
from tsqlab.topology import UP_TO_ROUTER, UP_TO_SERVER, WIFI, WIRED, WIRED_EGRESSES
from tsqlab.units import BASE_UNITS, Decibel, Duration, Fraction, Rate, Size

QDISCS = ("pfifo_fast", "pfifo", "bfifo", "fq_codel", "fq", "cake", "codel", "pie", "fq_pie",
          "sfq", "red", "netem")  # fmt: skip
STATIONS_MAX = 250  # a block of addresses, and a medium, have room for this many

STEPS_MAX = 100_000
"""How many sampling periods a cell may have."""

SAMPLES_MAX = 1_000_000
"""How many samples a cell may have, of all that is sampled. A worker takes about a kilobyte of the
host's memory for each when it writes the result."""

MEMORY_MAX = "3 GiB"
"""The memory that a guest may have. It is a file, of up to 4 GiB in the sandbox, which is longer
than the memory by a gap behind the kernel's image (200 to 600 MiB)."""

LAYOUTS: dict[str, dict[str, Any]] = {
    WIRED: {"device": "gigabit"},
    WIFI: {"device": "ath9k_htc"},
}
"""The layouts, and what is different by default in each."""

_KEYS_OF_LAYOUTS = {
    WIRED: ("bottleneck",),
    WIFI: ("server", "stations", "rate", "rts", "loss", "snr"),
}
# What a single station cannot have otherwise: each looks like what could be a table of stations.
_OF_ALL_STATIONS = ("device", "rate", "rts", "loss", "snr")
# The name that WIFI had before 0.1.0, though it has downloads, too.
_OLD_LAYOUTS = {"wifi-upload": WIFI}
_BOTTLENECK = re.compile(r"(LR|L|R)([0-9]{1,6})M")
_SHAPED_SIDES = {"L": UP_TO_ROUTER, "R": UP_TO_SERVER}
# LR has the limits of a wireline card.
_SPEEDS_MBPS = {"L": (1, 100_000), "R": (1, 100_000), "LR": (10, 100_000)}
KERNEL_CHARGES = Size(0)  # the truesize that a file calls "kernel"
_BASE_RTT_MAX = Duration.of("20 s")  # a wireline link delays a frame by 10 s at most


def _era_text(value: object) -> object:
    """An era's name where a number was written: --set era=4.13 has no quotes.

    5.10 is the number 5.1, then, which is no era.
    """
    if not isinstance(value, float):
        return value
    return next((name for name in (f"{value}", f"{value}0") if name in ERAS), f"{value}")


def _check_qdisc(text: str) -> str:
    kind = text.partition(" ")[0]
    if kind not in QDISCS:
        raise ValueError(f'no qdisc "{kind}"; there are {", ".join(QDISCS)}')
    if not re.fullmatch(r"[\w .%/-]{1,200}", text):
        raise ValueError(f"options of a qdisc are words as tc takes them, not {shown(text)}")
    return text


def _check_bottleneck(text: str) -> str:
    match = _BOTTLENECK.fullmatch(text)
    if not match or not _SPEEDS_MBPS[match[1]][0] <= int(match[2]) <= _SPEEDS_MBPS[match[1]][1]:
        raise ValueError(
            f'"{text}" names no bottleneck; write L100M (HTB at the client), R100M (HTB at the '
            "router) or LR1000M (none: both links at that rate, of 10 to 100000 Mbit/s)"
        )
    return text


def _check_controls(text: str) -> str:
    if not re.fullmatch(r"[a-z0-9_]{1,15}(,[a-z0-9_]{1,15})*", text):
        raise ValueError(
            'expected names with commas between, as "cubic,bbr", each of up to 15 characters, '
            f"not {shown(text)}"
        )
    return text


def _check_pacing(text: str) -> str:
    if not re.fullmatch(r"\d\.\d{1,2}/\d\.\d{1,2}", text):
        raise ValueError(
            f'"{text}" is no pair of pacing ratios; write slow start\'s and the other, as "2.0/1.2"'
        )
    return text


def _check_changes(changes: dict[str, Any]) -> dict[str, Any]:
    """What a profile can say at all; the rest is known when the profile is read."""
    for key, value in changes.items():
        if isinstance(value, dict):
            try:
                _check_changes(value)
            except KeyedError as error:
                raise KeyedError([key, *error.where], str(error)) from None
        elif not isinstance(value, str | int):
            raise KeyedError([key], f"expected a text, a whole number or true, not {shown(value)}")
    return changes


def _check_base_rtt(rtt: Duration) -> Duration:
    if rtt.ns % 2 or rtt > _BASE_RTT_MAX:
        raise ValueError("expected an even number of ns, up to 20 s: half of it is each way")
    return rtt


def _truesize_word(value: object) -> object:
    return KERNEL_CHARGES if value == "kernel" else value


def _check_truesize(value: Size) -> Size:
    if value != KERNEL_CHARGES and not Size.of("1500 B") <= value <= Size.of("64 KiB"):
        raise ValueError('expected 1500 B to 64 KiB, or "kernel"')
    return value


PacingText = Annotated[str, AfterValidator(_check_pacing)]
Qdisc = Annotated[str, AfterValidator(_check_qdisc)]
Truesize = Annotated[Size, BeforeValidator(_truesize_word), AfterValidator(_check_truesize)]


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


_Delay = Annotated[Duration, between(Duration, "0 s", "60 s")]
_RateLimit = Annotated[Rate, between(Rate, "1 kbit/s", "100 Gbit/s")]


class Egress(_Table):
    """One direction of one link, as the sending side of it queues and delays."""

    rate: _RateLimit | None = (
        None  # HTB limits the egress to this rate; none: the device's line rate
    )
    qdisc: Qdisc | None = None  # the qdisc, below HTB if there is one; none: testbed.qdisc
    delay: _Delay = Duration(0)  # added by netem
    loss: Fraction = Fraction(0)  # the loss that netem adds, independent for each packet


class Testbed(_Table):
    """Where packets go, every node a network namespace (tsqlab.topology)."""

    __test__ = False  # tells pytest that this Test* is not a test

    layout: Annotated[str, one_of("layout", tuple(LAYOUTS))] = WIRED
    device: str = "gigabit"  # the profile of the network cards, or of the stations' radios
    # What the profile says otherwise here, key by key; [testbed.profile.access_point] is of the
    # profile that it names.
    profile: Annotated[dict[str, Any], AfterValidator(_check_changes)] = {}
    # None: both links at the device's own rate.
    bottleneck: Annotated[str, AfterValidator(_check_bottleneck)] | None = None
    # The qdisc at the bottleneck, at every egress when there is no bottleneck, or of the radios.
    # None is pfifo_fast on wires and fq_codel on a radio, or the queues of mac80211 itself.
    qdisc: Qdisc | None = None
    # The propagation delay of the link to the server; half of it applies in each direction.
    base_rtt: Annotated[Duration, AfterValidator(_check_base_rtt)] = Duration(0)
    mtu: Annotated[int, Field(ge=68, le=65535)] = 1500  # the size of the largest IP packet in bytes
    egress: dict[str, Egress] = {}
    sysctl: dict[str, dict[SysctlName, SysctlValue]] = {}

    # The node at the far end of all flows and pings. AP: there is no wire.
    server: Annotated[str, one_of("server", topology.SERVERS)] = topology.SERVER
    # How many there are; the streams take turns at them.
    stations: Annotated[int, Field(ge=1, le=STATIONS_MAX)] = 1
    # The rate of data frames, in both directions; none: the slower of both devices' rates.
    # "minstrel": whatever mac80211's rate control chooses up to that.
    rate: DataRateText | None = None
    # Frames longer than this begin with RTS/CTS; none: the profile's threshold.
    rts: Annotated[Size, between(Size, "0 B", "4294967295 B")] | None = None
    # The probability of losing an MPDU, in addition to what the SNR causes.
    loss: Fraction = Fraction(0)
    # The signal-to-noise ratio of every link; none: no noise.
    snr: Annotated[Decibel, between(Decibel, "0 dB", "100 dB")] | None = None

    @model_validator(mode="before")
    @classmethod
    def _of_its_layout(cls, data: Any, info: ValidationInfo) -> Any:
        if not isinstance(data, dict):
            return data
        written = data.get("layout", WIRED)
        if not isinstance(written, str):
            return data
        layout = _OLD_LAYOUTS.get(written, written)
        for key in _OF_ALL_STATIONS:
            if isinstance(data.get(key), dict):
                raise KeyedError(
                    [key], "expected one value, which all stations have (docs/model.md)"
                )
        # A stored specification has all keys; those of other layouts have their default values.
        stored = info.context and info.context.get(BASE_UNITS)
        for other, keys in _KEYS_OF_LAYOUTS.items():
            for key in keys if other != layout and layout in LAYOUTS else ():
                idle = [None, cls.model_fields[key].default] if stored else [None]
                if data.get(key) not in idle:
                    raise ValueError(f'"{key}" belongs to layout = "{other}"')
        return {**LAYOUTS.get(layout, {}), **data, "layout": layout}

    @model_validator(mode="after")
    def _names(self) -> Testbed:
        for name in self.egress:
            if name not in self.egresses:
                raise ValueError(f'no egress "{name}"; there are {", ".join(self.egresses)}')
        check_sysctls(self.sysctl, self.nodes)
        if self.base_rtt and self.server == topology.ACCESS_POINT:
            raise KeyedError(
                ["base_rtt"],
                'is of the wire to the server, and server = "AP" has none; '
                'expected [testbed.egress."AP>C"] with a delay',
            )
        return self

    @property
    def clients(self) -> tuple[str, ...]:
        """The nodes that flows go to and from, the server being at the other end."""
        return topology.clients(self.stations)

    @property
    def nodes(self) -> tuple[str, ...]:
        """All nodes."""
        return topology.nodes(self.layout, self.stations, self.server)

    @property
    def egresses(self) -> tuple[str, ...]:
        """Every node's sides, by whom it sends to there."""
        return topology.egresses(self.layout, self.stations, self.server)

    def shaped(self) -> dict[str, Egress]:
        """Each egress with the bottleneck's shorthand and the defaults filled in."""
        side, mbit_per_s = self._bottleneck()
        result = {}
        for name in WIRED_EGRESSES:
            own = self.egress.get(name, Egress())
            rate = own.rate
            if rate is None and name == _SHAPED_SIDES.get(side):
                rate = Rate.of(f"{mbit_per_s} Mbit/s")
            here = rate is not None or side == "LR"
            qdisc = own.qdisc or (here and self.qdisc) or "pfifo_fast"
            result[name] = own.model_copy(update={"rate": rate, "qdisc": qdisc})
        return result

    def line_rate(self, device_rate: Rate) -> Rate:
        """The line rate of the links, by which an LR bottleneck is made."""
        side, mbit_per_s = self._bottleneck()
        return Rate.of(f"{mbit_per_s} Mbit/s") if side == "LR" and mbit_per_s else device_rate

    def _bottleneck(self) -> tuple[str, int]:
        if self.bottleneck is None:
            return "LR", 0
        match = _BOTTLENECK.fullmatch(self.bottleneck)
        assert match, "validated"
        return match[1], int(match[2])


_Time = Annotated[Duration, between(Duration, "0 s", "1440 min")]


class Flows(_Table):
    """What is sent, and when."""

    test: Annotated[str, one_of("test", TESTS)] = "tcp_nup"  # the name that Flent gives the test
    streams: Annotated[int, Field(ge=1, le=1000)] = 1  # how many flows tcp_nup and tcp_ndown have
    length: _Time = Duration.of("60 s")  # how long the flows last
    # How long ping runs alone before the flows, and again after them.
    delay: _Time = Duration.of("5 s")
    step: _Time = Duration.of("100 ms")  # the sampling period, and the time between two pings
    # The payload rate of udp_flood; 0: as fast as the socket accepts data.
    udp_rate: Annotated[Rate, between(Rate, "0 bit/s", "100 Gbit/s")] = Rate(0)
    # The payload of a datagram.
    udp_size: Annotated[Size, between(Size, "8 B", "65507 B")] = Size(1472)

    @model_validator(mode="after")
    def _grid(self) -> Flows:
        if self.step < Duration.of("1 ms") or self.length <= 0:
            raise ValueError("length must be more than nothing, and step at least 1 ms")
        if self.length % self.step or self.delay % self.step:
            raise ValueError("length and delay must be multiples of step")
        if self.total // self.step > STEPS_MAX:
            raise KeyedError(
                ["length"],
                f"length and twice delay are {self.total // self.step} steps; "
                f"expected {STEPS_MAX} at most",
            )
        return self

    @property
    def total(self) -> Duration:
        """The time from the first ping to the last."""
        return Duration(self.length + 2 * self.delay)


class Sender(_Table):
    """How the sending side is set up."""

    # Several names are separated by commas; the streams take turns at them.
    congestion_control: Annotated[str, AfterValidator(_check_controls)] = "cubic"
    # on: what the devices have by themselves. off: one packet per skb, as the papers' kernels sent.
    # gso: what ethtool -K tso off gso off gro off leaves since commit 0a6b2a1dc2a2 ("tcp: switch to
    # GSO being always on") (in v4.17). None: as lab.era says of the device.
    offloads: Offloads | None = None
    # How many bytes TSQ counts for a packet. "kernel": what the guest's kernel charges. None: as
    # lab.era says of the device.
    truesize: Truesize | None = None
    # The ratio of the pacing rate to cwnd / RTT, in slow start and after it: "2.0/1.2" is stock.
    pacing: PacingText | None = None
    # PROBE_BW's cycle of the control bbr_cycle: "1.25/0.75/6", or "1.25/0.75/6 drain".
    cycle: CycleText | None = None
    tsq: TsqSetting = Tsq()  # the papers' names: TSQ, 4TSQ, CoTSQ, NoTSQ; or a table

    def pacing_ratios(self) -> dict[str, int | str]:
        """The sysctls of *pacing*, in percent; empty for stock."""
        if self.pacing is None:
            return {}
        ss, ca = (round(float(ratio) * 100) for ratio in self.pacing.split("/"))
        return {"net.ipv4.tcp_pacing_ss_ratio": ss, "net.ipv4.tcp_pacing_ca_ratio": ca}


class Lab(_Table):
    """The kernel and the machine of the guest."""

    # What the sending hosts did by themselves: those of the papers, or those of today.
    era: Annotated[str, BeforeValidator(_era_text), one_of("era", tuple(ERAS))] = TODAY
    kernel: str = "6.12"  # a version with patches in kernel/patches, or a name from kernel list
    hz: Literal[100, 250, 300, 1000] = 1000  # CONFIG_HZ of the guest
    # The guest's memory. The host spends only as much as the guest touches.
    memory: Annotated[Size, between(Size, "64 MiB", MEMORY_MAX)] = Size.of("512 MiB")
    # The seed of the guest's random numbers, and of the times when flows start.
    seed: Annotated[int, Field(ge=0, lt=1 << 63)] = 1
    # The tests that ran before in the same guest: "cubic 10 s".
    before: Before = ()
    # What is written beside a result as pcap: egresses, and the air.
    capture: Captures = ()
    # How much of each packet is in it. No packet of TCP is longer than 64 KiB.
    snap_length: Annotated[Size, between(Size, "64 B", "128 KiB")] = SNAP_LENGTH


class Spec(_Table):
    """One experiment without its matrix: what a single cell runs."""

    title: str
    paper: str = ""  # its short name in experiments/papers.toml, or any other text
    figure: str = ""
    testbed: Testbed = Testbed()
    flows: Flows = Flows()
    flow: FlowTables = ()  # what is sent in the place of a test
    sender: Sender = Sender()
    lab: Lab = Lab()
    report: Report = Report()

    @model_validator(mode="after")
    def _flows_of_its_own(self, info: ValidationInfo) -> Spec:
        stored = info.context and info.context.get(BASE_UNITS)  # which has all keys
        given = () if stored else self.flows.model_fields_set
        check_flows(self.flow, self.testbed.nodes, self.flows.length, self.flows.step, given)
        return self

    @model_validator(mode="after")
    def _affordable(self) -> Spec:
        traffic, flows = self.traffic(), self.flows
        series = len(traffic.flows) + len(traffic.probes) + len(self.testbed.egresses)
        if (samples := series * (flows.total // flows.step)) > SAMPLES_MAX:
            raise KeyedError(
                ["flows", "length"],
                f"{series} flows, pings and egresses have {samples} samples in all; "
                f"expected {SAMPLES_MAX} at most: fewer flows, a longer step, or less time",
            )
        return self

    @model_validator(mode="after")
    def _capturable(self) -> Spec:
        check_captures(self.lab.capture, self.testbed.layout, self.testbed.egresses)
        return self

    @model_validator(mode="after")
    def _repeatable(self) -> Spec:
        if self.lab.before and self.flow:
            raise KeyedError(["lab", "before"], "repeats a test, and [[flow]] is none")
        if self.lab.before and not any(flow.protocol == "tcp" for flow in self.traffic().flows):
            raise KeyedError(
                ["lab", "before"],
                f'repeats the test with other congestion controls, and test = "{self.flows.test}" '
                "has no TCP flow",
            )
        return self

    @property
    def total(self) -> Duration:
        """The virtual time that the cell takes: what runs before, and the measurement."""
        return Duration(time_before(self.lab.before) + self.flows.total)

    def traffic(self) -> Traffic:
        """The flows and probes of this cell."""
        if self.flow:
            controls, clients = self.sender.congestion_control, self.testbed.clients
            return own_traffic(self.flow, controls, clients)
        return self.traffic_of_test(self.sender.congestion_control)

    def traffic_of_test(self, congestion_control: str) -> Traffic:
        """The flows and probes of the test with any congestion control."""
        ends = self.testbed.clients, self.testbed.server
        return traffic(self.flows.test, self.flows.streams, congestion_control, *ends)

    def period_ns(self, sent: Flow | Probe) -> tuple[int, int]:
        """When a flow or a [[flow]] of pings starts and stops, from the measurement's start."""
        return period_ns(sent, self.lab.seed, self.flows.delay, self.flows.length)

    @property
    def hosts(self) -> frozenset[str]:
        """The nodes at which flows begin or end, as [sender] sets them up."""
        ends = (node for table in self.flow for node in (table.sender, table.receiver))
        return frozenset((*self.testbed.clients, self.testbed.server, *ends))

    @property
    def controls(self) -> tuple[str, ...]:
        """The congestion controls that a cell's flows may have, those of [sender] first."""
        own = (table.congestion_control for table in self.flow if table.congestion_control)
        return tuple(dict.fromkeys((*self.sender.congestion_control.split(","), *own)))

    def as_of(self, era: str) -> Spec:
        """The same over hosts of another era."""
        return self.model_copy(update={"lab": self.lab.model_copy(update={"era": era})})


TABLES: dict[str, type[_Table]] = {
    "testbed": Testbed,
    "flows": Flows,
    "sender": Sender,
    "lab": Lab,
}
"""The tables whose keys a matrix may vary."""


# The keys of [testbed] that are tables themselves.
_TABLES_OF_TESTBED = ("profile", "egress", "sysctl")


def bare_key(key: str) -> str:
    """A bare or dotted *key* without its table."""
    full = full_key(key) or key
    table, _, bare = full.partition(".")
    return bare if table in TABLES else full


def full_key(key: str) -> str | None:
    """The full name of a bare or dotted *key* that may vary, or None."""
    table, _, rest = key.partition(".")
    if is_flow_key(key):
        return key
    if rest and table in TABLES:
        first = rest.partition(".")[0]
        return key if first in TABLES[table].model_fields else None
    if rest:  # "profile.report_delay"
        return f"testbed.{key}" if table in _TABLES_OF_TESTBED else None
    for name, model in TABLES.items():
        if key in model.model_fields:
            return f"{name}.{key}"
    return None
