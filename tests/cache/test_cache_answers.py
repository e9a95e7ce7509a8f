"""What an answer is keyed by, and how answers become a judgment."""

import hashlib
from dataclasses import replace

import pytest

from segjudge.cache import Answer, AnswerKey, derive
from segjudge.judgments import Pair, Verdict

KEY = AnswerKey(
    judge="openai/some-model",
    prompt_sha256="ab" * 32,
    params={"temperature": 0, "seed": 7, "stop": ["x", "y"]},
    task="subtask",
    pair=Pair("crack an egg", "做 omelette", "make breakfast"),
    pairs_per_call=1,
    order=1,
    sample=2,
    run=3,
)


def answer(verdict, *, cost=0.5, usage=None, **key):
    fields = {
        "label_a": "Crack an egg",
        "label_b": "做 omelette",
        "prompt": "relation@1",
        "reason": f"because {verdict}",
        "cost_usd": cost,
        "usage": {"total_tokens": 10} if usage is None else usage,
    }
    fields.update({name: key.pop(name) for name in [*key] if name not in AnswerKey.__slots__})
    return Answer.of(
        replace(KEY, **{"order": 0, "sample": 0, "run": 1, **key}),
        **{
            **fields,
            "verdict": verdict,
        },
    )


def test_the_key_is_the_hash_of_one_canonical_json_text():
    # Spelled out, so that another version, machine or language finds the same answers.
    text = (
        '[1,"openai/some-model","' + "ab" * 32 + '",{"seed":7,"stop":["x","y"],"temperature":0},'
        '"subtask","crack an egg","做 omelette","make breakfast",1,3,1,2]'
    )
    assert KEY.digest() == hashlib.sha256(text.encode()).hexdigest()


def test_the_order_and_spelling_of_params_do_not_count():
    same = {"stop": ("x", "y"), "seed": 7.0, "temperature": 0.0}
    assert replace(KEY, params=same).digest() == KEY.digest()
    nested = replace(KEY, params={"extra": {"b": 1.0, "a": [2.0]}})
    assert nested.digest() == replace(KEY, params={"extra": {"a": [2], "b": 1}}).digest()


@pytest.mark.parametrize(
    "change",
    [
        {"judge": "openai/another-model"},
        {"prompt_sha256": "cd" * 32},
        {"params": {"temperature": 0.1, "seed": 7, "stop": ["x", "y"]}},
        {"params": {"temperature": False, "seed": 7, "stop": ["x", "y"]}},
        {"params": {"temperature": 0, "seed": 7, "stop": ["y", "x"]}},
        {"params": {}},
        {"task": "hand-caption"},
        {"pair": Pair("crack an egg", "做 omelette", "")},
        {"pair": Pair("crack an egg", "做 omelette make", "breakfast")},
        {"pairs_per_call": 5},
        {"order": 0},
        {"sample": 1},
        {"run": 1},
    ],
)
def test_whatever_could_change_an_answer_changes_the_key(change):
    assert replace(KEY, **change).digest() != KEY.digest()


def test_a_group_is_all_votes_and_orders_of_one_run():
    group = KEY.group()
    assert replace(KEY, sample=0, order=0).group() == group
    assert replace(KEY, run=1).group() != group
    assert replace(KEY, task="hand-caption").group() != group
    # Later runs sort after earlier ones, as numbers.
    assert replace(KEY, run=2).group() < replace(KEY, run=10).group()


def test_an_answer_gives_its_key_back():
    given = Answer.of(KEY, verdict="same", label_a="a", label_b="b")
    assert Answer.model_validate_json(given.text()).key.digest() == KEY.digest()


def test_a_reply_that_no_file_could_hold_is_kept_all_the_same():
    given = answer("same", reason="half a \ud83d pair", raw="\udc00" + "x" * 9_000)
    assert given.reason == "half a ? pair"
    assert given.raw.startswith("?xxx")
    assert given.raw.endswith("x[... 9001 characters]")
    assert len(given.raw) == 8_000
    assert Answer.model_validate_json(given.text()) == given


def test_votes_become_one_judgment_whatever_the_order_they_come_in():
    answers = [
        answer("a_in_b", sample=0, judged_on="2026-11-30T21:00:00Z"),
        answer("same", sample=1, judged_on="2026-11-30T21:00:09Z"),
        answer("a_in_b", sample=2, judged_on="2026-11-30T21:00:05Z"),
    ]
    judgment = derive(answers[::-1])
    assert judgment == derive(answers)
    assert judgment.verdict is Verdict.A_IN_B
    assert judgment.votes == ["a_in_b", "same", "a_in_b"]
    assert judgment.rationale == "because a_in_b"
    assert judgment.judged_on == "2026-11-30T21:00:09Z"
    assert (judgment.label_a, judgment.label_b) == ("Crack an egg", "做 omelette")
    assert judgment.pair == Pair("Crack an egg", "做 omelette", "make breakfast")
    assert (judgment.judge, judgment.prompt) == ("openai/some-model", "relation@1")
    assert judgment.prompt_sha256 == "ab" * 32
    assert judgment.task == "subtask"


def test_votes_stand_by_sample_and_then_by_presentation():
    answers = [
        answer(v, sample=s, order=o)
        for v, s, o in [
            ("different", 1, 1),
            ("same", 1, 0),
            ("b_in_a", 0, 1),
            ("a_in_b", 0, 0),
        ]
    ]
    judgment = derive(answers)
    assert judgment.votes == ["a_in_b", "b_in_a", "same", "different"]
    # Permissible 3 to 1; same 1 to 3; the directions tie.
    assert judgment.verdict is Verdict.PART


def test_presentations_that_contradict_each_other_decide_nothing():
    judgment = derive([answer("same", order=0), answer("different", order=1)])
    assert judgment.verdict is Verdict.UNDECIDED
    assert judgment.votes == ["same", "different"]


def test_tokens_and_cost_are_sums():
    usage = {"total_tokens": 10, "model": "x", "details": {"cached": 2}, "free": True}
    judgment = derive(
        [answer("same", usage=usage), answer("same", sample=1, usage={"total_tokens": 5})]
    )
    assert judgment.usage == {"total_tokens": 15, "details": {"cached": 2}}
    assert judgment.cost_usd == 1.0


def test_an_unknown_cost_or_usage_makes_the_sum_unknown():
    unknown = answer("same", sample=1, cost=None).model_copy(update={"usage": None})
    judgment = derive([answer("same"), unknown])
    assert judgment.cost_usd is None
    assert judgment.usage is None


def test_the_model_that_answered_is_told_even_when_it_changed_between_votes():
    answers = [
        answer("same", model_answered="m-002"),
        answer("same", sample=1, model_answered="m-001"),
    ]
    assert derive(answers).model_extra == {"models_answered": ["m-001", "m-002"]}
    again = derive([answer("same", run=2, pairs_per_call=5)])
    assert (again.run, again.model_extra) == (2, {"pairs_per_call": 5})


@pytest.mark.parametrize("other", [{"run": 2}, {"judge": "another"}, {"pair": Pair("x", "y")}])
def test_answers_to_different_questions_make_no_judgment(other):
    with pytest.raises(ValueError, match="more than one question"):
        derive([answer("same"), answer("same", **other)])


def test_no_answers_make_no_judgment():
    with pytest.raises(ValueError, match="no answers"):
        derive([])
