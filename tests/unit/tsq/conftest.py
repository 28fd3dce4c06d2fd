# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of tsq share."""

import pytest


@pytest.fixture
def built(monkeypatch, tmp_path_factory):
    """BPF's object and library are there: need not be built where nothing is loaded."""
    objects = tmp_path_factory.mktemp("objects")
    (objects / "tsq_cubic.bpf.o").write_text("")
    monkeypatch.setattr("tsq.methods.OBJECTS", objects)
    monkeypatch.setattr("tsq.methods.has_libbpf", lambda: True)
