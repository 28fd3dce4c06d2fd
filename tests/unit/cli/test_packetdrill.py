# SPDX-License-Identifier: GPL-2.0-or-later
"""What `tsqlab packetdrill` prints, and its status, with outcomes that no guest had."""

import pytest

from tsqlab.cli import main, packetdrill
from tsqlab.kernels import Kernel
from tsqlab.packetdrill.script import Outcome, Verdict

OK, FAILED = Outcome(Verdict.OK), Outcome(Verdict.FAILED, "", ("x.pkt:3: no",))
TIMEOUT = Outcome(Verdict.TIMEOUT, "not done after 180 s of virtual time")


@pytest.fixture
def command(monkeypatch, tmp_path, capsys):
    """Run the command over two scripts with outcomes; what jobs there were, and what it said."""
    folder = tmp_path / "scripts"
    folder.mkdir()
    for name in ("a.pkt", "b.pkt"):
        (folder / name).write_text("0 `true`\n")
    program = tmp_path / "packetdrill"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    seen = []

    def pretend(jobs, _at_a_time):
        seen.extend(jobs)
        yield from told

    def kernel(recipe):
        name = str(recipe.version)
        return Kernel(name, f"{name}.1", 1000, name, True, tmp_path, tmp_path, tmp_path)

    monkeypatch.setattr(packetdrill, "outcomes", pretend)
    monkeypatch.setattr(packetdrill, "build_shown", kernel)
    monkeypatch.setattr(packetdrill, "program_in_guests", lambda _name: True)
    monkeypatch.setenv("TSQLAB_CACHE", str(tmp_path / "cache"))
    told = []

    def run(outcomes, *options):
        told[:] = outcomes
        status = main(["packetdrill", str(folder), "--packetdrill", str(program), *options])
        out, err = capsys.readouterr()
        return status, out.splitlines(), err, seen

    return run


def test_one_kernel_is_one_list_of_tests(command):
    status, out, err, jobs = command([OK, OK])
    assert (status, err) == (0, "")
    assert out == [
        "KTAP version 1",
        "1..2",
        "ok 1 a.pkt (ipv4)",
        "ok 2 b.pkt (ipv4)",
        "# Totals: pass:2 fail:0 xfail:0 xpass:0 skip:0 error:0",
    ]
    assert {job.kernel.version for job in jobs} == {"6.12"}
    assert {job.limit_ns for job in jobs} == {180 * 10**9}


def test_two_kernels_are_two_lists_and_a_table_of_what_differs(command):
    status, out, err, _ = command(
        [OK, FAILED, TIMEOUT, FAILED], "--kernel", "6.12", "--kernel", "6.1"
    )
    assert (status, err) == (1, "tsqlab: 3 of 4 scripts did not pass\n")
    assert out == [
        "KTAP version 1",
        "1..2",
        "  KTAP version 1",
        "  # Subtest: 6.12",
        "  1..2",
        "  ok 1 a.pkt (ipv4)",
        "  # x.pkt:3: no",
        "  not ok 2 b.pkt (ipv4)",
        "  # Totals: pass:1 fail:1 xfail:0 xpass:0 skip:0 error:0",
        "not ok 1 6.12",
        "  KTAP version 1",
        "  # Subtest: 6.1",
        "  1..2",
        "  not ok 1 a.pkt (ipv4) # TIMEOUT not done after 180 s of virtual time",
        "  # x.pkt:3: no",
        "  not ok 2 b.pkt (ipv4)",
        "  # Totals: pass:0 fail:2 xfail:0 xpass:0 skip:0 error:0",
        "not ok 2 6.1",
        "# 1 of 2 scripts end differently",
        "# script        6.12  6.1",
        "# a.pkt (ipv4)  ok    timeout",
    ]


def test_two_kernels_that_do_not_differ_have_no_table(command):
    status, out, _, _ = command([OK] * 4, "--kernel", "6.12", "--kernel", "6.1")
    assert (status, out[-2:]) == (0, ["ok 2 6.1", "# 0 of 2 scripts end differently"])


def test_each_version_of_ip_is_asked_for_or_all_are(command):
    def versions(*options):
        *_, jobs = command([OK] * 6, *options)
        found = [job.script.version.value for job in jobs]
        jobs.clear()
        return found

    assert versions() == ["ipv4"] * 2
    assert versions("--ip", "ipv6") == ["ipv6"] * 2
    assert versions("--ip", "ipv4-mapped-ipv6", "--ip", "ipv4") == ["ipv4", "ipv4-mapped-ipv6"] * 2
    assert versions("--ip", "all") == ["ipv4", "ipv6", "ipv4-mapped-ipv6"] * 2


def test_a_folder_that_has_something_is_not_written_to(command, tmp_path):
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "mine").touch()
    status, _, err, _ = command([OK, OK], "--out", str(tmp_path / "kept"))
    assert status == 2
    assert "kept: not empty" in err


def test_what_guests_lack_is_said_beforehand(command, monkeypatch):
    monkeypatch.setattr(packetdrill, "program_in_guests", lambda name: name != "ifconfig")
    assert command([OK, OK])[2] == ""
    assert command([OK, OK], "--ip", "ipv6")[2] == (
        "tsqlab: guests have no ifconfig, which packetdrill or its scripts call; "
        "try: sudo apt-get install net-tools\n"
    )
