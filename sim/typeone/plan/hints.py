"""What a study may tell the planner: a dictionary ``PLAN`` beside its ``STUDY``, every key of it optional.

    PLAN = {
        "measures": {"power": "tpr@0.05:scf"},
        "factors": {"L": "calibration", "K": "reference"},
        "zero": {"calibration": "the scenario's own number"},
        "steps": steps,
        "law": law,
        "common": common,
        "uncertainty": uncertainty,
        "holds_for": holds_for,
    }

measures
    Other words for a measure, with the level and method that are meant when a target names none.
factors
    Other words for factors, such as the symbols of the field.
zero
    Factors whose 0 is no size, with what it stands for: a plan refuses it among the sizes.
steps(parameters, column)
    Something hashable that changes where the column's expectation jumps, such as floor(t (L + 1)): sizes
    with the same value form one tooth of a saw.  None, or no function: one smooth stretch.
law(cells, column, bound)
    For each of ``cells`` (validated parameters) the exact expectation of the column, or None where only a
    simulation knows it.  A float closer to ``bound`` (an exact number) than its own accuracy must be settled
    by the study, so that comparing with ``bound`` is right.
common(cells)
    All cells of a plan have one key, but a stream is read in order, so what a size makes longer moves what comes
    after it.  Values of factors, by name, with which all of ``cells`` draw as much as the largest of them and use
    their share of it.  They may change what is drawn, never the law of what is used.
uncertainty(cell, factor)
    Where the factor's value is an estimate, such as a pilot's effect: the ends of an interval of the true value,
    as multiples of the estimate, and what interval that is.  None, or no function: the value is an assumption.
holds_for(cell)
    What the answer is about, where that is less than a reader would think: one population, one file's items.

The engine knows nothing of it, and a study without it can be planned all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from importlib import import_module
from typing import Any, TypeAlias

from typeone.engine.parameters import Scalar, suggestion
from typeone.engine.study import Cell, Column

Steps: TypeAlias = Callable[[Any, Column], Hashable]
Law: TypeAlias = Callable[[Sequence[Any], Column, Fraction], Sequence[float | Fraction | None]]
Common: TypeAlias = Callable[[Sequence[Cell]], Mapping[str, Scalar]]
Uncertainty: TypeAlias = Callable[[Cell, str], tuple[float, float, str] | None]


def _smooth(parameters: Any, column: Column) -> Hashable:
    return None


def unknown(cells: Sequence[Any], column: Column, bound: Fraction) -> Sequence[float | Fraction | None]:
    """The law of a study that knows none."""
    return [None] * len(cells)


def _as_they_are(cells: Sequence[Cell]) -> Mapping[str, Scalar]:
    return {}


def _assumed(cell: Cell, factor: str) -> None:
    return None


def _for_all(cell: Cell) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Hints:
    """A study's ``PLAN`` with the defaults filled in."""

    measures: Mapping[str, str] = field(default_factory=dict)
    factors: Mapping[str, str] = field(default_factory=dict)
    zero: Mapping[str, str] = field(default_factory=dict)
    steps: Steps = _smooth
    law: Law = unknown
    common: Common = _as_they_are
    uncertainty: Uncertainty = _assumed
    holds_for: Callable[[Cell], str] = _for_all


def hints_of(reference: str) -> Hints:
    """The hints beside the study ``module:NAME``."""
    module = reference.partition(":")[0]
    given: dict[str, Any] = getattr(import_module(module), "PLAN", {})
    known = {entry.name for entry in fields(Hints)}
    for key in given:
        if key not in known:
            raise ValueError(f"{module}.PLAN[{key!r}]: no such key{suggestion(key, known)}")
    return Hints(**given)
