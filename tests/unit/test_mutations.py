# SPDX-License-Identifier: GPL-2.0-or-later
"""Ten thousand damaged files: each is loaded, or there is one error that names the file.

The cases come from a generator with a seed of its own and not from Hypothesis. They are damaged
copies of real files, which are no values that a strategy can shrink; a case costs a millisecond,
of which Hypothesis would take as much again; and the same 10,000 cases on every machine make a
test that never fails by chance. What fails is in the message, whole enough to be put into a test
of its own. Another SEED is another ten thousand.
"""

from __future__ import annotations

import contextlib
import copy
import gzip
import json
import random
import re
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from folders import results
from tsqlab.errors import TsqlabError
from tsqlab.experiment.bundled import bundled_claims, bundled_experiments, bundled_profiles
from tsqlab.experiment.claims import read_claims
from tsqlab.experiment.load import load
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.stored import read_folder
from tsqlab.guest.plan import make_plan
from tsqlab.paths import EXPERIMENTS
from tsqlab.results.flent import read_flent

SEED = 1
TEXTS = 2800  # of each kind of file that users write
FOLDERS = 1600
BLOCKS = 5  # parts of the cases, which run side by side
LONGEST_S = 20  # a case takes a millisecond; on a busy machine, perhaps a hundred

VALUES = (
    "", "0", "-1", "1", "1e308", "-0.0", "nan", "inf", "true", '""', '"x"', "[]", "[[]]", "{}",
    "[1]", '["x"]', "{ x = 1 }", "9" * 19, "9" * 5000, f"0x{'f' * 5000}", f'"{"x" * 400}"',
    '"1 s"', '"0 s"', '"99999999999999999999 s"', '"1e9 s"', '"-1 s"', '"1 GiB"', '"5 %"',
    '"a\\nb"', '"a\\u0000b"', '"../../x"', '"/"', '"."', "1979-05-27", "07:32:00", '"ä"',
    "[" * 3000, '"\\udcff"', "'''", '"""', "{ x", "[1, ", '"x" = 1', f"[{'1, ' * 200}]",
    '"4TSQ"', '"gigabit"', '"ath9k"', '"wifi"', '"wired"', '"tcp_nup"',
)  # fmt: skip
KEYS = ("x", "title", "kind", "seed", "tsq", "matrix", "matrix.seed", "testbed.egress.'C>R'.delay",
        '"C>R"', "flows.length", "length", "rate", "access_point", "of", "over", "id",
        ".".join("x" * 500))  # fmt: skip
BYTES = ('"', "'", "[", "]", "{", "}", "=", ".", ",", "#", "\n", "\t", "\0", "\\", "9", " ", "é")


def damaged(text: str, chance: random.Random) -> str:
    """A text of TOML with one to three things wrong with it."""
    for _ in range(chance.randint(1, 3)):
        text = chance.choice(DAMAGES)(text, chance)
    return text


def _lines(change: Callable[[list[str], int, random.Random], None]) -> Callable[..., str]:
    def damage(text: str, chance: random.Random) -> str:
        lines = text.split("\n")
        change(lines, chance.randrange(len(lines)), chance)
        return "\n".join(lines)

    return damage


def _value(lines: list[str], _: int, chance: random.Random) -> None:
    keys = [at for at, line in enumerate(lines) if "=" in line]
    if keys:
        at = chance.choice(keys)
        lines[at] = f"{lines[at].partition('=')[0]}= {chance.choice(VALUES)}"


def _key(lines: list[str], _: int, chance: random.Random) -> None:
    keys = [at for at, line in enumerate(lines) if "=" in line]
    if keys:
        at = chance.choice(keys)
        lines[at] = f"{chance.choice(KEYS)} ={lines[at].partition('=')[2]}"


def _remove(lines: list[str], at: int, _: random.Random) -> None:
    del lines[at]
    lines.append("")


def _swap(lines: list[str], at: int, chance: random.Random) -> None:
    other = chance.randrange(len(lines))
    lines[at], lines[other] = lines[other], lines[at]


def _table(lines: list[str], at: int, chance: random.Random) -> None:
    lines.insert(at, chance.choice(("[{}]", "[[{}]]", "[matrix.{}]")).format(chance.choice(KEYS)))


def _insert(lines: list[str], at: int, chance: random.Random) -> None:
    lines.insert(at, f"{chance.choice(KEYS)} = {chance.choice(VALUES)}")


def _number(text: str, chance: random.Random) -> str:
    numbers = list(re.finditer(r"\d+", text))
    if not numbers:
        return text
    one = chance.choice(numbers)
    new = chance.choice(("0", "-1", "1.5", "9" * 10, "9" * 25, f"{one[0]}0000", "1e5", "٣"))
    return text[: one.start()] + new + text[one.end() :]


def _letter(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] + chance.choice(BYTES) + text[at + chance.randint(0, 1) :]


def _cut(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] + text[at + chance.choice((1, 5, 50, len(text))) :]


DAMAGES = (
    _lines(_value), _lines(_value), _lines(_value), _lines(_key), _lines(_remove), _lines(_swap),
    _lines(lambda lines, at, _: lines.insert(at, lines[at])), _lines(_table), _lines(_insert),
    _number, _number, _letter, _cut,
)  # fmt: skip


@contextlib.contextmanager
def no_hang(what: str) -> Iterator[None]:
    """Fail when the block takes too long."""

    def late(*_: object) -> None:
        pytest.fail(f"takes more than {LONGEST_S} s:\n{what}")

    signal.signal(signal.SIGALRM, late)
    signal.alarm(LONGEST_S)
    try:
        yield
    finally:
        signal.alarm(0)


def holds(read: Callable[[], object], path: Path, what: str) -> bool:
    """Whether *read* takes what is at *path*. It may refuse it with an error that names it."""
    try:
        with no_hang(what):
            read()
    except TsqlabError as error:
        said = str(error)
        assert str(path) in said, f"{said}\n{what}"
        assert "\n" not in said.replace(str(path), ""), f"{said}\n{what}"
        assert len(said) < 1500, f"{said}\n{what}"
        return False
    except Exception as error:
        pytest.fail(f"{error!r}\n{what}")
    return True


def smaller(text: str) -> str:
    """An experiment with fewer cells, and any file without comments: it is read more quickly."""
    text = re.sub(r"^#.*\n|  +#.*$", "", text, flags=re.MULTILINE)
    head, matrix, rest = text.partition("[matrix]")
    rest = re.sub(r"= \[([^,\[\]{}]*, [^,\[\]{}]*),[^\[\]{}]*\]", r"= [\1]", rest)
    return head + matrix + rest


def run(path: Path) -> None:
    """What a run does of an experiment before it boots a guest: of one cell, which is enough."""
    spec = load(str(path)).spec
    try:
        others = {name: load_profile(name, path.parent) for name in spec.testbed.graph.devices}
        make_plan(
            spec, others.get(spec.testbed.device) or load_profile(spec.testbed.device), others
        )
    except TsqlabError as error:
        raise TsqlabError(f"{path}: {error}") from error


READERS: dict[str, tuple[Callable[[], dict[str, Path]], Callable[[Path], object]]] = {
    "experiments": (bundled_experiments, run),
    "profiles": (bundled_profiles, lambda path: load_profile(str(path))),
    "claims": (bundled_claims, read_claims),
}


@pytest.mark.parametrize("block", range(BLOCKS))
@pytest.mark.parametrize("kind", READERS)
def test_damaged_texts(kind: str, block: int, tmp_path: Path) -> None:
    bundled, read = READERS[kind]
    texts = [smaller(path.read_text()) for path in bundled().values()]
    path = tmp_path / "damaged.toml"
    (tmp_path / "traces").symlink_to(EXPERIMENTS / "gallery" / "traces")  # which some name
    taken = 0
    cases = TEXTS // BLOCKS
    for case in range(block * cases, (block + 1) * cases):
        chance = random.Random(f"{SEED} {kind} {case}")
        text = damaged(chance.choice(texts), chance)
        path.write_bytes(text.encode(errors="surrogatepass"))
        taken += holds(lambda: read(path), path, text[:3000])
    assert 0 < taken < cases, "some damage does no harm, and most does"


JSON_VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 1e308, -1e308, 10**400, "", "x", "../x", "/etc/passwd", "a\0b", [], {},
    [None], [1, "x"], {"x": 1}, [[]], "x" * 400, float("nan"), float("inf"), "done",
)  # fmt: skip


def broken(tree: Any, chance: random.Random) -> Any:
    """JSON data with a part replaced, removed or repeated somewhere."""
    here = tree
    while True:
        if not isinstance(here, dict | list) or not here:
            return copy.deepcopy(chance.choice(JSON_VALUES))
        at = chance.choice(list(here)) if isinstance(here, dict) else chance.randrange(len(here))
        below = here[at]
        if isinstance(below, dict | list) and below and chance.random() < 0.8:
            here = below
            continue
        if chance.random() < 0.25:
            del here[at]
        else:
            here[at] = copy.deepcopy(chance.choice(JSON_VALUES))
        return tree


def bytes_damaged(content: bytes, chance: random.Random) -> bytes:
    """Bytes that were cut, or of which one is another."""
    at = chance.randrange(len(content))
    if chance.random() < 0.5:
        return content[:at]
    return content[:at] + bytes([chance.randrange(256)]) + content[at + 1 :]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results of two cells, with few samples."""
    path = results(tmp_path_factory.mktemp("results")) / "cotsq-3"
    manifest = json.loads((path / "manifest.json").read_text())
    manifest["cells"] = manifest["cells"][:1]
    (path / "manifest.json").write_text(json.dumps(manifest))
    file = path / manifest["cells"][0]["file"]
    document = read_flent(file)
    few = 8
    document["x_values"] = document["x_values"][:few]
    document["results"] = {name: line[:few] for name, line in document["results"].items()}
    document["raw_values"] = {name: line[:few] for name, line in document["raw_values"].items()}
    file.write_bytes(gzip.compress(json.dumps(document).encode(), 1))
    return path


@pytest.mark.parametrize("block", range(BLOCKS))
def test_damaged_results(block: int, folder: Path) -> None:
    manifest, file = folder / "manifest.json", next(folder.glob("*.flent.gz"))
    whole = {path: path.read_bytes() for path in (manifest, file)}
    texts = {manifest: whole[manifest], file: gzip.decompress(whole[file])}
    taken, cases = 0, FOLDERS // BLOCKS
    for case in range(block * cases, (block + 1) * cases):
        chance = random.Random(f"{SEED} results {case}")
        path = manifest if chance.random() < 0.4 else file
        if chance.random() < 0.2:
            path.write_bytes(bytes_damaged(whole[path], chance))
        else:
            data = json.loads(texts[path])
            for _ in range(chance.randint(1, 2)):
                data = broken(data, chance)
            text = json.dumps(data).encode()
            path.write_bytes(text if path == manifest else gzip.compress(text, 1))
        what = f"{path.name}, case {case}"
        taken += holds(lambda: read_folder(folder).results, folder, what)
        path.write_bytes(whole[path])
    assert 0 < taken < cases
