# SPDX-License-Identifier: GPL-2.0-or-later
"""Files that are there whole or not at all, and what a kill leaves beside them."""

import os

from tsqlab.results.files import forget_unfinished, write_whole


def test_what_a_killed_writer_leaves_is_known_by_its_name(tmp_path):
    path = tmp_path / "x.flent.gz"
    write_whole(path, b"before")
    pid = os.fork()
    if not pid:
        os.fsync = lambda _: os._exit(9)
        write_whole(path, b"after")
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 9
    assert path.read_bytes() == b"before"
    assert len(list(tmp_path.iterdir())) == 2
    forget_unfinished(tmp_path)
    assert list(tmp_path.iterdir()) == [path]
