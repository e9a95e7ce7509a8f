"""What a failed call means: try again, pause, stop the run, or give up this question."""

from __future__ import annotations

import email.utils
import re
import time
from collections.abc import Mapping
from enum import Enum
from typing import Any


class Course(Enum):
    """What is to be done about a fault."""

    RETRY = "retry"
    PAUSE = "pause"  # as RETRY, but everyone waits
    STOP = "stop"
    FORM = "form"  # the request's form was refused: ask in another
    AGAIN = "again"  # the request is another now: ask at once, without what was refused
    GIVE_UP = "give up"  # this question's failure, and no other's


class Fault(Exception):
    """A call that gave no reply.

    Parameters
    ----------
    course : Course
    reason : str
        A stable word, as in `Failure`.
    detail : str
        What was seen, without secrets.
    retry_after : float, optional
        Seconds that the server asked to wait.
    """

    def __init__(
        self, course: Course, reason: str, detail: str, retry_after: float | None = None
    ) -> None:
        super().__init__(f"{reason}: {detail}")
        self.course = course
        self.reason = reason
        self.detail = detail
        self.retry_after = retry_after


#: Out of money or of the day's share. A provider's "you exceeded your current quota" is not among
#: them: Gemini says it of each minute.
_QUOTA = re.compile(
    r"insufficient_quota|billing_hard_limit|billing_not_active|credit balance is too low"
    r"|PerDay|insufficient (?:credits|balance)",
    re.IGNORECASE,
)
_BLOCKED = re.compile(
    r"content[_ ]?(?:policy|filter|management)|ResponsibleAI|requires moderation|was flagged"
    r"|safety (?:system|filter)",
    re.IGNORECASE,
)
_TOO_LONG = re.compile(
    r"context[_ ](?:length|window)|maximum context|prompt is too long|too many tokens"
    r"|exceeds the (?:maximum|available context)",
    re.IGNORECASE,
)
_FORM = re.compile(
    r"response_?format|json_schema|json_object|structured[_ ]output|output_format|guided"
    r"|response_?(?:json_)?schema|response_mime_type|grammar|failed to parse.{0,20}schema",
    re.IGNORECASE,
)
_PAGE = re.compile(r"<!doctype html|<html", re.IGNORECASE)
_UNREACHABLE = re.compile(
    r"connection error|connect call failed|cannot connect|connection refused|connection reset"
    r"|server disconnected|name or service not known|all connection attempts failed",
    re.IGNORECASE,
)

#: Statuses that mean the same for every question.
_STOPPING = {401: "no_access", 402: "quota", 403: "no_access", 404: "not_found"}

_DETAIL = 500


def classify(error: BaseException, scrub: Any = str) -> Fault:
    """Return what a failed call means.

    By class, body and status together: a status alone lies. An overloaded Claude arrives as 500,
    an HTML page with status 200 as 422, a moderated question as 403.

    Parameters
    ----------
    error : exception
        As litellm raises it, or TimeoutError.
    scrub : callable
        Takes secrets out of a text.
    """
    if isinstance(error, Fault):
        return error
    names = {kind.__name__ for kind in type(error).__mro__}
    status = getattr(error, "status_code", None)
    status = status if isinstance(status, int) else None
    body = " ".join(str(getattr(error, name, None) or "") for name in ("body", "code"))
    text = f"{error} {body}"
    shown = scrub(" ".join((str(error) or type(error).__name__).split()))[:_DETAIL]
    detail = f"status {status}: {shown}" if status else f"{type(error).__name__}: {shown}"

    def fault(course: Course, reason: str) -> Fault:
        return Fault(course, reason, detail, retry_after(error))

    if isinstance(error, TimeoutError) or names & {"Timeout", "APITimeoutError"} or status == 408:
        return fault(Course.RETRY, "timeout")
    if _QUOTA.search(text) and (status in (400, 402, 403, 429) or "RateLimitError" in names):
        return fault(Course.STOP, "quota")
    if status == 429:
        return fault(Course.PAUSE, "rate_limited")
    if "ContentPolicyViolationError" in names or (
        status in (400, 403, 422) and _BLOCKED.search(text)
    ):
        return fault(Course.GIVE_UP, "blocked")
    if "ContextWindowExceededError" in names or status == 413:
        return fault(Course.GIVE_UP, "too_long")
    if status in _STOPPING:
        return fault(Course.STOP, _STOPPING[status])
    if status is not None and 400 <= status < 500 and status != 409:
        return _refused(fault, text)
    if _UNREACHABLE.search(text) or "APIConnectionError" in names:
        return fault(Course.RETRY, "server" if _PAGE.search(text) else "unreachable")
    return fault(Course.RETRY, "server")


def _refused(fault: Any, text: str) -> Fault:
    """Return what a 4xx means that is about this request."""
    if _PAGE.search(text):
        result: Fault = fault(Course.RETRY, "server")
    elif _TOO_LONG.search(text):
        result = fault(Course.GIVE_UP, "too_long")
    elif _FORM.search(text):
        result = fault(Course.FORM, "rejected")
    else:
        result = fault(Course.GIVE_UP, "rejected")
    return result


def retry_after(error: BaseException, now: float | None = None) -> float | None:
    """Return the seconds that a server asked to wait: given as a number, or as a date."""
    said = None
    response = getattr(error, "response", None)
    for headers in (
        getattr(error, "litellm_response_headers", None),
        getattr(response, "headers", None),
    ):
        if isinstance(headers, Mapping):
            lower = {str(name).lower(): value for name, value in headers.items()}
            said = said or lower.get("retry-after")
    if said is None:
        return None
    try:
        seconds = float(said)
    except ValueError:
        try:
            when = email.utils.parsedate_to_datetime(str(said)).timestamp()
        except ValueError:
            return None
        seconds = when - (time.time() if now is None else now)
    return max(0.0, seconds) if seconds < float("inf") else None
