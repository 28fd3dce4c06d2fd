# SPDX-License-Identifier: GPL-2.0-or-later
"""Cells whose packets can be counted: one per skb, and nothing but the kernel's own TSQ.

What a test measures of a radio, a wire or TSQ is then as many packets as the numbers say. A host
of today sends packets of many segments, of which a test says so itself.
"""

SINGLE = {"sender": {"offloads": "off", "truesize": "kernel"}, "lab": {"era": "4.13"}}


def single(spec):
    """The tables of a specification, with SINGLE for what they leave out."""
    tables = {name: {**keys, **spec.get(name, {})} for name, keys in SINGLE.items()}
    return {"title": "test", **spec, **tables}
