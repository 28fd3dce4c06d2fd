# SPDX-License-Identifier: GPL-2.0-or-later
"""Debian packages of a kernel: the options, the patches, what is missing, what is run."""

import lzma

import pytest

from tsqlab.cli import main
from tsqlab.errors import TsqlabError, UsageError
from tsqlab.kernels import deb
from tsqlab.kernels.deb import Order, build_packages
from tsqlab.kernels.progress import Unwatched
from tsqlab.kernels.source import Source, patches_of, versions
from waiting import is_free

DEBIANS = """\
# CONFIG_LOCALVERSION_AUTO is not set
CONFIG_LOCALVERSION="-ours"
CONFIG_BUILD_SALT="6.12.1-amd64"
CONFIG_NET=y
CONFIG_KERNEL_ZSTD=y
CONFIG_MODULE_SIG=y
CONFIG_MODULE_SIG_KEY="debian/certs/key.pem"
CONFIG_SYSTEM_TRUSTED_KEYS="debian/certs/debian-uefi-certs.pem"
CONFIG_SECURITY_LOCKDOWN_LSM=y
CONFIG_DEBUG_INFO_DWARF_TOOLCHAIN_DEFAULT=y
# CONFIG_DEBUG_INFO_NONE is not set
CONFIG_MAC80211=m
"""


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "config-6.12.1-amd64"
    path.write_text(DEBIANS)
    return path


def test_the_machines_options_are_kept_but_for_what_only_debian_can_build():
    lines = deb.package_config(DEBIANS).splitlines()
    assert lines[:3] == ["CONFIG_NET=y", "CONFIG_KERNEL_ZSTD=y", "CONFIG_MAC80211=m"]
    assert 'CONFIG_LOCALVERSION="-cotsq"' in lines
    assert "CONFIG_DEBUG_INFO_NONE=y" in lines
    names = [line.split("=")[0] for line in lines]
    assert len(set(names)) == len(names), "nothing is said twice"
    assert not any("debian/" in line for line in lines), "no keys that nobody has"


def test_a_kernel_may_keep_btf(kbuild, config, tmp_path):
    lines = deb.package_config(DEBIANS, btf=True).splitlines()
    assert "CONFIG_DEBUG_INFO_BTF=y" in lines
    assert not any("DEBUG_INFO_NONE" in line for line in lines)
    build = tmp_path / "debs" / "build"
    packages = build_packages(Order(config=config, out=tmp_path / "debs", btf=True))
    assert [targets for _, targets in kbuild] == [
        ["olddefconfig"],
        ["bindeb-pkg", "INSTALL_MOD_STRIP=1",
         "DEB_BUILD_PROFILES=pkg.linux-upstream.nokerneldbg"],
    ]  # fmt: skip
    assert [path.name for path in packages] == ["linux-image-1_1_x.deb", "linux-headers-1_1_x.deb"]
    assert (build / "linux-image-1-dbg_1_x.deb").exists(), "what nobody asked for stays there"


def test_the_running_kernels_options_are_the_default(tmp_path, monkeypatch, config):
    monkeypatch.setattr(deb, "_BOOT", tmp_path)
    monkeypatch.setattr("platform.release", lambda: "6.12.1-amd64")
    assert deb.machine_config(None) == DEBIANS
    config.unlink()
    with pytest.raises(UsageError, match=r"config-6\.12\.1-amd64: No such file.*say --config FILE"):
        deb.machine_config(None)


def test_options_may_be_packed(tmp_path):
    path = tmp_path / "config.amd64_none_amd64.xz"
    path.write_bytes(lzma.compress(DEBIANS.encode()))
    assert deb.machine_config(path) == DEBIANS


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("a.xz", b"not packed", "Input format not supported"),
        ("a.gz", b"not packed", "Not a gzipped file"),
        ("a", b"\xff\xfe", "can't decode"),
        ("a", b"hello\n", "no kernel's options"),
    ],
)
def test_what_are_no_options(tmp_path, name, data, why):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(UsageError, match=why):
        deb.machine_config(tmp_path / name)


@pytest.mark.parametrize("version", versions())
def test_the_patches_for_user_mode_linux_stay_out(version):
    chosen = deb.cotsq_patches(version)
    left = [patch for patch in patches_of(version, None) if patch not in chosen]
    assert [patch.parent.name for patch in chosen] == ["tcp"] * 6
    assert [patch.parent.name for patch in left] == ["um"] * {"6.1": 10, "6.12": 11}[version]


def test_what_is_not_installed_is_listed_with_its_command(monkeypatch, config, tmp_path):
    monkeypatch.setattr(deb, "_installed", lambda wanted: wanted - {"rsync", "bc", "zstd"})
    monkeypatch.setattr(deb, "find_source", lambda *_: None)
    with pytest.raises(TsqlabError, match="sudo apt-get install bc rsync zstd$"):
        build_packages(Order(config=config, out=tmp_path))
    assert deb.missing_packages("CONFIG_KERNEL_GZIP=y\n") == ["bc", "rsync"]


def test_dpkg_is_asked():
    assert deb._installed({"make", "no-such-package"}) == {"make"}


def test_without_dpkg_there_are_no_packages(monkeypatch):
    monkeypatch.setattr("shutil.which", lambda _: None)
    with pytest.raises(TsqlabError, match="on Debian only"):
        deb.missing_packages("")


@pytest.fixture
def kbuild(monkeypatch, tmp_path):
    """A Kbuild that packs at once; its command lines."""
    runs = []

    def make(build, targets, log_path, progress=None):
        runs.append((build, targets))
        log_path.touch()
        (progress or Unwatched()).count(1)
        names = ["linux-headers-1_1_x.deb", "linux-image-1_1_x.deb", "linux-libc-dev_1_x.deb"]
        names += ["linux-image-1-dbg_1_x.deb"] if "INSTALL_MOD_STRIP=1" in targets else []
        (build.output / "debian").mkdir(exist_ok=True)
        for name in (*names, "linux-1.buildinfo"):
            (build.output.parent / name).touch()
        text = "".join(f"{name} kernel optional\n" for name in (*names, "linux-1.buildinfo"))
        (build.output / "debian" / "files").write_text(text)

    monkeypatch.setattr(deb, "make", make)
    monkeypatch.setattr(deb, "find_source", lambda *_: Source(tmp_path / "src", "6.12", "key"))
    monkeypatch.setattr(deb, "patched_tree", lambda source, *_: source.path)
    monkeypatch.setattr(deb, "missing_packages", lambda *_, **__: [])
    return runs


def test_the_command_line_builds_and_says_what_to_install(kbuild, config, tmp_path, capsys):
    out = tmp_path / "debs"
    arguments = ["kernel", "deb", "--config", str(config), "--out", str(out), "--jobs", "3"]
    assert main([*arguments, "--only", "kernel"]) == 0
    packages = [out / "linux-image-1_1_x.deb", out / "linux-headers-1_1_x.deb"]
    install = f"sudo apt-get install {packages[0]} {packages[1]}\n"
    assert capsys.readouterr().out == install
    assert sorted(out.glob("*.deb")) == sorted(packages), "linux-libc-dev is the system's own"
    assert [targets for _, targets in kbuild] == [["olddefconfig"], ["bindeb-pkg"]]
    assert {(build.arch, build.jobs) for build, _ in kbuild} == {("", 3)}
    assert main(arguments) == 0
    (module,) = set(out.glob("*.deb")) - set(packages)
    assert capsys.readouterr().out == f"sudo apt-get install --reinstall {module}\n{install}"


def test_the_module_s_package_needs_no_kernel_s_build(kbuild, tmp_path, capsys):
    arguments = ["kernel", "deb", "--only", "bbrs", "--out", str(tmp_path)]
    assert main(arguments) == 0
    (package,) = tmp_path.iterdir()
    assert capsys.readouterr().out == f"sudo apt-get install --reinstall {package}\n"
    assert kbuild == []


@pytest.mark.parametrize(
    "option", [["--version", "6.1"], ["--config", "/boot/config"], ["--jobs", "1"], ["--btf"]]
)
def test_what_is_said_of_a_kernel_is_refused_where_none_is_built(option, tmp_path, capsys):
    out = tmp_path / "debs"
    assert main(["kernel", "deb", "--only", "bbrs", "--out", str(out), *option]) == 2
    assert "--only bbrs has none" in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.usefixtures("kbuild")
def test_the_same_options_again_compile_nothing_anew(config, tmp_path):
    order = Order(config=config, out=tmp_path / "debs")
    build_packages(order)
    written = tmp_path / "debs" / "build" / "linux" / ".config"
    written.write_text("as olddefconfig left it\n" + deb._OURS)
    build_packages(order)
    assert written.read_text().startswith("as olddefconfig left it\n")
    config.write_text(DEBIANS + "CONFIG_MPTCP=y\n")
    build_packages(order)
    assert "CONFIG_MPTCP=y" in written.read_text()


def test_two_do_not_build_in_one_folder(config, tmp_path, kbuild, monkeypatch):
    """The second would mend what the first is making."""
    free = []

    def look(*words):
        free.append(is_free(tmp_path / "debs" / "build" / ".linux.lock"))
        make(*words)

    make = deb.make
    monkeypatch.setattr(deb, "make", look)
    build_packages(Order(config=config, out=tmp_path / "debs"))
    assert free == [False] * len(kbuild)


@pytest.mark.usefixtures("kbuild")
def test_options_of_a_build_that_was_cut_off_are_written_anew(config, tmp_path):
    order = Order(config=config, out=tmp_path / "debs")
    build_packages(order)
    output = tmp_path / "debs" / "build" / "linux"
    whole = (output / ".config").read_text()
    (output / ".config").write_text("half\n" + deb._OURS)
    (output / ".tsqlab-builds").touch()
    build_packages(order)
    assert (output / ".config").read_text() == whole
