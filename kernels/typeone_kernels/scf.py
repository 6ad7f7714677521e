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
from typeone_kernels.streams import mulhi

TARGET, REFERENCE, CALIBRATION = 0, 1, 2
PARTICIPANT = 3  # a target that took part, where a study knows; TARGET is then a null test source
UNUSED, CONTROL = 4, 5  # left out by a random split, still to be split: no kernel is given these
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
def _hold(
    owner: np.uint32,
    at_tail: int,
    excess: int,
    caps: tuple[NDArray[np.int64], NDArray[np.int64]],
    sums: NDArray[np.int64],
) -> None:
    """Take from ``owner``'s sums what its document's evidence exceeds the caps that hold it by."""
    capped_below, cap_evidence = caps
    for c in range(capped_below.size):
        if at_tail < capped_below[c]:
            sums[c, owner] -= excess - cap_evidence[c]


@kernel
def evidence_sums(
    documents: tuple[NDArray[np.uint32], NDArray[np.int64]],
    weight: NDArray[np.int64],
    role: NDArray[np.int8],
    tail: NDArray[np.float64],
    caps: tuple[NDArray[np.int64], NDArray[np.int64]],
    totals: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
) -> None:
    """Bag sums of evidence for several caps, in one pass; a logarithm only where the tail changes.

    ``documents`` = (source (D,), blocks (G, 2)) by score, largest first: documents up to ``blocks[g, 0]`` stand
    alone, those from there to ``blocks[g, 1]`` have equal scores.  ``weight``, ``role`` (S,); ``tail`` = (c0, c1, c2);
    ``caps`` = (capped_below (C,), cap_evidence (C,)) for caps in descending order, the last of which may be 0 =
    uncapped.  ``totals`` = (total (S,), scratch; sums (C, S), filled, 0 for reference sources; capped (4,), filled
    with the sum of 1/n_i, in units, over the documents of each role that the first cap holds).

    A cap takes the excess over itself from the documents it holds, which come first; all others pay nothing for it.
    Sources are unsigned so that no index is checked for being negative: the loop runs near the speed of memory.
    Cost: O(D + C S), and O(C) for each document that some cap holds.
    """
    source, blocks = documents
    total, sums, capped = totals
    total[:] = 0
    sums[:, :] = 0
    capped[:] = 0
    held = caps[0][0]
    at_tail = 0
    current = log_evidence(0, tail)
    first = 0
    for g in range(blocks.shape[0]):
        alone, end = blocks[g]
        for document in range(first, alone):
            owner = source[document]
            if role[owner] == REFERENCE:
                at_tail += weight[owner]
                current = log_evidence(at_tail, tail)
            else:
                total[owner] += current
            if at_tail < held:
                capped[role[owner]] += weight[owner]
                _hold(owner, at_tail, current, caps, sums)
        for document in range(alone, end):
            if role[source[document]] == REFERENCE:
                at_tail += weight[source[document]]
        current = log_evidence(at_tail, tail)
        for document in range(alone, end):
            owner = source[document]
            total[owner] += current
            if at_tail < held:
                capped[role[owner]] += weight[owner]
                _hold(owner, at_tail, current, caps, sums)
        first = end
    for c in range(sums.shape[0]):
        for i in range(total.size):
            sums[c, i] = 0 if role[i] == REFERENCE else sums[c, i] + total[i]


@kernel
def _divide(numerator: np.uint64, size: int, reciprocal: np.uint64) -> np.uint64:
    """floor(numerator / size) with ``reciprocal`` = floor((2**64 - 1) / size), without a division."""
    quotient: np.uint64 = mulhi(numerator, reciprocal)
    # 2**64 - size reciprocal is at most size, so the quotient is short by one at most; no branch could be predicted.
    rest = numerator - quotient * np.uint64(size)
    return quotient + np.uint64(rest >= np.uint64(size))


@kernel
def mean_key(total: int, size: int, reciprocal: np.uint64, shift: int) -> int:
    """floor(2**shift total / size) for total >= 0, in steps that do not overflow while the result is below 2**63.

    Keys are ordered and tied exactly as the rationals total / size when 2**shift >= max(size)**2: different means
    then differ by at least one whole unit.  A negative shift hands ``total`` through.
    """
    if shift < 0:
        return total
    if total >> (62 - shift) == 0:  # nearly always: one division does
        return int(np.int64(_divide(np.uint64(total) << np.uint64(shift), size, reciprocal)))
    whole = _divide(np.uint64(total), size, reciprocal)
    rest = np.uint64(total) - whole * np.uint64(size)
    return int(np.int64((whole << np.uint64(shift)) + _divide(rest << np.uint64(shift), size, reciprocal)))


@kernel
def mean_keys(sums: NDArray[np.int64], sizes: NDArray[np.int64], shift: int, keys: NDArray[np.int64]) -> None:
    """``mean_key`` of every bag: ``sums``, ``sizes``, ``keys`` (S,).  Cost: O(S)."""
    for i in range(sums.size):
        keys[i] = mean_key(sums[i], sizes[i], np.uint64(18446744073709551615) // np.uint64(sizes[i]), shift)
