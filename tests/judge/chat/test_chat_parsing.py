"""From text to verdict words, and what is none."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from segjudge.judge.parsing import ALIASES, Unreadable, is_whole, read_many, read_one, word_of
from segjudge.prompts import load

RELATION = load("relation").verdicts
YES_NO = load("same-event").verdicts
GOOD = '{"reason": "both wash", "verdict": "same"}'


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"Sure!\n```\n{GOOD}\n```\nDone.",
        f"I think {{so}}: {GOOD}",
        f"\ufeff  {GOOD}\n\n",
        f"<think>different? no</think>\n{GOOD}",
        f"{GOOD}\n{GOOD}",
        '{"answers": [{"id": "1", "reason": "both wash", "verdict": "same"}]}',
        '{"verdict": " Same. ", "reason": "both wash", "extra": [1, {"a": 2}]}',
        '{"reason": "uses ```fences``` and {braces}", "verdict": "same"}',
    ],
)
def test_an_answer_is_found(text: str) -> None:
    assert read_one(text, RELATION).word == "same"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "same",
        '"same"',
        "verdict: same",
        "{verdict: same}",
        "{'verdict': 'same'}",
        '{"verdict": "same"',
        '{"verdict": "same", "reason": "cut',
        '{"outer": {"reason": "", "verdict": "same"}',
        '{"reason": "it is the same"}',
        '{"Verdict": "same"}',
        '{"verdict": ["same"]}',
        '{"verdict": null}',
        '{"verdict": 1}',
        '{"verdict": "same", "reason": 7}',
        '{"verdict": "same", "verdict": "different"}',
        '{"verdict": "same"} {"verdict": "different"}',
        '{"verdict": "incorrect"}',
        '{"verdict": "not the same"}',
        '{"verdict": "not same"}',
        '{"verdict": "same|a_in_b|b_in_a|different"}',
        '{"reason": "...", "verdict": "same" or "a_in_b" or "b_in_a" or "different"}',
        '{"inner": {"verdict": "same"}}',
        '["same"]',
        "[" * 5_000,
        '{"a":' * 5_000,
    ],
)
def test_anything_else_is_no_answer(text: str) -> None:
    with pytest.raises(Unreadable):
        read_one(text, RELATION)


def test_booleans_are_words_only_where_words_are_yes_and_no() -> None:
    assert read_one('{"verdict": true}', YES_NO).word == "yes"
    assert read_one('{"verdict": "No"}', YES_NO).word == "no"
    with pytest.raises(Unreadable):
        read_one('{"verdict": true}', RELATION)
    with pytest.raises(Unreadable):
        read_one('{"verdict": "same"}', YES_NO)


def test_aliases_lead_to_words_and_are_none_themselves() -> None:
    words = {*RELATION, *YES_NO}
    for alias, word in ALIASES.items():
        assert word in words
        assert alias not in words
        assert word_of(alias.replace("_", " ").upper(), words) == word


@given(st.text(max_size=20))
@example("unsame")
@example("same different")
def test_a_word_is_an_answer_only_as_a_whole(text: str) -> None:
    word = word_of(text, RELATION)
    if word is not None:
        plain = text.strip(" \t\n\r.\"'`*_-").casefold().replace(" ", "_")
        assert plain.replace("-", "_") in {*RELATION, *ALIASES} or plain == word


def entry(name: object, word: str) -> dict[str, object]:
    return {"id": name, "reason": "", "verdict": word}


def test_several_are_matched_by_id_only() -> None:
    answers = [entry(3, "same"), entry("1", "a_in_b"), entry("9", "same"), entry(" 2 ", "nonsense")]
    for text in (json.dumps({"answers": answers}), json.dumps(answers)):
        many = read_many(text, ("1", "2", "3"), RELATION)
        assert {name: read.word for name, read in many.answers.items()} == {
            "1": "a_in_b",
            "3": "same",
        }
        assert not many.contradictory


def test_the_same_twice_is_one_and_two_verdicts_are_none() -> None:
    answers = [entry("1", "same"), entry("1", "same"), entry("2", "same"), entry("2", "a_in_b")]
    many = read_many(json.dumps({"answers": answers}), ("1", "2"), RELATION)
    assert set(many.answers) == {"1"}
    assert many.contradictory == {"2"}


@pytest.mark.parametrize(
    "text", ["", "none", "{}", GOOD, '{"answers": {"1": "same"}}', "[[], []]x{"]
)
def test_what_is_no_list_is_no_answer(text: str) -> None:
    try:
        many = read_many(text, ("1", "2"), RELATION)
    except Unreadable:
        return
    assert not many.answers


def test_whole_is_only_what_ends() -> None:
    assert is_whole(GOOD + "   ")
    assert not is_whole(GOOD[:-1])
    assert not is_whole("")
    assert not is_whole('{"answers": [{"id": "1", "reason": "", "verdict": "same"}')


@given(st.text())
def test_no_text_breaks_the_reader(text: str) -> None:
    for read in (
        lambda: read_one(text, RELATION),
        lambda: read_many(text, ("1",), RELATION),
    ):
        with contextlib.suppress(Unreadable):
            read()
