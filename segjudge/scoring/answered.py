"""What a reader must know of the answers used, whether they were asked for now or kept before."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from segjudge.findings import Finding, finding
from segjudge.gamed import looks_steering
from segjudge.judge import By, Decided, Records
from segjudge.judgments import Judgment
from segjudge.prompts import long_labels


def answered(decided: Decided, before: Sequence[Finding] = ()) -> list[Finding]:
    """Return what is worth saying of the judgments that gave the answers.

    It depends on them alone, so that a score and its replay say the same.

    Parameters
    ----------
    decided : Decided
    before : sequence of Finding
        Noticed already; steering labels are not told of twice.
    """
    used = [judgment for judgment in decided.used if not judgment.is_human]
    found = _answered_by(used)
    labels = {label for judgment in used for label in (judgment.label_a, judgment.label_b)}
    steering = sorted(label for label in labels if looks_steering(label))
    codes = {item.code for item in before}
    if steering and "steering_labels" not in codes:
        found.append(
            finding(
                "steering_labels",
                f"{len(steering)} labels look as if they were to steer the judge",
                level="warning",
                count=len(steering),
                places=map(repr, steering),
            )
        )
    prompted = [judgment for judgment in used if judgment.prompt_sha256]
    shown = {label for judgment in prompted for label in (judgment.label_a, judgment.label_b)}
    cut = long_labels(sorted(shown))
    return [*found, cut] if cut else found


def kept_apart(records: Records, decided: Decided, task: str) -> list[Finding]:
    """Return which recorded judgments contradict each other, or are for another task.

    The latter only where pairs are left open that they might have been meant for.
    """
    found = []
    if records.people:
        found.append(
            finding(
                "conflicting_people",
                f"{len(records.people)} verdicts of one person contradict another's; the later "
                "one counts",
                level="warning",
                side="judgments",
                count=len(records.people),
                places=(
                    f"{c.later.label_a!r} / {c.later.label_b!r}: {c.earlier.judge} "
                    f"{c.earlier.verdict_on_pair}, {c.later.judge} {c.later.verdict_on_pair}"
                    for c in records.people
                ),
            )
        )
    others = {name: count for name, count in records.tasks.items() if name != task}
    if others and By.UNKNOWN in decided.by:
        names = ", ".join(sorted(others))
        found.append(
            finding(
                "judgments_of_another_task",
                f"{sum(others.values())} recorded judgments are for another task ({names}) and so "
                "don't count here; --task says which one is scored",
                level="warning",
                side="judgments",
                count=sum(others.values()),
            )
        )
    return found


def _answered_by(used: Sequence[Judgment]) -> list[Finding]:
    """Return who answered by its own account; a warning where that is several under one name."""
    models: dict[str, set[str]] = defaultdict(set)
    for judgment in used:
        said = (judgment.model_extra or {}).get("models_answered")
        models[judgment.judge] |= {str(name) for name in said} if isinstance(said, list) else set()
    every = sorted(set().union(*models.values()))
    if not every:
        return []
    several = sorted(judge for judge, names in models.items() if len(names) > 1)
    text = f"by its own account the model is {', '.join(every)}"
    if not several:
        return [finding("answered_by", text)]
    names = ", ".join(several)
    text = f"{text}: more than one has answered under the name {names}"
    return [finding("answered_by", text, level="warning", places=every)]
