# SPDX-License-Identifier: GPL-2.0-or-later
"""Samples folded into a tree of functions, and what share each part of the system has."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from perfdata import Sample
from symbols import HOST, PROGRAMS, UML, Function, Symbols

GUEST = "linux"
"""The program that a guest's kernel is."""

_SANDBOX = Function("sandbox", PROGRAMS)
_PROGRAMS = Function("programs in the guest", PROGRAMS)
_GLUE = Function("C library", UML)  # by which User-Mode Linux calls the host
_HIDDEN = Function("host's kernel", HOST)
_ENTRY = re.compile(r"entry_|asm_|do_syscall_64|x64_sys_call|ret_from_fork")
"""What every way into the host's kernel goes through."""
_OBSERVING = "perf_event_"
"""The functions of the host by which perf sees what is mapped."""
_SYSCALL = re.compile(r"__x64_sys_|__do_sys_|__se_sys_|ksys_")


@dataclass
class Node:
    """A function, called from those above it."""

    function: Function
    samples: int = 0  # in it and in what it called
    children: dict[Function, Node] = field(default_factory=dict)

    def add(self, stack: Iterable[Function]) -> None:
        """Count a stack, outermost first, that was called from here."""
        node = self
        node.samples += 1
        for function in stack:
            node = node.children.setdefault(function, Node(function))
            node.samples += 1

    def own(self) -> int:
        """The samples in the function itself."""
        return self.samples - sum(child.samples for child in self.children.values())

    def walk(self) -> Iterator[Node]:
        """This and all below."""
        yield self
        for child in self.children.values():
            yield from child.walk()


@dataclass(frozen=True)
class Resolver:
    """What turns a sample into a stack of functions."""

    guest: Symbols  # the guest's kernel and its modules
    host: Symbols
    agent: Symbols  # PID 1 of the guest

    def stacks(self, samples: Iterable[Sample]) -> Iterator[list[Function]]:
        """The functions of each sample, outermost first, but for those that perf itself costs."""
        for sample in samples:
            host = self._host(sample.host)
            if not any(function.name.startswith(_OBSERVING) for function in host):
                yield [*self._inside(sample), *host]

    def _inside(self, sample: Sample) -> list[Function]:
        if sample.program != GUEST:
            return [_SANDBOX]
        inside = _called(self.guest, sample.user)
        if not inside and sample.forked:
            # What guests run has no frame pointers: the innermost function is all that is known.
            own = self.agent.at(sample.user[0]) if sample.user else None
            inside = [_PROGRAMS, *([Function(f"agent: {own.name}", PROGRAMS)] if own else [])]
        return inside or [_GLUE]

    def _host(self, addresses: Sequence[int]) -> list[Function]:
        found = _called(self.host, addresses)
        named = [Function(_SYSCALL.sub("", each.name), HOST) for each in found]
        return [each for each in named if not _ENTRY.match(each.name)] or [_HIDDEN][
            : len(addresses)
        ]


def _called(symbols: Symbols, addresses: Sequence[int]) -> list[Function]:
    """The functions of a stack that is given innermost first, outermost first.

    All but the innermost address are where a call returns to. That may be behind the end of a
    function whose last call never returns; the call itself is in it.
    """
    calls = [*addresses[:1], *(address - 1 for address in addresses[1:])]
    found = [symbols.at(address) for address in reversed(calls)]
    return [function for function in found if function]


def fold(stacks: Iterable[Sequence[Function]], title: str) -> Node:
    """The tree of all stacks."""
    root = Node(Function(title, ""))
    for stack in stacks:
        root.add(stack)
    return root


def pruned(node: Node, samples_min: int) -> Node:
    """A copy without what has fewer samples; they still count in what called it."""
    kept = {
        function: pruned(child, samples_min)
        for function, child in node.children.items()
        if child.samples >= samples_min
    }
    return Node(node.function, node.samples, kept)


def shares(root: Node) -> list[tuple[str, float]]:
    """How much of all samples was in each part itself, the largest first."""
    own: Counter[str] = Counter()
    for node in root.walk():
        own[node.function.room] += node.own()
    return [(room, count / root.samples) for room, count in own.most_common() if room and count]
