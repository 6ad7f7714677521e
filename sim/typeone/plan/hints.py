"""What a study may tell the planner: a dictionary ``PLAN`` beside its ``STUDY``, every key of it optional.

    PLAN = {
        "measures": {"power": "tpr@0.05:scf"},
        "factors": {"L": "calibration", "K": "reference"},
        "steps": steps,
        "law": law,
    }

measures
    Other words for a measure, with the level and method that are meant when a target names none.
factors
    Other words for factors, such as the symbols of the field.
steps(parameters, column)
    Something hashable that changes where the column's expectation jumps, such as floor(t (L + 1)): sizes
    with the same value form one tooth of a saw.  None, or no function: one smooth stretch.
law(cells, column, bound)
    For each of ``cells`` (validated parameters) the exact expectation of the column, or None where only a
    simulation knows it.  A float closer to ``bound`` (an exact number) than its own accuracy must be settled
    by the study, so that comparing with ``bound`` is right.

The engine knows nothing of it, and a study without it can be planned all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from importlib import import_module
from typing import Any, TypeAlias

from typeone.engine.parameters import suggestion
from typeone.engine.study import Column

Steps: TypeAlias = Callable[[Any, Column], Hashable]
Law: TypeAlias = Callable[[Sequence[Any], Column, Fraction], Sequence[float | Fraction | None]]


def _smooth(parameters: Any, column: Column) -> Hashable:
    return None


def unknown(cells: Sequence[Any], column: Column, bound: Fraction) -> Sequence[float | Fraction | None]:
    """The law of a study that knows none."""
    return [None] * len(cells)


@dataclass(frozen=True, slots=True)
class Hints:
    """A study's ``PLAN`` with the defaults filled in."""

    measures: Mapping[str, str] = field(default_factory=dict)
    factors: Mapping[str, str] = field(default_factory=dict)
    steps: Steps = _smooth
    law: Law = unknown


def hints_of(reference: str) -> Hints:
    """The hints beside the study ``module:NAME``; those of its package when the module is called ``study``."""
    module = reference.partition(":")[0]
    homes = [module, module.removesuffix(".study")]
    given: dict[str, Any] = next((plan for home in homes if (plan := getattr(import_module(home), "PLAN", None))), {})
    known = {entry.name for entry in fields(Hints)}
    for key in given:
        if key not in known:
            raise ValueError(f"{module}.PLAN[{key!r}]: no such key{suggestion(key, known)}")
    return Hints(**given)
