"""``segjudge game``."""

from __future__ import annotations

from typing import Annotated, cast

import typer

from segjudge.commands.ask_options import ask_options
from segjudge.commands.baselines import show_plan
from segjudge.commands.judging import ask_for
from segjudge.commands.options import Prediction, Reference, case_options, takes
from segjudge.commands.scores import NO_VALUE, Missing, goes_to_stdout, missing_text, no_value
from segjudge.report.gaming import game_table
from segjudge.report.tables import show
from segjudge.scoring import AskOptions, CaseOptions
from segjudge.scoring.gaming import attacked, game_report
from segjudge.scoring.gaming import game as build_game
from segjudge.writing import write_text


@takes(ask_options, "asking")
@takes(case_options, "options")
def game(
    *,
    reference: Reference,
    prediction: Prediction,
    options: CaseOptions,
    asking: AskOptions,
    attack: Annotated[
        list[str],
        typer.Option(
            metavar="NAME[,OPTION=VALUE]",
            help="What to do to the prediction, such as shift,seconds=0.5 or cut,k=3; may be "
            "repeated. Names: cut, merge, duplicate, stack, shift, jitter, round, floor, drop, "
            "stretch, umbrella, hedged, stuffed, injected. All of them if not given.",
        ),
    ] = [],  # noqa: B006 - typer reads the default, nothing changes it
    plan: Annotated[
        bool, typer.Option("--plan", help="Count the label pairs needed, and score nothing.")
    ] = False,
    json_file: Annotated[
        str | None, typer.Option("--json", metavar="FILE", help="Write the report; - prints it.")
    ] = None,
    missing_file: Missing = None,
    allow_bounds: Annotated[
        bool,
        typer.Option("--allow-bounds", help="Exit 0 also where a metric has bounds and no value."),
    ] = False,
) -> None:
    """Do to a prediction what earns nothing honestly, and see what each metric does.

    Labels that change are judged like any. Without --model nothing is asked and no network is
    touched. Exit status 3: a metric has no value because label pairs are undecided; 4: the model
    could not be asked to the end. The report is written all the same.
    """
    silent = goes_to_stdout(("--json", json_file), ("--missing", missing_file))
    both = cast(AskOptions, {**options, **asking})
    built = build_game(reference, prediction, attacks=attack, **both)
    stopped = None if plan else ask_for(built.case, both)
    attacked(built)
    assert built.under_attack is not None
    if plan:
        show_plan(built.under_attack, both, json_file, missing_file, silent)
        return
    stopped = stopped or ask_for(built.case, both)
    result = game_report(built)
    if json_file:
        write_text(json_file, result.to_json())
    if missing_file:
        write_text(missing_file, missing_text(built.case, missing_file))
    if not silent:
        show(game_table(result))
    if stopped:
        raise stopped
    lacking = result.without_value()
    if lacking and not allow_bounds:
        typer.echo(no_value(lacking, built.case), err=True)
        raise typer.Exit(NO_VALUE)
