"""The pages: thin HTML that scripts of ours fill, every label as text."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(include_in_schema=False)
