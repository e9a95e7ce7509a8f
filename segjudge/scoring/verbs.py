"""Which verbs a task is judged by, if by verbs at all."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from segjudge.errors import UsageError
from segjudge.judge.verb import TASK, load
from segjudge.report import Input
from segjudge.verbs import DEFAULT, EGO4D, Taxonomy, built_in

#: Name of a list, a CSV, a taxonomy in memory, or "none" for the chain that other tasks have.
Verbs = str | os.PathLike[str] | Taxonomy

NONE = "none"


def verbs_for(task: str, verbs: Verbs | None) -> tuple[Taxonomy | None, list[Input]]:
    """Return the verbs that decide a task's pairs, and the file they came from.

    Parameters
    ----------
    task : str
        Hand actions are judged by verb unless `verbs` is ``none``, other tasks never.
    verbs : str, path, Taxonomy or None
        None means the 118 verbs of Ego4D's narrations.

    Raises
    ------
    UsageError
        Verbs are given for another task; there is no such list or file.
    InputError
        The file is no taxonomy.
    """
    if task != TASK:
        if verbs not in (None, NONE):
            raise UsageError(f"verbs decide {TASK}s only, and the task is {task}")
        return None, []
    if verbs == NONE:
        return None, []
    if isinstance(verbs, Taxonomy):
        return verbs, []
    name = os.fspath(verbs or DEFAULT)
    if name in EGO4D:
        return built_in(name), []
    taxonomy = load(name)
    digest = hashlib.sha256(Path(name).read_bytes()).hexdigest()
    return taxonomy, [Input(role="verbs", file=taxonomy.name, sha256=digest, format="csv")]
