"""Raw statistics of bags of scores, with sums that do not depend on the order of the documents."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from typeone_kernels._jit import kernel

_PARTS = 64  # a sum of doubles needs at most 40 non-overlapping parts of 53 bits


@kernel
def exact_sum(values: NDArray[np.float64], parts: NDArray[np.float64]) -> float:
    """The sum of ``values``, exact and rounded once (half to even): the same for every order.

    Source: Shewchuk, *Adaptive precision floating-point arithmetic* (1997): the running sum is held as
    non-overlapping parts of increasing size.  ``parts`` (64,) is scratch.  Cost: O(n p), p parts (mostly 2 or 3).
    Values are finite and so is their sum.
    """
    used = 0
    for value in values:
        high = value
        kept = 0
        for i in range(used):
            other = parts[i]
            total = high + other
            shift = total - high
            low = (high - (total - shift)) + (other - shift)
            if low != 0.0:
                parts[kept] = low
                kept += 1
            high = total
        parts[kept] = high
        used = kept + 1
    if used == 0:
        return 0.0
    result = float(parts[used - 1])
    for i in range(used - 2, -1, -1):
        high = result
        result = high + float(parts[i])
        low = parts[i] - (result - high)
        if low != 0.0:
            # The rest only matters when the parts so far lie exactly between two doubles.
            if i > 0 and (low < 0.0) == (parts[i - 1] < 0.0):
                twice = 2.0 * float(low)
                beyond = result + twice
                if beyond - result == twice:
                    result = beyond
            break
    return result


@kernel
def top_means(
    score: NDArray[np.float64], start: NDArray[np.int64], kept: NDArray[np.int64], out: NDArray[np.float64]
) -> None:
    """Mean of the ``kept[i]`` largest scores of every bag (all of them: the mean; one: the maximum).

    ``score`` (D,) holds the bags one after the other, each in descending order; bag i is
    ``score[start[i]:start[i + 1]]``, ``start`` (S + 1,), 1 <= kept[i] <= bag size.  Fills ``out`` (S,).  O(D).
    """
    parts = np.empty(_PARTS)
    for i in range(out.size):
        out[i] = exact_sum(score[start[i] : start[i] + kept[i]], parts) / kept[i]
