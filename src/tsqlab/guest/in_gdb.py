# SPDX-License-Identifier: GPL-2.0-or-later
"""What gdb is told before it runs a guest: tsqlab.guest.debug starts it with this file.

It knows the lab's time, stops at an instant of it, and has commands of its own. Nothing of tsqlab
is imported here: it runs in gdb's Python, in the guest's sandbox, told by the environment what to
do. All but the names of processes and devices works without debug information.

**An instant** is found in two steps, as stopping a guest costs 0.1 ms or more: first by what the
agent writes to the console, every 50 ms of the measurement, or by what its beginning wakes, then by
each timer interrupt. The guest stands still in the first one whose time is that instant or later.

**A module's symbols** are known as soon as it is loaded. A breakpoint in one has to be a hardware
breakpoint, of which there are four. Whenever User-Mode Linux forks a process for one of the
guest's, gdb writes the original code back into that child, and what modules are in is memory that
the two share: an ordinary breakpoint would be gone from both. The kernel's own code is not shared,
and has no such trouble.

The signals by which User-Mode Linux works are passed on without a word.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import gdb

SIGNALS = "SIGSEGV SIGUSR1 SIGUSR2 SIGALRM SIGVTALRM SIGIO SIGCHLD SIGPROF SIGWINCH"
NS_PER_S = 10**9
TOLD_EVERY_NS = 50_000_000  # PROGRESS_NSEC of agent/main.c
NOT_LOADED = 0x1000  # where a module is looked into that is not loaded
LAST_LINES = 8
TIME = int(gdb.parse_and_eval("(unsigned long)&time_travel_time"))
TIME_BYTES = 8

told = json.loads(os.environ["TSQLAB_DEBUG"])
begin_ns: int = told["begin_ns"]
at_ns: int | None = told["at_ns"]
modules: dict[str, str] = told["modules"]
"""The file of each module, by its name."""
node_of: dict[str, str] = told["node_of"]
console, done = Path(told["console"]), Path(told["done"])


def now_ns() -> int:
    """The virtual time since the boot.

    Read from memory, for it is asked at each timer interrupt: to find the symbol anew each time
    takes gdb milliseconds.
    """
    return int.from_bytes(gdb.selected_inferior().read_memory(TIME, TIME_BYTES), "little")


def in_words(time_ns: int) -> str:
    """An instant as the user counts: from where the measurement begins."""
    since_ns = time_ns - begin_ns
    sign = "-" if since_ns < 0 else ""
    return f"{sign}{abs(since_ns) // NS_PER_S}.{abs(since_ns) % NS_PER_S:09} s"


def say(text: str) -> None:
    """Print a line of the lab's own."""
    gdb.write(f"tsqlab: {text}\n")


class Silent(gdb.Breakpoint):  # type: ignore[misc]
    """A breakpoint of ours, which is not listed, and at which gdb calls *then*.

    That returns whether the guest goes on. gdb forbids stop() to change anything, so it is called
    by commands, once the guest has stopped.
    """

    def __init__(self, place: str, then: str) -> None:
        """At the symbol *place*."""
        super().__init__(place, internal=True)
        self.silent = True
        self.commands = f"python goes_on({then}())\nif $_lab_goes_on\ncontinue\nend"


class Instant:
    """An instant to stop at, or from which on breakpoints count."""

    def __init__(self) -> None:
        """None is set."""
        self.at_ns = 0
        self.waiting: list[gdb.Breakpoint] = []
        self.coarse = Coarse("line_write", "instant.comes_near")
        self.first = First("hrtimer_wakeup", "instant.comes_near")
        self.fine = Fine("timer_handler", "instant.is_there")
        self.step(None)

    def step(self, next_one: gdb.Breakpoint | None) -> None:
        """What is looked for next."""
        for breakpoint in (self.coarse, self.first, self.fine):
            breakpoint.enabled = breakpoint is next_one

    def set(self, at_ns: int) -> None:
        """Stop there, which is not before now."""
        self.at_ns = at_ns
        if at_ns - TOLD_EVERY_NS > max(begin_ns, now_ns()):
            self.step(self.coarse)
        else:
            self.step(self.fine if now_ns() >= begin_ns else self.first)

    def comes_near(self) -> bool:
        """It is within 50 ms, or now."""
        if now_ns() >= self.at_ns:
            return self.is_there()
        self.step(self.fine)
        return True

    def is_there(self) -> bool:
        """Stop now, or where it was to be from now on."""
        self.step(None)
        if not self.waiting:
            on_stop(None)
            return False
        for breakpoint in self.waiting:
            breakpoint.enabled = True
        self.waiting.clear()
        return True


class Coarse(Silent):
    """Where the console is written to."""

    def stop(self) -> bool:
        """Whether it is within 50 ms of the instant."""
        return now_ns() >= instant.at_ns - TOLD_EVERY_NS


class First(Silent):
    """Where a timer wakes a process."""

    def stop(self) -> bool:
        """Whether the measurement has begun."""
        return now_ns() >= begin_ns


class Fine(Silent):
    """Where a timer has run out."""

    def stop(self) -> bool:
        """Whether it is the instant, or later."""
        return now_ns() >= instant.at_ns


def goes_on(really: bool) -> None:
    """Tell gdb's own commands."""
    gdb.set_convenience_variable("_lab_goes_on", int(really))


def is_loaded() -> bool:
    """A module begins to run: its symbols are added, and what was to stop in it does."""
    try:
        module = gdb.selected_frame().read_var("mod")
    except ValueError:
        return True  # without debug information
    name = module["name"].string()
    if name not in modules:
        return True
    try:
        text = module["mem"][0]["base"]  # MOD_TEXT
    except gdb.error:
        text = module["core_layout"]["base"]  # kernels older than 6.4
    add_symbols(modules[name], int(text))
    for symbol in [symbol for symbol, where in wanted.items() if where == name]:
        set_break(symbol, gdb.BP_HARDWARE_BREAKPOINT)
    return True


def dies() -> bool:
    """The kernel gives up: who called is what one wants to know."""
    on_stop(None)
    say("the guest's kernel dies here; backtrace shows why")
    return False


def add_symbols(file: str, text: int) -> None:
    """Know the module *file*, whose code is at *text*.

    What runs as it is loaded or removed has sections of its own, which to gdb begin where the code
    does, unless the file says otherwise: the first functions would be taken for those. So it reads
    a copy in which they lie far behind.
    """
    copy = Path(tempfile.mkdtemp()) / Path(file).name
    apart = [
        f"--change-section-vma={name}" for name in (".init.text+0x4000000", ".exit.text+0x8000000")
    ]
    subprocess.run(["objcopy", *apart, file, copy], check=True)
    gdb.execute(f"add-symbol-file {copy} {text:#x}", to_string=True)


def is_known(symbol: str) -> bool:
    """Whether gdb knows such a place by now."""
    try:
        return bool(gdb.decode_line(symbol)[1])
    except gdb.error:
        return False


def module_of(symbol: str) -> str | None:
    """The module that has a symbol, "" for the kernel's own, None if nobody knows it."""
    if is_known(symbol):
        return ""
    for name, file in sorted(modules.items()):
        add_symbols(file, NOT_LOADED)
        found = is_known(symbol)
        gdb.execute(f"remove-symbol-file -a {NOT_LOADED:#x}", to_string=True)
        if found:
            return name
    return None


def set_break(symbol: str, kind: int) -> None:
    """Stop at a symbol, from the instant on if there is one."""
    breakpoint = gdb.Breakpoint(symbol, type=kind)
    if at_ns is not None and now_ns() < at_ns:
        breakpoint.enabled = False
        instant.waiting.append(breakpoint)


def on_stop(event: object) -> None:
    """Say when it is, unless it is a stop of ours, which say so themselves."""
    if isinstance(event, gdb.BreakpointEvent) and isinstance(event.breakpoint, Silent):
        return
    say(f"virtual time {in_words(now_ns())} of the measurement, {now_ns()} ns since the boot")


def on_exit(_event: object) -> None:
    """Say how the guest has ended."""
    if done.is_file():
        say("the guest has done its work and ended")
        return
    say("the guest has ended before its work; its last lines:")
    for line in console.read_text("utf-8", "replace").splitlines()[-LAST_LINES:]:
        gdb.write(f"  {line}\n")


def current() -> gdb.Value:
    """The process that runs, a struct task_struct *."""
    entry = gdb.parse_and_eval("cpu_tasks[0]")
    if entry.type.code == gdb.TYPE_CODE_PTR:
        return entry
    return entry["task"].cast(gdb.lookup_type("struct task_struct").pointer())


def devices(net: gdb.Value) -> list[str]:
    """The names of a network namespace's devices."""
    kind = gdb.lookup_type("struct net_device")
    offset = next(field.bitpos // 8 for field in kind.fields() if field.name == "dev_list")
    head, names = net["dev_base_head"], []
    entry = head["next"]
    while entry != head.address:
        device = gdb.Value(int(entry) - offset).cast(kind.pointer()).dereference()
        names.append(device["name"].string())
        entry = entry["next"]
    return names


class Lab(gdb.Command):  # type: ignore[misc]
    """Where the guest is: its virtual time, the process that runs, and that process's node."""

    def __init__(self) -> None:
        """Name it."""
        super().__init__("lab", gdb.COMMAND_STATUS)

    def invoke(self, _argument: str, _from_tty: bool) -> None:
        """Print it."""
        on_stop(None)
        task = current()
        name, number = task["comm"].string(), int(task["pid"])
        proxy = task["nsproxy"]
        names = devices(proxy["net_ns"].dereference()) if int(proxy) else []
        node = next((node_of[name] for name in names if name in node_of), None)
        say(f"process {number} ({name}) in " + (f"node {node}" if node else "no node"))


class LabSkb(gdb.Command):  # type: ignore[misc]
    """What an skb is: lab-skb EXPRESSION, a struct sk_buff *."""

    def __init__(self) -> None:
        """Name it."""
        super().__init__("lab-skb", gdb.COMMAND_DATA)

    def invoke(self, argument: str, _from_tty: bool) -> None:
        """Print it."""
        skb = gdb.parse_and_eval(argument).dereference()
        info = (skb["head"] + int(skb["end"])).cast(
            gdb.lookup_type("struct skb_shared_info").pointer()
        )
        device = skb["dev"]
        name = device["name"].string() if int(device) else ""
        node = f" of node {node_of[name]}" if name in node_of else ""
        say(
            f"{int(skb['len'])} bytes, truesize {int(skb['truesize'])}, {int(info['gso_segs'])} "
            f"segments, priority {int(skb['priority'])}, socket {int(skb['sk']):#x}, "
            + (f"device {name}{node}" if name else "no device")
        )


class LabUntil(gdb.Command):  # type: ignore[misc]
    """Go on until an instant of the measurement: lab-until 1.6s."""

    def __init__(self) -> None:
        """Name it."""
        super().__init__("lab-until", gdb.COMMAND_RUNNING)

    def invoke(self, argument: str, _from_tty: bool) -> None:
        """Go on, and stop there, unless something else is before."""
        found = re.fullmatch(r"\s*([0-9]{1,9})(?:\.([0-9]{1,9}))?\s*s?\s*", argument)
        if not found:
            raise gdb.GdbError("expected an instant of the measurement in s, as lab-until 1.6")
        until_ns = begin_ns + int(found[1]) * NS_PER_S + int((found[2] or "").ljust(9, "0"))
        if until_ns <= now_ns():
            raise gdb.GdbError(f"it is {in_words(now_ns())} already")
        instant.set(until_ns)
        gdb.execute("continue")


SETTINGS = (
    "pagination off",
    "confirm off",
    "print inferior-events off",
)
for setting in SETTINGS:
    gdb.execute(f"set {setting}")
gdb.execute(f"handle {SIGNALS} nostop noprint pass", to_string=True)
wanted: dict[str, str | None] = {}
for symbol in told["symbols"]:
    wanted[symbol] = module_of(symbol)
    if wanted[symbol] is None:
        have = ", ".join(sorted(modules))
        print(f'tsqlab: no symbol "{symbol}" in the kernel, nor in {have}', file=sys.stderr)
        gdb.execute("quit 2")
instant = Instant()
if at_ns is not None:
    instant.set(at_ns)
Silent("do_init_module", "is_loaded")
Silent("panic", "dies")
Lab()
LabSkb()
LabUntil()
for symbol, where in wanted.items():
    if where == "":
        set_break(symbol, gdb.BP_BREAKPOINT)
gdb.events.stop.connect(on_stop)
gdb.events.exited.connect(on_exit)
