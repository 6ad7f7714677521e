"""Panel errors and sizes from their definitions, in integers: slow, obvious, exact."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import ceil, comb

import mpmath


def path_quota(theta: Fraction, size: int, accepting: bool, flips: int = 0) -> int:
    """Votes for the decision that a panel needs, positive ones to accept and negative ones to reject."""
    needed = ceil(theta * size)
    return (needed if accepting else size - needed + 1) + flips


@lru_cache(maxsize=100_000)
def hypergeometric(M: int, C: int, K: int, x: int) -> int:
    """P(X = x) times binom(M, K)."""
    return comb(C, x) * comb(M - C, K - x) if 0 <= x <= K else 0


def census_error(M: int, C: int, K: int, theta: Fraction, census_flips: int = 0, panel_flips: int = 0) -> Fraction:
    """The error as METHODS states it: worst corruption of the census or the panel, decision of the honest C."""
    q = ceil(theta * K)
    if ceil(theta * M) <= C:
        C = max(C - census_flips, 0)
        ways = sum(hypergeometric(M, C, K, x) for x in range(K + 1) if x - panel_flips < q)
    else:
        C = min(C + census_flips, M)
        ways = sum(hypergeometric(M, C, K, x) for x in range(K + 1) if x + panel_flips >= q)
    return Fraction(ways, comb(M, K))


def superpopulation_error(p: Fraction, attacked: Fraction, K: int, theta: Fraction, flips: int = 0) -> Fraction:
    """The decision is that of p, the votes are positive with probability ``attacked``."""
    q = ceil(theta * K)
    err = (lambda x: x - flips < q) if p >= theta else (lambda x: x + flips >= q)
    return sum((comb(K, x) * attacked**x * (1 - attacked) ** (K - x) for x in range(K + 1) if err(x)), Fraction(0))


def sizes(errors: dict[int, Fraction], delta: Fraction) -> tuple[int, int]:
    """Minimum and stable size over the sizes that are keys of ``errors``; 0 for none."""
    kept = [K for K in sorted(errors) if errors[K] <= delta]
    stable = [K for K in kept if all(errors[other] <= delta for other in errors if other >= K)]
    return (min(kept, default=0), min(stable, default=0))


def odd_majority_errors(M: int, C: int) -> dict[int, Fraction]:
    """e(K) for odd K and θ = 1/2 by the backward sums of METHODS §3, in fractions."""
    B = M - C
    if C < B:
        B, C = C, B
    terms = {}
    term = Fraction(B * C * (C - B), M * (M - 1) * (M - 2)) if M > 2 else Fraction(0)
    for m in range(B):
        if 2 * m + 1 >= M - 1:
            break
        terms[m] = term
        if M - 2 * m - 4 > 0:
            factor = Fraction(2 * (2 * m + 3) * (C - m - 1) * (B - m - 1), (m + 2) * (M - 2 * m - 3) * (M - 2 * m - 4))
            term *= factor
    return {2 * m + 1: sum((terms[j] for j in terms if j >= m), Fraction(0)) for m in range((M + 1) // 2)}


def census_lower_tail(M: int, C: int, K: int, quota: int) -> mpmath.mpf:
    """P(X < quota) to 50 digits: terms from the boundary down."""
    with mpmath.workdps(60):
        x = min(quota - 1, C, K)
        if x < max(0, K - M + C):
            return mpmath.mpf(0)
        term = mpmath.binomial(C, x) * mpmath.binomial(M - C, K - x) / mpmath.binomial(M, K)
        total = term
        while x > 0 and term > total * mpmath.mpf(10) ** -50:
            term *= mpmath.mpf(x * (M - C - K + x)) / ((C - x + 1) * (K - x + 1))
            total += term
            x -= 1
        return total
