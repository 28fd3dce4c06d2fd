# SPDX-License-Identifier: GPL-2.0-or-later
"""``tsqlab kernel``: building kernels, for guests and for machines, and what is built."""

from __future__ import annotations

import argparse
from contextlib import closing
from pathlib import Path

from tsqlab.cli import folder, jobs
from tsqlab.cli.kernels import build_shown
from tsqlab.cli.progress import BuildProgress
from tsqlab.cli.prune import list_sizes, prune_shown
from tsqlab.errors import UsageError
from tsqlab.kernels import Recipe, built
from tsqlab.kernels.deb import Order, build_packages
from tsqlab.kernels.dkms import build_dkms_package
from tsqlab.kernels.names import named, remember
from tsqlab.kernels.prebuilt import installed
from tsqlab.kernels.prune import BYTES, BYTES_DEFAULT, bytes_max, bytes_of
from tsqlab.kernels.source import versions


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    actions = parser.add_subparsers(required=True, metavar="ACTION")

    build = actions.add_parser("build", help="build a kernel for guests")
    build.add_argument("--version", help="6.12 or 6.1 (default: 6.12, or what the source says)")
    build.add_argument(
        "--source",
        type=folder,
        metavar="DIR|TARBALL",
        help="not Debian's source; a tree is built as it stands, and never written to",
    )
    which = build.add_mutually_exclusive_group()
    which.add_argument("--patches", type=folder, metavar="DIR", help="not the bundled ones")
    which.add_argument(
        "--without-cotsq",
        action="store_true",
        help="only User-Mode Linux's patches: no setting of TSQ but stock and { shift = N }",
    )
    build.add_argument(
        "--config",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="a fragment of options (CONFIG_X=y) on top of the lab's; may be given again",
    )
    build.add_argument(
        "--debug",
        action="store_true",
        help="with debug information: a panic's call trace has files and lines",
    )
    build.add_argument(
        "--guided",
        choices=("train", "last", "no"),
        default="train",
        help="by a profile of itself: a new one if need be, the last one if there is one, or none",
    )
    build.add_argument("--hz", type=int, choices=(100, 250, 300, 1000), default=1000)
    build.add_argument(
        "--name", help="remember it: run --kernel NAME and kernel = NAME in a file then mean it"
    )
    build.add_argument("--jobs", type=jobs, metavar="N", help="at a time (default: the CPUs)")
    build.set_defaults(command=_build)

    deb = actions.add_parser("deb", help="build Debian packages for a real machine")
    deb.add_argument(
        "--only",
        choices=("kernel", "bbrs"),
        help="the kernel's packages, or that of the BBR family, a module that DKMS compiles on the "
        "machine, which takes a second (default: both)",
    )
    deb.add_argument("--version", help="6.12 or 6.1 (default: 6.12)")
    deb.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        help="the kernel's options, perhaps .xz (default: /boot's, of the kernel that runs)",
    )
    deb.add_argument(
        "--btf",
        action="store_true",
        help="with BTF, which BPF programs need; it takes twice the time, and 20 GB",
    )
    deb.add_argument("--out", type=folder, metavar="DIR", default=Path("debs"), help="(debs)")
    deb.add_argument("--jobs", type=jobs, metavar="N", help="at a time (default: the CPUs)")
    deb.set_defaults(command=_deb)

    listing = actions.add_parser("list", help="list what is built")
    listing.add_argument(
        "--sizes",
        action="store_true",
        help="all that the cache holds instead: what it takes of the disk, and its last use",
    )
    listing.set_defaults(command=_list)

    pruning = actions.add_parser("prune", help="remove of the cache what was used longest ago")
    pruning.add_argument(
        "--to",
        metavar="SIZE",
        help=f'how much may be left, as "5 GiB" (default: ${BYTES}, or {BYTES_DEFAULT})',
    )
    pruning.add_argument(
        "--dry-run", action="store_true", help="say what would be removed, and remove nothing"
    )
    pruning.set_defaults(command=_prune)


def _build(options: argparse.Namespace) -> None:
    source = options.source.absolute() if options.source else None
    patches = options.patches.absolute() if options.patches else None
    recipe = Recipe(
        options.version,
        source,
        patches,
        options.hz,
        extra=("debug",) if options.debug else (),
        cotsq=not options.without_cotsq,
        guided=options.guided != "no",
        fragments=tuple(path.absolute() for path in options.config),
    )
    kernel = build_shown(recipe, options.jobs, trains=options.guided == "train")
    if options.name:
        remember(options.name, recipe)
    print(f"{kernel.release} at {kernel.hz} Hz: {kernel.linux}")


def _deb(options: argparse.Namespace) -> None:
    order = Order(options.version, options.config, options.out, options.jobs, options.btf)
    if options.only == "bbrs" and order != Order(out=options.out):
        raise UsageError(
            "--version, --config, --btf and --jobs are the kernel's: --only bbrs has none"
        )
    if options.only != "kernel":
        # A module that was edited has the same version, which apt passes over unless told not to.
        _say_install("--reinstall", build_dkms_package(options.out).absolute())
    if options.only != "bbrs":
        with closing(BuildProgress("the packages")) as progress:
            packages = build_packages(order, progress)
        _say_install(*(path.absolute() for path in packages))


def _say_install(*words: object) -> None:
    print("sudo apt-get install", *words, flush=True)


def _prune(options: argparse.Namespace) -> None:
    bound = bytes_max() if options.to is None else bytes_of(options.to, "--to")
    prune_shown(bound, options.dry_run)


def _list(options: argparse.Namespace) -> None:
    if options.sizes:
        list_sizes()
        return
    package = installed()
    if package:
        for kernel in package.kernels:
            print(f"{kernel.release:12} {kernel.hz:>4} Hz  {kernel.name:21}  of {package.title}")
    rows = list(built())
    for row in rows:
        print(f"{row['release']:12} {row['hz']:>4} Hz  {row['key']}  {row['source']}")
    if not rows and package is None:
        print("none yet; tsqlab kernel build makes one")
    for name, recipe in named().items():
        more = f" with {', '.join(map(str, recipe.fragments))}" if recipe.fragments else ""
        print(f"{name}: {recipe.source or recipe.version or versions()[0]}{more}")
