# SPDX-License-Identifier: GPL-2.0-or-later
"""Content that is sent: it has its name of what it is, and is kept whole or not at all."""

import pytest

from tsqlab.errors import TsqlabError
from tsqlab.runner.cluster.content import File, folder_of, is_here, keep, name_of, read_files

FILES = {"linux": File(b"kernel", True), "modules/airlink.ko": File(b"module", False)}


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TSQLAB_CACHE", str(tmp_path / "cache"))


def test_content_is_kept_as_it_was_sent(tmp_path):
    name = name_of(FILES)
    assert not is_here(name)
    folder = keep(name, FILES)
    assert is_here(name)
    assert folder == tmp_path / "cache" / "fetched" / name
    paths = {path: folder / path for path in FILES}
    assert read_files(paths) == FILES


@pytest.mark.parametrize(
    "other",
    [
        {**FILES, "linux": File(b"kernem", True)},
        {**FILES, "linux": File(b"kernel", False)},
        {"linuz": FILES["linux"], "modules/airlink.ko": FILES["modules/airlink.ko"]},
        {"linux": FILES["linux"]},
    ],
)
def test_what_is_something_else_is_not_kept(other):
    name = name_of(FILES)
    assert name_of(other) != name
    with pytest.raises(TsqlabError, match=f"what came as {name} is something else"):
        keep(name, other)
    assert not is_here(name)


def test_what_is_damaged_is_fetched_again():
    folder = keep(name_of(FILES), FILES)
    (folder / "linux").write_bytes(b"ker")
    assert not is_here(folder.name)
    keep(folder.name, FILES)
    assert (folder_of(folder.name) / "linux").read_bytes() == b"kernel"


def test_a_cache_that_cannot_be_written_is_an_error(tmp_path):
    (tmp_path / "cache").write_text("a file in its place")
    with pytest.raises(TsqlabError, match="TSQLAB_CACHE names another place"):
        keep(name_of(FILES), FILES)
