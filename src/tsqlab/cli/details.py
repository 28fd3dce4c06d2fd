# SPDX-License-Identifier: GPL-2.0-or-later
"""What ``tsqlab list NAME`` shows: an experiment, a device profile, a kernel or an era."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from tsqlab.cli.columns import in_columns, sections
from tsqlab.errors import UsageError
from tsqlab.experiment.bundled import bundled_experiments, bundled_profiles, is_file
from tsqlab.experiment.claims import claims_of
from tsqlab.experiment.era import ERAS, Packets
from tsqlab.experiment.handles import by_handles
from tsqlab.experiment.invalid import hint, shortened
from tsqlab.experiment.load import Experiment, load
from tsqlab.experiment.neutral import NEUTRAL, Value, written
from tsqlab.experiment.papers import papers
from tsqlab.experiment.profile import ETHERNET, Airlink, Profile, load_profile
from tsqlab.experiment.sources import sources
from tsqlab.experiment.spec import ARRAYS, full_key
from tsqlab.experiment.toml import flattened, read_toml
from tsqlab.kernels.names import named, recipe_of, taken_back
from tsqlab.kernels.source import history, patches_of, subject_of, versions


def details_of(name: str) -> str:
    """All that there is to say of what *name* means. Raises UsageError if it means nothing."""
    if is_file(name):
        profile = "kind" in read_toml(Path(name)).tables
        return _profile(name, Path(name)) if profile else _experiment(name)
    if name in (profiles := bundled_profiles()):
        return _profile(name, profiles[name])
    if name in bundled_experiments():
        return _experiment(name)
    kernels = [*versions(), *taken_back(), *named()]
    if name in kernels:
        return _kernel(name)
    if name in ERAS:
        return _era(name)
    there = [*bundled_experiments(), *profiles, *kernels, *ERAS]
    near = hint(name, there)
    said = near if near.startswith("did") else "tsqlab list without a name shows all that there is"
    raise UsageError(f'no experiment, device profile, kernel or era "{shortened(name)}"; {said}')


def _profile(name: str, path: Path) -> str:
    profile = load_profile(name)
    file = read_toml(path)
    left_out = _left_out(profile)
    said = sources(file.text, left_out)
    given = {
        key: value for key, value in flattened(file.tables).items() if key not in ("kind", "title")
    }
    rows = [(key, _text(value), _source_of(key, said)) for key, value in given.items()]
    rest = [
        (key, value, said.get(key, ""))
        for key, value in left_out.items()
        if not any(one.split(".")[0] == key for one in given)
    ]
    return sections(
        [f"{name}: {profile.title}", f'kind = "{profile.kind}", {path}'],
        file.comment,
        in_columns([("key", "value", "source"), *rows]),
        ["left out, and what holds then (docs/profiles.md)", *in_columns(rest)] if rest else [],
    )


def _left_out(profile: Profile) -> dict[str, str]:
    """The keys that the kind of a profile may leave out, and what they are then."""
    known: dict[str, Value] = {**_LEFT_OUT, **NEUTRAL} if isinstance(profile, Airlink) else {}
    values = {
        key: known.get(key, field.default)
        for key, field in type(profile).model_fields.items()
        if key in known or not field.is_required()
    }
    return {key: "none" if value in (None, {}) else written(value) for key, value in values.items()}


_LEFT_OUT = {"access_point": "this profile, too", "ethernet": ETHERNET}


def _source_of(key: str, said: Mapping[str, str]) -> str:
    """The source of a key, or of the table in a line that it stands in."""
    parts = key.split(".")
    names = (".".join(parts[:count]) for count in range(len(parts), 0, -1))
    return next((said[name] for name in names if name in said), "")


def _experiment(name: str) -> str:
    experiment = load(name)
    spec, file = experiment.spec, read_toml(experiment.path)
    head = [f"{experiment.name}: {spec.title}", str(experiment.path)]
    if spec.paper:
        paper = papers().get(spec.paper)
        title = f", {paper.title}" if paper else ""
        figure = f", figure {spec.figure}" if spec.figure else ""
        head.append(f"paper: {spec.paper}{title}{figure}")
    apart = ("title", "paper", "figure", "matrix", "report")
    tables = {name: table for name, table in file.tables.items() if name not in apart}
    fixed = {
        key: _text(value) for key, value in flattened(by_handles(tables, tuple(ARRAYS))).items()
    }
    varied = {full_key(factor) for factor in experiment.factors}
    defaults = {"testbed.device": spec.testbed.device, "lab.kernel": spec.lab.kernel}
    fixed |= {
        key: f"{value} (default)"
        for key, value in defaults.items()
        if key not in fixed and key not in varied
    }
    claims = [(one.id, f"{one.statement} ({one.paper})") for one in claims_of(experiment.name)]
    return sections(
        head,
        file.comment,
        in_columns(list(fixed.items())),
        in_columns(_matrix(experiment)),
        [_size(experiment)],
        [f"claims: {len(claims)}", *in_columns(claims)] if claims else [],
    )


def _matrix(experiment: Experiment) -> Iterator[tuple[str, str]]:
    for factor in experiment.factors:
        levels = dict.fromkeys(str(cell.factors[factor]) for cell in experiment.cells)
        yield factor, ", ".join(levels)


def _size(experiment: Experiment) -> str:
    seconds = [cell.spec.total.s for cell in experiment.cells]
    each = f" of {seconds[0]:g} s" if len(set(seconds)) == 1 else ""
    cells = "1 cell" if len(seconds) == 1 else f"{len(seconds)} cells"
    return f"{cells}{each}: {sum(seconds):g} s of virtual time"


def _kernel(name: str) -> str:
    recipe = recipe_of(name)
    lines = [f"{name}: Linux {recipe.version or ''}".rstrip()]
    if recipe.source:
        lines.append(f"source: {recipe.source}")
    elif recipe.version:
        lines.append(f"source: Debian's linux-source-{recipe.version}")
    patches = [history()[change] for change in recipe.without]
    if recipe.patches or recipe.version:
        patches = [*patches_of(recipe.version or "", recipe.patches), *patches]
    rows = [(f"{patch.parent.name}/{patch.name[:4]}"
             if patch.name[:4].isdigit() else f"without {patch.stem}", subject_of(patch))
            for patch in patches]  # fmt: skip
    return sections(lines, in_columns(rows), ["tsqlab kernel list shows what is built"])


def _era(name: str) -> str:
    era = ERAS[name]
    shifts: dict[object, str] = {None: "mac80211's own", "kernel": "the kernel's own"}
    hosts = [
        ("packets to a wire", _packets(era.wire)),
        ("packets to a radio", _packets(era.radio)),
        ("sk_pacing_shift below mac80211", shifts.get(era.mac80211_shift, str(era.mac80211_shift))),
        ("below a driver without it", "the driver's own" if era.driver_shifts else "the kernel's"),
    ]
    rows = [(change.since, change.cited, change.effect, change.means) for change in era.before]
    count = f"{len(rows)} upstream changes that it is without, and what takes each back"
    return sections(
        [f"{name}: {era.title}", f'[lab] era = "{name}"'],
        in_columns(hosts),
        [count if rows else "no change is taken back: the kernel is as it is"],
        _changes(rows),
    )


def _packets(packets: Packets) -> str:
    count = f"{packets.truesize} B" if packets.truesize else "what the kernel charges"
    return f"offloads {packets.offloads}, truesize {count}"


def _changes(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Lines that say of each change what it is, what it does, and how it is taken back."""
    for since, cited, effect, means in rows:
        yield f"{since:7} {cited}"
        yield f"{'':7} {effect}"
        yield f"{'':7} back by: {means}"


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
