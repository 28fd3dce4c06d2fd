# SPDX-License-Identifier: GPL-2.0-or-later
"""What a Dask task has left is fetched, however long that takes."""

from queue import SimpleQueue

import pytest

from tsqlab.runner.cluster.dask import DaskCluster
from tsqlab.runner.cluster.parcel import Left


class Slow:
    """A future whose result takes longer to fetch than one is waited for, once."""

    def __init__(self, done):
        self._done, self._asked = done, 0

    def done(self):
        return self._done

    def result(self, timeout):
        self._asked += 1
        if self._asked == 1:
            raise TimeoutError
        return Left(wall_s=timeout)


@pytest.mark.parametrize("done", [True, False])
def test_a_fetch_that_takes_long_is_tried_again(done):
    """Unless what was to be fetched is lost with its worker: nobody is asked for it for ever."""
    cluster = DaskCluster.__new__(DaskCluster)
    cluster._futures, cluster._ended = {1: Slow(done)}, SimpleQueue()
    cluster._ended.put(1)
    answers = [cluster.answers(0.01) for _ in range(3)]
    assert [len(some) for some in answers] == ([0, 1, 0] if done else [0, 0, 0])
