"""Bounds from METHODS sections 3 and 5 and from the docstrings of ``typeone.engine.intervals``.

Clopper-Pearson ends are in ``oracles.tails``.  Here: Student's bounds, the beta-binomial confidence sequence, bounds
for a finite population, and what bounds say about a claim.  (The docstrings give no formula for the bounds of a
bounded mean and for the normal mixture; those are compared with nothing here.)
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from mpmath import mp, mpf

from oracles.tails import hypergeometric_at_least, hypergeometric_at_most


def mean_and_variance(values: Sequence[float]) -> tuple[Fraction, Fraction | None]:
    """The mean and the unbiased variance, exactly."""
    exact = [Fraction(x) for x in values]
    mean = sum(exact, Fraction(0)) / len(exact)
    if len(exact) < 2:
        return mean, None
    return mean, sum(((x - mean) ** 2 for x in exact), Fraction(0)) / (len(exact) - 1)


def root_of(x: Fraction) -> mpf:
    with mp.workdps(60):
        return mp.sqrt(mpf(x.numerator) / x.denominator)


def student_upper_tail(t: mpf, freedom: int) -> mpf:
    """P(T > t), t >= 0, of Student's law: half the incomplete beta function at freedom / (freedom + t^2)."""
    x = freedom / (freedom + t * t)
    return mp.betainc(mpf(freedom) / 2, mpf(1) / 2, 0, x, regularized=True) / 2


def jeffreys_wealth(k: int, n: int, p: mpf) -> mpf:
    """W(p) = F(p) + B(a + k, a + n - k) / B(a, a) S_k(p) / (p^k (1 - p)^(n - k)), a = 1/2."""
    half = mpf(1) / 2
    first, second = half + k, half + n - k
    prior = mp.betainc(half, half, 0, p, regularized=True)
    tail = mp.betainc(first, second, p, 1, regularized=True)
    return prior + mp.beta(first, second) / mp.beta(half, half) * tail / (p**k * (1 - p) ** (n - k))


def hypergeometric_bounds(x: int, n: int, N: int, level: Fraction) -> tuple[int, int]:
    """The least C with P(X >= x) > level, the greatest with P(X <= x) > level, among counts that x of n allow."""
    possible = range(x, N - (n - x) + 1)
    lower = min(C for C in possible if hypergeometric_at_least(x, N, C, n) > level)
    upper = max(C for C in possible if hypergeometric_at_most(x, N, C, n) > level)
    return lower, upper


def verdict(lower: float, upper: float, level: Fraction, margin: Fraction) -> str:
    """Section 5: what one-sided bounds say about "error <= level"."""
    below = Fraction(upper) <= level + margin
    if Fraction(lower) > level:
        return "within margin" if below else "violated"
    return "holds" if below else "undecided"
