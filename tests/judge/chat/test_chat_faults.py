"""What errors mean, how long a server asks to wait, and what is never shown."""

from __future__ import annotations

import email.utils
import time
from types import SimpleNamespace

import pytest

from segjudge.judge.faults import Course, classify, retry_after
from segjudge.judge.scrub import HIDDEN, Scrubber


class RateLimitError(Exception):
    status_code = 429


def error(status: int | None, text: str = "", kind: str = "APIError") -> Exception:
    made = type(kind, (Exception,), {"status_code": status})(text)
    assert isinstance(made, Exception)
    return made


@pytest.mark.parametrize(
    ("given", "course", "reason"),
    [
        (TimeoutError(), Course.RETRY, "timeout"),
        (error(408, "", "Timeout"), Course.RETRY, "timeout"),
        (error(409), Course.RETRY, "server"),
        (error(429), Course.PAUSE, "rate_limited"),
        # Gemini says this of each minute.
        (
            error(429, "You exceeded your current quota, please check your plan and billing"),
            Course.PAUSE,
            "rate_limited",
        ),
        (error(429, "quotaId: GenerateRequestsPerDayPerProject"), Course.STOP, "quota"),
        (error(429, '{"code": "insufficient_quota"}'), Course.STOP, "quota"),
        (error(400, "Your credit balance is too low"), Course.STOP, "quota"),
        (error(402, "Insufficient credits"), Course.STOP, "quota"),
        (error(401), Course.STOP, "no_access"),
        (error(403, "your IP is blocked"), Course.STOP, "no_access"),
        (error(403, "requires moderation and your input was flagged"), Course.GIVE_UP, "blocked"),
        (error(404), Course.STOP, "not_found"),
        (error(400, "x", "ContentPolicyViolationError"), Course.GIVE_UP, "blocked"),
        (error(400, "x", "ContextWindowExceededError"), Course.GIVE_UP, "too_long"),
        (error(400, "This model's maximum context length is 8"), Course.GIVE_UP, "too_long"),
        (error(400, "json_schema is not supported"), Course.FORM, "rejected"),
        (error(422, "extra"), Course.GIVE_UP, "rejected"),
        (error(422, "<!DOCTYPE html><html>"), Course.RETRY, "server"),
        (error(500, "Overloaded"), Course.RETRY, "server"),
        (error(529), Course.RETRY, "server"),
        (error(500, "Connection error.", "InternalServerError"), Course.RETRY, "unreachable"),
        (error(500, "x", "APIConnectionError"), Course.RETRY, "unreachable"),
        (error(500, "<html>", "APIConnectionError"), Course.RETRY, "server"),
        (ValueError("odd"), Course.RETRY, "server"),
    ],
    ids=str,
)
def test_errors_are_told_apart_by_class_body_and_status(
    given: Exception, course: Course, reason: str
) -> None:
    fault = classify(given)
    assert (fault.course, fault.reason) == (course, reason)


def test_retry_after_is_seconds_or_a_date() -> None:
    def waiting(said: str) -> float | None:
        failed = RateLimitError()
        failed.litellm_response_headers = {"Retry-After": said}  # type: ignore[attr-defined]
        return retry_after(failed)

    assert waiting("7") == 7.0
    assert waiting("0.5") == 0.5
    assert waiting("-3") == 0.0
    assert waiting("soon") is None
    assert waiting("inf") is None
    assert waiting("nan") is None
    later = waiting(email.utils.formatdate(time.time() + 60, usegmt=True))
    assert later is not None
    assert 57 < later < 61
    assert waiting("Mon, 01 Jan 2001 00:00:00 GMT") == 0.0
    assert retry_after(RateLimitError()) is None
    plain = RateLimitError()
    plain.response = SimpleNamespace(headers={"retry-after": "2"})  # type: ignore[attr-defined]
    assert retry_after(plain) == 2.0


def test_secrets_are_hidden_by_name_and_by_looks() -> None:
    environment = {"MY_API_KEY": "correct horse", "HOME": "/somewhere", "SHORT_KEY": "ab"}
    scrub = Scrubber(["told explicitly"], environment)
    text = (
        "correct horse, told explicitly, sk-abcdefghijklmnop1234, AIzaSyA1234567890abcdefghij, "
        "Authorization: Bearer zzzzzzzz, http://me:pass@host/v1?key=qwerty, /somewhere ab"
    )
    shown = scrub(text)
    for secret in ("correct", "told", "abcdefgh", "AIza", "zzzz", "pass", "qwerty"):
        assert secret not in shown
    assert shown.endswith("/somewhere ab")
    assert scrub.value({"a": ["correct horse", 1, None]}) == {"a": [HIDDEN, 1, None]}
