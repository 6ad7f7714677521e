"""Conformal ranks: where candidate scores fall among calibration scores.

With "smaller is evidence" the rank of a candidate s is ``1 + #{calibration <= s}``, with "larger is
evidence" it is ``1 + #{calibration >= s}``; the conformal p-value is rank / (m + 1), so a tie counts against
the discovery.  Scores are finite float64 or float32, compared as they are.

The calibration scores are sorted by distributing them over buckets of equal width, and the buckets then
serve as the index for the look-ups: O(m + n) time when the scores have a bounded density, O((m + n) log m)
for any scores, O(m + n) memory.  Where the buckets lie changes the speed and never a rank.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from typeone_kernels._jit import kernel
from typeone_kernels.streams import STATE_WORDS, next_below, open_stream

Scores = NDArray[np.floating[Any]]

_SAMPLE = 32  # as all constants here, a matter of speed only
_INSERTION = 24  # longest bucket sorted by insertion
_SWEEPS = 4
_NEAR = 4  # scores of a bucket compared at once
_SCANNED = 32  # longest bucket that is looked through as it is
_LARGE = 2**18  # scores and targets from which on the look-ups are grouped
_GROUPS = 256


class Guide(NamedTuple):
    """Sorted scores (m,) and an index into them: bucket b holds ``scores[first[b]:first[b + 1]]``."""

    scores: NDArray[np.float64]
    first: NDArray[np.int32]
    low: float
    scale: float


class RankBuffers(NamedTuple):
    """What ``sort_scores`` writes into: scores (m,), first (buckets + 1,), bucket (m,)."""

    scores: NDArray[np.float64]
    first: NDArray[np.int32]
    bucket: NDArray[np.int32]


@kernel
def rank_buffers(m: int) -> RankBuffers:
    """Buffers for ``m`` calibration scores, 1 <= m < 2**31; one bucket per score."""
    return RankBuffers(np.empty(m), np.empty(m + 1, np.int32), np.empty(m, np.int32))


@kernel
def _bucket_of(score: float, low: float, scale: float, last: float) -> int:
    """Nondecreasing in ``score`` whatever ``low`` and ``scale`` are, NaN products included."""
    position = (score - low) * scale
    position = position if position > 0.0 else 0.0
    return int(position if position < last else last)


@kernel
def _bucket_range(scores: Scores, buckets: int, sample: NDArray[np.float64]) -> tuple[float, float]:
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
def _distribute(
    scores: Scores,
    low: float,
    scale: float,
    target: NDArray[np.float64],
    first: NDArray[np.int32],
    bucket: NDArray[np.int32],
) -> None:
    """Counting sort of ``scores`` by bucket."""
    last = first.size - 2
    first[:] = 0
    for i in range(scores.size):
        b = _bucket_of(scores[i], low, scale, last)
        bucket[i] = b
        first[b + 1] += 1
    for b in range(last + 1):
        first[b + 1] += first[b]
    for i in range(scores.size):  # first[b] runs to the end of bucket b ...
        b = bucket[i]
        target[first[b]] = scores[i]
        first[b] += 1
    for b in range(last, -1, -1):  # ... which is the beginning of bucket b + 1
        first[b + 1] = first[b]
    first[0] = 0


@kernel
def _sort_within_buckets(scores: NDArray[np.float64], first: NDArray[np.int32]) -> None:
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
    low, scale = _bucket_range(scores, buffers.first.size - 1, buffers.scores)
    _distribute(scores, low, scale, buffers.scores, buffers.first, buffers.bucket)
    _sort_within_buckets(buffers.scores, buffers.first)
    return Guide(buffers.scores, buffers.first, low, scale)


@kernel
def _look_up(guide: Guide, targets: Scores, inclusive: bool, out: NDArray[np.int64]) -> None:
    """See ``_count``.

    Scores of earlier buckets are smaller than the target, those of later buckets larger.  The first few
    from the bucket on are compared all at once, without a branch to mispredict; that usually is the answer.
    """
    scores, first, low, scale = guide
    for i in range(targets.size):
        target = targets[i] if inclusive else np.nextafter(np.float64(targets[i]), -np.inf)
        b = _bucket_of(target, low, scale, first.size - 2)
        begin = np.int64(first[b])
        if begin + _NEAR <= scores.size:
            near = 0
            for j in range(_NEAR):
                near += scores[begin + j] <= target
            begin += near
            if near < _NEAR:
                out[i] = begin
                continue
        end = np.int64(first[b + 1])
        while begin < end:
            middle = (begin + end) >> 1
            if scores[middle] <= target:
                begin = middle + 1
            else:
                end = middle
        out[i] = begin


@kernel
def _look_up_in_groups(guide: Guide, targets: Scores, inclusive: bool, out: NDArray[np.int64]) -> None:
    """As ``_look_up``, for tables larger than the caches: targets of neighboring buckets are brought together."""
    _, first, low, scale = guide
    last = first.size - 2
    shift = 0
    while last >> shift >= _GROUPS:
        shift += 1
    position = np.zeros(_GROUPS + 1, np.int64)
    group = np.empty(targets.size, np.int16)
    for i in range(targets.size):
        g = _bucket_of(targets[i], low, scale, last) >> shift
        group[i] = g
        position[g + 1] += 1
    for g in range(_GROUPS):
        position[g + 1] += position[g]
    grouped, origin = np.empty(targets.size), np.empty(targets.size, np.int32)
    for i in range(targets.size):
        g = group[i]
        grouped[position[g]] = targets[i]
        origin[position[g]] = i
        position[g] += 1
    counted = np.empty(targets.size, np.int64)
    _look_up(guide, grouped, inclusive, counted)
    for i in range(targets.size):
        out[origin[i]] = counted[i]


@kernel
def _count(guide: Guide, targets: Scores, inclusive: bool, out: NDArray[np.int64]) -> None:
    """#{sorted scores <= target} or, unless ``inclusive``, #{sorted scores < target}, for each target."""
    if min(guide.scores.size, targets.size) < _LARGE:
        _look_up(guide, targets, inclusive, out)
    else:
        _look_up_in_groups(guide, targets, inclusive, out)


@kernel
def twice_wins(guide: Guide, targets: Scores) -> int:
    """Over all pairs of a target and a sorted score: 2 #{target > score} + #{target = score}.

    Scores and targets may be int64 keys too, when the guide's buffers are; they are compared as integers.
    Only the bucket of a target is looked into, and one with a single value, however often, in O(1).  O(targets)
    for scores with a bounded density or few values, O(targets log m) for any.
    """
    scores, first, low, scale = guide
    last = first.size - 2
    total = 0
    for i in range(targets.size):
        target = targets[i]
        b = _bucket_of(target, low, scale, last)
        begin, end = int(first[b]), int(first[b + 1])
        below = through = begin
        if begin + _NEAR <= scores.size:  # as in _look_up: the first few at once, without a branch
            for j in range(_NEAR):
                below += scores[begin + j] < target
                through += scores[begin + j] <= target
            if through < begin + _NEAR:
                total += below + through
                continue
        if begin < end and scores[begin] == scores[end - 1]:
            below = end if scores[begin] < target else begin
            through = end if scores[begin] <= target else begin
        else:
            below = begin + int(np.searchsorted(scores[begin:end], target, side="left"))
            through = begin + int(np.searchsorted(scores[begin:end], target, side="right"))
        total += below + through
    return total


@kernel
def twice_wins_of(scores: Scores, targets: Scores, buffers: RankBuffers) -> int:
    """``twice_wins`` of targets over unsorted scores (m,), which are sorted within their buckets only if need be."""
    low, scale = _bucket_range(scores, buffers.first.size - 1, buffers.scores)
    held, first = buffers.scores, buffers.first
    _distribute(scores, low, scale, held, first, buffers.bucket)
    longest = 0
    for b in range(first.size - 1):
        longest = max(longest, first[b + 1] - first[b])
    if longest > _SCANNED:
        _sort_within_buckets(held, first)
        return twice_wins(Guide(held, first, low, scale), targets)
    last = first.size - 2
    total = 0
    for i in range(targets.size):
        target = targets[i]
        b = _bucket_of(target, low, scale, last)
        begin, end = int(first[b]), int(first[b + 1])
        below = through = begin
        if begin + _NEAR <= held.size:  # what lies beyond the bucket is larger and counts nothing
            for j in range(_NEAR):
                below += held[begin + j] < target
                through += held[begin + j] <= target
            begin += _NEAR
        for j in range(begin, end):
            below += held[j] < target
            through += held[j] <= target
        total += below + through
    return total


@kernel
def conformal_ranks(guide: Guide, candidates: Scores, larger: bool, out: NDArray[np.int64]) -> None:
    """Ranks (n,) of ``candidates`` (n,), in 1..m+1; ``larger`` says that larger scores are evidence."""
    _count(guide, candidates, not larger, out)
    for i in range(out.size):
        out[i] = 1 + (guide.scores.size - out[i] if larger else out[i])


@kernel
def random_ranks(
    guide: Guide,
    candidates: Scores,
    larger: bool,
    key: NDArray[np.uint64],
    items: NDArray[np.uint64],
    model: int,
    out: NDArray[np.int64],
) -> None:
    """Ranks with ties broken at random: uniform on the 1 + #{calibration == s} ranks of the tie block.

    The draw for item i comes from the stream (``key`` (2,), repetition ``items[i]``, lane ``model``): it
    depends on nothing else, so the order of rows and of models does not matter.  Exchangeable scores then
    have exactly uniform ranks.  Cost: O(log m) and one Philox block per tied item.
    """
    state = np.empty(STATE_WORDS, np.uint64)
    scores = guide.scores
    _count(guide, candidates, True, out)
    for i in range(candidates.size):
        at_most = out[i]
        below = np.searchsorted(scores[:at_most], candidates[i])
        rank = 1 + (scores.size - at_most if larger else below)
        if below < at_most:
            open_stream(state, key, items[i], model)
            rank += next_below(state, at_most - below + 1)
        out[i] = rank


@kernel
def _can_cut(scores: NDArray[np.float64], larger: bool, cut: int) -> bool:
    """Whether the ``cut`` scores on the evidence side are separated from the others by more than their order."""
    if cut == 0 or cut == scores.size:
        return True
    place = scores.size - cut if larger else cut
    return bool(scores[place - 1] < scores[place])


@kernel
def attainable_floor(scores: NDArray[np.float64], larger: bool, rank: int) -> int:
    """The largest attainable rank <= ``rank`` (0 if ``rank`` is 0) given sorted calibration ``scores`` (m,).

    Attainable are 1 and 1 + #{calibration <= v} (``larger``: >= v) over the calibration scores v: the ranks
    at which one may cut the sorted scores without separating equal ones.  ``rank`` <= m + 1.  Cost: the
    length of one tie block.
    """
    while rank > 1 and not _can_cut(scores, larger, rank - 1):
        rank -= 1
    return rank


@kernel
def attainable_ranks(scores: NDArray[np.float64], larger: bool) -> NDArray[np.int64]:
    """All attainable ranks, ascending, given sorted calibration ``scores`` (m,); O(m)."""
    out = np.empty(scores.size + 1, np.int64)
    found = 0
    for cut in range(scores.size + 1):
        if _can_cut(scores, larger, cut):
            out[found] = cut + 1
            found += 1
    return out[:found]
