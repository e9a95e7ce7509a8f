"""The report as tables: for people, and as CSV."""

from __future__ import annotations

import csv
import io
import sys
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from segjudge.report.model import Figures, PairCounts, Report

#: A finding shows at most this many places in a table; the JSON has more.
PLACES_IN_TABLE = 3
WIDTH_OF_A_PIPE = 1000

#: What a spreadsheet takes for the beginning of a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")

#: Unicode categories that steer a terminal or break a line, and embeddings that turn its order.
_STEERING = frozenset(("Cc", "Cs", "Zl", "Zp"))
_TURNING = frozenset(("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"))


def visible(text: str) -> str:
    r"""Return text with control characters spelled out, such as ``\x1b``.

    Labels, ids and file names come from others: none may move the cursor, colour the terminal
    or reverse the reading order.
    """
    if text.isprintable():
        return text
    return "".join(
        repr(character)[1:-1]
        if unicodedata.category(character) in _STEERING
        or unicodedata.bidirectional(character) in _TURNING
        else character
        for character in text
    )


def cell(text: str) -> Text:
    """Return text for a table: neither markup nor control characters are acted upon."""
    return Text(visible(text))


def show(what: RenderableType) -> None:
    """Print to standard output; text of files and models is never read as markup.

    A pipe or file has no width, so nothing is wrapped there.
    """
    width = None if sys.stdout.isatty() else WIDTH_OF_A_PIPE
    Console(markup=False, highlight=False, emoji=False, width=width).print(what)


def report_table(report: Report) -> RenderableType:
    """Return the report for people: figures, groups, judge, findings."""
    parts: list[RenderableType] = [_metrics(report.metrics)]
    if report.without_human:
        unaided = (f"{name} {value_text(own)}" for name, own in report.without_human.items())
        parts.append(cell(f"without people's verdicts: {', '.join(unaided)}"))
    for name, groups in report.by_group.items():
        parts += [cell(""), cell(f"by {name}"), _groups(name, groups)]
    for name, sides in report.by_length.items():
        parts += [cell(""), cell(f"{name} by length of segment"), _lengths(sides)]
    parts += [cell(""), cell(_judge(report))]
    if report.findings:
        parts.append(cell(""))
    parts.append(findings_list(report.findings))
    return Group(*parts)


def _table(*numbers: str, first: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column(cell(first), no_wrap=True)
    for name in numbers:
        table.add_column(cell(name), justify="right", no_wrap=True)
    return table


def _metrics(metrics: Mapping[str, Figures]) -> Table:
    level = next((own["ci_level"] for own in metrics.values() if "ci_level" in own), None)
    sure = [] if level is None else [f"{100 * float(level):g} % interval"]
    table = _table("value", *sure, "mean", "precision", "recall", first="metric")
    table.add_column("from", overflow="fold")
    for name, figures in metrics.items():
        table.add_row(
            cell(name),
            value_text(figures),
            *(interval_text(figures) for _ in sure),
            _mean_text(figures),
            _number(figures.get("precision")),
            _number(figures.get("recall")),
            cell(_parts(figures)),
        )
    return table


class _Fitting:
    """The first of two tables where it fits the console, else the second."""

    def __init__(self, wide: Table, narrow: Table) -> None:
        self._wide, self._narrow = wide, narrow

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        unbounded = options.update(max_width=WIDTH_OF_A_PIPE)
        needed = console.measure(self._wide, options=unbounded).maximum
        yield self._wide if needed <= options.max_width else self._narrow


def _groups(field: str, groups: Mapping[str, Mapping[str, Figures]]) -> RenderableType:
    """Return a column a metric, or a row a group and metric where that is too wide."""
    names = list(next(iter(groups.values()), {}))
    wide, narrow = _table("episodes", *names, first=field), _table("value", first=field)
    for group, metrics in groups.items():
        named = cell(group or "(none)")
        wide.add_row(named, _episodes(metrics), *(sure_text(metrics[name]) for name in names))
        narrow.add_row(named, f"{_episodes(metrics)} episodes")
        for name in names:
            narrow.add_row(cell(f"  {name}"), sure_text(metrics[name]))
    return _Fitting(wide, narrow)


def _episodes(metrics: Mapping[str, Figures]) -> str:
    """Return the number of episodes of a group, those without a value included."""
    counts = [
        int(figures["episodes"] or 0) + int(figures["episodes_without_value"] or 0)
        for figures in metrics.values()
    ]
    return str(max(counts, default=0))


def value_text(figures: Figures) -> str:
    """Return a value in four decimals, ``0.61 to 0.83`` for bounds, a dash for none."""
    if figures["value"] is not None or figures["low"] is None:
        return _number(figures["value"])
    return f"{_number(figures['low'])} to {_number(figures['high'])}"


def interval_text(figures: Figures) -> str:
    """Return an interval in four decimals, ``[0.5812, 0.7013]``, a dash for none."""
    if figures.get("ci_low") is None:
        return "-"
    return f"[{_number(figures['ci_low'])}, {_number(figures['ci_high'])}]"


def sure_text(figures: Figures) -> str:
    """Return a value, and its interval where it has one."""
    value = value_text(figures)
    return value if figures.get("ci_low") is None else f"{value} {interval_text(figures)}"


def _lengths(sides: Mapping[str, list[Figures]]) -> Table:
    """Return a row a bin: recall by the reference's lengths, precision by the prediction's."""
    table = _table("references", "recall", "predictions", "precision", first="length")
    for recall, precision in zip(sides["reference"], sides["prediction"], strict=True):
        start, end = (recall[name] for name in ("from_s", "to_s"))
        length = f"{start:g} s and more" if end is None else f"{start:g} to {end:g} s"
        counted = ((str(own["segments"]), sure_text(own)) for own in (recall, precision))
        table.add_row(length, *(text for both in counted for text in both))
    return table


def _mean_text(figures: Figures) -> str:
    if figures["mean_over_episodes"] is not None or figures["mean_low"] is None:
        return _number(figures["mean_over_episodes"])
    return f"{_number(figures['mean_low'])} to {_number(figures['mean_high'])}"


def _number(value: Any) -> str:
    return "-" if value is None else f"{value:.4f}"


def _parts(figures: Figures) -> str:
    """Return what the value is a ratio of, in words; empty where it is another or unknown."""
    if figures.get("denominator_s") is not None:
        return f"{_span(figures, 'numerator', '_s', '.3f')} / {figures['denominator_s']:.3f} s"
    if "reference_boxes" in figures:
        hits, outside = (
            sum(int(figures[f"{name}_{how}"] or 0) for how in ("direct", "interpolated"))
            for name in ("hits", "outside")
        )
        return f"{hits} / ({figures['reference_boxes']} + {outside}) boxes"
    counted = {"predictions", "references"} <= figures.keys()
    if counted and ("matches" in figures or "matches_low" in figures):
        matches = _span(figures, "matches", "", "d")
        return f"2 x {matches} / ({figures['predictions']} + {figures['references']})"
    return ""


def _span(figures: Figures, name: str, unit: str, style: str) -> str:
    exact = figures.get(name + unit)
    if exact is not None:
        return format(exact if style != "d" else int(exact), style)
    low, high = figures.get(f"{name}{unit}_low"), figures.get(f"{name}{unit}_high")
    if low is None or high is None:
        return "-"
    if style == "d":
        return f"({int(low)} to {int(high)})"
    return f"({low:{style}} to {high:{style}})"


def _judge(report: Report) -> str:
    who = report.judge.id or "none"
    prompt = f", prompt {report.judge.prompt}" if report.judge.prompt else ""
    people = f", people {', '.join(report.judge.people)}" if report.judge.people else ""
    return f"Judge: {who}{prompt}{people}. {pairs_text(report.judge.pairs)}"


def pairs_text(pairs: PairCounts) -> str:
    """Return how many pairs were decided by whom, in words."""
    decided = {name: n for name, n in pairs.model_dump().items() if n and name != "needed"}
    by = ", ".join(f"{n} {name}" for name, n in decided.items())
    return f"{pairs.needed} label pairs needed" + (f": {by}." if by else ".")


def _finding(message: str, places: Iterable[str], count: int) -> RenderableType:
    shown = list(places)[:PLACES_IN_TABLE]
    more = [f"... and {count - len(shown)} more"] if shown and count > len(shown) else []
    lines = [cell(message)] + [cell(f"  {place}") for place in (*shown, *more)]
    return Group(*lines)


def findings_list(findings: Iterable[Any]) -> RenderableType:
    """Return findings for people, warnings first, each with its first places."""
    ordered = sorted(findings, key=lambda item: item.level != "warning")
    return Group(*(_finding(str(item), item.places, item.count) for item in ordered))


def plan_table(plan: Mapping[str, Any]) -> RenderableType:
    """Return the counts of a plan for people."""
    table = _table("label pairs", first="")
    table.add_row("needed by all metrics", str(plan["needed"]))
    for name, n in plan["by_metric"].items():
        table.add_row(cell(f"  {name}"), str(n))
    for name in ("rule", "verb", "identity", "human", "recorded"):
        if plan[name]:
            table.add_row(f"decided: {name}", str(plan[name]))
    if plan["stored"] is not None:
        table.add_row("answered in the store", str(plan["stored"]))
    table.add_row("left to ask", str(plan["to_ask"]))
    if plan["calls"] is not None:
        cost = "unknown" if plan["cost_usd"] is None else f"${plan['cost_usd']:.4f}"
        table.add_row("calls", str(plan["calls"]))
        table.add_row("tokens, estimated", str(plan["tokens"]))
        table.add_row("cost, estimated", cost)
    return table


def csv_cell(text: str) -> str:
    r"""Return text for a cell of CSV that no spreadsheet runs as a formula.

    Labels and ids come from files and models. Text that begins with one of ``= + - @``, a tab or
    a line break, perhaps behind apostrophes, gets one more apostrophe in front, so that taking
    one away gives the text back.
    """
    return f"'{text}" if text.lstrip("'").startswith(_FORMULA) else text


def csv_text(report: Report) -> str:
    """Return the figures as CSV: a row for the corpus, each group and each episode, by metric."""
    rows: list[dict[str, Any]] = []
    for metric, figures in report.metrics.items():
        rows.append({"scope": "corpus", "field": "", "name": "", "metric": metric, **figures})
    for field, groups in report.by_group.items():
        for group, metrics in groups.items():
            for metric, figures in metrics.items():
                key = {"scope": "group", "field": field, "name": group, "metric": metric}
                rows.append({**key, **figures})
    for metric, sides in report.by_length.items():
        for side, bins in sides.items():
            key = {"scope": "length", "field": side, "name": "", "metric": metric}
            rows += [{**key, **figures} for figures in bins]
    for episode in report.by_episode:
        for metric, figures in report.by_episode[episode].items():
            key = {"scope": "episode", "field": "", "name": episode, "metric": metric}
            rows.append({**key, **figures})
    names = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(
        {name: csv_cell(v) if isinstance(v, str) else v for name, v in row.items()} for row in rows
    )
    return text.getvalue()
