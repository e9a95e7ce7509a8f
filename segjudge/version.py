"""The version of the installed package."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed


def version() -> str:
    """Return the version, ``unknown`` where segjudge runs without being installed."""
    try:
        return installed("segjudge")
    except PackageNotFoundError:
        return "unknown"
