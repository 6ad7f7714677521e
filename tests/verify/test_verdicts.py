"""Verdicts from hand-made counts, and the false-alarm rate of the campaign's own logic."""

from __future__ import annotations

from bisect import bisect_left
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from typeone.engine.sums import Moments
from typeone.exact import clopper_pearson_lower
from typeone.verify.model import ExactRate, column
from typeone.verify.verdicts import Test as Try
from typeone.verify.verdicts import decided, judge, margin, of_exact, overall


def counted(errors: int, repetitions: int, level: str) -> Try:
    return Try("p", "cell", column("c", level), "rate", Moments(repetitions, Fraction(errors), Fraction(errors)))


def test_margins() -> None:
    assert margin(Fraction(1, 20)) == Fraction(1, 200)
    assert margin(Fraction(0)) == Fraction(1, 1000)


@pytest.mark.parametrize(
    ("errors", "repetitions", "verdict"),
    [
        (0, 10, "undecided"),
        (0, 1000, "holds"),
        (50, 1000, "undecided"),
        (200, 1000, "violated"),
        (400, 10_000, "holds"),
    ],
)
def test_verdicts_of_hand_made_counts(errors: int, repetitions: int, verdict: str) -> None:
    (found,) = judge([counted(errors, repetitions, "0.05")], 0.01)
    assert found.verdict == verdict
    assert found.lower <= found.rate <= found.upper
    assert (found.needed is not None) == (verdict == "undecided")


def test_the_repetitions_needed_decide() -> None:
    (found,) = judge([counted(50, 1000, "0.05")], 0.01)
    assert found.needed is not None
    (later,) = judge([counted(round(found.needed * 0.05), found.needed, "0.05")], 0.01)
    assert later.verdict == "holds"


def test_a_lower_bound_at_the_level_is_no_violation() -> None:
    level = Fraction(clopper_pearson_lower(80, 1000, "0.01"))
    assert decided(float(level), 1.0, level) == "undecided"
    assert decided(float(np.nextafter(float(level), 1)), 1.0, level) == "violated"
    assert decided(0.0, float(level + margin(level)), level) in ("holds", "undecided")


def test_never_is_judged_with_a_margin_and_one_error_is_a_violation() -> None:
    assert judge([counted(0, 100_000, "0")], 0.01)[0].verdict == "holds"
    assert judge([counted(0, 100, "0")], 0.01)[0].verdict == "undecided"
    assert judge([counted(1, 100_000, "0")], 0.01)[0].verdict == "violated"


def test_exact_rates_are_compared_exactly() -> None:
    assert of_exact("p", ExactRate("c", Fraction(1, 20), Fraction(1, 20))).verdict == "holds"
    above = Fraction(1, 20) + Fraction(1, 10**30)
    assert of_exact("p", ExactRate("c", above, Fraction(1, 20))).verdict == "violated"
    assert of_exact("p", ExactRate("c", 0.05 * (1 + 1e-12), Fraction(1, 20), 1e-9)).verdict == "holds"
    assert of_exact("p", ExactRate("c", Fraction(1, 10**9), Fraction(0))).verdict == "violated"


def test_the_worst_verdict_counts() -> None:
    found = judge([counted(0, 1000, "0.05"), counted(50, 1000, "0.05")], 0.01)
    assert overall(found) == "undecided"
    assert overall([*found, *judge([counted(500, 1000, "0.05")], 0.01)]) == "violated"


@pytest.mark.parametrize("tests", [1, 7, 400])
@pytest.mark.parametrize("level", [Fraction(1, 20), Fraction(1, 2)])
def test_the_campaign_raises_a_false_alarm_with_probability_at_most_alpha(tests: int, level: Fraction) -> None:
    """Exactly: every rate equals its level; one test alarms from ``least`` errors on, all tests by the union bound."""
    n, alpha = 800, 0.01

    def alarms(k: int) -> bool:
        return counted(k, n, str(level)).judged(alpha / tests).verdict == "violated"

    least = bisect_left(range(n + 1), True, lo=int(n * level), key=alarms)
    assert not alarms(least - 1)
    assert all(alarms(k) for k in range(least, least + 20))
    alarm = stats.binom.sf(least - 1, n, float(level))
    assert tests * alarm <= alpha
    assert tests * alarm > alpha / 10  # no power is thrown away


def test_the_false_alarm_rate_is_shared_over_all_tests() -> None:
    one, other = counted(70, 1000, "0.05"), counted(0, 1000, "0.05")
    for several in ([one], [one, other], [one, *[other] * 9]):
        assert judge(several, 0.01)[0] == one.judged(0.01 / len(several))


def test_holds_is_wrong_with_probability_at_most_alpha() -> None:
    """Exactly: the true rate lies just above level + margin."""
    n, level = 3000, Fraction(1, 20)
    most = max(k for k in range(165) if judge([counted(k, n, "1/20")], 0.01)[0].verdict == "holds")
    assert 0.001 < stats.binom.cdf(most, n, float(level + margin(level))) <= 0.01
