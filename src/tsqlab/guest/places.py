# SPDX-License-Identifier: GPL-2.0-or-later
"""Where things lie in a guest, the same on every machine.

agent/places.h says it to the guest's program; tests/unit/test_places.py holds the two together.
"""

GUEST_DIR = "/tsqlab"

LINUX = f"{GUEST_DIR}/linux"
"""The kernel's own executable, which is run where the guest will find itself."""

AGENT = f"{GUEST_DIR}/agent"
"""PID 1."""

MODULE_DIR = f"{GUEST_DIR}/modules"

PRELOAD_DIR = f"{GUEST_DIR}/preload"
"""The libraries that are made of agent/preload."""

SCRIPTS_DIR = f"{GUEST_DIR}/scripts"
"""A folder of the user's, if a plan shows one."""

PROGRAM = f"{GUEST_DIR}/program"
"""A program of the user's, if a plan shows one."""

HOSTS = "/etc/hosts"
"""What names mean, to programs that need not know of the lab."""

NSSWITCH = "/etc/nsswitch.conf"
"""Where names are looked up."""

WQM = f"{GUEST_DIR}/wqm"
"""The daemon of hosts, if a plan shows it."""

PLAN_DIR = f"{GUEST_DIR}/plan"
PLAN_NAME = "plan"
PLAN_FILE = f"{PLAN_DIR}/{PLAN_NAME}"

OUT_DIR = f"{GUEST_DIR}/out"
"""The only folder of the host that a guest can write to."""

DONE_NAME = "done"
DONE_FILE = f"{OUT_DIR}/{DONE_NAME}"
"""Written last: a guest without it did not do its work."""

SHELL_TTY = "/dev/tty1"
"""The terminal of a shell in a guest. The first one, tty0, is the console."""

PLACES = f"{GUEST_DIR}/places"
"""The list of what a guest mounts of the host, if its root has nothing of it."""

PLACES_VARIABLE = "PLACES"
"""The word of the kernel's command line, and so of PID 1's environment, that names that list."""

IN_GDB = f"{GUEST_DIR}/in_gdb.py"
"""What a gdb in a guest's sandbox is told before it runs the guest."""

CLOCK = f"{GUEST_DIR}/clock"
"""The socket by which a guest asks how far time may go, if its plan has it ask."""
