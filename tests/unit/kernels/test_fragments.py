# SPDX-License-Identifier: GPL-2.0-or-later
"""A user's fragments of a configuration: what is read, and why an option did not take."""

import json
from dataclasses import asdict

import pytest

from tsqlab.cli import main
from tsqlab.errors import FileError
from tsqlab.kernels import Recipe
from tsqlab.kernels.config import NotGrantedError, check_config, fragment_text
from tsqlab.kernels.fragments import Asked, explained, read_fragments, text_of
from tsqlab.kernels.names import named, recipe_of, remember


@pytest.fixture
def fragment(tmp_path):
    def write(text, name="own.config"):
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return tmp_path / name

    return write


def test_what_fragments_ask_for(fragment):
    first = fragment('# A comment.\n\nCONFIG_A=y\n  CONFIG_B="x y"\n# CONFIG_C is not set\n')
    second = fragment("CONFIG_A=n\nCONFIG_D=0x10", "more.config")
    asked = read_fragments([first, second])
    assert asked == (
        Asked("CONFIG_A", "y", f"{first}:3"),
        Asked("CONFIG_B", '"x y"', f"{first}:4"),
        Asked("CONFIG_C", "n", f"{first}:5"),
        Asked("CONFIG_A", "n", f"{second}:1"),
        Asked("CONFIG_D", "0x10", f"{second}:2"),
    )
    text = fragment_text(250, (), text_of(asked))
    assert text.index("CONFIG_NET=y") < text.index("CONFIG_A=n") < text.index("CONFIG_HZ_250=y")


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("CONFIG_A=y\nA=y\n", 2, 'expected CONFIG_NAME=y, not "A=y"'),
        ("CONFIG_A = y\n", 1, "expected CONFIG_NAME=y"),
        ('CONFIG_A="x" y\n', 1, "expected CONFIG_NAME=y"),
        ("CONFIG_A=\x1b[31m\n", 1, r"\x1b"),
        ("\nCONFIG_NET_SCH_TEQL=m\n", 2, "no module of the tree is in a guest; write =y"),
        ("CONFIG_HZ_250=y\n", 1, "--hz says it"),
        ("CONFIG_HZ=250\n", 1, "--hz says it"),
        (b"\xff", None, "not UTF-8"),
        (b"#" * (1 << 20) + b"#", None, "1 MiB at most"),
    ],
)
def test_what_is_no_fragment(text, line, words, fragment):
    with pytest.raises(FileError) as error:
        read_fragments([fragment(text)])
    assert words in str(error.value)
    assert error.value.line == line
    assert str(error.value).isprintable()


@pytest.mark.parametrize("name", ["nothing", ".", "\0"])
def test_a_fragment_that_is_not_there(name, tmp_path):
    with pytest.raises(FileError, match="cannot be read"):
        read_fragments([tmp_path / name])


KCONFIG = """\
menuconfig NET
	bool "Networking"

config NET_SCH_PRAGUE
	tristate "Prague"
	depends on NET_SCHED && \\
		MPTCP
	depends on !BROKEN
	select CRC32

if NET
config CRC32
	def_tristate y
config QUIET
	bool
	prompt "Quiet"
endif
menu "A menu"
	depends on MENUS

config IN_MENU
	bool "In it"
endmenu
"""


@pytest.fixture
def refused(tmp_path):
    """Why options are not granted, over a tree with that Kconfig in which NET_SCHED is set."""
    (tmp_path / "net").mkdir()
    (tmp_path / "net" / "Kconfig").write_text(KCONFIG)
    for foreign in ("arm", "um"):
        (tmp_path / "arch" / foreign).mkdir(parents=True)
        (tmp_path / "arch" / foreign / "Kconfig").write_text(
            f'config OF_{foreign.upper()}\n\tbool "x"\n'
        )

    def refuse(*names, lab="", config=""):
        asked = [
            Asked(f"CONFIG_{name}", "y", f"own.config:{at}") for at, name in enumerate(names, 1)
        ]
        with pytest.raises(NotGrantedError) as error:
            check_config(f"{lab}{text_of(asked)}", f"CONFIG_NET_SCHED=y\n{config}", tmp_path)
        return str(explained(error.value, asked)).splitlines()

    return refuse


def test_an_option_that_did_not_take_is_named_with_what_it_needs(refused):
    assert refused("NET_SCHED", "NET_SCH_PRAGUE") == [
        "own.config:2: CONFIG_NET_SCH_PRAGUE=y does not take: it needs NET_SCHED && MPTCP "
        "(MPTCP is not set) (net/Kconfig:4)"
    ]


def test_what_must_not_be_set_is_named(refused):
    (line,) = refused("NET_SCH_PRAGUE", lab="CONFIG_INET=y\n", config="CONFIG_BROKEN=y\n")[:1]
    assert "it needs NET_SCHED && MPTCP (MPTCP is not set); !BROKEN (BROKEN is set)" in line


def test_an_option_that_no_kernel_has_hints_at_the_nearest(refused):
    (line,) = refused("NET_SCH_PRAGE")
    assert line.endswith('this kernel has no such option; did you mean "CONFIG_NET_SCH_PRAGUE"?')
    (line,) = refused("SOMETHING_ELSE_ALTOGETHER")
    assert line.endswith("does not take: this kernel has no such option")


def test_an_option_that_others_select_cannot_be_asked_for(refused):
    (line,) = refused("CRC32")
    assert "another option that selects it, since it is not to be chosen by itself" in line


def test_an_option_whose_menu_is_off(refused):
    (line,) = refused("QUIET")
    assert line.endswith("it needs NET (NET is not set) (net/Kconfig:14)")
    (line,) = refused("IN_MENU")
    assert line.endswith("it needs MENUS (MENUS is not set) (net/Kconfig:21)")
    (line,) = refused("QUIET", config="CONFIG_NET=y\n")
    assert line.endswith("another option excludes it, or its menu (net/Kconfig:14)")


def test_options_of_other_architectures_are_none(refused):
    assert "no such option" in refused("OF_ARM")[0]
    assert "arch/um/Kconfig:1" in refused("OF_UM")[0]


def test_what_fragments_take_from_the_lab(refused):
    assert refused("NET_SCHED", lab="CONFIG_INET=y\nCONFIG_NET_SCHED=y\n") == [
        "the lab needs CONFIG_INET=y, which these fragments take away"
    ]


def test_a_name_remembers_its_fragments(fragment, tmp_path, monkeypatch):
    monkeypatch.setenv("TSQLAB_CACHE", str(tmp_path / "cache"))
    recipe = Recipe(version="6.12", fragments=(fragment("CONFIG_A=y\n"),))
    remember("own", recipe)
    assert recipe_of("own") == recipe
    (path,) = (tmp_path / "cache" / "names").glob("*.json")
    old = {key: value for key, value in asdict(Recipe()).items() if key != "fragments"}
    path.write_text(json.dumps(old))
    assert named() == {"own": Recipe()}, "as one that an earlier version remembered"


def test_the_command_refuses_a_fragment_before_it_builds(fragment, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("TSQLAB_CACHE", str(tmp_path / "cache"))
    path = fragment("CONFIG_A=maybe not\n")
    assert main(["kernel", "build", "--config", str(path)]) == 2
    assert f"{path}:1: expected CONFIG_NAME=y" in capsys.readouterr().err
