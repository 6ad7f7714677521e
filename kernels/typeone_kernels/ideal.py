"""Selection from largest p-values on a fine grid, batch by batch: the methods that need nothing else."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from typeone_kernels._jit import kernel
from typeone_kernels.exact import level_pair
from typeone_kernels.jecs import chord_of_sorted, scan_thresholds
from typeone_kernels.selection import bh_cutoff, storey_cutoff

Ints = NDArray[np.int64]

GRID = 2**40
"""M: p-values are u / M, u in 1..M; n M < 2**62."""
METHODS = ("max-p BH", "max-p Storey-BH", "JECS")


class IdealPlan(NamedTuple):
    """What all repetitions with the same n and level share: the scan's thresholds and level as ranks, 0..n, ones."""

    level: Ints
    lambda_ranks: Ints
    kappa_ranks: Ints
    natural: Ints
    ones: Ints


def ideal_plan(n: int, level: Fraction) -> IdealPlan:
    """Tables for ``n`` p-values u / GRID, exact, in Python integers."""
    lambdas = scan_thresholds()
    lambda_ranks = np.array([int(t * GRID) for t in lambdas], np.int64)
    kappa_ranks = np.array([int(t / 2 * GRID) for t in lambdas], np.int64)
    return IdealPlan(level_pair(level), lambda_ranks, kappa_ranks, np.arange(n + 1), np.ones(n + 1, np.int64))


@kernel
def ideal_batch(
    plan: IdealPlan, largest: Ints, contaminated: NDArray[np.bool_], ascending: Ints, positions: Ints, tallies: Ints
) -> None:
    """``tallies`` (R, methods, 2), selected and contaminated among them, from ``largest`` (R, n) and truth (R, n).

    ``ascending`` (n + 1,) and ``positions`` (19,) are overwritten.  O(n log n) for each repetition.
    """
    n = largest.shape[1]
    for r in range(largest.shape[0]):
        ascending[0] = 0
        ascending[1:] = largest[r]
        ascending[1:].sort()
        half = int(np.searchsorted(ascending, GRID // 2, side="right")) - 1
        top = bh_cutoff(ascending, plan.ones, plan.natural, n, plan.level, GRID)
        storey = storey_cutoff(ascending, plan.ones, plan.natural, half, plan.level, GRID)
        chord, _, _ = chord_of_sorted(
            ascending, plan.lambda_ranks, plan.kappa_ranks, plan.level, plan.natural, plan.ones, positions
        )
        tallies[r] = 0
        for i in range(n):
            for method, count in enumerate((top, storey, chord)):
                if largest[r, i] <= ascending[count]:
                    tallies[r, method, 0] += 1
                    tallies[r, method, 1] += contaminated[r, i]
