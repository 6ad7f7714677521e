"""Hypergeometric kernels against exact fractions, a fixed-point sum and an Euler-Maclaurin twin."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twins import tails as twin
from typeone_kernels import hypergeometric as hyper
from typeone_kernels import tailsum


@pytest.mark.parametrize(
    ("M", "exact"),
    [
        (10**6, 9.9959506789896782e-11),
        (10**10, 9.9955009148852604e-51),
        (10**12, 9.9955008703553039e-71),
        (10**15, 9.9955008699059561e-101),
    ],
)
def test_ten_of_ten_at_any_population_size(M: int, exact: float) -> None:
    assert hyper.hypergeometric_sf(9, M, 10**5, 10) == pytest.approx(exact, rel=1e-15)


@pytest.mark.parametrize(
    ("C", "exact"),
    [
        (1000, 5.3908059082007469e-52),
        (1200, 4.9276765455401516e-44),
        (2000, 1.3569340968179124e-23),
        (3000, 2.7732346732176137e-10),
    ],
)
def test_more_than_half_of_215(C: int, exact: float) -> None:
    assert hyper.hypergeometric_sf(107, 10**4, C, 215) == pytest.approx(exact, rel=1e-15)


def test_reported_values() -> None:
    assert hyper.hypergeometric_sf(59, 300, 150, 60) == pytest.approx(5.1112047978051534e-22, rel=1e-15)
    assert hyper.hypergeometric_logsf(10**4, 10**7, 10**6, 5 * 10**4) == pytest.approx(-2239.7712499203991, rel=1e-15)
    assert hyper.hypergeometric_logcdf(40, 1600, 50, 300) == pytest.approx(-7.5651488792284464e-23, rel=1e-15)


@pytest.mark.parametrize("M", [1, 2, 3, 4, 7, 12, 31, 60])
def test_pmf_and_tails_equal_exact_fractions(M: int) -> None:
    rng = np.random.default_rng(M)
    pairs = [(C, K) for C in range(M + 1) for K in range(M + 1)]
    for C, K in (pairs[i] for i in rng.permutation(len(pairs))[:120]):
        low, high = hyper.support(M, C, K)
        total = Fraction(0)
        for k in range(low, high + 1):
            law = twin.hypergeometric_pmf(k, M, C, K)
            total += law
            assert abs(Fraction(hyper.hypergeometric_pmf(k, M, C, K)) / law - 1) <= 2e-15
            assert abs(Fraction(hyper.hypergeometric_cdf(k, M, C, K)) / total - 1) <= 3e-15
            rest = Fraction(hyper.hypergeometric_sf(k, M, C, K))
            assert rest == 0 if k == high else abs(rest / (1 - total) - 1) <= 3e-15
        assert total == 1


def random_case(rng: np.random.Generator, largest: float) -> tuple[int, int, int, int]:
    """(k, M, C, K): k within 37 sd of the mean, M log-uniform, C and K anywhere or log-uniform."""
    M = int(np.exp(rng.uniform(np.log(largest) - 2, np.log(largest))))
    C, K = (int(rng.integers(1, M)) if rng.random() < 0.6 else int(np.exp(rng.uniform(0, np.log(M)))) for _ in range(2))
    sd = math.sqrt(K * (C / M) * (1 - C / M) * (1 - K / M))
    z = rng.uniform(-7, 7) if rng.random() < 0.5 else rng.uniform(-37, 37)
    low, high = hyper.support(M, C, K)
    return int(np.clip(np.floor(C * K / M + z * sd), low, high)), M, C, K


@pytest.mark.parametrize("largest", [1e2, 1e3, 1e4, 1e5, 1e6, 1e8, 1e9])
def test_tails_at_any_distance(largest: float) -> None:
    rng = np.random.default_rng(int(largest))
    for _ in range(150):
        k, M, C, K = random_case(rng, largest)
        upper = k * (M + 2) > (C + 1) * (K + 1)
        exact = twin.log_hypergeometric_tail(k, M, C, K, upper)
        tails = hyper.hypergeometric_sf(k - 1, M, C, K), hyper.hypergeometric_cdf(k, M, C, K)
        logs = hyper.hypergeometric_logsf(k - 1, M, C, K), hyper.hypergeometric_logcdf(k, M, C, K)
        near = 0 if upper else 1
        assert abs(logs[near] - exact) <= 4e-15 * max(1, abs(exact))
        if exact > -690:
            assert abs(mpmath.mpf(tails[near]) / mpmath.exp(exact) - 1) <= 5e-15
        far = hyper.hypergeometric_cdf(k - 1, M, C, K) if upper else hyper.hypergeometric_sf(k, M, C, K)
        assert far == pytest.approx(float(1 - mpmath.exp(exact)), rel=4e-16)


@pytest.mark.parametrize(
    ("M", "C", "K", "z"),
    [
        (10**10, 3 * 10**9, 4 * 10**9, 0.5),
        (10**15, 3 * 10**14, 4 * 10**14, 0.1),
        (10**15, 3 * 10**14, 4 * 10**14, -1.5),
        (10**15, 10**10, 7 * 10**14, 0.0),
    ],
)
def test_the_center_of_a_huge_law(M: int, C: int, K: int, z: float) -> None:
    sd = math.sqrt(K * (C / M) * (1 - C / M) * (1 - K / M))
    k = C * K // M + math.floor(z * sd) + (1 if z >= 0 else 0)
    if z >= 0:
        exact = twin.log_smooth_tail(lambda x: twin.log_density(x, M, C, K), k, sd)
        found = hyper.hypergeometric_sf(k - 1, M, C, K)
    else:
        exact = twin.log_smooth_tail(lambda x: twin.log_density(K - x, M, C, K), K - k, sd)
        found = hyper.hypergeometric_cdf(k, M, C, K)
    with mpmath.workdps(30):
        assert abs(mpmath.mpf(found) / mpmath.exp(exact) - 1) < 3e-15


@st.composite
def laws(draw: st.DrawFn, largest: int = 10**15) -> tuple[int, int, int]:
    M = draw(st.one_of(st.integers(1, 200), st.integers(1, largest)))
    return M, draw(st.integers(0, M)), draw(st.integers(0, M))


def at(law: tuple[int, int, int], z: float) -> int:
    """The value z standard deviations from the mean, inside the support or just outside."""
    M, C, K = law
    low, high = hyper.support(M, C, K)
    k = math.floor(K * C / M + z * math.sqrt(K * (C / M) * (1 - C / M) * (1 - K / M)))
    return min(max(k, low - 1), high + 1)


@settings(derandomize=True, max_examples=300, deadline=None)
@given(laws(), st.floats(-9, 9))
def test_neighbors_differ_by_a_probability_and_tails_fall(law: tuple[int, int, int], z: float) -> None:
    k = at(law, z)
    here, below = hyper.hypergeometric_sf(k, *law), hyper.hypergeometric_sf(k - 1, *law)
    assert hyper.hypergeometric_cdf(k, *law) + here == pytest.approx(1, abs=2e-16)
    assert here <= below
    assert below - here == pytest.approx(hyper.hypergeometric_pmf(k, *law), rel=1e-14, abs=1e-14 * below)
    assert hyper.hypergeometric_logsf(k, *law) <= hyper.hypergeometric_logsf(k - 1, *law) <= 0
    assert hyper.hypergeometric_logcdf(k, *law) <= 0


@settings(derandomize=True, max_examples=300, deadline=None)
@given(laws(), st.floats(-30, 30))
def test_symmetries(law: tuple[int, int, int], z: float) -> None:
    M, C, K = law
    k = at(law, z)
    found = hyper.hypergeometric_sf(k, M, C, K)
    assert found == pytest.approx(hyper.hypergeometric_sf(k, M, K, C), rel=4e-15)
    assert found == pytest.approx(hyper.hypergeometric_cdf(K - k - 1, M, M - C, K), rel=4e-15)
    assert found == pytest.approx(hyper.hypergeometric_cdf(C - k - 1, M, C, M - K), rel=4e-15)


@settings(derandomize=True, max_examples=300, deadline=None)
@given(laws(), st.floats(1e-300, 1, exclude_min=True, exclude_max=True))
def test_quantile_is_the_first_value_that_reaches_q(law: tuple[int, int, int], q: float) -> None:
    k = hyper.hypergeometric_quantile(q, *law)
    low, high = hyper.support(*law)
    assert low <= k <= high
    if q <= 0.5:
        assert hyper.hypergeometric_cdf(k, *law) >= q > hyper.hypergeometric_cdf(k - 1, *law)
    else:
        assert hyper.hypergeometric_sf(k, *law) <= 1 - q < hyper.hypergeometric_sf(k - 1, *law)
    assert hyper.hypergeometric_quantile(0.0, *law) == low
    assert hyper.hypergeometric_quantile(1.0, *law) == high


@pytest.mark.parametrize(("M", "C", "K", "value"), [(9, 0, 4, 0), (9, 9, 4, 4), (9, 4, 0, 0), (9, 4, 9, 4)])
def test_point_masses(M: int, C: int, K: int, value: int) -> None:
    for k in (-3, -1, 0, 1, 3, 4, 5, 10**15):
        assert hyper.hypergeometric_pmf(k, M, C, K) == (k == value)
        assert hyper.hypergeometric_cdf(k, M, C, K) == (k >= value)
        assert hyper.hypergeometric_sf(k, M, C, K) == (k < value)
        assert hyper.hypergeometric_logpmf(k, M, C, K) == (0 if k == value else -math.inf)
        assert hyper.hypergeometric_logcdf(k, M, C, K) == (0 if k >= value else -math.inf)
        assert hyper.hypergeometric_logsf(k, M, C, K) == (0 if k < value else -math.inf)
    for q in (0.0, 0.3, 1.0):
        assert hyper.hypergeometric_quantile(q, M, C, K) == value


@settings(derandomize=True, max_examples=150, deadline=None)
@given(laws(10**6), st.floats(-5, 5))
def test_the_logarithm_of_a_probability(law: tuple[int, int, int], z: float) -> None:
    k = at(law, z)
    exact = twin.hypergeometric_pmf(k, *law) if law[0] <= 200 else None
    found = hyper.hypergeometric_logpmf(k, *law)
    if exact is None:
        low, high = hyper.support(*law)
        if low <= k <= high:
            with mpmath.workdps(50):
                assert found == pytest.approx(float(twin.log_density(k, *law)), rel=1e-14)
    elif exact:
        with mpmath.workdps(60):
            logarithm = float(mpmath.log(exact.numerator) - mpmath.log(exact.denominator))
        assert found == pytest.approx(logarithm, rel=1e-14)
    else:
        assert found == -math.inf


def test_a_probability_near_one_keeps_its_logarithm() -> None:
    """No success among 2 draws: 1 - 2C/M + C(C-1)/(M(M-1))."""
    M, C = 10**12, 3
    exact = float(mpmath.log1p(-(2 * mpmath.mpf(C) / M - mpmath.mpf(C * (C - 1)) / (M * (M - 1)))))
    assert hyper.hypergeometric_logpmf(0, M, C, 2) == pytest.approx(exact, rel=1e-14)


@pytest.mark.parametrize("shape", [(1, 6, 2), (6, 1, 2), (5, 6, 1), (5, 6, 30)])
@pytest.mark.parametrize("slope", [0.0, 0.02, 0.3])
@pytest.mark.parametrize("count", [210, 300, 800, 10**5])
def test_integral_and_sum_agree(count: int, slope: float, shape: tuple[int, int, int]) -> None:
    """Both ways to sum a tail, whichever of the four cells is the small one."""
    up1, up2, down1 = (count * multiple for multiple in shape)
    down2 = math.floor(math.exp(-slope) * (up1 + 0.5) * (up2 + 0.5) / (down1 + 0.5))
    with mpmath.workdps(40):
        half = mpmath.mpf(1) / 2
        exact_slope = mpmath.log((up1 + half) * (up2 + half) / ((down1 + half) * (down2 + half)))
    exact = float(twin._falling_sum([up1, up2], [down1, down2], Fraction(1)))
    found = tailsum.hypergeometric_sum(
        float(up1), float(up2), float(down1), float(down2), float(exact_slope), np.empty(tailsum.WORK)
    )
    assert found == pytest.approx(exact, rel=2e-15)


def test_array_kernels_equal_the_scalar_ones() -> None:
    rng = np.random.default_rng(5)
    cases = [random_case(rng, 1e6) for _ in range(50)]
    k, M, C, K = (np.array([case[i] for case in cases], np.int64) for i in range(4))
    q = rng.random(50)
    lower, upper, law, quantile = np.empty(50), np.empty(50), np.empty(50), np.empty(50, np.int64)
    hyper.hypergeometric_tail_arrays(k, M, C, K, lower, upper)
    assert lower.tolist() == [hyper.hypergeometric_cdf(*case) for case in cases]
    assert upper.tolist() == [hyper.hypergeometric_sf(*case) for case in cases]
    hyper.hypergeometric_log_tail_arrays(k, M, C, K, lower, upper)
    assert lower.tolist() == [hyper.hypergeometric_logcdf(*case) for case in cases]
    assert upper.tolist() == [hyper.hypergeometric_logsf(*case) for case in cases]
    hyper.hypergeometric_pmf_array(k, M, C, K, law)
    assert law.tolist() == [hyper.hypergeometric_pmf(*case) for case in cases]
    hyper.hypergeometric_logpmf_array(k, M, C, K, law)
    assert law.tolist() == [hyper.hypergeometric_logpmf(*case) for case in cases]
    hyper.hypergeometric_quantile_array(q, M, C, K, quantile)
    assert quantile.tolist() == [hyper.hypergeometric_quantile(q[i], M[i], C[i], K[i]) for i in range(50)]
