"""Which form of JSON a server is asked for: found out once a run."""

from __future__ import annotations

import pytest
from chat_asking import Ask
from chat_server import Call, ChatServer, Say, questions

from segjudge.cache.store import Store

EXPLICIT = "'response_format.type' must be 'json_object' or 'text'"
VAGUE = "Bad request"


def form(call: Call) -> str:
    return str(call.body.get("response_format", {}).get("type", "plain"))


def accepting(*forms: str, message: str = EXPLICIT):  # type: ignore[no-untyped-def]
    refusal = Say(status=400, body={"error": {"message": message}})
    return lambda call: None if form(call) in forms else refusal


def test_a_schema_is_asked_for_strictly(ask: Ask, server: ChatServer) -> None:
    ask(*questions(1))
    sent = server.calls[0].body["response_format"]["json_schema"]
    assert sent["strict"] is True
    assert list(sent["schema"]["properties"]) == ["reason", "verdict"]
    assert "$defs" not in str(sent)


@pytest.mark.parametrize("message", [EXPLICIT, VAGUE])
@pytest.mark.parametrize("accepted", ["json_object", "plain"])
def test_a_server_without_schemas_is_found_out_by_one_call(
    ask: Ask, server: ChatServer, store: Store, message: str, accepted: str
) -> None:
    server.script = accepting(accepted, message=message)
    server.latency = 0.02
    result = ask(*questions(40), concurrency=8)
    assert len(result.judgments) == 40
    refused = [call for call in server.calls if form(call) != accepted]
    assert len(refused) == (1 if accepted == "json_object" else 2)
    sent = {answer.params_sent.get("response_format", "plain") for answer in store.answers()}
    assert sent == {accepted}


def test_one_bad_question_first_does_not_cost_the_others_their_form(
    ask: Ask, server: ChatServer
) -> None:
    server.script = lambda call: (
        Say(status=400, body={"error": {"message": VAGUE}}) if "task 0" in call.labels else None
    )
    result = ask(*questions(10), concurrency=1)
    assert len(result.judgments) == 9
    assert {form(call) for call in server.calls if "task 0" not in call.labels} == {"json_schema"}
    assert [form(call) for call in server.calls[:3]] == ["json_schema", "json_object", "plain"]


def test_it_is_found_out_once_a_run_and_not_remembered(ask: Ask, server: ChatServer) -> None:
    server.script = accepting("plain")
    ask(*questions(5))
    server.script = accepting("json_schema", "json_object", "plain")
    server.calls.clear()
    ask(*questions(10))
    assert {form(call) for call in server.calls} == {"json_schema"}


def test_a_refusal_in_the_middle_lowers_the_form_for_all_after_it(
    ask: Ask, server: ChatServer
) -> None:
    server.script = lambda call: None if call.number < 10 else accepting("json_object")(call)
    result = ask(*questions(40), concurrency=4)
    assert len(result.judgments) == 40
    late = [call for call in server.calls if call.number >= 10]
    assert sum(form(call) == "json_schema" for call in late) <= 4
