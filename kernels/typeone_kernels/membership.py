"""Which models were trained on each item of a simulated benchmark, by pattern."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from typeone_kernels._jit import kernel

Bools = NDArray[np.bool_]

PATTERNS = ("one", "each", "all", "nested")
"""A contaminated item is in one model drawn uniformly; in that one and in each other with a probability of its own;
in all; in the models up to the one drawn."""
ONE, EACH, ALL, NESTED = range(4)


class Contamination(NamedTuple):
    """P(clean), the sums of the first three patterns' probabilities (3,), and each other model's probability."""

    clean: float
    pattern_sums: NDArray[np.float64]
    also: float


@kernel
def memberships(law: Contamination, uniforms: NDArray[np.float64], members: Bools, contaminated: Bools) -> None:
    """``members`` (R, K, n) and ``contaminated`` (R, n), from ``uniforms`` (R, K + 3, n) on [0, 1).

    Of an item's uniforms the first decides whether it is clean, the second draws a pattern, the third a model, the
    others whether each model has it too.  O(R K n), one pass over the uniforms.
    """
    rows, K, n = members.shape
    pattern, drawn = np.empty(n, np.int64), np.empty(n, np.int64)
    for r in range(rows):
        for i in range(n):
            contaminated[r, i] = uniforms[r, 0, i] >= law.clean
            u = uniforms[r, 1, i]
            found = 0
            for j in range(3):
                found += law.pattern_sums[j] <= u
            pattern[i] = found
            drawn[i] = int(uniforms[r, 2, i] * K)
        for k in range(K):
            for i in range(n):
                inside = (k == drawn[i]) | (pattern[i] == ALL) | ((pattern[i] == NESTED) & (k < drawn[i]))
                inside |= (pattern[i] == EACH) & (uniforms[r, 3 + k, i] < law.also)
                members[r, k, i] = inside & contaminated[r, i]


@kernel
def shift_clean(
    members: Bools, shifts: NDArray[np.float64], scores: NDArray[np.float64], shifted: NDArray[np.float64]
) -> None:
    """``shifted`` (R, K, n): ``scores`` (R, K, n or more), lower by ``shifts[k]`` where model k has not seen the item.

    ``members`` (R, K, n).  O(R K n).
    """
    rows, K, n = members.shape
    for r in range(rows):
        for k in range(K):
            shift = shifts[k]
            for i in range(n):
                shifted[r, k, i] = scores[r, k, i] - (0.0 if members[r, k, i] else shift)
