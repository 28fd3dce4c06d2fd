# SPDX-License-Identifier: GPL-2.0-or-later
"""Names in the radio module: a trace or an oops shows a function's name and nothing else."""

import re
from collections import Counter

import pytest

from tsqlab.paths import KERNEL_MODULES

AIRLINK = KERNEL_MODULES / "airlink"
SOURCES = sorted(AIRLINK.rglob("*.c"))
FUNCTION = re.compile(r"^static [^;={}]*?\b(\w+)\([^;]*?\)\n\{", re.MULTILINE)
OBJECT = re.compile(r"^static [^;(){}]*?\b(\w+)(?:\[.*?\])*(?: = |;)", re.MULTILINE)


def functions(source):
    return FUNCTION.findall(re.sub(r"/\*.*?\*/", "", source.read_text(), flags=re.DOTALL))


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: str(source.relative_to(AIRLINK)))
def test_a_static_function_begins_with_its_file_s_or_folder_s_name(source):
    prefixes = (f"{source.stem}_", f"{source.parent.name}_")
    assert [name for name in functions(source) if not name.startswith(prefixes)] == []


def test_no_two_statics_share_a_name():
    found = Counter(name for source in SOURCES for name in functions(source))
    assert found.total() > 200, "they are found"
    found.update(name for source in SOURCES for name in {*OBJECT.findall(source.read_text())})
    assert [name for name, times in found.items() if times > 1] == []
