# SPDX-License-Identifier: GPL-2.0-or-later
"""The pages in a browser, where one is installed: on a phone, on a desk, by keyboard."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from folders import MATRIX, results, written
from tsqlab.report import make_report
from tsqlab.report.pages.overview import make_overview

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
WIDTHS_PX = (360, 1280)

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium; apt-get install chromium"),
]

# Runs beside the page, in a frame of each width, and leaves what it found in the title.
LOOK = """
function look(frame) {
  const page = frame.contentDocument, root = page.documentElement;
  const all = [...page.querySelectorAll("*")];
  const stops = all.filter(one => one.tabIndex >= 0);
  const named = one => one.textContent.trim() || one.ariaLabel || one.title;
  const lost = one => {
    one.focus();
    const style = frame.contentWindow.getComputedStyle(one);
    return page.activeElement !== one || style.outlineStyle === "none";
  };
  const scrolls = one => one.scrollWidth > one.clientWidth + 1 &&
    ["auto", "scroll"].includes(frame.contentWindow.getComputedStyle(one).overflowX);
  return {
    beyond_px: root.scrollWidth - root.clientWidth,
    stops: stops.length,
    unnamed: stops.filter(one => !named(one)).length,
    unfocused: stops.filter(lost).length,
    unreachable: all.filter(one => scrolls(one) && one.tabIndex < 0).length,
    small: [...page.querySelectorAll("figure svg")].filter(
      one => one.getBoundingClientRect().width < 300).length,
    first: stops[0].className,
    fetched: frame.contentWindow.performance.getEntriesByType("resource").length,
  };
}
addEventListener("load", () => {
  document.title = JSON.stringify([...document.querySelectorAll("iframe")].map(look));
});
"""


def seen(page: Path, tmp_path: Path) -> dict[int, dict[str, Any]]:
    """What a browser makes of a page, by the window's width."""
    text = html.escape(page.read_text())
    frames = "".join(
        f'<iframe width="{width}" height="800" srcdoc="{text}"></iframe>' for width in WIDTHS_PX
    )
    wrapper = tmp_path / "wrapper.html"
    wrapper.write_text(f"<!DOCTYPE html><title></title><script>{LOOK}</script>{frames}")
    done = subprocess.run(
        [CHROMIUM or "", "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
         f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=20000",
         wrapper.as_uri()],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    title = re.search(r"<title>(.*?)</title>", done.stdout, re.DOTALL)
    assert title, done.stderr
    assert title[1], "the script said nothing"
    return dict(zip(WIDTHS_PX, json.loads(html.unescape(title[1])), strict=True))


def check(found: dict[int, dict[str, Any]]) -> None:
    for width, one in found.items():
        assert one["beyond_px"] <= 0, f"{width}: nothing makes the page wider than the window"
        assert one["first"] == "skip", f"{width}: the first stop skips what comes first"
        assert one["unnamed"] == 0, f"{width}: every stop has a name"
        assert one["unfocused"] == 0, f"{width}: every stop can be seen to have the focus"
        assert one["unreachable"] == 0, f"{width}: what scrolls can be reached by keyboard"
        assert one["small"] == 0, f"{width}: no plot is too small to read"
        assert one["fetched"] == 0, f"{width}: nothing is loaded"


def test_a_report_is_for_phones_and_keyboards(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    folder.mkdir()
    check(seen(make_report(written(folder, MATRIX)), tmp_path))


def test_the_page_of_all_experiments_is_too(tmp_path: Path) -> None:
    folder = results(tmp_path / "results")
    make_overview(folder)
    check(seen(folder / "index.html", tmp_path))
