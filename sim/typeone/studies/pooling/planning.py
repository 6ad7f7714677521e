"""What the planner may know of this study; the keys are explained in ``typeone.plan.hints``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from typeone.engine.study import Column
from typeone.levels import Level
from typeone.studies.pooling.cases import exact_cases
from typeone.studies.pooling.parameters import Parameters
from typeone.studies.pooling.rules import Rules
from typeone.studies.pooling.simulate import measures

CLOSE = 1e-10
"""Relative error that the exact values surely keep."""
_ANY_LEVEL = Level("0.05")
"""For a measure that looks at none."""
_BIASED = frozenset({"calibration"})
"""Of a repetition's items in ten bins: its expectation is not its value on all items that can occur."""
_OF_ITEMS = frozenset(
    {"fpr", "tpr", "abstention", "accepted_error", "rejected_error", "auroc", "brier", "overconfidence"}
)


def law(cells: Sequence[Parameters], column: Column, bound: Fraction) -> list[float | None]:
    """The share of the items that can occur, where the reliabilities are known or the rule does not look at them.

    Items are independent draws, so a repetition's share among those of a kind expects the same.  None where the double
    is too close to the bound to say on which side of it the value lies.
    """
    values = [_value(p, column) for p in cells]
    return [None if value is not None and abs(value - bound) <= CLOSE else value for value in values]


def _value(p: Parameters, column: Column) -> float | None:
    measure = column.measure.removesuffix("_exact")
    known = measure in _OF_ITEMS or (measure in _BIASED and measure != column.measure)
    if not known or (p.labelled and column.method == "pooled"):
        return None
    levels = (Level(column.level) if column.level else _ANY_LEVEL,)
    found = measures(Rules.of(p, levels), levels, exact_cases(p))
    value = found.get(Column(column.method, measure, column.level), math.nan)
    return None if math.isnan(value) else value


PLAN = {
    "measures": {"power": "tpr:pooled"},
    "factors": {"sources": "n"},
    "law": law,
}
