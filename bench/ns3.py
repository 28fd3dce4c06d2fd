# SPDX-License-Identifier: GPL-2.0-or-later
"""The radio beside a peer: the same uploads over the same links in ns-3 and in tsqlab.

    python bench/ns3.py [REPEATS]

One station, saturated UDP and one CUBIC flow, 802.11n and 802.11ac, no losses but collisions,
no A-MSDUs, an access point and 1 Gbit/s of wire behind it. tsqlab has three radios for each: one
that adds nothing of its own to the standard, which is what ns-3 models, and a device's profile,
as a fullmac device and below mac80211. TCP Small Queues is off, since ns-3 has none.

It prints the goodput of both, and how many seconds a second of CPU time simulates. For ns-3 only
its event loop counts; for tsqlab a whole cell counts, from the boot of the guest on, with all
that is sampled. Both stay on one core. The runs take turns, and the fastest of REPEATS (2) counts.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from cost import run_row
from rows import Row
from tsqlab.experiment.profile import Airlink, load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.kernels import Kernel, Recipe, build
from tsqlab.kernels.cache import made
from tsqlab.keys import key_of
from tsqlab.model.exchange import exchange
from tsqlab.model.mac import mpdu_bytes
from tsqlab.model.phy import Rate
from tsqlab.paths import cache

HERE = Path(__file__).parent
LENGTH_S = {"CUBIC": 60, "UDP": 10}
NS3_LENGTH_S = 5
SKIP_S = 1.0  # what is left out at the start: slow start, and ns-3's association
PAYLOAD_BYTES, IP_BYTES = 1472, 1500

Radio = tuple[str, str]
"""A profile's name, and its front end."""


@dataclass(frozen=True)
class Case:
    """A link, in the words of ns-3 and of tsqlab."""

    standard: str
    device: str  # a profile that has such a radio
    text: str  # the rate, as a profile writes it
    rate: Rate
    frames: int  # how many an aggregate may have
    mode: str  # ns-3's data mode
    channel: str  # ns-3's channel settings

    def goodput_bit_per_s(self) -> float:
        """The goodput of saturated UDP, in closed form."""
        cycle = exchange(self.rate, mpdu_bytes(IP_BYTES), self.frames)
        return cycle.goodput_bit_per_s(self.frames * PAYLOAD_BYTES)

    @property
    def radios(self) -> tuple[Radio, ...]:
        """The radios that tsqlab has for it."""
        return ("ideal", "fullmac"), (self.device, "fullmac"), (self.device, "softmac")

    def profile(self, device: str, front: str) -> Airlink:
        """The profile of *device* for this link, without A-MSDUs on both sides."""
        profile = load_profile(device)
        assert isinstance(profile, Airlink)
        own = {"band": "5 GHz", "front": front, "rate": self.text, "aggregate_frames": self.frames}
        own["amsdu_frames"] = None
        access_point = (profile.access_point or profile).model_copy(update=own)
        return profile.model_copy(update=own | {"access_point": access_point})


CASES = (
    Case(
        "802.11n",
        "ath9k",
        "HT40 MCS15 SGI",
        Rate("HT", 40, 2, 7, 400),
        32,
        "HtMcs15",
        "{38, 40, BAND_5GHZ, 0}",
    ),
    Case(
        "802.11ac",
        "ath10k",
        "VHT80 MCS9 2ss SGI",
        Rate("VHT", 80, 2, 9, 400),
        64,
        "VhtMcs9",
        "{42, 80, BAND_5GHZ, 0}",
    ),
)


@dataclass(frozen=True)
class Figures:
    """One run."""

    goodput_mbps: float
    speed: float  # simulated seconds per second of CPU time


class Peer:
    """ns-3, in a process that takes one request after the other."""

    def __init__(self) -> None:
        """Start ns-3, and install it first if this is the first time."""
        wanted = HERE / "ns3-requirements.txt"
        folder = made(cache() / "ns3" / key_of(wanted.read_bytes(), sys.version), _install)
        self._process = subprocess.Popen(
            # -P: the package ns3 is meant, not this file.
            [folder / "bin" / "python", "-P", HERE / "ns3_peer.py"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        os.sched_setaffinity(self._process.pid, {max(os.sched_getaffinity(0))})

    def __enter__(self) -> Self:
        """Use it in a with statement."""
        return self

    def __exit__(self, *_: object) -> None:
        """End it."""
        self._process.communicate()

    def run(self, case: Case, flow: str) -> Figures:
        """One upload."""
        vht = case.rate.standard == "VHT"
        # HT's aggregates are limited in bytes here: room for these frames and for less than one
        # more.
        subframe_bytes = mpdu_bytes(IP_BYTES) + 8
        aggregate_bytes = 1048575 if vht else case.frames * subframe_bytes
        link = [case.mode, case.channel, vht, case.rate.streams, aggregate_bytes]
        offered = round(1.05 * case.goodput_bit_per_s())
        request = [link, [flow == "CUBIC", offered, NS3_LENGTH_S, SKIP_S]]
        assert self._process.stdin and self._process.stdout
        print(json.dumps(request), file=self._process.stdin, flush=True)
        answer = json.loads(self._process.stdout.readline())
        goodput_mbps = answer["bytes"] * 8 / (NS3_LENGTH_S - SKIP_S) / 1e6
        return Figures(goodput_mbps, NS3_LENGTH_S / answer["cpu_s"])


def _install(folder: Path) -> None:
    print("== ns-3, for this benchmark alone", flush=True)
    venv.create(folder, with_pip=True)
    pip = [str(folder / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "-r", str(HERE / "ns3-requirements.txt")], check=True)


def name_of(case: Case, radio: Radio, flow: str) -> str:
    """The name of one upload in tsqlab."""
    return " ".join((case.standard, flow, *radio))


def rows() -> dict[str, Row]:
    """All uploads in tsqlab, by their names."""
    return {
        name_of(case, radio, flow): _row(case, radio, flow)
        for case in CASES
        for flow in LENGTH_S
        for radio in case.radios
    }


def _row(case: Case, radio: Radio, flow: str) -> Row:
    spec = Spec.model_validate(
        {
            "title": "bench",
            "testbed": {"layout": "wifi", "device": radio[0]},
            "flows": {
                "test": "tcp_nup" if flow == "CUBIC" else "udp_flood",
                "length": f"{LENGTH_S[flow]} s",
                "delay": "0 s",
            },
            "sender": {"tsq": "NoTSQ", "offloads": "off"},  # as ns-3 sends
            "lab": {"era": "4.13"},
        }
    )
    # A UDP socket holds less than two aggregates by default.
    first = ["write", "-", "/proc/sys/net/core/wmem_default", "4000000"]
    return Row(name_of(case, radio, flow), spec, case.profile(*radio), (first,))


def run(kernel: Kernel, row: Row) -> Figures:
    """One upload in tsqlab."""
    done = run_row(kernel, row)
    (received,) = done.result.receivers.values()
    counted = received["t_ns"] >= SKIP_S * 1e9
    app_bytes, t_ns = received["app_bytes"][counted], received["t_ns"][counted]
    goodput_mbps = int(app_bytes[-1] - app_bytes[0]) * 8e3 / int(t_ns[-1] - t_ns[0])
    return Figures(goodput_mbps, row.simulated_s / done.cpu_s)


def compare(kernel: Kernel, peer: Peer, case: Case, flow: str, repeats: int) -> None:
    """Print the rows of one upload."""
    known = rows()
    theirs: list[Figures] = []
    ours: dict[Radio, list[Figures]] = {radio: [] for radio in case.radios}
    for _ in range(repeats):
        theirs.append(peer.run(case, flow))
        for radio, runs in ours.items():
            runs.append(run(kernel, known[name_of(case, radio, flow)]))
    other = max(theirs, key=lambda one: one.speed)
    link = f"{case.standard}, {case.text}, {case.frames} frames"
    for radio in case.radios:
        own = max(ours[radio], key=lambda one: one.speed)
        words = (
            *(link, flow, f"{radio[0]}, {radio[1]}"),
            *(f"{one.goodput_mbps:.1f}" for one in (other, own)),
            *(f"{other.speed:.2f}", f"{own.speed:.1f}", f"{own.speed / other.speed:.1f}"),
        )
        print(f"| {' | '.join(words)} |", flush=True)


def main() -> None:
    """Print the table, the rows as they are measured."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    kernel = build(Recipe())
    print("| link | flow | radio | ns-3, Mbit/s | tsqlab | ns-3, simulated s/s | tsqlab | ratio |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    with Peer() as peer:
        for case in CASES:
            for flow in LENGTH_S:
                compare(kernel, peer, case, flow, repeats)
    print(f"\nLinux {kernel.release}, {kernel.hz} Hz; ns-3.44")


if __name__ == "__main__":
    main()
