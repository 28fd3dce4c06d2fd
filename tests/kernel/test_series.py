# SPDX-License-Identifier: GPL-2.0-or-later
"""The patches are series that can be mailed as they stand: no file too many, none missing.

Each folder kernel/patches/VERSION/NAME is one thread for a mailing list: a cover letter, then
the patches, numbered for themselves. What git makes of them is in test_patches.py.
"""

import re

import pytest

import alone
from tsqlab.kernels.source import ADDED, SERIES, added_patches, history, patches_of, versions
from tsqlab.paths import KERNEL_PATCHES

COVER = "0000-cover-letter.txt"
FOLDERS = [KERNEL_PATCHES / version / name for version in versions() for name in (*SERIES, *ADDED)]


@pytest.fixture(params=FOLDERS, ids=lambda path: str(path.relative_to(KERNEL_PATCHES)))
def folder(request):
    return request.param


def subject(path):
    """The number, the total and the title in a mail's subject."""
    found = re.search(r"^Subject: \[PATCH (\d+)/(\d+)\] (.*)$", path.read_text(), re.MULTILINE)
    assert found, path
    return int(found[1]), int(found[2]), found[3]


def file_name(number, title):
    """As git format-patch names the patch."""
    return f"{number:04}-{re.sub(r'[^A-Za-z0-9._]+', '-', title)[:52].strip('-.')}.patch"


def test_every_file_belongs_to_a_series():
    there = {path for path in KERNEL_PATCHES.rglob("*") if path.is_file()}
    ours = {patch for version in versions() for patch in patches_of(version, None)}
    ours |= {patch for version in versions() for patch in added_patches(version, ADDED)}
    assert there == ours | set(history().values()) | {folder / COVER for folder in FOLDERS}


def test_patches_are_numbered_from_one_and_named_after_their_subjects(folder):
    patches = sorted(folder.glob("*.patch"))
    subjects = [subject(patch) for patch in patches]
    assert patches
    assert [number for number, _, _ in subjects] == list(range(1, len(patches) + 1))
    assert {total for _, total, _ in subjects} == {len(patches)}
    assert [path.name for path in patches] == [
        file_name(number, title) for number, _, title in subjects
    ]


def test_the_cover_letter_lists_the_patches(folder):
    titles = [subject(patch)[2] for patch in sorted(folder.glob("*.patch"))]
    text = (folder / COVER).read_text()
    assert subject(folder / COVER)[:2] == (0, len(titles))
    explained = re.findall(r"^  (\d+)  \w.*$", text.split("\nBase: ")[0], re.MULTILINE)
    assert [int(number) for number in explained][: len(titles)] == list(range(1, len(titles) + 1))
    author, listed = re.search(r"^(.*) \(\d+\):\n((?:  .*\n)+)", text, re.MULTILINE).groups()
    assert f"{author} ({len(titles)}):" in text
    assert [line.strip() for line in listed.splitlines()] == titles


def test_each_mail_has_the_headers_that_git_wants(folder):
    for path in sorted(folder.iterdir()):
        head = path.read_text().partition("\n\n")[0]
        lines = re.sub(r"\n ", " ", head).splitlines()
        assert re.fullmatch(r"From [0-9a-f]{40} Mon Sep 17 00:00:00 2001", lines[0]), path
        assert [line.split()[0] for line in lines[1:]] == ["From:", "Date:", "Subject:"], path


@pytest.mark.parametrize("version", versions())
def test_a_series_changes_what_it_is_for(version):
    """User-Mode Linux's changes no file of other machines but one, TCP's none of User-Mode Linux.

    That one is where the architecture is asked whether its random numbers are to be repeated.
    """
    for name in (*SERIES, *ADDED):
        files = {
            file
            for patch in (KERNEL_PATCHES / version / name).glob("*.patch")
            for file in alone.change(patch).files
        }
        assert files
        if name == "um":
            files -= {"drivers/char/random.c"}
        assert {file.startswith(alone.USER_MODE) for file in files} == {name != "tcp"}


@pytest.mark.parametrize("version", versions())
def test_what_the_tcp_series_must_not_touch(version):
    """The device of a dst while sending, which may go; what upstream goes on with at its end."""
    patches = (KERNEL_PATCHES / version / "tcp").glob("*.patch")
    text = "".join(patch.read_text().split("\ndiff --git", 1)[1] for patch in patches)
    added = "".join(re.findall(r"^\+.*\n", text, re.MULTILINE))
    assert "sysctl_tcp_tsq_us" in added
    for mark in ("dst->dev", "dst_dev(", "tcpi_", "LINUX_MIB_"):
        assert mark not in added


@pytest.mark.parametrize("version", versions())
def test_user_mode_linux_comes_first(version):
    places = [SERIES.index(path.parent.name) for path in patches_of(version, None)]
    assert places == sorted(places)
    assert set(places) == {0, 1}
