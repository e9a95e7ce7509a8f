"""The report: what was scored, by whom it was judged, and the figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from segjudge.findings import Finding
from segjudge.report.columns import EpisodeResults, Figure

if TYPE_CHECKING:
    import pandas

#: Name and version of the report's JSON.
SCHEMA: Literal["segjudge.report/1"] = "segjudge.report/1"

#: A metric's figures: value, low, high, components, precision, recall, ...
Figures = dict[str, Figure]


class PairCounts(BaseModel):
    """How many of the distinct label pairs needed were decided by whom."""

    needed: int = 0
    rule: int = Field(default=0, description="a label is empty, so it matches nothing")
    verb: int = Field(default=0, description="by verb of a closed vocabulary")
    identity: int = 0
    human: int = 0
    recorded: int = 0
    model: int = 0
    unknown: int = 0


class JudgeInfo(BaseModel):
    """Who judged, with which prompt."""

    id: str | None = None
    people: list[str] = Field(default=[], description="whose verdicts were used, human:NAME")
    prompt: str | None = None
    pairs: PairCounts = PairCounts()


class Input(BaseModel):
    """A file that went in."""

    role: str
    file: str
    sha256: str
    format: str


class Run(BaseModel):
    """What differs from run to run; all else is a function of the files and options."""

    created: str
    asked: int = 0
    cached: int = 0
    failed: int = 0
    tokens: int | None = None
    cost_usd: float | None = None


class Report(BaseModel):
    """Everything a score consists of. Same files, same judgments: the same but for `run`.

    Attributes
    ----------
    metrics : dict of str to dict
        Metric -> value, low, high, components, precision, recall, mean_over_episodes, episodes.
        A value that does not exist is None, and ``reason`` says why.
    by_episode : EpisodeResults
        Episode id -> metric -> value, low, high, components.
    by_group : dict
        Field -> group -> as `metrics`.
    by_length : dict
        Metric -> ``reference`` (recall) and ``prediction`` (precision) -> bins of length.
    without_human : dict
        As `metrics`, had no person decided a pair; empty where none did.
    judge : JudgeInfo
    inputs : list of Input
    findings : list of Finding
        What was noticed about the input, and what a reader must know.
    options : dict
        Every option that has a bearing on the figures.
    version : str
        Of segjudge.
    run : Run
    """

    model_config = ConfigDict(populate_by_name=True, arbitrary_types_allowed=True)

    schema_: Literal["segjudge.report/1"] = Field(default=SCHEMA, alias="schema")
    metrics: dict[str, Figures]
    by_group: dict[str, dict[str, dict[str, Figures]]] = {}
    by_length: dict[str, dict[str, list[Figures]]] = {}
    without_human: dict[str, Figures] = {}
    judge: JudgeInfo = JudgeInfo()
    inputs: list[Input] = []
    findings: list[Finding] = []
    options: dict[str, Any] = {}
    version: str
    run: Run
    by_episode: EpisodeResults

    def to_json(self) -> str:
        """Return the report as JSON, indented, with a final line feed."""
        return self.model_dump_json(by_alias=True, indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str | bytes) -> Report:
        """Read a report back."""
        return cls.model_validate_json(text)

    def to_pandas(self) -> pandas.DataFrame:
        """Return the results by episode: a row an episode and metric, a column a figure."""
        import pandas

        frames = [
            pandas.DataFrame({"episode": self.by_episode.ids, "metric": metric, **figures})
            for metric, figures in self.by_episode.columns.items()
        ]
        return pandas.concat(frames, ignore_index=True) if frames else pandas.DataFrame()

    def _repr_html_(self) -> str:
        """Return a small table for notebooks."""
        from segjudge.report.exports import html_text

        return html_text(self)

    def without_value(self) -> list[str]:
        """Return the metrics that have no value because answers are unknown."""
        return [name for name, figures in self.metrics.items() if figures.get("undecided_pairs")]
