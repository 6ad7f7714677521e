"""Error curves of panels against exact integers and mpmath."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twins.panels import census_lower_tail, hypergeometric, path_quota
from typeone_kernels.panels import panel_errors, path_table, size_positions

THETAS = [Fraction(*ab) for ab in [(1, 2), (2, 3), (1, 3), (3, 5), (1, 4), (1, 30), (29, 30)]]


def split(exact: Fraction) -> tuple[float, float]:
    return float(exact), float(exact - Fraction(float(exact)))


def quotas(theta: Fraction, horizon: int, accepting: bool, flips: int = 0) -> np.ndarray:
    return np.array([path_quota(theta, K, accepting, flips) for K in range(horizon + 1)])


def census_curves(M: int, counts: list[int], quota: np.ndarray, last: int | None = None) -> np.ndarray:
    C = np.array(counts, float)
    lanes = np.array([C, 0 * C, M - C, 0 * C])
    work = np.full((2, (last or M) + 1, C.size), np.nan)
    return panel_errors(lanes, quota, path_table(quota, M), M, work)


def binomial_curves(shares: list[Fraction], quota: np.ndarray) -> np.ndarray:
    lanes = np.array([[*split(p), *split(1 - p)] for p in shares]).T.copy()
    work = np.full((2, quota.size - 1 + 1, len(shares)), np.nan)
    return panel_errors(lanes, quota, path_table(quota, 0), 0, work)


def exact_census(M: int, C: int, K: int, quota: int) -> float:
    """Correctly rounded: Python divides integers of any length exactly."""
    return sum(hypergeometric(M, C, K, x) for x in range(min(quota, K + 1))) / comb(M, K)


def mp_binomial(p: Fraction, K: int, quota: int) -> mpmath.mpf:
    with mpmath.workdps(60):
        chance, other = (mpmath.mpf(part.numerator) / part.denominator for part in (p, 1 - p))
        return mpmath.fsum(mpmath.binomial(K, x) * chance**x * other ** (K - x) for x in range(min(quota, K + 1)))


@pytest.mark.parametrize("theta", THETAS, ids=str)
@pytest.mark.parametrize("accepting", [True, False])
def test_every_small_census(theta: Fraction, accepting: bool) -> None:
    for M in range(1, 25):
        for flips in (0, 1, 4):
            quota = quotas(theta, M, accepting, flips)
            curves = census_curves(M, list(range(M + 1)), quota)
            exact = np.array([[exact_census(M, C, K, int(quota[K])) for C in range(M + 1)] for K in range(1, M + 1)])
            np.testing.assert_allclose(curves[1:], exact, rtol=3e-16, atol=0)
            assert ((exact == 0) == (curves[1:] == 0)).all()
            assert ((exact == 1) == (curves[1:] == 1)).all()


@settings(max_examples=150, derandomize=True, deadline=None)
@given(st.data())
def test_random_censuses_to_sixty(data: st.DataObject) -> None:
    M = data.draw(st.integers(1, 60))
    C = data.draw(st.integers(0, M))
    theta = data.draw(st.fractions(0, 1, max_denominator=200).filter(lambda t: 0 < t < 1))
    last = data.draw(st.integers(1, M))
    quota = quotas(theta, M, data.draw(st.booleans()), data.draw(st.integers(0, M)))
    curve = census_curves(M, [C], quota, last)[1:, 0]
    exact = [exact_census(M, C, K, int(quota[K])) for K in range(1, last + 1)]
    np.testing.assert_allclose(curve, exact, rtol=3e-16, atol=0)


@settings(max_examples=80, derandomize=True, deadline=None)
@given(st.data())
def test_random_superpopulations(data: st.DataObject) -> None:
    horizon = data.draw(st.integers(1, 50))
    p = data.draw(st.fractions(0, 1, max_denominator=10**6))
    theta = data.draw(st.fractions(0, 1, max_denominator=50).filter(lambda t: 0 < t < 1))
    quota = quotas(theta, horizon, data.draw(st.booleans()), data.draw(st.integers(0, 20)))
    curve = binomial_curves([p], quota)[1:, 0]
    exact = [
        float(sum(comb(K, x) * p**x * (1 - p) ** (K - x) for x in range(min(int(quota[K]), K + 1))))
        for K in range(1, horizon + 1)
    ]
    np.testing.assert_allclose(curve, exact, rtol=3e-16, atol=0)


@settings(max_examples=100, derandomize=True, deadline=None)
@given(st.data())
def test_a_later_error_is_a_bounded_multiple(data: st.DataObject) -> None:
    """The lemma on which the accuracy of the backward sum rests."""
    M = data.draw(st.integers(1, 40))
    C = data.draw(st.integers(0, M))
    theta = data.draw(st.fractions(0, 1, max_denominator=60).filter(lambda t: 0 < t < 1))
    quota = quotas(theta, M, data.draw(st.booleans()), data.draw(st.integers(0, 3)))
    largest = 0.0
    for K in range(M, 0, -1):
        error = exact_census(M, C, K, int(quota[K]))
        assert largest <= (K + 1) * M * error
        largest = max(largest, error)


@pytest.mark.parametrize(
    ("M", "C", "theta", "accepting", "flips"),
    [
        (1500, 751, Fraction(1, 2), True, 0),
        (1500, 760, Fraction(1, 2), False, 0),
        (1500, 1100, Fraction(1, 2), True, 0),
        (1500, 1499, Fraction(1, 2), True, 0),
        (1500, 1100, Fraction(2, 3), True, 7),
        (1500, 1497, Fraction(1, 1000), False, 0),  # an error that rises a thousandfold between quota steps
        (100_000, 50_100, Fraction(1, 2), True, 0),
        (100_000, 61_000, Fraction(3, 5), True, 50),
        (100_000, 99_990, Fraction(1, 10_000), False, 0),
    ],
)
def test_large_censuses(M: int, C: int, theta: Fraction, accepting: bool, flips: int) -> None:
    quota = quotas(theta, M, accepting, flips)
    curve = census_curves(M, [C], quota)[:, 0]
    spots = {1, 2, 3, 10, 11, 100, 101, 999, 1000, 1001, M // 2, M // 2 + 1, M - 100, M - 1, M}
    spots |= {int(k) for k in np.flatnonzero((curve > 1e-303) & (curve < 1e-280))[:2]}
    for K in sorted(spots):
        exact = census_lower_tail(M, C, K, int(quota[K]))
        if exact > 1e-305:
            assert abs(mpmath.mpf(curve[K]) / exact - 1) < 1e-15, K
        else:
            assert curve[K] <= 1.01e-305, K


@pytest.mark.parametrize(
    ("C", "theta", "flips", "sizes"),
    [
        (18_500, Fraction(1, 2), 6500, [12_999, 13_000, 14_000, 15_000, 15_294, 16_000, 19_000, 20_000]),
        (14_000, Fraction(1, 2), 6500, [12_999, 13_000, 16_000, 20_000]),  # errs almost surely, then surely
        (20_000, Fraction(1, 2), 6500, [12_999, 13_000, 13_001, 20_000]),  # cannot err from 13 000 on
        (19_000, Fraction(1, 20), 8_000, [8_421, 8_500, 8_889, 9_000, 10_000, 15_000]),
    ],
)
def test_paths_that_start_in_a_far_tail(C: int, theta: Fraction, flips: int, sizes: list[int]) -> None:
    """With many flips w(K) begins below 1e-600 and its rise must not be lost."""
    M = 20_000
    quota = quotas(theta, M, True, flips)
    curve = census_curves(M, [C, C - 1], quota)
    for K in sizes:
        for lane, count in enumerate((C, C - 1)):
            exact = 1 if quota[K] > K else census_lower_tail(M, count, K, int(quota[K]))
            assert abs(mpmath.mpf(curve[K, lane]) - exact) <= 1e-15 * exact + mpmath.mpf(10) ** -308, (K, lane)


def test_a_superpopulation_that_starts_in_a_far_tail() -> None:
    quota = quotas(Fraction(1, 4), 4000, True, 900)
    curve = binomial_curves([Fraction(1, 2), Fraction(9, 10)], quota)
    for K in (1, 1199, 1200, 1201, 3600):
        for lane, p in enumerate((Fraction(1, 2), Fraction(9, 10))):
            exact = mp_binomial(p, K, int(quota[K]))
            assert abs(mpmath.mpf(curve[K, lane]) - exact) <= 1e-15 * exact + mpmath.mpf(10) ** -308


@pytest.mark.parametrize("flips", [0, 1, 3])
@pytest.mark.parametrize("odds", [1, 10**9, 10**60, 10**96, 10**190, 10**290])
def test_superpopulations_near_certainty(odds: int, flips: int) -> None:
    """Errors down to 1e-300, and no loss in 1 − p."""
    p = 1 - Fraction(1, 2 * odds)
    quota = quotas(Fraction(1, 2), 400, True, flips)
    curve = binomial_curves([p], quota)[:, 0]
    for K in (1, 2, 3, 4, 5, 6, 7, 8, 9, 101, 400):
        exact = mp_binomial(p, K, int(quota[K]))
        assert abs(mpmath.mpf(curve[K]) - exact) <= max(1e-15 * exact, mpmath.mpf(10) ** -307), K


def test_table_of_a_path() -> None:
    """One row for each size that has a successor; before the entry (Q > K) the path follows Q = K."""
    step, table = path_table(np.array([2, 2, 3, 3, 3]), 10)
    assert step.tolist() == [False, True, True, False]
    # K = 3, Q = 3: x = (C − 2)/7, y = (B − 1)/7
    np.testing.assert_allclose(table[3], [-2, -1, 1 / 7, 0, 4 / (2 * 7), 0], rtol=1e-16, atol=1e-16)
    # K = 1, Q = 1, a step to 2: x = C/9
    np.testing.assert_allclose(table[1], [0, 0, -1 / 9, 0, 2 / 9, 0], rtol=1e-16, atol=1e-16)


def test_blocks_of_lanes_do_not_mix() -> None:
    M = 200
    quota = quotas(Fraction(1, 2), M, True)
    together = census_curves(M, list(range(M + 1)), quota)
    for C in range(0, M + 1, 13):
        np.testing.assert_array_equal(together[1:, C], census_curves(M, [C], quota)[1:, 0])


def positions(errors, grid, below, above, units=None):
    """Minimum, stable and unsettled of every lane, in the lanes' order."""
    units = np.arange(errors.shape[1]) if units is None else units
    rows = int(units.max()) + 1
    minimum, stable = np.full((2, rows, below.size), -1)
    unsettled = np.zeros((rows, below.size), bool)
    found = size_positions(errors, grid, below, above, units, minimum, stable, unsettled)
    assert found == unsettled[units].sum()
    assert (np.delete(minimum, units, axis=0) == -1).all()
    return minimum[units], stable[units], unsettled[units]


def test_positions_of_sizes() -> None:
    errors = np.array([[9.0, 9.0], [0.30, 0.01], [0.04, 0.20], [0.20, 0.04], [0.05, 0.04], [0.01, 0.06]])
    grid = np.array([1, 2, 3, 4, 5])
    delta = np.array([0.25, 0.05, 0.005])
    minimum, stable, unsettled = positions(errors, grid, delta * 0.99, delta * 1.01)
    assert minimum.tolist() == [[1, 1, 5], [0, 0, 5]]
    assert stable.tolist() == [[1, 4, 5], [0, 5, 5]]
    assert unsettled.tolist() == [[False, True, False], [False, False, False]]
    # On a grid that goes on beyond the known errors, those sizes keep every tolerance.
    minimum, stable, unsettled = positions(errors, np.array([1, 3, 6, 9]), delta * 0.99, delta * 1.01, np.array([4, 1]))
    assert minimum.tolist() == [[1, 2, 2], [0, 0, 2]]
    assert stable.tolist() == [[1, 2, 2], [0, 0, 2]]
    assert not unsettled.any()


@pytest.mark.parametrize(
    ("value", "minimum", "stable", "unsettled"),
    [(0.9, 0, 0, False), (0.99, 0, 0, False), (0.995, 0, 1, True), (1.01, 0, 1, True), (1.02, 1, 1, False)],
)
def test_an_error_on_the_edge_is_reported(value: float, minimum: int, stable: int, unsettled: bool) -> None:
    errors = np.array([[9.0], [value], [0.5]])
    found = positions(errors, np.array([1, 2]), np.array([0.99]), np.array([1.01]))
    assert [int(a[0, 0]) for a in found] == [minimum, stable, unsettled]
