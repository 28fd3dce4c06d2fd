# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the source of a version is found: Debian's package, or kernel.org's tarball."""

import pytest

from tsqlab.cli import doctor
from tsqlab.errors import UsageError
from tsqlab.kernels import source
from tsqlab.kernels.source import find_source, tarball_of


@pytest.fixture
def places(tmp_path, monkeypatch):
    """Debian's folder and the cache, both empty."""
    debian, cache = tmp_path / "debian", tmp_path / "cache"
    debian.mkdir()
    cache.mkdir()
    monkeypatch.setattr(source, "_DEBIAN", debian)
    monkeypatch.setenv("TSQLAB_CACHE", str(cache))
    return debian, cache


def test_debians_comes_first_then_the_newest_in_the_cache(places):
    debian, cache = places
    assert tarball_of("6.1") is None
    for name in ("linux-6.12.9.tar.xz", "linux-6.1.9.tar.xz", "linux-6.1.10.tar.gz", "linux-6.1x"):
        (cache / name).write_text(name)
    assert tarball_of("6.1") == cache / "linux-6.1.10.tar.gz"
    assert tarball_of("6.12") == cache / "linux-6.12.9.tar.xz"
    assert find_source("6.12", None).version == "6.12"
    (debian / "linux-source-6.1.tar.xz").touch()
    assert tarball_of("6.1") == debian / "linux-source-6.1.tar.xz"


def test_a_whole_version_is_a_tarball_too(places):
    (places[1] / "linux-6.12.tar.xz").touch()
    assert tarball_of("6.12") == places[1] / "linux-6.12.tar.xz"


def test_what_to_do_without_either(places):
    _, cache = places
    message = rf"apt-get install linux-source-6.12, or, .*linux-6.12.N.tar.xz into {cache}"
    with pytest.raises(UsageError, match=message):
        find_source("6.12", None)
    cache.rmdir()
    with pytest.raises(UsageError, match=message):
        find_source("6.12", None)


def test_the_doctor_wants_the_newest_version_only(places, monkeypatch, capsys):
    monkeypatch.setattr(doctor, "PROGRAMS", {})
    monkeypatch.setattr(doctor, "refused", lambda: None)
    assert any("no source of Linux 6.12; try: sudo apt" in said for said in doctor._problems())
    (places[1] / "linux-6.12.tar.xz").touch()
    assert list(doctor._problems()) == []
    doctor._doctor(None)
    assert 'but for kernel = "6.1"; for that try: sudo apt' in capsys.readouterr().out
