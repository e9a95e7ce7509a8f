"""Every way in which asking a model is known to go wrong, over HTTP, each with its end.

The numbers are those of the list of failure shapes that this judge was made against.
"""

from __future__ import annotations

import asyncio
import email.utils
import json
import time
from collections.abc import Sequence

import pytest
from chat_asking import Ask, decided, judging
from chat_server import Call, ChatServer, Say, answer_of, question, questions, right

from segjudge.cache.answers import Answer
from segjudge.cache.store import Store
from segjudge.errors import InputError, StoppedEarly
from segjudge.judge.base import Failure
from segjudge.judgments import Judgment, Verdict
from segjudge.prompts import load
from segjudge.prompts.loader import parse

ONE = question("task 1", "step 1 of task 1")


def once(say: Say):
    """Say this the first time a pair is asked about, then the right answer."""
    return lambda call: say if call.seen == 0 else None


def assert_right(decision: object) -> None:
    assert isinstance(decision, Judgment), decision
    assert decision.verdict_on_pair == right(decision.pair)


PROSE = (
    "The labels are not the same.",
    "Same, I would say: these are the same activity.",
    "incorrect",
    "verdict: same",
    'The verdict must be one of "same", "a_in_b", "b_in_a" or "different".',
    '{"reason": "...", "verdict": "same" or "a_in_b" or "b_in_a" or "different"}',
)


@pytest.mark.parametrize("text", PROSE)
def test_1_prose_is_asked_about_once_more_and_is_no_verdict(
    ask: Ask, server: ChatServer, store: Store, text: str
) -> None:
    server.script = lambda call: Say(text)
    assert ask(ONE).reason() == "unparsed"
    assert len(server.calls) == 2
    complaint = server.calls[1].body["messages"][2:]
    assert complaint[0] == {"role": "assistant", "content": text}
    assert "could not be read" in complaint[1]["content"]
    assert len(store) == 0
    (failed,) = store.failures()
    assert failed.reason == "unparsed"
    assert text in failed.detail


def test_1_a_second_try_may_succeed(ask: Ask, server: ChatServer, store: Store) -> None:
    server.script = once(Say("The same."))
    assert_right(ask(ONE).one)
    (answer,) = store.answers()
    assert answer.attempts == 2
    assert answer.usage == {"prompt_tokens": 600, "completion_tokens": 40}


WRAPPED = ("```json\n{}\n```", "```\n{}\n```", "Here is my answer:\n{}", "{}\nI hope this helps!")


@pytest.mark.parametrize("wrapping", WRAPPED)
def test_2_wrapped_json_is_read_and_noted(
    ask: Ask, server: ChatServer, store: Store, wrapping: str
) -> None:
    server.script = lambda call: Say(wrapping.replace("{}", answer_of(call)))
    assert_right(ask(ONE).one)
    assert len(server.calls) == 1
    (answer,) = store.answers()
    assert answer.notes


def test_3_a_truncated_object_is_never_repaired(ask: Ask, server: ChatServer) -> None:
    half = '{"verdict": "same", "reason": "both are about'
    server.script = lambda call: Say(half, finish="length")
    assert ask(ONE).reason() == "truncated"
    assert [call.body["max_tokens"] for call in server.calls] == [1024, 4096]


def test_3_more_room_helps_once(ask: Ask, server: ChatServer) -> None:
    server.script = once(Say(None, finish="length", message={"content": None}))
    assert_right(ask(ONE).one)


def test_3_a_whole_object_before_the_limit_counts(ask: Ask, server: ChatServer) -> None:
    server.script = lambda call: Say(answer_of(call) + "\n" * 50, finish="length")
    assert_right(ask(ONE).one)


def test_4_a_refusal_is_its_own_outcome(ask: Ask, server: ChatServer, store: Store) -> None:
    server.script = lambda call: Say(message={"content": None, "refusal": "I can't help."})
    result = ask(ONE)
    assert result.reason() == "refused"
    assert len(server.calls) == 1
    assert len(store) == 0
    assert result.judge.progress.failures == {"refused": 1}


def test_5_a_filtered_answer_is_blocked_and_not_repeated(ask: Ask, server: ChatServer) -> None:
    server.script = lambda call: Say("", finish="content_filter")
    assert ask(ONE).reason() == "blocked"
    assert len(server.calls) == 1


def test_5_a_filtered_question_is_that_pairs_failure(ask: Ask, server: ChatServer) -> None:
    error = {"error": {"message": "violates content_policy", "code": "content_policy_violation"}}
    server.script = lambda call: Say(status=400, body=error) if "task 2" in call.labels else None
    result = ask(*questions(8))
    assert {failure.reason for failure in result.failures.values()} == {"blocked"}
    assert len(result.failures) == 1
    assert len(result.judgments) == 7


def test_5_an_over_long_question_is_that_pairs_failure(ask: Ask, server: ChatServer) -> None:
    error = {"error": {"message": "maximum context length is 512", "code": 400}}
    server.script = lambda call: Say(status=400, body=error) if "task 2" in call.labels else None
    result = ask(*questions(8))
    assert [failure.reason for failure in result.failures.values()] == ["too_long"]
    assert result.error is None


def test_6_reasoning_is_no_answer(ask: Ask, server: ChatServer) -> None:
    thought = {"content": None, "reasoning_content": '{"reason": "x", "verdict": "same"}'}
    server.script = lambda call: Say(message=thought)
    assert ask(ONE).reason() == "empty"
    assert len(server.calls) == 2


def test_6_reasoning_in_the_text_is_passed_over(ask: Ask, server: ChatServer) -> None:
    thought = '<think>perhaps {"reason": "", "verdict": "same"}</think>'
    server.script = lambda call: Say(thought + answer_of(call))
    assert_right(ask(ONE).one)
    server.script = lambda call: Say('<think>so {"reason": "", "verdict": "same"}')
    assert ask(question("task 2", "task 2 again")).reason() == "unparsed"


@pytest.mark.parametrize("dated", [False, True])
def test_7_one_pause_for_all_honours_retry_after(ask: Ask, server: ChatServer, dated: bool) -> None:
    times: list[float] = []
    until = [0.0]

    def script(call: Call) -> Say | None:
        times.append(time.time())
        if len(times) == 1:
            return None
        until[0] = until[0] or (int(time.time()) + 2.0 if dated else time.time() + 1.0)
        if time.time() < until[0] - 0.05:
            date = email.utils.formatdate(until[0], usegmt=True)
            return Say(status=429, body={}, headers={"Retry-After": date if dated else "1"})
        return None

    server.script = script
    result = ask(*questions(40), concurrency=8)
    assert len(result.judgments) == 40
    # Those in flight when the first was told to wait, and nobody else, came too early.
    assert sum(t < until[0] - 0.05 for t in times) <= 1 + 8
    assert result.judge.progress.retries <= 8


def test_7_without_retry_after_it_waits_too(ask: Ask, server: ChatServer) -> None:
    server.script = lambda call: Say(status=429, body={}) if call.seen < 2 else None
    assert len(ask(*questions(6)).judgments) == 6


def test_7_a_limit_without_end_is_a_failure(ask: Ask, server: ChatServer) -> None:
    server.script = lambda call: (
        Say(status=429, body={}, headers={"Retry-After": "1"}) if "task 2" in call.labels else None
    )
    result = ask(*questions(6))
    assert [failure.reason for failure in result.failures.values()] == ["rate_limited"]
    assert len(result.judgments) == 5


QUOTA = {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}


def test_8_an_exhausted_quota_stops_the_run_and_keeps_what_is_there(
    ask: Ask, server: ChatServer, store: Store
) -> None:
    server.script = lambda call: Say(status=429, body=QUOTA) if call.number >= 10 else None
    result = ask(*questions(200), concurrency=4)
    assert isinstance(result.error, StoppedEarly)
    assert "quota" in str(result.error)
    assert len(result.judgments) == len(store) == 10
    assert len(server.calls) <= 10 + 4


@pytest.mark.parametrize(("status", "word"), [(401, "access"), (403, "access"), (404, "no such")])
def test_8_what_concerns_every_question_stops_after_one_call(
    ask: Ask, server: ChatServer, status: int, word: str
) -> None:
    server.script = lambda call: Say(status=status, body={"error": {"message": "no"}})
    result = ask(*questions(50))
    assert isinstance(result.error, StoppedEarly)
    assert word in str(result.error)
    assert len(server.calls) == 1


def test_8_ten_refused_requests_before_any_success_stop_the_run(
    ask: Ask, server: ChatServer
) -> None:
    server.script = lambda call: Say(status=400, body={"error": {"message": "bad request"}})
    result = ask(*questions(200), concurrency=4)
    assert isinstance(result.error, StoppedEarly)
    assert "bad request" in str(result.error)
    assert len(server.calls) <= 10 + 4 + 2  # one of them was tried in all three forms


def test_8_refused_requests_after_a_success_are_those_pairs_failures(
    ask: Ask, server: ChatServer
) -> None:
    server.script = lambda call: (
        Say(status=400, body={"error": {"message": "bad"}}) if call.number % 2 else None
    )
    result = ask(*questions(40))
    assert result.error is None
    assert {failure.reason for failure in result.failures.values()} == {"rejected"}
    assert len(result.failures) + len(result.judgments) == 40


PAGE = "<!DOCTYPE html><html><body>Bad gateway</body></html>"
TROUBLE = [
    Say(status=529, body={"error": {"message": "overloaded", "type": "overloaded_error"}}),
    Say(status=503, body={"error": {"message": "busy"}}),
    Say(status=502, body=PAGE),
    Say(status=500, body={}),
    Say(status=409, body={"error": {"message": "conflict"}}),
    Say(status=200, body=PAGE),
]


@pytest.mark.parametrize("say", TROUBLE, ids=lambda say: str(say.status))
def test_9_a_server_in_trouble_is_asked_again(ask: Ask, server: ChatServer, say: Say) -> None:
    server.script = once(say)
    result = ask(*questions(5))
    assert len(result.judgments) == 5
    assert result.judge.progress.retries == 5


def test_9_a_server_that_stays_in_trouble_is_a_failure(ask: Ask, server: ChatServer) -> None:
    server.script = lambda call: Say(status=503, body={}) if "task 2" in call.labels else None
    result = ask(*questions(6))
    assert [failure.reason for failure in result.failures.values()] == ["server"]
    assert len(result.judgments) == 5


def test_9_a_server_in_trouble_for_everyone_stops_the_run(ask: Ask, server: ChatServer) -> None:
    server.script = lambda call: Say(status=503, body={})
    result = ask(*questions(100), concurrency=4)
    assert isinstance(result.error, StoppedEarly)
    assert len(server.calls) <= (10 + 4) * 3


@pytest.mark.parametrize("say", [Say(delay=1.0), Say(drop=True)], ids=["slow", "dropped"])
def test_10_time_outs_and_lost_connections_are_repeated(
    ask: Ask, server: ChatServer, say: Say
) -> None:
    server.script = once(say)
    assert len(ask(*questions(3), timeout=0.4).judgments) == 3


def test_10_a_pair_that_always_times_out_fails(ask: Ask, server: ChatServer) -> None:
    server.script = lambda call: Say(delay=0.6) if "task 2" in call.labels else None
    result = ask(*questions(4), timeout=0.25)
    assert [failure.reason for failure in result.failures.values()] == ["timeout"]


def test_10_nobody_there_stops_the_run(ask: Ask) -> None:
    result = ask(*questions(20), api_base="http://127.0.0.1:9/v1")
    assert isinstance(result.error, StoppedEarly)
    assert "can't be reached" in str(result.error)


def test_11_an_error_inside_a_success_is_repeated(ask: Ask, server: ChatServer) -> None:
    server.script = once(Say(body={"error": {"message": "upstream failed", "code": 502}}))
    assert_right(ask(ONE).one)


def test_11_a_reply_without_choices_is_repeated(ask: Ask, server: ChatServer) -> None:
    empty = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": []}
    server.script = once(Say(body=empty))
    assert_right(ask(ONE).one)


def test_11_unknown_usage_is_not_zero(ask: Ask, server: ChatServer, store: Store) -> None:
    server.script = lambda call: Say(usage=None)
    result = ask(ONE)
    assert_right(result.one)
    (answer,) = store.answers()
    assert answer.usage is None
    assert answer.cost_usd is None
    assert result.judge.progress.unpriced == 1


def test_13_case_and_known_synonyms_are_read_and_noted(
    ask: Ask, server: ChatServer, store: Store
) -> None:
    words = {"same": "Identical", "a_in_b": "A in B", "b_in_a": "b is part of a"}

    def script(call: Call) -> Say:
        said = json.loads(answer_of(call))
        word = words.get(said["verdict"], "DIFFERENT.")
        return Say(json.dumps({**said, "verdict": word, "confidence": 95}))

    server.script = script
    for decision in ask(*questions(8)).decisions:
        assert_right(decision)
    assert all(answer.notes for answer in store.answers())


@pytest.mark.parametrize(
    "word", ["incorrect", "not the same", "similar", "same or different", "", "yes", "part"]
)
def test_13_any_other_word_is_no_verdict(ask: Ask, server: ChatServer, word: str) -> None:
    server.script = lambda call: Say(json.dumps({"reason": "same", "verdict": word}))
    assert ask(ONE).reason() == "unparsed"
    assert len(server.calls) == 2


def test_14_spellings_of_one_label_are_one_question(ask: Ask, server: ChatServer) -> None:
    composed, decomposed = "prépare le café", "prépare le café"
    spaces = "prépare  le\u00a0café "
    ask(*(question(label, "task 1") for label in (composed, decomposed, spaces)))
    assert len(server.calls) == 1
    assert composed in server.calls[0].labels
    others = ("task 1.", "ｔａｓｋ １", "Task 1", "task\u200b 1", "task 1 ☕", "\u200ftask 1")
    result = ask(*(question(label, "task 2") for label in others))
    assert len(server.calls) == 1 + len(others)
    assert set(result.judgments) == {question(o, "task 2").pair for o in others}


def test_15_a_pair_is_asked_about_once_whatever_its_order(
    ask: Ask, server: ChatServer, store: Store
) -> None:
    turned = question("step 1 of task 1", "task 1")
    result = ask(ONE, turned, ONE)
    assert len(server.calls) == 1
    assert_right(result.one)
    (answer,) = store.answers()
    assert (answer.a, answer.b, answer.verdict) == ("step 1 of task 1", "task 1", "a_in_b")
    assert ask(question("task 5", "task 5")).one.verdict is Verdict.SAME  # type: ignore[union-attr]


def test_15_one_judge_asks_once_for_runs_at_the_same_time(server: ChatServer, store: Store) -> None:
    server.latency = 0.05

    async def main() -> None:
        judge = judging(server, store)
        both = await asyncio.gather(*(decided(judge, questions(30)) for _ in range(2)))
        assert [len(result.judgments) for result in both] == [30, 30]

    asyncio.run(main())
    assert len(server.calls) == 30


def test_15_presentation_order_is_mixed_and_the_same_again(ask: Ask, server: ChatServer) -> None:
    ask(*questions(60))
    first = sorted(json.dumps(call.body) for call in server.calls)
    swapped = sum(call.labels[0] > call.labels[1] for call in server.calls)
    assert 15 < swapped < 45
    server.calls.clear()
    ask(*questions(60), judge_name="another")
    assert sorted(json.dumps(call.body) for call in server.calls) == first


def test_17_who_answered_is_kept_beside_who_was_asked(
    ask: Ask, server: ChatServer, store: Store
) -> None:
    server.script = lambda call: Say(model="test-model-2026-11" if call.number % 2 else "old")
    result = ask(*questions(10))
    assert set(result.judge.progress.models) == {"test-model-2026-11", "old"}
    for answer in store.answers():
        assert answer.judge == "openai/test-model"
        assert answer.model_answered in ("test-model-2026-11", "old")


def test_18_what_a_model_does_not_take_is_left_out_and_recorded(
    ask: Ask, server: ChatServer, store: Store
) -> None:
    ask(ONE, model="openai/gpt-5-mini", params={"temperature": 0, "seed": 7, "top_k": 3})
    (answer,) = store.answers()
    assert answer.params_dropped == ["temperature"]
    assert answer.params == {"temperature": 0, "seed": 7, "top_k": 3}
    assert answer.params_sent["seed"] == 7
    body = server.calls[0].body
    assert "temperature" not in body
    assert body["seed"] == 7


class Broken:
    """A store whose disk is full after some answers."""

    def __init__(self, store: Store, room: int) -> None:
        self._store = store
        self._room = room

    def get(self, digests: Sequence[str]) -> dict[str, Answer]:
        return self._store.get(digests)

    def put(self, answers: Sequence[tuple[str, Answer]]) -> None:
        if self._room < len(answers):
            raise InputError("database or disk is full")
        self._room -= len(answers)
        self._store.put(answers)

    fail = Store.fail


def test_19_a_store_that_cannot_be_written_stops_the_paying(
    server: ChatServer, store: Store
) -> None:
    server.latency = 0.02
    judge = judging(server, Broken(store, 20), concurrency=4)
    result = asyncio.run(decided(judge, questions(200)))
    assert isinstance(result.error, StoppedEarly)
    assert "disk is full" in str(result.error)
    assert len(server.calls) <= 20 + 2 * 4
    assert len(result.judgments) == len(store) <= 20


def test_19_what_is_in_flight_at_ctrl_c_is_kept(server: ChatServer, store: Store) -> None:
    server.latency = 0.3

    async def main() -> None:
        task = asyncio.create_task(decided(judging(server, store, concurrency=5), questions(100)))
        while len(server.calls) < 8:
            await asyncio.sleep(0.01)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(main())
    # One call was alone at first; then five at a time.
    assert len(store) == len(server.calls) <= 12


def test_19_a_call_that_hangs_does_not_hold_up_ctrl_c(server: ChatServer, store: Store) -> None:
    server.script = lambda call: Say(delay=3.0) if call.number else None

    async def main() -> None:
        task = asyncio.create_task(decided(judging(server, store, concurrency=5), questions(100)))
        while len(server.calls) < 6:
            await asyncio.sleep(0.01)
        task.cancel()
        await task

    started = time.monotonic()
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(main())
    assert time.monotonic() - started < 2.5
    assert len(store) == 1


def test_20_another_prompt_model_or_parameter_is_asked_anew(ask: Ask, server: ChatServer) -> None:
    edited = parse(
        b"---\nname: relation\nversion: 1\ntask: any\nkind: relation\n---\nAre they related?", "x"
    )
    ask(ONE)
    for options in (
        {"prompt": edited},
        {"model": "openai/other"},
        {"judge_name": "alias"},
        {"params": {"temperature": 1}},
        {"run": 2},
        {"prompt": load("permissible-subtask")},
    ):
        before = len(server.calls)
        if options.get("prompt") is not None and options["prompt"].kind == "permissible":  # type: ignore[attr-defined]
            server.script = lambda call: Say('{"reason": "x", "verdict": "yes"}')
        assert not isinstance(ask(ONE, **options).one, Failure)
        assert len(server.calls) == before + 1, options
        ask(ONE, **options)
        assert len(server.calls) == before + 1, options


def test_18_calls_in_flight_that_meet_one_refusal_all_ask_again(
    ask: Ask, server: ChatServer, store: Store
) -> None:
    """The first to be told leaves the parameter out; the others were told of it as well."""

    def refuse(call: Call) -> Say:
        if call.number < 2 or "temperature" not in call.body:
            return Say()
        told = "Unsupported value: 'temperature' does not support 0 with this model."
        return Say(status=400, body={"error": {"message": told, "code": 400}}, delay=0.2)

    server.script = refuse
    result = ask(*questions(30), concurrency=8)
    assert (result.error, result.failures, len(result.judgments)) == (None, {}, 30)
    progress = result.judge.progress
    assert progress.calls == len(server.calls) == 30 + progress.retries
    assert progress.retries > 1, "several were in flight"
    assert sum(answer.params_dropped == ["temperature"] for answer in store.answers()) >= 28
    for answer in store.answers():
        assert answer.params_sent["response_format"] == "json_schema"
