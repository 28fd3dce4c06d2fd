# SPDX-License-Identifier: GPL-2.0-or-later
"""wqm as it is installed: its package, its service, and its manual page."""

import os
import re
import shutil
import subprocess

import pytest

import wqm_c
from tsqlab import __version__
from tsqlab.kernels.make import BUILD_DAY
from wqm_c import WQM

FILES = {
    "./usr/lib/systemd/system/wqm@.service": "-rw-r--r--",
    "./usr/sbin/wqm": "-rwxr-xr-x",
    "./usr/share/doc/wqm/changelog.gz": "-rw-r--r--",
    "./usr/share/doc/wqm/copyright": "-rw-r--r--",
    "./usr/share/man/man8/wqm.8.gz": "-rw-r--r--",
}


@pytest.fixture(autouse=True)
def needs_libmnl():
    if not wqm_c.has_libmnl():
        pytest.skip("no headers of libmnl here; try: sudo apt-get install libmnl-dev")


def make(*words, **environment):
    # What runs the tests may be a make, whose jobs are none of ours.
    own = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    done = subprocess.run(
        ["make", "-s", "-C", WQM, *words],
        capture_output=True,
        text=True,
        env=own | environment,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    if shutil.which("dpkg-deb") is None:
        pytest.skip("no dpkg-deb here")
    out = tmp_path_factory.mktemp("deb")
    make("deb", f"OUT={out}")
    (made,) = out.iterdir()
    return made


def told(package, *words):
    environment = os.environ | {"TZ": "UTC"}
    command = ["dpkg-deb", *words[:1], package, *words[1:]]
    return subprocess.run(
        command, capture_output=True, text=True, check=True, env=environment
    ).stdout


def test_a_package_has_the_program_its_service_and_its_manual(package):
    rows = [line.split() for line in told(package, "--contents").splitlines()]
    assert {row[5]: row[0] for row in rows if not row[5].endswith("/")} == FILES
    assert {row[1] for row in rows} == {"root/root"}
    assert {row[3] for row in rows} == {f"{BUILD_DAY:%Y-%m-%d}"}


def test_it_names_what_it_needs(package):
    assert re.fullmatch(rf"wqm_{re.escape(__version__)}_\w+\.deb", package.name)
    assert told(package, "--field", "Version").strip() == __version__
    depends = told(package, "--field", "Depends")
    assert re.fullmatch(r"libc6 \(>= 2\.\d+\), libmnl0 \(>= 1\.0\.3\)\n", depends)


def test_it_is_the_same_bytes_whoever_makes_it(package, tmp_path):
    before = os.umask(0o077)
    try:
        make("deb", f"OUT={tmp_path}", TZ="Asia/Tokyo", LC_ALL="C.UTF-8")
    finally:
        os.umask(before)
    assert (tmp_path / package.name).read_bytes() == package.read_bytes()


@pytest.fixture
def installed(package, tmp_path):
    """The package's files below a folder, which its service is told of."""
    root = tmp_path / "root"
    subprocess.run(["dpkg-deb", "--extract", package, root], check=True)
    unit = root / "usr/lib/systemd/system/wqm@.service"
    unit.write_text(unit.read_text().replace("=/usr", f"={root}/usr"))
    return root / "usr"


def service(installed):
    """The lines of the service for lo, by their keys."""
    text = (installed / "lib/systemd/system/wqm@.service").read_text()
    text = text.replace("%I", "lo").replace("$WQM_OPTIONS", "--rate 65Mbit")
    return dict(re.findall(r"^(\w+)=(.*)$", text, re.MULTILINE))


def test_systemd_finds_nothing_wrong_with_the_service(installed, tmp_path):
    if shutil.which("systemd-analyze") is None:
        pytest.skip("no systemd here")
    unit = shutil.copy(
        installed / "lib/systemd/system/wqm@.service", tmp_path / "wqm@wlan0.service"
    )
    command = ["systemd-analyze", "verify", "--man=no", unit]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_service_puts_the_limit_back_after_a_kill(installed, tmp_path):
    """By its own two commands, in a network of its own: systemd runs the second after the first."""
    lines = service(installed)
    script = f"""
        set -e
        ip link set lo up
        tc qdisc replace dev lo root handle 1: pfifo limit 1000
        export RUNTIME_DIRECTORY={tmp_path}
        exec 2>&1
        {lines["ExecStart"]} &
        until tc qdisc show dev lo | grep -q 'limit 2.p'; do ping -q -c1 127.0.0.1 >ignored; done
        kill -9 $!
        wait $! || true
        {lines["ExecStopPost"]}
        tc qdisc show dev lo
    """
    done = wqm_c.own_network(script, tmp_path)
    assert done.returncode == 0, done.stdout
    assert "wqm: lo: another wqm was killed; the limit is 1000 again\n" in done.stdout
    assert "limit 1000p" in done.stdout.splitlines()[-1]
    assert not (tmp_path / "lo").exists(), "nothing is left to put back"


def test_the_service_has_one_capability_and_one_kind_of_socket(installed):
    lines = service(installed)
    assert lines["AmbientCapabilities"] == lines["CapabilityBoundingSet"] == "CAP_NET_ADMIN"
    assert lines["DynamicUser"] == "yes"
    assert lines["RestrictAddressFamilies"] == "AF_NETLINK"
    assert lines["PrivateUsers"] == "no", "CAP_NET_ADMIN of another user namespace is worth nothing"


def test_the_manual_page_has_every_option():
    source = (WQM / "options.c").read_text()
    known = re.findall(r'\{ "([a-z-]+)", (?:no|required)_argument', source)
    page = (WQM / "wqm.8").read_text().replace("\\-", "-")
    assert set(known) == set(re.findall(r"--([a-z][a-z-]*)", page)) - {"now"}
    if shutil.which("man"):
        command = ["man", "--warnings", "-l", WQM / "wqm.8"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
