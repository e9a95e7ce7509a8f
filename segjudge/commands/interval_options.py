"""Options of the commands that give intervals, written down once."""

from __future__ import annotations

from typing import Annotated, Any, cast

import typer

from segjudge.scoring import IntervalOptions


def interval_options(
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="FIELD",
            help="Field of the reference's episodes; those of one value are drawn together. "
            "[default: each episode by itself]",
        ),
    ] = None,
    level: Annotated[
        float | None, typer.Option(metavar="SHARE", help="Nominal coverage.  [default: 0.95]")
    ] = None,
    ci_method: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="percentile, bc or bca.  [default: percentile]"),
    ] = None,
    resamples: Annotated[
        int | None, typer.Option(metavar="N", help="Number of resamples.  [default: 10000]")
    ] = None,
    ci_seed: Annotated[
        int | None, typer.Option(metavar="N", help="Seed of the resamples.  [default: 0]")
    ] = None,
    stages: Annotated[
        int | None,
        typer.Option(
            metavar="1|2", help="2 also redraws the episodes of each cluster.  [default: 1]"
        ),
    ] = None,
    stream: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="pcg64, or study: the timing study's draws.  [default: pcg64]"
        ),
    ] = None,
) -> IntervalOptions:
    """Turn what was typed into keyword options; what is absent is left out."""
    given: dict[str, Any] = {
        "cluster": cluster,
        "level": level,
        "ci_method": ci_method,
        "resamples": resamples,
        "ci_seed": ci_seed,
        "stages": stages,
        "stream": stream,
    }
    return cast(
        IntervalOptions, {name: value for name, value in given.items() if value is not None}
    )
