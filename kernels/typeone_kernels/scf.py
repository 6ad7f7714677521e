"""Source-balanced capped Fisher: reference tail, capped log evidence and bag means, in integers.

The documents are sorted once, by score, largest first.  A partition gives every source a role; one pass over
the documents accumulates the reference tail and hands each other document its evidence.

Integer forms, prepared by ``typeone.scf.tail``:

- ``weight[i] = unit / n_i`` with ``unit`` a common multiple of the bag sizes, so that the balanced tail is the
  integer S = sum of the weights of the reference documents at or above the score, A = S / (K unit);
- smoothing with eps = a/b gives Q = (c0 + c1 S) / c2 with c0 = a K unit, c1 = b, c2 = K unit (a + b);
- a document is capped (Q < alpha) exactly when S < ``capped_below``;
- evidence -log max(Q, alpha) is held as the nearest multiple of 2**-40 (int64).

So no result depends on the order in which documents or sources are listed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from typeone_kernels._jit import kernel

TARGET, REFERENCE, CALIBRATION = 0, 1, 2
UNIT_BITS = 40
_SCALE = 2.0**UNIT_BITS


@kernel
def log_evidence(at_tail: int, tail: NDArray[np.float64]) -> int:
    """-log Q in units of 2**-40, for a document with balanced tail count S = ``at_tail``."""
    return int(np.rint(-np.log((tail[0] + tail[1] * at_tail) / tail[2]) * _SCALE))


@kernel
def document_evidence(
    at_tail: NDArray[np.int64],
    tail: NDArray[np.float64],
    capped_below: int,
    cap_evidence: int,
    out: NDArray[np.int64],
) -> None:
    """Evidence of single documents with balanced tail counts ``at_tail`` (D,).  Cost: O(D) logarithms."""
    for i in range(at_tail.size):
        out[i] = cap_evidence if at_tail[i] < capped_below else log_evidence(at_tail[i], tail)


@kernel
def evidence_sums(
    score: NDArray[np.float64],
    source: NDArray[np.int64],
    weight: NDArray[np.int64],
    role: NDArray[np.int8],
    tail: NDArray[np.float64],
    capped_below: NDArray[np.int64],
    cap_evidence: NDArray[np.int64],
    sums: NDArray[np.int64],
) -> None:
    """Bag sums of evidence for several caps, in one pass; a logarithm only where the tail changes.

    ``score`` (D,) descending with the document's ``source`` (D,); ``weight``, ``role`` (S,); ``tail`` = (c0,
    c1, c2); ``capped_below``, ``cap_evidence`` (C,) for caps in descending order (so ``capped_below`` is
    descending), the last of which may be 0 = uncapped.  Fills ``sums`` (C, S); reference sources get 0.
    Cost: O(D C), one logarithm for each distinct tail value that is not capped throughout.
    """
    caps = capped_below.size
    sums[:, :] = 0
    at_tail = 0
    current = 0
    evaluated = -1
    first = 0
    while first < score.size:
        last = first
        while last < score.size and score[last] == score[first]:
            if role[source[last]] == REFERENCE:
                at_tail += weight[source[last]]
            last += 1
        if at_tail != evaluated:
            evaluated = at_tail
            if at_tail >= capped_below[caps - 1]:
                current = log_evidence(at_tail, tail)
        for document in range(first, last):
            owner = source[document]
            if role[owner] != REFERENCE:
                for c in range(caps):
                    sums[c, owner] += cap_evidence[c] if at_tail < capped_below[c] else current
        first = last


@kernel
def capped_weight(
    score: NDArray[np.float64],
    source: NDArray[np.int64],
    weight: NDArray[np.int64],
    role: NDArray[np.int8],
    capped_below: int,
    totals: NDArray[np.int64],
) -> None:
    """Sum of 1/n_i (in units) over the capped documents of each role: shares averaged within source.

    Capped documents are a prefix of the sorted ones.  Fills ``totals`` (4,), indexed by role.  Cost: O(prefix).
    """
    totals[:] = 0
    at_tail = 0
    first = 0
    while first < score.size:
        last = first
        while last < score.size and score[last] == score[first]:
            if role[source[last]] == REFERENCE:
                at_tail += weight[source[last]]
            last += 1
        if at_tail >= capped_below:
            return
        for document in range(first, last):
            totals[role[source[document]]] += weight[source[document]]
        first = last


@kernel
def mean_keys(sums: NDArray[np.int64], sizes: NDArray[np.int64], shift: int, keys: NDArray[np.int64]) -> None:
    """Int64 keys ordered and tied exactly as the rationals sums / sizes: floor(2**shift sums / sizes).

    Exact when 2**shift >= max(sizes)**2 (different means then differ by at least one whole unit) and
    2**shift max(sums / sizes) < 2**63 with sums >= 0.  The quotient is taken in two steps, so that the product
    never overflows.  Cost: O(S).
    """
    for i in range(sums.size):
        whole = sums[i] // sizes[i]
        rest = sums[i] - whole * sizes[i]
        keys[i] = (whole << shift) + (rest << shift) // sizes[i]
