"""Exact counts behind ROC measures: the Mann-Whitney statistic and the best point below a false-positive rate."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from typeone_kernels._jit import kernel
from typeone_kernels.buckets import RankBuffers
from typeone_kernels.grouped import twice_wins_of


@kernel
def split_classes(
    scores: NDArray[np.float64],
    labels: NDArray[np.bool_],
    positives: NDArray[np.float64],
    negatives: NDArray[np.float64],
) -> int:
    """Number n of positives; the first n of ``positives`` (N,) and N - n of ``negatives`` (N,) become their scores.

    What lies behind them is scratch.  One pass without branches, O(N).
    """
    n = m = 0
    for i in range(scores.size):
        positives[n] = negatives[m] = scores[i]
        n += labels[i]
        m += not labels[i]
    return n


@kernel
def twice_u(positives: NDArray[np.float64], negatives: NDArray[np.float64], buffers: RankBuffers) -> int:
    """2U = 2 #{(i, j): positive_i > negative_j} + #{(i, j): positive_i = negative_j}, for inputs in any order.

    AUROC with ties at one half is 2U / (2 n m).  An integer, so wins and ties between methods are exact.  ``buffers``
    are ``rank_buffers`` for as many scores as there are negatives: these are distributed over buckets, and the
    positives looked up.  O(n + m) for scores with a bounded density or few values, O((n + m) log m) for any.
    """
    return twice_wins_of(negatives, positives, buffers)


@kernel
def best_true_positives(positives: NDArray[np.float64], negatives: NDArray[np.float64], most: int) -> int:
    """The largest #{positives > c} over thresholds c with #{negatives > c} <= ``most``; inputs ascending.

    The best point of the ROC curve with FPR <= most / m (never merely the nearest one).  O(log n).
    """
    if most >= negatives.size:
        return positives.size
    threshold = negatives[negatives.size - 1 - most]
    return positives.size - int(np.searchsorted(positives, threshold, side="right"))
