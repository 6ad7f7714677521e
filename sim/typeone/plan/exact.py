"""What needs no simulation: expectations that the study knows by a law, and where a saw has its teeth."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction

from typeone.engine.study import Column
from typeone.plan.cells import Line
from typeone.plan.question import Asked
from typeone.plan.target import Target


def teeth(asked: Asked, line: Line) -> list[Hashable]:
    """The tooth of every size of a line."""
    cells = asked.planned.cells[line.first : line.first + len(asked.sizes)]
    return [asked.hints.steps(cell.parameters, asked.column) for cell in cells]


def known(asked: Asked, line: Line, target: Target, column: Column) -> dict[int, float | Fraction]:
    """Exact expectations of a column by cell, as far as the study's law knows them."""
    cells = asked.planned.cells[line.first : line.first + len(asked.sizes)]
    values = asked.hints.law([cell.parameters for cell in cells], column, target.value)
    if len(values) != len(cells):
        raise ValueError(f"PLAN['law'] of {asked.planned.study.name}: {len(values)} values for {len(cells)} cells")
    return {cell.index: value for cell, value in zip(cells, values, strict=True) if value is not None}
