"""``segjudge judge``, ``segjudge prompt`` and ``segjudge agreement``; asking for `score`."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from segjudge.agreement import agreement as compute_agreement
from segjudge.cache import default_store_path
from segjudge.commands.ask_options import ask_options
from segjudge.commands.options import Prediction, Reference, case_options, takes
from segjudge.commands.progress import Shown
from segjudge.errors import StoppedEarly, UsageError
from segjudge.judge import asker, is_prompt
from segjudge.judgments import Judgment
from segjudge.prompts import Item, load, names
from segjudge.report.agreement import agreement_table
from segjudge.report.tables import show, visible
from segjudge.scoring import AskOptions, Case, CaseOptions, build_case, fill, load_judgments
from segjudge.writing import write_text

prompt_app = typer.Typer(
    help="Look at the prompts that a model is asked with.", no_args_is_help=True
)


def ask_for(case: Case, options: AskOptions) -> StoppedEarly | None:
    """Ask the model named in the options for what is missing, and show how far it has come.

    Returns
    -------
    StoppedEarly or None
        Why the run could not go on; what was answered is filled in.
    """
    missing = len(case.decided.missing())
    if not options.get("model") or not missing:
        return None
    path = options.get("store") or default_store_path()
    try:
        with Shown(missing, visible(f"Answers are kept in {path}")) as shown:
            asyncio.run(fill(case, **(options | {"on_progress": shown})))
            _last_line(case, shown, missing)
    except StoppedEarly as stopped:
        why = " ".join(str(stopped).split())  # a server's own words may be of many lines
        return StoppedEarly(f"stopped: {why}\n{_go_on(path)}")
    except KeyboardInterrupt:
        typer.echo(f"interrupted. {_go_on(path)}", err=True)
        raise typer.Exit(130) from None
    return None


def _go_on(path: object) -> str:
    return f"What was answered is kept in {path}; the same command goes on from there."


def _tell_failures(case: Case) -> None:
    """Say which questions got no judgment, and why."""
    for item in case.findings:
        if item.code == "judge_failures":
            with suppress(OSError):
                typer.echo(visible(item.message), err=True)
                for place in item.places:
                    typer.echo(visible(f"  {place}"), err=True)


def _last_line(case: Case, shown: Shown, missing: int) -> None:
    run = case.run
    if run is None:
        return
    cost = "cost unknown" if run.cost_usd is None else f"${run.cost_usd:.4f}"
    spent = f", {run.tokens} tokens, {cost}" if run.asked or run.failed else ""
    shown.say(
        f"{missing} questions: {run.cached} from the store, {run.asked} asked, "
        f"{run.failed} failed{spent}"
    )


@takes(ask_options, "asking")
@takes(case_options, "options")
def judge(
    *, reference: Reference, prediction: Prediction, options: CaseOptions, asking: AskOptions
) -> None:
    """Fill the store with the answers that a score needs. Scores nothing, and resumes.

    Exit status 4: the run could not go on; what was answered is kept.
    """
    if not asking.get("model"):
        raise UsageError("name the chat model to ask with --model PROVIDER/MODEL")
    both: AskOptions = {**options, **asking}
    case = build_case(reference, prediction, **both)
    stopped = ask_for(case, both)
    _tell_failures(case)
    if stopped:
        raise stopped
    left = len(case.decided.missing())
    typer.echo(f"{len(case.decided.by)} label pairs needed, {left} left undecided")


@prompt_app.command("list")
def list_prompts() -> None:
    """List the prompts."""
    for name in names():
        prompt = load(name)
        typer.echo(f"{prompt.id:<30} {prompt.kind:<12} task {prompt.task}")


@prompt_app.command("show")
def show_prompt(
    name: Annotated[str, typer.Argument(metavar="NAME_OR_FILE", help="A prompt.")],
    label_a: Annotated[str, typer.Argument(metavar="LABEL", help="First label.")] = "wash the cup",
    label_b: Annotated[
        str, typer.Argument(metavar="LABEL", help="Second label.")
    ] = "do the dishes",
    context: Annotated[str, typer.Option(metavar="TEXT", help="Context of the question.")] = "",
) -> None:
    """Print what would be sent for two labels."""
    prompt = load(name)
    typer.echo(f"{prompt.id}  sha256 {prompt.sha256}\n")
    for message in prompt.messages([Item("1", label_a, label_b)], context=context):
        typer.echo(f"--- {message['role']}\n{message['content']}\n")


def agreement(
    judgments_a: Annotated[Path, typer.Argument(metavar="JUDGMENTS_A", help="File or store.")],
    judgments_b: Annotated[Path, typer.Argument(metavar="JUDGMENTS_B", help="File or store.")],
    judge_a: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Judge of the first; human takes all people."),
    ] = None,
    judge_b: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Judge of the second; human takes all people."),
    ] = None,
    prompt_a: Annotated[
        str | None, typer.Option(metavar="NAME", help="Prompt of the first.")
    ] = None,
    prompt_b: Annotated[
        str | None, typer.Option(metavar="NAME", help="Prompt of the second.")
    ] = None,
    run_a: Annotated[int, typer.Option(metavar="N", help="Run of the first, in a store.")] = 1,
    run_b: Annotated[int, typer.Option(metavar="N", help="Run of the second, in a store.")] = 1,
    json_file: Annotated[
        str | None, typer.Option("--json", metavar="FILE", help="Write JSON; - prints it.")
    ] = None,
) -> None:
    """Compare two judges, or two runs of one, on the label pairs that both decided.

    Judge against human, judge against judge, run against run (the noise floor). Each side is one
    judge with one prompt, or people.
    """
    result = compute_agreement(
        _side(judgments_a, run_a, judge_a, prompt_a, "a"),
        _side(judgments_b, run_b, judge_b, prompt_b, "b"),
    )
    if json_file:
        write_text(json_file, result.model_dump_json(indent=2) + "\n")
    if json_file != "-":
        show(agreement_table(result))


def _side(path: Path, run: int, judge: str | None, prompt: str | None, side: str) -> list[Judgment]:
    """Return one side's judgments: of one run and, people apart, of one judge and prompt.

    Raises
    ------
    UsageError
        There are none such, or of several judges or prompts.
    """
    lines, _ = load_judgments(path)
    of_run = [line for line in lines if line.run == run]
    if lines and not of_run:
        runs = ", ".join(str(each) for each in sorted({line.run for line in lines}))
        raise UsageError(f"{path} has no judgments of run {run}; --run-{side} may be {runs}")
    people = judge is not None and judge.casefold() == "human"
    kept = [
        line
        for line in of_run
        if (judge is None or line.judge == judge or (people and line.is_human))
        and (prompt is None or is_prompt(line, prompt))
    ]
    found = Counter(asker(line) for line in (kept or of_run))
    if (len(found) > 1 and not (kept and people)) or (of_run and not kept):
        listed = "; ".join(
            f"judge {who!r}, prompt {asked!r}: {n} lines" for (who, asked), n in found.items()
        )
        why = "is of several judges or prompts" if kept else "has none of that judge and prompt"
        raise UsageError(f"{path} {why}: {listed}; choose with --judge-{side} or --prompt-{side}")
    return kept
