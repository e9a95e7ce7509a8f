"""What clients send, checked: the options of the command line that name nothing on the server."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    field_validator,
    model_validator,
)

from segjudge.prompts import names
from segjudge.verbs import EGO4D

Short = Annotated[str, StringConstraints(max_length=300)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=100, pattern=r"^[^\x00-\x1f]+$")]
Task = Literal["subtask", "hand-caption", "hand-action"]
Label = Annotated[str, StringConstraints(max_length=20_000)]
Count = Annotated[int, Field(ge=1, le=1_000_000)]

#: Parameters of a model that a client may set; none of them can name an address or a key.
PARAMS = (
    *("frequency_penalty", "presence_penalty", "reasoning_effort", "seed", "temperature"),
    *("top_k", "top_p"),
)

EXAMPLE_REFERENCE: list[Any] = [
    {"id": "a", "segments": [{"start": 0, "end": 4, "label": "open the fridge"}]},
]
EXAMPLE_PREDICTION: list[Any] = [
    {"id": "a", "segments": [{"start": 0, "end": 4, "label": "opening a refrigerator"}]},
]


#: Why nobody is asked, and no person says, whether two hand actions are the same.
BY_VERB = "hand actions are decided by their verbs: score them in a run with the task hand-action"


class Strict(BaseModel):
    """A request: what it doesn't know it refuses."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class Reading(Strict):
    """What a file does not say of itself."""

    format: Short | None = None
    unit: Literal["s", "ms", "us", "frames"] | None = None
    fps: float | None = Field(default=None, gt=0, le=1_000_000)
    columns: dict[Short, Short] | None = None


class AskingOptions(Strict):
    """Whom to ask and how."""

    model: Short | None = Field(
        default=None, description="one of the models that the service offers; else none is asked"
    )
    prompt: Short | None = Field(
        default=None, description="a prompt's name; also which recorded judgments count"
    )
    params: dict[str, float | str | None] | None = Field(
        default=None, description=f"of the model, over temperature 0: {', '.join(PARAMS)}"
    )
    votes: int = Field(default=1, ge=1, le=99)
    orders: Literal[1, 2] = 1
    pairs_per_call: int = Field(default=1, ge=1, le=10)
    seed: int = Field(default=0, ge=0, le=2**31)
    run: Count = 1
    retry_undecided: bool = False
    budget_usd: float | None = Field(default=None, ge=0, le=1e9)
    limit: Count | None = None

    @field_validator("params")
    @classmethod
    def _known_params(cls, value: dict[str, Any] | None) -> dict[str, Any] | None:
        unknown = sorted(set(value or {}) - set(PARAMS))
        if unknown:
            raise ValueError(f"unknown: {', '.join(unknown)}; there are {', '.join(PARAMS)}")
        return value

    @field_validator("prompt")
    @classmethod
    def _no_path(cls, value: str | None) -> str | None:
        if value is not None and ("/" in value or "\\" in value or value.startswith(".")):
            raise ValueError(f"a prompt's name; there are {', '.join(names())}")
        return value

    @model_validator(mode="after")
    def _prompt_to_ask_with(self) -> Self:
        known = {name for each in names() for name in (each, each.partition("@")[0])}
        if self.model is not None and self.prompt is not None and self.prompt not in known:
            raise ValueError(f"prompt: there are {', '.join(names())}")
        return self

    def asks(self) -> dict[str, Any]:
        """Return the options of asking that differ from their defaults."""
        found = {
            name: value
            for name, value in self.model_dump(include=set(AskingOptions.model_fields)).items()
            if value != AskingOptions.model_fields[name].default
        }
        if self.params is not None:
            given = {"temperature": 0, **self.params}
            found["params"] = {name: value for name, value in given.items() if value is not None}
        return found

    def judging(self) -> dict[str, Any]:
        """Return the options of `ChatJudge` that differ from their defaults."""
        return {
            name: value for name, value in self.asks().items() if name not in ("model", "prompt")
        }


class RunOptions(AskingOptions):
    """How to score, as on the command line."""

    task: Task = "subtask"
    metrics: list[Short] = Field(default=[], max_length=30)
    by: list[Short] = Field(default=[], max_length=10, description="fields to group by")
    judge: Short | None = Field(default=None, description="which recorded judgments count")
    mix: bool = Field(default=False, description="allow judgments of several judges or prompts")
    use_store: bool = Field(
        default=False, description="without a model: replay the judgments that the service keeps"
    )
    identity: bool = True
    verbs: Short | None = Field(default=None, json_schema_extra={"enum": [None, "none", *EGO4D]})
    context: Short = "none"
    resolution: Literal["us", "ms"] = "us"
    reading: Reading | None = None
    prediction_reading: Reading | None = None
    episodes: Short | list[Short] | None = Field(
        default=None, description="a regular expression for the whole id, or ids"
    )
    id_map: dict[Short, Short] | None = None
    offset: float | dict[Short, float] = 0.0
    clip: Literal["none", "duration"] = "none"
    ignore_label: Short | None = None
    leave_out_failed: bool = False

    @field_validator("verbs")
    @classmethod
    def _known_verbs(cls, value: str | None) -> str | None:
        if value not in (None, "none", *EGO4D):
            raise ValueError(f"there are none, {', '.join(EGO4D)}")
        return value

    def has_patterns(self) -> bool:
        """Whether reading the files takes a regular expression of the client's."""
        return self.ignore_label is not None or isinstance(self.episodes, str)

    def scores(self) -> dict[str, Any]:
        """Return the options of `segjudge.score` that differ from their defaults."""
        own = set(RunOptions.model_fields) - set(AskingOptions.model_fields) - {"by", "use_store"}
        found = {
            name: value
            for name, value in self.model_dump(include=own, exclude_none=True).items()
            if value != RunOptions.model_fields[name].default
        }
        return {**found, **self.asks()}


class RunRequest(Strict):
    """A run as one JSON document."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "reference": EXAMPLE_REFERENCE,
                    "prediction": EXAMPLE_PREDICTION,
                    "judgments": [
                        {
                            "label_a": "open the fridge",
                            "label_b": "opening a refrigerator",
                            "verdict": "same",
                            "judge": "human:anna",
                        }
                    ],
                    "options": {"metrics": ["psj"]},
                }
            ]
        }
    )

    reference: Any = Field(description="annotations in any shape that is read; a string is a file")
    prediction: Any = Field(description="likewise")
    judgments: list[dict[str, Any]] | None = Field(default=None, description="recorded ones")
    options: RunOptions = RunOptions()


class AskedPair(Strict):
    """Two labels to decide."""

    label_a: Label
    label_b: Label
    context: Label = ""


def _not_by_verb(task: str | None) -> str | None:
    if task == "hand-action":
        raise ValueError(BY_VERB)
    return task


class JudgeRequest(AskingOptions):
    """Label pairs to decide straight away."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"pairs": [{"label_a": "wash the cup", "label_b": "do the dishes"}]}]
        }
    )

    pairs: list[AskedPair] = Field(min_length=1, max_length=200)
    task: Task = "subtask"
    identity: bool = True

    _not_by_verb = field_validator("task")(_not_by_verb)


class PersonsVerdict(Strict):
    """What a person says of two labels."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "label_a": "wash the cup",
                    "label_b": "do the dishes",
                    "verdict": "a_in_b",
                    "name": "anna",
                }
            ]
        }
    )

    label_a: Label
    label_b: Label
    verdict: Literal["same", "a_in_b", "b_in_a", "part", "different"]
    name: Name = Field(description="who says so; the judge is then human:NAME")
    task: Short | None = Field(default=None, description="absent: whatever the task")
    context: Label = ""
    rationale: Label | None = None

    _not_by_verb = field_validator("task")(_not_by_verb)


class AuditRequest(Strict):
    """A blind audit of a run's judge."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "anna", "size": 20}]})

    name: Name = Field(description="who judges")
    size: int = Field(default=40, ge=1, le=2_000, description="label pairs")
    random_share: float = Field(
        default=0.5, ge=0, le=1, description="of them drawn at random; the others weigh most"
    )
    seed: int = Field(default=0, ge=0, le=2**31)


class AuditVerdict(Strict):
    """A person's verdict on two labels as they were shown."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"verdict": "same"}]})

    verdict: Literal["same", "left_in_right", "right_in_left", "different"]
