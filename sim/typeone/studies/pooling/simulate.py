"""One batch of repetitions: the same items through every rule, and the exact value of every measure beside them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from typeone.engine.study import Cell, Column, Columns
from typeone.levels import Level
from typeone.pooling import quality
from typeone.studies.pooling.cases import Cases, drawn_cases, exact_cases
from typeone.studies.pooling.parameters import Parameters
from typeone.studies.pooling.rules import Rules, View, operating_points

Values = dict[Column, float]


@dataclass(frozen=True, slots=True)
class Constants:
    """What all repetitions of a cell have in common: the rules, and values that do not vary."""

    rules: Rules
    values: Values


def share(cell: Cell) -> Constants:
    """The rules of a cell, exact values under ``<measure>_exact``, and operating points.

    With estimated reliabilities the pooled rule has none of these: its weights differ in every repetition.
    """
    p: Parameters = cell.parameters
    for level in cell.levels:
        if 2 * level >= 1:
            raise ValueError(f"levels: {level.text} is no error to tolerate among decided items; stay below 1/2")
    rules = Rules.of(p, cell.levels)
    values = {
        Column(column.method, f"{column.measure}_exact", column.level): value
        for column, value in measures(rules, cell.levels, exact_cases(p)).items()
    }
    for level in cell.levels:
        for name, point in operating_points(p, level).items():
            values[Column(name, "operating_point", level.text)] = point
    if p.labelled:
        values = {column: value for column, value in values.items() if column.method != "pooled"}
    return Constants(rules, values)


def simulate(cell: Cell, shared: Constants, first: int, count: int) -> Columns:
    """Measures of repetitions ``first`` .. ``first + count - 1``, one value for each."""
    p: Parameters = cell.parameters
    rows = [
        measures(shared.rules, cell.levels, drawn_cases(p, cell.key, repetition))
        for repetition in range(first, first + count)
    ]
    columns = {column: np.array([row[column] for row in rows]) for column in rows[0]}
    return columns | {column: np.full(count, value) for column, value in shared.values.items()}


def measures(rules: Rules, levels: tuple[Level, ...], cases: Cases) -> Values:
    """Every measure of every rule on weighted cases; NaN where it is not defined."""
    values: Values = {}
    for view in rules.views(cases):
        for i, level in enumerate(levels):
            for measure, value in _rates(view, i, cases):
                values[Column(view.name, measure, level.text)] = value
        values[Column(view.name, "auroc")] = quality.auroc(view.key, cases.truth, cases.weight)
        for name, function in (
            ("brier", quality.brier),
            ("calibration", quality.calibration_error),
            ("overconfidence", quality.overconfidence),
        ):
            values[Column(view.name, name)] = function(view.forecast, cases.truth, cases.weight)
    return values


def _rates(view: View, level: int, cases: Cases) -> Iterator[tuple[str, float]]:
    accepted, rejected = view.accepted[level], view.rejected[level]
    true = cases.truth == 1
    yield "fpr", _share(accepted, ~true, cases.weight)
    yield "tpr", _share(accepted, true, cases.weight)
    yield "abstention", _share(~accepted & ~rejected, np.ones(true.size, bool), cases.weight)
    yield "accepted_error", _share(~true, accepted, cases.weight)
    yield "rejected_error", _share(true, rejected, cases.weight)


def _share(these: NDArray[np.bool_], among: NDArray[np.bool_], weight: NDArray[np.float64]) -> float:
    """Weight of ``these`` among ``among``; NaN when there are none."""
    total = float(weight[among].sum())
    return min(1.0, float(weight[these & among].sum()) / total) if total > 0 else math.nan
