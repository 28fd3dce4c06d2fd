# SPDX-License-Identifier: GPL-2.0-or-later
"""How much time's worth of a flow is below TCP, as `tsq show --json` has the flow."""


def stock_rate(flow):
    """The pacing rate that a flow has with stock's ratios, in bytes per second."""
    ratio = 2.0 if flow["cwnd"] < flow["ssthresh"] // 2 else 1.2
    return ratio * flow["mss"] * flow["cwnd"] / (flow["srtt_us"] / 1e6)


def ms_below(flow):
    """What is below TCP, in ms at that rate."""
    return 1000 * flow["below_bytes"] / stock_rate(flow)
