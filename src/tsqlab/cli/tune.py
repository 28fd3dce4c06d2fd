# SPDX-License-Identifier: GPL-2.0-or-later
"""``tsqlab tune``: how many ms of TSQ a radio needs, and the settings that follow."""

from __future__ import annotations

import argparse
import os
import re
from pathlib import Path

from tsqlab.cli import count_to, folder, jobs
from tsqlab.cli.report import RESULTS
from tsqlab.cli.run import run_shown
from tsqlab.errors import UsageError
from tsqlab.experiment.bundled import bundled_profiles, is_file
from tsqlab.experiment.era import ERAS, TODAY
from tsqlab.experiment.load import load
from tsqlab.experiment.profile import Airlink, load_profile
from tsqlab.experiment.tuning import TsqSweep
from tsqlab.results.files import write_whole

_MS = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 12.0, 16.0)
_SEEDS_MAX = 1000
_TUNING = "tuning.txt"


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("profile", help="a radio's profile (tsqlab list), or its file")
    parser.add_argument("--congestion-control", default="cubic", metavar="CC")
    parser.add_argument(
        "--ms", type=_ms, nargs="+", default=_MS, metavar="MS",
        help="what to try (default: 1 to 8, 12 and 16)",
    )  # fmt: skip
    parser.add_argument(
        "--seeds", type=count_to(_SEEDS_MAX), default=5, metavar="N", help="default: 5"
    )
    parser.add_argument("--length", default="20 s", help='of each upload (default: "20 s")')
    parser.add_argument("--kernel", default="6.12", metavar="NAME", help="one with CoTSQ")
    parser.add_argument(
        "--era", choices=list(ERAS), default=TODAY,
        help=f"{'; '.join(f'{era.name}: {era.title}' for era in ERAS.values())} (default: {TODAY})",
    )  # fmt: skip
    parser.add_argument(
        "--jobs", type=jobs, default=len(os.sched_getaffinity(0)), metavar="N",
        help="cells at a time (default: one a CPU)",
    )  # fmt: skip
    parser.add_argument(
        "--out", type=folder, metavar="DIR", help="default: results/tune-PROFILE-CC[-ERA]"
    )
    parser.set_defaults(command=_tune)


def _ms(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.002 <= value <= 1000 or round(value * 1000) != value * 1000:
        message = f"expected ms from 0.002 to 1000, to the us, not {text!r}"
        raise argparse.ArgumentTypeError(message)
    return value


def _tune(options: argparse.Namespace) -> None:
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
    run_shown(load(str(file)), out, options.jobs)
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
