"""Pages of small cases."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from segjudge.annotations import Annotations, EpisodeTable
from segjudge.judgments import Judgment
from segjudge.report.page import page
from segjudge.scoring import Case, build_case, report
from segjudge.scoring.detail import detail

KITCHEN = Path(__file__).parents[3] / "examples" / "kitchen"

#: Labels that want to be markup, end the script, or turn the text around.
EVIL = (
    "<img src=x onerror=\"document.title='owned'\">",
    "</script><script>document.title='owned'</script>",
    "<!-- <script>",
    "&lt;b&gt; ' \" ` ${1}",
    "right\u202eto left\u202c",
    "line\u2028separator",
)


def segments(*rows: tuple[float, float, str], episode: str = "e", track: str = "") -> list[Any]:
    return [(episode, track, start, end, label) for start, end, label in rows]


def sides(
    reference: Sequence[Any], prediction: Sequence[Any], **fields: Sequence[str]
) -> tuple[Annotations, Annotations]:
    """Build both sides; keywords become fields of the reference's episodes."""
    episodes = list(dict.fromkeys(row[0] for row in reference))
    empty = EpisodeTable.empty(len(episodes))
    known = {name: tuple(values) for name, values in fields.items()}
    table = EpisodeTable(empty.duration, empty.failed, known)
    return (
        Annotations.from_segments(reference, episodes, table),
        Annotations.from_segments(prediction),
    )


def said(a: str, b: str, verdict: str, **more: str) -> Judgment:
    return Judgment(label_a=a, label_b=b, verdict=verdict, **{"judge": "tests", **more})


def page_of(case: Case, **more: Any) -> str:
    return page(report(case, more.pop("by", ())), detail(case), **more)


def kitchen_case(prediction: str = "careful", **options: Any) -> Case:
    return build_case(
        KITCHEN / "reference.jsonl",
        KITCHEN / f"prediction_{prediction}.jsonl",
        judgments=KITCHEN / "judgments.jsonl",
        **options,
    )
