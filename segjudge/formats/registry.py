"""Which formats there are: all come through the entry points ``segjudge.formats``, ours too."""

from __future__ import annotations

import difflib
from functools import cache
from importlib.metadata import entry_points

from segjudge.errors import InputError, Problem, UsageError
from segjudge.formats.containers import json_view, table_view, with_head
from segjudge.formats.interface import Format, Options, View
from segjudge.formats.jsontext import THOUGHT_TAGS
from segjudge.formats.source import Raw, check_kind, first_bytes

GROUP = "segjudge.formats"

#: How a text that holds JSON begins, a model's thoughts included.
_SPOKEN = (b"{", b"[", b"```", *(f"<{tag}>".encode() for tag in THOUGHT_TAGS))


@cache
def formats() -> tuple[Format, ...]:
    """Return all formats in the order of recognition.

    Raises
    ------
    UsageError
        An entry point can't be loaded, two formats have one name, or there is none at all.
    """
    found: dict[str, Format] = {}
    for point in entry_points(group=GROUP):
        try:
            loaded = point.load()
        except (ImportError, AttributeError) as error:
            raise UsageError(f"the format {point.value!r} can't be loaded: {error}") from error
        if not isinstance(loaded, Format):
            raise UsageError(f"{point.value!r} is no segjudge.formats.Format")
        if found.get(loaded.name, loaded) is not loaded:
            raise UsageError(f"two formats are called {loaded.name!r}; one is {point.value!r}")
        found[loaded.name] = loaded
    if not found:
        raise UsageError("no format is registered; install the package: pip install segjudge")
    return tuple(sorted(found.values(), key=lambda format: (format.rank, format.name)))


def named(name: str) -> Format:
    """Return the format of that name.

    Raises
    ------
    UsageError
        There is none.
    """
    known = {format.name: format for format in formats()}
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise UsageError(f"no format is called {name!r}{hint} (there are {', '.join(known)})")
    return known[name]


def names() -> tuple[str, ...]:
    """Return the names of all formats, in the order in which they are tried."""
    return tuple(format.name for format in formats())


def describe() -> dict[str, str]:
    """Return one line about each format, by name, for help pages."""
    return {
        format.name: format.description + (" (can be written)" if format.write else "")
        for format in formats()
    }


def views(raw: Raw, options: Options, keep: frozenset[str] = frozenset()) -> list[View]:
    """Return the ways to look at a file, the likeliest first.

    Parameters
    ----------
    raw : Raw
    options : Options
    keep : frozenset of str
        Large columns of a parquet file that are wanted all the same.

    Raises
    ------
    InputError
        The file is neither text nor parquet, or is broken JSON.
    """
    start = first_bytes(raw)
    if check_kind(raw, start) == "parquet":
        from segjudge.formats.parquet import parquet_view

        return [with_head(parquet_view(raw, keep))]
    if start.removeprefix(b"\xef\xbb\xbf").lstrip().lower().startswith(_SPOKEN):
        view = json_view(raw, options)
        return [with_head(view)] if view else []
    table = table_view(raw, raw.file)
    return [with_head(table)] if table else []


def choose(
    raw: Raw, options: Options, name: str | None, keep: frozenset[str] = frozenset()
) -> tuple[Format, View]:
    """Return the format of a file, recognised or forced, and the view that it reads.

    Raises
    ------
    InputError
        No format recognises the file.
    UsageError
        `name` is no format.
    """
    forced = named(name) if name is not None else None
    candidates = views(raw, options, keep)
    order = (forced,) if forced else formats()
    for view in candidates:
        for format in order:
            if format.recognises(view, options):
                return format, view
    if not candidates or candidates[0].kind == "table":
        # A text that is no table that we know may still hold the JSON of a talkative model.
        spoken = json_view(raw, options)
        if spoken is not None:
            candidates.insert(0, with_head(spoken))
            for format in order:
                if format.recognises(candidates[0], options):
                    return format, candidates[0]
    if forced and candidates:
        return forced, candidates[0]
    raise _unrecognised(raw, candidates)


def _unrecognised(raw: Raw, candidates: list[View]) -> InputError:
    """Say what was seen, and what would have been known."""
    known = ", ".join(format.name for format in formats())
    what = candidates[0].seen() if candidates else "text that is neither JSON nor a table"
    noted = [problem for view in candidates for problem in view.problems]
    expected = (
        f"expected a known format, but this is {what}; name one with --format ({known}), "
        "or the columns with --columns start=...,end=...,label=...,episode=..."
    )
    return InputError([*noted, Problem(raw.file, "", "", "", expected)])
