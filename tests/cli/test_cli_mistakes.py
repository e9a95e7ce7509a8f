"""What a user reads after a mistake: exit status 2, every problem named, never a traceback."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from cli_kitchen import BAD_ROWS, CAREFUL, HASTY, JUDGED, JUDGMENTS, KITCHEN, REFERENCE, Ended

Run = Callable[..., Ended]

SIDES = (REFERENCE, CAREFUL)
KNOWN_FIELDS = "they have track, family, task, instruction"

#: Arguments, and what the message must say.
MISTAKES: list[tuple[tuple[str, ...], tuple[str, ...]]] = [
    # Commands, options and arguments.
    (("scor",), ("No such command 'scor'", "Did you mean 'score'?")),
    (("judgments", "state"), ("No such command 'state'", "stats")),
    (("score", *SIDES, "--metrix", "psj"), ("No such option: --metrix", "--metric")),
    (("score",), ("Missing argument 'REFERENCE'",)),
    (("score", REFERENCE), ("Missing argument 'PREDICTION'",)),
    (("score", *SIDES, HASTY), ("1 files too many",)),
    (("score", *SIDES, "--metric"), ("'--metric' requires an argument",)),
    (("convert", REFERENCE), ("Missing option '--to'",)),
    # Metrics.
    (("score", *SIDES, "--metric", "psi"), ("no metric is called 'psi'", "psj", "semantic_f1")),
    (("score", *SIDES, "--metric", "psj@0.5"), ("psj has no @0.5",)),
    (("score", *SIDES, "--metric", "semantic_f1@1.5"), ("'1.5' is no IoU threshold",)),
    (("score", *SIDES, "--metric", "semantic_f1@.7500001"), ("at most 6 decimals",)),
    (("score", *SIDES, "--metric", "semantic_f1,snap=inner"), ("none or outer",)),
    (("score", *SIDES, "--metric", "semantic_f1,snap"), ("expected NAME=VALUE",)),
    (("score", *SIDES, "--metric", "semantic_f1,slack=1"), ("has no slack=1",)),
    # Groups and context.
    (("score", *SIDES, "--by", "kitchen"), ("no field 'kitchen' to group by", KNOWN_FIELDS)),
    (("score", *SIDES, "--context", "goal"), ("no field 'goal'", "instruction")),
    # Options for messy files.
    (("score", *SIDES, "--episodes", "bathroom.*"), ("'bathroom.*' leaves no episode",)),
    (("score", *SIDES, "--episodes", "("), ("is no regular expression",)),
    (("score", *SIDES, "--ignore-label", "["), ("is no regular expression",)),
    (("score", *SIDES, "--offset", "two"), ("--offset 'two' is no number",)),
    (("score", *SIDES, "--offset", "nan"), ("--offset nan is no number of seconds",)),
    (("score", *SIDES, "--offset", "attic=2"), ("there is no episode 'attic'",)),
    (("score", *SIDES, "--offset", "1", "--offset", "kitchen_001=2"), ("not both",)),
    (("score", *SIDES, "--id-map", "map.csv"), ("map.csv", "No such file")),
    (("score", *SIDES, "--offset", "a=1", "--offset", "a=2"), ("--offset is given twice for 'a'",)),
    (("score", *SIDES, "--offset", "0", "--offset", "2"), ("--offset is given twice",)),
    (("score", *SIDES, "--unit", "s", "--unit", "ms"), ("--unit is given twice: 's' and 'ms'",)),
    (
        ("score", *SIDES, "--fps", "prediction:9", "--fps", "prediction:8"),
        ("--fps is given twice for the prediction: '9' and '8'",),
    ),
    (("score", *SIDES, "--columns", "start=a,start=b"), ("start= is given twice",)),
    (
        ("score", *SIDES, "--ignore-label", "tea", "--ignore-label", "bread"),
        ("--ignore-label is given twice; it has one value",),
    ),
    (("score", *SIDES, "--episodes", "a", "--episodes=b"), ("--episodes is given twice",)),
    (("convert", REFERENCE, "--to", "csv", "-o", "x", "--output", "y"), ("--output is given",)),
    (("judgments", "import", "x", "--judge", "a", "--judge", "b"), ("--judge is given twice",)),
    (("score", *SIDES, "--episodes", ""), ("--episodes is empty",)),
    (("score", *SIDES, "--ignore-label", ""), ("--ignore-label is empty",)),
    (("score", *SIDES, "--clip", "end"), ("expected none or duration",)),
    (("score", *SIDES, "--resolution", "ns"), ("expected us or ms",)),
    (("score", *SIDES, "--task", "feet"), ("--task feet", "hand-caption")),
    (("score", *SIDES, "--unit", "hours"), ("--unit hours: there are s, ms, us, frames",)),
    (("score", *SIDES, "--fps", "many"), ("--fps 'many' is no number",)),
    (("score", *SIDES, "--fps", "0"), ("above 0",)),
    (("score", *SIDES, "--columns", "start"), ("is not NAME=COLUMN",)),
    (("score", *SIDES, "--columns", "begin=t0"), ("there are start, end, label",)),
    (("score", *SIDES, "--format", "jsn"), ("no format is called 'jsn'", "segjudge, csv")),
    (("validate", REFERENCE, "--format", "cvs"), ("did you mean 'csv'",)),
    (("convert", REFERENCE, "--to", "wgo"), ("can be read only", "segjudge, csv, tsv")),
    # Files.
    (("score", "nowhere.jsonl", CAREFUL), ("nowhere.jsonl: no such file",)),
    (("score", REFERENCE, KITCHEN), (f"{KITCHEN}: this is a folder",)),
    (("score", REFERENCE, "empty.jsonl"), ("empty.jsonl: the file is empty",)),
    (("score", JUDGMENTS, CAREFUL), (f"{JUDGMENTS}: ", "'label_a', 'label_b', 'verdict'")),
    (("score", CAREFUL, REFERENCE), ("episode id: 'workshop_004'",)),
    (("score", *SIDES, "--judgments", "nowhere.jsonl"), ("nowhere.jsonl: No such file",)),
    (("score", *SIDES, "--judgments", REFERENCE), (f"{REFERENCE}: line 1: label_a",)),
    (("score", *SIDES, "--json", "no/such/report.json"), ("can't write: No such file",)),
    (("score", *SIDES, "--html", "."), ("can't write: Is a directory",)),
    (("score", *SIDES, "--json", "-", "--csv", "-"), ("only one of --json and --csv",)),
    (("judgments", "stats", "nowhere.jsonl"), ("nowhere.jsonl: No such file",)),
    (("judgments", "merge", JUDGMENTS), ("--output FILE or --store DIR",)),
    (("judgments", "import", BAD_ROWS, "-o", "j.jsonl"), ("a column label_a", "a column verdict")),
    (("score", "-", "-"), ("standard input (-) can be read once",)),
    (("score", *SIDES, "--json", REFERENCE), ("--json", "would overwrite a file that is read")),
    (("score", *SIDES, *JUDGED, "--missing", JUDGMENTS), ("--missing", "would overwrite")),
    (
        ("convert", REFERENCE, "--to", "csv", "-o", f"./{REFERENCE}"),
        ("--output", "would overwrite"),
    ),
    # Judgments.
    (("score", *SIDES, *JUDGED, "--judge", "gemini"), ("judge 'authors'", "410 lines")),
    (("score", *SIDES, *JUDGED, "--prompt", "relation@1"), ("prompt 'authors-rubric@1'",)),
    (("judgments", "matrix", *SIDES, "--episode", "attic"), ("no such episode",)),
    (
        ("judgments", "matrix", *SIDES, "--episode", "kitchen_005"),
        ("no segments on track ''; it has some on 'left', 'right'",),
    ),
    (("judge", *SIDES), ("--model PROVIDER/MODEL",)),
    (("score", *SIDES, "--votes", "3"), ("--votes", "--model")),
    (("prompt", "show", "haiku"), ("no prompt 'haiku'", "relation@1")),
]


@pytest.mark.parametrize(
    ("arguments", "said"), MISTAKES, ids=[" ".join(line)[-60:] for line, _ in MISTAKES]
)
def test_a_mistake_is_named(
    segjudge: Run, here: Path, arguments: tuple[str, ...], said: tuple[str, ...]
) -> None:
    (here / "empty.jsonl").touch()
    ended = segjudge(*arguments)
    assert ended.status == 2
    assert not ended.out
    assert "Traceback" not in ended.err
    for part in said:
        assert part in ended.err


def test_every_bad_row_is_named(started: Run) -> None:
    ended = started("score", BAD_ROWS, BAD_ROWS)
    assert ended.status == 2
    assert ended.err.splitlines() == [
        f"error: {BAD_ROWS}: line 4: end: '9.850' "
        "(expected an end that is not before the start, '12.300')",
        f"error: {BAD_ROWS}: line 6: end: 'abc' "
        "(expected a time: seconds as a number, MM:SS or HH:MM:SS)",
        f"error: {BAD_ROWS}: line 8: start: 'NaN' (expected a finite time)",
    ]


def test_validate_names_the_faults_of_all_files(segjudge: Run) -> None:
    ended = segjudge("validate", BAD_ROWS, "nowhere.csv", REFERENCE)
    assert ended.status == 2
    assert ended.out.startswith(f"{REFERENCE}: segjudge, 11 episodes, 152 segments")
    assert ended.err.count(f"error: {BAD_ROWS}: line ") == 3
    assert "error: nowhere.csv: no such file" in ended.err


def test_40_bad_rows_of_100_000_give_40_messages(started: Run, here: Path) -> None:
    lines = ["episode,start,end,label"]
    for row in range(100_000):
        start = row % 20 * 3.25
        end = "late" if row % 2_500 == 7 else start + 3.25
        lines.append(f"ep_{row // 20},{start},{end},label {row % 500}")
    (here / "large.csv").write_text("\n".join(lines) + "\n")
    ended = started("validate", "large.csv")
    assert ended.status == 2
    assert not ended.out
    said = ended.err.splitlines()
    assert len(said) == 40
    assert said[0] == (
        "error: large.csv: line 9: end: 'late' "
        "(expected a time: seconds as a number, MM:SS or HH:MM:SS)"
    )
