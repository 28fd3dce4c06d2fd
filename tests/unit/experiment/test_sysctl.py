# SPDX-License-Identifier: GPL-2.0-or-later
"""Sysctls of the guest as a whole, and what is refused of any when the file is read."""

import re

import pytest

from tsqlab.errors import FileError
from tsqlab.experiment.load import load
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.guest.testbed.settings import guest_sysctls, node_sysctls


def spec_of(sysctl):
    return Spec.model_validate({"title": "x", "testbed": {"sysctl": sysctl}})


def test_those_of_the_guest_come_after_the_labs():
    spec = spec_of({"guest": {"net.core.wmem_max": 1 << 22, "net.ipv4.tcp_mem": "1000 2000 3000"}})
    settings = {setting.name: (setting.value, setting.cause) for setting in guest_sysctls(spec)}
    assert settings["net.core.wmem_max"] == (1 << 22, "testbed.sysctl.guest")
    assert settings["net.ipv4.tcp_mem"] == ("1000 2000 3000", "testbed.sysctl.guest")
    of_nodes = [setting.name for setting in node_sysctls(spec, load_profile("gigabit"), "C")]
    assert "net.core.wmem_max" not in of_nodes


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('C."net.core.rmem_max" = 4194304',
         "all nodes share it; expected in [testbed.sysctl.guest]"),
        ('S."net/core/rmem_max" = 4194304', "all nodes share it"),
        ('C."kernel.sched_rt_runtime_us" = 1', "all nodes share it"),
        ('guest."net.ipv4.tcp_sack" = 0', "each node has its own; expected in [testbed.sysctl.C]"),
        ('guest."net.core.somaxconn" = 10', "each node has its own"),
        ('C."net.ipv4.tcp_available_ulp" = "tls"', "can be read only"),
        ('C."net.ipv4.tcp_sack" = "off"', "expected a number of 32 bits, not 'off'"),
        ('C."net.ipv4.tcp_sack" = 4294967296', "expected a number of 32 bits, not 4294967296"),
        ('C."net.ipv4.tcp_rmem" = 4096', "expected three numbers with spaces between, not 4096"),
        ('guest."net.ipv4.udp_mem" = "1 2"', "expected three numbers"),
        ('guest."net.core.wmem_max" = "4 MiB"', "expected a number of 32 bits, not '4 MiB'"),
    ],
)  # fmt: skip
def test_what_no_kernel_takes_has_key_and_line(line, message, tmp_path):
    path = tmp_path / "test.toml"
    path.write_text(f'title = "x"\n[testbed.sysctl]\n{line}\n')
    with pytest.raises(FileError, match=re.escape(message)) as caught:
        load(str(path))
    where, name, _ = line.split('"')[0].rstrip("."), *line.split('"')[1:3]
    assert (caught.value.key, caught.value.line) == (f"testbed.sysctl.{where}.{name}", 3)


@pytest.mark.parametrize(
    "sysctl",
    [
        {"guest": {"net.core.optmem_max": 1}},  # of the guest in 6.1, of each node in 6.12
        {"C": {"net.core.optmem_max": 1, "net.core.somaxconn": 10}},
        {"C": {"net.ipv4.tcp_rmem": "4096 131072 6291456", "net.ipv4.tcp_tsq_us": 6000}},
        {"C": {"net.ipv4.tcp_congestion_control": "reno", "net.ipv6.conf.all.mtu": "whatever"}},
        {"guest": {"net.core.default_qdisc": "fq", "vm.min_free_kbytes": 4096}},
    ],
)
def test_what_a_kernel_may_take(sysctl):
    assert spec_of(sysctl)


def test_a_misspelt_node_is_told_of_the_guest():
    with pytest.raises(ValueError, match='no node "G"; there are C, R, S, and "guest" for what'):
        spec_of({"G": {}})


def test_one_of_the_guest_may_vary(tmp_path):
    path = tmp_path / "test.toml"
    path.write_text('title = "x"\n[matrix]\nsysctl.guest."net.core.wmem_max" = [65536, 131072]\n')
    values = [cell.spec.testbed.sysctl["guest"] for cell in load(str(path)).cells]
    assert values == [{"net.core.wmem_max": 65536}, {"net.core.wmem_max": 131072}]
