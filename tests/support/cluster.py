# SPDX-License-Identifier: GPL-2.0-or-later
"""A cluster in this process, of which a test says what becomes of each task."""

from tsqlab.runner.cluster.host import about_host
from tsqlab.runner.cluster.parcel import Left


class FakeCluster:
    """Workers by their names, and the tasks that they have been given."""

    address = "fake:1"

    def __init__(self, **rooms):
        """So much room each worker has."""
        self.rooms, self.abouts, self.has, self.cannot = dict(rooms), {}, {}, {}
        self.started, self.forgotten, self.stopped, self.closed = [], [], [], False
        self.ready, self.heard = [], []

    def workers(self):
        return dict(self.rooms)

    def ask(self, workers, function, *given):
        return {
            worker: getattr(self, f"_{function.__name__}")(worker, *given) for worker in workers
        }

    def _about(self, worker, programs):
        about = self.abouts.get(worker, {})
        return {**about_host(programs), **about} if isinstance(about, dict) else about

    def _lacks(self, worker, names):
        return [name for name in names if name not in self.has.get(worker, {})]

    def _take(self, worker, name, files):
        if worker in self.cannot:
            return self.cannot[worker]
        self.has.setdefault(worker, {})[name] = files
        return None

    def start(self, task, worker, parcel):
        self.started.append((task, worker, parcel))

    def answers(self, _):
        ready, self.ready = self.ready, []
        return ready

    def seconds(self):
        heard, self.heard = self.heard, []
        return heard

    def forget(self, task):
        self.forgotten.append(task)

    def stop(self, workers):
        self.stopped += workers

    def close(self):
        self.closed = True

    def on(self, worker):
        """The task that a worker has now."""
        return [task for task, name, _ in self.started if name == worker][-1]

    def answer(self, task, **left):
        """Have a task end."""
        self.ready.append((task, Left(**left)))
