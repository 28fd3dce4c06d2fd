# SPDX-License-Identifier: GPL-2.0-or-later
"""Which scripts there are, what they can read, and which packetdrill runs them."""

import subprocess

import pytest

from tsqlab.errors import UsageError
from tsqlab.packetdrill import suite
from tsqlab.packetdrill.suite import find_suite
from tsqlab.packetdrill.version import Version

IPV4 = [Version.IPV4]


@pytest.fixture(autouse=True)
def ordinary_user(monkeypatch):
    """What root may read is not what its guests may, and has a test of its own."""
    monkeypatch.setattr(suite, "becomes_nobody", lambda: False)


@pytest.fixture(autouse=True)
def no_packetdrill_in_path(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")


def write(path, text="0 `true`\n", mode=0o644):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


@pytest.fixture
def net(tmp_path):
    """gtests/net of a checkout, with packetdrill built."""
    net = tmp_path / "checkout" / "gtests" / "net"
    for name in ("tcp/b/two.pkt", "tcp/a/one.pkt", "tcp/a/only-v4.pkt", "tcp/a/only-v6.pkt"):
        write(net / name)
    write(net / "common" / "defaults.sh")
    write(net / "packetdrill" / "packetdrill", "#!/bin/sh\n", 0o755)
    return net


def names(found):
    return [str(script) for script in found.scripts]


def test_a_checkout_has_its_own_packetdrill_and_shows_what_scripts_call(net):
    found = find_suite(net / "tcp", IPV4, None, None)
    assert found.root == net
    assert found.packetdrill == net / "packetdrill" / "packetdrill"
    assert names(found) == [
        "tcp/a/one.pkt (ipv4)", "tcp/a/only-v4.pkt (ipv4)", "tcp/b/two.pkt (ipv4)",
    ]  # fmt: skip


def test_each_version_has_the_scripts_that_are_for_it(net):
    assert names(find_suite(net / "tcp" / "a", list(Version), None, None)) == [
        "tcp/a/one.pkt (ipv4)", "tcp/a/one.pkt (ipv6)", "tcp/a/one.pkt (ipv4-mapped-ipv6)",
        "tcp/a/only-v4.pkt (ipv4)", "tcp/a/only-v4.pkt (ipv4-mapped-ipv6)",
        "tcp/a/only-v6.pkt (ipv6)",
    ]  # fmt: skip


def test_one_script_is_a_suite(net):
    assert names(find_suite(net / "tcp" / "b" / "two.pkt", IPV4, None, None)) == [
        "tcp/b/two.pkt (ipv4)"
    ]


def test_scripts_elsewhere_show_their_own_folder_or_the_one_that_is_named(net, tmp_path):
    script = write(tmp_path / "mine" / "sub" / "x.pkt")
    program = net / "packetdrill" / "packetdrill"
    assert find_suite(script, IPV4, None, program).root == script.parent
    found = find_suite(script, IPV4, tmp_path / "mine", program)
    assert (found.root, names(found)) == (tmp_path / "mine", ["sub/x.pkt (ipv4)"])


def test_only_files_are_scripts(net):
    (net / "tcp" / "b" / "folder.pkt").mkdir()
    assert names(find_suite(net / "tcp" / "b", IPV4, None, None)) == ["tcp/b/two.pkt (ipv4)"]


@pytest.mark.parametrize("name", ["a\nb.pkt", "a\tb.pkt", "\udcff.pkt"])
def test_a_name_that_no_report_can_have_is_refused(net, name):
    write(net / "tcp" / name)
    with pytest.raises(UsageError, match="a name that cannot be printed"):
        find_suite(net / "tcp", IPV4, None, None)


def test_packetdrill_is_in_the_path_or_named(net, tmp_path):
    write(tmp_path / "mine" / "x.pkt")
    in_path = write(tmp_path / "bin" / "packetdrill", "#!/bin/sh\n", 0o755)
    assert find_suite(tmp_path / "mine", IPV4, None, None).packetdrill == in_path
    named = net / "packetdrill" / "packetdrill"
    assert find_suite(tmp_path / "mine", IPV4, None, named).packetdrill == named


def test_a_checkout_that_is_not_built_is_told_how(net):
    (net / "packetdrill" / "packetdrill").unlink()
    with pytest.raises(UsageError, match=r"packetdrill: not built yet; cd .* && ./configure"):
        find_suite(net / "tcp", IPV4, None, None)


def test_no_packetdrill_at_all_is_told_where_it_is(tmp_path):
    write(tmp_path / "mine" / "x.pkt")
    with pytest.raises(UsageError, match="no packetdrill, .*google/packetdrill has it"):
        find_suite(tmp_path / "mine", IPV4, None, None)


@pytest.mark.parametrize(
    ("path", "root", "program", "message"),
    [
        ("nowhere", None, None, "nowhere': no such script or folder"),
        ("x" * 400, None, None, "xxx': no such script or folder"),
        ("a\0b", None, None, "no such script or folder"),
        ("gtests/net/common", None, None, "no script .* for ipv4"),
        ("gtests/net/tcp/a/only-v6.pkt", None, None, "no script .* for ipv4"),
        ("gtests/net/tcp", "gtests/net/common", None, "--root .*/common: .*/tcp is not in it"),
        ("gtests/net/tcp", None, "gtests/net/tcp", "--packetdrill .*: no such program"),
        ("gtests/net/tcp", None, "gtests/net/tcp/a/one.pkt", "--packetdrill .*: no such program"),
    ],
)
def test_what_is_not_there_is_bad_usage(net, path, root, program, message):
    top = net.parent.parent
    with pytest.raises(UsageError, match=message):
        find_suite(top / path, IPV4, root and top / root, program and top / program)


def test_what_a_guest_of_root_may_not_read_is_said_before_it_fails(net, monkeypatch):
    monkeypatch.setattr(suite, "becomes_nobody", lambda: True)
    find_suite(net / "tcp", IPV4, None, None)
    (net / "tcp" / "b" / "two.pkt").chmod(0o600)
    with pytest.raises(UsageError, match=r"two.pkt: a guest may not read it; chmod"):
        find_suite(net / "tcp", IPV4, None, None)


def compiled(path, *flags):
    source = path.with_suffix(".c")
    source.write_text("int main(void) { return 0; }\n")
    subprocess.run(["gcc", *flags, "-o", str(path), str(source)], check=True)
    return path


def test_a_static_packetdrill_is_refused(net, tmp_path):
    dynamic = compiled(tmp_path / "dynamic")
    assert find_suite(net / "tcp", IPV4, None, dynamic).packetdrill == dynamic
    with pytest.raises(UsageError, match="static: linked statically"):
        find_suite(net / "tcp", IPV4, None, compiled(tmp_path / "static", "-static"))


def test_a_damaged_packetdrill_is_left_for_the_guest_to_refuse(net, tmp_path):
    program = tmp_path / "cut"
    program.write_bytes(compiled(tmp_path / "static", "-static").read_bytes()[:100])
    program.chmod(0o755)
    assert find_suite(net / "tcp", IPV4, None, program).packetdrill == program
