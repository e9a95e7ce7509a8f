"""Building the page: template, style, scripts and data put into one file.

The parts are files of their own, without a build step: the HTTP service serves the same ones.
"""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from typing import Any

from segjudge.errors import UsageError
from segjudge.report.detail import Detail
from segjudge.report.floors import FloorsReport
from segjudge.report.gaming import GameReport
from segjudge.report.model import Report
from segjudge.report.page.data import embedded, page_data

#: In this order: a file may use what stands before it.
STYLES = ("vendor/uPlot.min.css", "static/base.css", "static/report.css", "static/timeline.css")
SCRIPTS = (
    "vendor/uPlot.iife.min.js",
    "static/dom.js",
    "static/data.js",
    "static/summary.js",
    "static/plots.js",
    "static/curves.js",
    "static/charts.js",
    "static/counterparts.js",
    "static/axis.js",
    "static/timeline.js",
    "static/episodes.js",
    "static/weighed.js",
    "static/main.js",
)


def asset(name: str) -> str:
    """Return the text of a file of the page, such as ``static/base.css``."""
    return files(__package__).joinpath(*name.split("/")).read_text("utf-8")


def styles() -> list[str]:
    """Return the page's style sheets, in order."""
    return [asset(name).strip() for name in STYLES]


def scripts() -> list[str]:
    """Return the page's scripts, in order."""
    return [asset(name).strip() for name in SCRIPTS]


def page(
    report: Report,
    detail: Detail,
    *,
    floors: FloorsReport | None = None,
    game: GameReport | None = None,
    title: str = "",
) -> str:
    """Return the page as one file of HTML that opens from disk and asks for nothing.

    Parameters
    ----------
    report : Report
    detail : Detail
        Of the same case.
    floors, game : FloorsReport, GameReport, optional
        What trivial answers score against the same reference, and what attacks on the same
        prediction do.
    title : str
        Shown at the top; the names of the files if not given.

    Raises
    ------
    UsageError
        Jinja2 is not installed, or floors or attacks are of other files.
    """
    _same_files("floors", report, floors, ("reference",))
    _same_files("attacks", report, game, ("reference", "prediction"))
    try:
        from jinja2 import Environment, StrictUndefined
    except ImportError as error:
        raise UsageError(
            "the page needs Jinja2: install it with `pip install 'segjudge[report]'`"
        ) from error
    sheets, codes = styles(), scripts()
    # Scripts and styles of the package only: their text is fixed, and none may close its tag.
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True
    )
    return environment.from_string(asset("page.html.jinja")).render(
        title=title or _title(report),
        version=report.version,
        policy=policy(sheets, codes),
        styles=sheets,
        scripts=codes,
        data=embedded(page_data(report, detail, floors, game)),
    )


def _same_files(
    what: str, report: Report, other: FloorsReport | GameReport | None, roles: tuple[str, ...]
) -> None:
    """Refuse what was computed on other files than the report."""
    if other is None:
        return
    for role in roles:
        own, theirs = (
            {item.sha256 for item in one.inputs if item.role == role} for one in (report, other)
        )
        if own != theirs:
            raise UsageError(f"these {what} are of another {role} than the report")


def policy(sheets: list[str], codes: list[str]) -> str:
    """Return a Content-Security-Policy that allows these very texts and nothing from outside."""
    return "; ".join(
        (
            "default-src 'none'",
            "script-src " + " ".join(map(_hash, codes)),
            "style-src " + " ".join(map(_hash, sheets)),
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        )
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _title(report: Report) -> str:
    names: dict[str, Any] = {item.role: item.file for item in report.inputs}
    if "prediction" not in names or "reference" not in names:
        return "segjudge report"
    return f"{names['prediction']} against {names['reference']}"
