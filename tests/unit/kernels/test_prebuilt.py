# SPDX-License-Identifier: GPL-2.0-or-later
"""Kernels that come built: whose they are, what is refused, and what is said of it."""

import json
import shutil
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from tsqlab import __version__
from tsqlab.cli import doctor, kernels, main
from tsqlab.errors import TsqlabError
from tsqlab.experiment.era import ERAS
from tsqlab.guest.host_programs import contents, contents_of_host, makers
from tsqlab.guest.plan import Plan
from tsqlab.guest.run import mounts_of
from tsqlab.guest.sandbox import sandboxed
from tsqlab.kernels import Recipe
from tsqlab.kernels.daemon import wqm_daemon, wqm_key
from tsqlab.kernels.ingredients import ingredients
from tsqlab.kernels.prebuilt import Built, asked_as, installed, prebuilt

OLD = Recipe(without=ERAS["5.10"].patches)


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TSQLAB_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def place(tmp_path, monkeypatch):
    """An empty folder that Python imports from."""
    monkeypatch.syspath_prepend(tmp_path / "site")
    return tmp_path / "site"


def built(name, recipe, **differs):
    parts = ingredients(recipe) | differs
    return Built(
        name, "6.12", "6.12.117", recipe.hz, f"id of {name}", True, asked_as(recipe), parts
    )


@pytest.fixture
def package(place):
    """The package with a kernel of today and one of 5.10; write it again with others."""
    folder = place / "tsqlab_kernels"

    def write(*kernels):
        shutil.rmtree(folder, ignore_errors=True)
        for path in ("agent/agent", "wqm/wqm", "__init__.py",
                     *(f"linux/{kernel.name}/linux" for kernel in kernels),
                     *(f"modules/{kernel.name}/airlink.ko" for kernel in kernels)):  # fmt: skip
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).touch()
        about = {
            "version": "9.9", "wqm": wqm_key(), "kernels": [asdict(one) for one in kernels],
            "programs_are": {"ip": {"ip": "i", "libc.so.6": "c"}, "iw": {"iw": "w"}},
        }  # fmt: skip
        (folder / "about.json").write_text(json.dumps(about))
        return folder

    write(built("new", Recipe()), built("old", OLD))
    return write


@pytest.fixture
def no_compiler(monkeypatch):
    which = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name, **more: name != "gcc" and which(name, **more))


def test_without_the_package_there_is_none(place):
    assert installed() is None
    (place / "tsqlab_kernels").mkdir(parents=True)
    assert installed() is None, "a folder of that name is no package"
    assert prebuilt(Recipe(), None) == (None, "")


@pytest.mark.usefixtures("package")
def test_a_kernel_is_found_by_its_recipe(place):
    kernel, _ = prebuilt(Recipe(), installed())
    assert (kernel.id, kernel.release) == ("id of new", "6.12.117")
    assert kernel.linux == place / "tsqlab_kernels" / "linux" / "new" / "linux"
    assert (kernel.modules / "airlink.ko").is_file() and kernel.preload.name == "preload"
    backwards = Recipe(version="6.12", without=tuple(reversed(OLD.without)), guided=False)
    assert prebuilt(backwards, installed())[0].id == "id of old"


@pytest.mark.usefixtures("package")
@pytest.mark.parametrize("other", [{"hz": 250}, {"extra": ("debug",)}, {"cotsq": False},
                                   {"without": ("tso-rtt",)}, {"version": "6.1"},
                                   {"version": "x"}])  # fmt: skip
def test_another_recipe_has_none(other):
    kernel, why = prebuilt(replace(Recipe(), **other), installed())
    assert (kernel, why) == (None, "tsqlab-kernels 9.9 has no such kernel")


@pytest.mark.usefixtures("package")
@pytest.mark.parametrize("own", [{"source": Path("/src")}, {"patches": Path("/p")},
                                 {"fragments": (Path("/f"),)}, {"prebuilt": False}])  # fmt: skip
def test_what_is_the_user_s_is_not_looked_for(own):
    assert prebuilt(replace(Recipe(), **own), installed()) == (None, "")


def test_a_kernel_of_other_ingredients_is_refused_by_name(package):
    package(built("new", Recipe(), **{"kernel/patches": "x", "agent": "x"}))
    kernel, why = prebuilt(Recipe(), installed())
    assert kernel is None
    assert why == (
        "that of tsqlab-kernels 9.9 is of another kernel/patches and agent "
        f"than this tsqlab {__version__}"
    )


def test_each_ingredient_is_in_its_key(tmp_path, monkeypatch):
    """One byte in an option, a module or a patch is told by that name, and no other."""
    before = ingredients(Recipe())
    for name, where in {
        "kernel/config": ("tsqlab.kernels.config.KERNEL_CONFIG", "base.config"),
        "kernel/modules": ("tsqlab.kernels.ingredients.KERNEL_MODULES", "airlink/main.c"),
        "kernel/patches": ("tsqlab.kernels.source.KERNEL_PATCHES", None),
    }.items():
        attribute, file = where
        module, _, variable = attribute.rpartition(".")
        copy = tmp_path / name
        with monkeypatch.context() as patched:
            original = Path(__import__(module, fromlist=[variable]).__dict__[variable])
            shutil.copytree(original, copy)
            path = copy / file if file else sorted(copy.glob("6.12/tcp/*.patch"))[-1]
            path.write_text(path.read_text() + "\n")
            patched.setattr(attribute, copy)
            after = ingredients(Recipe())
        assert {key for key in after if after[key] != before[key]} == {name}


def test_a_damaged_package_is_told_with_its_cure(package):
    folder = package(built("new", Recipe()))
    (folder / "linux" / "new" / "linux").unlink()
    with pytest.raises(TsqlabError, match=r"damaged \(.*pip install --force-reinstall"):
        installed()
    for text in ("{", "[]", '{"version": "1", "wqm": "", "kernels": [{}]}'):
        (folder / "about.json").write_text(text)
        with pytest.raises(TsqlabError, match="damaged"):
            installed()


@pytest.mark.usefixtures("package", "no_compiler")
def test_no_compiler_is_asked_for():
    assert kernels.build_shown(Recipe()).id == "id of new"
    assert wqm_daemon().name == "wqm"


@pytest.mark.usefixtures("no_compiler")
def test_what_to_do_where_nothing_can_be_built(package):
    package(built("new", Recipe(), **{"kernel/config": "x"}))
    with pytest.raises(TsqlabError, match=r"of another kernel/config .*pip install --upgrade"):
        kernels.build_shown(Recipe())
    with pytest.raises(TsqlabError, match=r"at 250 Hz: .* has no such kernel, and nothing builds"):
        kernels.build_shown(Recipe(hz=250))


@pytest.mark.usefixtures("no_compiler")
def test_what_to_do_without_the_package():
    with pytest.raises(TsqlabError, match="there is no tsqlab-kernels, which has some"):
        kernels.build_shown(Recipe())


def test_a_refused_kernel_is_built_and_that_is_said(package, monkeypatch, capsys):
    package(built("new", Recipe(), agent="x"))
    monkeypatch.setattr(kernels, "_can_build", lambda _: True)
    monkeypatch.setattr(kernels, "build", lambda recipe, *_, **__: recipe)
    assert kernels.build_shown(Recipe()) == Recipe()
    assert "of another agent than this tsqlab" in "".join(capsys.readouterr())


@pytest.mark.usefixtures("package")
def test_the_list_has_them(capsys):
    assert main(["kernel", "list"]) == 0
    said = capsys.readouterr().out
    assert "none yet" not in said
    assert [line.split() for line in said.splitlines()] == [
        ["6.12.117", "1000", "Hz", name, "of", "tsqlab-kernels", "9.9"] for name in ("new", "old")
    ]


@pytest.mark.usefixtures("package", "no_compiler")
def test_the_doctor_asks_for_what_runs_guests_alone(monkeypatch, capsys):
    monkeypatch.setattr(doctor, "refused", lambda: None)
    monkeypatch.setattr(doctor, "TESTBEDS", {"no-such-program": "its-package"})
    monkeypatch.setattr(doctor, "RUNNING", {"sh": "dash"})
    assert main(["doctor"]) == 0
    said = capsys.readouterr().out
    assert "tsqlab-kernels 9.9: its kernels are used\nall is there\n" in said
    assert "but for kernels, modules and programs of your own; missing programs" in said
    monkeypatch.setattr(doctor, "RUNNING", {"no-such-program": "its-package"})
    assert main(["doctor"]) == 1


def test_guests_see_its_programs_unless_they_run_the_user_s(package, tmp_path):
    programs = package(built("new", Recipe())) / "programs"
    plan = Plan((["run", "-", "ip", "link"],), (["clock", "1", "1", "1"], ["end"]))
    mounts = mounts_of(plan, tmp_path)
    assert mounts.programs == programs
    (tmp_path / "out").mkdir()
    command = " ".join(sandboxed(installed().kernel(built("new", Recipe())), mounts, 1, []))
    assert f"--ro-bind {programs}/usr /usr " in command
    assert "--symlink usr/bin /bin" in command
    assert "--ro-bind /usr /usr" not in command
    own = plan.during(["program", "C", "x", "1", "2", "3", "/", "sh"])
    assert mounts_of(own, tmp_path).programs is None


def test_a_key_is_of_the_programs_that_guests_see(package):
    assert package
    wired, radio = {"ip": "i", "libc.so.6": "c"}, {"iw": "w"}
    assert contents(["ip"]) == wired
    assert contents(["iw", "ip"]) == {**radio, **wired}
    assert makers(["ip"], runs_own=False) == {"ip"}
    own = makers(["ip"], runs_own=True)
    assert contents(own) == contents_of_host(["ip"]) != wired
    both = contents({*own, "iw"})
    assert both.items() >= radio.items()
    assert {name.removeprefix("the host's "): key for name, key in both.items()} == {
        **radio, **contents_of_host(["ip"]),
    }  # fmt: skip


def test_without_it_all_guests_have_the_host_s():
    assert makers(["ip"], runs_own=True) == makers(["ip"], runs_own=False) == {"ip"}
