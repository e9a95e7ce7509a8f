"""How hard hypothesis looks: harder, and always at the same examples, where CI is set."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("default", max_examples=100, deadline=None)
settings.register_profile("ci", max_examples=250, deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") == "true" else "default")
