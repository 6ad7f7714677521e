"""Clopper-Pearson and hypergeometric bounds: never invalid, and no wider than they must be."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from twins import tails as twin
from typeone_kernels import bounds
from typeone_kernels.tailsum import WORK


def bound(k: int, n: int, level: float, lower: bool) -> float:
    kernel = bounds.clopper_pearson_lower if lower else bounds.clopper_pearson_upper
    return kernel(k, n, level, np.empty(WORK))


def test_a_thousand_random_bounds_are_valid_and_sharp() -> None:
    found = twin.check_clopper_pearson(bound, 1000, seed=20)
    assert found.invalid == 0
    assert found.worst_slack <= 1e-14


@pytest.mark.parametrize("n", [1, 2, 3, 5, 10, 40])
@pytest.mark.parametrize("level", [1e-12, 0.025, 0.5, math.nextafter(0.5, 1.0), 0.9, 1 - 2.0**-53])
def test_every_count_of_a_small_sample(n: int, level: float) -> None:
    for k in range(n + 1):
        for lower in (True, False):
            p = bound(k, n, level, lower)
            if k == (0 if lower else n):
                assert p == (0 if lower else 1)
                continue
            distance = twin.slack(p, k, n, Fraction(level), lower)
            ulp = (math.nextafter(p, 2.0) - p) / min(p, 1 - p) if p > 0.5 else 0.0
            # at level 1 - 2**-53 one ulp of 1 - level is all there is to go by
            assert 0 <= distance <= 1e-14 + ulp, (k, lower)


@pytest.mark.parametrize(
    ("k", "n", "level", "lower", "exact"),
    [
        (1, 10**6, 1e-6, True, 1.00000049999983e-12),
        (1, 1000, 1e-10, True, 1.00000000004995e-13),
        (0, 18, 0.005, False, 0.25498502848277505),
        (18, 18, 0.005, True, 0.74501497151722495),
        (10, 100_000, 0.5e-11, False, 5.0306090075725872e-4),
    ],
)
def test_reported_values(k: int, n: int, level: float, lower: bool, exact: float) -> None:
    assert bound(k, n, level, lower) == pytest.approx(exact, rel=1e-14)


@settings(derandomize=True, max_examples=200, deadline=None)
@given(st.integers(1, 10**12), st.floats(0, 1), st.floats(1e-250, 1, exclude_max=True))
def test_mirror_image_and_order(n: int, share: float, level: float) -> None:
    k = min(math.floor(share * n), n)
    lower, upper = bound(k, n, level, True), bound(k, n, level, False)
    assert 0 <= lower <= 1
    assert 0 <= upper <= 1
    assert bound(n - k, n, level, False) == pytest.approx(1 - lower, rel=1e-15, abs=2e-16)
    if level < 0.5:
        assert lower <= k / n <= upper
    if k < n:
        assert lower <= bound(k + 1, n, level, True)


def test_the_complement_of_a_bound_near_one_is_sharp() -> None:
    """n of n at level 1/20: 1 - p = 1 - .05**(1/n), far finer than the doubles near 1."""
    n = 10**12
    assert bound(0, n, 0.05, False) == pytest.approx(-math.expm1(math.log(0.05) / n), rel=1e-14)
    assert bound(n, n, 0.05, True) < 1
    assert bound(n - 1, n, 1e-12, False) == 1.0


def test_array_kernels_equal_the_scalar_ones() -> None:
    rng = np.random.default_rng(1)
    n = rng.integers(1, 10**6, 40)
    k = rng.integers(0, n + 1)
    level = rng.random(40)
    out = np.empty(40)
    for kernel, lower in (
        (bounds.clopper_pearson_lower_bounds, True),
        (bounds.clopper_pearson_upper_bounds, False),
    ):
        kernel(k, n, level, out)
        assert out.tolist() == [bound(*case, lower) for case in zip(k, n, level, strict=True)]


@settings(derandomize=True, max_examples=300, deadline=None)
@given(st.data())
def test_positives_of_a_small_population(data: st.DataObject) -> None:
    N = data.draw(st.integers(1, 60))
    n = data.draw(st.integers(1, N))
    x = data.draw(st.integers(0, n))
    level = data.draw(st.floats(1e-12, 1.5))
    tails = [twin.hypergeometric_upper(x, N, C, n) for C in range(x, N - n + x + 1)]
    if any(abs(tail - Fraction(level)) <= Fraction(level) / 10**13 for tail in tails):
        return  # a tie is for the caller
    kept = [x + i for i, tail in enumerate(tails) if tail > level]
    expected = min(kept) if kept else N - n + x
    if x == 0 and level >= 1:
        expected = 0
    assert bounds.hypergeometric_lower(x, n, N, level, np.empty(WORK)) == expected


def test_the_start_is_close_enough_for_one_step() -> None:
    """log(tail/target) at the start is of order 1/count, so that the first step ends at rounding error."""
    rng = np.random.default_rng(3)
    for _ in range(300):
        n = float(np.floor(np.exp(rng.uniform(np.log(2e3), np.log(1e9)))))
        k = float(np.floor(n * rng.uniform(0.05, 0.95)))
        target = float(10.0 ** rng.uniform(-12, -0.4))
        x, y = bounds._start(k, n, target)
        assert x + y == pytest.approx(1, rel=1e-15)
        distance, _ = bounds._evaluate(k, n, x, y, target, np.empty(WORK))
        far = -math.log(target)
        assert abs(distance) < 0.1 * far**1.5 / min(k, n - k) + 5e-7 * far


@settings(derandomize=True, max_examples=200, deadline=None)
@given(st.floats(1e-6, 1 - 1e-6), st.floats(-20, 20))
@example(0.99999, -11.0)
def test_moving_adds_to_the_logit(x: float, logit: float) -> None:
    y = 1 - x
    moved_x, moved_y = bounds._move(x, y, logit)
    assert moved_x + moved_y == pytest.approx(1, rel=1e-15)
    assert moved_x / moved_y == pytest.approx(x / y * math.exp(logit), rel=4e-15 + 1e-9 * (abs(logit) > 10))
