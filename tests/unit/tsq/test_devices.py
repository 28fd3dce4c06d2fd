# SPDX-License-Identifier: GPL-2.0-or-later
"""Devices of a tree that is made up, and of what ip and tc print on a real host: lo, at least."""

import json

import pytest

import tsq_host
from tsq.devices import read_devices
from tsq.errors import TsqError
from tsq.host import Host
from tsq.routes import RouteKey, by_device, candidates, with_control


@pytest.fixture
def root(tmp_path):
    tsq_host.made(tmp_path)
    return tmp_path


def devices(root):
    return read_devices(tsq_host.at(root))


def wireless(root, name, driver, holders=()):
    """Another radio, whose driver's module others use."""
    links = [*json.loads((root / "links.json").read_text()), {"ifname": name, "flags": ["UP"]}]
    (root / "links.json").write_text(json.dumps(links))
    module = root / "sys/module" / driver
    module.mkdir(parents=True)
    for holder in holders:
        (module / "holders" / holder).mkdir(parents=True)
    bus = root / "sys/bus" / driver
    bus.mkdir()
    (bus / "module").symlink_to(module)
    folder = root / "sys/class/net" / name
    (folder / "device").mkdir(parents=True)
    (folder / "phy80211").mkdir()
    (folder / "device/driver").symlink_to(bus)


def test_mac80211_is_known_by_the_modules_that_use_it(root):
    device = devices(root)["wlan0"]
    assert (device.mac80211, device.shift.text) == (True, "7 (inferred: mac80211)")
    assert devices(root)["eth0"].shift.value == 10


def test_a_driver_whose_upper_half_uses_mac80211(root):
    (root / "sys/module/mac80211/holders/iwlmvm").mkdir()
    wireless(root, "wlan1", "iwlwifi", ["iwlmvm", "iwldvm"])
    assert devices(root)["wlan1"].mac80211


@pytest.mark.parametrize(("driver", "shift"), [("brcmfmac", 8), ("8821cu", 10)])
def test_a_radio_without_mac80211(root, driver, shift):
    wireless(root, "wlan1", driver)
    device = devices(root)["wlan1"]
    assert (device.wireless, device.mac80211, device.shift.value) == (True, False, shift)
    assert driver in device.shift.known_by


def test_a_bridge_has_the_shift_of_what_is_beneath(root):
    (root / "sys/class/net/br0").mkdir(parents=True)
    (root / "sys/class/net/br0/lower_wlan0").mkdir()
    assert devices(root)["br0"].shift.text == "7 (inferred: wlan0 is beneath)"


def test_a_ring_of_devices_ends(root):
    for one, other in (("br0", "eth0"), ("eth0", "br0")):
        (root / "sys/class/net" / one / f"lower_{other}").mkdir(parents=True)
    assert devices(root)["br0"].shift.value == 10


def test_aql_where_it_may_be_read(root):
    debug = root / "sys/kernel/debug/ieee80211/phy0"
    debug.mkdir(parents=True)
    (debug / "aql_txq_limit").write_text("AC\tlow\thigh\nVO\t5000\t12000\n")
    (root / "sys/class/net/wlan0/phy80211/name").write_text("phy0\n")
    assert devices(root)["wlan0"].aql.endswith("VO 5000 12000")


def test_output_that_is_none_is_said(root):
    (root / "links.json").write_text('Object "-json" is unknown')
    with pytest.raises(TsqError, match="ip -json -details link show: not JSON"):
        devices(root)


def test_this_host_has_lo():
    lo = read_devices(Host())["lo"]
    assert lo.loopback
    assert not lo.wireless


def test_which_routes_may_be_changed(root):
    found = {
        (one.family, one.text.split()[1]): one.why_not
        for one in candidates(tsq_host.at(root), "wlan0")
    }
    assert found == {
        ("4", "default"): "",
        ("4", "192.0.2.0/24"): "",
        ("4", "203.0.113.0/24"): "it has several next hops",
        ("6", "2001:db8::/64"): "the kernel itself keeps it, with a lifetime",
        ("6", "2001:db8:1::/48"): "",
        ("6", "default"): "the kernel itself keeps it, with a lifetime",
    }


def test_routes_that_the_kernel_would_confuse_are_left_alone(root):
    path = root / "routes4"
    path.write_text("unicast default via 192.0.2.1 dev wlan0 metric 5 \n"
                    "unicast default via 192.0.2.9 dev wlan0 metric 5 \n")  # fmt: skip
    assert {one.why_not for one in candidates(tsq_host.at(root), "wlan0") if one.family == "4"} == {
        "another has the same prefix and metric"
    }


def test_what_ip_tells_of_a_moment_is_not_written(root):
    path = root / "routes4"
    path.write_text("unicast default via 192.0.2.1 dev wlan0 scope global metric 5 linkdown \n")
    (route,) = (one for one in candidates(tsq_host.at(root), "wlan0") if one.family == "4")
    assert route.text == "unicast default via 192.0.2.1 dev wlan0 scope global metric 5"


@pytest.mark.parametrize(
    "name", ["metric", "expires", "lock", "nexthop", "a\\b", "\u2003", "x\x1fy"]
)
def test_a_device_may_have_any_name(root, name):
    """Linux forbids a slash, a colon and what isspace() takes for a space."""
    text = f"unicast default via 192.0.2.1 dev {name} proto dhcp metric 5 mtu lock 1400"
    (root / "routes4").write_text(f"{text} linkdown \n")
    (route,) = (one for one in candidates(tsq_host.at(root), name) if one.family == "4")
    assert (route.text, route.why_not) == (text, "")
    key = RouteKey.of(text)
    assert (key.prefix, key.device, key.metric) == ("default", name, "5")
    assert by_device(text, "other") == text.replace(f"dev {name}", "dev other")


@pytest.mark.parametrize("what", ["realm 4", "encap mpls 100", "features ecn tcp_usec_ts", "x"])
def test_a_route_with_what_is_not_known_is_left_alone(root, what):
    path = root / "routes4"
    path.write_text(f"unicast default via 192.0.2.1 dev wlan0 metric 5 {what} \n")
    (route,) = (one for one in candidates(tsq_host.at(root), "wlan0") if one.family == "4")
    assert f"it has {what.split()[-1 if 'ecn' in what else 0]}, which" in route.why_not


def test_a_next_hop_of_the_other_family_is_two_words():
    key = RouteKey.of("unicast default via inet6 fe80::1 dev a metric 5")
    assert (key.device, key.metric) == ("a", "5")


def test_a_folder_of_another_namespace_s_device_tells_nothing(root):
    """After nsenter --net, /sys is still that of before."""
    (root / "sys/class/net/wlan0/ifindex").write_text("99\n")
    assert devices(root)["wlan0"].kind == "-"
    (root / "sys/class/net/wlan0/ifindex").write_text("3\n")
    assert devices(root)["wlan0"].mac80211


def test_a_list_that_changed_meanwhile_is_asked_for_again(tmp_path):
    """ip and tc say so with status 0, and what they print may lack a route."""
    said = tmp_path / "ip"
    said.write_text(
        'n=$(cat "$0.n" 2>/dev/null || echo 0); echo $((n + 1)) >"$0.n"\n'
        'if [ "$n" -lt "$1" ]; then echo Dump was interrupted and may be inconsistent. >&2\n'
        "echo half; else echo whole; fi\n"
    )
    assert Host().asked(["sh", str(said), "3"]) == "whole\n"
    with pytest.raises(TsqError, match="changed 5 times meanwhile"):
        Host().asked(["sh", str(said), "99"])


def test_a_congestion_control_takes_another_s_place():
    key = RouteKey.of("unicast default dev a metric 5 congctl lock bbr mtu 1400")
    assert (key.prefix, key.device, key.metric) == ("default", "a", "5")
    assert (
        with_control("default dev a congctl lock bbr mtu 9", "x") == "default dev a mtu 9 congctl x"
    )
    assert with_control("default dev a congctl bbr", "x") == "default dev a congctl x"
