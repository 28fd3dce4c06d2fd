# SPDX-License-Identifier: GPL-2.0-or-later
"""Addresses become functions with their parts of the system, and stacks become a tree."""

import re
import xml.etree.ElementTree as ET

import pytest

from flame_svg import COLOURS, draw
from perfdata import Sample
from stacks import Node, Resolver, fold, pruned, shares
from symbols import HOST, PROGRAMS, UML, Function, Symbols, room_of, rooms_of
from tsqlab.paths import KERNEL_MODULES

GUEST = """\
0000000060001000 T do_idle
0000000060001100 t helper
0000000060001100 t alias_of_helper
0000000060001200 T tcp_ack
0000000060001300 D no_function
0000000080801000 t medium_due\t[airlink]
"""
ROOMS = {"do_idle": "sched, softirq, RCU", "tcp_ack": "TCP"}
HOSTS = """\
ffffffff81000100 T entry_SYSCALL_64_after_hwframe
ffffffff81000200 T do_syscall_64
ffffffff81000300 T __x64_sys_ptrace
ffffffff81000400 T perf_event_mmap
"""
SYSCALL = (0xFFFFFFFF81000310, 0xFFFFFFFF81000210, 0xFFFFFFFF81000110)
IDLE, HELPER = Function("do_idle", ROOMS["do_idle"]), Function("helper", "rest of the kernel")
TCP_ACK, MEDIUM = Function("tcp_ack", "TCP"), Function("medium_due", "airlink")
PTRACE = Function("ptrace", HOST)


@pytest.fixture
def resolver():
    agent = Symbols("0000000000401000 T tcp_send\n", {}, PROGRAMS)
    return Resolver(Symbols(GUEST, ROOMS), Symbols(HOSTS, {}, HOST), agent)


def sample(*user, host=(), program="linux", forked=False):
    return Sample(1, program, host, user, forked)


@pytest.mark.parametrize(
    ("address", "function"),
    [
        (0x60001000, IDLE),
        (0x600010FF, IDLE),
        (0x60001100, HELPER),
        (0x60001310, TCP_ACK),
        (0x80801004, MEDIUM),
        (0x60000FFF, None),  # before all
        (0x70000000, None),  # between the kernel and its modules
    ],
)
def test_an_address_is_in_the_function_that_begins_before_it(address, function):
    assert Symbols(GUEST, ROOMS).at(address) == function


def test_a_kernel_that_hides_its_addresses_has_no_functions():
    assert Symbols("0000000000000000 T a\n0000000000000000 t b\n", {}).at(0x10) is None


@pytest.mark.parametrize(
    ("path", "room"),
    [
        ("net/mac80211/rx.o", "mac80211"),
        ("net/ipv4/tcp_output.o", "TCP"),
        ("net/ipv4/ip_output.o", "IP, UDP"),
        ("net/socket.o", "net/core"),
        ("arch/x86/um/signal.o", UML),
        ("arch/x86/lib/memcpy_64.o", "lib: copies, checksums"),
        ("kernel/time/hrtimer.o", "timers"),
        ("kernel/softirq.o", "sched, softirq, RCU"),
        ("init/main.o", "rest of the kernel"),
    ],
)
def test_an_object_belongs_to_a_part(path, room):
    assert room_of(path) == room
    assert room in COLOURS


def test_every_module_has_a_colour():
    # No cell that is drawn loads bbrs.
    modules = {path.parent.name for path in KERNEL_MODULES.glob("*/Kbuild")} - {"bbrs"}
    assert len(modules) > 1
    assert modules <= set(COLOURS)


def test_a_name_that_two_parts_have_says_nothing():
    listed = [
        "net/ipv4/tcp_input.o:0000000000000010 t tcp_ack",
        "net/ipv4/tcp_input.o:0000000000000020 t arm",
        "kernel/time/hrtimer.o:0000000000000030 t arm",
        "kernel/time/hrtimer.o:                 U tcp_ack",
        "mm/slub.o:0000000000000040 d table",
    ]
    assert rooms_of(listed) == {"tcp_ack": "TCP"}


def test_a_return_address_behind_a_function_s_end_is_of_that_function(resolver):
    (stack,) = resolver.stacks([sample(0x60001200, 0x60001100)])
    assert stack == [IDLE, TCP_ACK]


def test_the_host_stands_on_the_guest_without_its_entries(resolver):
    (stack,) = resolver.stacks([sample(0x7FFF0000, 0x60001010, host=SYSCALL)])
    assert stack == [IDLE, PTRACE]


def test_what_perf_costs_is_left_out(resolver):
    assert list(resolver.stacks([sample(0x60001010, host=(0xFFFFFFFF81000410,))])) == []


def test_a_program_in_the_guest_has_its_innermost_function(resolver):
    programs = Function("programs in the guest", PROGRAMS)
    found = resolver.stacks(
        [sample(0x401010, 0x99, forked=True), sample(0x7FFF0000, host=SYSCALL, forked=True)]
    )
    assert list(found) == [[programs, Function("agent: tcp_send", PROGRAMS)], [programs, PTRACE]]


def test_what_has_no_names_is_still_counted(resolver):
    hidden = Resolver(resolver.guest, Symbols("", {}), resolver.agent)
    samples = [sample(0x60001010, host=(0xFFFFFFFF81000310,)), sample(1), sample(program="bwrap")]
    names = [[function.name for function in stack] for stack in hidden.stacks(samples)]
    assert names == [["do_idle", "host's kernel"], ["C library"], ["sandbox"]]


@pytest.fixture
def tree():
    """Ten samples: 6 in tcp_ack, 3 in medium_due, which called it once more, 1 in do_idle."""
    stacks = [*[[IDLE, TCP_ACK]] * 5, *[[IDLE, MEDIUM]] * 3, [IDLE, MEDIUM, TCP_ACK], [IDLE]]
    return fold(stacks, "all")


def test_stacks_are_folded(tree):
    (idle,) = tree.children.values()
    assert (tree.samples, idle.samples, idle.own()) == (10, 10, 1)
    assert {function.name: node.samples for function, node in idle.children.items()} == {
        "tcp_ack": 5,
        "medium_due": 4,
    }
    assert shares(tree) == [("TCP", 0.6), ("airlink", 0.3), ("sched, softirq, RCU", 0.1)]


def test_what_is_small_is_left_out_and_counted_where_it_was_called(tree):
    small = pruned(tree, 2)
    (medium,) = (node for node in small.walk() if node.function == MEDIUM)
    assert (medium.samples, medium.children) == (4, {})
    assert [node.samples for node in small.walk()] == [10, 10, 5, 4]


def test_the_picture_has_a_box_for_each_function_as_wide_as_its_share(tree):
    svg = draw(tree, "A <cell> & its time")
    root = ET.fromstring(svg)
    namespace = "{http://www.w3.org/2000/svg}"
    boxes = {}
    for group in root.iter(f"{namespace}g"):
        box = group.find(f"{namespace}rect")
        said = group.find(f"{namespace}title").text
        boxes[said] = (float(box.get("width")), int(box.get("y")), float(box.get("x")))
    wide = boxes["all, 100.0%"][0]
    assert boxes["tcp_ack, TCP, 50.0%"][0] == pytest.approx(wide / 2, abs=0.1)
    assert boxes["medium_due, airlink, 40.0%"][0] == pytest.approx(0.4 * wide, abs=0.1)
    # What calls is below what it called; beside each other they are by name.
    idle_y = boxes["do_idle, sched, softirq, RCU, 100.0%"][1]
    assert idle_y > boxes["tcp_ack, TCP, 50.0%"][1] == boxes["medium_due, airlink, 40.0%"][1]
    assert boxes["medium_due, airlink, 40.0%"][2] < boxes["tcp_ack, TCP, 50.0%"][2]
    assert "A <cell> & its time" in [text.text for text in root.iter(f"{namespace}text")]
    assert len(boxes) == 5
    used = {box.get("class") for box in root.iter(f"{namespace}rect")} - {None}
    assert all(f".{name}{{fill:#" in svg for name in used)


def test_a_name_is_written_where_it_has_room():
    long, short = Function("a_rather_long_name", "TCP"), Function("tiny", "TCP")
    root = Node(Function("all", ""))
    for function, count in ((long, 5), (short, 995)):
        for _ in range(count):
            root.add([function])
    svg = draw(root, "t")
    assert "<title>a_rather_long_name, TCP, 0.5%</title>" in svg
    assert re.findall(r"<text[^>]*>(tiny|a_.*)<", svg) == ["tiny"]
