"""What the planner may know of this study; the keys are explained in ``typeone.plan.hints``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from typeone.engine.study import Column
from typeone.levels import Level
from typeone.scf.statistics import EVIDENCE
from typeone.studies.scf.parameters import Parameters

REJECTIONS = ("tpr", "fpr", "tpr_gain")


def steps(p: Parameters, column: Column) -> tuple[int, ...] | None:
    """floor(t (m + 1)) of each method in the column: the rate at which it may reject jumps where this does."""
    if column.measure not in REJECTIONS:
        return None
    level = Level(column.level)
    return tuple(_most(p, method, level) for method in column.method.split(" - "))


def law(cells: Sequence[Parameters], column: Column, bound: Fraction) -> list[float | None]:
    """Below 1 / (m + 1) no p-value can reject: every rate is 0."""
    return [0.0 if (most := steps(p, column)) and not any(most) else None for p in cells]


def _most(p: Parameters, method: str, level: Level) -> int:
    m = p.L if method in EVIDENCE else p.K + p.L
    return math.floor(level * (m + 1))


PLAN = {
    "measures": {"power": "tpr@0.05:scf"},
    "factors": {"K": "reference", "L": "calibration"},
    "steps": steps,
    "law": law,
}
