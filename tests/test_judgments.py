"""What an answer is: verdicts, pairs, identity, votes."""

from __future__ import annotations

import json
import unicodedata
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from segjudge.judgments import (
    Judgment,
    Pair,
    Verdict,
    by_vote,
    identity_form,
    normalise,
    pair_of,
)

SAME, A_IN_B, B_IN_A, PART, DIFFERENT, PERMISSIBLE, NOT_SAME, UNDECIDED = Verdict

LABELS = st.one_of(
    st.text(max_size=12),
    st.text("aAßẞſİı._ \t\u3000\u0301\u0345\u00a0ﬁＡ．。", max_size=8),
)


@pytest.mark.parametrize(
    ("verdict", "permissible", "same"),
    [
        ("same", 1, 1),
        ("a_in_b", 1, 0),
        ("b_in_a", 1, 0),
        ("part", 1, 0),
        ("different", 0, 0),
        ("permissible", 1, -1),
        ("not_same", -1, 0),
        ("undecided", -1, -1),
    ],
)
def test_answers(verdict, permissible, same):
    assert (Verdict(verdict).permissible, Verdict(verdict).same) == (permissible, same)


def test_there_are_no_other_verdicts():
    assert len(Verdict) == 8


def test_turning_a_pair_turns_direction_and_nothing_else():
    assert (A_IN_B.flipped, B_IN_A.flipped) == (B_IN_A, A_IN_B)
    for verdict in (SAME, PART, DIFFERENT, PERMISSIBLE, NOT_SAME, UNDECIDED):
        assert verdict.flipped is verdict


class TestNormalise:
    @pytest.mark.parametrize(
        ("label", "expected"),
        [
            ("  pour \t the\n\nmilk ", "pour the milk"),
            ("pour\u3000milk\u00a0now", "pour milk now"),
            ("cafe\u0301", "caf\u00e9"),
            ("Pour_Milk.", "Pour_Milk."),
            ("ｐｏｕｒ", "ｐｏｕｒ"),  # NFC, not NFKC: another spelling is another question
            ("", ""),
            (" \u2003 ", ""),
        ],
    )
    def test_by_hand(self, label, expected):
        assert normalise(label) == expected

    @given(LABELS)
    def test_twice_is_once(self, label):
        once = normalise(label)
        assert normalise(once) == once
        assert unicodedata.is_normalized("NFC", once)


class TestIdentity:
    @pytest.mark.parametrize(
        ("one", "two"),
        [
            ("pour milk", "Pour  Milk."),
            ("pour_milk", "pour milk"),
            ("POUR MILK", "pour milk"),
            ("loop", "loop."),
            ("loop .", "loop"),
            ("ｐｏｕｒ ｍｉｌｋ", "pour milk"),
            ("拿起杯子", " 拿起杯子. "),
            ("拿起_杯子", "拿起 杯子"),
            ("Straße", "STRASSE"),
            ("STRAẞE", "strasse"),
            ("ΣΊΣΥΦΟΣ", "σίσυφος"),
            ("cafe\u0301", "CAF\u00c9"),
            ("ﬁll", "fill"),
            ("__pour__milk__", "pour milk"),
        ],
    )
    def test_same(self, one, two):
        assert identity_form(one) == identity_form(two)

    @pytest.mark.parametrize(
        ("one", "two"),
        [
            ("拿起杯子", "放下杯子"),  # nothing is left of either as [a-z0-9]
            ("拿起杯子", "カップを取る"),
            ("взять чашку", "поставить чашку"),
            ("拿起杯子", ""),
            ("open the door", "open the doors"),
            ("open door 1", "open door 2"),
            ("open-door", "open door"),
            ("loop!", "loop"),
            ("loop..", "loop"),  # one final full stop, not all
            ("1.5 cups", "15 cups"),
            ("take cup", "cup take"),
            ("café", "cafe"),
            ("naïve", "naive"),
        ],
    )
    def test_not_the_same(self, one, two):
        assert identity_form(one) != identity_form(two)

    @given(LABELS)
    def test_goes_through_normalisation(self, label):
        """Labels that share a key are the same: raw spellings of one pair can't disagree."""
        assert identity_form(label) == identity_form(normalise(label))

    @given(LABELS)
    def test_case_and_underscores_do_not_matter(self, label):
        assert identity_form(label) == identity_form(normalise(label).casefold())
        assert identity_form(label.replace("_", " ")) == identity_form(label)


class TestPair:
    @given(LABELS, LABELS, LABELS)
    def test_unordered(self, one, two, context):
        (pair, turned), (again, back) = pair_of(one, two, context), pair_of(two, one, context)
        assert pair == again
        assert pair.a <= pair.b
        assert turned != back or normalise(one) == normalise(two)
        assert {pair.a, pair.b} == {normalise(one), normalise(two)}

    def test_by_hand(self):
        assert pair_of(" stir ", "pour  milk") == (Pair("pour milk", "stir", ""), True)
        assert pair_of("a", "b", " make\ttea ") == (Pair("a", "b", "make tea"), False)
        assert pair_of("same", " same") == (Pair("same", "same", ""), False)

    def test_a_context_is_part_of_the_question(self):
        assert pair_of("a", "b", "make tea")[0] != pair_of("a", "b")[0]


def judgment(**fields: object) -> Judgment:
    return Judgment.model_validate(
        {"label_a": "a", "label_b": "b", "verdict": "same", "judge": "m", **fields}
    )


class TestJudgment:
    @pytest.mark.parametrize(
        ("label_a", "label_b", "verdict", "on_pair"),
        [
            ("a", "b", A_IN_B, A_IN_B),
            ("b", "a", A_IN_B, B_IN_A),
            ("b", "a", B_IN_A, A_IN_B),
            ("b", "a", DIFFERENT, DIFFERENT),
            (" b", "a  ", A_IN_B, B_IN_A),
            ("a", " a ", A_IN_B, A_IN_B),
        ],
    )
    def test_on_pair(self, label_a, label_b, verdict, on_pair):
        given_answer = judgment(label_a=label_a, label_b=label_b, verdict=verdict)
        assert given_answer.verdict_on_pair is on_pair

    @given(LABELS, LABELS, st.sampled_from(list(Verdict)))
    def test_said_either_way_round(self, one, two, verdict):
        there = judgment(label_a=one, label_b=two, verdict=verdict)
        back = judgment(label_a=two, label_b=one, verdict=verdict.flipped)
        assert there.pair == back.pair
        if normalise(one) != normalise(two):
            assert there.verdict_on_pair is back.verdict_on_pair

    @pytest.mark.parametrize(
        ("judge", "human"),
        [("human", True), ("human:ana", True), ("Human 2", True), ("HUMANS", True),
         ("a human", False), ("gemini/gemini-3.5-flash", False), ("authors", False)],
    )  # fmt: skip
    def test_people(self, judge, human):
        assert judgment(judge=judge).is_human is human

    def test_a_line_has_what_was_given_and_no_more(self):
        line = judgment(label_a="拿起 ", label_b="b\n", task=None, context="").line()
        assert "\n" not in line
        assert json.loads(line) == {
            "label_a": "拿起 ", "label_b": "b\n", "verdict": "same", "judge": "m",
        }  # fmt: skip

    @pytest.mark.parametrize(
        "extra",
        [
            {"task": "subtask", "context": "make tea", "prompt": "relation@1"},
            {"params": {"temperature": 0, "seed": None, "stop": []}},
            {"usage": {"input": 12, "cached": None, "details": {"a": [1, None]}}},
            {"votes": ["same", "a_in_b"], "cost_usd": 0.00012, "rationale": 'said "no"'},
            {"reviewer": "ana", "note": None, "clips": [{"t": 1.5}, None], "ok": False},
        ],
    )
    def test_a_line_reads_back(self, extra):
        given_answer = judgment(**extra)
        back = Judgment.model_validate_json(given_answer.line())
        assert back.model_dump() == given_answer.model_dump()
        assert json.loads(given_answer.line()).items() >= extra.items()

    @pytest.mark.parametrize(
        "wrong",
        [
            {"verdict": "yes"},
            {"verdict": "Same"},
            {"verdict": None},
            {"verdict": 1},
            {"label_a": None},
            {"label_b": 7},
            {"judge": ""},
            {"judge": None},
            {"params": "temperature=0"},
            {"votes": "same"},
            {"cost_usd": float("nan")},
            {"context": None},
        ],
    )
    def test_refused(self, wrong):
        with pytest.raises(ValidationError):
            judgment(**wrong)

    @pytest.mark.parametrize("name", ["label_a", "label_b", "verdict", "judge"])
    def test_required(self, name):
        fields = {"label_a": "a", "label_b": "b", "verdict": "same", "judge": "m"}
        del fields[name]
        with pytest.raises(ValidationError):
            Judgment.model_validate(fields)


class TestVote:
    @pytest.mark.parametrize(
        ("votes", "expected"),
        [
            ([], UNDECIDED),
            ([UNDECIDED], UNDECIDED),
            *(([verdict], verdict) for verdict in Verdict),
            ([SAME, SAME, DIFFERENT], SAME),
            ([SAME, DIFFERENT], UNDECIDED),
            ([SAME, DIFFERENT, DIFFERENT], DIFFERENT),
            # Each of the two answers has its own majority.
            ([SAME, A_IN_B], PERMISSIBLE),
            ([A_IN_B, DIFFERENT], NOT_SAME),
            ([SAME, A_IN_B, DIFFERENT], A_IN_B),
            ([SAME, SAME, A_IN_B, DIFFERENT, DIFFERENT], A_IN_B),
            ([SAME, SAME, A_IN_B, B_IN_A], PERMISSIBLE),
            # The two directions.
            ([A_IN_B, A_IN_B, B_IN_A], A_IN_B),
            ([B_IN_A, A_IN_B, B_IN_A], B_IN_A),
            ([A_IN_B, B_IN_A], PART),
            ([A_IN_B, B_IN_A, SAME], PART),
            ([PART, PART, A_IN_B], A_IN_B),
            ([PART, A_IN_B, B_IN_A], PART),
            # Answers to prompts that ask for one of the two only.
            ([PERMISSIBLE, DIFFERENT, DIFFERENT], DIFFERENT),
            ([PERMISSIBLE, PERMISSIBLE, DIFFERENT], PART),
            ([NOT_SAME, SAME], PERMISSIBLE),
            ([NOT_SAME, NOT_SAME, SAME], PART),
            ([PERMISSIBLE, NOT_SAME], PART),
            ([PERMISSIBLE, SAME], SAME),
            ([NOT_SAME, DIFFERENT], DIFFERENT),
            # What is undecided takes no side.
            ([UNDECIDED, UNDECIDED, SAME], SAME),
            ([UNDECIDED, SAME, DIFFERENT], UNDECIDED),
        ],
    )
    def test_by_hand(self, votes, expected):
        for order in list(permutations(votes))[:24]:
            assert by_vote(order) is expected

    @given(st.lists(st.sampled_from(list(Verdict)), max_size=7))
    def test_the_verdict_says_what_each_majority_says(self, votes):
        verdict = by_vote(votes)
        for answer in ("permissible", "same"):
            given_answers = [getattr(vote, answer) for vote in votes]
            lead = given_answers.count(1) - given_answers.count(0)
            assert getattr(verdict, answer) == (1 if lead > 0 else 0 if lead < 0 else -1)
        assert by_vote([vote.flipped for vote in votes]) is verdict.flipped
