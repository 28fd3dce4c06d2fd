# SPDX-License-Identifier: GPL-2.0-or-later
"""Checkouts to compare: a folder, or a revision in a folder of its own, each as a process.

A process (tree_peer.py) has one checkout's code on its path, so two of them can stand side by
side and take turns.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent

Document = dict[str, Any]


class TreeError(Exception):
    """A checkout that cannot be run; the message says what would do."""


@dataclass(frozen=True)
class Outcome:
    """One run of a row."""

    cpu_s: float
    document: Document


def checkout(name: str, folder: Path) -> Path:
    """The checkout that *name* means: a folder, or a revision, which is unpacked in *folder*."""
    if (Path(name) / "src" / "tsqlab").is_dir():
        return Path(name).resolve()
    # An archive, and no worktree, which git would remember if this process is killed.
    archived = subprocess.run(
        ["git", "archive", "--format=tar", name], cwd=ROOT, capture_output=True, check=False
    )
    if archived.returncode:
        why = archived.stderr.decode(errors="replace").strip()
        raise TreeError(
            f"{name}: neither the folder of a checkout (with src/tsqlab in it) nor a revision "
            f"that git knows here ({why})"
        )
    folder.mkdir()
    subprocess.run(["tar", "-x", "-C", folder], input=archived.stdout, check=True)
    return folder


def described(name: str) -> str:
    """What git calls a checkout or revision: its commit, and whether something is changed."""
    if (Path(name) / "src" / "tsqlab").is_dir():
        command = ["git", "-C", name, "describe", "--always", "--dirty", "--abbrev=12"]
    else:
        command = ["git", "-C", str(ROOT), "rev-parse", "--short=12", f"{name}^{{commit}}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "no commit"


class Tree:
    """A checkout, in a process that takes one request after the other."""

    def __init__(self, name: str, root: Path, results: Path) -> None:
        """Start it; *name* is what errors call it, *results* a folder for what it writes."""
        self.name, self._result = name, results / "result.json"
        path = os.pathsep.join([str(root / "src"), str(HERE)])
        self._process = subprocess.Popen(
            [sys.executable, HERE / "tree_peer.py"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": path},
        )
        about = self._answer()
        if Path(about["root"]) != root:
            raise TreeError(f"{name}: the tsqlab of {about['root']} was imported, not of {root}")
        self.about = {
            "commit": described(name),
            "release": f"Linux {about['release']}",
            "kernel": f"kernel {about['kernel']}",
        }

    def __enter__(self) -> Self:
        """Use it in a with statement."""
        return self

    def __exit__(self, *_: object) -> None:
        """End it."""
        self._process.communicate()

    def run(self, row: str, length_s: float) -> Outcome:
        """Run a row of rows.py or ns3.py once."""
        request = {"row": row, "length_s": length_s, "result": str(self._result)}
        assert self._process.stdin
        print(json.dumps(request), file=self._process.stdin, flush=True)
        answer = self._answer()
        if "error" in answer:
            raise TreeError(f"{self.name}: row {row}: {answer['error']}")
        document = json.loads(self._result.read_text("utf-8"))
        return Outcome(answer["cpu_s"], document)

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            raise TreeError(
                f"{self.name}: its process ended, for the reason above; a checkout that is much "
                "older has other functions than bench/tree_peer.py calls, and cannot be compared"
            )
        answer: dict[str, Any] = json.loads(line)
        return answer
