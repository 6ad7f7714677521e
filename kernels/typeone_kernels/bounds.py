"""Confidence bounds by inverting binomial and hypergeometric tails.

Source: Clopper and Pearson, *The use of confidence or fiducial limits illustrated in the case of the binomial*
(1934).  A bound is invalid when its attained level exceeds the stated one, so each is rounded outward and the
tail is evaluated again at the very number returned, with the error bound of that evaluation on the safe side.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from typeone_kernels._jit import kernel
from typeone_kernels.binomial import upper_tail
from typeone_kernels.doubledouble import two_sum
from typeone_kernels.hypergeometric import hypergeometric_tails
from typeone_kernels.saddlepoint import log_value, value
from typeone_kernels.search import narrow, normal_deviate
from typeone_kernels.tailsum import WORK

_SAFELY_INSIDE = 1e-290  # tails below this may have lost digits to underflow; their logarithm has not
_SERIES_CONVERGES = 0.05  # second and fourth term of a step over its first; beyond, Halley's step is taken
_ROUNDING = 2.0**-50  # of logit x: a step that rounding of x and 1 - x cannot undo


@kernel
def _start(k: float, n: float, target: float) -> tuple[float, float]:
    """A first (x, 1 - x) with P(Bin(n, x) >= k) near ``target`` <= 1/2: exact for k = 1 and k = n.

    Otherwise Carter's approximation of a beta quantile, Abramowitz and Stegun 26.5.22.
    """
    if k == 1:
        logarithm = math.log1p(-target) / n
        return -math.expm1(logarithm), math.exp(logarithm)
    if k == n:
        logarithm = math.log(target) / n
        return math.exp(logarithm), -math.expm1(logarithm)
    z = -normal_deviate(target)
    a, b = 1 / (2 * k - 1), 1 / (2 * (n - k) + 1)
    h = 2 / (a + b)
    curvature = (z * z - 3) / 6
    w = z * math.sqrt(h + curvature) / h - (b - a) * (curvature + 5 / 6 - 2 / (3 * h))
    ratio = (n - k + 1) / k * math.exp(2 * min(w, 300.0))
    return 1 / (1 + ratio), ratio / (1 + ratio)


@kernel
def _move(x: float, y: float, logit: float) -> tuple[float, float]:
    """(x, y = 1 - x) after adding ``logit`` to log(x/y): both keep their relative accuracy."""
    moved = x * math.exp(logit)
    total = y + moved  # of two positive numbers: nothing cancels
    return moved / total, y / total


@kernel
def _evaluate(k: float, n: float, x: float, y: float, target: float, work: NDArray[np.float64]) -> tuple[float, float]:
    """(log of P(Bin(n, x) >= k)/target, tail over its first term); x + y = 1, the smaller one is exact."""
    if x <= y:
        yh, yl = two_sum(1.0, -x)
        hi, lo, square, total = upper_tail(k, n, x, 0.0, yh, yl, work)
    else:
        xh, xl = two_sum(1.0, -y)
        hi, lo, square, total = upper_tail(k, n, xh, xl, y, 0.0, work)
    tail = value(hi, lo, square, total)
    if tail > _SAFELY_INSIDE:
        return math.log(tail / target), total
    return log_value(hi, lo, square, total) - math.log(target), total


@kernel
def _step(k: float, n: float, x: float, y: float, distance: float, total: float) -> tuple[float, float]:
    """The change of logit x that takes log T = log P(Bin(n, x) >= k) down by ``distance``; last term used.

    T is a beta integral, so all its derivatives are known: with D = (log T)' = k y / total and
    A = T''/T' = k y - (n-k+1) x, D' = D (A - D).  The inverse function's series to the fourth order; far
    away, Halley's step (log T is concave), its error unknown: infinite.
    """
    d = k * y / total
    a = k * y - (n - k + 1) * x
    a1 = -(n + 1) * x * y
    a2 = a1 * (y - x)
    c = a - d
    d1 = d * c
    c1 = a1 - d1
    d2 = d1 * c + d * c1
    d3 = d2 * c + 2 * d1 * c1 + d * (a2 - d2)
    u = -distance / d
    s2, s3, s4 = d1 / (2 * d), d2 / (6 * d), d3 / (24 * d)
    last = (5 * s2 * (s3 - s2 * s2) - s4) * u * u * u * u
    if max(abs(s2 * u), abs(last / u)) > _SERIES_CONVERGES:
        return u / max(1 + s2 * u, 0.5), math.inf
    return u - u * u * (s2 - u * (2 * s2 * s2 - s3)) + last, abs(last)


@kernel
def _invert(k: float, n: float, target: float, sign: float, work: NDArray[np.float64]) -> tuple[float, float]:
    """(x, y = 1 - x) with P(Bin(n, x) >= k) <= target (sign = -1) or >= target (sign = 1), by a hair.

    1 <= k <= n, 0 < target <= 1/2.  The smaller of x and y is at a relative distance below 1e-14 from the root
    and is exact: the tail at it has been evaluated and clears the target by its error bound.
    Cost: two or three evaluations of the tail.
    """
    x, y = _start(k, n, target)
    highest = (k + 0.7) / n  # as target <= 1/2, k is no less than the median: the mean is below k + log 2
    while True:
        if x > highest and highest < 1:
            x, y = highest, 1.0 - highest
        distance, total = _evaluate(k, n, x, y, target, work)
        step, last = _step(k, n, x, y, distance, total)
        # 2**-53 (8 + 3 total) bounds the error of an evaluation, of this one and of the check below
        error = 2.0**-53 * (8 + 3 * total)
        slope = k * y / total
        if last * abs(distance) * slope <= 0.25 * error:
            break
        x, y = _move(x, y, step)
    push = 2 * error / slope + _ROUNDING
    x, y = _move(x, y, step + sign * push)
    while True:
        distance, _ = _evaluate(k, n, x, y, target, work)
        if sign * distance >= error:
            return x, y
        x, y = _move(x, y, sign * push)
        push *= 2


@kernel
def clopper_pearson_lower(k: int, n: int, level: float, work: NDArray[np.float64]) -> float:
    """A p with P(Bin(n, p) >= k) <= level: the largest, to a relative 1e-14 in min(p, 1 - p), or one ulp of p.

    0 <= k <= n <= 10**15, n >= 1, 0 < level < 1; ``work`` is scratch space of WORK doubles.  ``level`` is taken
    as the exact value of the double: an exact rational level a/b is first rounded down, ``x = a / b`` in Python
    and ``math.nextafter(x, 0.0)`` if ``Fraction(x) > Fraction(a, b)``.
    Where 1 - p must be precise, ask for ``clopper_pearson_upper(n - k, n, level)`` instead: it is 1 - p.
    """
    if k == 0:
        return 0.0
    x, y = _lower_pair(k, n, level, work)
    if x <= y:
        return x
    hi, lo = two_sum(1.0, -y)
    return np.nextafter(hi, 0.0) if lo < 0 else hi


@kernel
def clopper_pearson_upper(k: int, n: int, level: float, work: NDArray[np.float64]) -> float:
    """A p with P(Bin(n, p) <= k) <= level: the smallest; see ``clopper_pearson_lower``."""
    if k == n:
        return 1.0
    x, y = _lower_pair(n - k, n, level, work)
    if y < x:
        return y
    hi, lo = two_sum(1.0, -x)
    return np.nextafter(hi, 2.0) if lo > 0 else hi


@kernel
def _lower_pair(k: int, n: int, level: float, work: NDArray[np.float64]) -> tuple[float, float]:
    """The lower bound p for k >= 1 as (p, 1 - p), the smaller one exact."""
    if level <= 0.5:
        return _invert(float(k), float(n), level, -1.0, work)
    # P(X < k) >= 1 - level, as a statement on the failures; 1 - level is exact
    y, x = _invert(float(n - k + 1), float(n), 1.0 - level, 1.0, work)
    return x, y


@kernel
def clopper_pearson_lower_bounds(
    k: NDArray[np.int64], n: NDArray[np.int64], level: NDArray[np.float64], out: NDArray[np.float64]
) -> None:
    """``clopper_pearson_lower`` for arrays of equal length."""
    work = np.empty(WORK)
    for i in range(k.size):
        out[i] = clopper_pearson_lower(k[i], n[i], np.float64(level[i]), work)


@kernel
def clopper_pearson_upper_bounds(
    k: NDArray[np.int64], n: NDArray[np.int64], level: NDArray[np.float64], out: NDArray[np.float64]
) -> None:
    """``clopper_pearson_upper`` for arrays of equal length."""
    work = np.empty(WORK)
    for i in range(k.size):
        out[i] = clopper_pearson_upper(k[i], n[i], np.float64(level[i]), work)


@kernel
def hypergeometric_lower(x: int, n: int, N: int, level: float, work: NDArray[np.float64]) -> int:
    """The least C with P(X >= x) > level, X the number of positives among n drawn from N, C of them positive.

    0 <= x <= n, 1 <= n <= N <= 10**15, 0 < level.  The tail grows with C; it is compared as computed, to about
    1e-14 of itself: exact ties are for the caller to settle.  The least C of P(X <= x) > level is
    ``N - hypergeometric_lower(n - x, n, N, level, work)``.  About ten evaluations of the tail.
    """
    if x == 0:
        return 0
    below, above = x - 1, N - n + x
    if level >= 1 or below + 1 == above:
        return above
    share = x / n
    bound, _ = _start(float(x), float(n), min(level, 0.5))
    distance = (share - bound) * math.sqrt((N - n) / N)
    probe = min(max(int(N * (share - distance)), x), above - 1)
    step = 1 + int(N * abs(distance)) // 64
    while above - below > 1:
        kept = hypergeometric_tails(x - 1, N, probe, n, work)[1] > level
        below, above, probe, step = narrow(below, above, probe, kept, step)
    return above
