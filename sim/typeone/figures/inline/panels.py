"""Panels."""

from __future__ import annotations

from typing import Any

from typeone.figures import style
from typeone.figures.decisions import unit_sizes
from typeone.figures.inline._svg import svg


def draw(result: Any) -> str:
    """Minimum and stable size of each unit against its share of positive votes."""
    ax = unit_sizes(result.positives / max(result.evaluators, 1), result.minimum, result.stable)
    return svg(style.figure_of(ax), f"panel sizes of {len(result)} units against their share of positive votes")
