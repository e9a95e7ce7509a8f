"""``segjudge compare``, and intervals and lengths in ``segjudge score``, as a user starts them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from chat_server import Call, ChatServer, Say, serving
from cli_kitchen import CAREFUL, HASTY, JUDGED, JUDGMENTS, REFERENCE, Ended

import segjudge as package
from segjudge.judgments import pair_of

Run = Callable[..., Ended]

SYSTEMS = (REFERENCE, CAREFUL, HASTY)


def test_the_table_says_all_there_is(segjudge: Run, here: Path) -> None:
    ran = segjudge("compare", *SYSTEMS, *JUDGED, "--names", "careful,hasty")
    assert ran.status == 0
    lines = ran.out.splitlines()
    assert lines[0].startswith("All 11 episodes of the reference; one that a system lacks")
    assert lines[3].split()[:3] == ["psj", "0.8268", "[0.6909,"]
    head = " ".join(lines[7].split())
    assert head == (
        "metric difference of difference interval p p, Holm wins losses ties p, sign test"
    )
    row = lines[8].split()
    assert row[:5] == ["psj", "careful", "-", "hasty", "+0.1847"]
    assert row[-4:] == ["8", "2", "1", "0.1094"]
    assert "The 9 of 11 episodes that every system has" in ran.out
    assert "10000 resamples of 11 episodes" in ran.out
    assert "p can't be below 0.0053" in ran.out
    assert "Holm's correction is for 3 differences" in ran.out
    assert "warning: hasty: 1 episode failed" in ran.out


def test_json_and_markdown_are_the_same_figures(segjudge: Run, here: Path) -> None:
    ran = segjudge(
        "compare", *SYSTEMS, *JUDGED, "--metric", "psj", "--markdown", "c.md", "--json", "-"
    )
    assert ran.status == 0
    found = json.loads(ran.out)
    assert found["schema"] == "segjudge.comparison/1"
    (difference,) = found["forms"]["all"]["differences"]
    row = (here / "c.md").read_text().splitlines()[8]
    assert row.startswith("| psj | prediction_careful.jsonl - prediction_hasty.jsonl | ")
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    low, high = difference["ci_low"], difference["ci_high"]
    assert cells[2:4] == [f"{difference['value']:+.4f}", f"[{low:+.4f}, {high:+.4f}]"]
    assert found["options"]["ci"]["resamples"] == 10_000
    again = segjudge("compare", *SYSTEMS, *JUDGED, "--metric", "psj", "--json", "-")
    assert json.loads(again.out) | {"run": None} == found | {"run": None}


def test_undecided_pairs_leave_bounds_and_status_3(segjudge: Run, here: Path) -> None:
    asked = ("compare", *SYSTEMS, "--metric", "psj", "--missing", "open.jsonl")
    ran = segjudge(*asked)
    assert ran.status == 3
    assert "-0.8671 to +0.9298" in ran.out
    assert "No value for psj: 410 of 414 label pairs are undecided" in ran.err
    assert len((here / "open.jsonl").read_text().splitlines()) == 410
    assert segjudge(*asked, "--allow-bounds").status == 0


def test_a_file_against_itself(segjudge: Run, here: Path) -> None:
    ran = segjudge("compare", REFERENCE, HASTY, HASTY)
    assert ran.status == 0
    rows = [line for line in ran.out.splitlines() if "hasty.jsonl - " in line]
    assert len(rows) == 6
    for row in rows:
        assert "+0.0000  [+0.0000, +0.0000]  1.0000   1.0000     0       0" in row


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((REFERENCE, CAREFUL), "give two systems or more to compare"),
        ((*SYSTEMS, "--names", "a"), "2 systems need as many different names"),
        ((*SYSTEMS, "--noise-runs", "1,x"), "expected numbers such as 1,2"),
        ((*SYSTEMS, *JUDGED, "--noise-runs", "1,2"), "no judgments of run 2; there are of 1"),
        ((*SYSTEMS, "--leave-out-failed"), "already gives"),
        ((*SYSTEMS, "--stream", "study"), "episode by episode"),
        ((*SYSTEMS, "--json", "-", "--markdown", "-"), "can go to standard output"),
        ((*SYSTEMS, "--cluster", "kitchen"), "no field 'kitchen' to make clusters of"),
    ],
)
def test_what_cant_be(segjudge: Run, here: Path, arguments: tuple[str, ...], words: str) -> None:
    ran = segjudge("compare", *arguments)
    assert ran.status == 2
    assert words in ran.err
    assert ran.out == ""


def test_a_plan_counts_the_union(segjudge: Run, here: Path) -> None:
    ran = segjudge("compare", *SYSTEMS, "--metric", "psj", "--plan", "--json", "-")
    assert ran.status == 0
    found = json.loads(ran.out)
    assert (found["needed"], found["to_ask"]) == (414, 410)


def test_a_score_with_intervals_by_group_and_length(segjudge: Run, here: Path) -> None:
    ran = segjudge(
        "score",
        *(REFERENCE, CAREFUL, *JUDGED, "--metric", "psj", "--by", "family"),
        *("--ci", "--level", "0.9", "--cluster", "family", "--resamples", "500"),
        *("--bins", "0,2,5,inf", "--csv", "c.csv"),
    )
    assert ran.status == 0
    lines = [" ".join(line.split()) for line in ran.out.splitlines()]
    # Of two clusters an interval reaches from one to the other: the figures of the groups.
    assert lines[0].startswith("metric value 90 % interval mean")
    assert lines[1].startswith("psj 0.8268 [0.8097, 0.8368]")
    assert "psj by length of segment" in lines
    assert any(line.startswith("5 s and more 35 0.8313 [") for line in lines)
    assert any(line.startswith("warning: there are only 2 clusters by 'family'") for line in lines)
    rows = list(csv.DictReader(io.StringIO((here / "c.csv").read_text())))
    bins = [row for row in rows if row["scope"] == "length"]
    assert [(b["field"], b["from_s"], b["to_s"]) for b in bins[:3]] == [
        ("reference", "0.0", "2.0"),
        ("reference", "2.0", "5.0"),
        ("reference", "5.0", ""),
    ]
    assert sum(int(b["segments"]) for b in bins if b["field"] == "reference") == 152


def test_interval_options_without_ci_are_refused(segjudge: Run, here: Path) -> None:
    ran = segjudge("score", REFERENCE, CAREFUL, "--level", "0.9", "--ci-seed", "1")
    assert ran.status == 2
    assert "--level, --ci-seed: these are for intervals; ask for them with --ci" in ran.err


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with serving() as running:
        yield running


def test_one_union_of_questions_is_asked_and_a_second_run_shows_the_noise(
    server: ChatServer, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second run calls some pairs different that the first called the same."""
    reference, careful, hasty, recorded = (here / name for name in (*SYSTEMS, JUDGMENTS))
    verdicts = {line.pair: line.verdict_on_pair for line in package.read_judgments(recorded)}
    strict = False

    def answer(call: Call) -> Say:
        pair, swapped = pair_of(*call.labels)
        verdict = verdicts[pair].flipped if swapped else verdicts[pair]
        if strict and verdict == "same" and len(pair.a) % 3 == 0:
            verdict = type(verdict)("different")
        return Say(json.dumps({"reason": "as told", "verdict": verdict}))

    monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback")
    server.reset()
    server.script = answer
    few = {"metrics": ["psj"], "episodes": "workshop_00[13]"}
    options = {**few, "store": here / "store"}
    asking = {**options, "model": "openai/loopback", "api_base": server.url}
    first = package.compare(reference, careful, hasty, **asking)
    asked = first.judge.pairs.model
    assert len(server.calls) == asked
    alone = [first.systems[name].judge.pairs.model for name in first.systems]
    assert max(alone) < asked <= sum(alone)
    offline = package.compare(reference, careful, hasty, judgments=recorded, **few)
    assert first.forms == offline.forms
    strict = True
    second = package.compare(reference, careful, hasty, run=2, noise_runs=[1, 2], **asking)
    assert len(server.calls) == 2 * asked
    changes = [
        abs(
            second.forms["all"].systems[name]["psj"]["value"]
            - first.forms["all"].systems[name]["psj"]["value"]
        )
        for name in first.systems
    ]
    (difference,) = second.forms["all"].differences
    (before,) = first.forms["all"].differences
    changes.append(abs(difference.value - before.value))
    assert difference.judge_noise == pytest.approx(max(changes))
    assert max(changes) > 0.01
    replayed = package.compare(
        reference, careful, hasty, judgments=here / "store", noise_runs=[1, 2], **few
    )
    (again,) = replayed.forms["all"].differences
    assert again.judge_noise == difference.judge_noise
