"""How far two sets of judgments agree, for people."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from segjudge.agreement import Agreement, Estimate, View


def agreement_table(result: Agreement) -> RenderableType:
    """Return the confusion table and the figures of each answer: verdict, permissible, same."""
    parts: list[RenderableType] = []
    for name in ("verdict", "permissible", "same"):
        view: View = getattr(result, name)
        parts.append(
            Text(
                f"{name}: {view.pairs} pairs decided by both, {view.only_a} by a only, "
                f"{view.only_b} by b only"
            )
        )
        if view.pairs:
            parts += [_confusion(view), _figures(view)]
        parts.append(Text(""))
    replaced = result.superseded_a, result.superseded_b
    if any(replaced):
        parts.append(Text(f"later lines replaced {replaced[0]} of a and {replaced[1]} of b"))
    parts.append(
        Text(f"intervals: {result.level:.0%}, bootstrap over pairs, {result.resamples} resamples")
    )
    return Group(*parts)


def _confusion(view: View) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("a \\ b", no_wrap=True)
    for name in view.classes:
        table.add_column(name, justify="right", no_wrap=True)
    for name, row in zip(view.classes, view.table, strict=True):
        table.add_row(name, *map(str, row))
    return table


def _figures(view: View) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column()
    rows = [("agreement", view.agreement), ("kappa", view.kappa), ("MCC", view.mcc)]
    rows += [(f"of a's {name}, b says it too", e) for name, e in view.recall_of_a.items()]
    rows += [(f"of b's {name}, a says it too", e) for name, e in view.recall_of_b.items()]
    for name, estimate in rows:
        table.add_row(Text(name), *_shown(estimate))
    return table


def _shown(estimate: Estimate) -> tuple[str, str]:
    value = "-" if estimate.value is None else f"{estimate.value:.4f}"
    if estimate.low is None or estimate.high is None:
        return value, estimate.reason
    return value, f"{estimate.low:.4f} to {estimate.high:.4f}"
