# SPDX-License-Identifier: GPL-2.0-or-later
"""[lab] modules and parameters: how they are written, what varies, and what a cell's key has."""

import re
from pathlib import Path

import pytest

from single import single
from tsqlab.errors import UsageError
from tsqlab.experiment.load import load
from tsqlab.experiment.modules import arguments
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.experiment.stored import measured
from tsqlab.guest.plan import make_plan
from tsqlab.kernels import Kernel
from tsqlab.kernels.own_modules import OwnModule
from tsqlab.runner.experiment import jobs_of

KERNEL = Kernel(*("6.12", "6.12.1", 1000, "id", True), *map(Path, ("linux", "modules", "agent")))
HEAD = 'title = "x"\n[flows]\nlength = "1 s"\n[lab]\n'


@pytest.fixture
def experiment(tmp_path):
    """Write an experiment beside the folders mycc and other, and read it."""
    for name in ("mycc", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.c").write_text("int a;\n")

    def read(text, *overrides):
        path = tmp_path / "e.toml"
        path.write_text(HEAD + text)
        return load(str(path), overrides)

    return read


def built(_, kernel, source):
    """A module that has the parameters beta and gain, as if it had been compiled."""
    return OwnModule(source.name, source.key, Path(f"{kernel.id}.ko"), ("beta", "gain"), "")


def keys(experiment, folder):
    return [job.key for job in jobs_of(experiment, folder, lambda _: KERNEL, built)]


def lines(spec):
    plan = make_plan(spec, load_profile(spec.testbed.device))
    return ["\t".join(line) for line in plan.set_up]


def test_modules_are_loaded_in_their_order_before_any_sysctl_names_a_control(experiment):
    text = (
        'modules = ["./other", "mycc"]\nparameters.mycc = { beta = 700, on = true, way = "a,b" }\n'
    )
    (cell,) = experiment(text).cells
    loaded = lines(cell.spec)
    at = loaded.index("module\t/tsqlab/module-other.ko")
    assert loaded[at + 1] == "module\t/tsqlab/module-mycc.ko\tbeta=700\ton=Y\tway=a,b"
    assert at < min(number for number, line in enumerate(loaded) if line.startswith("write"))


def test_without_modules_nothing_is_said_of_them():
    spec = Spec.model_validate(single({"title": "x"}))
    assert not any("/tsqlab/module-" in line for line in lines(spec))
    assert {"modules", "parameters"}.isdisjoint(measured(spec)["lab"])


def test_paths_start_at_the_file_and_in_an_override_at_the_shell(experiment, tmp_path, monkeypatch):
    monkeypatch.chdir("/")
    assert [source.name for source in experiment('modules = ["./mycc"]\n').modules()[0]] == ["mycc"]
    with pytest.raises(UsageError, match=r'--set modules=./mycc: lab.modules: no folder "./mycc"'):
        experiment("", "modules=./mycc").modules()
    monkeypatch.chdir(tmp_path)
    ((source,),) = experiment('modules = ["nothing"]\n', "modules=./mycc").modules()
    assert source.said == "./mycc"


def test_a_folder_that_is_not_there_is_an_error_at_its_line(experiment):
    with pytest.raises(UsageError, match=r'e.toml:5: lab.modules: no folder "./myc"'):
        experiment('modules = ["./myc"]\n').modules()
    with pytest.raises(UsageError, match=r"e.toml:6: matrix.modules: no folder"):
        experiment('[matrix]\nmodules = ["./mycc", "./myc"]\n').modules()


def test_modules_and_their_parameters_vary(experiment, tmp_path):
    matrix = "[matrix]\nparameters.mycc.beta = [500, 700]\nparameters.mycc.on = [true]\n"
    varied = experiment(f'modules = ["mycc"]\n{matrix}')
    assert [cell.id for cell in varied.cells] == [
        "parameters.mycc.beta=500,parameters.mycc.on=true",
        "parameters.mycc.beta=700,parameters.mycc.on=true",
    ]
    (one,) = experiment('modules = ["mycc"]\n', "parameters.mycc.beta=600").cells
    assert one.spec.lab.parameters == {"mycc": {"beta": 600}}
    levels = experiment('[matrix]\nmodules = ["none", "mycc", ["mycc", "other"]]\n')
    assert [cell.spec.lab.modules for cell in levels.cells] == [(), ("mycc",), ("mycc", "other")]
    assert [cell.factors["modules"] for cell in levels.cells] == ["none", "mycc", "mycc, other"]
    assert [len(sources) for sources in levels.modules()] == [0, 1, 2]
    assert len(set(keys(levels, tmp_path))) == 3


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("modules = 3", "lab.modules: expected folders as"),
        ("modules = [3]", "lab.modules"),
        ('modules = ["."]', "expected a folder with a name"),
        ('modules = ["./a b"]', "expected a folder with a name"),
        (r'modules = ["a\tb/c"]', "expected a folder with a name"),
        ('modules = ["a/mycc", "b/mycc"]', 'two modules "mycc"'),
        (f"modules = {[f'm{at}' for at in range(21)]}", "21 modules; expected 20 at most"),
        ("parameters.mycc.beta = 1", "lab.parameters.mycc: no module 'mycc'; [lab] has no modules"),
        ('modules = ["mycc"]\nparameters.myc.beta = 1', 'did you mean "mycc"?'),
        ('modules = ["mycc"]\nparameters.mycc.beta = 1.5', "lab.parameters.mycc.beta"),
        ('modules = ["mycc"]\nparameters.mycc.beta = "a b"', "expected a number, true, false"),
        ('modules = ["mycc"]\nparameters.mycc.beta = ""', "expected a number, true, false"),
        ('modules = ["mycc"]\nparameters.mycc."a b" = 1', "no parameter has a name as 'a b'"),
        ('modules = ["mycc"]\nparameters.mycc = 1', "lab.parameters.mycc"),
        (
            f"modules = ['mycc']\nparameters.mycc = {{{','.join(f'p{n}=1' for n in range(51))}}}",
            "51 parameters; expected 50 at most",
        ),
    ],
)
def test_what_is_refused_when_the_file_is_read(text, words, experiment):
    with pytest.raises(UsageError) as error:
        experiment(f"{text}\n")
    assert words in str(error.value)
    assert "e.toml:" in str(error.value)


def test_a_key_has_what_is_in_a_module_and_not_where_it_lies(experiment, tmp_path):
    before = keys(experiment('modules = ["./mycc"]\n'), tmp_path)
    assert keys(experiment('modules = ["other/../mycc"]\n'), tmp_path) == before
    assert keys(experiment(""), tmp_path) != before
    assert keys(experiment('modules = ["other"]\n'), tmp_path) != before
    (tmp_path / "mycc" / "README").write_text("A note changes nothing.\n")
    assert keys(experiment('modules = ["./mycc"]\n'), tmp_path) == before
    (tmp_path / "mycc" / "mycc.c").write_text("int b;\n")
    assert keys(experiment('modules = ["./mycc"]\n'), tmp_path) != before


def test_a_key_has_the_parameters(experiment, tmp_path):
    text = 'modules = ["mycc"]\nparameters.mycc.beta = {}\n'
    first, second = (keys(experiment(text.format(beta)), tmp_path) for beta in (500, 700))
    assert first != second


def test_a_parameter_that_a_module_lacks_is_an_error(experiment, tmp_path):
    wrong = experiment('modules = ["mycc"]\nparameters.mycc.bta = 1\n')
    with pytest.raises(
        UsageError, match='the module mycc has no parameter "bta"; did you mean "beta"'
    ):
        keys(wrong, tmp_path)


def test_values_in_the_kernels_words():
    assert arguments({"a": 1, "b": False, "c": "x"}) == ["a=1", "b=N", "c=x"]


QDISC = """\
modules = ["./sch_mine"]
[testbed]
{}
"""


@pytest.mark.parametrize(
    "text", ['qdisc = "mine"', 'egress."R>S".qdisc = "mine"', 'layout = "wifi"\nqdisc = "mine"']
)
def test_a_module_may_have_a_qdisc_of_its_folders_name(text, experiment):
    (cell,) = experiment(QDISC.format(text)).cells
    batches = make_plan(cell.spec, load_profile(cell.spec.testbed.device)).batches
    assert any(line.endswith(": mine") for text in batches.values() for line in text.splitlines())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('qdisc = "mien"', 'e.toml:7: testbed.qdisc: no qdisc "mien"; there are pfifo_fast'),
        ('egress."R>S".qdisc = "x"', 'e.toml:7: testbed.egress.R>S.qdisc: no qdisc "x"'),
        ('qdisc = "mine limit 3"', 'tc knows no options of "mine"'),
        ('qdisc = "sch_mine"', 'no qdisc "sch_mine"'),
    ],
)
def test_a_qdisc_that_no_module_has(text, words, experiment):
    with pytest.raises(UsageError, match=re.escape(words)):
        experiment(QDISC.format(text))
