# SPDX-License-Identifier: GPL-2.0-or-later
"""Kernels that do the same send the same packets: CoTSQ's defaults, and code laid out anew.

All that is random in a guest comes from its seed and from nothing of the kernel's code. So two
captures are compared to the byte and to the nanosecond, with their ports, sequence numbers, time
stamps, BBR's phase, fq_codel's hash, and the time for which ARP trusts an answer.
"""

import shutil

import pytest

from pcap import frames
from tsqlab.kernels import Recipe, build
from tsqlab.kernels.source import patches_of
from tsqlab.paths import KERNEL_PATCHES

pytestmark = pytest.mark.kernels

FLOWS = {"length": "3 s", "delay": "500 ms", "streams": 2}
WIRED = {"testbed": {"bottleneck": "L100M", "base_rtt": "4 ms"}, "flows": FLOWS}
WIFI = {"testbed": {"layout": "wifi", "base_rtt": "1 ms"}, "flows": FLOWS}
PROBES = {"net.ipv4.tcp_mtu_probing": "2", "net.ipv4.tcp_base_mss": "600"}
# The first of the kernel's own files moves whatever is linked after it, as a function would that
# has grown; not by whole pages, nor by what functions are aligned to.
LONGER = """\
--- a/kernel/fork.c
+++ b/kernel/fork.c
@@ -1,3 +1,4 @@
+asm(".pushsection .text; .skip 4123, 0x90; .popsection");
 // SPDX-License-Identifier: GPL-2.0-only
 /*
  *  linux/kernel/fork.c
"""


def without_cotsq(version):
    """The kernel without CoTSQ: only what User-Mode Linux needs."""
    kernel = build(Recipe(version=version, patches=KERNEL_PATCHES / version / "um"))
    assert not kernel.cotsq
    return kernel


@pytest.fixture(scope="session")
def stock():
    return without_cotsq("6.12")


@pytest.fixture(scope="session")
def laid_out_anew(tmp_path_factory):
    """The kernel of the series, at other addresses and with another hash."""
    folder = tmp_path_factory.mktemp("patches")
    for number, patch in enumerate(patches_of("6.12", None)):
        shutil.copy(patch, folder / f"{number:03}.patch")
    (folder / "999.patch").write_text(LONGER)
    return build(Recipe(version="6.12", patches=folder))


@pytest.fixture
def sent(capture):
    """The capture of a cell, which has to be one of some length."""

    def run(kernel, spec, **options):
        pcap = capture(kernel, spec, **options)
        assert len(frames(pcap)) > 1_000
        return pcap.read_bytes()

    return run


def hidden(sysctls):
    """A plan's line that leaves a folder of sysctls empty.

    Each program that starts is given random numbers, so one has to start in every guest.
    """
    return ["run", "-", "mount", "-t", "tmpfs", "none", f"/proc/sys/{sysctls}"]


def over(spec, **sender):
    return spec | {"sender": sender}


def on(spec, **testbed):
    return spec | {"testbed": spec["testbed"] | testbed}


CELLS = {
    **{
        f"{control}-{qdisc}-{offloads}": over(
            on(WIRED, qdisc=qdisc), offloads=offloads, congestion_control=control
        )
        for control in ("cubic", "bbr")
        for qdisc in ("pfifo_fast", "fq_codel")
        for offloads in ("off", "gso", "on")
    },
    **{
        f"{control}-{device}": over(on(WIFI, device=device), congestion_control=control)
        for control in ("cubic", "bbr")
        for device in ("ath9k_htc", "ath9k")  # above a qdisc, and above mac80211's queues
    },
    "mtu-probes": on(WIRED, sysctl={"C": PROBES}),
}


@pytest.mark.parametrize("name", CELLS)
def test_defaults_change_nothing(stock, kernel, sent, name):
    """A kernel with the series does as one without.

    Both with its static key on, as somebody asks what TSQ does, and off.
    """
    before = sent(stock, CELLS[name], set_up=[hidden("dev")])
    assert before == sent(kernel, CELLS[name], set_up=[hidden("dev")])
    assert before == sent(kernel, CELLS[name], set_up=[hidden("net/ipv4")])


@pytest.mark.parametrize("offloads", ["gso", "on"])
def test_defaults_change_nothing_on_6_1(sent, offloads):
    before = sent(without_cotsq("6.1"), over(WIRED, offloads=offloads))
    assert before == sent(build(Recipe(version="6.1")), over(WIRED, offloads=offloads))


@pytest.mark.parametrize("name", CELLS)
def test_addresses_change_nothing(laid_out_anew, kernel, sent, name):
    assert laid_out_anew.id != kernel.id
    assert sent(laid_out_anew, CELLS[name]) == sent(kernel, CELLS[name])


def test_the_comparison_can_fail(kernel, sent):
    """Another limit is seen in the capture, and so is another seed."""
    before = sent(kernel, WIRED)
    assert before == sent(kernel, WIRED)
    assert before != sent(kernel, over(WIRED, tsq="6TSQ"))
    assert before != sent(kernel, WIRED | {"lab": {"seed": 2}})
