# SPDX-License-Identifier: GPL-2.0-or-later
"""What apply chooses, refuses and takes back; what undo leaves alone."""

import json
import os
import re

import pytest

import tsq_host
from tsq import persist, setting, state
from tsq.devices import read_devices
from tsq.errors import TsqError
from tsq.host import beside
from tsq.methods import device_of, methods
from tsq.setting import Wanted

CA = "proc/sys/net/ipv4/tcp_pacing_ca_ratio"

pytestmark = pytest.mark.usefixtures("built")


@pytest.fixture
def root(tmp_path):
    tsq_host.made(tmp_path)
    return tmp_path


def takes(microseconds):
    assert microseconds > 0


def refuses(microseconds):
    raise TsqError(f"the kernel does not take {microseconds}")


def apply(root, wanted, device="wlan0", probe=takes):
    host = tsq_host.at(root)
    devices = read_devices(host)
    return list(setting.apply(host, devices, device_of(host, devices, device), wanted, probe))


def alone(root):
    """wlan0 is the only device in use."""
    links = [link for link in tsq_host.LINKS if link["ifname"] in ("lo", "wlan0")]
    (root / "links.json").write_text(json.dumps(links))


def test_auto_is_bpf_for_the_device_s_routes(root):
    said = apply(root, Wanted(6))
    assert said[0] == "bpf: 6 ms on wlan0"
    lines = (root / "routes4").read_text().splitlines()
    marked = [line for line in lines if "congctl tsq_cubic" in line]
    assert [line.split()[1] for line in marked] == ["default", "192.0.2.0/24"]
    assert all("dev wlan0" in line for line in marked)
    marked = [line for line in (root / "routes6").read_text().splitlines() if "congctl" in line]
    assert [line.split()[1] for line in marked] == ["2001:db8:1::/48"], (
        "only what is not the kernel's"
    )
    assert (root / CA).read_text() == "120\n"


def test_the_ratio_is_refused_where_others_would_have_it(root):
    before = tsq_host.snapshot(root)
    with pytest.raises(TsqError, match=r"without --host-wide: eth0 has 0\.75 ms then"):
        apply(root, Wanted(6, "sysctl"))
    assert tsq_host.snapshot(root) == before
    apply(root, Wanted(6, "sysctl", host_wide=True))
    assert (root / CA).read_text() == "92\n"


def test_alone_it_needs_no_leave(root):
    alone(root)
    apply(root, Wanted(6, "sysctl"))
    assert (root / CA).read_text() == "92\n"


def test_fq_would_pace_at_it(root):
    alone(root)
    (root / "qdiscs.json").write_text('[{"kind": "fq", "dev": "wlan0", "root": true}]')
    with pytest.raises(
        TsqError, match="fq at wlan0 paces its flows at 92 % of cwnd / RTT, which is"
    ):
        apply(root, Wanted(6, "sysctl"))
    with pytest.raises(TsqError, match="bpf: fq at wlan0 paces all flows"):
        apply(root, Wanted(6, "bpf"))


def test_auto_goes_on_where_the_kernel_takes_no_program(root):
    with pytest.raises(TsqError, match="bpf: the kernel does not take 6000; sysctl: is refused"):
        apply(root, Wanted(6), probe=refuses)
    alone(root)
    assert apply(root, Wanted(6), probe=refuses)[0] == "sysctl: 6 ms on wlan0"


def test_cotsq_comes_first_where_it_is(root):
    (root / "proc/sys/net/ipv4/tcp_tsq_us").write_text("0\n")
    alone(root)
    assert apply(root, Wanted(5.5))[0] == "cotsq: 5.5 ms on wlan0"
    assert (root / "proc/sys/net/ipv4/tcp_tsq_us").read_text() == "5500\n"


def test_what_somebody_changed_meanwhile_is_left_alone(root):
    apply(root, Wanted(6, "sysctl", host_wide=True))
    (root / CA).write_text("150\n")
    said = list(setting.undo(tsq_host.at(root)))
    assert said == [
        "back: sysctl -w net.ipv4.tcp_pacing_ss_ratio=200",
        "left alone, for it is no longer as tsq set it: net.ipv4.tcp_pacing_ca_ratio (now: 150)",
    ]
    assert (root / CA).read_text() == "150\n"
    assert list(setting.undo(tsq_host.at(root))) == ["nothing is applied here"]


def test_a_route_that_is_gone_is_not_made_anew(root):
    apply(root, Wanted(6, "bpf"))
    (root / "routes4").write_text("")
    said = list(setting.undo(tsq_host.at(root)))
    assert sum("(it is gone)" in line for line in said) == 2
    assert (root / "routes4").read_text() == ""


def test_an_apply_that_fails_halfway_is_taken_back(root, monkeypatch):
    before = tsq_host.snapshot(root)
    plain = tsq_host.FakeHost.told

    def told(self, words):
        if "192.0.2.0/24" in words and "congctl" in words:
            raise TsqError("RTNETLINK answers: No such process")
        return plain(self, words)

    monkeypatch.setattr(tsq_host.FakeHost, "told", told)
    with pytest.raises(TsqError, match="No such process"):
        apply(root, Wanted(6, "bpf"))
    assert tsq_host.snapshot(root) == before


def cannot(_, words):
    raise TsqError(f"no {words[0]} now")


def test_an_undo_that_fails_can_be_tried_again(root, monkeypatch):
    before = tsq_host.snapshot(root)
    apply(root, Wanted(6, "bpf"))
    with monkeypatch.context() as patched:
        patched.setattr(tsq_host.FakeHost, "told", cannot)
        with pytest.raises(TsqError, match="kept to be tried again: 6:3: no ip now"):
            list(setting.undo(tsq_host.at(root)))
    list(setting.undo(tsq_host.at(root)))
    assert tsq_host.snapshot(root) == before


def test_an_apply_does_not_forget_what_could_not_be_undone(root, monkeypatch):
    """It would write down our own setting as that of before."""
    before = tsq_host.snapshot(root)
    apply(root, Wanted(6, "bpf"))
    with monkeypatch.context() as patched:
        patched.setattr(tsq_host.FakeHost, "told", cannot)
        with pytest.raises(TsqError, match="not undone, and kept"):
            apply(root, Wanted(4, "sysctl", host_wide=True))
    list(setting.undo(tsq_host.at(root)))
    assert tsq_host.snapshot(root) == before


def test_a_route_is_found_though_its_device_has_another_name(root):
    """Linux renames devices that are up, and keeps their routes, from 6.2 on."""
    apply(root, Wanted(6, "bpf"))
    routes = root / "routes4"
    routes.write_text(routes.read_text().replace("dev wlan0", "dev roof"))
    list(setting.undo(tsq_host.at(root, renamed="roof")))
    assert "congctl" not in routes.read_text()
    assert "default via 192.0.2.1 dev roof proto dhcp" in routes.read_text()


def test_what_is_kept_is_for_root_to_write_whatever_the_umask_is(root):
    """Who could write there could have root undo whatever they like."""
    before = os.umask(0)
    try:
        apply(root, Wanted(6, "bpf"))
    finally:
        os.umask(before)
    path = state.path_of(tsq_host.at(root), lasting=False)
    assert [entry.stat().st_mode & 0o777 for entry in (path.parent, path)] == [0o755, 0o644]


def test_what_somebody_left_in_the_way_is_not_followed(root, tmp_path_factory):
    """A link in place of the file that is written first, where root has opened the folder."""
    path = state.path_of(tsq_host.at(root), lasting=False)
    path.parent.mkdir(parents=True)
    theirs = tmp_path_factory.mktemp("theirs") / "file"
    theirs.write_text("theirs")
    beside(path).symlink_to(theirs)
    apply(root, Wanted(6, "bpf"))
    assert theirs.read_text() == "theirs"
    assert not path.is_symlink()


def test_an_undo_stops_the_timer_of_systemd(root):
    (root / "run/systemd/system").mkdir(parents=True)
    apply(root, Wanted(6, "bpf"))
    token = state.load(tsq_host.at(root), lasting=False).token
    list(setting.undo(tsq_host.at(root)))
    assert (root / "disarmed").read_text() == f"tsq-undo-{token}.timer"


def test_a_timer_undoes_only_what_it_was_armed_for(root):
    apply(root, Wanted(6, "bpf", for_s=60))
    armed = (root / "later").read_text().split()
    assert armed[:1] == ["60"]
    apply(root, Wanted(4, "bpf"))
    later = tsq_host.snapshot(root)
    list(setting.undo(tsq_host.at(root), token=armed[-1]))
    assert tsq_host.snapshot(root) == later


def test_for_is_armed_before_anything_is_changed(root):
    """The timer is the first operation: it is there whatever happens to the second."""
    host = tsq_host.at(root, die_at=1)
    devices = read_devices(host)
    import os  # noqa: PLC0415

    child = os.fork()
    if not child:
        list(setting.apply(host, devices, devices["wlan0"], Wanted(6, "bpf", for_s=9), takes))
        os._exit(0)
    os.waitpid(child, 0)
    assert (root / "later").exists()
    assert state.load(tsq_host.at(root), lasting=False) is None


def test_persist_writes_a_unit_that_applies_the_same(root):
    (root / "run/systemd/system").mkdir(parents=True)
    apply(root, Wanted(6, "bpf", persist=True))
    unit = (root / "etc/systemd/system/tsq.service").read_text()
    assert re.search(r"^ExecStart=\S+ \S+ apply --ms 6 --method bpf --dev wlan0$", unit, re.M)
    link = root / "etc/systemd/system/multi-user.target.wants/tsq.service"
    assert link.resolve() == (root / "etc/systemd/system/tsq.service").resolve()
    # At boot: /run is empty, and the unit's apply leaves the unit alone.
    state.path_of(tsq_host.at(root), lasting=False).unlink()
    apply(root, Wanted(6, "sysctl", host_wide=True))
    assert link.exists()
    list(setting.undo(tsq_host.at(root)))
    assert not link.is_symlink()


@pytest.mark.parametrize(("word", "written"), [("wlan0", "wlan0"), ("a%i", '"a%%i"'),
                                               ("$HOME", '"$$HOME"'), ("a'b", '"a\'b"'),
                                               ('a"b\\', r'"a\"b\\"'), (";", '";"')])  # fmt: skip
def test_a_unit_has_names_as_systemd_reads_them(word, written):
    assert f"--dev {written}\n" in persist.unit(["/usr/bin/tsq", "--dev", word])


def test_persist_needs_systemd(root):
    before = tsq_host.snapshot(root)
    with pytest.raises(TsqError, match="--persist: is for systemd"):
        apply(root, Wanted(6, "bpf", persist=True))
    assert tsq_host.snapshot(root) == before
    with pytest.raises(TsqError, match="one or the other"):
        apply(root, Wanted(6, "bpf", persist=True, for_s=60))


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "[" * 100_000, "null", '{"format": 2}',
             '{"format": 1, "changes": [{"kind": "rm"}]}',
             '{"format": 1, "method": "a", "ms": "x", "token": "", "changes": []}', "\0" * 100],
)  # fmt: skip
def test_a_state_that_is_none_is_an_error_with_words(root, text):
    path = state.path_of(tsq_host.at(root), lasting=False)
    path.parent.mkdir(parents=True)
    path.write_text(text)
    with pytest.raises(TsqError, match="state|change|version"):
        list(setting.undo(tsq_host.at(root)))


def test_a_damaged_state_does_not_keep_the_other(root):
    (root / "run/systemd/system").mkdir(parents=True)
    apply(root, Wanted(6, "bpf", persist=True))
    state.path_of(tsq_host.at(root), lasting=False).write_text("{")
    with pytest.raises(TsqError, match="is no state of tsq"):
        list(setting.undo(tsq_host.at(root)))
    assert not (root / "etc/systemd/system/tsq.service").exists()


@pytest.mark.parametrize("ms", [0, -1, 0.01, 1e9, float("nan"), float("inf")])
def test_a_limit_has_to_make_sense(root, ms):
    with pytest.raises(TsqError, match="is not between"):
        apply(root, Wanted(ms))


def test_plan_changes_nothing_and_has_all_three(root):
    before = tsq_host.snapshot(root)
    host = tsq_host.at(root)
    devices = read_devices(host)
    planned = methods(host, devices, devices["wlan0"], 6)
    assert [method.name for method in planned] == ["cotsq", "bpf", "sysctl"]
    assert "does not have CoTSQ's patches" in planned[0].why_not
    assert tsq_host.snapshot(root) == before
    assert methods(host, devices, devices["wlan0"], 600)[2].why_not.startswith(
        "the ratio goes from"
    )
    (root / "proc/sys/net/ipv4/tcp_congestion_control").write_text("bbr\n")
    assert "bbr sets its own rate" in methods(host, devices, devices["wlan0"], 6)[2].why_not


def test_a_device_that_is_not_there(root):
    with pytest.raises(TsqError, match="--dev wlan9: no such device .*; there are br0, eth0"):
        apply(root, Wanted(6), device="wlan9")
    host = tsq_host.at(root)
    assert device_of(host, read_devices(host), None).name == "wlan0", "the default route's"
    (root / "routes4").write_text("unicast default via 192.0.2.1 dev gone metric 5 \n")
    (root / "routes6").write_text("unicast default via fe80::1 dev eth0 proto ra metric 9 \n")
    assert device_of(host, read_devices(host), None).name == "eth0", "IPv6's, where one is gone"
