# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests share."""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

# How long an example takes is the machine's business: a deadline would fail on a busy one.
settings.register_profile("tsqlab", deadline=None)
settings.load_profile("tsqlab")

# A shell has what it runs in the background ignore it, and so would whatever a test interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)

# A kernel that a test builds is no reason to throw away what its user has built. Commands that
# tests run have this, too.
os.environ["TSQLAB_CACHE_BYTES"] = "none"

GOLDEN = Path(__file__).parent / "golden"


def pytest_addoption(parser):
    parser.addoption("--golden", action="store_true", help="write the golden files anew")


@pytest.fixture
def golden(request):
    """Hold a text against the golden file of a name."""

    def check(name: str, text: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--golden"):
            path.write_text(text)
        assert text == path.read_text()

    return check
