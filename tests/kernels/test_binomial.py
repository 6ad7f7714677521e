"""Binomial kernels against exact fractions, a fixed-point sum and an Euler-Maclaurin twin."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from twins import tails as twin
from typeone_kernels import binomial, doubledouble, saddlepoint, search, tailsum

SOME_P = [0.5, 0.1, 0.9, 0.3, 2.0**-30, 1 - 2.0**-30, 0.999]


def close(found: float, exact: Fraction, relative: float) -> bool:
    """Within ``relative`` of ``exact``, or below the normal doubles where digits are lost."""
    if exact < Fraction(1, 10**300):
        return 0 <= found <= 1e-299
    return bool(abs(Fraction(found) / exact - 1) <= relative)


@pytest.mark.parametrize(
    ("n", "p"), [(n, p) for n in (1, 2, 3, 7, 20, 33, 60) for p in SOME_P] + [(3, 1e-300), (7, 5e-324)]
)
def test_pmf_and_tails_equal_exact_fractions(n: int, p: float) -> None:
    law = [twin.binomial_pmf(k, n, Fraction(p)) for k in range(n + 1)]
    for k in range(n + 1):
        assert close(binomial.binomial_pmf(k, n, p), law[k], 2e-15)
        assert close(binomial.binomial_cdf(k, n, p), sum(law[: k + 1], Fraction(0)), 3e-15)
        assert close(binomial.binomial_sf(k, n, p), sum(law[k + 1 :], Fraction(0)), 3e-15)


@pytest.mark.parametrize(
    ("found", "exact"),
    [
        (lambda: binomial.binomial_logcdf(0, 10**4, 0.5), -6931.471805599453),
        (lambda: binomial.binomial_logsf(4999, 10**4, 0.1), -5112.96947240185),
    ],
)
def test_logarithms_far_below_the_smallest_double(found, exact) -> None:
    assert found() == pytest.approx(exact, rel=1e-15)


def test_a_small_quantile_is_found() -> None:
    assert binomial.binomial_quantile(0.01, 5016279, 2e-7) == 0


def random_case(rng: np.random.Generator, largest: float) -> tuple[int, int, float]:
    """(k, n, p): k within 37 sd of the mean, n log-uniform, p anywhere or close to an end."""
    n = int(np.exp(rng.uniform(np.log(largest) - 2, np.log(largest))))
    p = float(rng.random())
    if rng.random() < 0.5:
        p = float(np.exp(rng.uniform(-np.log(n) - 3, 0)))
        p = 1 - p if rng.random() < 0.3 else p
    z = rng.uniform(-7, 7) if rng.random() < 0.5 else rng.uniform(-37, 37)
    k = int(np.clip(np.floor(n * p + z * math.sqrt(n * p * (1 - p))), 0, n))
    return k, n, p


@pytest.mark.parametrize("largest", [1e2, 1e3, 3e3, 1e4, 1e5, 1e6, 1e8])
def test_tails_at_any_distance(largest: float) -> None:
    rng = np.random.default_rng(int(largest))
    for _ in range(150):
        k, n, p = random_case(rng, largest)
        if not 0 < p < 1:
            continue
        upper = k > (n + 1) * Fraction(p)
        exact = twin.log_binomial_tail(k, n, Fraction(p), upper)
        tails = binomial.binomial_sf(k - 1, n, p), binomial.binomial_cdf(k, n, p)
        logs = binomial.binomial_logsf(k - 1, n, p), binomial.binomial_logcdf(k, n, p)
        near = 0 if upper else 1
        assert abs(logs[near] - exact) <= 3e-15 * max(1, abs(exact))
        if exact > -690:
            assert abs(mpmath.mpf(tails[near]) / mpmath.exp(exact) - 1) <= 5e-15
        far = binomial.binomial_cdf(k - 1, n, p) if upper else binomial.binomial_sf(k, n, p)
        assert far == pytest.approx(float(1 - mpmath.exp(exact)), rel=4e-16)


@pytest.mark.parametrize(
    ("n", "p", "z"), [(10**12, 0.3, 0.0), (10**12, 0.3, 1.0), (10**12, 1e-3, -0.7), (10**15, 0.6, 0.1)]
)
def test_the_center_of_a_huge_law(n: int, p: float, z: float) -> None:
    share, sd = Fraction(p), math.sqrt(n * p * (1 - p))
    k = math.floor(n * share) + math.floor(z * sd) + (1 if z >= 0 else 0)

    def log_density(x: mpmath.mpf) -> mpmath.mpf:
        logs = mpmath.log(p), mpmath.log(1 - mpmath.mpf(p))
        return twin._log_choose(n, x) + x * logs[0] + (n - x) * logs[1]

    if z >= 0:
        exact = twin.log_smooth_tail(log_density, k, sd)
        found = binomial.binomial_sf(k - 1, n, p)
    else:
        exact = twin.log_smooth_tail(lambda x: log_density(n - x), n - k, sd)
        found = binomial.binomial_cdf(k, n, p)
    with mpmath.workdps(30):
        assert abs(mpmath.mpf(found) / mpmath.exp(exact) - 1) < 3e-15


laws = st.tuples(st.integers(1, 10**12), st.one_of(st.floats(1e-12, 1, exclude_max=True), st.sampled_from(SOME_P)))


@settings(derandomize=True, max_examples=300, deadline=None)
@given(laws, st.floats(-9, 9))
def test_neighbors_differ_by_a_probability_and_tails_fall(law: tuple[int, float], z: float) -> None:
    n, p = law
    k = min(max(math.floor(n * p + z * math.sqrt(n * p * (1 - p))), 0), n - 1)
    here, below = binomial.binomial_sf(k, n, p), binomial.binomial_sf(k - 1, n, p)
    assert binomial.binomial_cdf(k, n, p) + here == pytest.approx(1, abs=2e-16)
    assert here <= below
    assert below - here == pytest.approx(binomial.binomial_pmf(k, n, p), rel=1e-14, abs=1e-14 * below)
    assert binomial.binomial_logsf(k, n, p) <= binomial.binomial_logsf(k - 1, n, p) <= 0
    assert binomial.binomial_logcdf(k, n, p) <= 0


@settings(derandomize=True, max_examples=300, deadline=None)
@given(st.integers(0, 10**9), st.floats(0.5, 1, exclude_max=True), st.floats(-30, 30))
def test_failures_are_the_mirror_image(n: int, p: float, z: float) -> None:
    k = math.floor(n * p + z * math.sqrt(n * p * (1 - p)))
    assert binomial.binomial_sf(k, n, p) == pytest.approx(binomial.binomial_cdf(n - k - 1, n, 1 - p), rel=1e-15)
    assert binomial.binomial_pmf(k, n, p) == pytest.approx(binomial.binomial_pmf(n - k, n, 1 - p), rel=1e-15)


@settings(derandomize=True, max_examples=300, deadline=None)
@given(laws, st.floats(1e-300, 1, exclude_min=True, exclude_max=True))
@example((60, 0.3), 0.5)
@example((10**12, 0.5), 1 - 2.0**-53)
def test_quantile_is_the_first_value_that_reaches_q(law: tuple[int, float], q: float) -> None:
    n, p = law
    k = binomial.binomial_quantile(q, n, p)
    assert 0 <= k <= n
    if q <= 0.5:
        assert binomial.binomial_cdf(k, n, p) >= q > binomial.binomial_cdf(k - 1, n, p)
    else:
        assert binomial.binomial_sf(k, n, p) <= 1 - q < binomial.binomial_sf(k - 1, n, p)


@settings(derandomize=True, max_examples=150, deadline=None)
@given(st.integers(1, 10**9), st.floats(1e-12, 1e-3))
def test_a_probability_near_one_keeps_its_logarithm(n: int, p: float) -> None:
    p = p / n
    exact = n * math.log1p(-p)
    assert binomial.binomial_logpmf(0, n, p) == pytest.approx(exact, rel=1e-13)
    assert binomial.binomial_logpmf(1, n, p) == pytest.approx(math.log(n * p) + exact - math.log1p(-p), rel=1e-14)


@pytest.mark.parametrize(("n", "p", "value"), [(5, 0.0, 0), (5, 1.0, 5), (0, 0.3, 0)])
def test_point_masses_and_values_outside_the_support(n: int, p: float, value: int) -> None:
    for k in (-7, -1, 0, 1, 4, 5, 6, 10**15):
        assert binomial.binomial_pmf(k, n, p) == (k == value)
        assert binomial.binomial_cdf(k, n, p) == (k >= value)
        assert binomial.binomial_sf(k, n, p) == (k < value)
        assert binomial.binomial_logpmf(k, n, p) == (0 if k == value else -math.inf)
        assert binomial.binomial_logcdf(k, n, p) == (0 if k >= value else -math.inf)
        assert binomial.binomial_logsf(k, n, p) == (0 if k < value else -math.inf)
    for q in (0.0, 0.3, 1.0):
        assert binomial.binomial_quantile(q, n, p) == value


def test_values_outside_the_support_of_a_proper_law() -> None:
    assert binomial.binomial_pmf(-1, 3, 0.5) == binomial.binomial_pmf(4, 3, 0.5) == 0
    assert binomial.binomial_logpmf(-1, 3, 0.5) == binomial.binomial_logpmf(4, 3, 0.5) == -math.inf
    assert binomial.binomial_quantile(0.0, 3, 0.5) == 0
    assert binomial.binomial_quantile(1.0, 3, 0.5) == 3


def test_array_kernels_equal_the_scalar_ones() -> None:
    rng = np.random.default_rng(5)
    cases = [random_case(rng, 1e6) for _ in range(50)]
    k, n = (np.array([case[i] for case in cases], np.int64) for i in (0, 1))
    p, q = np.array([case[2] for case in cases]), rng.random(50)
    lower, upper, law, quantile = np.empty(50), np.empty(50), np.empty(50), np.empty(50, np.int64)
    binomial.binomial_tail_arrays(k, n, p, lower, upper)
    assert lower.tolist() == [binomial.binomial_cdf(*case) for case in cases]
    assert upper.tolist() == [binomial.binomial_sf(*case) for case in cases]
    binomial.binomial_log_tail_arrays(k, n, p, lower, upper)
    assert lower.tolist() == [binomial.binomial_logcdf(*case) for case in cases]
    assert upper.tolist() == [binomial.binomial_logsf(*case) for case in cases]
    binomial.binomial_pmf_array(k, n, p, law)
    assert law.tolist() == [binomial.binomial_pmf(*case) for case in cases]
    binomial.binomial_logpmf_array(k, n, p, law)
    assert law.tolist() == [binomial.binomial_logpmf(*case) for case in cases]
    binomial.binomial_quantile_array(q, n, p, quantile)
    assert quantile.tolist() == [binomial.binomial_quantile(q[i], n[i], p[i]) for i in range(50)]


# The pieces.


@settings(derandomize=True, max_examples=300, deadline=None)
@given(st.integers(1, 10**15), st.floats(1e-300, 1e15))
@example(1, 0.5)
@example(2, 1.0)
@example(3, 1e-310)
def test_log_ratio_is_right_to_1e_20(x: int, m: float) -> None:
    low = m * 2.0**-55 if m > 1e-280 else 0.0
    hi, lo = doubledouble.log_ratio(float(x), m, low)
    with mpmath.workdps(50):
        exact = mpmath.log(mpmath.mpf(x) / (mpmath.mpf(m) + low))
        assert abs(mpmath.mpf(hi) + lo - exact) <= 1e-20 + 1e-30 * abs(exact)


@settings(derandomize=True, max_examples=300, deadline=None)
@given(st.integers(1, 10**15), st.floats(-0.0624, 0.0624))
@example(10**9, 1e-9)
def test_both_forms_of_a_deviance_agree_with_its_definition(x: int, u: float) -> None:
    assume(abs(u) > 1e-12)
    dh, dl = float(x) * u, float(x) * u * 2.0**-56
    with mpmath.workdps(60):
        m = mpmath.mpf(x) - dh - dl
        exact = x * mpmath.log(x / m) + m - x
        mh = float(m)
        far = saddlepoint.far_deviance(float(x), mh, float(m - mh), dh, dl)
        assert abs(mpmath.mpf(far[0]) + far[1] - exact) <= 1e-20 * x
        if saddlepoint.is_near(float(x), dh):
            near = saddlepoint.near_deviance(float(x), dh, dl)
            assert abs((mpmath.mpf(near[0]) + near[1]) / exact - 1) <= 1e-17


def test_stirling_factors() -> None:
    for x in [*range(70), 1000, 10**15]:
        square, rest = saddlepoint.stirling(float(x))
        with mpmath.workdps(50):
            exact = mpmath.loggamma(x + 1) + x - (x * mpmath.log(x) if x else 0)
            assert abs(mpmath.log(mpmath.mpf(square)) / 2 + rest - exact) < 1.2e-16


def test_gauss_legendre_nodes_are_correctly_rounded() -> None:
    with mpmath.workdps(40):
        for node, weight in zip(tailsum._NODES, tailsum._WEIGHTS, strict=True):
            z = mpmath.findroot(lambda z: mpmath.legendre(24, z), 2 * mpmath.mpf(float(node)) - 1)
            slope = 24 * mpmath.legendre(23, z) / (1 - z * z)
            assert float((1 + z) / 2) == node
            assert float(1 / ((1 - z * z) * slope**2)) == weight


@pytest.mark.parametrize("upper", [True, False])
@pytest.mark.parametrize("slope", [0.0, 1e-3, 0.02, 0.1, 0.3])
@pytest.mark.parametrize("count", [210, 300, 800, 5000, 10**5])
def test_integral_and_sum_agree(count: int, slope: float, upper: bool) -> None:
    """Both ways to sum a tail, on the border between them and far on the integral's side."""
    up, down = (count, 7 * count) if upper else (7 * count, count)
    odds = Fraction(math.exp(-slope)) * (2 * up + 1) / (2 * down + 1)
    rounded = float(odds)
    with mpmath.workdps(40):
        slope = float(mpmath.log((up + mpmath.mpf(1) / 2) / ((down + mpmath.mpf(1) / 2) * rounded)))
    exact = float(twin._falling_sum([up], [down], Fraction(rounded)))
    found = tailsum.binomial_sum(float(up), float(down), rounded, slope, np.empty(tailsum.WORK))
    assert found == pytest.approx(exact, rel=2e-15)


def test_normal_deviate() -> None:
    for q in [1e-300, 1e-20, 1e-5, 0.02, 0.07, 0.1, 0.3, 0.5, 0.7, 0.93, 0.99999]:
        with mpmath.workdps(330):
            exact = mpmath.sqrt(2) * mpmath.erfinv(2 * mpmath.mpf(q) - 1) if q > 1e-15 else None
        found = search.normal_deviate(q)
        if exact is None:
            assert math.log(math.erfc(-found / math.sqrt(2)) / 2) == pytest.approx(math.log(q), rel=1e-6)
        else:
            assert found == pytest.approx(float(exact), rel=1e-6, abs=1e-9)


@settings(derandomize=True, max_examples=200, deadline=None)
@given(st.integers(-1, 10**6), st.integers(1, 10**6), st.data())
def test_narrowing_finds_the_first_integer_in_few_steps(below: int, width: int, data: st.DataObject) -> None:
    above = below + width
    answer = data.draw(st.integers(below + 1, above))
    low, high, step, evaluations = below, above, 1, 0
    probe = data.draw(st.integers(below + 1, max(above - 1, below + 1)))
    distance = abs(probe - answer)
    while high - low > 1:
        low, high, probe, step = search.narrow(low, high, probe, probe >= answer, step)
        evaluations += 1
    assert high == answer
    assert evaluations <= 2 * math.log2(distance + 1) + 4
