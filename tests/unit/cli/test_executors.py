# SPDX-License-Identifier: GPL-2.0-or-later
"""``--executor``: what it takes, and what is said where Dask or its scheduler is missing."""

import subprocess
import sys

import pytest

from tsqlab.cli import main


@pytest.mark.parametrize("given", ["dask", "dask:", "slurm:10.0.0.1", ""])
def test_an_executor_is_local_or_has_an_address(given, capsys):
    with pytest.raises(SystemExit) as caught:
        main(["run", "cotsq-3", "--executor", given])
    assert caught.value.code == 2
    assert "expected local, or dask:ADDRESS" in capsys.readouterr().err


def test_without_dask_it_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.delitem(sys.modules, "tsqlab.runner.cluster.dask", raising=False)
    assert main(["run", "cotsq-3", "--executor", "dask:tcp://127.0.0.1:1"]) == 2
    assert "Dask is not installed" in (words := capsys.readouterr().err)
    assert "pip install 'tsqlab[dask]'" in words


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense://x", "tcp://"])
def test_a_scheduler_that_is_not_there_is_named(address, monkeypatch):
    dask = pytest.importorskip(
        "tsqlab.runner.cluster.dask", reason="needs dask", exc_type=ImportError
    )
    monkeypatch.setattr(dask, "_CONNECT_S", 0.2)
    with pytest.raises(dask.UsageError, match=f"no Dask scheduler at {address}: "):
        dask.dask(address)(1)


def test_a_run_here_does_not_load_dask():
    program = (
        "import sys\nimport tsqlab.cli.run\n"
        "print({'dask', 'distributed'} & {name.partition('.')[0] for name in sys.modules})\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "set()\n", done.stderr
