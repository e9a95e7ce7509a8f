"""The page of 1,000 episodes and 20,000 segments a side: size, first paint, opening an episode.

Needs chromium, and Playwright to drive it; without them only size and writing are printed.
"""

from __future__ import annotations

import os
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from segjudge.annotations import Annotations, EpisodeTable
from segjudge.judgments import Judgment
from segjudge.report.page import page
from segjudge.scoring import build_case, report
from segjudge.scoring.detail import detail

EPISODES, OF_EACH, MOST_BYTES = 1_000, 20, 15_000_000
FLAGS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
VERBS = ("pick up", "put down", "open", "close", "pour", "stir", "wipe", "fold", "cut", "rinse")
THINGS = ("the blue cup", "the left drawer", "a kitchen towel", "the lid of the pot", "an onion")


def side(seed: int) -> Annotations:
    """Segments one after the other, nearly all labels distinct, as free captions are."""
    rng = np.random.default_rng(seed)
    n = EPISODES * OF_EACH
    length = rng.integers(500_000, 9_000_000, (EPISODES, OF_EACH))
    end = np.cumsum(length, axis=1)
    labels = tuple(f"{VERBS[i % 10]} {THINGS[i % 5]} number {i} with hand {seed}" for i in range(n))
    return Annotations(
        np.repeat(np.arange(EPISODES, dtype=np.int32), OF_EACH),
        np.zeros(n, np.int32),
        (end - length).ravel(),
        end.ravel(),
        np.arange(n, dtype=np.int32),
        tuple(f"episode_{i:05d}" for i in range(EPISODES)),
        ("",),
        labels,
        EpisodeTable.empty(EPISODES),
    )


def written() -> str:
    """Return the page of two such sides, every pair judged with a reason."""
    both = side(1), side(2)
    verdicts = ("same", "a_in_b", "different")
    judged = [
        Judgment(
            label_a=question.label_a,
            label_b=question.label_b,
            verdict=verdicts[i % 3],
            judge="benchmark",
            rationale=f"the two are about the same thing at nearly the same time, reason {i}",
        )
        for i, question in enumerate(build_case(*both).decided.question)
    ]
    case = build_case(*both, judgments=judged)
    begun = time.perf_counter()
    result, behind = report(case), detail(case)
    scored = time.perf_counter()
    text = page(result, behind)
    print(f"score and weigh  {scored - begun:6.2f} s")
    print(f"write the page   {time.perf_counter() - scored:6.2f} s")
    return text


def drawn(path: Path) -> None:
    """Print how long a browser takes to show the page and to open an episode."""
    program = os.environ.get("CHROMIUM") or shutil.which("chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        program = None
    if program is None:
        print("no chromium or no Playwright: nothing drawn")
        return
    paints, whole, opens = [], [], []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        for _ in range(3):
            tab = browser.new_page()
            tab.goto(path.as_uri())
            tab.locator("table.episodes td.id button").first.wait_for()
            tab.wait_for_timeout(300)
            paints.append(
                tab.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
            )
            whole.append(tab.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd"))
            opens.append(
                tab.evaluate(
                    "async () => { const before = performance.now();"
                    " document.querySelector('table.episodes td.id button').click();"
                    " await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));"
                    " return performance.now() - before }"
                )
            )
            tab.close()
        browser.close()
    print(f"first paint      {statistics.median(paints) / 1000:6.2f} s")
    print(f"everything shown {statistics.median(whole) / 1000:6.2f} s")
    print(f"open an episode  {statistics.median(opens) / 1000:6.3f} s")


def main() -> int:
    text = written()
    size = len(text.encode())
    print(f"size             {size / 1e6:6.2f} MB, at most {MOST_BYTES / 1e6:.0f}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        path.write_text(text, encoding="utf-8")
        drawn(path)
    return int(size > MOST_BYTES)


if __name__ == "__main__":
    sys.exit(main())
