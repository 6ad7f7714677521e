"""Source inference."""

from __future__ import annotations

from typing import Any

from typeone.figures import style
from typeone.figures.decisions import p_values
from typeone.figures.inline._svg import svg


def draw(result: Any) -> str:
    """p-values of all targets, with the levels."""
    ax = p_values(result.p_value, at=[level.text for level in result.levels])
    return svg(style.figure_of(ax), f"p-values of {len(result)} targets, smallest first, and the levels")
