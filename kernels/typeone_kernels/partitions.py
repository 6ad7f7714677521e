"""Random partitions of a pool of controls, thousands at a time, and what each says about a set of targets.

Shapes: B partitions, S sources, P participants, m calibration sources, n null test sources, T levels.

Rejection at level t with m calibration sources: p <= t exactly when fewer than j = floor(t (m + 1)) of them are at or
above the source, that is when the source lies above the j-th largest of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from typeone_kernels._jit import kernel
from typeone_kernels.buckets import RankBuffers
from typeone_kernels.grouped import twice_wins_of
from typeone_kernels.scf import CALIBRATION, PARTICIPANT, REFERENCE, TARGET, evidence_sums, mean_key
from typeone_kernels.streams import STATE_WORDS, draw_subset, open_stream


@kernel
def draw_roles(
    key: NDArray[np.uint64],
    first: int,
    pool: NDArray[np.int64],
    counts: NDArray[np.int64],
    roles: NDArray[np.int8],
) -> None:
    """Roles of the partitions ``first``, ``first + 1``, ...: each from its own stream (key, partition, lane 0).

    ``pool`` (controls,) source codes; ``counts`` = (K, L).  Fills ``roles`` (B, S): K reference and L calibration
    sources drawn from the pool, the rest of the pool null tests, and every other source a participant.
    O(S + controls) a partition.
    """
    state = np.zeros(STATE_WORDS, np.uint64)
    work = np.empty_like(pool)
    for b in range(roles.shape[0]):
        open_stream(state, key, first + b, 0)
        work[:] = pool
        draw_subset(state, work, counts[0] + counts[1])
        roles[b, :] = PARTICIPANT
        for i in range(pool.size):
            role = TARGET
            if i < counts[0]:
                role = REFERENCE
            elif i < counts[0] + counts[1]:
                role = CALIBRATION
            roles[b, work[i]] = role


@kernel
def reference_documents(roles: NDArray[np.int8], sizes: NDArray[np.int64], out: NDArray[np.int64]) -> None:
    """Number of reference documents of each partition, (B,).  O(S) a partition."""
    for b in range(roles.shape[0]):
        total = 0
        for s in range(sizes.size):
            if roles[b, s] == REFERENCE:
                total += sizes[s]
        out[b] = total


@kernel
def evidence(
    documents: tuple[NDArray[np.uint32], NDArray[np.int64]],
    weight: NDArray[np.int64],
    roles: NDArray[np.int8],
    tails: NDArray[np.float64],
    caps: tuple[NDArray[np.int64], NDArray[np.int64]],
    sums: NDArray[np.int64],
    capped: NDArray[np.int64],
) -> None:
    """Bag sums of evidence under every partition and cap: one pass over the documents a partition.

    ``documents``, ``weight`` and what is filled as for ``evidence_sums``, once for each partition: ``tails`` (B, 3),
    ``caps`` = (capped_below (B, C), cap_evidence (C,)), ``sums`` (B, C, S), ``capped`` (B, 4).
    """
    capped_below, cap_evidence = caps
    total = np.empty_like(weight)
    for b in range(roles.shape[0]):
        held = (capped_below[b], cap_evidence)
        evidence_sums(documents, weight, roles[b], tails[b], held, (total, sums[b], capped[b]))


class Keys(NamedTuple):
    """Keys of the participants (B, P), of the null tests (B, n) and of the calibration sources (B, m), unsorted."""

    participants: NDArray[np.int64]
    tests: NDArray[np.int64]
    calibration: NDArray[np.int64]


@kernel
def source_keys(
    sums: NDArray[np.int64],
    sizes: NDArray[np.int64],
    reciprocal: NDArray[np.uint64],
    shift: int,
    roles: NDArray[np.int8],
    keys: Keys,
) -> None:
    """Fill ``keys`` from ``sums`` (B, S) under one cap (a strided view is fine); ``shift`` as for ``mean_key``.

    O(S) a partition.
    """
    for b in range(roles.shape[0]):
        p = n = c = 0
        for s in range(sizes.size):
            role = roles[b, s]
            if role == REFERENCE:
                continue
            key = mean_key(sums[b, s], sizes[s], reciprocal[s], shift)
            if role == PARTICIPANT:
                keys.participants[b, p] = key
                p += 1
            elif role == TARGET:
                keys.tests[b, n] = key
                n += 1
            else:
                keys.calibration[b, c] = key
                c += 1


@kernel
def referenced_counts(keys: Keys, cuts: NDArray[np.int64], u: NDArray[np.int64], rejected: NDArray[np.int64]) -> None:
    """2U, and true and false rejections at every level, from the keys; the calibration keys are sorted in place.

    ``cuts`` (T,) the j of each level.  Fills ``u`` (B,) with twice the Mann-Whitney statistic and ``rejected``
    (B, 2, T).  Null tests are distributed over buckets and participants looked up: O(P + n + m log m) a partition
    for keys with a bounded density or few values.
    """
    m, n = keys.calibration.shape[1], keys.tests.shape[1]
    buffers = RankBuffers(np.empty(n, np.int64), np.empty(n + 1, np.int32), np.empty(n, np.int32))
    for b in range(u.size):
        u[b] = twice_wins_of(keys.tests[b], keys.participants[b], buffers)
        calibration = keys.calibration[b]
        calibration.sort()
        for t in range(cuts.size):
            rejected[b, 0, t] = _above(keys.participants[b], calibration, m - cuts[t])
            rejected[b, 1, t] = _above(keys.tests[b], calibration, m - cuts[t])


@kernel
def _above(keys: NDArray[np.int64], calibration: NDArray[np.int64], place: int) -> int:
    """How many keys lie above the calibration key at ``place``; none when that is beyond the last."""
    if place == calibration.size:
        return 0
    threshold = calibration[place]
    count = 0
    for i in range(keys.size):
        count += keys[i] > threshold
    return count


@kernel
def raw_counts(
    order: NDArray[np.int64],
    ranks: NDArray[np.int64],
    participants_above: NDArray[np.int64],
    wins: NDArray[np.int64],
    roles: NDArray[np.int8],
    cuts: NDArray[np.int64],
    u: NDArray[np.int64],
    rejected: NDArray[np.int64],
) -> None:
    """The same counts for a raw statistic, whose order no partition changes: nothing is sorted.

    ``order`` (controls,) the pool by descending statistic; ``ranks`` (S,) its dense ranks; for every pool source in
    that order ``participants_above`` (participants with a larger statistic) and ``wins`` (twice those plus those that
    tie).  Reference sources calibrate too.  ``cuts`` (T,) ascending.  O(controls) a partition.
    """
    for b in range(roles.shape[0]):
        total = 0
        controls = 0
        tests = 0
        tests_above = 0  # of the current block of ties
        level = 0
        rejected[b, :, :] = 0
        while level < cuts.size and cuts[level] == 0:
            level += 1
        for i in range(order.size):
            if i == 0 or ranks[order[i]] != ranks[order[i - 1]]:
                tests_above = tests
            if roles[b, order[i]] == TARGET:
                total += wins[i]
                tests += 1
            else:
                controls += 1
                while level < cuts.size and cuts[level] == controls:
                    rejected[b, 0, level] = participants_above[i]
                    rejected[b, 1, level] = tests_above
                    level += 1
        u[b] = total
