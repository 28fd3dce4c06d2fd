# SPDX-License-Identifier: GPL-2.0-or-later
"""Where things lie in a guest is said once in Python and once in C, and both say the same."""

import ast
import re
import subprocess

from tsqlab.guest import places
from tsqlab.paths import AGENT as AGENT_SOURCE
from tsqlab.paths import PACKAGE, ROOT

HEADER = AGENT_SOURCE / "places.h"


def test_the_agents_places_are_those_of_python():
    names = re.findall(r"^#define (\w+)\t", HEADER.read_text(), re.MULTILINE)
    text = "\n".join(["#include <places.h>", *names])
    command = ["gcc", "-E", "-P", "-I", str(AGENT_SOURCE), "-x", "c", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    # The preprocessor leaves a line per name; C joins neighbouring strings, as Python does.
    values = [ast.literal_eval(line) for line in done.stdout.splitlines() if line]
    assert names
    assert dict(zip(names, values, strict=True)) == {name: getattr(places, name) for name in names}


def test_nobody_else_names_a_place():
    owners = {HEADER, PACKAGE / "guest" / "places.py"}
    files = {*AGENT_SOURCE.glob("*.[ch]"), *PACKAGE.rglob("*.py"), *(ROOT / "bench").glob("*.py")}
    assert owners <= files
    place = re.compile(rf"(?<!src){places.GUEST_DIR}/")  # src/tsqlab/ is not in a guest
    assert [path for path in sorted(files - owners) if place.search(path.read_text())] == []
