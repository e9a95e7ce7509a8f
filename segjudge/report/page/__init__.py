"""The page: one self-contained file of HTML that shows where a score comes from."""

from __future__ import annotations

from segjudge.report.page.builder import asset, page, scripts, styles

__all__ = ["asset", "page", "scripts", "styles"]
