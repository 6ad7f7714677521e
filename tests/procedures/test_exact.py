"""The public bounds: exact levels, ties in integers, errors that name what is wrong."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twins import tails as twin
from typeone import exact


@pytest.mark.parametrize(
    ("x", "n", "N", "interval", "bounds"),
    [
        (3, 10, 100, (8, 63), (10, 59)),
        (0, 50, 2000, (0, 140), (0, 114)),
        (20, 20, 100, (85, 100), (88, 100)),
    ],
)
def test_published_population_bounds(x: int, n: int, N: int, interval, bounds) -> None:
    assert exact.hypergeometric_interval(x, n, N, "0.05") == interval
    assert exact.hypergeometric_bounds(x, n, N, "0.05") == bounds


def test_a_tail_equal_to_the_level_excludes() -> None:
    """One of one positive, N = 20: P(X >= 1 | C = 1) = 1/20."""
    assert exact.hypergeometric_bounds(1, 1, 20, "1/20") == (2, 20)
    assert exact.hypergeometric_bounds(1, 1, 20, 0.05) == (2, 20)
    assert exact.hypergeometric_bounds(1, 1, 20, "0.0499999999999999999999") == (1, 20)
    assert exact.hypergeometric_bounds(0, 1, 20, "1/20") == (0, 18)


@settings(derandomize=True, max_examples=300, deadline=None)
@given(st.data())
def test_small_populations_by_enumeration(data: st.DataObject) -> None:
    N = data.draw(st.integers(1, 40))
    n = data.draw(st.integers(1, N))
    x = data.draw(st.integers(0, n))
    possible = range(x, N - n + x + 1)
    at_least = {C: twin.hypergeometric_upper(x, N, C, n) for C in possible}
    at_most = {C: 1 - twin.hypergeometric_upper(x + 1, N, C, n) for C in possible}
    ties = [t for t in [*at_least.values(), *at_most.values()] if t < 1]
    level = data.draw(st.one_of(st.fractions("1/1000", "999/1000"), st.sampled_from(ties or [Fraction(1, 2)])))
    expected = min(C for C in possible if at_least[C] > level), max(C for C in possible if at_most[C] > level)
    assert exact.hypergeometric_bounds(x, n, N, level) == expected


def test_doubtful_comparisons_of_a_large_population() -> None:
    """Neighboring tails differ by less than the guard: fixed point decides, as the exact sum does."""
    x, n, N = 3, 8, 10**13
    low, high = exact.hypergeometric_bounds(x, n, N, "0.05")
    for C, kept in ((low, True), (low - 1, False)):
        assert (twin.hypergeometric_upper(x, N, C, n) > Fraction(1, 20)) is kept
    for C, kept in ((high, True), (high + 1, False)):
        assert (1 - twin.hypergeometric_upper(x + 1, N, C, n) > Fraction(1, 20)) is kept


@settings(derandomize=True, max_examples=100, deadline=None)
@given(st.data())
def test_sums_are_enclosed(data: st.DataObject) -> None:
    N = data.draw(st.integers(2, 400))
    C = data.draw(st.integers(0, N))
    n = data.draw(st.integers(1, N))
    low, high = max(0, n + C - N), min(n, C)
    x = data.draw(st.integers(low, high))
    first = data.draw(st.sampled_from([1, 1000, 1 << 60]))
    below, above = exact._enclosed_sum(first, (x, N - C - n + x), (C - x, n - x))
    total = sum((twin.hypergeometric_pmf(j, N, C, n) for j in range(x, high + 1)), Fraction(0))
    total = total / twin.hypergeometric_pmf(x, N, C, n) * first
    assert below <= total <= above


@given(st.fractions(Fraction(1, 10**9), 1))
@settings(derandomize=True, max_examples=200, deadline=None)
def test_levels_are_rounded_down(level: Fraction) -> None:
    rounded = exact.round_down(level)
    assert Fraction(rounded) <= level < Fraction(math.nextafter(rounded, 2.0))


def test_clopper_pearson_intervals() -> None:
    assert exact.clopper_pearson(0, 18, "0.01") == (0, pytest.approx(0.25498502848277505, rel=1e-14))
    assert exact.clopper_pearson(18, 18, "0.01") == (pytest.approx(0.74501497151722495, rel=1e-14), 1)
    upper = exact.clopper_pearson(10, 100_000, 1e-11)[1]
    assert upper == pytest.approx(5.0306090075725872e-4, rel=1e-14)
    assert exact.clopper_pearson_lower(1, 10**6, "1e-6") == pytest.approx(1.00000049999983e-12, rel=1e-14)
    assert exact.clopper_pearson_lower(1, 1000, "1e-10") == pytest.approx(1.0e-13, rel=1e-9)


def test_clopper_pearson_broadcasts() -> None:
    lower, upper = exact.clopper_pearson([[0], [5]], [10, 20, 30], "1/20")
    assert lower.shape == upper.shape == (2, 3)
    assert lower[1, 2] == exact.clopper_pearson_lower(5, 30, "1/40")
    assert upper[1, 2] == exact.clopper_pearson_upper(5, 30, "1/40")
    assert isinstance(exact.clopper_pearson_lower(np.int64(5), 30.0, "1/40"), float)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: exact.clopper_pearson(0, 0, 0.05), r"n=0: must lie between 1 and"),
        (lambda: exact.clopper_pearson(5, 3, 0.05), r"k=5: exceeds the number of trials n"),
        (lambda: exact.clopper_pearson(2.5, 10, 0.05), r"k=2.5: is not a whole number"),
        (lambda: exact.clopper_pearson([1, -1], 10, 0.05), r"k\[1\]=-1: must lie between"),
        (lambda: exact.clopper_pearson(1, 10, 0), r"level=0: a level lies strictly between 0 and 1"),
        (lambda: exact.clopper_pearson(1, 10, 1), r"level=1: a level lies"),
        (lambda: exact.clopper_pearson(1, 10, float("nan")), r"level"),
        (lambda: exact.clopper_pearson(1, 10, "1e-291"), r"level=1e-291: levels below 1e-290"),
        (lambda: exact.hypergeometric_bounds(4, 3, 10, 0.05), r"x=4: must lie between 0 and 3"),
        (lambda: exact.hypergeometric_bounds(1, 11, 10, 0.05), r"n=11: must lie between 1 and 10"),
        (lambda: exact.hypergeometric_bounds(0, 0, 10, 0.05), r"n=0: must lie between 1 and 10"),
        (lambda: exact.hypergeometric_bounds(0, 0, 0, 0.05), r"N=0: must lie between"),
        (lambda: exact.hypergeometric_bounds(0.5, 1, 10, 0.05), r"x=0.5: is not a whole number"),
        (lambda: exact.hypergeometric_interval([1], 1, 10, 0.05), r"x: one whole number"),
        (lambda: exact.hypergeometric_interval(1, 1, 10, 2), r"level=2"),
    ],
)
def test_bad_input_is_named(call, message) -> None:
    with pytest.raises(ValueError, match=message):
        call()
