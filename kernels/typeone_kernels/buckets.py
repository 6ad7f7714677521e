"""Scores distributed over buckets of equal width: an order to start from, and an index into it.

O(m) time for scores with a bounded density, O(m log m) for any.  Where the buckets lie changes the speed and never
which scores are smaller: a score's bucket does not decrease in the score.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from typeone_kernels._jit import kernel

Scores = NDArray[np.floating[Any]]

_SAMPLE = 32  # as all constants here, a matter of speed only
_INSERTION = 24  # longest bucket sorted by insertion
_SWEEPS = 4


class Guide(NamedTuple):
    """Scores (m,) in the order of their buckets; bucket b holds ``scores[first[b]:first[b + 1]]``.

    Within a bucket ``sort_scores`` has sorted them; ``group_scores`` in ``typeone_kernels.grouped`` need not have.
    """

    scores: NDArray[np.float64]
    first: NDArray[np.int32]
    low: float
    scale: float


class RankBuffers(NamedTuple):
    """What ``sort_scores`` and ``group_scores`` write into: scores (m,), first (buckets + 1,), bucket (m,)."""

    scores: NDArray[np.float64]
    first: NDArray[np.int32]
    bucket: NDArray[np.int32]


@kernel
def rank_buffers(m: int) -> RankBuffers:
    """Buffers for ``m`` calibration scores, 1 <= m < 2**31; one bucket per score."""
    return RankBuffers(np.empty(m), np.empty(m + 1, np.int32), np.empty(m, np.int32))


@kernel
def bucket_of(score: float, low: float, scale: float, last: float) -> int:
    """Nondecreasing in ``score`` whatever ``low`` and ``scale`` are, NaN products included."""
    position = (score - low) * scale
    position = position if position > 0.0 else 0.0
    return int(position if position < last else last)


@kernel
def bucket_range(scores: Scores, buckets: int, sample: NDArray[np.float64]) -> tuple[float, float]:
    """Lower end and buckets per unit for the bulk of the scores, from a few evenly spaced ones.

    These are sorted into ``sample``, which has room for as many as there are scores.
    """
    size = min(scores.size, _SAMPLE)
    for i in range(size):
        value = scores[i * scores.size // size]
        j = i
        while j > 0 and sample[j - 1] > value:
            sample[j] = sample[j - 1]
            j -= 1
        sample[j] = value
    trim = size // 16  # a few far-off scores must not stretch the range
    spread = abs(sample[size - 1 - trim] - sample[trim])  # 0.0 also where it is -0.0
    return sample[trim] - 0.5 * spread, buckets / (2.0 * spread)


@kernel
def distribute(
    scores: Scores,
    low: float,
    scale: float,
    target: NDArray[np.float64],
    first: NDArray[np.int32],
    bucket: NDArray[np.int32],
) -> None:
    """Counting sort of ``scores`` by bucket; ``bucket`` (m,) is overwritten."""
    last = first.size - 2
    first[:] = 0
    for i in range(scores.size):
        b = bucket_of(scores[i], low, scale, last)
        bucket[i] = b
        first[b] += 1
    for b in range(last):
        first[b + 1] += first[b]
    first[last + 1] = scores.size
    for i in range(scores.size - 1, -1, -1):  # first[b] runs from the end of bucket b to its beginning
        b = bucket[i]
        place = first[b] - 1
        target[place] = scores[i]
        first[b] = place


@kernel
def sort_within_buckets(scores: NDArray[np.float64], first: NDArray[np.int32]) -> None:
    """Finish the sort of ``scores``, whose buckets are in order.

    Long buckets go to the library's sort unless all equal.  What is left is mended by exchanges of
    neighbours, free of unpredictable branches, and the few scores still out of place by insertion.
    """
    for b in range(first.size - 1):
        if first[b + 1] - first[b] > _INSERTION:
            part = scores[first[b] : first[b + 1]]
            if part.min() < part.max():
                part.sort()
    for sweep in range(_SWEEPS):
        for i in range(sweep % 2, scores.size - 1, 2):
            left, right = scores[i], scores[i + 1]
            swap = left > right
            scores[i] = right if swap else left
            scores[i + 1] = left if swap else right
    for i in range(1, scores.size):
        value = scores[i]
        if scores[i - 1] > value:
            j = i
            while j > 0 and scores[j - 1] > value:
                scores[j] = scores[j - 1]
                j -= 1
            scores[j] = value


@kernel
def sort_scores(scores: Scores, buffers: RankBuffers) -> Guide:
    """Sort ``scores`` (m,) into ``buffers`` and return the guide that shares their memory."""
    low, scale = bucket_range(scores, buffers.first.size - 1, buffers.scores)
    distribute(scores, low, scale, buffers.scores, buffers.first, buffers.bucket)
    sort_within_buckets(buffers.scores, buffers.first)
    return Guide(buffers.scores, buffers.first, low, scale)
