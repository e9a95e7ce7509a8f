"""Replay: recorded judgments, looked up by (task if given, context, pair)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from segjudge.errors import InputError, Problem
from segjudge.judgments import Judgment, Pair, Verdict

_CHOOSE = (
    "choose with --judge or --prompt (its name, or the start of its hash), or allow it with --mix"
)

#: What makes two lines the same judge asking the same thing.
Asker = tuple[str, str]


class Recorded(NamedTuple):
    """A judgment found for a pair: the verdict in the pair's own order, and its record."""

    verdict: Verdict
    judgment: Judgment


class Conflict(NamedTuple):
    """Two lines of one judge, prompt and run on one pair that differ; the later one counts."""

    earlier: Judgment
    later: Judgment


def asker(judgment: Judgment) -> Asker:
    """Return who asked what: the judge and the prompt, by name and text."""
    prompt = judgment.prompt or ""
    if judgment.prompt_sha256:
        prompt = f"{prompt} ({judgment.prompt_sha256[:12]})".strip()
    return judgment.judge, prompt


class Records:
    """Recorded judgments, ready to be looked up. A person's verdict wins over any other.

    Parameters
    ----------
    judgments : iterable of Judgment
        Within one judge, prompt and run a later one wins.

    Attributes
    ----------
    conflicts : list of Conflict
    askers : Counter
        Lines a judge and prompt, people left out.
    people : list of Conflict
        Verdicts of two people on one pair that differ; the later one counts.
    tasks : Counter
        Lines by the task that they name.
    """

    def __init__(self, judgments: Iterable[Judgment] = ()) -> None:
        self._model: dict[tuple[str | None, Pair], Recorded] = {}
        self._human: dict[tuple[str | None, Pair], Recorded] = {}
        self.conflicts: list[Conflict] = []
        self.askers: Counter[Asker] = Counter()
        self.people: list[Conflict] = []
        self.tasks: Counter[str] = Counter()
        self.contexts = 0
        latest: dict[tuple[Asker, int, str | None, Pair], Recorded] = {}
        for judgment in judgments:
            pair, found = judgment.pair, Recorded(judgment.verdict_on_pair, judgment)
            key = (judgment.task, pair)
            own = (asker(judgment), judgment.run, *key)
            earlier = latest.get(own)
            if earlier is not None and earlier.verdict != found.verdict:
                self.conflicts.append(Conflict(earlier.judgment, judgment))
            latest[own] = found
            self.contexts += bool(pair.context)
            if judgment.task is not None:
                self.tasks[judgment.task] += 1
            if judgment.is_human:
                other = self._human.get(key)
                if other and (
                    other.judgment.judge != judgment.judge and other.verdict != found.verdict
                ):
                    self.people.append(Conflict(other.judgment, judgment))
                self._human[key] = found
            else:
                self._model[key] = found
                self.askers[asker(judgment)] += 1

    def without_people(self) -> Records:
        """Return the same records but for those that people made."""
        others = Records()
        others._model = self._model
        return others

    def human(self, pair: Pair, task: str) -> Recorded | None:
        """Return a person's judgment on the pair, if there is one."""
        return self._human.get((task, pair)) or self._human.get((None, pair))

    def model(self, pair: Pair, task: str) -> Recorded | None:
        """Return any other judge's judgment on the pair, if there is one."""
        return self._model.get((task, pair)) or self._model.get((None, pair))


def select(
    judgments: Iterable[Judgment],
    judge: str | None = None,
    prompt: str | None = None,
    mix: bool = False,
    run: int = 1,
) -> list[Judgment]:
    """Choose the lines of one judge, prompt and run; people's may always accompany.

    Parameters
    ----------
    judgments : iterable of Judgment
    judge, prompt : str, optional
        Keep the lines of this judge; of this prompt (name, or the start of its SHA-256, or both
        as a refusal lists them). A
        person may be named as the judge: then no other judge's lines are kept.
    mix : bool
        Allow lines of several judges or prompts; a later line wins.
    run : int
        Which run, where a judge was asked the same thing repeatedly.

    Raises
    ------
    InputError
        Lines of more than one judge or prompt are left, or none of the judge or prompt named.
    """
    lines = list(judgments)
    asked_for = [
        (judge is None or line.judge == judge)
        and (prompt is None or is_prompt(line, prompt))
        and line.run == run
        for line in lines
    ]
    kept = [line for line, wanted in zip(lines, asked_for, strict=True) if wanted or line.is_human]
    found = Counter(asker(line) for line in kept if not line.is_human)
    if len(found) > 1 and not mix:
        raise InputError(
            [
                Problem("", "", "", "", "the judgments are of more than one judge or prompt:"),
                *(Problem("", "", "", "", f"  {_described(who, n)}") for who, n in found.items()),
                Problem("", "", "", "", _CHOOSE),
            ]
        )
    others = Counter(asker(line) for line in lines if not line.is_human)
    a_person = any(line.is_human and line.judge == judge for line in lines)
    if others and not found and not a_person:
        raise InputError(
            [
                Problem("", "", "", "", f"no judgment is of {_wanted(judge, prompt, run)}; found:"),
                *(
                    Problem("", "", "", "", f"  {_described(who, n)}, {_runs_of(lines, who)}")
                    for who, n in others.items()
                ),
            ]
        )
    return kept


def is_prompt(line: Judgment, prompt: str) -> bool:
    """Whether the line was asked with the prompt: by name, hash, or both as `asker` says it."""
    name, sha = line.prompt or "", line.prompt_sha256 or ""
    named = prompt in (name, name.partition("@")[0], asker(line)[1])
    return named or (len(prompt) >= 6 and sha.startswith(prompt))


def _wanted(judge: str | None, prompt: str | None, run: int) -> str:
    """Name what was asked for."""
    parts = [f"judge {judge!r}"] if judge else []
    parts += [f"prompt {prompt!r}"] if prompt else []
    return ", ".join([*parts, f"run {run}"])


def _runs_of(lines: Iterable[Judgment], who: Asker) -> str:
    runs = sorted({line.run for line in lines if asker(line) == who})
    return f"{'runs' if len(runs) > 1 else 'run'} {', '.join(map(str, runs))}"


def _described(who: Asker, lines: int) -> str:
    judge, prompt = who
    return f"judge {judge!r}, prompt {prompt!r}: {lines} lines"
