"""Binomial probabilities: X successes in n draws, each with probability p.

P(X = k) is exp of minus ``x log(x/m) + m - x`` summed over (k, np) and (n-k, nq), times Stirling factors; see
``saddlepoint``.  A tail that does not contain the mode is its largest term times ``tailsum.binomial_sum``; the
other one is 1 minus it.

Every function assumes 0 <= p <= 1 and 0 <= n <= 10**15; k is any integer.  ``work`` is scratch space of WORK
doubles.  Cost: bounded, below a microsecond or two.  p is taken as the exact value of the double; inside, p and
q = 1 - p are double-doubles, so that either may be the small one.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from typeone_kernels._jit import kernel
from typeone_kernels.doubledouble import add, scale, two_sum
from typeone_kernels.saddlepoint import (
    both_log_tails,
    both_tails,
    far_deviance,
    is_near,
    log_value,
    near_deviance,
    stirling,
    value,
)
from typeone_kernels.search import narrow, normal_deviate
from typeone_kernels.tailsum import WORK, binomial_sum


@kernel
def _density(k: float, n: float, ph: float, pl: float, qh: float, ql: float) -> tuple[float, float, float]:
    """P(X = k) as (hi, lo, square), for 0 <= k <= n and 0 < p < 1."""
    mh, ml = scale(ph, pl, n)
    dh, dl = add(k, 0.0, -mh, -ml)
    if is_near(k, dh):
        hi, lo = near_deviance(k, dh, dl)
    else:
        hi, lo = far_deviance(k, mh, ml, dh, dl)
    if is_near(n - k, -dh):
        part_hi, part_lo = near_deviance(n - k, -dh, -dl)
    else:
        mh, ml = scale(qh, ql, n)
        part_hi, part_lo = far_deviance(n - k, mh, ml, -dh, -dl)
    hi, lo = add(hi, lo, part_hi, part_lo)
    s, r = stirling(n)
    s1, r1 = stirling(k)
    s2, r2 = stirling(n - k)
    hi, lo = two_sum(-hi, ((r - r1) - r2) - lo)
    return hi, lo, s / s1 / s2


@kernel
def upper_tail(
    k: float, n: float, ph: float, pl: float, qh: float, ql: float, work: NDArray[np.float64]
) -> tuple[float, float, float, float]:
    """P(X >= k) = value(hi, lo, square, factor) for 0 < k <= n, 0 < p < 1, if it does not contain the mode.

    p = ph + pl and q = 1 - p = qh + ql.  The condition is k > (n+1)p.  Returns (hi, lo, square, factor); the
    relative error is below (8 + 3 factor) 2**-53.
    """
    mh, ml = scale(ph, pl, n + 1.0)
    excess = (k - mh) - ml + 0.5
    slope = math.log1p(excess / ((n - k + 0.5) * ph))
    total = binomial_sum(k, n - k, ph / qh, slope, work)
    hi, lo, square = _density(k, n, ph, pl, qh, ql)
    return hi, lo, square, total


@kernel
def _near_tail(k: int, n: int, p: float, work: NDArray[np.float64]) -> tuple[bool, float, float, float, float]:
    """The tail, P(X > k) or P(X <= k), without the mode: (whether upper, hi, lo, square, factor)."""
    qh, ql = two_sum(1.0, -p)
    mh, ml = scale(p, 0.0, n + 1.0)
    upper = (k + 1.0 - mh) - ml > 0
    if upper:
        hi, lo, square, total = upper_tail(k + 1.0, float(n), p, 0.0, qh, ql, work)
    else:
        hi, lo, square, total = upper_tail(float(n - k), float(n), qh, ql, p, 0.0, work)
    return upper, hi, lo, square, total


@kernel
def _support(n: int, p: float) -> tuple[int, int]:
    return (n if p == 1 else 0), (0 if p == 0 else n)


@kernel
def binomial_tails(k: int, n: int, p: float, work: NDArray[np.float64]) -> tuple[float, float]:
    """(P(X <= k), P(X > k))."""
    lowest, highest = _support(n, p)
    if k < lowest:
        return 0.0, 1.0
    if k >= highest:
        return 1.0, 0.0
    upper, hi, lo, square, total = _near_tail(k, n, p, work)
    return both_tails(upper, value(hi, lo, square, total))


@kernel
def binomial_log_tails(k: int, n: int, p: float, work: NDArray[np.float64]) -> tuple[float, float]:
    """(log P(X <= k), log P(X > k)); -inf only where the probability is 0."""
    lowest, highest = _support(n, p)
    if k < lowest:
        return -math.inf, 0.0
    if k >= highest:
        return 0.0, -math.inf
    upper, hi, lo, square, total = _near_tail(k, n, p, work)
    return both_log_tails(upper, value(hi, lo, square, total), log_value(hi, lo, square, total))


@kernel
def binomial_cdf(k: int, n: int, p: float) -> float:
    """P(X <= k)."""
    return binomial_tails(k, n, p, np.empty(WORK))[0]


@kernel
def binomial_sf(k: int, n: int, p: float) -> float:
    """P(X > k)."""
    return binomial_tails(k, n, p, np.empty(WORK))[1]


@kernel
def binomial_logcdf(k: int, n: int, p: float) -> float:
    """log P(X <= k)."""
    return binomial_log_tails(k, n, p, np.empty(WORK))[0]


@kernel
def binomial_logsf(k: int, n: int, p: float) -> float:
    """log P(X > k)."""
    return binomial_log_tails(k, n, p, np.empty(WORK))[1]


@kernel
def binomial_pmf(k: int, n: int, p: float) -> float:
    """P(X = k)."""
    lowest, highest = _support(n, p)
    if k < lowest or k > highest:
        return 0.0
    if lowest == highest:
        return 1.0
    qh, ql = two_sum(1.0, -p)
    hi, lo, square = _density(float(k), float(n), p, 0.0, qh, ql)
    return value(hi, lo, square, 1.0)


@kernel
def binomial_logpmf(k: int, n: int, p: float) -> float:
    """log P(X = k); near 0 it is taken from the probability of every other value."""
    lowest, highest = _support(n, p)
    if k < lowest or k > highest:
        return -math.inf
    if lowest == highest:
        return 0.0
    qh, ql = two_sum(1.0, -p)
    hi, lo, square = _density(float(k), float(n), p, 0.0, qh, ql)
    logarithm = log_value(hi, lo, square, 1.0)
    if logarithm > -0.5:
        return math.log1p(-binomial_cdf(k - 1, n, p) - binomial_sf(k, n, p))
    return logarithm


@kernel
def binomial_quantile(q: float, n: int, p: float) -> int:
    """Smallest k with P(X <= k) >= q, 0 <= q <= 1; for q > 1/2 judged by P(X > k) <= 1 - q.

    The judgement is that of the computed tail: where a tail equals q up to rounding, k may be off by one.
    A Cornish-Fisher start, then doubling steps and bisection.
    """
    lowest, highest = _support(n, p)
    if q == 0 or lowest == highest:
        return lowest
    if q == 1:
        return highest
    z = normal_deviate(q)
    guess = n * p + math.sqrt(n * p * (1 - p)) * z + (1 - 2 * p) * (z * z - 1) / 6
    below, above, step = lowest - 1, highest, 1
    probe = min(max(int(guess), lowest), highest - 1)
    work = np.empty(WORK)
    while above - below > 1:
        lower, upper = binomial_tails(probe, n, p, work)
        reached = lower >= q if q <= 0.5 else upper <= 1 - q
        below, above, probe, step = narrow(below, above, probe, reached, step)
    return above


# A loop for each function: one that is made for a function, or takes it as an argument, is not found again in Numba's
# cache, and would be compiled in every process.


@kernel
def binomial_tail_arrays(
    k: NDArray[np.int64],
    n: NDArray[np.int64],
    p: NDArray[np.float64],
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
) -> None:
    """P(X <= k) and P(X > k) for arrays of equal length."""
    work = np.empty(WORK)
    for i in range(k.size):
        lower[i], upper[i] = binomial_tails(k[i], n[i], p[i], work)


@kernel
def binomial_log_tail_arrays(
    k: NDArray[np.int64],
    n: NDArray[np.int64],
    p: NDArray[np.float64],
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
) -> None:
    """log P(X <= k) and log P(X > k) for arrays of equal length."""
    work = np.empty(WORK)
    for i in range(k.size):
        lower[i], upper[i] = binomial_log_tails(k[i], n[i], p[i], work)


@kernel
def binomial_pmf_array(
    k: NDArray[np.int64],
    n: NDArray[np.int64],
    p: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """P(X = k) for arrays of equal length."""
    for i in range(k.size):
        out[i] = binomial_pmf(k[i], n[i], p[i])


@kernel
def binomial_logpmf_array(
    k: NDArray[np.int64],
    n: NDArray[np.int64],
    p: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """log P(X = k) for arrays of equal length."""
    for i in range(k.size):
        out[i] = binomial_logpmf(k[i], n[i], p[i])


@kernel
def binomial_quantile_array(
    q: NDArray[np.float64],
    n: NDArray[np.int64],
    p: NDArray[np.float64],
    out: NDArray[np.int64],
) -> None:
    """Smallest k with P(X <= k) >= q for arrays of equal length."""
    for i in range(q.size):
        out[i] = binomial_quantile(q[i], n[i], p[i])
