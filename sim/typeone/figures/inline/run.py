"""A run."""

from __future__ import annotations

from typing import Any

from typeone.figures import style
from typeone.figures.estimates import MOST_DOTS, dots
from typeone.figures.inline._svg import svg
from typeone.figures.rows import Row, groups


def draw(summary: Any) -> str:
    """Estimates of a run's summary with their intervals: its first promised measure, else its first; few cells only.

    "" when there is no estimate.  At most 60 estimates are drawn, those of the first cells.
    """
    rows: list[Row] = [row for row in summary.to_pylist() if row["estimate"] is not None]
    by_measure = {measure: group for (measure,), group in groups(rows, "measure").items()}
    if not by_measure:
        return ""
    promised = [name for name, group in by_measure.items() if any(row["verdict"] for row in group)]
    measure = (promised or list(by_measure))[0]
    shown = by_measure[measure][:MOST_DOTS]
    names = ["method", *(["cell"] if len({row["cell"] for row in shown}) > 1 else []), "level"]
    ax = dots(shown, measure=measure, names=names)
    left = len(by_measure[measure]) - len(shown)
    return svg(style.figure_of(ax), f"{measure} with intervals" + (f", {left} more not drawn" if left else ""))
