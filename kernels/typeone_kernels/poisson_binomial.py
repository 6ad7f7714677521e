"""Poisson-binomial probabilities: the number of successes in independent trials of unequal probabilities."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from typeone_kernels._jit import kernel


@kernel
def poisson_binomial_pmf(p: NDArray[np.float64], pmf: NDArray[np.float64]) -> None:
    """Fill ``pmf`` (shape (n+1,)) with P(X = k), k = 0..n, for success probabilities ``p`` (shape (n,)).

    One trial at a time: P(X = k) <- P(X = k) (1 - p) + P(X = k-1) p.  Only positive numbers are added, so the
    relative error of every entry above 1e-300 is below 4n * 2**-53.  O(n**2).
    """
    pmf[:] = 0.0
    pmf[0] = 1.0
    for i in range(p.size):
        q = 1.0 - p[i]
        for k in range(i + 1, 0, -1):
            pmf[k] = pmf[k] * q + pmf[k - 1] * p[i]
        pmf[0] *= q


@kernel
def upper_sum(pmf: NDArray[np.float64], t: int) -> float:
    """P(X >= t), added from the far end; any integer t."""
    total = 0.0
    for k in range(pmf.size - 1, max(t, 0) - 1, -1):
        total += pmf[k]
    return total


@kernel
def lower_sum(pmf: NDArray[np.float64], t: int) -> float:
    """P(X <= t), added from the far end; any integer t."""
    total = 0.0
    for k in range(min(t + 1, pmf.size)):
        total += pmf[k]
    return total
