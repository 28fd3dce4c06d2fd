# SPDX-License-Identifier: GPL-2.0-or-later
"""Bare roots of Debian, and an ordinary user's commands in them.

mmdebstrap makes them of this machine's mirror, below the cache folder (roots/), with Python and
bubblewrap and nothing else that tsqlab needs: no compiler, no iproute2, no hostapd. What runs in
one runs over this machine's kernel, after pivot_root(2): in a mere chroot, the kernel makes nobody
a user namespace, and so bubblewrap no sandbox.
"""

import shutil
import subprocess

from debian import KEYRING, mirror
from tsqlab.paths import cache

SUITES = {"bookworm": "3.11", "trixie": "3.13"}
"""Debian 12 and 13, and the Python of each."""

PACKAGES = "bubblewrap,python3-venv"
_HOME = "/home/somebody"
_USER_ID = 1000

NEEDED = ("mmdebstrap", "unshare", "pivot_root", "setpriv")

_ENTER = f"""\
mount --bind "$1" "$1"
cd "$1"
mount -t proc proc proc
mkdir -p dev/shm
for folder in tmp dev/shm; do mount -t tmpfs -o mode=1777 tmpfs $folder; done
pivot_root . mnt
umount --lazy /mnt
cd {_HOME}
exec setpriv --reuid={_USER_ID} --regid={_USER_ID} --clear-groups --bounding-set=-all \\
	--inh-caps=-all env -i HOME={_HOME} PATH=/usr/local/bin:/usr/bin:/bin sh -ec "$2"
"""


def missing():
    """The programs that are not here."""
    return [name for name in NEEDED if shutil.which(name) is None]


def root(suite):
    """The folder of a bare root, which is made if it is not there."""
    made = cache() / "roots" / suite
    if not made.exists():
        partial = made.with_name(f"{suite}.partial")
        shutil.rmtree(partial, ignore_errors=True)
        partial.parent.mkdir(parents=True, exist_ok=True)
        command = ["mmdebstrap", "--variant=minbase", f"--include={PACKAGES}", "--mode=root",
                   f"--keyring={KEYRING}", suite, partial, mirror()]  # fmt: skip
        subprocess.run(command, check=True, capture_output=True)
        partial.rename(made)
    return made


def home(root):
    """The user's home, empty."""
    made = root / _HOME.removeprefix("/")
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir(parents=True)
    shutil.chown(made, _USER_ID, _USER_ID)
    return made


def as_user(root, script):
    """Run a shell's script in a root, as a user without any rights; what it printed."""
    command = ["unshare", "--mount", "--propagation=private", "sh", "-ec", _ENTER, "sh", root]
    done = subprocess.run([*command, script], capture_output=True, text=True)
    assert done.returncode == 0, f"{script}\n{done.stdout}\n{done.stderr}"
    return done.stdout
