"""Whatever a prediction and judgments hold, `score` ends in 0, 2 or 3, and never in a traceback."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from segjudge import cli

EXAMPLES = 500 if os.environ.get("CI") else 300

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=4)
    | st.sampled_from(
        ["a", "b", "x", "", "left", "nan", "1e999", "00:01", "\ud800", "same", 0, 1, 9]
    )
)
SEGMENTS = st.fixed_dictionaries(
    {"start": st.just(0) | SCALARS, "end": st.just(1) | SCALARS, "label": st.just("x") | SCALARS},
    optional={"track": SCALARS},
)
EPISODES = st.fixed_dictionaries(
    {"id": st.sampled_from("ab") | SCALARS, "segments": st.lists(SEGMENTS, max_size=3) | SCALARS},
    optional={"duration": SCALARS, "ok": SCALARS, "family": SCALARS},
)
VERDICTS = st.fixed_dictionaries(
    {
        "label_a": st.sampled_from("xy") | SCALARS,
        "label_b": st.sampled_from("xy") | SCALARS,
        "verdict": st.sampled_from(["same", "a_in_b", "different", "undecided"]) | SCALARS,
        "judge": st.sampled_from(["j", "human:k"]) | SCALARS,
    },
    optional={"prompt": SCALARS, "task": SCALARS, "context": SCALARS, "run": SCALARS},
)


def lines(rows: list[Any]) -> bytes:
    return "\n".join(map(json.dumps, rows)).encode()


def table(rows: list[dict[str, Any]]) -> bytes:
    columns = list(dict.fromkeys(key for row in rows for key in row))
    cells = [columns, *([str(row.get(column, "")) for column in columns] for row in rows)]
    return "\n".join(map(",".join, cells)).encode("utf-8", "surrogatepass")


def files(rows: st.SearchStrategy[Any], flat: st.SearchStrategy[Any]) -> st.SearchStrategy[bytes]:
    return (
        st.lists(rows, min_size=1, max_size=3).map(lines)
        | st.lists(flat, min_size=1, max_size=3).map(table)
        | st.binary(max_size=60)
    )


ROWS = st.builds(lambda name, row: {"episode": name, **row}, st.sampled_from("ab"), SEGMENTS)


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(prediction=files(EPISODES, ROWS), judgments=st.none() | files(VERDICTS, VERDICTS))
def test_score_of_anything(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    prediction: bytes,
    judgments: bytes | None,
) -> None:
    truth = tmp_path / "reference.jsonl"
    segments = [{"start": 0, "end": 1, "label": "x"}, {"start": 1, "end": 2.5, "label": "y"}]
    truth.write_bytes(lines([{"id": name, "segments": segments} for name in "ab"]))
    (tmp_path / "prediction").write_bytes(prediction)
    words = ["segjudge", "score", str(truth), str(tmp_path / "prediction")]
    if judgments is not None:
        (tmp_path / "judgments.jsonl").write_bytes(judgments)
        words += ["--judgments", str(tmp_path / "judgments.jsonl")]
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert (ended.value.code or 0) in (0, 2, 3)
    assert "Traceback" not in capfd.readouterr().err
