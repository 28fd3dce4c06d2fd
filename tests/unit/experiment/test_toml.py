# SPDX-License-Identifier: GPL-2.0-or-later
"""Files that are no TOML, or too much of it: one error, with its line, whoever reads them."""

import pytest

from tsqlab.errors import FileError
from tsqlab.experiment.claims import read_claims
from tsqlab.experiment.load import load
from tsqlab.experiment.papers import read_papers
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.toml import BYTES_MAX, read_toml

READERS = {
    "experiment": lambda path: load(str(path)),
    "profile": lambda path: load_profile(str(path)),
    "claims": read_claims,
    "papers": read_papers,
}

DEEP = "nested too deeply; expected 8 levels at most"


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (f"# First.\nx = {'9' * 5000}", 2, "expected an integer of 64 bits"),
        (f"# First.\nx = 0x{'9' * 5000}", 2, "expected an integer of 64 bits"),
        (f"# First.\nx = {1 << 63}", 2, "expected an integer of 64 bits"),
        (f"# First.\nx = {'[' * 3000}{']' * 3000}", 2, DEEP),
        (f"# First.\nx = {'{x = ' * 3000}1{'}' * 3000}", 2, DEEP),
        (f"# First.\n{'.'.join('x' * 500)} = 1", 2, DEEP),
        (f"# First.\n[{'.'.join('x' * 500)}]", 2, DEEP),
        ("# First.\nx = ?", 2, "not TOML"),
        (b"# First.\nx = '\xff'", 2, "cannot be read: not UTF-8"),
        ("#" * (BYTES_MAX + 1), None, "longer than 128 KiB"),
    ],
)
def test_what_no_reader_takes(reader, text, line, message, tmp_path):
    path = tmp_path / "bad.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(FileError, match=message) as caught:
        READERS[reader](path)
    assert (caught.value.path, caught.value.line) == (path, line)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("reader", READERS)
def test_what_is_no_file(reader, tmp_path):
    folder = tmp_path / "folder.toml"
    folder.mkdir()
    with pytest.raises(FileError, match="cannot be read: expected a file"):
        READERS[reader](folder)


@pytest.mark.parametrize(
    "text", [f"{'a.' * 60_000}a = 1", f"""x = {{{'"a" . ' * 20_000}a = 1}}""", "a" * 120_000]
)
def test_long_keys_take_no_time(text, tmp_path):
    path = tmp_path / "long.toml"
    path.write_text(text)
    with pytest.raises(FileError, match="nested too deeply|not TOML"):
        read_toml(path)


def test_a_file_is_utf_8_in_any_locale(tmp_path, monkeypatch):
    monkeypatch.setattr("locale.getencoding", lambda: "ascii", raising=False)
    path = tmp_path / "title.toml"
    path.write_bytes('title = "Größe"\r\n[x]\r\n'.encode())
    assert read_toml(path).tables == {"title": "Größe", "x": {}}
