# SPDX-License-Identifier: GPL-2.0-or-later
"""What programs need of the host: that it is there, and that a result is of just that."""

import re
from pathlib import Path

import pytest

from tsqlab.errors import UsageError
from tsqlab.experiment.load import load
from tsqlab.guest import host_programs
from tsqlab.kernels import Kernel
from tsqlab.results.folder import read_manifest
from tsqlab.runner import programs
from tsqlab.runner.experiment import jobs_of
from tsqlab.runner.folder import FolderState

KERNEL = Kernel("6.12", "6.12.1", 1000, "01", True, Path(), Path(), Path())
FILE = """\
title = "x"
[[program]]
name = "run"
node = "C"
command = ["sh", "/srv/script"]
see."/srv/script" = "script"
"""


@pytest.fixture
def jobs(tmp_path):
    def made(text=FILE, name="here", script="true\n"):
        home = tmp_path / name
        home.mkdir(exist_ok=True)
        (home / "script").write_text(script)
        (home / "x.toml").write_text(text)
        experiment = load(str(home / "x.toml"))
        return experiment, jobs_of(experiment, home / "results", lambda _: KERNEL)

    return made


def test_a_key_is_of_what_a_program_sees(jobs):
    _, (job,) = jobs()
    assert job.shown == {"/srv/script": job.folder.parent / "script"}
    _, (elsewhere,) = jobs(name="there")
    assert elsewhere.key == job.key, "wherever that is"
    _, (changed,) = jobs(script="false\n")
    assert changed.key != job.key
    _, (moved,) = jobs(FILE.replace("/srv/", "/opt/"))
    assert moved.key != job.key


def test_a_key_is_of_what_a_program_is_told(jobs):
    (_, (job,)), (_, (other,)) = jobs(), jobs(FILE + "may_fail = true\n")
    assert job.key != other.key


def test_a_key_is_of_the_program_itself(jobs):
    (_, (one,)), (_, (other,)) = (
        jobs(f'title = "x"\n[[program]]\nnode = "C"\ncommand = "./script {word}"\n'
             'folder = "/srv"\nsee."/srv/script" = "script"\n', script=text)
        for word, text in (("a", "1"), ("a", "2"))
    )  # fmt: skip
    assert one.key != other.key


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"sh",', '"no-such-program",',
         'x.toml:5: program.1.command: no program "no-such-program" in guests, which have those '
         "in /usr/bin and /usr/sbin; install it, or let them see it"),
        ('"sh",', '"/srv/none",', 'no program "/srv/none" in guests, which have those of /usr'),
        ('= "script"', '= "none"',
         'x.toml:6: program.1.see./srv/script: "none" cannot be seen: No such file or directory'),
        ('= "script"', '= "/etc/shadow"', "/etc/shadow is of the system"),
    ],
)  # fmt: skip
def test_what_is_not_there_is_said_before_anything_runs(jobs, old, new, message):
    assert old in FILE
    with pytest.raises(UsageError, match=re.escape(message)):
        jobs(FILE.replace(old, new))


def test_an_error_of_what_varies_is_at_the_matrix(jobs):
    text = FILE + '[matrix]\nprogram.run.command = ["sh", "no-such-program"]\n'
    with pytest.raises(UsageError, match=r"x\.toml:8: matrix\.program\.run\.command: no program"):
        jobs(text)


def test_a_cell_is_done_when_what_its_programs_printed_is_there(jobs):
    experiment, made = jobs()
    (job,) = made
    assert [path.name for path in job.outputs["run"]] == [
        "cell-run.out", "cell-run.err", "cell-run.json"
    ]  # fmt: skip
    job.folder.mkdir()
    job.file.touch()
    state = FolderState(job.folder, experiment, made)
    state.write()
    state.note(job, 1.0)
    again = FolderState(job.folder, experiment, made)
    again.read()
    assert not again.done(job)
    (job.folder / "programs").mkdir()
    for path in job.outputs["run"]:
        path.touch()
    again.read()
    assert again.done(job)
    (row,) = read_manifest(job.folder).cells
    assert row.programs == {"run": [path.name for path in job.outputs["run"]]}


def test_a_manifest_without_programs_does_not_speak_of_them(jobs):
    experiment, made = jobs(FILE.partition("[[program]]")[0])
    made[0].folder.mkdir()
    FolderState(made[0].folder, experiment, made).write()
    assert "programs" not in (made[0].folder / "manifest.json").read_text()


def test_a_key_is_of_what_a_programs_interpreter_and_libraries_are(jobs, monkeypatch):
    _, (job,) = jobs()
    monkeypatch.setattr(programs, "contents_of", lambda _: {"": "same", "libc.so.6": "other"})
    _, (other,) = jobs()
    assert other.key != job.key


def test_a_key_is_of_the_hosts_programs(jobs, monkeypatch):
    text = 'title = "x"\n'
    _, (job,) = jobs(text)
    monkeypatch.setattr(host_programs, "digest", lambda names, **_: f"of {sorted(names)}")
    _, (other,) = jobs(text)
    assert other.key != job.key
    asked = []
    monkeypatch.setattr(host_programs, "digest", lambda names, **_: asked.append(names) or "")
    jobs(text)
    jobs(f'{text}testbed.layout = "wifi"\ntestbed.device = "ath9k"\n')
    assert asked == [{"ip", "tc"}, {"hostapd", "ip", "iw", "tc"}]
