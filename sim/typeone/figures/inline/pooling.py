"""Pooling."""

from __future__ import annotations

from typing import Any

from typeone.figures import style
from typeone.figures.decisions import posteriors
from typeone.figures.inline._svg import svg


def draw(result: Any) -> str:
    """Posteriors by decision, with both thresholds."""
    ax = posteriors(result.posterior, result.to_arrow()["decision"].to_pylist())
    for name, threshold in (("accept", result.terms.accept), ("reject", result.terms.reject)):
        ax.axhline(float(threshold), color=style.FAINT, linewidth=1, label=f"{name} at {threshold.text}")
    style.own_legend(ax)
    return svg(style.figure_of(ax), f"posteriors of {len(result)} items, smallest first, by decision")
