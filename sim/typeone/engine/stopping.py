"""Whether a cell has reached the design's target, at a look whose count no worker can move."""

from __future__ import annotations

import math
from collections.abc import Iterator

from typeone.engine.design import Design, Stop
from typeone.engine.parameters import suggestion
from typeone.engine.storage import Store
from typeone.engine.study import Column, Study
from typeone.engine.summary import claim_error, claimed_level, claims, tally
from typeone.engine.verdicts import Tally


def check_rule(rule: Stop, study: Study) -> None:
    """A ValueError when the rule names what the study does not have."""
    known = {measure.name: measure for measure in study.measures}
    for name in rule.measures:
        if name not in known:
            raise ValueError(f"stop.measures: {study.name} has no measure {name!r}{suggestion(name, known)}")
        if rule.verdict and not known[name].claim:
            raise ValueError(f"stop.measures: {name!r} is no claim, so there is no verdict to wait for")
    if not rule.measures and not any(measure.claim for measure in known.values()):
        raise ValueError(f"stop.measures: {study.name} makes no claim; name the measures to wait for")


def reached(store: Store, study: Study, design: Design, cell: int, look: int) -> bool:
    """Whether the cell's first ``look`` repetitions are enough under ``design.stop``."""
    rule = design.stop
    assert rule is not None
    tallies, _, failed = tally(store, study, cell, look)
    watched = list(_watched(rule, study, tallies))
    alpha = claim_error(store, study, tallies)
    return bool(watched) and all(_is_enough(rule, column, sums, design, alpha, failed) for column, sums in watched)


def _watched(rule: Stop, study: Study, tallies: dict[Column, Tally]) -> Iterator[tuple[Column, Tally]]:
    claimed = claims(study, tallies)
    for column, sums in tallies.items():
        if column.measure in rule.measures or (not rule.measures and column in claimed):
            yield column, sums


def _is_enough(rule: Stop, column: Column, sums: Tally, design: Design, alpha: float, failed: int) -> bool:
    if rule.verdict:
        verdict = sums.verdict(claimed_level(column), design.margin, alpha, failed=failed, sequence=True)
        return verdict != "undecided"
    estimate = sums.estimate(sequence=True)
    if rule.half_width is not None:
        return estimate.upper - estimate.lower <= 2.0 * rule.half_width
    assert rule.mc_se is not None
    # A rate of 0 or 1 so far has standard error 0, which says nothing: its interval must be as narrow.
    if sums.kind == "rate" and estimate.mc_se == 0.0:
        return estimate.upper - estimate.lower <= 4.0 * rule.mc_se
    return not math.isnan(estimate.mc_se) and estimate.mc_se <= rule.mc_se
