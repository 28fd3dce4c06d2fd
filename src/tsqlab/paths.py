# SPDX-License-Identifier: GPL-2.0-or-later
"""Where things are: the folders of experiments, kernels and C, and the user's cache.

In a checkout they are beside src/; a wheel has them inside the package, under the same names.
"""

from __future__ import annotations

import os
from pathlib import Path

from tsqlab.errors import TsqlabError

PACKAGE = Path(__file__).parent
_BUNDLED = PACKAGE / "bundled"
ROOT = _BUNDLED if _BUNDLED.is_dir() else PACKAGE.parent.parent

AGENT = ROOT / "agent"
WQM = ROOT / "wqm"
KERNEL_CONFIG = ROOT / "kernel" / "config"
KERNEL_MODULES = ROOT / "kernel" / "modules"
KERNEL_PATCHES = ROOT / "kernel" / "patches"
EXPERIMENTS = ROOT / "experiments"
PAPERS = EXPERIMENTS / "papers.toml"
CAUSES = EXPERIMENTS / "causes.toml"
PROFILES = PACKAGE / "profiles"
LANGUAGES = PACKAGE / "languages"
STARTERS = PACKAGE / "starters"


def cache() -> Path:
    """The cache of kernels and sources: $TSQLAB_CACHE, or the XDG cache folder's tsqlab.

    Raises TsqlabError when there is no home to have it.
    """
    if named := os.environ.get("TSQLAB_CACHE"):
        return Path(named).absolute()
    if named := os.environ.get("XDG_CACHE_HOME"):
        return Path(named) / "tsqlab"
    try:
        return Path.home() / ".cache" / "tsqlab"
    except RuntimeError as error:
        raise TsqlabError(f"no home folder ({error}); TSQLAB_CACHE names a place") from error
