# SPDX-License-Identifier: GPL-2.0-or-later
"""Damaged folders of results: one clear error each, which names the file."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from folders import written
from tsqlab.cli import main
from tsqlab.errors import FileError, TsqlabError
from tsqlab.experiment.stored import read_folder
from tsqlab.results.flent import read_flent
from tsqlab.results.measurement import read_table
from tsqlab.results.summary import read_summary

CELL = "tsq=TSQ,seed=1"
FILES = ("manifest.json", f"{CELL}.flent.gz", "summary.csv")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return written(tmp_path, [{"tsq": "TSQ", "seed": 1}], plots=["goodput-ping"])


def read(folder: Path) -> None:
    read_folder(folder)
    read_summary(folder / "summary.csv")


def fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def folder_instead(path: Path) -> None:
    path.unlink()
    path.mkdir()


def loop(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.name)


def cut(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


DAMAGES: dict[str, Callable[[Path], object]] = {
    "missing": Path.unlink,
    "empty": lambda path: path.write_bytes(b""),
    "cut": cut,
    "a folder": folder_instead,
    "a pipe": fifo,
    "a loop": loop,
    "no text": lambda path: path.write_bytes(bytes(range(256))),
    "brackets": lambda path: path.write_bytes(b"[" * 100_000),
    "packed brackets": lambda path: path.write_bytes(gzip.compress(b"[" * 100_000)),
    "a number": lambda path: path.write_bytes(b"9" * 5000),
    "a packed number": lambda path: path.write_bytes(gzip.compress(b"9" * 5000)),
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_named(damage: str, name: str, folder: Path) -> None:
    DAMAGES[damage](folder / name)
    with pytest.raises(FileError) as caught:
        read(folder)
    assert str(folder) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_must_not_be_read(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root may read everything, so that the refusal is made up."""
    opened = os.open

    def refuse(path: Any, *rest: Any) -> int:
        if Path(path).name == name:
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *rest)

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(FileError, match="Permission denied"):
        read(folder)


def test_what_unpacks_without_end_is_not_unpacked(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tsqlab.results.flent.FILE_BYTES_MAX", 1 << 20)
    (folder / f"{CELL}.flent.gz").write_bytes(gzip.compress(b" " * (2 << 20)))
    with pytest.raises(FileError, match="more than 1 MiB"):
        read_folder(folder)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cells": [{"id": "x", "wall_s": "x"}]}, r"cells\.0\.wall_s: input should be a valid"),
        ({"cells": [{"id": "x", "wall_s": -1}]}, r"cells\.0\.wall_s: input should be greater"),
        ({"cells": [{"id": "x", "file": "../x"}]}, r"cells\.0\.file: expected the name of a file"),
        ({"cells": [{"id": "x", "file": "/etc/x"}]}, r"cells\.0\.file: expected the name of a"),
        ({"cells": [{"id": "x", "file": ".."}]}, r"cells\.0\.file: expected the name of a file"),
        ({"cells": [{"id": "../x"}]}, r"cells\.0\.id: expected the name of a file"),
        ({"cells": [{"id": "x" * 300}]}, r"cells\.0\.id: expected the name .* of up to 240 bytes"),
        ({"cells": [{"id": "x", "state": "lost"}]}, r"cells\.0\.state: input should be 'done'"),
        ({"cells": {}}, "cells: input should be a valid list"),
        ({"experiment": None}, "experiment: input should be a valid string"),
    ],
)
def test_a_manifest_that_says_nonsense(change: Any, message: str, folder: Path) -> None:
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(FileError, match=rf"manifest\.json: {message}"):
        read_folder(folder)


PING, FLOW = "Ping (ms) ICMP", "TCP upload::1"


@pytest.mark.parametrize(
    ("where", "value", "message"),
    [
        (["version"], 3, "of Flent's file format 3; only 4 is understood"),
        (["version"], True, "it has no version"),
        (["x_values"], ["0", "1"], "x_values: expected numbers of seconds, 0 to 1000000000"),
        (["x_values"], [1e308], "x_values: expected numbers of seconds"),
        (["x_values"], None, "its x_values are missing"),
        (["results", PING], [1.0], "results.Ping .* expected a list as long as x_values, which"),
        (["results", PING], None, "results.Ping .* expected a list as long as x_values, which"),
        (["raw_values", PING], None, "raw_values.Ping .* expected a list of samples"),
        (["raw_values", PING], [1], "raw_values.Ping .* expected a list of samples"),
        (["raw_values", PING, 0, "val"], "5", 'lacks .*a sample\'s "val" is no number'),
        (["raw_values", PING, 0, "val"], 1e308, 'a sample\'s "val" is more than 1e.19'),
        (["raw_values", PING, 0, "t"], None, 'a sample\'s "t" is no number'),
        (["raw_values", FLOW, 0, "tcp_rtt"], [], 'a sample\'s "tcp_rtt" is no number'),
        (["metadata", "LENGTH"], "60", "metadata.LENGTH: expected seconds"),
        (["metadata", "LENGTH"], 100, "expected STEP_SIZE <= LENGTH <= TOTAL_LENGTH"),
        (["metadata", "STEP_SIZE"], 0, "metadata.STEP_SIZE: expected seconds, more than 0"),
        (["metadata", "STEP_SIZE"], 1e-300, "expected STEP_SIZE <= LENGTH"),
        (["metadata", "TOTAL_LENGTH"], 1e308, "metadata.TOTAL_LENGTH: expected seconds"),
        (["metadata", "T0"], 5, "lacks what a result has"),
        (["metadata", "T0"], "today", "lacks what a result has .time data 'today'"),
        (["metadata", "TSQLAB"], [], "metadata.TSQLAB: expected a table, with a table kernel"),
        (["metadata", "TSQLAB", "kernel"], 5, "metadata.TSQLAB: expected a table"),
        (["metadata", "TSQLAB", "spec"], 5, "TSQLAB.spec: not what this version of tsqlab runs"),
    ],
)
def test_a_result_that_says_nonsense(
    where: list[Any], value: Any, message: str, folder: Path
) -> None:
    path = folder / f"{CELL}.flent.gz"
    document = read_flent(path)
    part: Any = document
    for key in where[:-1]:
        part = part.setdefault(key, {}) if isinstance(part, dict) else part[key]
    part[where[-1]] = value
    path.write_bytes(gzip.compress(json.dumps(document).encode()))
    with pytest.raises(FileError, match=message) as caught:
        read_folder(folder)
    assert caught.value.path == path


def test_a_summary_of_numbers_that_are_none(folder: Path) -> None:
    path = folder / "summary.csv"
    lines = path.read_text().splitlines()
    for number in ("nan", "inf", "1e308"):
        path.write_text(f"{lines[0]}\n{lines[1].rpartition(',')[0]},{number}\n")
        with pytest.raises(FileError, match=r"summary\.csv:2: expected a number of up to 1e\+30"):
            read_summary(path)


@pytest.mark.parametrize("text", ["t_ns\n9999999999999999999\n", f"t_ns\n{'9' * 5000}\n"])
def test_a_guests_number_of_more_than_64_bits(text: str, tmp_path: Path) -> None:
    (tmp_path / "x.tsv").write_text(text)
    with pytest.raises(TsqlabError, match="not a series of the guest"):
        read_table(tmp_path / "x.tsv")


def test_a_file_where_plots_go(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "plots").touch()
    assert main(["report", str(folder)]) == 1
    assert (
        capsys.readouterr().err == f"tsqlab: {folder / 'plots'}: cannot be written: File exists\n"
    )


def test_a_full_disk_under_a_report(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"plots": []}))
    assert main(["report", str(folder)]) == 0
    before = (folder / "report.html").read_bytes()
    names = sorted(folder.iterdir())
    capsys.readouterr()
    monkeypatch.setattr(os, "fsync", full)
    assert main(["report", str(folder)]) == 1
    message = f"tsqlab: {folder / 'summary.csv'}: cannot be written: No space left on device\n"
    assert capsys.readouterr().err == message
    assert (folder / "report.html").read_bytes() == before
    assert sorted(folder.iterdir()) == names, "nothing half is left"
