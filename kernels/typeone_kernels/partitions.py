"""Random partitions of a pool of controls, thousands at a time, and what each says about a set of targets.

Shapes: B partitions, S sources, P participants, m calibration sources, n null test sources, T levels.

Rejection at level t with m calibration sources: p <= t exactly when fewer than j = floor(t (m + 1)) of them are at or
above the source, that is when the source lies above the j-th largest of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from typeone_kernels._jit import kernel
from typeone_kernels.scf import CALIBRATION, REFERENCE, TARGET, evidence_sums, mean_key
from typeone_kernels.streams import STATE_WORDS, draw_subset, open_stream

PARTICIPANT = 3  # a target that took part; TARGET is then a null test source


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


@kernel
def labelled_keys(
    sums: NDArray[np.int64],
    sizes: NDArray[np.int64],
    reciprocal: NDArray[np.uint64],
    shift: int,
    roles: NDArray[np.int8],
    tested: NDArray[np.int64],
    calibration: NDArray[np.int64],
) -> None:
    """Keys of the tested sources with their label in the lowest bit (1: participant), and of the calibration sources.

    ``sums`` (B, S) under one cap (a strided view is fine); ``shift`` as for ``mean_key``.  Fills ``tested``
    (B, P + n) with 2 key + label and ``calibration`` (B, m) with 2 key, both unsorted.  O(S) a partition.
    """
    for b in range(roles.shape[0]):
        t = 0
        c = 0
        for s in range(sizes.size):
            role = roles[b, s]
            if role == REFERENCE:
                continue
            key = mean_key(sums[b, s], sizes[s], reciprocal[s], shift) << 1
            if role == CALIBRATION:
                calibration[b, c] = key
                c += 1
            else:
                tested[b, t] = key | (role == PARTICIPANT)
                t += 1


@kernel
def referenced_counts(
    tested: NDArray[np.int64],
    calibration: NDArray[np.int64],
    cuts: NDArray[np.int64],
    u: NDArray[np.int64],
    rejected: NDArray[np.int64],
) -> None:
    """2U, and true and false rejections at every level, from labelled keys (each row ascending).

    ``tested`` (B, P + n), ``calibration`` (B, m), ``cuts`` (T,) the j of each level.  Fills ``u`` (B,) with twice the
    Mann-Whitney statistic and ``rejected`` (B, 2, T).  One pass without branches that depend on the labels.
    """
    m = calibration.shape[1]
    for b in range(tested.shape[0]):
        row = tested[b]
        negatives = 0
        total = 0
        i = 0
        while i < row.size:
            label = row[i] & 1
            if i + 1 == row.size or row[i + 1] >> 1 != row[i] >> 1:
                total += label * 2 * negatives
                negatives += 1 - label
                i += 1
                continue
            last = i
            positives = 0
            while last < row.size and row[last] >> 1 == row[i] >> 1:
                positives += row[last] & 1
                last += 1
            total += positives * (2 * negatives + (last - i - positives))
            negatives += last - i - positives
            i = last
        u[b] = total
        for t in range(cuts.size):
            true = 0
            false = 0
            if cuts[t] > 0:
                above = np.searchsorted(row, calibration[b, m - cuts[t]] | 1, side="right")
                for i in range(above, row.size):
                    true += row[i] & 1
                false = row.size - above - true
            rejected[b, 0, t] = true
            rejected[b, 1, t] = false


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
