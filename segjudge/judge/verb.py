"""The verb judge: two labels are the same when both mean the same verb. It asks nobody.

It decides alone: equal labels that mean no verb are different, and there are no steps of a verb.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from segjudge.errors import InputError, Problem
from segjudge.judge.base import Question
from segjudge.judge.chain import By, Decided, LabelPairs
from segjudge.judgments import Verdict, normalise, pair_of
from segjudge.verbs import EGO4D, Taxonomy, built_in, from_csv

#: The task whose pairs this judge decides unless told otherwise.
TASK = "hand-action"


def judge_id(taxonomy: Taxonomy) -> str:
    """Return the judge's name in reports: ``ego4d-verb@118``, or ``verb@FILE``."""
    family, _, number = taxonomy.name.partition("-")
    return f"{family}-verb@{number}" if taxonomy.name in EGO4D else f"verb@{taxonomy.name}"


def load(name_or_path: str) -> Taxonomy:
    """Return a taxonomy: ``ego4d-118``, ``-117``, ``-115``, or a CSV in Ego4D's shape.

    Raises
    ------
    UsageError
        There is no such list and no such file.
    InputError
        The file is no taxonomy; every row at fault is named.
    """
    path = Path(name_or_path)
    if name_or_path in EGO4D or not path.exists():
        return built_in(name_or_path)
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "the text is no UTF-8"
        raise InputError(Problem(name_or_path, "", "", "", f"can't be read: {reason}")) from None
    return from_csv(text, name_or_path, path.name)


def decide_by_verb(
    pairs: LabelPairs,
    labels: Sequence[str],
    contexts: Sequence[str],
    task: str,
    taxonomy: Taxonomy,
) -> Decided:
    """Decide pairs by verb; none is left unknown.

    Parameters
    ----------
    pairs : LabelPairs
        Distinct pairs.
    labels, contexts : sequence of str
        What the indices stand for.
    task : str
    taxonomy : Taxonomy
    """
    used = np.unique(np.concatenate((pairs.a, pairs.b))).tolist()
    verb = {i: taxonomy.resolve(labels[i]).verb for i in used}
    rows = list(zip(pairs.a.tolist(), pairs.b.tolist(), pairs.context.tolist(), strict=True))
    verdicts: list[Verdict | None] = [
        Verdict.SAME if verb[a] == verb[b] >= 0 else Verdict.DIFFERENT for a, b, _ in rows
    ]
    questions = [_question(labels[a], labels[b], contexts[c], task) for a, b, c in rows]
    n = len(rows)
    return Decided(
        pairs, labels, contexts, [By.VERB] * n, verdicts, [None] * n, questions, judge_id(taxonomy)
    )


def _question(label_a: str, label_b: str, context: str, task: str) -> Question:
    pair, turned = pair_of(label_a, label_b, normalise(context))
    first, second = (label_b, label_a) if turned else (label_a, label_b)
    return Question(pair, task, first, second)
