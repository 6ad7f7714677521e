"""Planning with the panels study: exact chances, their teeth, and the simulated answer beside the exact one."""

from __future__ import annotations

from fractions import Fraction

import pytest

from typeone.engine.lookup import changed, design_called
from typeone.engine.study import Column
from typeone.panels import Options, certification, superpopulation_errors
from typeone.plan import Question, answer
from typeone.studies.panels import PLAN
from typeone.studies.panels.parameters import Parameters

CERTIFIED = Column("exact", "certified")
INDEPENDENT = {"shared": "0", "clear": "0.95", "clarity": "0.45", "beta": "0.2", "xi_e": "0.01"}


def law(column, bound=Fraction(1, 2), **parameters):
    (found,) = PLAN["law"]([Parameters(**parameters)], column, bound)
    return found


def test_the_law_of_a_certificate_is_that_of_the_procedure():
    options = Options(beta="0.2", xi_e="0.01")
    chances, weights = [0.95, 0.05, 0.52, 0.48], [0.475, 0.475, 0.025, 0.025]
    expected = certification(chances, 60, 90, options, weights=weights).any_size
    assert law(CERTIFIED, evaluators=60, units=90, **INDEPENDENT) == pytest.approx(expected, rel=1e-12)


def test_the_law_is_not_known_for_shared_rows_other_columns_or_next_to_the_bound():
    assert law(CERTIFIED, **(INDEPENDENT | {"shared": "0.5"})) is None
    assert law(Column("exact", "violation", "0.05"), **INDEPENDENT) is None
    chance = law(CERTIFIED, **INDEPENDENT)
    assert law(CERTIFIED, Fraction(chance), **INDEPENDENT) is None


def test_the_law_of_an_attack_is_the_exact_error():
    column = Column("fixed", "disagreement")
    found = law(column, attack="fixed", clarity="0.3", corrupted="0.1", size=25)
    assert found == pytest.approx(superpopulation_errors("0.8", 25, fixed_share="0.1")[24], rel=1e-12)
    assert law(Column("fixed", "disagreement_exactly"), attack="fixed", clarity="0.3", size=25) is None


def test_teeth_end_where_a_threshold_moves():
    steps = PLAN["steps"]
    of = {units: steps(Parameters(units=units, **INDEPENDENT), CERTIFIED) for units in range(60, 100)}
    assert 1 < len(set(of.values())) < len(of)
    for units in range(60, 99):  # within a tooth a larger sample bears no more failures
        assert (of[units] == of[units + 1]) == (of[units][0] == of[units + 1][0])
    assert steps(Parameters(attack="fixed", size=9), Column("fixed", "disagreement")) == (9,)
    assert steps(Parameters(), Column("generator", "coverage")) is None


def test_the_simulated_answer_agrees_with_the_exact_one(tmp_path):
    """All decisions of the simulated plan together are wrong with probability at most .05; the seed is fixed."""
    design = changed(design_called("panels"), INDEPENDENT | {"evaluators": 60, "seed": 3})
    ask = {"design": design, "target": "power=.8", "vary": ("A=80:110",), "most": 6400}
    exact = answer(Question(**ask), tmp_path / "exact").main[0]
    drawn = answer(Question(**ask, simulate=True), tmp_path / "drawn")
    assert exact.minimum.reached.repetitions == 0
    assert drawn.repetitions > 10_000
    told = drawn.main[0]
    for name in ("minimum", "stable"):
        known, found = getattr(exact, name), getattr(told, name)
        assert found.lower <= known.size <= found.upper, name
    with pytest.raises(ValueError, match="differs in simulate"):
        answer(Question(**ask), tmp_path / "drawn")
