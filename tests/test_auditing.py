"""The blind audit: what is drawn, what is shown, what follows."""

from __future__ import annotations

import csv
import io
from collections import Counter

import numpy as np
import pytest

from segjudge.agreement import agreement
from segjudge.auditing import INFLUENCE, RANDOM, SAID, Candidate, Item, draw, filled, outcome, sheet
from segjudge.errors import InputError
from segjudge.judgments import Judgment, Verdict

VERDICTS = [Verdict.SAME, Verdict.A_IN_B, Verdict.B_IN_A, Verdict.DIFFERENT]


def candidates(count: int) -> list[Candidate]:
    return [
        Candidate(
            Judgment(
                label_a=f"label {n}",
                label_b=f"other {n}",
                verdict=VERDICTS[n % 4],
                judge="model",
                task="subtask",
                rationale=f"because {n}",
            ),
            float(n),
        )
        for n in range(count)
    ]


def test_strata_are_disjoint_mixed_and_of_the_sizes_asked_for() -> None:
    items = draw(candidates(500), 100, random_share=0.3, seed=1)
    assert Counter(item.stratum for item in items) == {RANDOM: 30, INFLUENCE: 70}
    assert len({item.pair for item in items}) == 100
    order = [item.stratum for item in items]
    assert order != sorted(order)
    assert order != sorted(order, reverse=True)


def test_influence_takes_what_weighs_most_of_the_rest() -> None:
    items = draw(candidates(300), 60, random_share=0.5, seed=3)
    by_chance = {item.weight for item in items if item.stratum == RANDOM}
    heavy = sorted((item.weight for item in items if item.stratum == INFLUENCE), reverse=True)
    assert heavy == [float(n) for n in range(299, -1, -1) if n not in by_chance][:30]


def test_every_pair_is_equally_likely_in_the_random_stratum() -> None:
    counts = np.zeros(20)
    for seed in range(2_000):
        for item in draw(candidates(20), 8, random_share=0.5, seed=seed):
            counts[int(item.weight)] += item.stratum == RANDOM
    # 2,000 draws of 4 of 20: 400 each, give or take 18.
    assert counts.sum() == 8_000
    assert np.abs(counts - 400).max() < 90


def test_sides_are_random_and_the_order_given_does_not_matter() -> None:
    drawn = candidates(400)
    items = draw(drawn, 400, seed=5)
    turned = sum(item.left.startswith("other") for item in items)
    assert 150 < turned < 250
    assert draw(drawn[::-1], 400, seed=5) == items
    assert draw(drawn, 400, seed=6) != items


def test_smaller_than_asked_for() -> None:
    assert len(draw(candidates(3), 10)) == 3
    assert draw([], 10) == []
    assert {item.stratum for item in draw(candidates(9), 4, random_share=1)} == {RANDOM}
    assert {item.stratum for item in draw(candidates(9), 4, random_share=0)} == {INFLUENCE}


@pytest.mark.parametrize("seed", range(4))
def test_what_the_judge_said_is_told_of_the_labels_as_shown(seed: int) -> None:
    for item in draw(candidates(40), 40, seed=seed):
        number = int(item.left.split()[1])
        turned = item.left.startswith("other")
        said = VERDICTS[number % 4]
        said = said.flipped if turned else said
        assert item.shown_verdict() == next(k for k, v in SAID.items() if v is said)
        # Saying the same of the same sides is the same judgment.
        mine = item.judged(item.shown_verdict(), "human:anna")
        assert mine.verdict_on_pair == item.judgment.verdict_on_pair
        assert mine.is_human


def agree(items: list[Item], wrong: set[int]) -> dict[int, str]:
    others = {"same": "different", "different": "same"}
    said = {}
    for n, item in enumerate(items):
        truth = item.shown_verdict()
        said[n] = others.get(truth, "same") if n in wrong else truth
    return said


def test_kappa_is_of_the_random_stratum_alone() -> None:
    items = draw(candidates(200), 80, seed=2)
    mine = [n for n, item in enumerate(items) if item.stratum == RANDOM]
    heavy = [n for n, item in enumerate(items) if item.stratum == INFLUENCE]
    said = agree(items, {*mine[:5], *heavy})
    found = outcome(items, said)
    direct = agreement(
        [items[n].judged(said[n], "human") for n in mine], [items[n].judgment for n in mine]
    )
    assert found.agreement == direct
    assert found.agreement.verdict.pairs == 40
    assert found.agreement.verdict.agreement.value == 35 / 40
    kappa = found.agreement.verdict.kappa
    assert kappa.low is not None
    assert kappa.low < kappa.value < kappa.high  # type: ignore[operator]
    assert (found.random.equal, found.influence.equal) == (35, 0)


def test_what_was_said_anew_is_no_evidence() -> None:
    items = draw(candidates(60), 40, seed=2)
    mine = [n for n, item in enumerate(items) if item.stratum == RANDOM]
    found = outcome(items, agree(items, set()), seen=mine[:7])
    assert found.not_blind == 7
    assert found.agreement.verdict.pairs == len(mine) - 7
    assert found.random.said == len(mine)
    assert outcome(items, {}).agreement.verdict.kappa.value is None


def test_a_sheet_is_blind_and_comes_back() -> None:
    items = draw(candidates(12), 12, seed=4)
    text = sheet(items)
    assert "because" not in text
    assert "model" not in text
    assert not any(word in text for word in (*SAID, RANDOM, INFLUENCE, "a_in_b"))
    rows = list(csv.DictReader(io.StringIO(text)))
    rows[0]["verdict"], rows[1]["verdict"], rows[2]["verdict"] = "2", " Different ", ""
    written = io.StringIO()
    table = csv.DictWriter(written, rows[0])
    table.writeheader()
    table.writerows(rows[::-1])
    assert filled("\ufeff" + written.getvalue(), items) == {0: "left_in_right", 1: "different"}


def test_a_label_is_no_formula() -> None:
    judgment = Judgment(label_a="=1+1", label_b="-x", verdict=Verdict.SAME, judge="m")
    items = draw([Candidate(judgment, 1.0)], 1)
    rows = list(csv.DictReader(io.StringIO(sheet(items))))
    assert {rows[0]["left"], rows[0]["right"]} == {"'=1+1", "'-x"}
    for line in (
        f"1,{rows[0]['left']},{rows[0]['right']},,,1",
        f"1,{items[0].left},{items[0].right},,,1",
    ):
        assert filled("item,left,right,context,task,verdict\n" + line, items) == {0: "same"}


def test_a_sheet_that_was_changed_is_refused_row_by_row() -> None:
    items = draw(candidates(4), 4, seed=4)
    rows = list(csv.reader(io.StringIO(sheet(items))))
    rows[1][1] = "another label"
    rows[2][5] = "maybe"
    rows[3][0] = "17"
    text = "\n".join(",".join(row) for row in rows)
    with pytest.raises(InputError) as caught:
        filled(text, items, "mine.csv")
    assert [problem.place for problem in caught.value.problems] == ["line 2", "line 3", "line 4"]
    with pytest.raises(InputError, match="a column verdict"):
        filled("item,left,right\n", items)
