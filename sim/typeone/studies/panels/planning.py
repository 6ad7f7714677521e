"""What the planner may know of this study; the keys are explained in ``typeone.plan.hints``."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from typeone.engine.study import Column
from typeone.panels.certificate import passing_counts
from typeone.panels.design import certification_of_counts, failures_borne
from typeone.studies.panels.attacks import exact_error
from typeone.studies.panels.generator import Law
from typeone.studies.panels.parameters import Parameters
from typeone.studies.panels.tables import LAYERS

CLOSE = 1e-11
"""Relative error that the exact chances surely keep."""


def steps(p: Parameters, column: Column) -> tuple[object, ...] | None:
    """Failing units that a certificate bears, and counts at which a unit passes: chances jump where these do.

    A panel's quota goes up with every second size, so under attack each size is a tooth of its own.
    """
    if p.attack != "none":
        return (p.size,)
    layer = next((layer for layer in LAYERS if layer == column.method), None)
    if layer is None:
        return None
    rule = passing_counts(p.evaluators, p.units, p.terms(layer))
    return (failures_borne(p.units, p.terms(layer)), *rule.accept.tolist(), *rule.reject.tolist())


def law(cells: Sequence[Parameters], column: Column, bound: Fraction) -> list[float | None]:
    """A panel's error under attack, and the chance of a certificate from independent votes on nested sizes.

    None where the double is too close to the bound to say on which side of it the chance lies.
    """
    chances = [_chance(p, column) for p in cells]
    return [None if chance is not None and abs(chance - bound) <= CLOSE * bound else chance for chance in chances]


def _chance(p: Parameters, column: Column) -> float | None:
    if p.attack != "none":
        return exact_error(p) if column == Column(p.attack, "disagreement") else None
    layer = next((layer for layer in LAYERS if column == Column(layer, "certified")), None)
    if layer is None or p.shared:
        return None
    return certification_of_counts(Law.of(p).counts(p.evaluators), p.units, p.terms(layer)).any_size


PLAN = {
    "measures": {"power": "certified:exact", "error": "disagreement"},
    "factors": {"E": "evaluators", "A": "units", "K": "size"},
    "steps": steps,
    "law": law,
}
