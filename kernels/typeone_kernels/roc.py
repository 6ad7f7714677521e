"""Exact counts behind ROC measures: the Mann-Whitney statistic and the best point below a false-positive rate."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from typeone_kernels._jit import kernel

# The kernels below take float64 scores or int64 keys; both are compiled on first use.
Scores = NDArray[np.float64] | NDArray[np.int64]


@kernel
def twice_u(positives: Scores, negatives: Scores) -> int:
    """2U = 2 #{(i, j): positive_i > negative_j} + #{(i, j): positive_i = negative_j}; both inputs ascending.

    AUROC with ties at one half is 2U / (2 n m).  An integer, so wins and ties between methods are exact.
    Cost: one merge, O(n + m).
    """
    below = 0  # negatives < current positive
    through = 0  # negatives <= current positive
    total = 0
    for value in positives:
        while below < negatives.size and negatives[below] < value:
            below += 1
        if through < below:
            through = below
        while through < negatives.size and negatives[through] <= value:
            through += 1
        total += below + through
    return total


@kernel
def best_true_positives(positives: Scores, negatives: Scores, most: int) -> int:
    """The largest #{positives > c} over thresholds c with #{negatives > c} <= ``most``; inputs ascending.

    The best point of the ROC curve with FPR <= most / m (never merely the nearest one).  O(log n).
    """
    if most >= negatives.size:
        return positives.size
    threshold = negatives[negatives.size - 1 - most]
    return positives.size - int(np.searchsorted(positives, threshold, side="right"))
