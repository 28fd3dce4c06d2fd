# SPDX-License-Identifier: GPL-2.0-or-later
"""Patches on the files that they touch: what becomes of them, and what is said if they collide."""

import re

import pytest

from faketree import PATCH, make_patches
from tsqlab.errors import TsqlabError
from tsqlab.experiment.host import needs_cotsq
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.kernels.series import patched, touched
from tsqlab.kernels.source import history, patches_in, patches_of, versions
from tsqlab.paths import KERNEL_PATCHES

MORE = """\
diff --git a/new.h b/new.h
new file mode 100644
--- /dev/null
+++ b/new.h
@@ -0,0 +1 @@
+new
diff --git a/gone.h b/gone.h
deleted file mode 100644
--- a/gone.h
+++ /dev/null
@@ -1 +0,0 @@
-gone
"""


def reader(**files):
    return lambda name: files.get(name.replace(".", "_"))


def test_what_becomes_of_the_files_that_are_touched(tmp_path):
    patches = sorted(make_patches(tmp_path, PATCH + MORE).glob("*.patch"))
    assert touched(patches) == ["file", "gone.h", "new.h"]
    found = patched(tmp_path, reader(file=b"old\n", gone_h=b"gone\n"), patches)
    assert found == {"file": b"new\n", "new.h": b"new\n", "gone.h": None}


def test_a_line_of_the_users_elsewhere_stays(tmp_path):
    patches = sorted(make_patches(tmp_path).glob("*.patch"))
    assert patched(tmp_path, reader(file=b"old\nmine\n"), patches) == {"file": b"new\nmine\n"}


def test_a_patch_cannot_name_files_elsewhere(tmp_path):
    patches = make_patches(tmp_path / "p", PATCH.replace("a/file", "a/../../file"))
    assert touched(sorted(patches.glob("*"))) == ["file"]


def test_a_collision_with_somebodys_own_patch(tmp_path):
    patches = sorted(make_patches(tmp_path / "mine").glob("*.patch"))
    with pytest.raises(TsqlabError) as caught:
        patched(tmp_path / "linux", reader(file=b"something else\n"), patches)
    message = str(caught.value)
    assert message.startswith(f"0001-x.patch does not apply to {tmp_path / 'linux'}, which has")
    assert f"The patch is of {tmp_path / 'mine'}." in message
    assert "-old\n" in message
    assert "+new" in message, "the hunk is shown"
    assert "--without-cotsq" not in message


@pytest.mark.parametrize("version", versions())
def test_a_collision_with_the_cotsq_series(version, tmp_path):
    """A tree in which tcp_small_queue_check() is another, as a kernel developer's may be."""
    first = patches_in("tcp", version)[0]
    removed = re.findall(r"^-(?!--)(.*)$", first.read_text(), re.MULTILINE)
    assert removed
    with pytest.raises(TsqlabError) as caught:
        patched(tmp_path / "linux", lambda _: b"int mine;\n", [first])
    message = str(caught.value)
    assert message.startswith(f"{first.name} does not apply to {tmp_path}/linux, which has changed")
    assert "The patch is tsqlab's own, of the series for CoTSQ. Nothing was copied" in message
    assert "--without-cotsq" in message
    assert "net/ipv4/tcp_output.c" in message
    assert str(tmp_path / "linux") in message
    assert ".rej" not in message, "a file of ours, which is gone"
    assert len(message.splitlines()) < 50


def test_a_collision_with_the_patches_that_a_guest_cannot_do_without(tmp_path):
    first = patches_in("um", "6.12")[0]
    with pytest.raises(TsqlabError, match="own, of the series for User-Mode Linux") as caught:
        patched(tmp_path, lambda _: b"mine\n", [first])
    assert f"--patches DIR applies others in place of those in {first.parent}" in str(caught.value)
    assert "--without-cotsq" not in str(caught.value)


def test_a_collision_with_what_an_era_takes_back(tmp_path):
    with pytest.raises(TsqlabError) as caught:
        patched(tmp_path / "linux", lambda _: b"int mine;\n", [history()["cwnd-memory"]])
    message = str(caught.value)
    assert message.startswith(f"cwnd-memory.patch does not apply to {tmp_path}/linux, which has")
    assert "takes an upstream change back for an era. Nothing was copied or built." in message
    assert '[lab] era = "today" takes none back (--set era=today).' in message


def test_which_settings_work_without_the_series():
    """What the message says: see WITHOUT_COTSQ."""

    def needs(tsq, truesize="kernel"):
        sender = {"tsq": tsq, "truesize": truesize}
        spec = Spec.model_validate({"title": "test", "sender": sender})
        return needs_cotsq(spec, load_profile(spec.testbed.device))

    alone = ("TSQ", {"shift": 8})
    assert not any(needs(tsq) for tsq in alone)
    assert all(needs(tsq) for tsq in ("CoTSQ", "4TSQ", "40pkts", "NoTSQ", {"us": 1}))
    assert all(needs(tsq, "4352 B") for tsq in alone)


def test_the_um_part_alone_is_a_series(tmp_path):
    patches = patches_of("6.12", None, ("um",))
    assert {patch.parent for patch in patches} == {KERNEL_PATCHES / "6.12" / "um"}
    assert not tmp_path.joinpath("x").exists()
