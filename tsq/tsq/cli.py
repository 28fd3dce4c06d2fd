# SPDX-License-Identifier: GPL-2.0-or-later
"""The commands: arguments are parsed here, and lines printed."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tsq import __version__, doctor, measure, methods, plan, setting, show
from tsq.bpf import FlowReader
from tsq.devices import Device, read_devices
from tsq.errors import TsqError
from tsq.flows import Flow, read_flows
from tsq.host import Host
from tsq.knobs import TSQ_US, read_knobs
from tsq.sampling import Sampled, sample
from tsq.timer import seconds_of
from tsq.trial import verify

_HOST = Host()


def main(words: Sequence[str] | None = None) -> int:
    """Run a command; the exit status is 1 if it could not be done, and 2 for wrong arguments."""
    options = _parser().parse_args(words)
    try:
        for line in options.command(options):
            try:
                print(_plain(line), flush=True)
            except BrokenPipeError:  # `tsq show | head`
                os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
                if options.command not in (_apply, _undo):
                    return 0
                # Those go on: what is set halfway is worth less than what nobody reads.
    except TsqError as error:
        print(_plain(f"tsq: {error}"), file=sys.stderr)
        return 1
    except OSError as error:
        print(_plain(f"tsq: the system did not let us: {error}"), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        if options.command is _apply:
            print("tsq: interrupted; tsq undo puts back what was set already", file=sys.stderr)
        return 130
    return 0


def _plain(line: str) -> str:
    """Without what a terminal would obey: the name of a device may hold it."""
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii")
        for letter in line
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tsq", description="TCP Small Queues on this host: shown, planned, set, put back."
    )
    parser.add_argument("--version", action="version", version=f"tsq {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_looking(commands)
    _add_changing(commands)
    return parser


def _add_looking(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    look = commands.add_parser("show", help="devices, flows, and which term of the limit binds")
    look.add_argument("--dev", metavar="DEV", help="this device and its flows only")
    look.add_argument("--json", action="store_true", help="for programs: a line of JSON")
    look.add_argument("--watch", action="store_true", help="again and again, until interrupted")
    look.add_argument(
        "--bpf", action="store_true", help="read what is inferred otherwise; takes root"
    )
    look.add_argument("-t", type=_time, default=1.0, metavar="SECONDS", help="how long to look; 1")
    look.set_defaults(command=_show)

    planned = commands.add_parser("plan", help="what each method would set here; changes nothing")
    planned.add_argument("--ms", type=float, required=True, help="how much below TCP, in ms")
    planned.add_argument("--dev", metavar="DEV", help="for this device; the default route's")
    planned.add_argument("--json", action="store_true", help="for programs: a line of JSON")
    planned.set_defaults(command=_plan)

    measured = commands.add_parser("measure", help="how often and how long flows wait for TSQ")
    measured.add_argument("-t", type=_time, default=10.0, metavar="SECONDS", help="how long; 10")
    measured.add_argument("--dev", metavar="DEV", help="flows by this device only")
    measured.add_argument(
        "--bpf", action="store_true", help="look at the throttled bit; takes root"
    )
    measured.set_defaults(command=_measure)

    checked = commands.add_parser("doctor", help="what each method needs, and whether it is here")
    checked.set_defaults(command=_doctor)


def _add_changing(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    applied = commands.add_parser("apply", help="set a limit, and keep what was before")
    applied.add_argument("--ms", type=float, required=True, help="how much below TCP, in ms")
    applied.add_argument("--method", choices=("auto", *methods.ORDER), default="auto")
    applied.add_argument("--dev", metavar="DEV", help="for this device; the default route's")
    applied.add_argument("--for", dest="for_", metavar="TIME", help="undo it after 90s, 10m, 2h")
    applied.add_argument("--persist", action="store_true", help="at each boot, too (systemd)")
    applied.add_argument(
        "--host-wide", action="store_true", help="even if it changes other devices"
    )
    applied.set_defaults(command=_apply)

    undone = commands.add_parser("undo", help="put back what is still as tsq set it")
    undone.add_argument("--token", default="", help=argparse.SUPPRESS)  # of --for's timer
    undone.set_defaults(command=_undo)

    verified = commands.add_parser("verify", help="as it is against a limit, by turns, with flent")
    verified.add_argument("server", help="where netserver runs")
    verified.add_argument("--ms", type=float, nargs="+", default=[6.0], help="the limits; 6")
    verified.add_argument("--rounds", type=int, default=10, help="tests of each; 10")
    verified.add_argument("--length", type=int, default=20, metavar="SECONDS", help="of a test; 20")
    verified.add_argument("--method", choices=("auto", *methods.ORDER), default="auto")
    verified.add_argument("--dev", metavar="DEV", help="for this device; the default route's")
    verified.add_argument(
        "--host-wide", action="store_true", help="even if it changes other devices"
    )
    verified.add_argument("--out", default="tsq-verify", metavar="FOLDER", help="for flent's files")
    verified.set_defaults(command=_verify)


def _time(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds <= 3600:
        raise argparse.ArgumentTypeError(f"{text}: is not between 0 and 3600 s")
    return seconds


@contextlib.contextmanager
def _exact(wanted: bool) -> Iterator[FlowReader | None]:
    if not wanted:
        yield None
        return
    reader = FlowReader()
    try:
        yield reader
    finally:
        reader.close()


def _sampled(
    devices: Mapping[str, Device], seconds: float, name: str | None, reader: FlowReader | None
) -> list[Sampled]:
    """The flows by a device, or by all but loopback."""
    found = sample(_HOST, devices, seconds, exact=reader)
    if name is not None:
        return [flow for flow in found if flow.last.device == name]
    return [flow for flow in found if not flow.last.flow.loops]


def _show(options: argparse.Namespace) -> Iterator[str]:
    with _exact(options.bpf) as reader:
        while True:
            devices = read_devices(_HOST)
            if options.dev:
                methods.device_of(_HOST, devices, options.dev)  # or an error
            chosen = show.chosen(devices, options.dev)
            flows = _sampled(devices, options.t, options.dev, reader)
            if options.json:
                yield show.as_json(_HOST, chosen, flows, exact=options.bpf)
            else:
                yield from show.as_text(chosen, flows, read_knobs(_HOST), exact=options.bpf)
            if not options.watch:
                return
            if not options.json:
                yield time.strftime("---- %H:%M:%S")


def _plan(options: argparse.Namespace) -> Iterator[str]:
    devices = read_devices(_HOST)
    device = methods.device_of(_HOST, devices, options.dev)
    planned = methods.methods(_HOST, devices, device, options.ms)
    if options.json:
        return iter([plan.as_json(device, options.ms, planned)])
    return plan.as_text(device, options.ms, planned)


def _measure(options: argparse.Namespace) -> Iterator[str]:
    devices = read_devices(_HOST)
    counters = _HOST.sysctl(TSQ_US) is not None
    with _exact(options.bpf) as reader:
        # Of all flows: one that is idle now may have waited for long before.
        before = _counters(read_flows()) if counters else {}
        flows = _sampled(devices, options.t, options.dev, reader)
        after = _counters(sampled.last.flow for sampled in flows) if counters else {}
    return measure.as_text(flows, before, after)


def _counters(flows: Iterable[Flow]) -> dict[int, measure.Counted]:
    return measure.read_counters(_HOST, [flow.inode for flow in flows])


def _doctor(options: argparse.Namespace) -> Iterator[str]:
    del options
    return doctor.as_text(doctor.findings(_HOST, read_devices(_HOST)))


def _apply(options: argparse.Namespace) -> Iterator[str]:
    devices = read_devices(_HOST)
    device = methods.device_of(_HOST, devices, options.dev)
    wanted = setting.Wanted(
        ms=options.ms,
        method=options.method,
        for_s=seconds_of(options.for_) if options.for_ else None,
        persist=options.persist,
        host_wide=options.host_wide,
    )
    return setting.apply(_HOST, devices, device, wanted)


def _undo(options: argparse.Namespace) -> Iterator[str]:
    return setting.undo(_HOST, options.token)


def _verify(options: argparse.Namespace) -> Iterator[str]:
    return verify(_HOST, options)
