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
    BeforeValidator,
    Field,
    StrictBool,
    ValidationInfo,
    model_validator,
)

from tsqlab.experiment.before import Before, time_before
from tsqlab.experiment.bounds import KeyedError, between, one_of
from tsqlab.experiment.capture import SNAP_LENGTH, Captures, check_captures
from tsqlab.experiment.cycle import CycleText
from tsqlab.experiment.era import ERAS, TODAY, Offloads
from tsqlab.experiment.flow_table import CONTROL_NAME, FLOW, FLOW_KEYS, FlowTables, check_flows
from tsqlab.experiment.flows import (
    TESTS,
    Flow,
    Probe,
    Traffic,
    own_traffic,
    period_ns,
    traffic,
)
from tsqlab.experiment.handles import is_key_of
from tsqlab.experiment.invalid import shown
from tsqlab.experiment.modules import PARAMETERS, Modules, Parameters, check_parameters
from tsqlab.experiment.program_table import (
    PROGRAM,
    PROGRAM_KEYS,
    ProgramTables,
    check_programs,
)
from tsqlab.experiment.qdiscs import check_qdiscs
from tsqlab.experiment.shown import Report
from tsqlab.experiment.testbed import QDISCS, Egress, Table, Testbed
from tsqlab.experiment.testbed.written import KEPT_AS, NODES, gathered
from tsqlab.experiment.trace_events import Events
from tsqlab.experiment.tsq import Tsq, TsqSetting
from tsqlab.experiment.vary import VaryTables, check_vary
from tsqlab.units import BASE_UNITS, Duration, Rate, Size

__all__ = ["QDISCS", "TABLES", "Egress", "Flows", "Lab", "Sender", "Spec", "Testbed"]

STEPS_MAX = 100_000
"""How many sampling periods a cell may have."""

SAMPLES_MAX = 1_000_000
"""How many samples a cell may have, of all that is sampled. A worker takes about a kilobyte of the
host's memory for each when it writes the result."""

MEMORY_MAX = "3 GiB"
"""The memory that a guest may have. It is a file, of up to 4 GiB in the sandbox, which is longer
than the memory by a gap behind the kernel's image (200 to 600 MiB)."""

KERNEL_CHARGES = Size(0)  # the truesize that a file calls "kernel"


def _era_text(value: object) -> object:
    """An era's name where a number was written: --set era=4.13 has no quotes.

    5.10 is the number 5.1, then, which is no era.
    """
    if not isinstance(value, float):
        return value
    return next((name for name in (f"{value}", f"{value}0") if name in ERAS), f"{value}")


def _check_controls(text: str) -> str:
    if not re.fullmatch(f"{CONTROL_NAME}(,{CONTROL_NAME})*", text):
        raise ValueError(
            'expected names with commas between, as "cubic,bbr", each of up to 15 characters, '
            f"not {shown(text)}"
        )
    return text


def _check_pacing(text: str) -> str:
    ratios = re.fullmatch(r"(\d{1,2}\.\d{1,2})/(\d{1,2}\.\d{1,2})", text)
    if not ratios or any(float(ratio) > PACING_RATIO_MAX for ratio in ratios.groups()):
        raise ValueError(
            f'"{text}" is no pair of pacing ratios, of 10.00 at most; '
            'write slow start\'s and the other, as "2.0/1.2"'
        )
    return text


def _truesize_word(value: object) -> object:
    return KERNEL_CHARGES if value == "kernel" else value


def _check_truesize(value: Size) -> Size:
    if value != KERNEL_CHARGES and not Size.of("1500 B") <= value <= Size.of("64 KiB"):
        raise ValueError('expected 1500 B to 64 KiB, or "kernel"')
    return value


PACING_RATIO_MAX = 10
"""What the kernel takes: 1000 percent (tcp_pacing_ss_ratio in net/ipv4/sysctl_net_ipv4.c)."""

PacingText = Annotated[str, AfterValidator(_check_pacing)]
Truesize = Annotated[Size, BeforeValidator(_truesize_word), AfterValidator(_check_truesize)]


_Time = Annotated[Duration, between(Duration, "0 s", "1440 min")]


class Flows(Table):
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


class Sender(Table):
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
    # How much a packet of TCP's may hold for a device that splits it, or for the stack that does in
    # its place: gso_max_size of ip-link(8). None: as much as the device takes.
    gso_max_size: Annotated[Size, between(Size, "2 KiB", "64 KiB")] | None = None
    # The socket option TCP_TX_DELAY of those that send.
    tx_delay: Annotated[Duration, between(Duration, "1 us", "1 s")] | None = None
    # PROBE_BW's cycle of the control bbr_cycle: "1.25/0.75/6", or "1.25/0.75/6 drain".
    cycle: CycleText | None = None
    # Whether TCP asks for ECN, and marks its packets as able to be marked; "accurate": AccECN.
    ecn: StrictBool | Literal["accurate"] = False
    tsq: TsqSetting = Tsq()  # the papers' names: TSQ, 4TSQ, CoTSQ, NoTSQ; or a table

    def pacing_ratios(self) -> dict[str, int | str]:
        """The sysctls of *pacing*, in percent; empty for stock."""
        if self.pacing is None:
            return {}
        ss, ca = (round(float(ratio) * 100) for ratio in self.pacing.split("/"))
        return {"net.ipv4.tcp_pacing_ss_ratio": ss, "net.ipv4.tcp_pacing_ca_ratio": ca}


class Lab(Table):
    """The kernel and the machine of the guest."""

    # What the sending hosts did by themselves: those of the papers, or those of today.
    era: Annotated[str, BeforeValidator(_era_text), one_of("era", tuple(ERAS))] = TODAY
    kernel: str = "6.12"  # a version with patches in kernel/patches, or a name from kernel list
    hz: Literal[100, 250, 300, 1000] = 1000  # CONFIG_HZ of the guest
    # The guest's memory. The host spends only as much as the guest touches.
    memory: Annotated[Size, between(Size, "64 MiB", MEMORY_MAX)] = Size.of("512 MiB")
    # The seed of the guest's random numbers, and of the times when flows start.
    seed: Annotated[int, Field(ge=0, lt=1 << 63)] = 1
    # Folders of modules that are built against the kernel and loaded, in this order.
    modules: Modules = ()
    # What they are loaded with: parameters.NAME.PARAMETER.
    parameters: Parameters = Field({})
    # The tests that ran before in the same guest: "cubic 10 s".
    before: Before = ()
    # What is written beside a result as pcap: egresses, and the air.
    capture: Captures = ()
    # How much of each packet is in it. No packet of TCP is longer than 64 KiB.
    snap_length: Annotated[Size, between(Size, "64 B", "128 KiB")] = SNAP_LENGTH
    # The trace events of the guest's kernel that are written beside a result: "tcp:*".
    trace: Events = ()

    @model_validator(mode="after")
    def _of_modules(self) -> Lab:
        check_parameters(self.modules, self.parameters)
        return self


class Spec(Table):
    """One experiment without its matrix: what a single cell runs."""

    title: str
    paper: str = ""  # its short name in experiments/papers.toml, or any other text
    figure: str = ""
    testbed: Testbed = Testbed()
    flows: Flows = Flows()
    flow: FlowTables = ()  # what is sent in the place of a test
    vary: VaryTables = ()  # what links are like over time
    program: ProgramTables = ()  # what runs in nodes besides
    sender: Sender = Sender()
    lab: Lab = Lab()
    report: Report = Report()

    @model_validator(mode="before")
    @classmethod
    def _with_graph(cls, data: Any) -> Any:
        return gathered(data) if isinstance(data, dict) else data

    @model_validator(mode="after")
    def _qdiscs(self) -> Spec:
        check_qdiscs(self.testbed, self.lab.modules)
        return self

    @model_validator(mode="after")
    def _has_ends(self) -> Spec:
        if not self.testbed.ends and not self.flow:
            example = 'C = { server = "S" }'
            raise KeyedError(
                ["testbed", KEPT_AS[NODES]],
                f"expected a node with server =, where its flows go to: {example}; or [[flow]]",
            )
        return self

    @model_validator(mode="after")
    def _flows_of_its_own(self, info: ValidationInfo) -> Spec:
        stored = info.context and info.context.get(BASE_UNITS)  # which has all keys
        given = () if stored else self.flows.model_fields_set
        check_flows(self.flow, self.testbed.graph, self.flows.length, self.flows.step, given)
        return self

    @model_validator(mode="after")
    def _changes(self) -> Spec:
        lasts = Duration(self.flows.total - self.flows.delay)
        check_vary(self.vary, self.testbed.graph, lasts)
        return self

    @model_validator(mode="after")
    def _runs(self) -> Spec:
        check_programs(self.program, self.testbed.nodes, self.flows.delay, self.flows.length)
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
        testbed = self.testbed
        channels = [medium.name for medium in testbed.graph.media]
        check_captures(self.lab.capture, testbed.layout, testbed.egresses, channels)
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
        ends = [(ends.client, ends.server) for ends in self.testbed.ends]
        return traffic(self.flows.test, self.flows.streams, congestion_control, ends)

    def period_ns(self, sent: Flow | Probe) -> tuple[int, int]:
        """When a flow or a [[flow]] of pings starts and stops, from the measurement's start."""
        return period_ns(sent, self.lab.seed, self.flows.delay, self.flows.length)

    @property
    def hosts(self) -> frozenset[str]:
        """The nodes at which flows begin or end, or programs run, as [sender] sets them up."""
        of_test = (node for ends in self.testbed.ends for node in (ends.client, ends.server))
        own = (node for table in self.flow for node in (table.sender, table.receiver))
        return frozenset((*of_test, *own, *(table.node for table in self.program)))

    @property
    def controls(self) -> tuple[str, ...]:
        """The congestion controls that a cell's flows may have, those of [sender] first."""
        own = (table.congestion_control for table in self.flow if table.congestion_control)
        return tuple(dict.fromkeys((*self.sender.congestion_control.split(","), *own)))

    def as_of(self, era: str) -> Spec:
        """The same over hosts of another era."""
        return self.model_copy(update={"lab": self.lab.model_copy(update={"era": era})})


TABLES: dict[str, type[Table]] = {
    "testbed": Testbed,
    "flows": Flows,
    "sender": Sender,
    "lab": Lab,
}
"""The tables whose keys a matrix may vary."""


# The keys that are tables themselves, and the table that each is a key of.
_OF_TESTBED = ("profile", "egress", "sysctl", *KEPT_AS.values())
_HOME_OF_TABLES = {**dict.fromkeys(_OF_TESTBED, "testbed"), PARAMETERS: "lab"}

ARRAYS: dict[str, tuple[str, ...]] = {FLOW: FLOW_KEYS, PROGRAM: PROGRAM_KEYS}
"""The arrays of tables whose keys may vary, and which these are."""


def array_of(key: str) -> str:
    """The array of tables that a dotted *key* is of: "flow" of "flow.2.bytes"; or nothing."""
    return next((array for array, keys in ARRAYS.items() if is_key_of(key, array, keys)), "")


def bare_key(key: str) -> str:
    """A bare or dotted *key* without its table."""
    full = full_key(key) or key
    table, _, bare = full.partition(".")
    return bare if table in TABLES else full


def full_key(key: str) -> str | None:
    """The full name of a bare or dotted *key* that may vary, or None."""
    table, _, rest = key.partition(".")
    if array_of(key):
        return key
    if rest and table in TABLES:
        first = rest.partition(".")[0]
        return key if first in TABLES[table].model_fields else None
    if rest and table in KEPT_AS:  # "link.C-R.delay"
        return f"testbed.{KEPT_AS[table]}.{rest}"
    if rest:  # "profile.report_delay", "parameters.mycc.beta"
        home = _HOME_OF_TABLES.get(table)
        return f"{home}.{key}" if home else None
    for name, model in TABLES.items():
        if key in model.model_fields:
            return f"{name}.{key}"
    return None
