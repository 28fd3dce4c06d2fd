# SPDX-License-Identifier: GPL-2.0-or-later
"""What a guest that failed said last: why, in a line, and little else.

A kernel that dies prints its registers, its stack and, if it has no memory, a list of all
processes, and what it died of stands above or below. So the cause is looked for and put first, and
what nobody reads in an error's text is left to the log. A call trace of a kernel with debug
information (tsqlab kernel build --debug) has files and lines, and a user's own module always has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tsqlab.experiment.invalid import hint
from tsqlab.kernels.lines import InModule, places, places_in_module

_LAST_LINES = 15
_FRAMES = 12

_TICK = re.compile(r"^tsqlab: t \d+ ms$")
_TIME = re.compile(r"^\[ *\d+\.\d+\] ?")
_MEMORY = re.compile(r"Out of memory")
_DEATH = re.compile(r"^(BUG: |Kernel panic - not syncing: |RIP: )")
_IN_FUNCTION = (
    r"(?P<function>\S+)\+0x(?P<offset>[0-9a-f]+)/0x(?P<length>[0-9a-f]+)"
    r"(?: \[(?P<module>\w+)\])?"
)
_FRAME = re.compile(rf"^ \[<(?P<address>[0-9a-f]+)>\] (?P<guess>\? )?(?P<text>{_IN_FUNCTION})")
_FAULT = re.compile(rf"^RIP: [0-9a-f]+:{_IN_FUNCTION}")
_NOISE = re.compile(
    r"^(?:R[A-Z0-9]{2}: |RSP: |Modules linked in|Stack:|Call Trace:|Pid: |CPU: |Tainted: "
    r"|(?: [0-9a-f]{8,16})+$|---\[ end|-+\[ cut here|oom-kill:|$)"
)
_NO_CONTROL = re.compile(r"^(tsqlab: error: .*no congestion control '(\S+)' .*); there are (.*)$")
_OOM_BEGINS = re.compile(r"invoked oom-killer: ")
_NO_MEMORY = "the guest has run out of memory; [lab] memory gives it more"
DIED = "the guest's kernel has died"
"""What the last words of a guest begin with whose kernel has."""

_LACKS = (
    (r"^Error: Specified qdisc kind is unknown",
     "the guest's kernel has no qdisc of that name; one that has it, and its option, is built with "
     "tsqlab kernel build --source"),
    (r'^Unknown qdisc "(.*?)", hence option',
     'tc(8) of this machine (iproute2) knows no qdisc "{}", and so none of its options; without '
     "any it takes one that the guest's kernel has"),
    (r"^tsqlab: error: .*no congestion control '(\S+)' in this kernel",
     "the guest's kernel lacks a congestion control of {}; one that has it, and its option, is "
     "built with tsqlab kernel build --source, and one of your own is loaded by [lab] modules"),
    (r"tcp_ecn does not take '3'",
     'the guest\'s kernel has no AccECN, which ecn = "accurate" asks for; ecn = true is that of '
     "RFC 3168"),
)  # fmt: skip
"""What a kernel or a program says that lacks what a cell needs, and what that means."""


def last_words(
    console: Path, why: str, linux: Path, modules: Mapping[str, Path]
) -> tuple[str, tuple[str, ...]]:
    """Why a guest failed, and the lines of its *console* that say so.

    *why* is what was seen from outside, *linux* the kernel, for the places of a call trace, and
    *modules* has the file of each module that it may load.
    """
    lines = _said(console)
    memory = [line for line in lines if _MEMORY.search(line)]
    deaths = list(dict.fromkeys(line for line in lines if _DEATH.match(line)))
    if memory:
        # The first that was killed is why the rest fails.
        head = [f"{_NO_MEMORY} ({why})", *dict.fromkeys((memory[0], memory[-1]))]
    elif deaths:
        head = [f"{DIED} ({why})", *deaths]
    else:
        head = [f"{meant} ({why})" if (meant := _lacking(lines)) else why]
    trace = [] if memory else _trace(lines, linux, modules)
    rest = [line for line in _told(lines) if line not in head]
    first = [f"{line}  {_place_of_fault(line, modules)}".rstrip() for line in head[1:]]
    shown = [*first, *trace, *rest[-max(3, _LAST_LINES - len(head) - len(trace)) :]]
    return head[0], tuple(shown)


def _lacking(lines: Sequence[str]) -> str:
    """What of the kernel or of the machine is not there that a cell needs; empty if nothing is."""
    for line in lines:
        for pattern, meaning in _LACKS:
            if found := re.search(pattern, line):
                return meaning.format(*found.groups())
    return ""


def _said(console: Path) -> list[str]:
    """What the guest said since it had booted, without the times."""
    lines = console.read_text("utf-8", "replace").replace("\r", "").splitlines()
    said = [line for line in lines if line.strip() and not _TICK.match(line)]
    booted = [number for number, line in enumerate(said) if " as init process" in line]
    said = said[booted[-1] + 1 :] if booted else said
    return [_near(_TIME.sub("", line)) for line in said]


def _near(line: str) -> str:
    """A line about a congestion control that the kernel lacks, with the nearest if one is near."""
    lacks = _NO_CONTROL.match(line)
    return f"{lacks[1]}; {hint(lacks[2], lacks[3].split())}" if lacks else line


def _told(lines: Sequence[str]) -> Iterator[str]:
    """The lines without what a dying kernel lists."""
    listing = False
    for line in lines:
        listing = listing or bool(_OOM_BEGINS.search(line))
        if _MEMORY.search(line):
            listing = False
        elif not listing and not _NOISE.match(line) and not _FRAME.match(line):
            yield line


def _place_of_fault(line: str, modules: Mapping[str, Path]) -> str:
    """The file and line of a module's instruction that a line of a death names, or nothing."""
    fault = _FAULT.match(line)
    if not fault or fault["module"] not in modules:
        return ""
    # It is the instruction itself, not where a call returns to.
    at = replace(_in_module(fault), offset=int(fault["offset"], 16) + 1)
    name = fault["module"]
    return places_in_module(modules[name], name, [at]).get(at, "")


def _trace(lines: Sequence[str], linux: Path, modules: Mapping[str, Path]) -> list[str]:
    """The last call trace, the innermost call first."""
    at = [number for number, line in enumerate(lines) if line.startswith("Call Trace:")]
    if not at:
        return []
    frames = []
    for line in lines[at[-1] + 1 :]:
        frame = _FRAME.match(line)
        if frame is None:
            break
        frames.append(frame)
    if any(not frame["guess"] for frame in frames):  # else the kernel guesses all of them
        frames = [frame for frame in frames if not frame["guess"]]
    shown = frames[:_FRAMES]
    found = _places(shown, linux, modules)
    texts = [
        f"  {frame['text']}  {place}".rstrip() for frame, place in zip(shown, found, strict=True)
    ]
    more = [f"  ... ({len(frames) - _FRAMES} more)"] if len(frames) > _FRAMES else []
    return ["called from:", *texts, *more]


def _places(frames: Sequence[re.Match[str]], linux: Path, modules: Mapping[str, Path]) -> list[str]:
    """The file and line of each call, or nothing."""
    own = places(linux, [int(one["address"], 16) for one in frames if not one["module"]])
    calls: dict[str, list[InModule]] = {}
    for frame in frames:
        if frame["module"]:
            calls.setdefault(frame["module"], []).append(_in_module(frame))
    theirs = {
        (name, call): place
        for name, called in calls.items()
        if name in modules
        for call, place in places_in_module(modules[name], name, called).items()
    }
    return [
        theirs.get((frame["module"], _in_module(frame)), "")
        if frame["module"]
        else own.get(int(frame["address"], 16), "")
        for frame in frames
    ]


def _in_module(frame: re.Match[str]) -> InModule:
    return InModule(frame["function"], int(frame["offset"], 16), int(frame["length"], 16))
