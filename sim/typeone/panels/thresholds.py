"""Tests of a binomial count, decided as counts: how many unfavorable votes or units a bound can bear.

A Clopper–Pearson upper bound after k of n is at most p exactly when P(Bin(n, p) ≤ k) is at most its level.  So
"the bound clears p" needs no bound: it is a comparison of k with one integer, found once.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import comb

import numpy as np
from numpy.typing import NDArray

from typeone.exact import clopper_pearson_lower
from typeone.levels import Level
from typeone.panels.curves import quota
from typeone.tails import binomial_cdf, binomial_quantile
from typeone_kernels import binomial as kernels

_UNSETTLED = 1e-9  # relative distance of a tail from a level below which fractions decide
_SIMPLE = 10**6  # denominators up to here are tried as exact roots


def most_allowed(n: int, chance: Fraction, level: Fraction, *, strict: bool = False) -> int:
    """The greatest k with P(Bin(n, chance) ≤ k) ≤ level (< level if ``strict``); −1 if there is none.

    A chance outside [0, 1] stands for the end it lies beyond.
    """
    chance = min(max(chance, Fraction(0)), Fraction(1))
    k = int(kernels.binomial_quantile(float(level), n, float(chance)))
    while not _kept(k, n, chance, level, strict):
        k -= 1
    while _kept(k + 1, n, chance, level, strict):
        k += 1
    return k


def _kept(k: int, n: int, chance: Fraction, level: Fraction, strict: bool) -> bool:
    tail = kernels.binomial_cdf(k, n, float(chance))
    if abs(tail - float(level)) > _UNSETTLED * float(level):
        return tail < level
    exact = lower_tail(k, n, chance)
    return exact < level or (exact == level and not strict)


def lower_tail(k: int, n: int, chance: Fraction) -> Fraction:
    """P(Bin(n, chance) ≤ k), exactly."""
    a, b = chance.numerator, chance.denominator
    ways = sum(comb(n, x) * a**x * (b - a) ** (n - x) for x in range(k + 1))
    return Fraction(ways, b**n)


def most_allowed_many(n: NDArray[np.int64], chance: Fraction, level: Fraction) -> NDArray[np.int64]:
    """``most_allowed`` for many n by floating point: right unless a tail equals the level to 1e-13 of itself."""
    k = np.asarray(binomial_quantile(float(level), n, float(chance)))
    return np.where(binomial_cdf(k, n, float(chance)) <= float(level), k, k - 1)


@lru_cache(maxsize=4096)
def most_unfavorable_share(size: int, needed: int, delta: Level) -> Fraction:
    """The greatest share x of unfavorable votes at which a panel errs with probability at most δ; −1 if none.

    A panel of ``size`` errs when it holds ``needed`` unfavorable votes or more, P(Bin(size, x) ≥ needed).  A share
    that is no simple fraction is rounded down to a double, by at most 1e-14 of itself, so that it keeps δ.
    """
    if needed < 1:
        return Fraction(-1)
    if needed > size:
        return Fraction(1)
    share = Fraction(clopper_pearson_lower(needed, size, delta))
    simple = share.limit_denominator(_SIMPLE)
    if abs(simple - share) < share / 10**13 and lower_tail(size - needed, size, 1 - simple) == delta:
        return simple
    return share


def needed_to_err(theta: Level, size: int, *, accepting: bool) -> int:
    """Unfavorable votes with which a panel misses the decision: K − q(K) + 1 to accept, q(K) to reject."""
    q = quota(theta, size)
    return size - q + 1 if accepting else q
