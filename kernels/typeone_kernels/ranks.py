"""Conformal ranks: where candidate scores fall among calibration scores.

With "smaller is evidence" the rank of a candidate s is ``1 + #{calibration <= s}``, with "larger is
evidence" it is ``1 + #{calibration >= s}``; the conformal p-value is rank / (m + 1), so a tie counts against
the discovery.  Scores are finite float64 or float32, compared as they are.

The calibration scores are sorted by distributing them over buckets of equal width, and the buckets then
serve as the index for the look-ups: O(m + n) time when the scores have a bounded density, O((m + n) log m)
for any scores, O(m + n) memory.  Where the buckets lie changes the speed and never a rank.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from typeone_kernels._jit import kernel
from typeone_kernels.buckets import Guide, Scores, bucket_of
from typeone_kernels.lanes import LANES, count_at_most
from typeone_kernels.streams import STATE_WORDS, next_below, open_stream

# A matter of speed only:
_LARGE = 2**18  # scores and targets from which on the look-ups are grouped
_GROUPS = 256


@kernel
def _look_up(guide: Guide, targets: Scores, inclusive: bool, out: NDArray[np.int64]) -> None:
    """See ``_count``.

    Scores of earlier buckets are smaller than the target, those of later buckets larger.  The first eight from the
    bucket on are compared all at once, without a branch to mispredict; that usually is the answer.
    """
    scores, first, low, scale = guide
    for i in range(targets.size):
        target = targets[i] if inclusive else np.nextafter(np.float64(targets[i]), -np.inf)
        b = bucket_of(target, low, scale, first.size - 2)
        begin = np.int64(first[b])
        if begin + LANES <= scores.size:
            near = count_at_most(scores, int(begin), target)
            begin += near
            if near < LANES:
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
        g = bucket_of(targets[i], low, scale, last) >> shift
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
