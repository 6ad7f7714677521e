"""A plan."""

from __future__ import annotations

import re
from typing import Any

from typeone.figures import style
from typeone.figures.inline._svg import svg
from typeone.figures.sizes import plan_curve
from typeone.levels import number


def draw(result: Any) -> str:
    """The curve behind the answer, with the target and the sizes found; "" before anything is known."""
    if not any(row["multiple"] == "1" and row["estimate"] is not None for row in result.curve.to_pylist()):
        return ""
    wanted = re.search(r"[<>]=(.+)$", result.target)
    answers = []
    if len(result.main) == 1:
        told = {"minimum": result.main[0].minimum.size, "stable": result.main[0].stable.size}
        answers = [(name, size) for name, size in told.items() if size is not None]
    target = None if wanted is None else float(number("target", wanted[1]))
    ax = plan_curve(result.curve, name=result.factors[0], measure=result.column[1], target=target, answers=answers)
    return svg(style.figure_of(ax), f"{result.target} against {result.factors[0]}")
