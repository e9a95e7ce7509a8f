"""A person at the pages, in a real browser."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from chat_server import ChatServer
from service_process import Process, asking, serving

playwright = pytest.importorskip("playwright.sync_api")

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
HOSTILE = (
    "<img src=x onerror=\"document.title='owned'\"></script><script>document.title='owned'</script>"
)
TOKEN = "correct-horse-battery-staple"

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium here")


@pytest.fixture(scope="module")
def browser() -> Iterator[playwright.Browser]:
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def page(browser: playwright.Browser) -> Iterator[playwright.Page]:
    context = browser.new_context()
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on(
        "console",
        lambda said: faults.append(said.text) if "Content Security Policy" in said.text else None,
    )
    page.set_default_timeout(30_000)
    yield page
    context.close()
    assert faults == []


def side(path: Path, label: str, count: int) -> Path:
    segments = [
        {"start": 2 * n, "end": 2 * n + 2, "label": label.format(n) if n else f"{label} {HOSTILE}"}
        for n in range(count)
    ]
    path.write_text(json.dumps([{"id": f"a {HOSTILE}", "segments": segments}]))
    return path


def fill_in(page: playwright.Page, process: Process, tmp_path: Path, count: int) -> None:
    page.goto(f"{process.url}/new")
    page.set_input_files("input[name=reference]", side(tmp_path / "truth.json", "task {}", count))
    page.set_input_files(
        "input[name=prediction]", side(tmp_path / "<b>mine<b>.json", "step 1 of task {}", count)
    )
    for box in page.locator("input[name=metric]").all():
        box.set_checked(box.get_attribute("value") == "psj")


def test_a_run_and_its_audit(page: playwright.Page, chat: ChatServer, tmp_path: Path) -> None:
    chat.latency = 0.15
    prices = ("--price-in", "1", "--price-out", "2", "--concurrency", "2")
    with serving(tmp_path / "data", *asking(chat.url), *prices) as process:
        fill_in(page, process, tmp_path, 24)
        assert page.locator("#start").is_disabled()
        page.click("#ask-plan")
        page.wait_for_selector("#plan dl")
        assert "toask24" in "".join(page.inner_text("#plan").split())
        assert "$0.0" in page.inner_text("#plan")
        assert chat.calls == []

        page.click("#start")
        page.wait_for_url("**/runs/*")
        seen = set()
        page.wait_for_selector("#decided", timeout=60_000)
        while page.locator("#report").count() == 0:
            if page.locator("#decided").count():
                seen.add(page.inner_text("#decided"))
            page.wait_for_timeout(50)
        assert len(seen) >= 4, seen
        value = page.locator(".value[data-metric=psj]")
        assert value.inner_text() == "1.0000"
        run = page.url

        page.click("#report")
        page.wait_for_selector("#summary :text('psj')")
        assert page.title() != "owned"
        assert page.locator("body").inner_text().count("<img src=x") >= 1
        assert page.locator("img").count() == 0

        page.goto(run)
        page.fill("#audit input[name=name]", "anna")
        page.fill("#audit input[name=size]", "10")
        page.click("#audit button")
        page.wait_for_url("**/audits/*")
        value.wait_for()
        assert value.inner_text() == "1.0000"
        assert page.inner_text("#revealed") == ""
        for said in range(1, 4):
            page.keyboard.press("4")
            page.wait_for_selector(f"#count:has-text('{said} of 10')")
            assert "Judge:" in page.inner_text("#revealed")
        page.wait_for_selector(".value[data-metric=psj]:text-is('0.8750')")
        page.keyboard.press("u")
        page.wait_for_selector("#count:has-text('2 of 10')")
        page.wait_for_selector(".value[data-metric=psj]:text-is('0.9167')")
        assert page.inner_text("#revealed") == ""
        page.goto(run)
        assert value.inner_text() == "0.9167"
        assert "1.0000" in page.inner_text("#figures")
        page.goto(process.url)
        page.wait_for_selector("main a:has-text('<b>mine<b>.json')")
        assert page.title() == "Runs · segjudge"


def test_hostile_labels_stay_text_in_the_audit(
    page: playwright.Page, chat: ChatServer, tmp_path: Path
) -> None:
    with serving(tmp_path / "data") as process:
        judged = tmp_path / "judgments.jsonl"
        line = {"label_a": f"task {{}} {HOSTILE}", "label_b": f"step 1 of task {{}} {HOSTILE}"}
        line |= {"verdict": "same", "judge": "m", "rationale": HOSTILE}
        judged.write_text(json.dumps(line) + "\n")
        fill_in(page, process, tmp_path, 1)
        page.set_input_files("input[name=judgments]", judged)
        page.click("#ask-plan")
        page.wait_for_selector("#plan dl")
        page.click("#start")
        page.wait_for_selector("#audit")
        page.fill("#audit input[name=name]", HOSTILE[:90])
        page.click("#audit button")
        page.wait_for_selector("#left:has-text('<img src=x')")
        page.keyboard.press("1")
        page.wait_for_selector("#revealed:has-text('<img src=x')")
        assert page.locator("img").count() == 0
        assert "owned" not in page.title()
        page.wait_for_selector("#count:has-text('That is all')")


def test_a_refused_file_names_each_row(
    page: playwright.Page, chat: ChatServer, tmp_path: Path
) -> None:
    with serving(tmp_path / "data") as process:
        fill_in(page, process, tmp_path, 1)
        bad = tmp_path / "bad.csv"
        bad.write_text("episode,start,end,label\na,0,x,b\na,5,3,c\n")
        page.set_input_files("input[name=prediction]", bad)
        page.click("#ask-plan")
        page.wait_for_selector(".problems")
        assert page.locator(".problems li").all_inner_texts()[1].startswith("bad.csv: line 3: end")
        assert page.locator("#start").is_disabled()


def test_logging_in(page: playwright.Page, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text(TOKEN + "\n")
    with serving(tmp_path / "data", "--token-file", str(token)) as process:
        page.goto(f"{process.url}/new")
        assert page.url.endswith("/login")
        page.fill("input[name=token]", "wrong")
        page.keyboard.press("Enter")
        page.wait_for_selector("[role=alert]:has-text('not the token')")
        page.fill("input[name=token]", TOKEN)
        page.keyboard.press("Enter")
        page.wait_for_selector("main:has-text('No runs yet')")
        (cookie,) = page.context.cookies()
        assert cookie["httpOnly"] is True
        assert cookie["sameSite"] == "Strict"
        assert TOKEN not in cookie["value"]
