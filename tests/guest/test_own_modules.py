# SPDX-License-Identifier: GPL-2.0-or-later
"""A user's own modules: compiled, loaded with parameters, and what is said if they are not."""

import re
import shutil

import pytest

from tsqlab.cli import main
from tsqlab.cli.kernels import _MODULES
from tsqlab.experiment.spec import Spec
from tsqlab.experiment.stored import read_folder
from tsqlab.guest.boot import Machine
from tsqlab.guest.own_modules import own_module_lines, shown
from tsqlab.guest.plan import Plan
from tsqlab.guest.run import run_plan
from tsqlab.kernels import Recipe, against
from tsqlab.kernels.own_modules import own_module
from tsqlab.kernels.own_source import read_source
from tsqlab.kernels.progress import Unwatched
from tsqlab.paths import ROOT

MYCC = ROOT / "docs" / "own-module" / "mycc"

EXPERIMENT = """\
title = "x"
[flows]
length = "2 s"
delay = "0 s"
[lab]
modules = ["./mycc"]
[sender]
congestion_control = "mycc"
"""


@pytest.fixture
def mycc(tmp_path):
    """An experiment beside a copy of the tutorial's module."""
    shutil.copytree(MYCC, tmp_path / "mycc")
    (tmp_path / "e.toml").write_text(EXPERIMENT)
    return tmp_path / "mycc" / "mycc.c"


@pytest.fixture
def run(kernel, mycc, tmp_path, capfd):
    """Run the experiment; its exit status, and what it said of what went wrong."""
    assert kernel, "a run would build it"
    assert mycc.exists()

    def run(*overrides):
        _MODULES.clear()  # as in a process of its own
        sets = [word for override in overrides for word in ("--set", override)]
        out = ["--jobs", "1", "--out", str(tmp_path / "results")]
        status = main(["run", str(tmp_path / "e.toml"), *out, *sets])
        said = capfd.readouterr().err
        assert "Traceback" not in said
        return status, said

    return run


def change(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def metrics(tmp_path):
    folder = read_folder(tmp_path / "results")
    assert folder.unfinished == []
    return [result.metrics for result in folder.results]


def test_a_changed_line_is_a_new_result_and_an_old_one_is_not_run_again(mycc, run, tmp_path):
    assert run()[0] == 0
    (before,) = metrics(tmp_path)
    (file,) = (tmp_path / "results").glob("*.flent.gz")
    made_ns = file.stat().st_mtime_ns
    assert run()[0] == 0
    assert file.stat().st_mtime_ns == made_ns
    change(mycc, "tcp_snd_cwnd(tp) * 7 / 8", "tcp_snd_cwnd(tp) / 8")
    change(mycc, "target_us = 5000", "target_us = 500")
    assert run("base_rtt=20 ms")[0] == 0
    (after,) = metrics(tmp_path)
    assert after["goodput_mbps"] < before["goodput_mbps"] / 2


def test_parameters_reach_the_module(kernel, tmp_path, cpu):
    source = read_source(MYCC, "mycc", "./mycc")
    built_in = against(Recipe(), kernel)
    module = own_module(source, kernel.linux.parent, built_in, Unwatched())
    assert module.parameters == ("target_us",)
    lab = {"modules": ["./mycc"], "parameters": {"mycc": {"target_us": 1234}}}
    lines = own_module_lines(Spec.model_validate({"title": "x", "lab": lab}))
    told = "cat /sys/module/mycc/parameters/target_us >/tsqlab/out/told"
    set_up = (*lines, ["run", "-", "sh", "-c", told])
    clock = ["clock", "10000000000", "100000000", "10100000000"]
    plan = Plan(set_up, (clock, ["end"]), shown=shown([module]))
    out = run_plan(Machine(kernel, 256 << 20, 1, cpu), plan, tmp_path / "guest")
    assert (out / "told").read_text() == "1234\n"


def test_a_value_that_the_module_refuses(run):
    status, said = run("parameters.mycc.target_us=-1")
    assert status == 1
    assert "mycc: `-1' invalid for parameter `target_us'" in said


def test_a_fault_has_its_line(mycc, run):
    statement = "\tca->round_end = tcp_sk(sk)->snd_nxt;"
    line = mycc.read_text().splitlines().index(statement) + 1
    change(mycc, statement, "\t*(volatile int *)8 = 0;")
    status, said = run()
    assert status == 1
    assert "the guest's kernel has died" in said
    assert re.search(rf"RIP: .* \[mycc\]  mycc\.c:{line}$", said, re.MULTILINE)


def test_an_error_of_the_compiler_is_told_by_file_and_line(mycc, run, tmp_path):
    line = mycc.read_text().splitlines().index("\tca->round_end = tcp_sk(sk)->snd_nxt;") + 1
    change(mycc, "\tca->round_end = tcp_sk(sk)->snd_nxt;", "\tca->round_ends = 0;")
    status, said = run()
    assert status == 1
    assert "./mycc does not compile\n" in said
    assert f"./mycc/mycc.c:{line}:" in said
    assert "'struct mycc' has no member named 'round_ends'" in said
    assert not list((tmp_path / "results").glob("*.flent.gz"))


def test_a_warning_is_told(mycc, run):
    change(mycc, "\tbool cut;", "\tint cut;")
    change(mycc, "\t*ca = (struct", "\tint unused;\n\n\t*ca = (struct")
    status, said = run()
    assert status == 0
    assert "warning: unused variable 'unused'" in said
    assert "the compiler warns\n" in run()[1], "again, though nothing is compiled"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("\ttcp_reno_cong_avoid(sk", "\tmy_own_avoid(sk", "my_own_avoid"),
        ('MODULE_LICENSE("GPL")', 'MODULE_LICENSE("Proprietary")', "GPL-incompatible"),
        ("static int __init", '#include "/etc/passwd"\nstatic int __init', "No such file"),
        ("static int __init", 'asm(".incbin \\"/etc/passwd\\"");\nstatic int __init', "passwd"),
    ],
    ids=["symbol", "licence", "include", "incbin"],
)
def test_what_cannot_be_compiled(old, new, words, mycc, run):
    change(mycc, old, new)
    status, said = run()
    assert status == 1
    assert "./mycc does not compile" in said
    assert words in said


def test_a_module_that_refuses_to_load_is_the_cells_error_with_its_words(mycc, run):
    refusing = 'pr_err("mycc: not today\\n");\n\treturn -ENODEV;\n\treturn tcp_register'
    change(mycc, "return tcp_register", refusing)
    status, said = run()
    assert status == 1
    assert "mycc: not today" in said
    assert "cannot load /tsqlab/module-mycc.ko: No such device" in said


@pytest.mark.parametrize(
    ("name", "words"), [("myc", 'did you mean "mycc"?'), ("zzz", "there are reno")]
)
def test_a_control_that_nothing_has_is_told_with_those_that_are_there(name, words, run):
    status, said = run(f"congestion_control={name}")
    assert status == 1
    assert f"no congestion control '{name}' in this kernel; {words}" in said


def test_a_kbuild_of_ones_own_is_used(mycc, run, tmp_path):
    kbuild = "obj-m := tcp_mycc.o\ntcp_mycc-y := mycc.o\nccflags-y := -DANSWER=42\n"
    (mycc.parent / "Kbuild").write_text(kbuild)
    change(mycc, "\tBUILD_BUG_ON(", "\tBUILD_BUG_ON(ANSWER != 42);\n\tBUILD_BUG_ON(")
    assert run()[0] == 0
    (found,) = metrics(tmp_path)
    assert found["goodput_mbps"] > 500


QDISC = """\
// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/module.h>
#include <net/pkt_sched.h>

static int mine_enqueue(struct sk_buff *skb, struct Qdisc *sch, struct sk_buff **to_free)
{
	if (sch->q.qlen < 20)
		return qdisc_enqueue_tail(skb, sch);
	return qdisc_drop(skb, sch, to_free);
}

static struct Qdisc_ops mine = {
	.id = "mine", .owner = THIS_MODULE, .enqueue = mine_enqueue,
	.dequeue = qdisc_dequeue_head, .peek = qdisc_peek_head, .reset = qdisc_reset_queue,
};

static int __init mine_register(void)
{
	return register_qdisc(&mine);
}

module_init(mine_register);
MODULE_DESCRIPTION("20 packets, and no more");
MODULE_LICENSE("GPL");
"""


def test_a_qdisc_of_ones_own(run, tmp_path):
    """20 packets of 1514 bytes are 24 ms at 10 Mbit/s."""
    (tmp_path / "sch_mine").mkdir()
    (tmp_path / "sch_mine" / "mine.c").write_text(QDISC)
    change(tmp_path / "e.toml", "./mycc", "./sch_mine")
    sets = ("congestion_control=reno", "bottleneck=R10M", "qdisc=mine", "offloads=off")
    assert run(*sets)[0] == 0
    (found,) = metrics(tmp_path)
    assert 15 < found["tcp_rtt_ms_p50"] < 27


@pytest.mark.kernels
@pytest.mark.parametrize("where", ['kernel="6.1"', "era=4.13"])
def test_a_module_over_other_kernels(where, run, tmp_path):
    assert run(where)[0] == 0
    (found,) = metrics(tmp_path)
    assert found["goodput_mbps"] > 500
