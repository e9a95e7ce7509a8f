"""Who decides a pair before a model is asked, and which way round."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segjudge.judge.base import Question
from segjudge.judge.chain import By, Decided, LabelPairs, decide_without_asking
from segjudge.judge.replay import Records
from segjudge.judgments import Judgment, Pair, Verdict

SAME, A_IN_B, B_IN_A, DIFFERENT, PERMISSIBLE = (
    Verdict.SAME, Verdict.A_IN_B, Verdict.B_IN_A, Verdict.DIFFERENT, Verdict.PERMISSIBLE,
)  # fmt: skip


def decide(
    labels: list[str],
    pairs: list[tuple[int, int]] | None = None,
    said: list[tuple[str, str, Verdict, str]] | None = None,
    contexts: tuple[str, ...] = ("",),
    context: list[int] | None = None,
    **options: object,
) -> Decided:
    """Decide pairs of labels; without `pairs`, the first two."""
    rows = np.array(pairs or [(0, 1)], np.int64)
    of = np.array(context or [0] * len(rows), np.int64)
    lines = [
        Judgment(label_a=a, label_b=b, verdict=verdict, judge=judge)
        for a, b, verdict, judge in said or []
    ]
    return decide_without_asking(
        LabelPairs(rows[:, 0], rows[:, 1], of), labels, contexts, records=Records(lines), **options
    )


class TestOrder:
    """Rule, identity, people, recorded; then nobody."""

    @pytest.mark.parametrize(
        ("labels", "said", "by", "verdict"),
        [
            (["pour", "stir"], [], By.UNKNOWN, None),
            (["pour", "stir"], ["m"], By.RECORDED, DIFFERENT),
            (["pour", "stir"], ["m", "human:ana"], By.HUMAN, DIFFERENT),
            (["pour", "stir"], ["human:ana", "m"], By.HUMAN, DIFFERENT),
            (["pour", "Pour."], ["m", "human:ana"], By.IDENTITY, SAME),
            (["", "pour"], ["m", "human:ana"], By.RULE, DIFFERENT),
            ([" \t", "\u3000"], ["m", "human:ana"], By.RULE, DIFFERENT),
        ],
    )
    def test_who_decides(self, labels, said, by, verdict):
        decided = decide(labels, said=[(*labels, DIFFERENT, judge) for judge in said])
        assert (decided.by, decided.verdict) == ([by], [verdict])
        assert bool(decided.record[0]) == (by in (By.RECORDED, By.HUMAN))

    def test_a_label_with_itself(self):
        """An empty one matches nothing, not even itself."""
        assert decide(["pour"], [(0, 0)]).verdict == [SAME]
        assert decide([""], [(0, 0)]).verdict == [DIFFERENT]

    @pytest.mark.parametrize("labels", [["pour", "Pour."], ["pour", " pour"], ["拿起", "拿起。"]])
    def test_without_identity_equal_labels_are_asked_about_too(self, labels):
        assert decide(labels, identity=False).by == [By.UNKNOWN]
        said = [(*labels, DIFFERENT, "m")]
        assert decide(labels, said=said, identity=False).verdict == [DIFFERENT]

    def test_labels_in_other_alphabets_are_not_all_the_same(self):
        labels = ["拿起杯子", "放下杯子", "взять", "カップ"]
        pairs = [(i, j) for i in range(4) for j in range(i + 1, 4)]
        assert set(decide(labels, pairs).by) == {By.UNKNOWN}

    def test_task(self):
        lines = [Judgment(label_a="a", label_b="b", verdict=SAME, judge="m", task="subtask")]
        pairs = LabelPairs(np.array([0]), np.array([1]), np.array([0]))
        for task, by in (("subtask", By.RECORDED), ("hand-caption", By.UNKNOWN)):
            found = decide_without_asking(pairs, ["a", "b"], task=task, records=Records(lines))
            assert found.by == [by]
            assert found.question[0].task == task

    def test_undecided_is_an_answer_but_no_knowledge(self):
        decided = decide(["a", "b"], said=[("a", "b", Verdict.UNDECIDED, "m")])
        assert decided.by == [By.UNKNOWN]
        a, b = np.array([0]), np.array([1])
        assert decided.matrix().permissible(a, b).tolist() == [-1]


class TestDirection:
    @pytest.mark.parametrize("labels", [["pour", "stir"], ["stir", "pour"]])
    @pytest.mark.parametrize("turned", [False, True])
    def test_is_said_of_the_labels_as_indexed(self, labels, turned):
        """Pouring is a step of stirring, however the file and the vocabulary order them."""
        said = ("stir", "pour", B_IN_A, "m") if turned else ("pour", "stir", A_IN_B, "m")
        decided = decide(labels, [(0, 1)], [said])
        expected = A_IN_B if labels[0] == "pour" else B_IN_A
        assert decided.verdict == [expected]

    @given(
        st.text("ab _", min_size=1, max_size=3).filter(str.strip),
        st.text("ab _", min_size=1, max_size=3).filter(str.strip),
        st.booleans(),
        st.sampled_from(["m", "human"]),
    )
    def test_in_any_order_of_index_and_line(self, one, two, turned, judge):
        line = (two, one, B_IN_A, judge) if turned else (one, two, A_IN_B, judge)
        for labels in ([one, two], [two, one]):
            decided = decide(labels, said=[line], identity=False)
            plain = [" ".join(label.split()) for label in labels]
            if plain[0] != plain[1]:
                assert decided.verdict == [A_IN_B if labels[0] == one else B_IN_A]
            else:
                assert decided.verdict[0] in (A_IN_B, B_IN_A)


class TestSpellings:
    labels = ("pour milk", "pour  milk", "stir ", "stir")
    pairs = ((0, 2), (1, 2), (0, 3), (1, 3))

    def test_raw_spellings_share_one_question_and_its_answer(self):
        decided = decide([*self.labels], [*self.pairs], [("stir", " pour milk", B_IN_A, "m")])
        assert decided.by == [By.RECORDED] * 4
        assert decided.verdict == [A_IN_B] * 4
        matrix = decided.matrix()
        assert len(matrix) == 4
        a, b = np.array(self.pairs).T
        assert matrix.permissible(b, a).tolist() == [1] * 4
        assert matrix.same(b, a).tolist() == [0] * 4

    def test_and_are_missing_once(self):
        decided = decide([*self.labels], [*self.pairs])
        (question,) = decided.missing()
        assert question.pair == Pair("pour milk", "stir", "")
        assert question.label_a in self.labels[:2]
        assert question.label_b in self.labels[2:]

    def test_nfd_and_nfc_share_a_question_and_are_identical(self):
        nfc, nfd = "caf\u00e9", "cafe\u0301"
        assert decide([nfc, nfd], [(0, 1)]).by == [By.IDENTITY]
        decided = decide([nfc, nfd, "tea"], [(0, 2), (1, 2)])
        assert len(decided.missing()) == 1


class TestContext:
    contexts = ("", "make tea", "clean  up")

    def test_a_question_for_each(self):
        decided = decide(["a", "b"], [(0, 1)] * 3, contexts=self.contexts, context=[0, 1, 2])
        assert [q.pair.context for q in decided.missing()] == ["", "clean up", "make tea"]

    def test_an_answer_counts_in_its_own_context_only(self):
        pairs = LabelPairs(np.zeros(3, np.int64), np.ones(3, np.int64), np.arange(3))
        lines = [
            Judgment(label_a="b", label_b="a", verdict=v, judge="m", context=c)
            for c, v in (("make tea", SAME), ("clean up", A_IN_B))
        ]
        decided = decide_without_asking(pairs, ["a", "b"], self.contexts, records=Records(lines))
        assert decided.by == [By.UNKNOWN, By.RECORDED, By.RECORDED]
        assert decided.verdict == [None, SAME, B_IN_A]
        a, b = np.zeros(3, np.int64), np.ones(3, np.int64)
        assert decided.matrix().permissible(a, b, np.arange(3)).tolist() == [-1, 1, 1]
        assert decided.matrix().same(a, b, np.arange(3)).tolist() == [-1, 1, 0]


class TestMissingAndAdd:
    def test_missing_is_sorted_and_says_both_raw_spellings_in_the_pair_s_order(self):
        labels = ["stir", "pour  milk", "add"]
        decided = decide(labels, [(0, 1), (0, 2), (1, 2)], [("add", "stir", SAME, "m")])
        assert decided.missing() == [
            Question(Pair("add", "pour milk", ""), "subtask", "add", "pour  milk"),
            Question(Pair("pour milk", "stir", ""), "subtask", "pour  milk", "stir"),
        ]

    def test_add_fills_every_spelling_and_overrules_nobody(self):
        labels = ["pour", "stir", " stir", "wash"]
        decided = decide(
            labels, [(0, 1), (0, 2), (0, 3), (1, 3)], [("pour", "wash", DIFFERENT, "human")]
        )
        answers = [
            Judgment(label_a="stir", label_b="pour", verdict=A_IN_B, judge="m"),
            Judgment(label_a="wash", label_b="pour", verdict=SAME, judge="m"),
        ]
        decided.add(answers, By.MODEL)
        assert decided.by == [By.MODEL, By.MODEL, By.HUMAN, By.UNKNOWN]
        assert decided.verdict == [B_IN_A, B_IN_A, DIFFERENT, None]
        assert decided.record[:2] == [answers[0]] * 2
        assert [q.pair for q in decided.missing()] == [Pair("stir", "wash", "")]

    def test_nothing_needed(self):
        none = np.zeros(0, np.int64)
        decided = decide_without_asking(LabelPairs(none, none, none), ["a"])
        assert decided.missing() == []
        assert len(decided.matrix()) == 0

    def test_the_matrix_holds_both_answers_and_what_is_open(self):
        decided = decide(
            ["a", "b", "c"],
            [(0, 1), (0, 2), (1, 2)],
            [("a", "b", PERMISSIBLE, "m"), ("c", "a", A_IN_B, "m")],
        )
        a, b = np.array([0, 0, 1]), np.array([1, 2, 2])
        assert decided.matrix().permissible(a, b).tolist() == [1, 1, -1]
        assert decided.matrix().same(a, b).tolist() == [-1, 0, -1]


class TestOpenAnswers:
    """A verdict that leaves an answer unknown doesn't end the chain."""

    NOT_SAME, UNDECIDED = Verdict.NOT_SAME, Verdict.UNDECIDED

    @pytest.mark.parametrize(
        ("said", "reads", "verdict", "by"),
        [
            ([("human:anna", NOT_SAME)], ("permissible",), NOT_SAME, By.UNKNOWN),
            ([("human:anna", NOT_SAME)], ("same",), NOT_SAME, By.HUMAN),
            ([("human:anna", NOT_SAME)], ("permissible", "same"), NOT_SAME, By.UNKNOWN),
            ([("human:anna", UNDECIDED)], ("same",), UNDECIDED, By.UNKNOWN),
            ([("human:anna", NOT_SAME), ("m", PERMISSIBLE)], ("permissible",),
             Verdict.PART, By.RECORDED),
            ([("human:anna", NOT_SAME), ("m", A_IN_B)], ("permissible",), A_IN_B, By.RECORDED),
            ([("human:anna", NOT_SAME), ("m", SAME)], ("permissible",), Verdict.PART, By.RECORDED),
            ([("human:anna", NOT_SAME), ("m", SAME)], ("same",), NOT_SAME, By.HUMAN),
            ([("human:anna", PERMISSIBLE), ("m", DIFFERENT)], ("same",),
             Verdict.PART, By.RECORDED),
            ([("human:anna", PERMISSIBLE), ("m", SAME)], ("same",), SAME, By.RECORDED),
        ],
    )  # fmt: skip
    def test_what_follows_fills_in_what_is_open(
        self, said: list[tuple[str, Verdict]], reads: tuple[str, ...], verdict: Verdict, by: By
    ) -> None:
        lines = [("aa", "bb", said_so, judge) for judge, said_so in said]
        decided = decide(["aa", "bb"], said=lines, reads=[reads])
        assert (decided.verdict, decided.by) == ([verdict], [by])
        assert len(decided.missing()) == (by is By.UNKNOWN)

    def test_a_model_completes_what_people_left_open(self) -> None:
        lines = [("aa", "bb", self.NOT_SAME, "human:anna"), ("cc", "dd", self.UNDECIDED, "human")]
        decided = decide(
            ["bb", "aa", "cc", "dd"], [(0, 1), (2, 3)], lines, reads=[("permissible",)] * 2
        )
        answers = [
            Judgment(label_a="aa", label_b="bb", verdict=A_IN_B, judge="m"),
            Judgment(label_a="cc", label_b="dd", verdict=self.UNDECIDED, judge="m"),
        ]
        decided.add(answers, By.MODEL)
        assert decided.by == [By.MODEL, By.UNKNOWN]
        assert decided.verdict == [B_IN_A, self.UNDECIDED]
        assert [line.judge for line in decided.used] == ["human:anna", "m", "m"]
