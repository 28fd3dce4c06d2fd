# SPDX-License-Identifier: GPL-2.0-or-later
"""Random testbeds as a user writes them: a tree of wires and radios, and a few wires more."""

from hypothesis import strategies as st

DEVICES = ("ath9k_htc", "ath9k")  # a fullmac and a softmac front


@st.composite
def graphs(draw, nodes_min=2, nodes_max=20, devices=DEVICES):
    """The tables [nodes], [[link]] and [[medium]] of a file; the first node sends to the last."""
    names = [f"N{number}" for number in range(draw(st.integers(nodes_min, nodes_max)))]
    made = _Made(devices)
    for number, name in enumerate(names[1:], 1):
        parent = names[draw(st.integers(0, number - 1))]
        if draw(st.booleans()):
            made.wire(parent, name)
        else:
            made.station(draw, parent, name)
    for _ in range(draw(st.integers(0, len(names) // 2))):
        made.wire(draw(st.sampled_from(names)), draw(st.sampled_from(names)))
    nodes = {name: {} for name in names}
    nodes[names[0]] = {"server": names[-1]}
    tables = {"nodes": nodes, "link": made.links, "medium": made.media}
    return {name: table for name, table in tables.items() if table}


class _Made:
    """Links and media so far."""

    def __init__(self, devices):
        self.devices, self.links, self.media, self.pairs = devices, [], [], set()

    def wire(self, one, other):
        if one != other and frozenset((one, other)) not in self.pairs:
            self.pairs.add(frozenset((one, other)))
            self.links.append({"between": [one, other]})

    def station(self, draw, access_point, name):
        """A station of a node that is an access point already, or becomes one."""
        free = [medium for medium in self.media
                if medium["members"].get(access_point, "ap") == "ap"]  # fmt: skip
        number = draw(st.integers(0, len(free)))
        if number == len(free):
            device = draw(st.sampled_from(self.devices))
            free.append({"name": f"air{len(self.media)}", "device": device, "members": {}})
            self.media.append(free[-1])
        self.pairs.add(frozenset((access_point, name)))
        members = free[number]["members"]
        members[access_point] = "ap"
        members[name] = {"role": "station", "of": access_point}
