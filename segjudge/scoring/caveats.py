"""What a reader of a comparison must know: findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from segjudge.findings import Finding, counted, finding
from segjudge.judge.replay import asker
from segjudge.report.comparison import Difference, Form
from segjudge.scoring.contest import Contest
from segjudge.scoring.uncertainty import FEW_CLUSTERS
from segjudge.statistics import sign_test


def caveats(built: Contest, form: Form) -> list[Finding]:
    """Return what a reader must know of the differences on all episodes."""
    return [
        *_nothing_shared(built),
        *_judged_apart(built),
        *_within_noise(form.differences),
        *built.sure.findings(),
        *_too_few(form, built),
    ]


def _nothing_shared(built: Contest) -> list[Finding]:
    """Warn that no episode is in every system."""
    common = [all(own) for own in zip(*built.has.values(), strict=True)]
    if any(common) or not common:
        return []
    text = "no episode is in every system, so there is no comparison on common episodes"
    return [finding("nothing_common", text, level="warning")]


def _judged_apart(built: Contest) -> list[Finding]:
    """Warn where the pairs of the systems were decided by different judges or prompts."""
    record = built.case.decided.record
    judges: dict[str, Counter[str]] = {}
    for name in built.has:
        own = (record[row] for row in built.pairs_of(name))
        askers = Counter(" with ".join(filter(None, asker(r))) for r in own if r is not None)
        if askers:
            judges[name] = askers
    if len({frozenset(own) for own in judges.values()}) < 2:
        return []
    places = [
        f"{name}: " + ", ".join(f"{counted(n, 'pair')} by {who}" for who, n in sorted(own.items()))
        for name, own in judges.items()
    ]
    return [
        finding(
            "judged_apart",
            "the systems' label pairs were not decided by the same judges and prompts, so a "
            "difference may be the judges'",
            level="warning",
            side="judgments",
            count=len(places),
            places=places,
        )
    ]


def _within_noise(differences: Sequence[Difference]) -> list[Finding]:
    """Warn where judging again moves the figures as much as the systems differ."""
    places = [
        f"{each.metric}, {each.a} - {each.b}: {each.value:+.4f}, judge noise {each.judge_noise:.4f}"
        for each in differences
        if each.within_noise
    ]
    if not places:
        return []
    return [
        finding(
            "within_judge_noise",
            f"{counted(len(places), 'difference')} no larger than what judging again changes, "
            "so perhaps the judge's, whatever the interval",
            level="warning",
            side="judgments",
            count=len(places),
            places=places,
        )
    ]


def _too_few(form: Form, built: Contest) -> list[Finding]:
    """Say what can't be concluded from so few clusters, or from so few resamples."""
    alpha, tests, found = 1 - built.sure.intervals.level, len(form.differences), []
    if 1 < form.clusters < FEW_CLUSTERS:
        floor = sign_test(form.clusters, 0).p
        never = floor > alpha
        words = ", so it can find no difference" if never else ""
        corrected = min(1.0, tests * floor)
        if not never and tests > 1 and corrected > alpha:
            words = f", and {corrected:.2g} with Holm's correction, so it can find no difference"
        found.append(
            finding(
                "few_clusters_to_compare",
                f"with {form.clusters} clusters the sign test's p can't be below {floor:.2g}"
                f"{words}; a bootstrap p from fewer than {FEW_CLUSTERS} is small more often than "
                "it says, so neither that one system is better nor that they are equal can be "
                "concluded from it",
                level="warning",
                count=form.clusters,
            )
        )
    floors = [each.p_floor for each in form.differences if each.p_floor is not None]
    if form.clusters >= FEW_CLUSTERS and floors and min(floors) * tests > alpha:
        found.append(
            finding(
                "few_resamples",
                f"Holm's correction for {counted(tests, 'difference')} takes the smallest p, "
                f"{min(floors):.2g}, above {alpha:.2g}; more --resamples are needed",
                level="warning",
                count=tests,
            )
        )
    return found
