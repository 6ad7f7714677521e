"""Ranks and wins against scores that are grouped in buckets, and not sorted within them.

To count the scores below a target it suffices that all of earlier buckets are smaller and all of later ones larger;
those of the target's own bucket are compared with it, in any order.  The first eight are compared at once, whether or
not they all belong to it; targets whose bucket holds more are put aside and finished afterwards.  O(m + n) for scores
with a bounded density or few values, O((m + n) log m) for any: where a bucket is long, all of them are sorted.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from typeone_kernels._jit import kernel
from typeone_kernels.buckets import (
    Guide,
    RankBuffers,
    Scores,
    bucket_of,
    bucket_range,
    distribute,
    sort_within_buckets,
)
from typeone_kernels.lanes import LANES, count_at_most, count_below
from typeone_kernels.ranks import attainable_floor

LONGEST = 16
"""A bucket that is not sorted holds no more scores."""


@kernel
def group_scores(scores: Scores, buffers: RankBuffers) -> Guide:
    """Distribute ``scores`` (m,) into ``buffers``: the guide's buckets hold at most ``LONGEST``, or all are sorted."""
    low, scale = bucket_range(scores, buffers.first.size - 1, buffers.scores)
    distribute(scores, low, scale, buffers.scores, buffers.first, buffers.bucket)
    longest = 0
    for b in range(buffers.first.size - 1):
        longest = max(longest, buffers.first[b + 1] - buffers.first[b])
    if longest > LONGEST:
        sort_within_buckets(buffers.scores, buffers.first)
    return Guide(buffers.scores, buffers.first, low, scale)


@kernel
def _within(scores: Scores, begin: int, end: int, target: float) -> tuple[int, int]:
    """#{< target} and #{<= target} among ``scores[begin:end]``, which are few or sorted."""
    if end - begin > LONGEST:
        part = scores[begin:end]
        if part[0] == part[-1]:
            return part.size * (part[0] < target), part.size * (part[0] <= target)
        return int(np.searchsorted(part, target, side="left")), int(np.searchsorted(part, target, side="right"))
    below = through = 0
    for i in range(begin, end):
        below += scores[i] < target
        through += scores[i] <= target
    return below, through


@kernel
def _count(guide: Guide, targets: Scores, spare: NDArray[np.int32], strictly: bool, out: NDArray[np.int64]) -> None:
    """``out`` (n,): #{scores <= target}, or #{scores < target} if ``strictly``; ``spare`` is overwritten."""
    scores, first, low, scale = guide
    last = first.size - 2
    for block in range(0, targets.size, spare.size):
        aside = 0
        for i in range(block, min(block + spare.size, targets.size)):
            target = targets[i]
            b = bucket_of(target, low, scale, last)
            start = min(int(first[b]), scores.size - LANES)
            out[i] = start + (count_below(scores, start, target) if strictly else count_at_most(scores, start, target))
            spare[aside] = i - block
            aside += first[b + 1] - start > LANES
        for j in range(aside):
            i = block + spare[j]
            target = targets[i]
            b = bucket_of(target, low, scale, last)
            begin = min(int(first[b]), scores.size - LANES) + LANES
            below, through = _within(scores, begin, int(first[b + 1]), target)
            out[i] += below if strictly else through


@kernel
def grouped_ranks(
    guide: Guide, candidates: Scores, larger: bool, spare: NDArray[np.int32], out: NDArray[np.int64]
) -> None:
    """``conformal_ranks`` (n,) of ``candidates`` (n,) for a guide made by ``group_scores``.

    ``spare``, at least one long, is overwritten; the ``bucket`` of the guide's buffers serves.
    """
    m = guide.scores.size
    if m < LANES:
        for i in range(out.size):
            below, through = _within(guide.scores, 0, m, candidates[i])
            out[i] = 1 + m - below if larger else 1 + through
    elif larger:
        _count(guide, candidates, spare, True, out)
        for i in range(out.size):
            out[i] = 1 + m - out[i]
    else:
        _count(guide, candidates, spare, False, out)
        for i in range(out.size):
            out[i] += 1


@kernel
def grouped_attainable_floor(scores: NDArray[np.float64], larger: bool, rank: int) -> int:
    """``attainable_floor`` for the scores of a guide made by ``group_scores``, which are put in order around ``rank``.

    Equal scores share a bucket.  So the floor is found among the last ``LONGEST`` cuts, or else all is sorted; and a
    stretch that begins and ends as far again from these holds their buckets whole.  O(LONGEST) in nearly all cases.
    """
    cut = scores.size - rank + 1 if larger else rank - 1
    begin, end = max(0, cut - 2 * LONGEST), min(scores.size, cut + 2 * LONGEST)
    for i in range(begin + 1, end):
        value = scores[i]
        j = i
        while j > begin and scores[j - 1] > value:
            scores[j] = scores[j - 1]
            j -= 1
        scores[j] = value
    return attainable_floor(scores, larger, rank)


@kernel
def twice_wins(guide: Guide, targets: Scores, spare: NDArray[np.int32]) -> int:
    """Over all pairs of a target and a score of a guide made by ``group_scores``: 2 #{target > score} + #{=}.

    Scores and targets may be int64 keys too, when the guide's buffers are; they are compared as integers.  ``spare``
    as for ``grouped_ranks``.  O(targets) for scores with a bounded density or few values, O(targets log m) for any.
    """
    scores, first, low, scale = guide
    last = first.size - 2
    total = 0
    if scores.size < LANES:
        for i in range(targets.size):
            below, through = _within(scores, 0, scores.size, targets[i])
            total += below + through
        return total
    for block in range(0, targets.size, spare.size):
        aside = 0
        for i in range(block, min(block + spare.size, targets.size)):
            target = targets[i]
            b = bucket_of(target, low, scale, last)
            start = min(int(first[b]), scores.size - LANES)
            total += 2 * start + count_below(scores, start, target) + count_at_most(scores, start, target)
            spare[aside] = i - block
            aside += first[b + 1] - start > LANES
        for j in range(aside):
            target = targets[block + spare[j]]
            b = bucket_of(target, low, scale, last)
            begin = min(int(first[b]), scores.size - LANES) + LANES
            below, through = _within(scores, begin, int(first[b + 1]), target)
            total += below + through
    return total


@kernel
def twice_wins_of(scores: Scores, targets: Scores, buffers: RankBuffers) -> int:
    """``twice_wins`` of targets over scores (m,) in any order, m >= 1; ``buffers`` are overwritten."""
    return twice_wins(group_scores(scores, buffers), targets, buffers.bucket)
