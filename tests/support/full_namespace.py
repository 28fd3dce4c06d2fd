# SPDX-License-Identifier: GPL-2.0-or-later
"""A machine that really refuses user namespaces: one such namespace, whose own limit is 0."""

import subprocess

_SCRIPT = """
set -e
echo 0 > /proc/sys/user/max_user_namespaces
exec "$@"
"""


def in_full_namespace(*command):
    """Run a command as who has no capability there, as root would need no further namespace.

    The limit that is set is the namespace's own: the machine's stays what it is.
    """
    unshared = ["unshare", "--user", "--map-root-user", "sh", "-c", _SCRIPT, "sh"]
    dropped = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]
    return subprocess.run(
        [*unshared, *dropped, *command], capture_output=True, text=True, check=False
    )
