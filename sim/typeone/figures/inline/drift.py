"""The drift of a count."""

from __future__ import annotations

from typing import Any

from typeone.figures import style
from typeone.figures.inline._svg import svg
from typeone.figures.sizes import count_rule


def draw(result: Any) -> str:
    """The operating point of one vote rule at each number of sources."""
    ax = count_rule(result.to_arrow(), tau=result.tau)
    return svg(style.figure_of(ax), f"what the rule count >= {result.tau} means at each number of sources")
