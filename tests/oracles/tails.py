"""Binomial and hypergeometric laws as sums of rationals, or of 60-digit numbers where rationals grow too long."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import comb

from mpmath import mp, mpf


def binomial_pmf(k: int, n: int, p: Fraction) -> Fraction:
    return comb(n, k) * p**k * (1 - p) ** (n - k) if 0 <= k <= n else Fraction(0)


def hypergeometric_pmf(k: int, M: int, C: int, K: int) -> Fraction:
    if k < 0 or k > K:
        return Fraction(0)
    return Fraction(comb(C, k) * comb(M - C, K - k), comb(M, K))


def at_most(k: int, n: int, pmf: Callable[[int], Fraction]) -> Fraction:
    """P(X <= k) for X on 0 .. n."""
    return sum((pmf(x) for x in range(min(k, n) + 1)), Fraction(0))


def at_least(k: int, n: int, pmf: Callable[[int], Fraction]) -> Fraction:
    """P(X >= k) for X on 0 .. n."""
    return sum((pmf(x) for x in range(max(k, 0), n + 1)), Fraction(0))


def binomial_at_most(k: int, n: int, p: Fraction) -> Fraction:
    return at_most(k, n, lambda x: binomial_pmf(x, n, p))


def binomial_at_least(k: int, n: int, p: Fraction) -> Fraction:
    return at_least(k, n, lambda x: binomial_pmf(x, n, p))


def hypergeometric_at_most(k: int, M: int, C: int, K: int) -> Fraction:
    return at_most(k, K, lambda x: hypergeometric_pmf(x, M, C, K))


def hypergeometric_at_least(k: int, M: int, C: int, K: int) -> Fraction:
    return at_least(k, K, lambda x: hypergeometric_pmf(x, M, C, K))


def _one_sided(k: int, low: int, high: int, pmf: Callable[[int], mpf], ratio: Callable[[int], mpf]) -> tuple[mpf, mpf]:
    """(P(X <= k), P(X > k)) on low .. high: the tail away from the mode is summed, the other is its complement.

    ``ratio(x)`` is pmf(x + 1) / pmf(x).  At 60 digits a complement above 1e-20 keeps 40.
    """
    if k < low:
        return mpf(0), mpf(1)
    if k >= high:
        return mpf(1), mpf(0)
    if ratio(k) < 1:  # the law falls from k on
        term, tail, x = pmf(k + 1), mpf(0), k + 1
        while x <= high and term > tail * mpf(10) ** -50:
            tail += term
            if x < high:
                term *= ratio(x)
            x += 1
        return 1 - tail, tail
    term, tail, x = pmf(k), mpf(0), k
    while x >= low and term > tail * mpf(10) ** -50:
        tail += term
        if x > low:
            term /= ratio(x - 1)
        x -= 1
    return tail, 1 - tail


def binomial_tails(k: int, n: int, p: Fraction) -> tuple[mpf, mpf]:
    """(P(X <= k), P(X > k)) for any n, to 40 digits of each."""
    if p in (0, 1):
        below = k >= (0 if p == 0 else n)
        return (mpf(1), mpf(0)) if below else (mpf(0), mpf(1))
    exact = mpf(p.numerator) / p.denominator
    odds = exact / (1 - exact)

    def pmf(x: int) -> mpf:
        return mp.exp(log_comb(n, x) + x * mp.log(exact) + (n - x) * mp.log1p(-exact))

    return _one_sided(k, 0, n, pmf, lambda x: mpf(n - x) / (x + 1) * odds)


def hypergeometric_tails(k: int, M: int, C: int, K: int) -> tuple[mpf, mpf]:
    """(P(X <= k), P(X > k)) for any M, to 40 digits of each."""

    def pmf(x: int) -> mpf:
        return mp.exp(log_comb(C, x) + log_comb(M - C, K - x) - log_comb(M, K))

    def ratio(x: int) -> mpf:
        return mpf(C - x) * (K - x) / (mpf(x + 1) * (M - C - K + x + 1))

    return _one_sided(k, max(0, K - (M - C)), min(C, K), pmf, ratio)


def log_comb(n: int, k: int) -> mpf:
    """Log of a binomial coefficient; call it with at least 80 digits where n is large."""
    return mp.loggamma(n + 1) - mp.loggamma(k + 1) - mp.loggamma(n - k + 1)


def clopper_pearson_lower(k: int, n: int, level: Fraction) -> mpf:
    """The p with P(Bin(n, p) >= k) = level, 0 if k = 0, by Newton's method in the logarithm of the odds z.

    log P(X >= k) is concave there with slope E[X | X >= k] - E[X], so steps from the left never overshoot.
    """
    if k == 0:
        return mpf(0)
    with mp.workdps(60):
        target = mp.log(mpf(level.numerator) / level.denominator)
        # P(X >= k) <= comb p^k: a start to the left of the root.
        start = mp.exp((target - mp.log(comb(n, k))) / k)
        log_odds = mp.log(start) - mp.log1p(-start) if start < 1 else mpf(0)
        coefficients = [comb(n, x) for x in range(n + 1)]
        for _ in range(200):
            odds = mp.exp(log_odds)
            weights, power = [], mpf(1)
            for c in coefficients:
                weights.append(c * power)
                power *= odds
            total, tail = mp.fsum(weights), mp.fsum(weights[k:])
            mean = mp.fsum(x * w for x, w in enumerate(weights)) / total
            above = mp.fsum(x * weights[x] for x in range(k, n + 1)) / tail
            step = (target - mp.log(tail / total)) / (above - mean)
            log_odds += step
            if abs(step) < mpf(10) ** -40:
                break
        return 1 / (1 + mp.exp(-log_odds))


def clopper_pearson_upper(k: int, n: int, level: Fraction) -> mpf:
    with mp.workdps(60):
        return 1 - clopper_pearson_lower(n - k, n, level)
