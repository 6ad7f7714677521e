"""Slow, obvious twins of the tail kernels: exact integers, and a fixed-point sum where those are too long."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, nextafter

import mpmath  # type: ignore[import-untyped]
import numpy as np

DIGITS = 50
BITS, SMALL = 100, 34  # of the fixed-point sums: they end at a term of 2**(SMALL - BITS)


def hypergeometric_pmf(k: int, M: int, C: int, K: int) -> Fraction:
    """P(X = k), exactly."""
    if not max(0, K + C - M) <= k <= min(C, K):
        return Fraction(0)
    return Fraction(comb(C, k) * comb(M - C, K - k), comb(M, K))


def hypergeometric_upper(k: int, M: int, C: int, K: int) -> Fraction:
    """P(X >= k), exactly."""
    return sum((hypergeometric_pmf(j, M, C, K) for j in range(max(k, 0), min(C, K) + 1)), Fraction(0))


def binomial_pmf(k: int, n: int, p: Fraction) -> Fraction:
    """P(X = k), exactly."""
    return comb(n, k) * p**k * (1 - p) ** (n - k) if 0 <= k <= n else Fraction(0)


def binomial_upper(k: int, n: int, p: Fraction) -> Fraction:
    """P(X >= k), exactly."""
    return sum((binomial_pmf(j, n, p) for j in range(max(k, 0), n + 1)), Fraction(0))


def poisson_binomial_pmf(p: Sequence[Fraction]) -> list[Fraction]:
    """P(X = k) for k = 0..len(p), exactly: one factor (1 - p_i) + p_i z at a time."""
    law = [Fraction(1)]
    for share in p:
        law = [
            (law[k] if k < len(law) else 0) * (1 - share) + (law[k - 1] * share if k else 0)
            for k in range(len(law) + 1)
        ]
    return law


def _real(x: Fraction) -> mpmath.mpf:
    return mpmath.mpf(x.numerator) / x.denominator


def _log(x: Fraction) -> mpmath.mpf:
    return mpmath.log(_real(x))


def _log_choose(n: int | mpmath.mpf, k: int | mpmath.mpf) -> mpmath.mpf:
    return mpmath.loggamma(n + 1) - mpmath.loggamma(k + 1) - mpmath.loggamma(n - k + 1)


def _falling_sum(up: list[int], down: list[int], odds: Fraction) -> mpmath.mpf:
    """1 + r_0 + r_0 r_1 + ... with r_t = odds * prod (down - t) / prod (up + 1 + t), which must fall."""
    total = term = 1 << BITS
    end = 1 << SMALL
    if len(up) == 1:
        (u,), (d,) = up, down
        shift = BITS + max(0, odds.denominator.bit_length() - odds.numerator.bit_length())
        factor = (odds.numerator << shift) // odds.denominator
        while term > end:
            u += 1
            term = (term * d * factor >> shift) // u
            d -= 1
            total += term
    else:
        (u, v), (d, e) = up, down
        while term > end:
            u += 1
            v += 1
            term = term * (d * e) // (u * v)
            d -= 1
            e -= 1
            total += term
    return mpmath.mpf(total) / (1 << BITS)


def log_hypergeometric_tail(k: int, M: int, C: int, K: int, upper: bool) -> mpmath.mpf:
    """log P(X >= k) or log P(X <= k) at 50 digits, the sum to 20; for a tail that starts past the mode."""
    with mpmath.workdps(DIGITS):
        cells = (k, M - C - K + k), (C - k, K - k)
        up, down = cells if upper else cells[::-1]
        first = _log_choose(C, k) + _log_choose(M - C, K - k) - _log_choose(M, K)
        return first + mpmath.log(_falling_sum(list(up), list(down), Fraction(1)))


def log_binomial_tail(k: int, n: int, p: Fraction, upper: bool) -> mpmath.mpf:
    """log P(X >= k) or log P(X <= k) at 50 digits, the sum to 20; for a tail that starts past the mode."""
    with mpmath.workdps(DIGITS):
        odds = p / (1 - p)
        up, down = ([k], [n - k]) if upper else ([n - k], [k])
        first = _log_choose(n, k) + k * _log(p) + (n - k) * _log(1 - p)
        return first + mpmath.log(_falling_sum(up, down, odds if upper else 1 / odds))


def log_smooth_tail(log_density: Callable[[mpmath.mpf], mpmath.mpf], k: int, sd: float) -> mpmath.mpf:
    """log of the sum over t >= 0 of exp(log_density(k + t)) for sd > 1000, near the center of the law.

    Euler and Maclaurin: the integral, half the first term, and two derivatives; the next is below sd**-5.
    """
    with mpmath.workdps(40):
        density = [mpmath.exp(log_density(mpmath.mpf(k) + h) - log_density(mpmath.mpf(k))) for h in (-2, -1, 1, 2)]
        first = (density[0] - 8 * density[1] + 8 * density[2] - density[3]) / 12
        third = (density[3] - 2 * density[2] + 2 * density[1] - density[0]) / 2
        start = log_density(mpmath.mpf(k))
        grid = [k + mpmath.mpf(sd) * step for step in range(13)]
        integral = mpmath.quad(lambda x: mpmath.exp(log_density(x) - start), grid, maxdegree=5)
        return start + mpmath.log(integral + 0.5 - first / 12 + third / 720)


def log_density(k: mpmath.mpf, M: int, C: int, K: int) -> mpmath.mpf:
    """log of the hypergeometric density at a real k."""
    return _log_choose(C, k) + _log_choose(M - C, K - k) - _log_choose(M, K)


def attained(p: float, k: int, n: int, lower: bool) -> mpmath.mpf:
    """The level a Clopper-Pearson bound p attains: P(X >= k) for a lower, P(X <= k) for an upper bound."""
    share = Fraction(p)
    if lower:
        inside = k > (n + 1) * share
        tail = mpmath.exp(log_binomial_tail(k if inside else k - 1, n, share, inside))
    else:
        inside = k + 1 <= (n + 1) * share
        tail = mpmath.exp(log_binomial_tail(k if inside else k + 1, n, share, not inside))
    return tail if inside else 1 - tail


def slack(p: float, k: int, n: int, level: Fraction, lower: bool) -> mpmath.mpf:
    """Distance of a Clopper-Pearson bound from the exact one, in units of min(p, 1 - p); negative if invalid.

    To first order: (level - attained level) over the derivative k P(X = k)/p of P(X >= k).
    """
    with mpmath.workdps(DIGITS):
        share = Fraction(p)
        odds = (1 - share, share) if lower else (share, 1 - share)
        k_side = k if lower else n - k
        log_first = _log_choose(n, k) + k * _log(share) + (n - k) * _log(1 - share)
        derivative = k_side * mpmath.exp(log_first) / _real(odds[1])
        distance = (_real(level) - attained(p, k, n, lower)) / derivative
        return distance / _real(min(odds))


@dataclass(frozen=True)
class BoundCheck:
    """What a check of many Clopper-Pearson bounds found."""

    invalid: int
    worst_slack: float


def check_clopper_pearson(
    bound: Callable[[int, int, float, bool], float], cases: int, seed: int, largest: int = 10**9
) -> BoundCheck:
    """Random (k, n, level), n log-uniform to ``largest``, levels log-uniform from 1e-12, k uniform or near an end.

    ``bound(k, n, level, lower)`` is what is checked.  Slack is counted beyond one ulp of the bound.
    """
    rng = np.random.default_rng(seed)
    invalid, worst = 0, 0.0
    for case in range(cases):
        n = int(np.exp(rng.uniform(0.0, np.log(largest))))
        k = int(rng.integers(0, n + 1))
        if case % 4 >= 2:
            k = min(n, int(np.exp(rng.uniform(0.0, np.log(n + 1)))))
            k = k if case % 4 == 2 else n - k
        level = min(float(10.0 ** rng.uniform(-12.0, 0.0)), 0.999) if case % 3 else float(rng.uniform(0.01, 0.99))
        lower = bool(rng.integers(2))
        if k == (0 if lower else n):
            continue
        p = bound(k, n, level, lower)
        if p == 1:  # valid, and the best if no smaller double is
            worst = max(worst, float(slack(nextafter(p, 0.0), k, n, Fraction(level), lower)))
            continue
        distance = slack(p, k, n, Fraction(level), lower)
        ulp = (nextafter(p, 2.0) - p) / min(p, 1 - p) if p > 0.5 else 0.0
        invalid += distance < 0
        worst = max(worst, float(distance) - ulp)
    return BoundCheck(invalid, worst)
