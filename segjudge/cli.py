"""The command line. The only place where an error becomes an exit status."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
from typing import TextIO

import typer

from segjudge.commands import (
    annotators,
    audit,
    baselines,
    compare,
    egohome,
    files,
    game,
    judging,
    judgments,
    scores,
    serve,
    stats,
)
from segjudge.commands.strict import make_strict
from segjudge.errors import InputError, SegjudgeError, StoppedEarly
from segjudge.report.tables import visible
from segjudge.version import version

USAGE, STOPPED, INTERRUPTED = 2, 4, 130

#: What a full disk or a broken terminal says when something is printed.
_OUTPUT_FAULTS = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF}

app = typer.Typer(
    help="Score free-form annotations of video in time, with a judge of label pairs.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
)
app.command()(scores.score)
app.command()(scores.plan)
app.command()(judging.judge)
app.command()(audit.audit)
app.command()(compare.compare)
app.command()(baselines.baselines)
app.command()(game.game)
app.command()(egohome.egohome)
app.command()(egohome.boxes)
app.command()(annotators.annotators)
app.command()(annotators.feedback)
app.command()(serve.serve)
app.command()(files.validate)
app.command()(files.convert)
app.command()(stats.stats)
app.command("formats")(files.list_formats)
app.command("metrics")(files.list_metrics)
app.command()(judging.agreement)
app.add_typer(judgments.app, name="judgments")
app.add_typer(judging.prompt_app, name="prompt")
make_strict(app)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"segjudge {version()}")
        raise typer.Exit


@app.callback()
def _options(
    show_version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version."
    ),
) -> None:
    """Options of the program itself."""


def main() -> None:
    """Run the command line and exit."""
    _mend_streams()
    try:
        _run()
    except StoppedEarly as error:
        _fail("\n".join(map(visible, str(error).split("\n"))), STOPPED)
    except InputError as error:
        _fail("\n".join(visible(f"error: {problem}") for problem in error.problems), USAGE)
    except SegjudgeError as error:
        _fail(visible(f"error: {error}"), USAGE)
    except KeyboardInterrupt:
        _fail("interrupted", INTERRUPTED)
    except OSError as error:
        if error.errno not in _OUTPUT_FAULTS or error.filename is not None:
            raise
        _hush(sys.stdout)
        _fail(f"error: can't write the output: {error.strerror}", USAGE)
    except SystemExit as ended:
        # Typer calls it a fault when the reader has gone, as with `| head`. It is none.
        if isinstance(ended.__context__, BrokenPipeError):
            sys.exit(0)
        raise


def _run() -> None:
    """Run the command, and make sure that what it printed has gone out."""
    try:
        app(standalone_mode=True)
    finally:
        try:
            sys.stdout.flush()
        except BrokenPipeError:
            _hush(sys.stdout)


def _mend_streams() -> None:
    """Let closed standard streams lead nowhere, and spell out what a terminal has no sign for."""
    # A closed one is opened first, so that no file gets its number.
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _fail(message: str, status: int) -> None:
    try:
        print(message, file=sys.stderr, flush=True)
    except OSError:
        # Nobody can read it; the status still says it.
        _hush(sys.stderr)
    sys.exit(status)


def _hush(stream: TextIO) -> None:
    """Let a stream that can't be written to lead nowhere, so that the end of the run is quiet."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
