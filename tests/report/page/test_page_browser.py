"""The page in a real browser, opened from disk."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from page_cases import EVIL, KITCHEN, kitchen_case, page_of, said, segments, sides

import segjudge
from segjudge.report.floors import FloorsReport
from segjudge.report.model import Run
from segjudge.report.page import page
from segjudge.report.page.builder import SCRIPTS
from segjudge.scoring import build_case
from segjudge.scoring.detail import detail


@pytest.fixture(scope="module")
def kitchen() -> str:
    return page_of(kitchen_case(), by=["family"])


def open_episode(tab, name: str) -> None:
    row = tab.locator("tr", has=tab.locator("td.id").get_by_text(name, exact=True))
    row.locator("td.id > button").click()
    row.locator("+ tr .timeline").wait_for()


def ids(tab) -> list[str]:
    return tab.locator("table.episodes td.id").all_inner_texts()


def test_figures_judge_and_warnings_stand_at_the_top(opened, kitchen, screenshots):
    tab = opened(kitchen)
    summary = tab.locator("#summary")
    for text in ("psj", "0.8268", "semantic_f1@0.75", "0.7114", "authors", "243 needed"):
        assert text in summary.inner_text()
    assert "Warning. prediction: 1 of 11 episodes are not in the prediction" in summary.inner_text()
    assert "By family" in summary.inner_text()
    assert tab.locator("#charts figure").count() == 2
    assert tab.locator("#charts canvas").count() == 2
    tab.screenshot(path=screenshots / "test_top.png")


def test_the_worst_episode_comes_first_and_none_is_drawn_yet(opened, kitchen):
    tab = opened(kitchen)
    assert ids(tab)[:2] == ["workshop_004", "kitchen_006"]
    assert tab.locator(".timeline").count() == 0
    assert tab.locator("table.episodes th[aria-sort]").inner_text() == "psj ↑"
    tab.locator("table.episodes").get_by_role("button", name="psj", exact=False).first.click()
    assert ids(tab)[-1] == "workshop_004"
    tab.get_by_label("Order").select_option(label="id")
    assert ids(tab) == sorted(ids(tab))


def test_a_chosen_segment_shows_its_counterparts(opened, kitchen, screenshots):
    tab = opened(kitchen)
    open_episode(tab, "kitchen_002")
    names = tab.locator(".seg .name").all_inner_texts()
    assert "make filter coffee in the dripper" in names
    assert len(names) == 11 + 14
    tab.locator(".seg", has_text="screw the lid back on the jam jar").click()
    panel = tab.locator(".counterparts")
    shown = panel.inner_text()
    for text in (
        *("Chosen: reference, 44.73 – 47.90", "2.80 s of 3.17 s credited (88 %)"),
        *("same activity", "close the jam jar", "2.80 s", "0.808", "authors", "authors-rubric@1"),
        *("screwing the lid back on closes the jar", "matched one to one", "different"),
    ):
        assert text in shown
    marked = tab.locator(".seg.counterpart").all_inner_texts()
    assert marked == ["butter the toast", "close the jam jar"]
    # The counterpart leads to its own counterparts.
    panel.get_by_role("button", name="butter the toast").click()
    assert "Chosen: prediction" in tab.locator(".counterparts").inner_text()
    assert "spread jam on the toast" in tab.locator(".counterparts").inner_text()
    tab.screenshot(path=screenshots / "test_chosen.png", full_page=True)


def test_matches_are_joined_by_lines_of_the_metric_chosen(opened, kitchen):
    tab = opened(kitchen)
    open_episode(tab, "kitchen_002")
    assert tab.locator(".links line").count() == 8
    tab.get_by_label("Lines: matched by").select_option("segmentation_f1@0.75")
    assert tab.locator(".links line").count() == 9
    tab.get_by_label("Lines: matched by").select_option("")
    assert tab.locator(".links line").count() == 0


def test_hands_have_a_pair_of_timelines_each(opened, kitchen):
    tab = opened(kitchen)
    open_episode(tab, "kitchen_005")
    assert tab.locator(".track").count() == 2
    assert tab.locator(".names b").all_inner_texts() == ["left"] * 2 + ["right"] * 2


def test_filters_by_label_and_by_field(opened, kitchen):
    tab = opened(kitchen)
    tab.get_by_label("Find").fill("Jam Jar")
    assert ids(tab) == ["kitchen_002"]
    assert tab.locator(".filters .count").inner_text() == "1 of 11 episodes"
    tab.get_by_label("Find").fill("")
    tab.get_by_label("family").select_option("workshop")
    assert sorted(ids(tab)) == [f"workshop_00{i}" for i in range(1, 5)]


def test_zoom_keeps_one_axis_and_makes_room(opened, kitchen):
    tab = opened(kitchen)
    open_episode(tab, "kitchen_001")
    width = lambda: tab.locator(".sheet").bounding_box()["width"]  # noqa: E731
    tab.get_by_role("button", name="Whole episode").click()
    whole = width()
    assert whole <= tab.locator(".view").bounding_box()["width"] + 1
    tab.get_by_role("button", name="Zoom in").click()
    assert width() == pytest.approx(1.6 * whole, rel=0.02)
    for _ in range(12):
        tab.get_by_role("button", name="Zoom in").click()
    assert "s" in tab.locator(".axis").inner_text()


def test_an_opened_episode_is_shown_from_its_beginning(opened):
    rows = segments(*((i, i + 1, f"step {i}") for i in range(60)))
    tab = opened(page_of(build_case(*sides(rows, rows))))
    open_episode(tab, "e")
    tab.wait_for_function("document.querySelector('.sheet').style.width.endsWith('px')")
    shown = tab.evaluate(
        "(({scrollLeft: at, scrollWidth: all, clientWidth: part}) => "
        "[at, all > part])(document.querySelector('.view'))"
    )
    assert shown == [0, True]


def test_with_the_keyboard_alone(opened, kitchen):
    tab = opened(kitchen)
    keys = tab.keyboard
    keys.press("Tab")
    assert tab.evaluate("document.activeElement.textContent") == "Skip to the episodes"
    keys.press("Enter")
    for _ in range(30):
        keys.press("Tab")
        if tab.evaluate("document.activeElement.closest('td.id') !== null"):
            break
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    assert tab.evaluate(outline) == "solid"
    keys.press("ArrowDown")
    keys.press("Enter")
    assert tab.evaluate("document.activeElement.textContent") == "kitchen_006"
    assert tab.evaluate("document.activeElement.getAttribute('aria-expanded')") == "true"
    for _ in range(10):
        keys.press("Tab")
        if tab.evaluate("document.activeElement.classList.contains('seg')"):
            break
    first = tab.evaluate("document.activeElement.textContent")
    assert tab.evaluate(outline) == "solid"
    keys.press("ArrowRight")
    second = tab.evaluate("document.activeElement.textContent")
    assert second != first
    keys.press("ArrowDown")
    assert "prediction" in tab.evaluate("document.activeElement.getAttribute('aria-label')")
    keys.press("Enter")
    assert tab.locator(".counterparts").is_visible()
    keys.press("Escape")
    assert tab.locator(".counterparts").count() == 0
    # One stop for the whole timeline: the next tab leaves it.
    keys.press("Tab")
    assert not tab.evaluate("document.activeElement.classList.contains('seg')")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [800, 1400])
def test_light_dark_and_narrow(opened, kitchen, screenshots, scheme, width):
    tab = opened(kitchen, color_scheme=scheme, viewport={"width": width, "height": 900})
    open_episode(tab, "kitchen_003")
    tab.locator(".seg").nth(3).click()
    ground = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    brightness = sum(map(int, re.findall(r"\d+", ground)[:3])) / 3
    assert brightness > 200 if scheme == "light" else brightness < 60
    # Nothing pushes the page wider than the window.
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    box = tab.locator(".episode").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    tab.screenshot(path=screenshots / f"test_{scheme}_{width}.png", full_page=True)


def test_charts_follow_when_the_colours_turn(opened, kitchen):
    tab = opened(kitchen)
    tab.emulate_media(color_scheme="dark")
    assert tab.locator("#charts canvas").count() == 2
    tab.emulate_media(media="print")
    assert not tab.locator(".filters").is_visible()


def test_paper(opened, kitchen, screenshots):
    tab = opened(kitchen)
    open_episode(tab, "kitchen_002")
    pdf = tab.pdf(path=screenshots / "test_print.pdf", format="A4")
    assert pdf.startswith(b"%PDF")


@pytest.fixture(scope="module")
def evil() -> str:
    reference = [row for i, text in enumerate(EVIL) for row in segments((i, i + 1, text))]
    prediction = [row for i, text in enumerate(EVIL) for row in segments((i, i + 1, text + "!"))]
    judged = [
        said(
            text, text + "!", "same", judge=f"<i>{i}</i>", rationale=f"because {text}", prompt="<p>"
        )
        for i, text in enumerate(EVIL)
    ]
    both = sides(reference, prediction, **{"<b>family</b>": ["</title><script>x()</script>"]})
    case = build_case(*both, judgments=judged, mix=True)
    return page_of(case, title="</title><img src=x onerror=alert(1)>", by=["<b>family</b>"])


def test_text_stays_text(opened, evil):
    tab = opened(evil)
    title = "</title><img src=x onerror=alert(1)>"
    assert tab.title() == f"{title} · segjudge"
    open_episode(tab, "e")
    for i in range(len(EVIL)):
        tab.locator(".seg").nth(i).click()
        assert tab.locator(".counterparts").is_visible()
    tab.get_by_text("Every segment as a table").click()
    assert tab.locator("img, script[src], iframe, object, embed, b b").count() == 0
    everything = tab.locator("body").inner_text()
    for text in EVIL[:4]:
        assert text in everything
    assert "\u202e" not in everything
    assert tab.evaluate("document.scripts.length") == len(SCRIPTS) + 1
    assert tab.title() == f"{title} · segjudge"


def test_the_policy_forbids_scripts_and_requests_from_outside(browser, tmp_path, kitchen):
    path = tmp_path / "page.html"
    path.write_text(kitchen.replace("</main>", "</main><script>document.title='owned'</script>"))
    context = browser.new_context()
    tab = context.new_page()
    complaints = []
    tab.on("console", lambda message: complaints.append(message.text))
    tab.goto(path.as_uri())
    assert "owned" not in tab.title()
    tab.evaluate("() => { fetch('http://127.0.0.1:9/').catch(() => 0) }")
    tab.evaluate(
        "() => { document.body.append(Object.assign(new Image(), {src: 'http://127.0.0.1:9/x'})) }"
    )
    markup = "try { document.body.innerHTML = '<b>x</b>'; return '' } catch (e) { return e.name }"
    refused = tab.evaluate(f"() => {{ {markup} }}")
    tab.wait_for_timeout(100)
    context.close()
    assert refused == "TypeError"
    assert sum("Content Security Policy" in text for text in complaints) >= 3


def test_unknown_answers_are_bounds_and_hatched(opened, screenshots):
    rows = segments((0, 4, "pour water"), (4, 8, "stir tea"))
    both = sides(rows, segments((0, 4, "pour the water"), (4, 8, "stir the tea")))
    case = build_case(*both, judgments=[said("pour water", "pour the water", "same")])
    tab = opened(page_of(case))
    assert "0.5000 to 1.0000" in tab.locator("#summary").inner_text()
    assert "1 decided (50.0 %)" in tab.locator("#summary").inner_text()
    open_episode(tab, "e")
    assert tab.locator(".seg .piece.same").count() == 2
    assert tab.locator(".seg .piece.unknown").count() == 2
    tab.locator(".seg", has_text="stir tea").click()
    assert "nobody yet" in tab.locator(".counterparts").inner_text()
    assert "4.00 s more if unknown answers are yes" in tab.locator(".counterparts").inner_text()
    tab.screenshot(path=screenshots / "test_unknown.png", full_page=True)


def test_certain_credit_lies_above_unknown_answers(opened):
    both = sides(
        segments((0, 4, "pour water")),
        segments((0, 4, "pour the water"), (2, 4, "tip the jug"), track=""),
    )
    judged = [said("pour water", "pour the water", "same")]
    tab = opened(page_of(build_case(*both, judgments=judged)))
    open_episode(tab, "e")
    pieces = tab.locator(".seg", has_text="pour water").first.locator(".piece")
    kinds = pieces.evaluate_all("(all) => all.map((one) => one.className)")
    assert kinds == ["piece unknown", "piece same"]


def test_equal_lower_bounds_are_ordered_by_the_upper(opened):
    reference, prediction = [], []
    for name, end in (("open", 4), ("most", 3), ("half", 2)):
        reference += segments((0, 4, f"see {name}"), episode=name)
        prediction += segments((0, end, f"look at {name}"), episode=name)
    tab = opened(page_of(build_case(*sides(reference, prediction))))
    assert ids(tab) == ["half", "most", "open"]
    tab.get_by_label("Order").select_option(label="best first, psj")
    assert ids(tab) == ["open", "most", "half"]


def test_intervals_stand_wherever_there_are_any(opened):
    files = (KITCHEN / "reference.jsonl", KITCHEN / "prediction_careful.jsonl")
    more = {"ci": True, "level": 0.999, "resamples": 200, "bins": "0,2,inf", "by": ["family"]}
    result = segjudge.score(*files, judgments=KITCHEN / "judgments.jsonl", **more)
    tab = opened(page(result, detail(kitchen_case())))
    summary = tab.locator("#summary").inner_text()
    assert "99.9 % interval" in summary
    assert "0, 2, inf" in summary
    shown = "{value:.4f} [{ci_low:.4f}, {ci_high:.4f}]"
    assert shown.format(**result.by_group["family"]["workshop"]["psj"]) in summary
    tab.locator("#charts summary").last.click()
    recall = result.by_length["psj"]["reference"][0]
    assert shown.format(**recall) in tab.locator("#charts").inner_text()


def test_charts_without_judgments_say_that_they_show_bounds(opened):
    rows = [row for i in range(3) for row in segments((0, 4, f"see {i}"), episode=str(i))]
    seen = [row for i in range(3) for row in segments((0, 3, f"look {i}"), episode=str(i))]
    case = build_case(*sides(rows, seen))
    bounds = {"value": None, "low": 0.1, "high": 0.9}
    run = Run(created="now")
    floors = FloorsReport(
        floors={"guess": {"psj": bounds}}, inputs=case.inputs, version="0", run=run
    )
    tab = opened(page_of(case, floors=floors))
    captions = tab.locator("#charts figcaption").all_inner_texts()
    assert any("the lower bound for all, where verdicts are unknown" in each for each in captions)
    assert any("light to the upper" in each for each in captions)
    assert "Credited time, both sides" in tab.locator("table.episodes thead").inner_text()


@pytest.mark.parametrize("width", [700, 1280])
def test_words_stay_whole_and_tables_scroll_by_themselves(opened, kitchen, width):
    tab = opened(kitchen, viewport={"width": width, "height": 900})
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    word = tab.locator("table.episodes td.short .text", has_text="subtask").first
    assert word.bounding_box()["height"] < 30
    for name in ("kitchen_002", "kitchen_006"):
        open_episode(tab, name)
        tab.locator(f"[aria-label='Timelines of {name}']").wait_for()
    for fit in tab.get_by_role("button", name="Whole episode").all():
        fit.click()
    over = "(all) => all.some((one) => one.scrollWidth > one.clientWidth)"
    assert not tab.locator(".view").evaluate_all(over)


def test_many_short_long_and_overlapping_segments_stay_legible(opened, screenshots):
    crowd = segments(*((i * 0.2, i * 0.2 + 0.2, f"tap the key number {i}") for i in range(300)))
    crowd += segments((0, 60, "a label that goes on and on " * 12), (10, 30, "over the others"))
    both = sides(crowd, segments(*((i * 0.4, i * 0.4 + 0.6, f"press {i}") for i in range(150))))
    tab = opened(page_of(build_case(*both)))
    open_episode(tab, "e")
    boxes = [each.bounding_box() for each in tab.locator(".seg").all()[:40]]
    for i, one in enumerate(boxes):
        for two in boxes[i + 1 :]:
            first, second = sorted((one, two), key=lambda box: box["x"])
            above, below = sorted((one, two), key=lambda box: box["y"])
            apart = first["x"] + first["width"] <= second["x"] + 0.5
            assert apart or above["y"] + above["height"] <= below["y"]
    short = tab.locator(".seg", has_text="tap the key number 7").first
    assert short.bounding_box()["width"] > 60
    short.click()
    assert "press" in tab.locator(".counterparts").inner_text()
    tab.locator(".episode").screenshot(path=screenshots / "test_crowd.png")


def test_episodes_without_segments_and_epoch_clocks(opened):
    late = 1.7e9
    reference = [*segments((late, late + 5, "wave"), episode="epoch"), ("none", "", 0, 0, "x")]
    both = sides(reference, segments((late + 1, late + 5, "wave"), episode="epoch"))
    tab = opened(page_of(build_case(*both)))
    open_episode(tab, "none")
    open_episode(tab, "epoch")
    tab.locator(".seg", has_text="wave").first.click()
    assert "0.00 – 5.00" in tab.locator(".counterparts").inner_text()


def test_a_judgment_leads_to_the_episodes_with_its_label(opened, kitchen):
    tab = opened(kitchen)
    table = tab.locator("#weighed tbody tr")
    assert table.count() == 12
    tab.get_by_role("button", name="Show all 200").click()
    assert table.count() == 200
    assert "−0.0277" in table.first.inner_text()
    tab.locator("#weighed").get_by_role("button", name="knead the dough by hand").first.click()
    assert ids(tab) == ["kitchen_006"]


def test_a_page_of_nothing(opened, tmp_path: Path):
    both = sides(segments((0, 0, "x")), [])
    tab = opened(page_of(build_case(*both)))
    assert "no value" in tab.locator("#summary").inner_text()
    open_episode(tab, "e")
