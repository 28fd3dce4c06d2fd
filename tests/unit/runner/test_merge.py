# SPDX-License-Identifier: GPL-2.0-or-later
"""Shards, merged, are what one run leaves; and what does not belong together is not merged."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from made_up_run import KERNEL, files_in, leave_result, make_up_runs, run
from tsqlab.cli import main
from tsqlab.errors import TsqlabError, UsageError
from tsqlab.experiment.load import Experiment, load
from tsqlab.experiment.shard import Shard, with_shard
from tsqlab.guest import host_programs
from tsqlab.report import make_report
from tsqlab.results.folder import read_manifest
from tsqlab.runner import folder as runner_folder
from tsqlab.runner.cell import CellError, Job
from tsqlab.runner.experiment import jobs_of
from tsqlab.runner.folder import FolderState, locked
from tsqlab.runner.merge import experiments_in, merge

FEW = ["seed=[1, 2]", "capture=C>R"]


@pytest.fixture(autouse=True)
def made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    make_up_runs(monkeypatch)


def experiment(*overrides: str) -> Experiment:
    return load("tptsq-4", overrides or FEW)


@pytest.fixture
def shards(tmp_path: Path) -> list[Path]:
    """Three folders, each of one of three shards."""
    folders = [tmp_path / f"shard-{number}" for number in (1, 2, 3)]
    for number, folder in enumerate(folders, 1):
        run(with_shard(experiment(), Shard(number, 3)), folder)
    return folders


def test_a_shard_runs_its_cells_and_lists_all(shards: list[Path]) -> None:
    manifests = [read_manifest(folder) for folder in shards]
    cells = [cell.id for cell in experiment().cells]
    assert [[cell.id for cell in manifest.cells] for manifest in manifests] == [cells] * 3
    done = [cell.id for manifest in manifests for cell in manifest.cells if cell.done]
    assert sorted(done) == sorted(cells)
    assert [manifest.shard for manifest in manifests] == ["1/3", "2/3", "3/3"]


def test_merged_shards_are_what_one_run_leaves(shards: list[Path], tmp_path: Path) -> None:
    """To the byte: results, captures, the manifest, both tables, and the report with its plots."""
    out, one = tmp_path / "merged" / "out", tmp_path / "one" / "out"
    run(experiment(), one)
    make_report(one)
    merged = merge(shards, out)
    make_report(out)
    assert (merged.cells, merged.done, merged.again) == (len(experiment().cells),) * 2 + (0,)
    left, right = files_in(one), files_in(out)
    assert left.keys() == right.keys()
    assert [name for name in left if left[name] != right[name]] == []
    assert {"manifest.json", "summary.csv", "means.csv", "report.html"} < left.keys()
    assert any(name.startswith("pcaps/") for name in left)


def test_the_command_does_it_too(
    shards: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert main(["merge", *map(str, shards), "--out", str(out)]) == 0
    said = capsys.readouterr().out
    cells = len(experiment().cells)
    assert said.startswith(f"{cells} of {cells} cells\n")
    assert f"report:  {out / 'report.html'}" in said


def test_a_missing_shard_is_named_and_may_come_later(
    shards: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, cells = tmp_path / "out", len(experiment().cells)
    assert main(["merge", *map(str, shards[:2]), "--out", str(out)]) == 1
    left = sum(cell.done for cell in read_manifest(shards[2]).cells)
    error = capsys.readouterr().err
    assert f"{left} of {cells} cells are in none of the folders, of shard 3/3; merge" in error
    assert main(["merge", str(shards[2]), "--out", str(out)]) == 0
    assert merge(shards, tmp_path / "at-once").whole
    names = ("manifest.json", *(f"{cell.id}.flent.gz" for cell in experiment().cells))
    assert all(
        (out / name).read_bytes() == (tmp_path / "at-once" / name).read_bytes() for name in names
    )


def test_a_merged_folder_goes_on_with_a_run(
    shards: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, ran = tmp_path / "out", []

    def worker(job: Job) -> float:
        ran.append(job.cell.id)
        return leave_result(job)

    make_up_runs(monkeypatch, worker)
    merge(shards[:2], out)
    run(experiment(), out)
    assert ran == [cell.id for cell in read_manifest(shards[2]).cells if cell.done]
    ran.clear()
    run(experiment(), out)
    assert ran == []
    assert read_manifest(out).shard == ""


def test_shards_may_share_a_folder_one_after_the_other(tmp_path: Path) -> None:
    for number in (1, 2):
        run(with_shard(experiment(), Shard(number, 2)), tmp_path)
    assert all(cell.done for cell in read_manifest(tmp_path).cells)


def test_cells_that_were_run_twice_are_the_same_bytes(shards: list[Path], tmp_path: Path) -> None:
    run(experiment(), tmp_path / "all")
    merged = merge([*shards, tmp_path / "all"], tmp_path / "out")
    assert (merged.again, merged.whole) == (merged.cells, True)


def test_cells_that_were_run_twice_to_other_bytes_are_refused(
    shards: list[Path], tmp_path: Path
) -> None:
    run(experiment(), tmp_path / "all")
    name = next(cell.id for cell in read_manifest(shards[0]).cells if cell.done)
    path = tmp_path / "all" / f"{name}.flent.gz"
    path.write_bytes(path.read_bytes() + b"x")
    with pytest.raises(TsqlabError, match="have one key and differ: a cell gives the same bytes"):
        merge([*shards, tmp_path / "all"], tmp_path / "out")
    assert not (tmp_path / "out" / "manifest.json").exists()


def another(tmp_path: Path, of: Experiment, **kernel: str) -> Path:
    run(of, tmp_path / "other", replace(KERNEL, **kernel))
    return tmp_path / "other"


@pytest.mark.parametrize(
    ("overrides", "kernel", "said"),
    [
        (["seed=[1, 3]", FEW[1]], {}, r"other cells \(only one has .*seed=2.* more\); run all"),
        ([*FEW, 'flows.step="50 ms"'], {}, "are of other keys: the specification, a device's"),
        (FEW, {"id": "9", "release": "6.12.2"},
         r'the kernel "6.12 as of 5.10" was 6.12.1 \(0123abcd\) and 6.12.2 \(9\)'),
    ],
)  # fmt: skip
def test_what_differs_is_said(
    shards: list[Path], tmp_path: Path, overrides: list[str], kernel: dict[str, str], said: str
) -> None:
    other = another(tmp_path, experiment(*overrides), **kernel)
    with pytest.raises(UsageError, match=said):
        merge([*shards, other], tmp_path / "out")


def test_other_packages_of_a_host_are_named(
    shards: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    contents = host_programs.contents
    other = {"libc.so.6": "x"}
    monkeypatch.setattr(host_programs, "contents", lambda *of, **how: contents(*of, **how) | other)
    monkeypatch.setattr(runner_folder, "contents", host_programs.contents)
    other = another(tmp_path, experiment())
    with pytest.raises(UsageError, match=r"other keys: the hosts' packages differ \(libc\.so\.6\)"):
        merge([*shards, other], tmp_path / "out")


def test_another_version_is_named(shards: list[Path], tmp_path: Path) -> None:
    path = shards[1] / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"tsqlab": "9.9.9"}))
    with pytest.raises(UsageError, match=r"by the versions .* and 9\.9\.9 of tsqlab"):
        merge(shards, tmp_path / "out")


def test_another_experiment_is_named(shards: list[Path], tmp_path: Path) -> None:
    run(load("tptsq-5a", ["seed=1"]), tmp_path / "other")
    with pytest.raises(UsageError, match='of the experiments "tptsq-4" and "tptsq-5a"'):
        merge([*shards, tmp_path / "other"], tmp_path / "out")


def missing(path: Path) -> None:
    path.unlink()


def linked(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize("damage", [missing, linked, pipe])
@pytest.mark.parametrize("what", ["result", "pcap"])
def test_a_damaged_shard_is_named(
    shards: list[Path], tmp_path: Path, damage: Callable[[Path], None], what: str
) -> None:
    """What somebody sent may have a link in it to what is nobody's business."""
    cell = next(cell for cell in read_manifest(shards[1]).cells if cell.done)
    names = {"result": cell.file, "pcap": f"pcaps/{cell.pcaps['C>R']}"}
    damage(shards[1] / names[what])
    with pytest.raises(UsageError, match="expected a regular file, which manifest.json names"):
        merge(shards, tmp_path / "out")


def test_a_folder_of_captures_that_is_a_link_is_not_followed(
    shards: list[Path], tmp_path: Path
) -> None:
    (shards[0] / "pcaps").rename(tmp_path / "pcaps")
    (shards[0] / "pcaps").symlink_to(tmp_path / "pcaps")
    with pytest.raises(UsageError, match="expected a regular file"):
        merge(shards, tmp_path / "out")


def test_a_merge_that_was_interrupted_is_done_again(
    shards: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr("tsqlab.runner.merge.write_manifest", _interrupt)
        merge(shards, out)
    merge(shards, out)
    merge(shards, tmp_path / "other")
    assert files_in(out) == files_in(tmp_path / "other")


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def test_nobody_merges_into_a_folder_that_a_run_has(shards: list[Path], tmp_path: Path) -> None:
    with locked(tmp_path / "out"), pytest.raises(UsageError, match="another run is writing to it"):
        merge(shards, tmp_path / "out")


def test_the_console_of_a_cell_that_failed_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def worker(job: Job) -> float:
        job.console.write_text("its last words")
        raise CellError(job.cell.title, "boom", "boom")

    make_up_runs(monkeypatch, worker)
    with pytest.raises(TsqlabError, match="cells failed"):
        run(with_shard(experiment(), Shard(1, 2)), tmp_path / "one")
    own = [cell.id for cell in with_shard(experiment(), Shard(1, 2)).cells if not cell.elsewhere]
    merged = merge([tmp_path / "one"], tmp_path / "out")
    assert (merged.done, merged.missing) == (0, "1/2, 2/2")
    assert {path.stem for path in (tmp_path / "out" / "logs").iterdir()} == set(own)


def test_a_failure_counts_the_cells_of_its_shard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def worker(job: Job) -> float:
        raise CellError(job.cell.title, "boom", job.cell.id)

    make_up_runs(monkeypatch, worker)
    part = with_shard(experiment(), Shard(1, 3))
    own = sum(not cell.elsewhere for cell in part.cells)
    with pytest.raises(TsqlabError, match=f"^{own} of {own} cells failed$"):
        run(part, tmp_path / "one")


@pytest.fixture
def many(tmp_path: Path) -> list[Path]:
    """Two folders of two experiments each, as tsqlab run --all --shard leaves them."""
    folders = [tmp_path / f"shard-{number}-of-2" for number in (1, 2)]
    for number, folder in enumerate(folders, 1):
        for name in ("tptsq-4", "tptsq-5a"):
            run(with_shard(load(name, ["seed=1"]), Shard(number, 2)), folder / name)
    return folders


def test_folders_of_folders_are_merged_by_their_names(
    many: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert main(["merge", *map(str, many), "--out", str(out)]) == 0
    assert "tptsq-5a: " in capsys.readouterr().out
    for name in ("tptsq-4", "tptsq-5a"):
        assert all(cell.done for cell in read_manifest(out / name).cells)
        assert (out / name / "report.html").exists()
    assert (out / "index.html").exists()


def test_what_is_wrong_with_one_stops_no_other(
    many: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (many[0] / "tptsq-4" / "manifest.json").write_text("{")
    shutil.rmtree(many[1] / "tptsq-5a")
    assert main(["merge", *map(str, many), "--out", str(tmp_path / "out")]) == 1
    error = capsys.readouterr().err
    assert "tptsq-4: " in error
    assert "not a whole manifest" in error
    assert "of shard 2/2" in error
    assert (tmp_path / "out/tptsq-5a/summary.csv").exists()


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["none"], "none: has no results; give the folders that tsqlab run --shard wrote"),
        (["shard-1-of-2", "shard-1-of-2/tptsq-4"], "is itself one that tsqlab run wrote"),
    ],
)
def test_what_is_no_shard_is_named(
    many: list[Path], tmp_path: Path, names: Sequence[str], said: str
) -> None:
    assert many
    with pytest.raises(UsageError, match=said):
        experiments_in([tmp_path / name for name in names])


def test_a_run_of_a_shard_says_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tsqlab.cli.run.kernel_for", lambda _: KERNEL)
    command = ["run", "tptsq-4", "--seed", "1", "--jobs", "1"]
    for shard in ("1/2", "2/2"):
        assert main([*command, "--shard", shard]) == 0
    said = capsys.readouterr().out.splitlines()[-1]
    half = len(experiment("seed=1").cells) // 2
    assert said == (
        f"shard 2/2: {half} cells are done; when all shards are: "
        "tsqlab merge results/shard-*-of-2 --out results"
    )
    folders = sorted(map(str, Path("results").glob("shard-*-of-2")))
    assert main(["merge", *folders, "--out", "results"]) == 0
    assert all(cell.done for cell in read_manifest(Path("results/tptsq-4,seed=1")).cells)
    assert main([*command, "--shard", "1/2", "--more-seeds", "2"]) == 2
    assert "--more-seeds asks the results of all shards" in capsys.readouterr().err


def test_the_key_of_a_cell_does_not_know_of_shards(tmp_path: Path) -> None:
    whole, part = (
        jobs_of(one, tmp_path, lambda _: KERNEL)
        for one in (experiment(), with_shard(experiment(), Shard(1, 2)))
    )
    assert [job.key for job in whole] == [job.key for job in part]
    state = FolderState(tmp_path, experiment(), whole)
    state.write()
    assert "shard" not in json.loads((tmp_path / "manifest.json").read_text())
