"""Hypergeometric probabilities: X successes in K draws from M units, C of them successes.

With the expected counts m of the 2 x 2 table (X, C-X; K-X, M-C-K+X), P(X = k) is exp of minus the sum of
``x log(x/m) + m - x`` over the cells, times Stirling factors; see ``saddlepoint``.  A tail that does not
contain the mode is its largest term times ``tailsum.hypergeometric_sum``; the other one is 1 minus it.

Every function assumes 0 <= C <= M, 0 <= K <= M, 1 <= M <= 10**15; k is any integer.  ``work`` is scratch
space of WORK doubles.  Cost: bounded, below 2 microseconds.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from typeone_kernels._jit import kernel
from typeone_kernels.doubledouble import add, divide, two_product, two_sum
from typeone_kernels.saddlepoint import (
    both_log_tails,
    both_tails,
    far_deviance,
    is_near,
    log_value,
    near_deviance,
    product_over,
    stirling,
    value,
)
from typeone_kernels.search import narrow, normal_deviate
from typeone_kernels.tailsum import WORK, hypergeometric_sum


@kernel
def support(M: int, C: int, K: int) -> tuple[int, int]:
    """Smallest and largest k of positive probability."""
    return max(0, K + C - M), min(C, K)


@kernel
def _cell_deviance(x: float, row: float, column: float, M: float, dh: float, dl: float) -> tuple[float, float]:
    if is_near(x, dh):
        return near_deviance(x, dh, dl)
    mh, ml = product_over(row, column, M)
    return far_deviance(x, mh, ml, dh, dl)


@kernel
def _density(k: float, M: float, C: float, K: float) -> tuple[float, float, float]:
    """P(X = k) as (hi, lo, square), for k in the support of a law that is not a point mass."""
    B, J = M - C, M - K
    x12, x21, x22 = C - k, K - k, B - (K - k)
    # excess over the expectation, (kM - CK)/M, up to sign the same in every cell
    ah, al = two_product(k, M)
    bh, bl = two_product(C, K)
    dh, dl = add(ah, al, -bh, -bl)
    dh, dl = divide(dh, dl, M, 0.0)
    hi, lo = _cell_deviance(k, C, K, M, dh, dl)
    part_hi, part_lo = _cell_deviance(x12, C, J, M, -dh, -dl)
    hi, lo = add(hi, lo, part_hi, part_lo)
    part_hi, part_lo = _cell_deviance(x21, B, K, M, -dh, -dl)
    hi, lo = add(hi, lo, part_hi, part_lo)
    part_hi, part_lo = _cell_deviance(x22, B, J, M, dh, dl)
    hi, lo = add(hi, lo, part_hi, part_lo)
    sC, rC = stirling(C)
    sB, rB = stirling(B)
    sK, rK = stirling(K)
    sJ, rJ = stirling(J)
    sM, rM = stirling(M)
    s11, r11 = stirling(k)
    s12, r12 = stirling(x12)
    s21, r21 = stirling(x21)
    s22, r22 = stirling(x22)
    rest = (((rC - r12) + (rB - r22)) + ((rK - r11) + (rJ - r21))) - rM
    square = (sC / s12) * (sB / s22) * (sK / s11) * (sJ / s21) / sM
    hi, lo = two_sum(-hi, rest - lo)
    return hi, lo, square


@kernel
def _near_tail(k: int, M: int, C: int, K: int, work: NDArray[np.float64]) -> tuple[bool, float, float, float, float]:
    """The tail, P(X > k) or P(X <= k), that does not contain the mode, for k and k + 1 in the support.

    Returns whether it is the upper one, its largest term as (hi, lo, square), and the factor to its sum.
    """
    x, m, c, d = float(k), float(M), float(C), float(K)
    ah, al = two_product(x + 1.0, m + 2.0)
    bh, bl = two_product(c + 1.0, d + 1.0)
    past_mode = (ah - bh) + (al - bl)
    if past_mode > 0:
        x += 1.0
        excess = past_mode + (0.5 * m + 1.0)
        up1, up2, down1, down2 = x, (m - c) - (d - x), c - x, d - x
    else:
        excess = (0.5 * m + 1.0) - past_mode
        up1, up2, down1, down2 = c - x, d - x, x, (m - c) - (d - x)
    slope = math.log1p(excess / ((down1 + 0.5) * (down2 + 0.5)))
    total = hypergeometric_sum(up1, up2, down1, down2, slope, work)
    hi, lo, square = _density(x, m, c, d)
    return past_mode > 0, hi, lo, square, total


@kernel
def hypergeometric_tails(k: int, M: int, C: int, K: int, work: NDArray[np.float64]) -> tuple[float, float]:
    """(P(X <= k), P(X > k))."""
    lowest, highest = support(M, C, K)
    if k < lowest:
        return 0.0, 1.0
    if k >= highest:
        return 1.0, 0.0
    upper, hi, lo, square, total = _near_tail(k, M, C, K, work)
    return both_tails(upper, value(hi, lo, square, total))


@kernel
def hypergeometric_log_tails(k: int, M: int, C: int, K: int, work: NDArray[np.float64]) -> tuple[float, float]:
    """(log P(X <= k), log P(X > k)); -inf only where the probability is 0."""
    lowest, highest = support(M, C, K)
    if k < lowest:
        return -math.inf, 0.0
    if k >= highest:
        return 0.0, -math.inf
    upper, hi, lo, square, total = _near_tail(k, M, C, K, work)
    return both_log_tails(upper, value(hi, lo, square, total), log_value(hi, lo, square, total))


@kernel
def hypergeometric_cdf(k: int, M: int, C: int, K: int) -> float:
    """P(X <= k)."""
    return hypergeometric_tails(k, M, C, K, np.empty(WORK))[0]


@kernel
def hypergeometric_sf(k: int, M: int, C: int, K: int) -> float:
    """P(X > k)."""
    return hypergeometric_tails(k, M, C, K, np.empty(WORK))[1]


@kernel
def hypergeometric_logcdf(k: int, M: int, C: int, K: int) -> float:
    """log P(X <= k)."""
    return hypergeometric_log_tails(k, M, C, K, np.empty(WORK))[0]


@kernel
def hypergeometric_logsf(k: int, M: int, C: int, K: int) -> float:
    """log P(X > k)."""
    return hypergeometric_log_tails(k, M, C, K, np.empty(WORK))[1]


@kernel
def hypergeometric_pmf(k: int, M: int, C: int, K: int) -> float:
    """P(X = k)."""
    lowest, highest = support(M, C, K)
    if k < lowest or k > highest:
        return 0.0
    if lowest == highest:
        return 1.0
    hi, lo, square = _density(float(k), float(M), float(C), float(K))
    return value(hi, lo, square, 1.0)


@kernel
def hypergeometric_logpmf(k: int, M: int, C: int, K: int) -> float:
    """log P(X = k); near 0 it is taken from the probability of every other value."""
    lowest, highest = support(M, C, K)
    if k < lowest or k > highest:
        return -math.inf
    if lowest == highest:
        return 0.0
    hi, lo, square = _density(float(k), float(M), float(C), float(K))
    logarithm = log_value(hi, lo, square, 1.0)
    if logarithm > -0.5:
        return math.log1p(-hypergeometric_cdf(k - 1, M, C, K) - hypergeometric_sf(k, M, C, K))
    return logarithm


@kernel
def hypergeometric_quantile(q: float, M: int, C: int, K: int) -> int:
    """Smallest k with P(X <= k) >= q, 0 <= q <= 1; for q > 1/2 judged by P(X > k) <= 1 - q.

    The judgement is that of the computed tail: where a tail equals q up to rounding, k may be off by one.
    A Cornish-Fisher start, then doubling steps and bisection.
    """
    lowest, highest = support(M, C, K)
    if q == 0 or lowest == highest:
        return lowest
    if q == 1:
        return highest
    share, draws = C / M, K / M
    sd = math.sqrt(K * share * (1 - share) * (1 - draws))
    skewness = (1 - 2 * share) * (1 - 2 * draws) / sd
    z = normal_deviate(q)
    guess = K * share + sd * z + skewness * sd * (z * z - 1) / 6
    below, above, step = lowest - 1, highest, 1
    probe = min(max(int(guess), lowest), highest - 1)
    work = np.empty(WORK)
    while above - below > 1:
        lower, upper = hypergeometric_tails(probe, M, C, K, work)
        reached = lower >= q if q <= 0.5 else upper <= 1 - q
        below, above, probe, step = narrow(below, above, probe, reached, step)
    return above


# A loop for each function, as in ``binomial``, so that Numba's cache finds every one again.


@kernel
def hypergeometric_tail_arrays(
    k: NDArray[np.int64],
    M: NDArray[np.int64],
    C: NDArray[np.int64],
    K: NDArray[np.int64],
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
) -> None:
    """P(X <= k) and P(X > k) for arrays of equal length."""
    work = np.empty(WORK)
    for i in range(k.size):
        lower[i], upper[i] = hypergeometric_tails(k[i], M[i], C[i], K[i], work)


@kernel
def hypergeometric_log_tail_arrays(
    k: NDArray[np.int64],
    M: NDArray[np.int64],
    C: NDArray[np.int64],
    K: NDArray[np.int64],
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
) -> None:
    """log P(X <= k) and log P(X > k) for arrays of equal length."""
    work = np.empty(WORK)
    for i in range(k.size):
        lower[i], upper[i] = hypergeometric_log_tails(k[i], M[i], C[i], K[i], work)


@kernel
def hypergeometric_pmf_array(
    k: NDArray[np.int64],
    M: NDArray[np.int64],
    C: NDArray[np.int64],
    K: NDArray[np.int64],
    out: NDArray[np.float64],
) -> None:
    """P(X = k) for arrays of equal length."""
    for i in range(k.size):
        out[i] = hypergeometric_pmf(k[i], M[i], C[i], K[i])


@kernel
def hypergeometric_logpmf_array(
    k: NDArray[np.int64],
    M: NDArray[np.int64],
    C: NDArray[np.int64],
    K: NDArray[np.int64],
    out: NDArray[np.float64],
) -> None:
    """log P(X = k) for arrays of equal length."""
    for i in range(k.size):
        out[i] = hypergeometric_logpmf(k[i], M[i], C[i], K[i])


@kernel
def hypergeometric_quantile_array(
    q: NDArray[np.float64],
    M: NDArray[np.int64],
    C: NDArray[np.int64],
    K: NDArray[np.int64],
    out: NDArray[np.int64],
) -> None:
    """Smallest k with P(X <= k) >= q for arrays of equal length."""
    for i in range(q.size):
        out[i] = hypergeometric_quantile(q[i], M[i], C[i], K[i])
