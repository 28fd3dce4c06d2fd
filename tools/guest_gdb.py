# SPDX-License-Identifier: GPL-2.0-or-later
"""What gdb is told before it runs a guest: tools/guest.py --gdb starts it with this file.

A module's symbols are known as soon as it is loaded, so a breakpoint in one may be set before
it is. It has to be a hardware breakpoint (hbreak). Whenever User-Mode Linux forks a process for
one of the guest's, gdb writes the original code back into that child, and what modules are in is
memory that the two share: an ordinary breakpoint would be gone from both. The kernel's own code
is not shared, and has no such trouble.

The signals by which User-Mode Linux works are passed on without a word.
"""

import os

import gdb

SIGNALS = "SIGSEGV SIGUSR1 SIGUSR2 SIGALRM SIGVTALRM SIGIO SIGCHLD SIGPROF SIGWINCH"


def add_symbols() -> None:
    """Called where a module begins to run: add its symbols."""
    module = gdb.selected_frame().read_var("mod")
    name = module["name"].string()
    try:
        text = module["mem"][0]["base"]  # MOD_TEXT
    except gdb.error:
        text = module["core_layout"]["base"]  # kernels older than 6.4
    file = f"{os.environ['MODULE_DIR']}/{name}.ko"  # guest.py sets MODULE_DIR
    gdb.execute(f"add-symbol-file {file} {int(text):#x}", to_string=True)


gdb.execute("set pagination off")
gdb.execute("set confirm off")
gdb.execute("set breakpoint pending on")
gdb.execute("set print inferior-events off")
gdb.execute(f"handle {SIGNALS} nostop noprint pass", to_string=True)
loaded = gdb.Breakpoint("do_init_module", internal=True)
loaded.silent = True
loaded.commands = "python add_symbols()\ncontinue"
