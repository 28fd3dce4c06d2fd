# SPDX-License-Identifier: GPL-2.0-or-later
"""The congestion controls that are a module: when it is loaded, and how old it is made."""

import re

import pytest

from tsqlab.experiment.era import ERAS
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.guest.plan import make_plan
from tsqlab.guest.testbed.controls import CONTROLS
from tsqlab.kernels.source import history
from tsqlab.paths import KERNEL_MODULES

BBRS = KERNEL_MODULES / "bbrs"


def set_up(control, testbed=None, **lab):
    data = {"title": "", "testbed": testbed or {}, "lab": lab}
    spec = Spec.model_validate({**data, "sender": {"congestion_control": control}})
    return ["\t".join(line) for line in make_plan(spec, load_profile(spec.testbed.device)).set_up]


def of_module(lines):
    return [line for line in lines if "bbrs" in line]


@pytest.mark.parametrize("testbed", [{}, {"layout": "wifi"}])
@pytest.mark.parametrize("control", ["bbrplus", "cubic,bbr_cycle"])
def test_the_module_comes_before_the_sysctls_that_name_it(testbed, control):
    lines = set_up(control, testbed)
    loaded = lines.index("module\t/tsqlab/modules/bbrs.ko")
    named = [number for number, line in enumerate(lines) if "congestion_control" in line]
    assert named
    assert loaded < min(named)
    assert of_module(lines) == [lines[loaded]], "it is of today, as the kernel is"


def test_a_cell_that_does_not_ask_for_it_has_nothing_of_it():
    assert of_module(set_up("cubic,bbr")) == []


def test_it_is_as_old_as_the_kernel_s_own_bbr():
    written = of_module(set_up("bbrplus", era="4.13"))[1:]
    changes = sorted(name for name in ERAS["4.13"].patches if name.startswith("bbr-"))
    assert len(changes) == 6
    assert [line.split("/")[-1] for line in written] == [
        f"without_{name.removeprefix('bbr-').replace('-', '_')}\tY" for name in changes
    ]
    assert of_module(set_up("bbrplus", kernel="6.12-without-bbr-edt"))[1:] == [
        "write\t-\t/sys/module/bbrs/parameters/without_edt\tY"
    ]


def test_each_change_of_bbr_that_can_be_taken_back_is_a_parameter():
    declared = set(re.findall(r"^AGE_PARAMETER\((\w+)\);$", (BBRS / "age.c").read_text(), re.M))
    changes = {name.removeprefix("bbr-") for name in history() if name.startswith("bbr-")}
    assert declared == {name.replace("-", "_") for name in changes}


def test_the_names_are_those_that_the_module_registers():
    sources = "".join(path.read_text() for path in BBRS.glob("*.c"))
    assert set(re.findall(r'\bBBRS_\w+_OPS\("(\w+)"\)', sources)) == CONTROLS


@pytest.mark.parametrize("control", sorted(CONTROLS))
def test_the_kernel_finds_the_module_by_a_control_s_name(control):
    """TCP asks for the module tcp_NAME when a sysctl or a socket names a control it has not."""
    assert f'MODULE_ALIAS("tcp_{control}");' in (BBRS / f"{control}.c").read_text().splitlines()
