# SPDX-License-Identifier: GPL-2.0-or-later
"""What is shown of a guest that failed; the consoles are of guests that did."""

import re
import subprocess
from pathlib import Path

import pytest

from tsqlab.experiment.load import load
from tsqlab.guest.boot import GuestError
from tsqlab.guest.words import last_words
from tsqlab.kernels.lines import places

BOOT = "[    0.000000] Run /tsqlab/agent as init process\n"
WHY = "the guest ended before its work (status 134)"
REGISTERS = """\
[    0.006000] Modules linked in: bug(O)
[    0.006000] Pid: 0, comm: swapper Tainted: G           O       6.12.117
[    0.006000] RIP: 0033:tsqlab_strike+0x28/0x70 [bug]
[    0.006000] RSP: 0000000060627130  EFLAGS: 00010246
[    0.006000] RAX: 0000000000000001 RBX: 00000000688092e8 RCX: 0000000060627198
[    0.006000] R12: 000000006002a1c0
"""
TRACE = """\
[    0.006000] Stack:
[    0.006000]  00000000 60626fd0 6059bd2a 6047ea24
[    0.006000] Call Trace:
[    0.006000]  [<6002a210>] ? um_set_signals+0x0/0x60
[    0.006000]  [<60499ddd>] ? dump_stack_lvl+0x74/0x84
[    0.006000]  [<68805028>] ? tsqlab_strike+0x28/0x70 [bug]
"""
OOM = """\
[    1.000000] dd invoked oom-killer: gfp_mask=0x140dca(GFP_HIGHUSER), order=0, oom_score_adj=0
[    1.000000] CPU: 0 UID: 0 PID: 29 Comm: dd Not tainted 6.12.117 #1
[    1.000000] Mem-Info:
[    1.000000] active_anon:2 inactive_anon:10174 isolated_anon:0
[    1.000000] Tasks state (memory values in pages):
[    1.000000] [  pid  ]   uid  tgid total_vm      rss rss_anon rss_file name
[    1.000000] [     29]     0    29      888      281      280        1 dd
[    1.000000] oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),task=dd,pid=29,uid=0
[    1.000000] Out of memory: Killed process 29 (dd) total-vm:3552kB, anon-rss:1120kB
"""


@pytest.fixture
def words(tmp_path):
    def of(text, linux=Path("/nowhere/linux"), modules=None):
        (tmp_path / "console").write_text(
            f"Checking ptrace...OK\n{BOOT}{text}".replace("\n", "\r\n")
        )
        said = last_words(tmp_path / "console", WHY, linux, modules or {})
        return str(GuestError(*said)).splitlines()

    return of


def test_a_bug_is_named_first_with_its_file_and_line(words):
    bug = "BUG: failure at net/ipv4/tcp_output.c:2690/tcp_small_queue_check()!"
    said = f"tsqlab: measuring\n[    0.006000] {bug}\n"
    said += "[    0.006000] Kernel panic - not syncing: BUG!\n"
    assert words(said + TRACE) == [
        f"the guest's kernel has died ({WHY}); its last words:",
        f"  {bug}",
        "  Kernel panic - not syncing: BUG!",
        "  called from:",
        "    um_set_signals+0x0/0x60",
        "    dump_stack_lvl+0x74/0x84",
        "    tsqlab_strike+0x28/0x70 [bug]",
        "  tsqlab: measuring",
    ]


def test_a_fault_is_where_it_was_and_no_registers(words):
    assert words(f"{REGISTERS}[    0.006] Kernel panic - not syncing: Segfault with no mm\n") == [
        f"the guest's kernel has died ({WHY}); its last words:",
        "  RIP: 0033:tsqlab_strike+0x28/0x70 [bug]",
        "  Kernel panic - not syncing: Segfault with no mm",
    ]


def test_what_the_kernel_is_sure_of_is_enough(words):
    trace = TRACE.replace("? tsqlab", "tsqlab")
    shown = words(f"[    0.006000] Kernel panic - not syncing: BUG!\n{trace}")
    assert shown[2:] == ["  called from:", "    tsqlab_strike+0x28/0x70 [bug]"]


def test_no_memory_is_said_with_what_helps_and_without_the_list_of_tasks(words):
    said = f"{OOM}Killed\ntsqlab: error: in node -: 'sh -c' failed (wait status 0x8900)\n"
    assert words(said) == [
        f"the guest has run out of memory; [lab] memory gives it more ({WHY}); its last words:",
        "  Out of memory: Killed process 29 (dd) total-vm:3552kB, anon-rss:1120kB",
        "  Killed",
        "  tsqlab: error: in node -: 'sh -c' failed (wait status 0x8900)",
    ]


def test_no_memory_that_is_a_panic(words):
    listed, _, _ = OOM.rpartition("[    1.000000] Out")
    panic = "Kernel panic - not syncing: Out of memory: compulsory panic_on_oom is enabled"
    assert words(f"{listed}[    1.000000] {panic}\n")[1:] == [f"  {panic}"]


def test_else_the_last_lines_are_shown(words):
    shown = words("".join(f"line {number}\n\ntsqlab: t {number} ms\n" for number in range(40)))
    assert shown[0] == f"{WHY}; its last words:"
    assert shown[-1] == "  line 39"
    assert 10 < len(shown) <= 16


def test_nothing_is_long(words):
    many = "".join(f"[    1.0]  [<6002a2{n:02x}>] ? f{n}+0x0/0x60\n" for n in range(50))
    text = f"{OOM * 20}[    1.0] Kernel panic - not syncing: x\n[    1.0] Call Trace:\n{many}"
    assert len(words(text)) <= 20
    assert len(words(text.replace("Out of memory", "Something"))) <= 20


@pytest.fixture
def program(tmp_path):
    """With debug information, as a kernel of kernel build --debug."""
    (tmp_path / "tree" / "net").mkdir(parents=True)
    source = tmp_path / "tree" / "net" / "a.c"
    source.write_text("int g(int);\n\nint f(int x)\n{\n\treturn g(x) + 1;\n}\n\nint main(void)\n"
                      "{\n\treturn f(1);\n}\nint g(int x) { return x; }\n")  # fmt: skip
    command = ["gcc", "-g", "-O0", "-no-pie", "-o", str(tmp_path / "linux"), str(source)]
    subprocess.run(command, check=True)
    (tmp_path / "tsqlab.json").write_text(f'{{"tree": "{tmp_path / "tree"}"}}')
    return tmp_path / "linux"


def call_of_g(program):
    """The address that the call of g() returns to."""
    text = subprocess.run(["objdump", "-d", program], capture_output=True, text=True).stdout
    lines = text.splitlines()
    (at,) = [number for number, line in enumerate(lines) if "call" in line and "<g>" in line]
    return int(lines[at + 1].partition(":")[0], 16)


def test_a_trace_has_files_and_lines_where_the_kernel_knows_them(words, program):
    address = call_of_g(program)
    assert places(program, [address, 5]) == {address: "net/a.c:5"}
    text = "[    1.0] Kernel panic - not syncing: x\n[    1.0] Call Trace:\n"
    text += f"[    1.0]  [<{address:x}>] f+0x10/0x20\n"
    assert words(text, program)[-1] == "    f+0x10/0x20  net/a.c:5"


def test_a_trace_has_the_lines_of_modules(words, tmp_path):
    """Those of a module's own sections; of two functions of one name it is that of the length."""
    folder = tmp_path / "bug"
    folder.mkdir()
    (folder / "a.c").write_text(
        "int g(int);\n\nint f(int x)\n{\n\treturn g(x) + 1;\n}\n"
        '__attribute__((section(".init.text")))\nint first(int x)\n{\n\treturn g(x) + 2;\n}\n'
    )
    module = tmp_path / "bug.ko"
    command = ["gcc", "-g", "-O0", "-ffunction-sections", "-c", "-o", str(module), "a.c"]
    subprocess.run(command, check=True, cwd=folder)
    table = subprocess.run(["objdump", "-t", module], capture_output=True, text=True).stdout
    text = "[    1.0] Kernel panic - not syncing: x\n[    1.0] Call Trace:\n"
    for name in ("f", "first"):
        (length,) = re.findall(rf"\t([0-9a-f]+) {name}$", table, re.MULTILINE)
        offset = int(length, 16) - 5  # of what is done after the call
        call = f"{name}+0x{offset:x}/0x{-int(length, 16) // 16 * -16:x} [bug]"
        text += f"[    1.0]  [<68000000>] {call}\n"
        text += f"[    1.0]  [<68000000>] {name}+0x1/0xfff [bug]\n"
    shown = [line.split("  ")[-1] for line in words(text, modules={"bug": module})[-4:]]
    assert shown[0] == "a.c:5"
    assert shown[2] == "a.c:10"
    assert [line.endswith("[bug]") for line in shown] == [False, True, False, True]


def test_a_kernel_without_debug_information_has_no_places(tmp_path):
    assert places(Path("/bin/true"), [0x1000]) == {}
    assert places(tmp_path / "gone", [1]) == {}


def test_an_only_cell_is_the_cell_and_not_the_cell_cell(tmp_path):
    (tmp_path / "x.toml").write_text('title = "x"\n')
    (one,) = load(str(tmp_path / "x.toml")).cells
    assert one.title == "the cell"
    one, _ = load(str(tmp_path / "x.toml"), ["seed=[1, 2]"]).cells
    assert one.title == "cell seed=1"


def test_a_control_that_the_kernel_lacks_hints_at_the_nearest(words):
    said = "tsqlab: error: write - x: no congestion control '{}' in this kernel; there are {}\n"
    near = words(said.format("myc", "reno cubic mycc"))
    assert near[-1].endswith("no congestion control 'myc' in this kernel; did you mean \"mycc\"?")
    far = words(said.format("zzz", "reno cubic mycc"))
    assert far[-1].endswith("there are reno, cubic, mycc")
