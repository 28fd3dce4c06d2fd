# SPDX-License-Identifier: GPL-2.0-or-later
"""From a source to a kernel that boots, with its modules and the guest's program."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tsqlab.errors import TsqlabError
from tsqlab.kernels.cache import made
from tsqlab.kernels.config import check_config, fragment_text, fragments_for
from tsqlab.kernels.make import Build, Progress, check_folder, make
from tsqlab.kernels.source import changes, find_source, history, patched_tree, patches_of
from tsqlab.keys import key_of, key_of_files
from tsqlab.paths import AGENT, KERNEL_MODULES, cache

_ABOUT = "tsqlab.json"
_PRELOAD = "preload"
_COTSQ_HEADER = "include/net/tcp_tsq.h"


@dataclass(frozen=True)
class Kernel:
    """A kernel ready to boot."""

    version: str  # "6.12"
    release: str  # "6.12.117", the name that uname prints
    hz: int
    id: str  # the key of everything that went into it, modules and the guest's program too
    cotsq: bool  # whether its patches give it CoTSQ's sysctls
    linux: Path  # the executable
    modules: Path  # the folder of *.ko
    agent: Path  # PID 1 of the guest
    source: str = ""  # the names of the source and the folder of patches that a user gave

    @property
    def preload(self) -> Path:
        """The folder of libraries that programs can be run with."""
        return self.agent.parent / _PRELOAD


@dataclass(frozen=True)
class Recipe:
    """What a kernel is made of."""

    # The version of Debian's source and of the patches; None: the version of *source*.
    version: str | None = None
    source: Path | None = None  # a tree or tarball in place of Debian's source
    patches: Path | None = None  # a flat folder of *.patch in place of the series
    hz: int = 1000  # CONFIG_HZ
    extra: tuple[str, ...] = ()  # more fragments of kernel/config
    # Names in kernel/patches/history: upstream changes that are taken back.
    without: tuple[str, ...] = ()


def build(recipe: Recipe, progress: Progress | None = None) -> Kernel:
    """The kernel of *recipe*, built if it is not in the cache.

    Raises UsageError when there is no such source, and TsqlabError when it does not build.
    """
    check_folder(cache())
    found = find_source(recipe.version, recipe.source)
    tree_patches = patches_of(found.version, recipe.patches)
    tree_patches += [history()[name] for name in recipe.without]
    own = fragments_for("".join(patch.read_text("utf-8", "replace") for patch in tree_patches))
    fragments, hz = fragment_text(recipe.hz, (*own, *recipe.extra)), recipe.hz
    compiler = _compiler()
    key = key_of(found.key, changes(tree_patches), fragments, compiler)
    linux = cache() / "linux" / f"{found.version}-{key}"

    def compile_linux(folder: Path) -> None:
        tree = patched_tree(found, tree_patches)
        _configure(tree, folder, fragments)
        make(Build(tree, folder), ["linux", "modules"], folder / "build.log", progress)
        about = {"version": found.version, "hz": hz, "tree": str(tree), "source": str(found.path)}
        about["release"] = (folder / "include/config/kernel.release").read_text("utf-8").strip()
        (folder / _ABOUT).write_text(json.dumps(about, indent=1), "utf-8")

    made(linux, compile_linux, ("linux", _ABOUT))
    about = _about(linux)
    tree = Path(about["tree"])
    modules = _modules(linux, tree)
    agent = _agent(compiler)
    return Kernel(
        version=found.version,
        release=about["release"],
        hz=hz,
        id=key_of(linux.name, modules.name, agent.parent.name),
        cotsq=(tree / _COTSQ_HEADER).exists(),
        linux=linux / "linux",
        modules=modules,
        agent=agent,
        source=", ".join(path.name for path in (recipe.source, recipe.patches) if path),
    )


def built() -> Iterator[dict[str, str]]:
    """What the cache holds: a row per kernel."""
    for path in sorted((cache() / "linux").glob(f"*/{_ABOUT}")):
        about = _about(path.parent)
        yield {
            "version": about["version"],
            "release": about["release"],
            "hz": about["hz"],
            "key": path.parent.name,
            "source": about["source"],
        }


def _about(linux: Path) -> dict[str, str]:
    """What a build says of itself. Raises TsqlabError."""
    path = linux / _ABOUT
    try:
        about = json.loads(path.read_text("utf-8"))
        return {key: str(about[key]) for key in ("version", "release", "hz", "tree", "source")}
    except (OSError, LookupError, TypeError, ValueError, RecursionError) as error:
        message = f"{path}: damaged ({error!r}); remove {linux} and it is built again"
        raise TsqlabError(message) from error


def _compiler() -> str:
    if shutil.which("gcc") is None:
        raise TsqlabError("no gcc; try: tsqlab doctor")
    return subprocess.run(
        ["gcc", "--version"], capture_output=True, text=True, check=True
    ).stdout.splitlines()[0]


def _configure(tree: Path, folder: Path, fragments: str) -> None:
    wanted = folder / "wanted.config"
    wanted.write_text(fragments, "utf-8")
    targets = ["allnoconfig", f"KCONFIG_ALLCONFIG={wanted}"]
    make(Build(tree, folder), targets, folder / "config.log")
    check_config(fragments, (folder / ".config").read_text("utf-8"))


def _modules(linux: Path, tree: Path) -> Path:
    """All of kernel/modules, built against *linux*."""
    files = [path for path in KERNEL_MODULES.rglob("*") if path.is_file()]
    key = key_of(linux.name, key_of_files(files, KERNEL_MODULES))

    def compile_modules(folder: Path) -> None:
        for source in sorted(path.parent for path in KERNEL_MODULES.glob("*/Kbuild")):
            work = folder / source.name
            shutil.copytree(source, work)
            make_modules(tree, linux, work)
            for module in work.glob("*.ko"):
                module.rename(folder / module.name)

    return made(cache() / "modules" / key, compile_modules, ("*.ko",))


def make_modules(tree: Path, linux: Path, work: Path, arguments: Sequence[str] = ()) -> None:
    """Build the module in the folder *work* against the kernel built in *linux*."""
    log = work.parent / f"{work.name}.log"
    make(Build(tree, linux), [f"M={work}", *arguments, "modules"], log)


_C_FLAGS = ("-std=gnu11", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-Werror")


def _agent(compiler: str) -> Path:
    """The guest's program, linked statically: it needs nothing of the host's libraries.

    Beside it are the libraries for programs of the host, and these need its libraries.
    """
    sources, libraries = sorted(AGENT.glob("*.c")), sorted((AGENT / _PRELOAD).glob("*.c"))
    static, shared = (*_C_FLAGS, "-static"), (*_C_FLAGS, "-shared", "-fPIC")
    files = [*AGENT.glob("*.[ch]"), *libraries]
    key = key_of(key_of_files(files, AGENT), *static, *shared, compiler)

    def compile_agent(folder: Path) -> None:
        _compile(folder / "agent", static, sources)
        (folder / _PRELOAD).mkdir()
        for library in libraries:
            _compile(folder / _PRELOAD / f"{library.stem}.so", shared, [library])

    return made(cache() / "agent" / key, compile_agent, ("agent", f"{_PRELOAD}/*.so")) / "agent"


def _compile(result: Path, flags: Sequence[str], sources: Sequence[Path]) -> None:
    command = ["gcc", *flags, "-o", str(result), *map(str, sources)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        raise TsqlabError(f"the guest's {result.name} does not compile:\n{done.stderr[-3000:]}")
