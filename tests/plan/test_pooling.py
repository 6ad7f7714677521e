"""What the planner knows of pooling exactly: what repetitions expect, and nothing else."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from typeone.engine.lookup import changed, design_called
from typeone.engine.resolved import resolve
from typeone.engine.study import Column
from typeone.plan import Question, answer
from typeone.studies.pooling import STUDY
from typeone.studies.pooling.planning import CLOSE, law

WORLDS = [
    {"n": 7, "reliability": "0.7", "items": 40},
    {"n": 9, "spread": "0.1", "dependence": "0.3", "partial": "0.4", "items": 40},
    {"n": 6, "prior": "0.2", "miscalibration": "2", "items": 40},
    {"n": 5, "labelled": 30, "items": 40},
]
FAR = Fraction(-1)
REPETITIONS = 3000


@pytest.mark.parametrize("world", WORLDS)
def test_exact_values_are_what_repetitions_expect(world: dict[str, object]) -> None:
    """Each mean within 4.9 of its standard errors: a false alarm below 1e-4 in all, over 120 columns; seed fixed."""
    cell = resolve(changed(design_called("pooling"), world)).cells[0]
    columns = STUDY.simulate(cell, STUDY.share(cell), 0, REPETITIONS)
    known = 0
    for column, values in columns.items():
        [exact] = law([cell.parameters], column, FAR)
        if column.measure.endswith("_exact") or column.measure == "operating_point":
            if exact is not None:
                assert exact == pytest.approx(values[0], abs=1e-12), column
            continue
        if exact is None:
            assert column.measure == "calibration" or "labelled" in world or np.isnan(values).any(), column
            continue
        known += 1
        valid = values[~np.isnan(values)]
        deviation = valid.std(ddof=1) or math.sqrt(exact * (1 - exact))  # rare events that none of them held
        error = deviation / math.sqrt(valid.size)
        assert abs(valid.mean() - exact) <= 4.9 * error + 1e-12, (column, valid.mean(), exact)
    assert known >= 10


def test_estimated_reliabilities_have_no_exact_pooled_rule() -> None:
    cell = resolve(changed(design_called("pooling"), WORLDS[3])).cells[0]
    for method in ("pooled", "count"):
        [value] = law([cell.parameters], Column(method, "tpr", "0.05"), FAR)
        assert (value is None) == (method == "pooled")


def test_a_value_at_the_bound_is_left_to_the_simulation() -> None:
    cell = resolve(changed(design_called("pooling"), WORLDS[0])).cells[0]
    column = Column("pooled", "tpr", "0.05")
    [value] = law([cell.parameters], column, FAR)
    assert value is not None
    assert law([cell.parameters], column, Fraction(value) + Fraction(CLOSE) / 2) == [None]


def test_a_plan_needs_no_repetition(tmp_path) -> None:
    question = Question(design_called("pooling"), target="power=.8", vary=("n=1:40",))
    result = answer(question, tmp_path)
    assert result.repetitions == 0
    [found] = result.main
    sizes = {n: law_at(n) for n in range(1, 41)}
    assert found.minimum.size == min(n for n, tpr in sizes.items() if tpr >= 0.8)
    assert found.stable.size == 1 + max(n for n, tpr in sizes.items() if tpr < 0.8)


def law_at(n: int) -> float:
    """The exact value that the study itself reports."""
    cell = resolve(changed(design_called("pooling"), {"n": n})).cells[0]
    return STUDY.share(cell).values[Column("pooled", "tpr_exact", "0.05")]
