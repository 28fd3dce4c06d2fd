# SPDX-License-Identifier: GPL-2.0-or-later
"""``tsqlab tune``: how many ms of TSQ a radio needs, and the settings that follow."""

from __future__ import annotations

import argparse
import os
import re
from pathlib import Path

from tsqlab.cli.report import RESULTS
from tsqlab.cli.run import run_shown
from tsqlab.errors import UsageError
from tsqlab.experiment.bundled import bundled_profiles, is_file
from tsqlab.experiment.era import TODAY
from tsqlab.experiment.load import load
from tsqlab.experiment.profile import Airlink, load_profile
from tsqlab.experiment.tuning import TsqSweep
from tsqlab.results.files import write_whole
from tsqlab.runner.local import local

_TUNING = "tuning.txt"


def execute(options: argparse.Namespace) -> None:
    """Run the sweep, and say what follows."""
    # matplotlib takes half a second, which commands that draw nothing need not wait for.
    from tsqlab.report import tuning  # noqa: PLC0415

    profile = load_profile(options.profile)
    if not isinstance(profile, Airlink):
        raise UsageError(f"{options.profile}: no radio; there are {', '.join(_radios())}")
    if len(set(options.ms)) < 2:
        raise UsageError("--ms: a knee needs two or more to choose from")
    name = f"tune-{Path(options.profile).stem}-{_word(options.congestion_control)}"
    name += "" if options.era == TODAY else f"-{options.era}"
    out: Path = options.out or RESULTS / name
    out.mkdir(parents=True, exist_ok=True)
    file = out / f"{name}.toml"
    sweep = TsqSweep(
        _from_folder(options.profile, out), options.congestion_control, options.length,
        options.kernel, options.era, tuple(options.ms), options.seeds,
    )  # fmt: skip
    write_whole(file, sweep.text().encode())
    run_shown(load(str(file)), out, local(options.jobs))
    text = tuning.tuning_text(tuning.read_tuning(out))
    write_whole(out / _TUNING, f"{text}\n".encode())
    print(text)
    print(f"tuning:  {out / _TUNING}")


def _from_folder(profile: str, folder: Path) -> str:
    """A profile that the shell names, as a file in *folder* names it."""
    if not is_file(profile):
        return profile
    return f"./{os.path.relpath(Path(profile).resolve(), folder.resolve())}"


def _radios() -> list[str]:
    return [name for name in bundled_profiles() if isinstance(load_profile(name), Airlink)]


def _word(text: str) -> str:
    return re.sub(r"[^\w-]+", "_", text)
