# SPDX-License-Identifier: GPL-2.0-or-later
"""[[program]]: what may be said of one, how it is reached by keys, and when it runs."""

import re

import pytest

from tsqlab.errors import FileError, UsageError
from tsqlab.experiment.conditions import Conditions
from tsqlab.experiment.load import load
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.program_table import PRELOADS, names
from tsqlab.experiment.stored import _SPEC, measured
from tsqlab.paths import ROOT
from tsqlab.units import BASE_UNITS, Duration

FILE = """\
title = "A page"
[flows]
length = "4 s"
delay = "1 s"
[[program]]
name = "web"
node = "S"
command = "python3 -m http.server '80 00'"
stop = "end"
see."/srv/page" = "page"
environment = { LANG = "C", EMPTY = "" }
[[program]]  # curl
node = "C"
command = ["curl", "http://S/"]
start = "1.5 s"
[[program.figure]]
name = "took"
unit = "us"
regex = "took ([0-9]+)"
[[program.series]]
name = "rate"
json = "a.*"
time = "t"
value = "v"
"""


def write(tmp_path, text=FILE):
    path = tmp_path / "page.toml"
    path.write_text(text)
    return str(path)


@pytest.fixture
def spec(tmp_path):
    return load(write(tmp_path)).spec


def test_a_server_runs_from_before_to_the_end_and_others_from_when_flows_begin(spec):
    delay, length = spec.flows.delay, spec.flows.length
    server, client = spec.program
    assert (server.begin_ns(delay), server.end_ns(delay, length)) == (-(10**9), 6 * 10**9)
    assert (client.begin_ns(delay), client.end_ns(delay, length)) == (2_500_000_000, 6 * 10**9)
    plain = client.model_copy(update={"start": None, "stop": Duration.of("3 s")})
    assert (plain.begin_ns(delay), plain.end_ns(delay, length)) == (-(10**9), 4 * 10**9)


def test_programs_are_called_by_their_names_or_numbers(spec):
    assert names(spec.program) == ["web", "2"]


def test_a_text_is_split_as_a_shell_splits_it(spec):
    assert spec.program[0].command == ("python3", "-m", "http.server", "80 00")


def test_where_a_program_runs_is_a_host(tmp_path):
    text = FILE.replace('node = "C"', 'node = "R"')
    assert load(write(tmp_path, text)).spec.hosts == {"C", "R", "S"}


def test_a_result_has_them_and_one_without_does_not(spec, tmp_path):
    data = measured(spec)
    assert [program["node"] for program in data["program"]] == ["S", "C"]
    assert _SPEC.validate_python(data, context={BASE_UNITS: True}) == spec
    bare = load(write(tmp_path, FILE.partition("[[program]]")[0])).spec
    assert "program" not in measured(bare)


def test_keys_of_programs_may_vary(tmp_path):
    text = FILE + '[matrix]\nprogram.web.stop = ["2 s", "end"]\nprogram.2.node = ["C", "R"]\n'
    cells = load(write(tmp_path, text)).cells
    assert [(cell.spec.program[0].stop, cell.spec.program[1].node) for cell in cells] == [
        (2 * 10**9, "C"), (2 * 10**9, "R"), (0, "C"), (0, "R")
    ]  # fmt: skip
    (cell,) = load(write(tmp_path), ["program.2.start=2 s"]).cells
    assert cell.spec.program[1].start == 2 * 10**9


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("program.3.start=2 s", 'no program "3"; there are web, 2'),
        ("program.2.figure=1", "of program 1, program.1. and one of name, node, command, start"),
        ("program.2.start=2", "program.2.start: expected a number with a unit"),
    ],
)
def test_overrides_that_are_refused(tmp_path, override, message):
    with pytest.raises(UsageError, match=re.escape(message)):
        load(write(tmp_path), [override])


def test_what_was_run_is_said(spec):
    texts = Conditions(spec, load_profile("gigabit")).texts
    said = {key: text for key, text in texts.items() if key.startswith("program.")}
    assert said == {
        "program.web.node": "S",
        "program.web.command": "python3 -m http.server '80 00'",
        "program.web.stop": "end",
        "program.web.see": "/srv/page = page",
        "program.web.environment": "LANG = C, EMPTY = ",
        "program.2.node": "C",
        "program.2.command": "curl http://S/",
        "program.2.start": "1.5 s",
        "program.2.figure": "took_ms by 'took ([0-9]+)' in stdout",
        "program.2.series": "rate by JSON a.* in stdout",
    }


@pytest.mark.parametrize(
    ("old", "new", "place", "message"),
    [
        ('node = "C"', 'node = "X"', (13, "program.2.node"), 'no node "X"; there are C, R, S'),
        ('name = "web"', 'name = "1"', (6, "program.1.name"), "expected a letter, and up to 15"),
        ("[[program]]  # curl", '[[program]]\nname = "web"', (13, "program.2.name"),
         'program 1 is called "web", too'),
        ('"1.5 s"', '"5 s"', (15, "program.2.start"),
         "expected a time before 5 s, when the measurement ends"),
        ('stop = "end"', 'stop = "6 s"', (9, "program.1.stop"), 'expected 5 s, when the'),
        ('stop = "end"', 'stop = "0 s"', (9, "program.1.stop"), 'expected a time after its start'),
        ('stop = "end"', 'stop = "1 s"\nstart = "1 s"', (9, "program.1.stop"),
         "expected a time after its start, 1 s"),
        ('["curl", "http://S/"]', "[]", (14, "program.2.command"), "expected a program with its"),
        ('["curl", "http://S/"]', "5", (14, "program.2.command"), "expected a program with its"),
        ('["curl", "http://S/"]', '["curl", ""]', (14, "program.2.command"), "expected words of 1"),
        ('["curl", "http://S/"]', '["sh", "-c", "a\\nb"]', (14, "program.2.command"),
         "without tabs and line ends"),
        ('["curl", "http://S/"]', '"curl S | wc"', (14, "program.2.command"),
         'no shell runs it, to which "|" would mean something; expected a list'),
        ('["curl", "http://S/"]', '"curl $HOST"', (14, "program.2.command"), "no shell runs it"),
        ('["curl", "http://S/"]', "\"curl 'S\"", (14, "program.2.command"), "a quote that is not"),
        ('"/srv/page"', '"/usr/page"', (10, "program.1.see"), 'a guest has its own "/usr/page"'),
        ('"/srv/page"', '"/etc/hosts"', (10, "program.1.see"), 'a guest has its own "/etc/hosts"'),
        ('"/srv/page"', '"/"', (10, "program.1.see"), 'a guest has its own "/"'),
        ('"/srv/page"', '"srv"', (10, "program.1.see"), "expected the path of a guest"),
        ('"/srv/page"', '"/srv/../usr"', (10, "program.1.see"), "expected the path of a guest"),
        ('"/srv/page"', '"/srv//page"', (10, "program.1.see"), "expected the path of a guest"),
        ('= "page"', '= ""', (10, "program.1.see"), "expected the path of a file or a folder"),
        ('node = "C"', 'node = "C"\nsee."/srv" = "x"', (14, "program.2.see"),
         '"/srv/page" is seen'),
        ('node = "C"', 'node = "C"\nsee."/srv/page" = "x"', (14, "program.2.see"),
         'all nodes see one file system, and "page" is at "/srv/page"'),
        ("LANG", "LD_PRELOAD", (11, "program.1.environment"), "the key preload says it"),
        ("LANG", '"A B"', (11, "program.1.environment"), "expected the name of a variable"),
        ('start = "1.5 s"', 'preload = ["mine"]', (15, "program.2.preload"), 'no preload "mine"'),
        ('start = "1.5 s"', 'folder = "srv"', (15, "program.2.folder"), "expected the path of a"),
        ('start = "1.5 s"', "strat = 1", (15, "program.2.strat"), 'did you mean "start"?'),
        ('"took ([0-9]+)"', '"took"', (19, "program.2.figure.1.regex"), "expected one group"),
        ('"took ([0-9]+)"', '"took ("', (19, "program.2.figure.1.regex"), "no regular expression"),
        ('"us"', '"eons"', (18, "program.2.figure.1.unit"), 'no unit "eons"; there are s, ms'),
        ('"took"\n', '"ran"\n', (17, "program.2.figure.1.name"), "there is a figure"),
        ('regex = "took', 'json = "a"\nregex = "took', (20, "program.2.figure.1.regex"),
         "expected one of json and regex"),
        ('time = "t"\n', "", (20, "program.2.series.1.time"), "is missing: the path in what json"),
        ('json = "a.*"', 'regex = "(.) (.)"', (23, "program.2.series.1.time"), "is a path in what"),
        ('value = "v"', 'value = "v"\nvlaue = 1', (25, "program.2.series.1.vlaue"), "did you mean"),
    ],
)  # fmt: skip
def test_errors_say_where_and_what_is_accepted(tmp_path, old, new, place, message):
    assert old in FILE
    line, key = place
    text = FILE.replace(old, new, 1)
    if "figure.1.name" in key:
        text = text.replace('unit = "us"', 'unit = "s"')
    with pytest.raises(FileError) as error:
        load(write(tmp_path, text))
    assert (error.value.line, error.value.key.startswith(key)) == (line, True), error.value
    assert message in error.value.message


def test_only_so_many(tmp_path):
    one = '[[program]]\nnode = "C"\ncommand = "true"\n'
    load(write(tmp_path, 'title = "x"\n' + 100 * one))
    with pytest.raises(FileError, match="101 programs; expected 100 at most"):
        load(write(tmp_path, 'title = "x"\n' + 101 * one))


def test_the_libraries_are_those_of_the_agent():
    assert set(PRELOADS) == {path.stem for path in (ROOT / "agent" / "preload").glob("*.c")}
