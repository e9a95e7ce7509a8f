"""EgoHome: subtasks, hand captions and hand actions by psj, hand boxes by centroid hits.

The release does not say how figures are pooled, where the bins of length lie, or which generic
labels its floors have; docs/egohome.md says what is chosen here and why.
"""

from __future__ import annotations

from segjudge.protocols.interface import Part, Protocol


def _floors(label: str = "") -> tuple[str, ...]:
    """Return the release's three: a generic label, whole and in windows; the longest label."""
    said = f",label={label}" if label else ""
    return (f"constant{said}", f"windows{said}", "longest", "longest,by=corpus")


EGOHOME = Protocol(
    name="EgoHome",
    parts=(
        Part("subtasks", "subtask", "psj", "permissible-subtask@1", _floors()),
        Part(
            "hand captions",
            "hand-caption",
            "psj",
            "permissible-hand-caption@1",
            _floors("using the hand"),
            ("track",),
        ),
        # Verbs decide hand actions, so there is no prompt.
        Part("hand actions", "hand-action", "psj", "", _floors("hold"), ("track",)),
        Part("hand boxes", "boxes", "chf", "", ("centre", "usual"), ("hand",)),
    ),
    bins="0,0.5,1,2,5,10,inf",
)
