"""The report: its shape, its bytes, its tables."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
import pytest
from corpora import annotations, seconds
from oracle import Segment
from rich.console import Console

import segjudge
from segjudge import metrics
from segjudge.annotations import Bool
from segjudge.judgments import Judgment, Verdict
from segjudge.metrics import Asked, Comparison, Components, Options
from segjudge.report import EpisodeResults
from segjudge.report.tables import csv_text, report_table

KITCHEN = Path(__file__).parents[2] / "examples" / "kitchen"

ALL = ("psj", "semantic_f1@0.75", "segmentation_f1@0.5")

REFERENCE = [
    *seconds((0, 4, "pour"), (4, 8, "stir"), episode="a"),
    *seconds((0, 5, "wash"), episode="b"),
]
PREDICTION = [
    *seconds((0, 3, "tip"), (3, 4, "hold"), (4, 8, "mix"), episode="a"),
    *seconds((0, 5, "rinse"), episode="b"),
]
SAID = [
    Judgment(label_a=a, label_b=b, verdict=verdict, judge="authors", prompt="by-hand@1")
    for a, b, verdict in (
        ("pour", "tip", Verdict.SAME),
        ("hold", "pour", Verdict.A_IN_B),
        ("mix", "stir", Verdict.DIFFERENT),
        ("wash", "rinse", Verdict.SAME),
    )
]
FAMILY = ["x", "y", "x"]


def scored(said: list[Judgment] = SAID, **options: Any) -> segjudge.Report:
    """Score three episodes: a, b, and c, in which nothing is annotated."""
    reference = annotations(REFERENCE, ["a", "b", "c"], family=FAMILY)
    prediction = annotations(PREDICTION, ["a", "b"])
    options = {"metrics": list(ALL), "by": ["family"], **options}
    return segjudge.score(reference, prediction, judgments=said, **options)


class TestShape:
    def test_by_hand(self):
        made = json.loads(scored().to_json())
        assert made["schema"] == "segjudge.report/1"
        psj, f1 = made["metrics"]["psj"], made["metrics"]["semantic_f1@0.75"]
        # a: 4 of 8 s on either side; b: all of 5 s.
        assert psj["value"] == psj["low"] == psj["high"] == 18 / 26
        assert (psj["numerator_s"], psj["denominator_s"]) == (18, 26)
        assert psj["precision"] == psj["recall"] == 9 / 13
        assert psj["mean_over_episodes"] == 0.75
        assert (psj["episodes"], psj["episodes_without_value"]) == (2, 1)
        assert (f1["matches"], f1["predictions"], f1["references"]) == (2, 4, 3)
        assert (f1["value"], f1["precision"], f1["recall"]) == (4 / 7, 2 / 4, 2 / 3)
        assert made["judge"]["id"] == "authors"
        assert made["judge"]["prompt"] == "by-hand@1"
        pairs = made["judge"]["pairs"]
        assert (pairs["needed"], pairs["recorded"], pairs["unknown"]) == (4, 4, 0)
        assert made["by_episode"]["a"]["psj"]["value"] == 0.5
        assert made["by_group"]["family"]["y"]["psj"]["value"] == 1

    def test_no_value_where_nothing_is_annotated(self):
        made = json.loads(scored().to_json())
        for metric in ALL:
            got = made["by_episode"]["c"][metric]
            assert got["value"] is got["low"] is got["high"] is None
        assert made["by_episode"]["c"]["psj"]["denominator_s"] == 0
        assert made["by_episode"]["c"]["semantic_f1@0.75"]["references"] == 0

    def test_nothing_annotated_anywhere(self):
        nothing = annotations([], ["a", "b"])
        made = segjudge.score(nothing, nothing, metrics=list(ALL))
        for figures in made.metrics.values():
            assert figures["value"] is figures["low"] is figures["mean_over_episodes"] is None
            assert figures["reason"] == "the denominator is 0: nothing is annotated"
            assert (figures["episodes"], figures["episodes_without_value"]) == (0, 2)
        assert made.without_value() == []
        assert "NaN" not in made.to_json()

    def test_bounds(self):
        made = json.loads(scored(SAID[1:]).to_json())
        f1 = made["metrics"]["semantic_f1@0.75"]
        assert (f1["value"], f1["low"], f1["high"]) == (None, 2 / 7, 4 / 7)
        assert (f1["matches"], f1["matches_low"], f1["matches_high"]) == (None, 1, 2)
        assert f1["precision"] is None
        assert f1["undecided_pairs"] == 1
        assert f1["reason"].startswith("1 label pair")
        assert (f1["mean_over_episodes"], f1["mean_low"], f1["mean_high"]) == (None, 0.5, 0.7)
        psj = made["metrics"]["psj"]
        assert (psj["numerator_s"], psj["numerator_s_low"], psj["numerator_s_high"]) == (
            None, 12, 18,
        )  # fmt: skip
        # Known where nothing is unknown: in b, in its group, and without labels.
        assert made["by_episode"]["b"]["psj"]["value"] == 1
        assert made["by_episode"]["a"]["psj"]["value"] is None
        assert made["by_group"]["family"]["y"]["psj"]["value"] == 1
        assert made["by_group"]["family"]["x"]["psj"]["value"] is None
        assert made["metrics"]["segmentation_f1@0.5"]["value"] == 6 / 7
        assert scored(SAID[1:]).without_value() == ["psj", "semantic_f1@0.75"]

    def test_what_is_known_of_an_episode_though_an_answer_is_open(self):
        """In a the reference is covered whatever (pour, mix) is; in b it is not."""
        reference = annotations(
            [*seconds((0, 4, "pour")), *seconds((0, 4, "pour"), episode="b")], ["a", "b"]
        )
        prediction = annotations(
            [*seconds((0, 4, "tip"), (0, 4, "mix")), *seconds((0, 4, "mix"), episode="b")],
            ["a", "b"],
        )
        made = segjudge.score(reference, prediction, judgments=SAID[:1], metrics=["psj"])
        a, b = (made.by_episode[name]["psj"] for name in "ab")
        assert (a["reference_credit_s"], a["prediction_credit_s"]) == (4, None)
        assert (a["prediction_credit_s_low"], a["prediction_credit_s_high"]) == (4, 8)
        assert (b["reference_credit_s"], b["prediction_credit_s"]) == (None, None)
        assert (a["value"], a["low"], a["high"]) == (None, 8 / 12, 1)

    def test_the_pairs_of_one_metric_are_not_missing_from_another(self):
        """(hold, pour) overlaps, but does not pass 0.75."""
        made = scored([SAID[0], *SAID[2:]])
        assert made.without_value() == ["psj"]
        assert made.metrics["semantic_f1@0.75"]["value"] == 4 / 7

    def test_options_and_findings(self):
        made = scored(identity=False, resolution="ms")
        assert made.options["identity"] is False
        assert made.options["resolution"] == "ms"
        assert made.options["metrics"] == list(ALL)
        codes = {item.code for item in made.findings}
        assert {"missing_episodes", "own_wording", "empty_episodes"} <= codes
        assert made.version == segjudge.__version__

    def test_a_field_that_the_reference_lacks(self):
        with pytest.raises(segjudge.UsageError, match=r"'kind'.*family"):
            scored(by=["kind"])


class TestBytes:
    command = (
        "import sys, segjudge; report = segjudge.score(*sys.argv[1:3], judgments=sys.argv[3], "
        "episodes=sys.argv[4], id_map=sys.argv[5]); "
        "sys.stdout.write(report.to_json())"
    )

    def from_folder(self, folder: Path, files: list[str], seed: str) -> dict[str, Any]:
        done = subprocess.run(
            [sys.executable, "-c", self.command, *files],
            cwd=folder,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        )
        head, _, rest = done.stdout.partition(b'"run": {')
        return {"text": head + rest.partition(b"}")[2], "json": json.loads(done.stdout)}

    def test_the_same_but_for_the_run_wherever_it_is_made(self, tmp_path):
        names = ["reference.jsonl", "prediction_careful.jsonl", "judgments.jsonl"]
        for name in names:
            (tmp_path / name).write_bytes((KITCHEN / name).read_bytes())
        ids = list(segjudge.read(KITCHEN / names[0]).episodes)
        (tmp_path / "ids.txt").write_text("\n".join(ids[:6]))
        (tmp_path / "map.csv").write_text(f"{ids[0]},{ids[0]}\n")
        files = [*names, "ids.txt", "map.csv"]
        here = self.from_folder(tmp_path, files, "1")
        (tmp_path / "elsewhere").mkdir()
        there = self.from_folder(
            tmp_path / "elsewhere", [str(tmp_path / name) for name in files], "2"
        )
        assert here["text"] == there["text"]
        assert str(tmp_path) not in json.dumps(there["json"])
        assert [item["file"] for item in here["json"]["inputs"]] == [*names, "ids.txt", "map.csv"]
        assert set(here["json"]["run"]) >= {"created", "asked", "cached"}


class TestReadingBack:
    @pytest.mark.parametrize("said", [SAID, SAID[1:], []])
    def test_round_trip(self, said):
        made = scored(said)
        back = segjudge.Report.from_json(made.to_json())
        assert back.to_json() == made.to_json()
        assert back.metrics == made.metrics
        assert dict(back.by_episode) == dict(made.by_episode)
        assert back.findings == made.findings

    def test_another_schema_is_refused(self):
        text = scored().to_json().replace("segjudge.report/1", "segjudge.report/2")
        with pytest.raises(ValueError, match=r"segjudge\.report/1"):
            segjudge.Report.from_json(text)

    def test_strange_ids_and_labels(self):
        odd = 'é "quoted" \\ \u2028 <b>&'
        side = annotations([Segment(odd, "", 0, 5, odd)], [odd], family=[odd])
        made = segjudge.score(side, side, by=["family"])
        back = segjudge.Report.from_json(made.to_json())
        assert list(back.by_episode) == list(back.by_group["family"]) == [odd]


class TestPandas:
    def test_a_row_an_episode_and_metric(self):
        frame = scored(SAID[1:]).to_pandas()
        assert list(zip(frame["metric"], frame["episode"], strict=True)) == [
            (metric, episode) for metric in ALL for episode in "abc"
        ]
        psj = frame[frame["metric"] == "psj"].set_index("episode")
        assert psj.loc["b", "value"] == 1
        assert math.isnan(psj.loc["a", "value"])
        assert (psj.loc["a", "low"], psj.loc["a", "high"]) == (2 / 16, 8 / 16)
        assert {"numerator_s", "denominator_s", "matches", "references"} <= set(frame.columns)
        assert frame["value"].dtype == np.float64

    def test_no_metric(self):
        made = scored().model_copy(update={"by_episode": EpisodeResults((), {})})
        assert made.to_pandas().empty


class TestCsv:
    def test_rows_and_cells(self):
        rows = list(csv.DictReader(io.StringIO(csv_text(scored(SAID[1:])))))
        scopes = [(row["scope"], row["field"], row["name"], row["metric"]) for row in rows]
        assert scopes == [
            *(("corpus", "", "", metric) for metric in ALL),
            *(("group", "family", family, metric) for family in "xy" for metric in ALL),
            *(("episode", "", episode, metric) for episode in "abc" for metric in ALL),
        ]
        assert (rows[0]["value"], float(rows[0]["low"])) == ("", 12 / 26)
        assert rows[2]["matches"] == "3"
        assert "nan" not in csv_text(scored()).lower()
        assert "None" not in csv_text(scored())


def shown(report: segjudge.Report, width: int = 200) -> str:
    text = io.StringIO()
    Console(file=text, width=width, markup=False, highlight=False, emoji=False).print(
        report_table(report)
    )
    return text.getvalue()


class TestTable:
    def test_values_and_what_they_are_made_of(self):
        text = shown(scored())
        lines = {line.split()[0]: line for line in text.splitlines() if line.split()}
        assert "0.6923" in lines["psj"]
        assert "18.000 / 26.000 s" in lines["psj"]
        assert "2 x 2 / (4 + 3)" in lines["semantic_f1@0.75"]
        assert "by family" in text
        assert "Judge: authors, prompt by-hand@1. 4 label pairs needed: 4 recorded." in text

    def test_bounds(self):
        text = shown(scored(SAID[1:]))
        assert "0.2857 to 0.5714" in text
        assert "2 x (1 to 2) / (4 + 3)" in text
        assert "(12.000 to 18.000) / 26.000 s" in text
        assert "3 recorded, 1 unknown" in text

    def test_nothing_annotated(self):
        nothing = annotations([], ["a"])
        text = shown(segjudge.score(nothing, nothing, metrics=list(ALL)))
        assert "nan" not in text.lower()
        assert [word for word in text.split() if word == "-"]

    def test_text_of_files_is_not_acted_upon(self):
        odd = "[red]x[/red] :smile: \x1b[31m"
        reference = annotations(seconds((0, 5, "p"), episode=odd), [odd], family=[odd])
        prediction = annotations([], [])
        text = shown(segjudge.score(reference, prediction, by=["family"]))
        assert "[red]x[/red] :smile:" in text
        assert "\x1b" not in text


@dataclass(frozen=True)
class OddTime:
    """Accepted time, if an odd number of pairs is accepted. Not monotone."""

    key: str
    reads: str = "permissible"
    monotone: bool = False
    ratios: ClassVar[Mapping[str, Any]] = {"value": (("odd_us",), ("all_us",))}

    def asked(self, comparison: Comparison) -> Asked:
        return Asked(comparison.pairs)

    def count(self, comparison: Comparison, asked: Asked, accepted: Bool) -> Components:
        n = comparison.by_episode(asked.pairs, accepted)
        inter = comparison.by_episode(asked.pairs, asked.pairs.inter * accepted)
        every = comparison.by_episode(asked.pairs, asked.pairs.inter)
        return {"odd_us": inter * (n % 2), "all_us": every}


def odd_time(options: Options) -> OddTime:
    mode = options.choice("mode", ("plain", "fancy"))
    options.finish()
    return OddTime("odd_time" if mode == "plain" else f"odd_time,mode={mode}")


class TestMetricOfAnotherPackage:
    @pytest.fixture(autouse=True)
    def _registered(self, monkeypatch):
        module = ModuleType("another_package")
        module.odd_time = odd_time
        monkeypatch.setitem(sys.modules, "another_package", module)
        point = EntryPoint("odd_time", "another_package:odd_time", "segjudge.metrics")
        every = {**metrics._registered(), "odd_time": point}
        monkeypatch.setattr(metrics, "_registered", lambda: every)

    def test_is_asked_for_by_name(self):
        made = scored(metrics=["odd_time,mode=fancy", "psj"])
        got = made.metrics["odd_time,mode=fancy"]
        # One pair accepted in b, two in a: 5 of 13 s.
        assert got["value"] == 5 / 13
        assert (got["numerator_s"], got["denominator_s"]) == (5, 13)
        assert "5.000 / 13.000 s" in shown(made)

    def test_without_an_answer_has_neither_value_nor_bounds(self):
        made = scored(SAID[1:], metrics=["odd_time", "psj"])
        for got in (made.metrics["odd_time"], made.by_episode["a"]["odd_time"]):
            assert got["value"] is got["low"] is got["high"] is None
            assert got["odd_s"] is None
        assert made.metrics["odd_time"]["reason"].endswith("it has no bounds: not monotone")
        assert made.without_value() == ["odd_time", "psj"]
        assert made.by_episode["b"]["odd_time"]["value"] == 1
        assert "NaN" not in made.to_json()
        assert segjudge.Report.from_json(made.to_json()).to_json() == made.to_json()
        assert "odd_time" in shown(made)
        assert "odd_time" in csv_text(made)

    def test_its_options_are_its_own(self):
        with pytest.raises(segjudge.UsageError, match="expected plain or fancy"):
            scored(metrics=["odd_time,mode=grand"])
