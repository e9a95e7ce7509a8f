"""Tests that ask a real model are marked, so that they can be chosen or left out."""

from __future__ import annotations

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "model: asks a real, small chat model")
