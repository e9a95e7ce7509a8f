"""``segjudge judgments``: export, import, stats, diff, merge, matrix."""

from __future__ import annotations

import csv
import io
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from segjudge.annotations import Annotations
from segjudge.cache import Store, read_table, write_judgments
from segjudge.commands.options import Prediction, Reference, case_options, takes
from segjudge.errors import UsageError
from segjudge.judge import Records, asker
from segjudge.judgments import Judgment, pair_of
from segjudge.report.tables import cell, show, visible
from segjudge.scoring import Case, CaseOptions, build_case, load_judgments
from segjudge.writing import write_text

app = typer.Typer(help="Look at, move and compare recorded judgments.", no_args_is_help=True)

Files = Annotated[
    list[Path], typer.Argument(metavar="FILE|DIR...", help="Judgments: JSON lines, or stores.")
]
Output = Annotated[Path, typer.Option("--output", "-o", help="File of JSON lines to write.")]
Into = Annotated[Path | None, typer.Option("--output", "-o", help="File of JSON lines to write.")]
IntoStore = Annotated[
    Path | None, typer.Option("--store", metavar="DIR", help="Store to add to, instead.")
]


@app.command()
def stats(files: Files) -> None:
    """Count judgments by judge, prompt, task and verdict."""
    lines = _read(files)
    counts = Counter((*asker(line), line.task or "", str(line.verdict)) for line in lines)
    table = _table("judge", "prompt", "task", "verdict", "lines")
    for (*who, verdict), n in sorted(counts.items()):
        table.add_row(*(cell(part or "-") for part in who), verdict, str(n))
    show(table)
    records = Records(lines)
    pairs = len({(line.task, line.pair) for line in lines})
    typer.echo(f"{len(lines)} lines, {pairs} pairs, {len(records.conflicts)} conflicts")


@app.command()
def diff(files: Files) -> None:
    """List the pairs on which lines disagree: within one judge and prompt, or between several.

    Exit status 0 also where there are: the last line counts them.
    """
    verdicts: dict[tuple[Any, ...], dict[str, str]] = {}
    for path in files:
        for number, line in enumerate(_read([path]), 1):
            pair, _ = pair_of(line.label_a, line.label_b, line.context)
            said = " ".join(filter(None, (*asker(line), f"({path.name}, judgment {number})")))
            verdicts.setdefault((pair, line.task), {})[said] = str(line.verdict_on_pair)
    differing = {key: said for key, said in verdicts.items() if len(set(said.values())) > 1}
    for pair, task in sorted(differing, key=lambda key: (key[0], key[1] or "")):
        context = f", context {pair.context!r}" if pair.context else ""
        of_task = f", task {task}" if task else ""
        typer.echo(visible(f"{pair.a!r} / {pair.b!r}{of_task}{context}"))
        for who, verdict in differing[(pair, task)].items():
            typer.echo(visible(f"  {verdict:<12} {who}"))
    typer.echo(f"{len(differing)} of {len(verdicts)} pairs differ")


@app.command()
def merge(files: Files, output: Into = None, store: IntoStore = None) -> None:
    """Merge judgments into one sorted file; of one judge, prompt and run the last line is kept.

    With --store everything is added to a store, the single answers of other stores included.
    """
    if _one_of(output, store) == "store":
        assert store is not None
        _merge_into(files, store)
        return
    assert output is not None
    latest: dict[tuple[Any, ...], Judgment] = {}
    lines = _read(files)
    for line in lines:
        latest[(asker(line), line.run, line.task, line.pair)] = line
    written = write_judgments(latest.values(), output)
    typer.echo(f"{output}: {written} judgments from {len(lines)} lines", err=True)


@app.command()
def export(files: Files, output: Output) -> None:
    """Write judgments as one sorted file of JSON lines, every line kept."""
    typer.echo(f"{output}: {write_judgments(_read(files), output)} judgments", err=True)


@app.command("import")
def import_(
    table: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="CSV, TSV or JSON lines with label_a, label_b and verdict."
        ),
    ],
    output: Into = None,
    store: IntoStore = None,
    judge: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Who judged, on the rows that don't say. A name that begins with human may "
            "accompany any other judge, and wins.",
        ),
    ] = None,
) -> None:
    """Turn verdicts that a person filled in, such as on `--missing` pairs, into judgments.

    Rows without a verdict are left out, and counted.
    """
    where = _one_of(output, store)
    lines, left_open = read_table(table, judge)
    rest = f"; {left_open} rows have no verdict yet" if left_open else ""
    if where == "store":
        assert store is not None
        with Store(store) as kept:
            new = kept.import_judgments(lines)
        typer.echo(visible(f"{store}: {new} of {len(lines)} judgments were new{rest}"), err=True)
        return
    assert output is not None
    typer.echo(visible(f"{output}: {write_judgments(lines, output)} judgments{rest}"), err=True)


@app.command()
@takes(case_options, "options")
def matrix(
    *,
    reference: Reference,
    prediction: Prediction,
    options: CaseOptions,
    episode: Annotated[str, typer.Option(help="The episode whose matrix to write.")],
    track: Annotated[str, typer.Option(help="The track, such as left.")] = "",
    output: Annotated[
        str, typer.Option("--output", "-o", help="CSV file; standard output if not given.")
    ] = "-",
) -> None:
    """Write one episode's matrix J: a row a reference segment, a column a predicted one.

    1 permissible, 0 not, -1 undecided, empty where the two don't overlap.
    """
    write_text(output, _matrix_csv(build_case(reference, prediction, **options), episode, track))


def _matrix_csv(case: Case, episode: str, track: str) -> str:
    reference, prediction = case.comparison.reference, case.comparison.prediction
    if episode not in reference.episodes:
        raise UsageError(f"--episode {episode!r}: the reference has no such episode")
    if track not in reference.tracks:
        raise UsageError(f"--track {track!r}: there are {', '.join(map(repr, reference.tracks))}")
    where = reference.episodes.index(episode), reference.tracks.index(track)
    rows, columns = (
        [i for i in range(len(side)) if (side.episode[i], side.track[i]) == where]
        for side in (reference, prediction)
    )
    if not rows and not columns:
        raise UsageError(_no_segments(episode, track, reference, prediction))
    dense = case.decided.matrix().dense(
        [reference.label[i] for i in rows],
        [prediction.label[j] for j in columns],
        int(case.comparison.context[where[0]]),
    )
    pairs = case.comparison.pairs
    meet = set(zip(pairs.left.tolist(), pairs.right.tolist(), strict=True))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["", *(_named(prediction, j) for j in columns)])
    for i, values in zip(rows, dense.tolist(), strict=True):
        cells = [v if (i, j) in meet else "" for j, v in zip(columns, values, strict=True)]
        writer.writerow([_named(reference, i), *cells])
    return text.getvalue()


def _no_segments(episode: str, track: str, *sides: Annotations) -> str:
    """Say on which tracks an episode has segments."""
    index = sides[0].episodes.index(episode)
    used = {side.tracks[i] for side in sides for i in side.track[side.episode == index].tolist()}
    there = f"; it has some on {', '.join(map(repr, sorted(used)))}" if used else ""
    return f"--track: episode {episode!r} has no segments on track {track!r}{there}"


def _named(side: Any, row: int) -> str:
    return f"{side.start[row] / 1e6:g}-{side.end[row] / 1e6:g} {side.labels[side.label[row]]}"


def _read(files: list[Path]) -> list[Judgment]:
    return load_judgments(files)[0]


def _one_of(output: Path | None, store: Path | None) -> str:
    """Say where to write to.

    Raises
    ------
    UsageError
        None or both are given.
    """
    if (output is None) == (store is None):
        raise UsageError("say where to write to: --output FILE or --store DIR")
    return "output" if store is None else "store"


def _merge_into(files: list[Path], into: Path) -> None:
    """Add files and stores to a store."""
    with Store(into) as store:
        for path in files:
            if path.is_dir():
                with Store(path, readonly=True) as other:
                    answers, judgments, failures = store.merge(other)
            else:
                judgments = store.import_judgments(_read([path]))
                answers = failures = 0
            typer.echo(
                f"{path}: {answers} answers, {judgments} judgments and {failures} failed attempts "
                "were new",
                err=True,
            )


def _table(*columns: str) -> Table:
    table = Table(*columns, box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.columns[-1].justify = "right"
    return table
