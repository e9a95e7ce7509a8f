"""The report for other programs and for texts: tables of CSV, Markdown, HTML for notebooks."""

from __future__ import annotations

import csv
import html
import io
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from segjudge.errors import InputError, Problem
from segjudge.report.detail import Credit, Detail
from segjudge.report.model import Figures, Report
from segjudge.report.tables import csv_cell, pairs_text, value_text, visible
from segjudge.writing import write_text

SECOND = 1e6


def write_csv_folder(folder: str | os.PathLike[str], report: Report, detail: Detail) -> None:
    """Write ``episodes.csv``, ``segments.csv`` and ``pairs.csv`` into a folder, made if missing.

    Text that a spreadsheet would run as a formula gets an apostrophe in front (`csv_cell`).

    Raises
    ------
    InputError
        The folder can't be made, or a file can't be written.
    """
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = f"can't make this folder: {error.strerror or error}"
        raise InputError(Problem(str(path), "", "", "", reason)) from error
    for name, rows in (
        ("episodes", episode_rows(report, detail)),
        ("segments", segment_rows(detail)),
        ("pairs", pair_rows(detail)),
    ):
        write_text(path / f"{name}.csv", _csv(rows))


def _csv(rows: Iterator[Sequence[Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for row in rows:
        writer.writerow([csv_cell(value) if isinstance(value, str) else value for value in row])
    return text.getvalue()


def episode_rows(report: Report, detail: Detail) -> Iterator[Sequence[Any]]:
    """Return a header and a row an episode: its fields, then every figure of every metric."""
    results, table = report.by_episode, detail.comparison.reference.table
    columns = {
        f"{metric}.{name}": _plain(values)
        for metric, figures in results.columns.items()
        for name, values in figures.items()
    }
    yield ["episode", *table.fields, *columns]
    fields = [[_text(value) for value in values] for values in table.fields.values()]
    for row, episode in enumerate(results.ids):
        yield [
            episode,
            *(values[row] for values in fields),
            *(values[row] for values in columns.values()),
        ]


def _plain(values: np.ndarray[Any, Any]) -> list[Any]:
    """Return numbers for a table; nothing where there is none."""
    return ["" if isinstance(v, float) and math.isnan(v) else v for v in values.tolist()]


def _text(value: Any) -> Any:
    return "" if value is None else value if isinstance(value, str | int | float) else str(value)


def segment_rows(detail: Detail) -> Iterator[Sequence[Any]]:
    """Return a header and a row a segment of both sides, in canonical order."""
    comparison, metrics = detail.comparison, list(detail.matched)
    credited = ["credit_s", "credit_high_s"] if detail.credited_by else []
    yield [
        *("episode", "side", "track", "segment", "start_s", "end_s", "label"),
        *credited,
        *(f"partner.{metric}" for metric in metrics),
    ]
    for name, side, credit in (
        ("reference", comparison.reference, detail.reference),
        ("prediction", comparison.prediction, detail.prediction),
    ):
        partners = [_partners(detail, metric, name, len(side)) for metric in metrics]
        for i in range(len(side)):
            yield [
                side.episodes[side.episode[i]],
                name,
                side.tracks[side.track[i]],
                i,
                side.start[i] / SECOND,
                side.end[i] / SECOND,
                side.labels[side.label[i]],
                *(_credits(credit, i) if credited else ()),
                *(partner[i] for partner in partners),
            ]


def _credits(credit: Credit, row: int) -> tuple[float, float]:
    return float(credit.low[row] / SECOND), float(credit.high[row] / SECOND)


def _partners(detail: Detail, metric: str, side: str, n: int) -> list[Any]:
    """Return the row of each segment's partner on the other side; empty where there is none."""
    matched = detail.matched[metric]
    own, other = matched.reference, matched.prediction
    if side == "prediction":
        own, other = other, own
    partner: list[Any] = [""] * n
    for i, j in zip(own.tolist(), other.tolist(), strict=True):
        partner[i] = j
    return partner


def pair_rows(detail: Detail) -> Iterator[Sequence[Any]]:
    """Return a header and a row a pair of overlapping segments, with its verdict."""
    comparison, verdicts = detail.comparison, detail.verdicts
    reference, prediction, pairs = comparison.reference, comparison.prediction, comparison.pairs
    metrics = list(detail.matched)
    matched = [
        set(zip(m.reference.tolist(), m.prediction.tolist(), strict=True))
        for m in detail.matched.values()
    ]
    yield [
        *("episode", "track", "reference_segment", "prediction_segment"),
        *("label_a", "label_b", "overlap_s", "iou", "verdict", "by", "judge", "rationale"),
        *(f"matched.{metric}" for metric in metrics),
    ]
    union = reference.length[pairs.left] + prediction.length[pairs.right] - pairs.inter
    columns = (pairs.left.tolist(), pairs.right.tolist(), detail.row.tolist())
    for k, (i, j, row) in enumerate(zip(*columns, strict=True)):
        known = row >= 0
        yield [
            reference.episodes[reference.episode[i]],
            reference.tracks[reference.track[i]],
            i,
            j,
            reference.labels[reference.label[i]],
            prediction.labels[prediction.label[j]],
            float(pairs.inter[k] / SECOND),
            float(pairs.inter[k] / union[k]),
            str(detail.verdict_of(k) or "unknown") if known else "not asked",
            *((side[row] if known else "") for side in (verdicts.by, verdicts.judge)),
            verdicts.rationale[row] if known else "",
            *(int((i, j) in one) for one in matched),
        ]


#: A note that a reader of a table alone must have; other notes are left to the report.
_KEPT = "own_wording"


def _figure_rows(metrics: Mapping[str, Figures]) -> list[list[str]]:
    """Return a row a metric, as text; the interval only where there is one."""
    return [
        [name, value_text(figures), _interval(figures)]
        + [_number(figures.get(key)) for key in ("mean_over_episodes", "precision", "recall")]
        for name, figures in metrics.items()
    ]


def _number(value: Any) -> str:
    return "–" if value is None else f"{value:.4f}"


def _interval(figures: Figures) -> str:
    low, high = figures.get("ci_low"), figures.get("ci_high")
    return "–" if low is None or high is None else f"{_number(low)} to {_number(high)}"


def _interval_title(report: Report) -> str:
    level = next((own["ci_level"] for own in report.metrics.values() if "ci_level" in own), None)
    return "interval" if level is None else f"{100 * float(level):g} % interval"


def _sure(figures: Figures) -> str:
    """Return a value, and its interval where it has one."""
    value = value_text(figures)
    return value if figures.get("ci_low") is None else f"{value} ({_interval(figures)})"


def _told(report: Report) -> list[str]:
    """Return the findings that belong under a table: warnings, and that it is not published."""
    return [str(f) for f in report.findings if f.level == "warning" or f.code == _KEPT]


def _table(report: Report) -> tuple[list[str], list[list[str]]]:
    """Return the header and the rows of the figures, without an empty column of intervals."""
    header = ["metric", "value", _interval_title(report), "mean", "precision", "recall"]
    rows = _figure_rows(report.metrics)
    if all(row[2] == "–" for row in rows):
        header, rows = [*header[:2], *header[3:]], [[*row[:2], *row[3:]] for row in rows]
    return header, rows


def markdown_text(report: Report) -> str:
    """Return the figures as Markdown tables, for a paper or a pull request."""
    header, rows = _table(report)
    lines = _grid(header, ([code(row[0]), *row[1:]] for row in rows))
    for field, groups in report.by_group.items():
        names = list(report.metrics)
        lines += ["", *_grid([code(field), *(code(name) for name in names)], _by_group(groups))]
    for metric, sides in report.by_length.items():
        columns = ("length", "references", "recall", "predictions", "precision")
        lines += ["", f"{code(metric)} by length of segment:", "", *_grid(columns, _bins(sides))]
    if (report.by_group or report.by_length) and "ci" in report.options:
        lines += ["", f"In parentheses: {_interval_title(report)}s."]
    who = code(report.judge.id) if report.judge.id else "none"
    prompt = f", prompt {code(report.judge.prompt)}" if report.judge.prompt else ""
    lines += ["", f"Judge: {who}{prompt}. {pairs_text(report.judge.pairs)}"]
    lines += [f"- {markdown(text)}" for text in _told(report)]
    lines.append(f"segjudge {report.version}")
    return "\n".join(lines) + "\n"


def _by_group(groups: Mapping[str, Mapping[str, Figures]]) -> Iterator[list[str]]:
    for group, metrics in groups.items():
        yield [code(group) if group else "(none)", *(_sure(of) for of in metrics.values())]


def _bins(sides: Mapping[str, Sequence[Figures]]) -> Iterator[list[str]]:
    """Return a row a bin: recall by the reference's lengths, precision by the prediction's."""
    for recall, precision in zip(sides["reference"], sides["prediction"], strict=True):
        start, end = (recall[name] for name in ("from_s", "to_s"))
        length = f"{start:g} s and more" if end is None else f"{start:g} to {end:g} s"
        both = ((str(own["segments"]), _sure(own)) for own in (recall, precision))
        yield [length, *(text for own in both for text in own)]


def _grid(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table: the first column is text, the others are numbers."""
    under = "| --- |" + " ---: |" * (len(header) - 1)
    return [_line(header), under, *(_line(row) for row in rows)]


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def code(text: str) -> str:
    """Return text as a code span that may stand in a table: no markup, no mention, one line."""
    plain = visible(" ".join(text.split())).replace("|", "\\|")
    longest = max((len(run) for run in re.findall("`+", plain)), default=0)
    fence, space = "`" * (longest + 1), " " if longest else ""
    return f"{fence}{space}{plain}{space}{fence}"


def markdown(text: str) -> str:
    r"""Return text so that Markdown shows it as it is, on one line."""
    plain = visible(" ".join(text.split()))
    return re.sub(r"([\\`*_{}\[\]<>#|~&])", r"\\\1", plain)


def html_text(report: Report) -> str:
    """Return the figures as a small HTML table, for a notebook; everything escaped."""
    header, rows = _table(report)
    head = "".join(f"<th>{html.escape(name)}</th>" for name in header)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(visible(cell))}</td>" for cell in row) + "</tr>"
        for row in rows
    )
    told = "".join(f"<li>{html.escape(visible(text))}</li>" for text in _told(report))
    who = html.escape(visible(report.judge.id or "none"))
    said = html.escape(pairs_text(report.judge.pairs))
    return (
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        f"<p>Judge: {who}. {said}</p>" + (f"<ul>{told}</ul>" if told else "")
    )
