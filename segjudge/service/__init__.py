"""The HTTP service: runs with live progress, judgments, the blind audit, and their pages."""

from __future__ import annotations

from segjudge.service.settings import Settings

__all__ = ["Settings"]
