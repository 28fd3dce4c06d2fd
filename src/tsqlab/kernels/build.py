# SPDX-License-Identifier: GPL-2.0-or-later
"""From a source to a kernel that boots, with its modules and the guest's program."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from tsqlab.errors import TsqlabError
from tsqlab.kernels.agent import guest_program
from tsqlab.kernels.cache import WHOLE, discard, is_made, locked, made
from tsqlab.kernels.config import NotGrantedError, configure
from tsqlab.kernels.fragments import explained, read_fragments, text_of
from tsqlab.kernels.guided import (
    Profile,
    Training,
    counting,
    guided,
    guided_by,
    lay_out,
    place_of,
    profile_in,
    remember,
)
from tsqlab.kernels.increment import WAY, copy_built, forget_half_copied, linked_tree
from tsqlab.kernels.ingredients import (
    module_sources,
    modules_key,
    options,
    patches_for,
    taken_back,
)
from tsqlab.kernels.make import Build, check_folder, make
from tsqlab.kernels.mirror import Mirror, Wanted
from tsqlab.kernels.pace import Pace
from tsqlab.kernels.progress import Progress, Unwatched
from tsqlab.kernels.recipe import Kernel, Recipe
from tsqlab.kernels.source import Source, changes, find_source, patched_tree
from tsqlab.kernels.unfinished import make_good
from tsqlab.kernels.workshop import Content, Workshop, opened
from tsqlab.keys import key_of
from tsqlab.paths import cache

_ABOUT = "tsqlab.json"
_COTSQ_HEADER = "include/net/tcp_tsq.h"
_MADE_FOR = "made-for"
"""The file in a workshop's build that says of which kernel it is."""
LINUX = ("linux", "modules")
"""What make is to make of a kernel."""
_OBJECTS = {"6.12": 804, "6.1": 762}
"""How many objects a kernel has: what the first build on a machine shows depends on it."""


@dataclass(frozen=True)
class _Made:
    """What was made of a source."""

    linux: Path  # the folder of the executable
    modules: Path
    cotsq: bool


@dataclass(frozen=True)
class _Patched:
    """A source, and the patches that are applied to a copy of it."""

    found: Source
    patches: Sequence[Path]
    back: Sequence[Path] = ()  # patches that take upstream changes back

    @property
    def all_patches(self) -> list[Path]:
        """Those and the others, in the order in which they apply."""
        return [*self.patches, *self.back]


@dataclass(frozen=True)
class _Order:
    """How a kernel is made, whatever its source."""

    version: str
    hz: int
    fragments: str
    compiler: str
    jobs: int | None
    like: str  # a name for the builds that have the same objects
    guided: bool  # whether the last profile is to be used
    profile: Profile | None = None  # the profile by which it is compiled
    training: Training | None = None  # the training for which it counts
    base: _Made | None = None  # the kernel from which it is made, which is compiled otherwise
    tries: bool = False  # whether somebody's options are tried before anything is copied

    @property
    def place(self) -> Path:
        return place_of(self.version, self.compiler)

    def key(self, *source: str | bytes) -> str:
        how = [guided_by(self.profile)] if self.profile else []
        how += [f"counts in {self.training.folder}"] if self.training else []
        return key_of(*source, self.fragments, self.compiler, *how)

    def by_last_profile(self) -> _Order:
        return replace(self, profile=profile_in(self.place) if self.guided else None)

    def make_linux(self, build: Build, progress: Progress) -> None:
        memory = cache() / "pace" / f"{self.like}.json"
        pace = Pace(memory, build.output, _OBJECTS.get(self.version))
        flags = counting(self.training) if self.training else ()
        if self.profile:
            lay_out(self.profile, build.output)
            flags = guided(self.profile)
        make(build, [*LINUX, *flags], build.output / "build.log", progress, pace)

    def about(self, **more: str) -> bytes:
        about = {"version": self.version, "hz": self.hz, **more}
        return json.dumps(about, indent=1).encode()


def build(
    recipe: Recipe,
    progress: Progress | None = None,
    jobs: int | None = None,
    training: Training | None = None,
    *,
    anew: bool = True,
) -> Kernel:
    """The kernel of *recipe*, built if it is not in the cache, with so many *jobs* at a time.

    It is compiled by the last profile of its version, if there is one. Given a *training*, there
    will be: a profile of a tarball is made first, unless it is of that source and that training,
    or the kernel is built and need not be *anew*. Raises UsageError when there is no such source,
    and TsqlabError when it does not build.
    """
    progress = progress or Unwatched()
    check_folder(cache())
    source, order = _ordered(recipe, jobs)
    try:
        if source.found.is_tree:
            made_of = _made_of_tree(source, order.by_last_profile(), progress)
        else:
            plain = replace(source, back=())
            trains = order.guided and not recipe.fragments
            if trains and training and (anew or not _is_there(plain, order.by_last_profile())):
                _ensure_profile(source, order, training, progress)
            made_of = _made_of_tarball(source, order.by_last_profile(), progress)
    except NotGrantedError as error:
        asked = read_fragments(recipe.fragments)
        raise explained(error, asked) if asked else error from None
    given = (recipe.source, recipe.patches, *recipe.fragments)
    return _kernel(made_of, order, ", ".join(path.name for path in given if path))


def _ordered(recipe: Recipe, jobs: int | None) -> tuple[_Patched, _Order]:
    """What a kernel is made of, and how."""
    found = find_source(recipe.version, recipe.source)
    patches, back = patches_for(recipe, found.version), taken_back(recipe, found.version)
    source = _Patched(found, patches, list(back.values()))
    own = text_of(read_fragments(recipe.fragments))
    fragments = options(recipe, found.version)
    like = "-".join([found.version, *recipe.extra, *([key_of(own)] if own else [])])
    # What has further fragments is to be looked into, and not to be quick.
    by_profile = recipe.guided and not recipe.extra
    order = _Order(found.version, recipe.hz, fragments, _compiler(), jobs, like, by_profile)
    if own and not found.is_tree:
        # Kbuild compiles what depends on the options that differ.
        plain = options(replace(recipe, fragments=()), found.version)
        without = replace(order, fragments=plain)
        base = _is_there(replace(source, back=()), without.by_last_profile())
        order = replace(order, base=base, tries=True)
    return source, order


@contextmanager
def against(
    recipe: Recipe, kernel: Kernel, jobs: int | None = None, progress: Progress | None = None
) -> Iterator[Build]:
    """Where modules can be built for *kernel*, which is of *recipe*, while nothing changes there.

    A user's tree is built in one folder after another state of it, so that it is locked, and is
    made to be of the kernel if it is of another. Raises TsqlabError.
    """
    progress, linux = progress or Unwatched(), kernel.linux.parent
    source, order = _ordered(recipe, jobs)
    if not source.found.is_tree:
        yield Build(_tree_of(linux), linux, jobs=jobs)
        return
    order = order.by_last_profile()
    with opened(source.found.path.resolve(), progress) as workshop:
        seen = workshop.look(source.all_patches, progress)
        content = workshop.update(seen, progress)
        folders = _folders_of_tree(content, order)
        if folders[0] != linux:
            raise TsqlabError(f"{workshop.tree} has changed since its kernel was built; run again")
        build = _build_in(workshop, order)
        if not _is_of(build, linux):
            _build_there(workshop, content, order, folders, progress)
        yield build


def _kernel(made_of: _Made, order: _Order, source: str = "") -> Kernel:
    agent = guest_program(order.compiler)
    return Kernel(
        version=order.version,
        release=_about(made_of.linux)["release"],
        hz=order.hz,
        id=key_of(made_of.linux.name, made_of.modules.name, agent.parent.name),
        cotsq=made_of.cotsq,
        linux=made_of.linux / "linux",
        modules=made_of.modules,
        agent=agent,
        source=source,
    )


def _ensure_profile(
    tarball: _Patched, order: _Order, training: Training, progress: Progress
) -> None:
    """Have a profile of this source and this training.

    The kernel that counts is removed when one that does not has been made of it: it is there as
    long as that is to be done. Where guests cannot run there is no profile, and it is made all the
    same.
    """
    with locked(order.place, progress):
        tarball = replace(tarball, back=())
        counts = replace(order, training=training)
        last = profile_in(order.place)
        if last and (last.source, last.training) == (tarball.found.key, training.key):
            made_of = _is_there(tarball, counts)
            if made_of is None:
                return
        else:
            made_of = _made_of_tarball(tarball, counts, progress)
            _train(made_of, counts, tarball.found.key, progress)
        _made_of_tarball(tarball, replace(order.by_last_profile(), base=made_of), progress)
        for folder in (made_of.linux, made_of.modules):
            discard(folder)


def _train(made_of: _Made, counts: _Order, source: str, progress: Progress) -> None:
    """Have the kernel that counts leave a profile."""
    assert counts.training
    progress.part("training it")
    try:
        with tempfile.TemporaryDirectory() as work:
            left = counts.training.run(_kernel(made_of, counts), Path(work))
            remember(counts.place, left, source, counts.training)
    except TsqlabError as error:
        progress.note(f"no profile guides the compiler, since no guest can be run: {error}")


def _linux_folder(tarball: _Patched, order: _Order) -> Path:
    way = [WAY] if tarball.back else []
    key = order.key(tarball.found.key, changes(tarball.all_patches), *way)
    return cache() / "linux" / f"{order.version}-{key}"


def default_folders() -> tuple[Path, Path]:
    """The folders of a plain recipe's kernel and modules, built or not. Raises TsqlabError."""
    source, order = _ordered(Recipe(), None)
    linux = _linux_folder(source, order.by_last_profile())
    return linux, _modules_folder(linux)


def _is_there(tarball: _Patched, order: _Order) -> _Made | None:
    """What is built already; of its modules it may be without, if their sources have changed."""
    linux = _linux_folder(tarball, order)
    return _made_in(linux, _modules_folder(linux)) if is_made(linux) else None


def _made_in(linux: Path, modules: Path) -> _Made:
    return _Made(linux, modules, (_tree_of(linux) / _COTSQ_HEADER).exists())


def _base_of(tarball: _Patched, order: _Order, progress: Progress) -> _Made | None:
    """The kernel from which one is made, if not from nothing."""
    if tarball.back:
        return _made_of_tarball(replace(tarball, back=()), order, progress)
    if is_made(_linux_folder(tarball, order)):
        return None
    plain = replace(order, profile=None, training=None)
    others = (_is_there(tarball, other) for other in (plain, plain.by_last_profile()))
    return order.base or next((other for other in others if other), None)


def _made_of_tarball(tarball: _Patched, order: _Order, progress: Progress) -> _Made:
    """A folder of the cache for each source, and for each kernel the folder that it is built in.

    Where upstream changes are taken back, the kernel with them is made first, and what was built
    of it is taken over; so it is of a kernel that only its profile tells from this.
    """
    back, linux = tarball.back, _linux_folder(tarball, order)
    base = _base_of(tarball, order, progress)

    def compile_linux(folder: Path) -> None:
        tree = patched_tree(tarball.found, tarball.patches, progress)
        if back:
            tree = linked_tree(tree, back, progress)
        forget_half_copied(folder)
        if base:
            _take_over(base, Build(tree, folder), order, tree if back else None, progress)
        build = Build(tree, folder, jobs=order.jobs)
        configure(build, order.fragments, "", progress)
        progress.part("compiling")
        order.make_linux(build, progress)
        about = {"tree": str(build.tree), "source": str(tarball.found.path)}
        (folder / _ABOUT).write_bytes(order.about(**about, release=_release(folder)))

    made(linux, compile_linux, ("linux", _ABOUT), goes_on=True, progress=progress)
    tree = _tree_of(linux)

    def compile_modules(folder: Path) -> None:
        others = base if base and is_made(base.modules) else None
        if others:
            linked = tree if back else None
            copy_built(others.modules, folder, _renamed(others, tree, linux), linked)
        for source in module_sources():
            work = folder / source.name
            if not others:
                shutil.copytree(source, work)
            make_modules(Build(tree, linux, jobs=order.jobs), work, progress=progress)
            for module in work.glob("*.ko"):
                module.rename(folder / module.name)

    modules = made(_modules_folder(linux), compile_modules, ("*.ko",), progress=progress)
    return _made_in(linux, modules)


def _take_over(
    base: _Made, build: Build, order: _Order, linked: Path | None, progress: Progress
) -> None:
    """Begin with what was built of another. Raises NotGrantedError before gigabytes are copied."""
    folder = build.output
    if order.tries:
        make_good(folder)
        (trial := folder / "trial").mkdir(exist_ok=True)
        configure(Build(build.tree, trial, jobs=order.jobs), order.fragments, "", progress)
    progress.part("copying what was built of another")
    copy_built(base.linux, folder, _renamed(base, build.tree, folder), linked)


def _renamed(base: _Made, tree: Path, linux: Path) -> dict[Path, Path]:
    """What a copy of *base* is to have in place of the folders' names."""
    return {_tree_of(base.linux): tree, base.linux: linux}


def _tree_of(linux: Path) -> Path:
    """The tree that a kernel was built from."""
    return Path(_about(linux)["tree"])


def _folders_of_tree(content: Content, order: _Order) -> tuple[Path, Path]:
    """The folders of a kernel and of its modules."""
    linux = cache() / "linux" / f"{order.version}-{order.key(content.key)}"
    return linux, _modules_folder(linux)


def _made_of_tree(patched: _Patched, order: _Order, progress: Progress) -> _Made:
    """Built in the tree's workshop, and copied out of it."""
    with opened(patched.found.path.resolve(), progress) as workshop:
        seen = workshop.look(patched.all_patches, progress)
        known = seen.content
        content = known or workshop.update(seen, progress)
        linux, modules = _folders_of_tree(content, order)
        if not is_made(linux) or not is_made(modules):
            if known:
                # A file that was saved since the look is in the copy as it is now.
                content = workshop.update(seen, progress)
                linux, modules = _folders_of_tree(content, order)
            _build_there(workshop, content, order, (linux, modules), progress)
    return _Made(linux, modules, _COTSQ_HEADER in content.digests)


def _build_in(workshop: Workshop, order: _Order) -> Build:
    """Where a configuration is built in a workshop."""
    key = key_of(order.fragments, order.compiler)
    return Build(workshop.copy, workshop.folder / f"build-{key}", jobs=order.jobs)


def _is_of(build: Build, linux: Path) -> bool:
    """Whether what was built last in a workshop was copied to that folder."""
    made_for = build.output / _MADE_FOR
    return made_for.exists() and made_for.read_text("utf-8") == linux.name


def _build_there(
    workshop: Workshop,
    content: Content,
    order: _Order,
    products: tuple[Path, Path],
    progress: Progress,
) -> None:
    linux, modules = products
    build = _build_in(workshop, order)
    own = workshop.folder / f"modules-{build.output.name.removeprefix('build-')}"
    for folder in (build.output, own):
        _forget_the_future(folder)
    build.output.mkdir(exist_ok=True)
    (build.output / _MADE_FOR).unlink(missing_ok=True)
    try:
        configure(build, order.fragments, content.options_key, progress)
        progress.part("compiling what depends on what has changed")
        order.make_linux(build, progress)
        works = [_updated(source, own, progress) for source in module_sources()]
        for work in works:
            make_modules(build, work, progress=progress)
    except NotGrantedError:
        raise
    except TsqlabError as error:
        raise TsqlabError(workshop.own_words(str(error), content)) from error

    def copy_linux(folder: Path) -> None:
        # A copy, because the next link may write into the file that is there.
        shutil.copy(build.output / "linux", folder)
        about = {"tree": str(build.tree), "source": str(workshop.tree)}
        (folder / _ABOUT).write_bytes(order.about(**about, release=_release(build.output)))

    def copy_modules(folder: Path) -> None:
        for module in (module for work in works for module in work.glob("*.ko")):
            shutil.copy(module, folder)

    made(linux, copy_linux, ("linux", _ABOUT), progress=progress)
    made(modules, copy_modules, ("*.ko",), progress=progress)
    (build.output / _MADE_FOR).write_text(linux.name, "utf-8")


def _forget_the_future(folder: Path) -> None:
    """What was made under a later clock would look up to date for ever."""
    now = time.time()
    if any(path.lstat().st_mtime > now for path in folder.rglob("*")):
        discard(folder)


def _updated(source: Path, works: Path, progress: Progress) -> Path:
    """A module's folder in *works*, with the files of *source* and what was built of them."""
    paths = {str(path.relative_to(source)): path for path in source.rglob("*") if path.is_file()}
    files = {name: Wanted(0o644) for name in sorted(paths)}
    mirror = Mirror(works / source.name, works / f"{source.name}.json")
    mirror.update(files, lambda name: paths[name].read_bytes(), progress)
    return works / source.name


def built() -> Iterator[dict[str, str]]:
    """What the cache holds: a row per kernel."""
    for mark in sorted((cache() / "linux").glob(f"*/{WHOLE}")):
        about = _about(mark.parent)
        yield {
            "version": about["version"],
            "release": about["release"],
            "hz": about["hz"],
            "key": mark.parent.name,
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
        raise TsqlabError("no gcc, which builds kernels; try: tsqlab doctor")
    return subprocess.run(
        ["gcc", "--version"], capture_output=True, text=True, check=True
    ).stdout.splitlines()[0]


def _release(output: Path) -> str:
    return (output / "include/config/kernel.release").read_text("utf-8").strip()


def _modules_folder(linux: Path) -> Path:
    """The folder of all of kernel/modules, built against *linux*."""
    return cache() / "modules" / key_of(linux.name, modules_key())


def make_modules(
    build: Build, work: Path, arguments: Sequence[str] = (), progress: Progress | None = None
) -> None:
    """Build the module in the folder *work* against the kernel that was built by *build*."""
    (progress or Unwatched()).part(f"compiling the module {work.name}")
    log = work.parent / f"{work.name}.log"
    make(replace(build, module=work), [*arguments, "modules"], log, progress)
