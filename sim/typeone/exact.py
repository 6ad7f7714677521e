"""Exact confidence bounds for a probability and for the number of positives in a finite population.

Levels are exact rationals (``typeone.levels``).  A bound is *valid* when the probability of missing the truth
is at most the level whatever the truth is.  Clopper-Pearson bounds are doubles rounded outward, with the tail
evaluated again at the very number returned; bounds for a finite population are integers, and where the tail is
too close to the level for floating point the comparison is made in exact integers.

Source: Clopper and Pearson, *The use of confidence or fiducial limits illustrated in the case of the binomial*
(1934).
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from typeone.counts import counts, one_count, require
from typeone.levels import LevelLike
from typeone.levels import level as exact_level
from typeone_kernels.bounds import (
    clopper_pearson_lower_bounds,
    clopper_pearson_upper_bounds,
    hypergeometric_lower,
)
from typeone_kernels.tailsum import WORK

__all__ = [
    "clopper_pearson",
    "clopper_pearson_lower",
    "clopper_pearson_upper",
    "hypergeometric_bounds",
    "hypergeometric_interval",
]

Bound = Any  # a float for scalar counts, an NDArray[np.float64] of the broadcast shape otherwise

_DOUBTFUL = 1e-10  # relative distance of a computed tail from the level below which integers decide
_BITS = 128  # of the fixed-point enclosure that is tried before exact sums
_LEAST_LEVEL = Fraction(1, 10**290)


def round_down(value: Fraction) -> float:
    """The largest double not above ``value``: a bound at this level is valid at the exact one."""
    nearest = value.numerator / value.denominator
    return nearest if Fraction(nearest) <= value else math.nextafter(nearest, -math.inf)


def _level(level: LevelLike) -> Fraction:
    exact = exact_level("level", level)
    if exact < _LEAST_LEVEL:
        raise ValueError(f"level={exact.text}: levels below 1e-290 are not supported")
    return exact


def _trials(k: ArrayLike, n: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    positives, trials = np.broadcast_arrays(counts("k", k, 0), counts("n", n, 1))
    require("k", positives, positives <= trials, "exceeds the number of trials n")
    return positives, trials


def _bounds(upper: bool, k: ArrayLike, n: ArrayLike, level: Fraction) -> Bound:
    positives, trials = _trials(k, n)
    out = np.empty(positives.size)
    levels = np.full(positives.size, round_down(level))
    kernel = clopper_pearson_upper_bounds if upper else clopper_pearson_lower_bounds
    kernel(positives.copy().ravel(), trials.copy().ravel(), levels, out)
    return out.reshape(positives.shape) if positives.shape else float(out[0])


def clopper_pearson_lower(k: ArrayLike, n: ArrayLike, level: LevelLike) -> Bound:
    """Largest p with P(Bin(n, p) >= k) <= level: one-sided lower bound after k successes in n trials.

    ``k`` and ``n`` are whole numbers, 0 <= k <= n, n >= 1, scalars or arrays that broadcast.  Always on the valid
    side; for levels from 1e-20 to .9 within 1e-14 min(p, 1 - p) and one ulp of p.  A level closer to 1 is held as a
    double, which costs 1e-16 / (1 - level); levels down to 1e-290 cost up to 1e-13.  Raises ValueError for other input.
    Where 1 - p must be precise, 1 - p is ``clopper_pearson_upper(n - k, n, level)``.

    >>> round(clopper_pearson_lower(10, 10, "0.05"), 12)
    0.741134449107
    """
    return _bounds(False, k, n, _level(level))


def clopper_pearson_upper(k: ArrayLike, n: ArrayLike, level: LevelLike) -> Bound:
    """Smallest p with P(Bin(n, p) <= k) <= level: one-sided upper bound; see ``clopper_pearson_lower``.

    >>> clopper_pearson_upper([0, 1], 60, "0.05").round(6)
    array([0.048703, 0.07664 ])
    """
    return _bounds(True, k, n, _level(level))


def clopper_pearson(k: ArrayLike, n: ArrayLike, level: LevelLike) -> tuple[Bound, Bound]:
    """Two-sided interval with noncoverage at most ``level``: both one-sided bounds at level/2.

    Arguments and errors as for ``clopper_pearson_lower``.

    >>> lower, upper = clopper_pearson(3, 100, "0.05")
    >>> round(lower, 6), round(upper, 6)
    (0.00623, 0.085176)
    """
    half = _level(level) / 2
    return _bounds(False, k, n, half), _bounds(True, k, n, half)


def hypergeometric_bounds(x: int, n: int, N: int, level: LevelLike) -> tuple[int, int]:
    """One-sided lower and upper bound, each at ``level``, for the number C of positives among N units.

    x of n units drawn without replacement are positive, 0 <= x <= n, 1 <= n <= N.  The lower bound is the least
    C with P(X >= x) > level, the upper one the greatest C with P(X <= x) > level; equality excludes C.
    Raises ValueError for other input.

    >>> hypergeometric_bounds(3, 10, 100, "0.05")
    (10, 59)
    """
    return _population_bounds(x, n, N, _level(level))


def hypergeometric_interval(x: int, n: int, N: int, level: LevelLike) -> tuple[int, int]:
    """Equal-tailed interval with noncoverage at most ``level``: both one-sided bounds at level/2.

    Arguments and errors as for ``hypergeometric_bounds``.

    >>> hypergeometric_interval(3, 10, 100, "0.05")
    (8, 63)
    """
    return _population_bounds(x, n, N, _level(level) / 2)


def _population_bounds(x: int, n: int, N: int, level: Fraction) -> tuple[int, int]:
    population = one_count("N", N, 1)
    drawn = one_count("n", n, 1, population)
    positive = one_count("x", x, 0, drawn)
    low = _least(positive, drawn, population, level)
    return low, population - _least(drawn - positive, drawn, population, level)


def _least(x: int, n: int, N: int, level: Fraction) -> int:
    """The least C with P(X >= x) > level: by floating point, then in integers between its two readings."""
    work = np.empty(WORK)
    near = float(level)
    low = hypergeometric_lower(x, n, N, near * (1 - _DOUBTFUL), work)
    high = hypergeometric_lower(x, n, N, near * (1 + _DOUBTFUL), work)
    while low < high:
        middle = (low + high) // 2
        if _tail_exceeds(x, n, N, middle, level):
            high = middle
        else:
            low = middle + 1
    return low


def _tail_exceeds(x: int, n: int, N: int, C: int, level: Fraction) -> bool:
    """Whether P(X >= x) > level: in fixed point if that settles it, else by adding numbers of samples exactly.

    About 30 standard deviations of X in steps, or as many as X has values.
    """
    low, high = _excess(1 << _BITS, x, n, N, C, level)
    if low <= 0 < high:
        low, high = _excess(math.comb(C, x) * math.comb(N - C, n - x), x, n, N, C, level)
    return low > 0


def _excess(first: int, x: int, n: int, N: int, C: int, level: Fraction) -> tuple[int, int]:
    """Enclosure of ``U (b - a) - L a`` for level = a/b, of the sign of P(X >= x) - level.

    U and L are the sums of ``first`` * P(X = j)/P(X = x) over j >= x and over j < x.
    """
    a, b = level.numerator, level.denominator
    successes, failures = (x, N - C - n + x), (C - x, n - x)
    upper_low, upper_high = _enclosed_sum(first, successes, failures)
    lower_low, lower_high = _enclosed_sum(first, failures, successes)
    return upper_low * (b - a) - (lower_high - first) * a, upper_high * (b - a) - (lower_low - first) * a


def _enclosed_sum(first: int, up: tuple[int, int], down: tuple[int, int]) -> tuple[int, int]:
    """Integers below and above the sum of ``first`` * P(X = x +- t)/P(X = x) over t = 0, 1, ...

    ``up`` and ``down`` are the cells of the 2 x 2 table that grow and shrink with t.  Each term is rounded down
    and up; the sum ends with the support, or where the next term is below 1: the terms' ratios decrease, so the
    rest is at most a geometric series.  Exact when every term is an integer.
    """
    (u, v), (d, e) = up, down
    low = high = total_low = total_high = first
    while d and e:
        top, bottom = d * e, (u + 1) * (v + 1)
        if high * top < bottom:
            return total_low, total_high + 1 + high * top // (bottom - top)
        low, high = low * top // bottom, -(-high * top // bottom)
        total_low += low
        total_high += high
        u, v, d, e = u + 1, v + 1, d - 1, e - 1
    return total_low, total_high
