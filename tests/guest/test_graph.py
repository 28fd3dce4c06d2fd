# SPDX-License-Identifier: GPL-2.0-or-later
"""Testbeds that are graphs: packets get everywhere, and radios share what they share."""

from hypothesis import HealthCheck, Phase, given, settings

from graphs import graphs
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.guest.boot import Machine
from tsqlab.guest.plan import make_plan
from tsqlab.guest.run import run_plan
from tsqlab.results.measurement import read_table

SHORT = {"length": "1 s", "delay": "0 s"}


def profiles(spec):
    return {name: load_profile(name) for name in spec.testbed.graph.devices}


def pings(spec):
    """A ping from each node to each other: the name of its series, and the plan's line."""
    addresses = spec.testbed.graph.addresses
    for here in addresses:
        for there in addresses:
            if here != there:
                series = f"ping-{here}-{there}"
                yield (
                    series,
                    ["ping", here, series, "icmp", addresses[there], "5001", "0", "200000000"],
                )


@settings(max_examples=4, derandomize=True, database=None, phases=[Phase.generate],
          suppress_health_check=list(HealthCheck))  # fmt: skip
@given(tables=graphs(nodes_min=8, nodes_max=8))
def test_each_node_pings_each_other(kernel, cpu, tmp_path_factory, tables):
    spec = Spec.model_validate({"title": "", "flows": SHORT, **tables})
    others = profiles(spec)
    plan = make_plan(spec, others[spec.testbed.device], others)
    asked = dict(pings(spec))
    clock = next(line for line in plan.measurement if line[0] == "clock")
    plan = type(plan)(plan.set_up, (clock, *asked.values(), ["end"]), plan.batches)
    out = run_plan(Machine(kernel, 256 << 20, 1, cpu), plan, tmp_path_factory.mktemp("guest"))
    answered = {name: len(read_table(out / f"{name}.tsv")["t_ns"]) for name in asked}
    assert [name for name, count in answered.items() if count < 2] == []
