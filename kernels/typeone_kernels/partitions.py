"""Random partitions of a pool of controls, thousands at a time, and what each says about a set of targets.

Shapes: B partitions, S sources, P participants, m calibration sources, n null test sources, T levels.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from typeone_kernels._jit import kernel
from typeone_kernels.roc import twice_u
from typeone_kernels.scf import CALIBRATION, REFERENCE, TARGET, capped_weight, evidence_sums, mean_keys
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
    sources drawn from the pool, every other source a target.  O(S + controls) a partition.
    """
    state = np.zeros(STATE_WORDS, np.uint64)
    work = np.empty_like(pool)
    for b in range(roles.shape[0]):
        open_stream(state, key, first + b, 0)
        work[:] = pool
        draw_subset(state, work, counts[0] + counts[1])
        roles[b, :] = TARGET
        for i in range(counts[0]):
            roles[b, work[i]] = REFERENCE
        for i in range(counts[0], counts[0] + counts[1]):
            roles[b, work[i]] = CALIBRATION


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
def evidence_keys(
    documents: tuple[NDArray[np.float64], NDArray[np.int64]],
    sources: tuple[NDArray[np.int64], NDArray[np.int64]],
    roles: NDArray[np.int8],
    tails: NDArray[np.float64],
    caps: tuple[NDArray[np.int64], NDArray[np.int64]],
    shift: int,
    keys: NDArray[np.int64],
    capped: NDArray[np.int64],
) -> None:
    """Evidence of every source under every partition and cap, as ordered int64 keys.

    ``documents`` = (score, source) sorted by score, largest first; ``sources`` = (weight, sizes); ``tails``
    (B, 3); ``caps`` = (capped_below (B, C), cap_evidence (C,)), caps descending; see ``typeone_kernels.scf``.  Fills
    ``keys`` (C, B, S) with ``mean_keys`` of the given shift (bag sums when it is negative) and ``capped`` (B, 4)
    with the capped weight of each role under the first cap.  One pass over the documents a partition.
    """
    score, source = documents
    weight, sizes = sources
    capped_below, cap_evidence = caps
    sums = np.empty((cap_evidence.size, sizes.size), np.int64)
    for b in range(roles.shape[0]):
        evidence_sums(score, source, weight, roles[b], tails[b], capped_below[b], cap_evidence, sums)
        capped_weight(score, source, weight, roles[b], capped_below[b, 0], capped[b])
        for c in range(cap_evidence.size):
            if shift < 0:
                keys[c, b] = sums[c]
            else:
                mean_keys(sums[c], sizes, shift, keys[c, b])


@kernel
def gather(
    keys: NDArray[np.int64],
    roles: NDArray[np.int8],
    pool: NDArray[np.int64],
    with_reference: bool,
    test: NDArray[np.int64],
    calibration: NDArray[np.int64],
) -> None:
    """Keys of the null test sources (B, n) and of the calibration sources (B, m), in the order of ``pool``.

    ``keys`` (B, S), or (1, S) when a statistic does not depend on the partition: hand the pool in ascending order
    of its keys, and both outputs come out sorted.  ``with_reference`` calibrates on the reference sources too.
    """
    for b in range(roles.shape[0]):
        row = keys[min(b, keys.shape[0] - 1)]
        tested = 0
        calibrated = 0
        for source in pool:
            role = roles[b, source]
            if role == TARGET:
                test[b, tested] = row[source]
                tested += 1
            elif role == CALIBRATION or with_reference:
                calibration[b, calibrated] = row[source]
                calibrated += 1


@kernel
def roc_counts(
    positives: NDArray[np.int64],
    test: NDArray[np.int64],
    calibration: NDArray[np.int64],
    cuts: NDArray[np.int64],
    u: NDArray[np.int64],
    rejected: NDArray[np.int64],
) -> None:
    """2U of participants against null tests, and the rejections among both at every level.

    ``positives`` (B, P) or (1, P), ``test`` (B, n), ``calibration`` (B, m): each row ascending.  ``cuts`` (T,) are
    j = floor(t (m + 1)): p <= t exactly when fewer than j calibration sources are >= the source, that is when
    it lies above the j-th largest.  Fills ``u`` (B,) and ``rejected`` (B, 2, T): true and false rejections.
    """
    m = calibration.shape[1]
    for b in range(test.shape[0]):
        row = positives[min(b, positives.shape[0] - 1)]
        u[b] = twice_u(row, test[b])
        for t in range(cuts.size):
            if cuts[t] == 0:
                rejected[b, 0, t] = 0
                rejected[b, 1, t] = 0
                continue
            threshold = calibration[b, m - cuts[t]]
            rejected[b, 0, t] = row.size - np.searchsorted(row, threshold, side="right")
            rejected[b, 1, t] = test.shape[1] - np.searchsorted(test[b], threshold, side="right")
