# SPDX-License-Identifier: GPL-2.0-or-later
"""ns-3 as a process: a line of JSON in, [link, upload]; a line out, {"bytes", "cpu_s"}.

Runs with the Python that has the packages of ns3-requirements.txt. What ns-3 is to do is in
ns3_link.h; cppyy compiles that when this starts, and calls it.
"""

import importlib.util
import json
import sys
from pathlib import Path

import cppyy

MODULES = (
    "core",
    "network",
    "mobility",
    "internet",
    "applications",
    "traffic-control",
    "point-to-point",
    "wifi",
)

found = importlib.util.find_spec("ns3")
assert found and found.submodule_search_locations
root = Path(found.submodule_search_locations[0])
cppyy.add_include_path(str(root / "include"))
for module in MODULES:
    cppyy.load_library(str(*(root / "lib64").glob(f"libns3*-{module}.so")))
cppyy.include(str(Path(__file__).parent / "ns3_link.h"))
bench = cppyy.gbl.bench

for line in sys.stdin:
    link, upload = json.loads(line)
    outcome = bench.Run(bench.Link(*link), bench.Upload(*upload))
    print(json.dumps({"bytes": outcome.bytes, "cpu_s": outcome.cpu_s}), flush=True)
