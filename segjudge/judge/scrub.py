"""Keep secrets out of everything that is written or said."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

HIDDEN = "[secret]"

#: Variables whose values are secrets, by their names.
_SECRET_NAMES = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)(_?ID)?$", re.IGNORECASE)

#: Secrets by their looks: what common providers issue, headers, user and password in a URL.
_LOOKS = (
    re.compile(r"\b(?:sk|pk|rk|gsk|xai|hf|r8|pplx)[-_][A-Za-z0-9_-]{12,}"),
    re.compile(r"\bAIza[A-Za-z0-9_-]{20,}"),
    re.compile(r"(?<=\bBearer )\s*[^\s\"',}]{6,}", re.IGNORECASE),
    re.compile(r"(?<=[?&]key=)[^&\s\"']+"),
    re.compile(r"(?<=://)[^/\s:@]+:[^/\s@]+(?=@)"),
)


class Scrubber:
    """Replaces secrets in text: those it was told of, those in the environment, and look-alikes.

    Parameters
    ----------
    secrets : iterable of str or None
        Known secrets, whatever they look like.
    environment : mapping, optional
        Where keys are looked up by the names of variables; the process's own by default.
    """

    def __init__(
        self, secrets: Iterable[str | None] = (), environment: Mapping[str, str] | None = None
    ) -> None:
        named = (os.environ if environment is None else environment).items()
        known = {value for name, value in named if _SECRET_NAMES.search(name)} | set(secrets)
        # Shorter ones are words that a text may hold by chance.
        self._known = sorted((s for s in known if s and len(s) >= 8), key=len, reverse=True)

    def __call__(self, text: str) -> str:
        """Return the text without secrets."""
        for secret in self._known:
            text = text.replace(secret, HIDDEN)
        for looks in _LOOKS:
            text = looks.sub(HIDDEN, text)
        return text

    def value(self, value: Any) -> Any:
        """Return a JSON value without secrets in its strings."""
        if isinstance(value, str):
            return self(value)
        if isinstance(value, Mapping):
            return {name: self.value(each) for name, each in value.items()}
        return [self.value(each) for each in value] if isinstance(value, list | tuple) else value
