# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs `tsq verify`: sets each limit for one test of Flent's, and puts all back after each."""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tsq import setting, state
from tsq.devices import read_devices
from tsq.errors import TsqError
from tsq.host import Host
from tsq.manifest import file_of, write_manifest
from tsq.methods import check_ms, device_of
from tsq.setting import Wanted
from tsq.verify import Outcome, as_text, read_outcome, rounds

AS_IT_IS = "as it is"
NEEDED = ("flent", "netperf")
_SERVER = re.compile(r"[A-Za-z0-9_:][A-Za-z0-9_.:%-]*")
_AROUND_S = 30  # what a test takes beside its length: pings before and after, and starting
_LIMITS_MAX = 8


@dataclass(frozen=True)
class Trial:
    """One test after the other."""

    host: Host
    server: str
    length_s: int
    folder: Path
    wanted: dict[str, Wanted]
    device: str | None

    def run(self, name: str, count: int) -> Outcome:
        """A test with that setting; whatever happens, the host is as it was afterwards."""
        try:
            if name in self.wanted:
                devices = read_devices(self.host)
                device = device_of(self.host, devices, self.device)
                # Its timer undoes it even if we are killed.
                list(setting.apply(self.host, devices, device, self.wanted[name]))
            path = self.folder / file_of(name, count)
            self._flent(name, path)
            return read_outcome(path)
        finally:
            if name in self.wanted:
                list(setting.undo(self.host))

    def _flent(self, name: str, path: Path) -> None:
        words = [
            "flent", "tcp_nup", "--test-parameter", "upload_streams=1", "--socket-stats",
            "--host", self.server, "--length", str(self.length_s), "--title-extra", f"tsq {name}",
            "--data-dir", str(self.folder),
        ]  # fmt: skip
        before = set(self.folder.glob("*.flent.gz"))
        try:
            done = subprocess.run(words, capture_output=True, text=True, errors="replace",
                                  timeout=self.length_s + 4 * _AROUND_S, check=False)  # fmt: skip
        except FileNotFoundError as error:
            raise TsqError(no_flent(["flent"])) from error
        except subprocess.TimeoutExpired as error:
            raise TsqError(f"flent: is not done after {self.length_s + 4 * _AROUND_S} s") from error
        written = set(self.folder.glob("*.flent.gz")) - before
        if done.returncode or len(written) != 1:
            said = (done.stderr or done.stdout).strip().splitlines() or ["it wrote no result"]
            raise TsqError(f"flent: {said[-1]}; does netserver run on {self.server}?")
        written.pop().rename(path)


def no_flent(absent: Sequence[str]) -> str:
    """What to do where a program is not there."""
    where = " (netperf is in Debian's non-free)" if "netperf" in absent else ""
    return f"no {' and no '.join(absent)} here; try: sudo apt-get install {' '.join(absent)}{where}"


def verify(host: Host, options: argparse.Namespace) -> Iterator[str]:
    """As it is against each limit."""
    if not 2 <= options.rounds <= 1000 or not 1 <= options.length <= 3600:
        raise TsqError("--rounds: from 2 to 1000; --length: from 1 to 3600 s")
    if not _SERVER.fullmatch(options.server) or len(options.ms) > _LIMITS_MAX:
        raise TsqError(f"give a server, and {_LIMITS_MAX} limits at most")
    for ms in options.ms:
        check_ms(ms)
    if absent := [name for name in NEEDED if shutil.which(name) is None]:
        raise TsqError(no_flent(absent))
    if state.load(host, lasting=False):
        raise TsqError("something is applied already, and would be undone: tsq undo, then verify")
    folder = Path(options.out)
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        raise TsqError(f"{folder}: {error.strerror}; give another --out") from error
    wanted = {
        f"{ms:g} ms": Wanted(
            ms, options.method, options.length + 4 * _AROUND_S, host_wide=options.host_wide
        )
        for ms in options.ms
    }
    settings = [AS_IT_IS, *wanted]
    took = options.rounds * len(settings) * (options.length + 15) / 60
    yield f"about {took:.0f} minutes; flent's files: {folder}"
    trial = Trial(host, options.server, options.length, folder, wanted, options.dev)
    done: list[dict[str, Outcome]] = []
    for outcome in rounds(settings, options.rounds, trial.run):
        done.append(outcome)
        write_manifest(host, folder, options.server, settings, len(done))
        yield f"round {len(done)}: " + ", ".join(
            f"{name} {outcome[name].goodput_mbps:.1f} Mbit/s, {outcome[name].ping_ms:.1f} ms"
            for name in settings
        )
    yield from as_text(done, settings)
    yield f"as a page, with plots, by the lab: tsqlab report {folder}"
