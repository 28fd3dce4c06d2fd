# SPDX-License-Identifier: GPL-2.0-or-later
"""The package of bbrs for DKMS: what is in it, its bytes, and what its scripts do."""

import hashlib
import os
import re
import subprocess
import tarfile
from io import BytesIO

import pytest

from tsqlab import __version__
from tsqlab.errors import TsqlabError
from tsqlab.guest.testbed.controls import CONTROLS
from tsqlab.kernels import dkms
from tsqlab.kernels.dkms import build_dkms_package
from tsqlab.paths import KERNEL_MODULES

BBRS = KERNEL_MODULES / "bbrs"
SOURCE = f"usr/src/tsqlab-bbrs-{__version__}"


def asked(package, option):
    return subprocess.run(["dpkg-deb", option, package], capture_output=True, check=True).stdout


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    return build_dkms_package(tmp_path_factory.mktemp("out") / "debs")


@pytest.fixture(scope="module")
def installed(package):
    """What it installs, by name."""
    return files_of(asked(package, "--fsys-tarfile"))


@pytest.fixture(scope="module")
def told(package):
    """What dpkg is told, by name."""
    return files_of(asked(package, "--ctrl-tarfile"))


def files_of(archive):
    with tarfile.open(fileobj=BytesIO(archive)) as tar:
        return {
            member.name.removeprefix("./"): tar.extractfile(member).read()
            for member in tar
            if member.isfile()
        }


def test_it_is_the_module_s_source_with_dkms_conf(installed):
    names = {name.split("/")[-1] for name in installed if name.startswith(SOURCE + "/")}
    assert {"Kbuild", "main.c", "compat.h", "dkms.conf"} < names
    assert len(names) == len(dkms.sources()) + 1
    for path in dkms.sources():
        assert installed[f"{SOURCE}/{path.name}"] == path.read_bytes()


def test_every_object_of_kbuild_has_its_source(installed):
    kbuild = (BBRS / "Kbuild").read_text()
    objects = re.findall(r"(\w+)\.o", "".join(re.findall(r"^bbrs-y.*$", kbuild, re.MULTILINE)))
    assert len(objects) >= 17
    assert [name for name in objects if f"{SOURCE}/{name}.c" not in installed] == []


def test_what_kbuild_leaves_beside_the_source_stays_out(monkeypatch, tmp_path):
    for name in ("Kbuild", "main.c", "flow.h", "bbrs.mod.c", "bbrs.ko", "main.o", ".main.o.cmd"):
        (tmp_path / name).touch()
    monkeypatch.setattr(dkms, "_BBRS", tmp_path)
    assert [path.name for path in dkms.sources()] == ["Kbuild", "flow.h", "main.c"]


def test_it_is_the_same_bytes_whoever_makes_it_and_when(package, monkeypatch, tmp_path):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    monkeypatch.setenv("DPKG_DEB_THREADS_MAX", "3")
    monkeypatch.setenv("DPKG_DEB_COMPRESSOR_TYPE", "gzip")
    monkeypatch.setenv("DPKG_DEB_COMPRESSOR_LEVEL", "1")
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    monkeypatch.setattr("time.time", lambda: 1e9)
    before = os.umask(0o077)
    try:
        other = build_dkms_package(tmp_path)
    finally:
        os.umask(before)
    assert other.name == package.name == f"tsqlab-bbrs-dkms_{__version__}_all.deb"
    assert other.read_bytes() == package.read_bytes()


def test_its_files_are_root_s_and_all_may_read_them(package):
    with tarfile.open(fileobj=BytesIO(asked(package, "--fsys-tarfile"))) as tar:
        of_whom = {(member.uid, member.gid, member.mode, member.isdir()) for member in tar}
    assert of_whom == {(0, 0, 0o755, True), (0, 0, 0o644, False)}


def test_dpkg_can_verify_what_is_installed(installed, told):
    sums = dict(reversed(line.split()) for line in told["md5sums"].decode().splitlines())
    assert sums == {name: hashlib.md5(data).hexdigest() for name, data in installed.items()}


def test_it_is_for_all_architectures_and_needs_dkms(told):
    fields = dict(re.findall(r"^([\w-]+): (.*)$", told["control"].decode(), re.MULTILINE))
    assert fields["Package"] == "tsqlab-bbrs-dkms"
    assert fields["Version"] == __version__
    assert fields["Architecture"] == "all"
    assert fields["Depends"].startswith("dkms")


def test_its_description_has_each_control(told):
    assert set(re.findall(r"\bbbr\w+", told["control"].decode())) >= CONTROLS


@pytest.fixture(scope="module")
def conf(installed):
    """dkms.conf, as a shell reads it."""
    return f"set -eu\n{installed[f'{SOURCE}/dkms.conf'].decode()}\n"


def bash(script, **environment):
    command = ["bash", "-c", script]
    ran = subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )
    return ran.stdout


def test_dkms_finds_it_where_its_name_and_version_say(conf):
    said = 'echo "usr/src/$PACKAGE_NAME-$PACKAGE_VERSION ${BUILT_MODULE_NAME[0]} $AUTOINSTALL"'
    assert bash(conf + said) == f"{SOURCE} bbrs yes\n"


@pytest.mark.parametrize(
    ("kernel", "built"),
    [
        ("5.10.0-30-amd64", False),
        ("6.0.12", False),
        ("6.1.0-56-amd64", True),
        ("6.9.7", True),
        ("6.12.117+deb12-amd64", True),
        ("6.12.117-cotsq", True),
        ("7.0.1-amd64", True),
        ("10.2.0", True),
    ],
)
def test_kernels_before_6_1_are_passed_over(conf, kernel, built):
    said = bash(conf + f"[[ {kernel} =~ $BUILD_EXCLUSIVE_KERNEL ]] && echo built || echo passed")
    assert said == ("built\n" if built else "passed\n")


def run_script(text, folder, status, *arguments):
    """The calls of dkms that a maintainer script makes, where dkms knows *status* of the module."""
    (folder / "dkms").write_text(
        f'#!/bin/sh\necho "$@" >> {folder}/calls\n[ "$1" = status ] && echo "{status}"\nexit 0\n'
    )
    (folder / "dkms").chmod(0o755)
    (folder / "calls").write_text("")
    path = f"{folder}:{os.environ['PATH']}"
    command = ["sh", "-c", text.decode(), "script", *arguments]
    subprocess.run(command, env={"PATH": path}, check=True)
    return (folder / "calls").read_text().splitlines()


@pytest.mark.parametrize("action", ["remove", "upgrade", "deconfigure"])
def test_removing_it_removes_it_for_all_kernels(told, tmp_path, action):
    module = f"-m tsqlab-bbrs -v {__version__}"
    calls = run_script(told["prerm"], tmp_path, "tsqlab-bbrs/0.1.0: added", action)
    assert calls == [f"status {module}", f"remove {module} --all"]
    assert run_script(told["prerm"], tmp_path, "", action) == [f"status {module}"]


def test_a_removal_that_failed_elsewhere_removes_nothing(told, tmp_path):
    assert run_script(told["prerm"], tmp_path, "added", "failed-upgrade") == []


@pytest.mark.parametrize(
    ("action", "added"), [("configure", True), ("abort-upgrade", True), ("triggered", False)]
)
def test_installing_it_is_left_to_dkms(told, tmp_path, action, added):
    common = tmp_path / "common.postinst"
    common.write_text(f'#!/bin/sh\nfor each; do echo "<$each>"; done > {tmp_path}/added\n')
    common.chmod(0o755)
    script = told["postinst"].replace(b"/usr/lib/dkms/common.postinst", bytes(common))
    assert script != told["postinst"]
    assert run_script(script, tmp_path, "", action, "0.0.9") == []
    assert (tmp_path / "added").exists() == added
    if added:
        words = (tmp_path / "added").read_text().splitlines()
        names = ["<tsqlab-bbrs>", f"<{__version__}>", "</usr/share/tsqlab-bbrs-dkms>"]
        assert words == [*names, "<>", "<0.0.9>"]


def test_without_dpkg_deb_there_is_no_package(monkeypatch, tmp_path):
    monkeypatch.setattr("shutil.which", lambda _: None)
    with pytest.raises(TsqlabError, match=r"no dpkg-deb here.*docs/bbrs.md"):
        build_dkms_package(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_what_dpkg_deb_says_against_it_is_passed_on(monkeypatch, tmp_path):
    monkeypatch.setattr(dkms, "_CONTROL", "Package: Not a name %d\n")
    with pytest.raises(TsqlabError, match=r"(?s)_all\.deb could not be packed: .*package name"):
        build_dkms_package(tmp_path)
    assert list(tmp_path.iterdir()) == []
