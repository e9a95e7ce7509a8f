"""A real browser to open pages in."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

SCREENSHOTS = Path(__file__).parents[3] / "screenshots"

#: What a browser needs to start as root, without a screen, and without asking anything anywhere.
FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Start Debian's chromium; without one these tests are skipped."""
    program = os.environ.get("CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"
    if not Path(program).exists():
        pytest.skip("no chromium: install it, or name one in CHROMIUM")
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        yield started
        started.close()


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Open a page from disk; nothing may be requested, and nothing complained of."""
    contexts, noticed = [], []

    def show(text: str, **options: Any) -> Any:
        path = tmp_path / "report.html"
        path.write_text(text, encoding="utf-8")
        options.setdefault("viewport", {"width": 1280, "height": 900})
        contexts.append(browser.new_context(**options))
        tab = contexts[-1].new_page()
        own = path.as_uri()
        tab.on("console", lambda message: noticed.append(message.text))
        tab.on("pageerror", lambda error: noticed.append(str(error)))
        tab.on(
            "request",
            lambda request: (
                noticed.append(request.url) if request.url not in (own, "data:,") else None
            ),
        )
        tab.goto(own)
        return tab

    yield show
    for context in contexts:
        context.close()
    assert noticed == []


@pytest.fixture(scope="session")
def screenshots() -> Path:
    """The folder for pictures, which git ignores."""
    SCREENSHOTS.mkdir(exist_ok=True)
    return SCREENSHOTS
