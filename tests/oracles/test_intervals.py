"""typeone.exact and typeone.engine.intervals against the oracle, input by input."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from mpmath import mp, mpf

from oracles import intervals as oracle
from oracles import tails
from oracles.inputs import cases, digits, near, some_level
from typeone import exact
from typeone.engine import intervals, verdicts
from typeone.engine.intervals import Bounds, Moments


def counts(random: Random) -> tuple[int, int]:
    n = random.choice([1, 2, 3, 10, 60, 200])
    return random.choice([0, n, random.randint(0, n)]), n


def ordinary_level(random: Random) -> str:
    """1e-20 to 0.9; smaller ones and nearer to 1 see ``test_clopper_pearson_at_the_ends``."""
    return random.choice(["1e-12", "1e-20", "0.05", "0.025", "1/3", "0.9", "1/2", f"1/{2 ** random.randint(1, 60)}"])


def test_clopper_pearson(oracles: int) -> None:
    """1e-14 in min(p, 1 - p), then rounded outward by up to one ulp of p; always on the valid side."""
    for case, random in cases("clopper pearson", oracles):
        k, n = counts(random)
        typed = ordinary_level(random)
        level = Fraction(typed)
        lower, upper = exact.clopper_pearson_lower(k, n, typed), exact.clopper_pearson_upper(k, n, typed)
        wanted = tails.clopper_pearson_lower(k, n, level), tails.clopper_pearson_upper(k, n, level)
        where = (case, k, n, typed, lower, upper)
        slack = [mpf(10) ** -14 * min(w, 1 - w) + mpf(math.ulp(float(w))) for w in wanted]
        with mp.workdps(60):
            assert 0 <= wanted[0] - digits(float(lower)) <= slack[0], where
            assert 0 <= digits(float(upper)) - wanted[1] <= slack[1], where
        both = exact.clopper_pearson(k, n, typed)
        assert both == (
            exact.clopper_pearson_lower(k, n, level / 2),
            exact.clopper_pearson_upper(k, n, level / 2),
        ), where


@pytest.mark.parametrize(
    ("k", "n", "level", "accuracy"), [(2, 10, "0.999999999", 2e-14 + 1e-16 / 1e-9), (2, 3, "1e-280", 1e-13)]
)
def test_clopper_pearson_at_the_ends(k: int, n: int, level: str, accuracy: float) -> None:
    """Less accurate, as the docstring says, and on the valid side all the same."""
    got = float(exact.clopper_pearson_lower(k, n, level))
    wanted = tails.clopper_pearson_lower(k, n, Fraction(level))
    assert near(got, wanted, accuracy)
    assert got <= wanted * (1 + mpf(2) ** -53)


def test_hypergeometric_bounds(oracles: int) -> None:
    for case, random in cases("hypergeometric bounds", oracles):
        N = random.choice([1, 2, 3, 20, 60])
        n = random.randint(1, N)
        x = random.choice([0, n, random.randint(0, n)])
        typed = some_level(random)
        if random.random() < 0.4:  # a level that a tail equals
            tail = tails.hypergeometric_at_least(x, N, random.randint(0, N), n)
            typed = str(tail) if 0 < tail < 1 else typed
        where = (case, x, n, N, typed)
        level = Fraction(typed)
        if level < 1:
            wanted = oracle.hypergeometric_bounds(x, n, N, level)
            assert exact.hypergeometric_bounds(x, n, N, typed) == wanted, where
            halves = oracle.hypergeometric_bounds(x, n, N, level / 2)
            assert exact.hypergeometric_interval(x, n, N, typed) == halves, where


def some_alpha(random: Random) -> float:
    return random.choice([0.05, 0.025, 1e-12, 0.5, 0.3, 1e-6, 0.01])


def test_rate_fixed(oracles: int) -> None:
    for case, random in cases("rate fixed", oracles):
        k, n = counts(random)
        alpha = some_alpha(random)
        got = intervals.rate_fixed(k, n, alpha)
        level = Fraction(str(alpha))
        assert near(got.lower, tails.clopper_pearson_lower(k, n, level)), (case, k, n, alpha)
        assert near(got.upper, tails.clopper_pearson_upper(k, n, level)), (case, k, n, alpha)


def test_rate_sequence(oracles: int) -> None:
    """W crosses 1 / alpha within a relative 1e-9 of each bound; by symmetry the upper bound is that of failures."""
    for case, random in cases("rate sequence", oracles):
        k, n = counts(random)
        alpha = some_alpha(random)
        got = intervals.rate_sequence(k, n, alpha)
        where = (case, k, n, alpha, got)
        with mp.workdps(40):
            for successes, bound in ((k, digits(got.lower)), (n - k, 1 - digits(got.upper))):
                if successes == 0:
                    assert bound == 0, where
                    continue
                # A bound is a double, of p or of 1 - p: what the last place can hide is allowed too.
                step = max(mpf(10) ** -9 * bound, mpf(2) ** -52)
                before = mp.mpf(0) if bound <= step else bound - step
                assert 0 <= bound <= digits(Fraction(successes, n)) + step, where
                assert before == 0 or oracle.jeffreys_wealth(successes, n, before) >= 1 / digits(alpha), where
                assert oracle.jeffreys_wealth(successes, n, bound + step) <= 1 / digits(alpha), where


def values(random: Random) -> list[float]:
    n = random.choice([1, 2, 3, 20])
    kind = random.randrange(4)
    if kind == 0:
        return [random.choice([0.0, 1.0, 1e-150, 1e150, -1e150]) for _ in range(n)]
    if kind == 1:
        return [0.1] * n
    if kind == 2:
        return [1e15 + random.random() for _ in range(n)]
    return [random.gauss(0, 1) for _ in range(n)]


def moments(data: list[float]) -> Moments:
    held = Moments()
    cut = len(data) // 2
    held.add(np.array(data[:cut]))
    held.add(np.array(data[cut:]))
    return held


def test_moments(oracles: int) -> None:
    for case, random in cases("moments", oracles):
        data = values(random)
        got = moments(data)
        mean, variance = oracle.mean_and_variance(data)
        assert got.mean == float(mean), (case, data)
        if variance is None:
            assert math.isnan(got.sd), (case, data)
            assert math.isnan(intervals.standard_error(got)), (case, data)
            continue
        assert got.variance == variance, (case, data)
        assert near(got.sd, oracle.root_of(variance), 1e-15), (case, data)
        assert near(intervals.standard_error(got), oracle.root_of(variance / len(data)), 1e-15), (case, data)


@pytest.mark.parametrize("size", [1e300, 1e-170])
def test_moments_of_extreme_values(size: float) -> None:
    got = moments([size, -size, size])
    _, variance = oracle.mean_and_variance([size, -size, size])
    assert variance is not None
    assert near(got.sd, oracle.root_of(variance), 1e-15)


def test_mean_fixed_at_a_tiny_alpha() -> None:
    got = intervals.mean_fixed(moments([0.0, 1.0]), 1e-12)
    with mp.workdps(50):
        tail = oracle.student_upper_tail(2 * digits(got.upper) - 1, 1)
    assert near(1e-12, tail, 1e-9)


def test_mean_fixed(oracles: int) -> None:
    """Student's bounds: the tail beyond their distance from the mean, in standard errors, is alpha."""
    for case, random in cases("mean fixed", oracles):
        data = values(random)
        alpha = max(1e-6, some_alpha(random))
        got = intervals.mean_fixed(moments(data), alpha)
        mean, variance = oracle.mean_and_variance(data)
        where = (case, data, alpha, got)
        if variance is None:
            assert math.isnan(got.lower), where
            assert math.isnan(got.upper), where
            continue
        if variance == 0:
            assert (got.lower, got.upper) == (float(mean), float(mean)), where
            continue
        with mp.workdps(50):
            error = oracle.root_of(variance / len(data))
            for distance in (digits(mean) - digits(got.lower), digits(got.upper) - digits(mean)):
                # The bound is a double near the mean: its last place limits what the distance can say.
                blur = mpf(4 * math.ulp(max(abs(got.lower), abs(got.upper))))
                tails_ = [
                    oracle.student_upper_tail(max(mpf(0), d) / error, len(data) - 1)
                    for d in (distance * (1 + mpf(10) ** -9) + blur, distance * (1 - mpf(10) ** -9) - blur)
                ]
                assert tails_[0] <= digits(alpha) <= tails_[1], where


def test_judge(oracles: int) -> None:
    for case, random in cases("judge", oracles):
        level, margin = Fraction(some_level(random)), Fraction(random.choice(["0", "0.005", "1e-12"]))
        ends = [random.random(), float(level), float(level + margin), math.nextafter(float(level), 2), 0.0, 1.0]
        lower, upper = sorted(random.choice(ends) for _ in range(2))
        got = verdicts.judge(Bounds(lower, upper), level, margin)
        assert got == oracle.verdict(lower, upper, level, margin), (case, lower, upper, level, margin)
