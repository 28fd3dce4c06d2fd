# SPDX-License-Identifier: GPL-2.0-or-later
"""The congestion controls that are a module: when it is loaded, and how old it is made."""

import re

import pytest
from pydantic import ValidationError

from tsqlab.experiment.cycle import Cycle
from tsqlab.experiment.era import ERAS
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.guest.plan import make_plan
from tsqlab.guest.testbed.controls import CONTROLS
from tsqlab.kernels.source import history
from tsqlab.paths import KERNEL_MODULES

BBRS = KERNEL_MODULES / "bbrs"


def set_up(control, testbed=None, sender=None, **lab):
    data = {"title": "", "testbed": testbed or {}, "lab": lab}
    sender = {"congestion_control": control, **(sender or {})}
    spec = Spec.model_validate({**data, "sender": sender})
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


def test_the_cycle_is_written_to_the_module_where_it_is_loaded():
    cycle = {"cycle": "1.5/0.9/3 drain"}
    assert of_module(set_up("cubic", sender=cycle)) == []
    assert of_module(set_up("bbr_cycle", sender=cycle))[1:] == [
        f"write\t-\t/sys/module/bbrs/parameters/cycle_{name}\t{value}"
        for name, value in {"up": 150, "down": 90, "cruise": 3, "drain": 1}.items()
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1.25/0.75", "is no cycle"),
        ("1.25/0.75/6 dry", "is no cycle"),
        ("1.25/0.75/6\n", "is no cycle"),
        ("4.0/0.75/6", "a gain is 0.1 to 3.9, not 4"),
        ("1.25/0.05/6", "not 0.05"),
        ("1.25/0.75/31", "1 to 30 phases follow, not 31"),
        ("1.25/0.75/0", "not 0"),
    ],
)
def test_a_cycle_that_the_module_would_refuse_is_refused_in_the_file(text, said):
    with pytest.raises(ValidationError, match=re.escape(said)):
        set_up("bbr_cycle", sender={"cycle": text})


def test_the_bounds_of_a_cycle_are_the_module_s():
    source = (BBRS / "bbr_cycle.c").read_text()
    bounds = dict(re.findall(r"#define BBR_CYCLE_(\w+)\t(\d+)", source))
    for name, form in (("PERCENT", "{}/{}/6"), ("CRUISE", "1.25/0.75/{}")):
        low, high = (int(bounds[f"{name}_{end}"]) for end in ("MIN", "MAX"))
        for value, good in ((low, True), (high, True), (low - 1, False), (high + 1, False)):
            number = f"{value / 100:.2f}" if name == "PERCENT" else value
            text = form.format(number, number)
            if good:
                Cycle.of(text)
            else:
                with pytest.raises(ValueError, match="not"):
                    Cycle.of(text)


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
