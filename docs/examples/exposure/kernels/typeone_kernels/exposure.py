"""Canary exposure: ranks of canaries among references that were never planted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from typeone_kernels._jit import kernel
from typeone_kernels.streams import STATE_WORDS, next_uniform, open_stream


@kernel
def exposure_ranks(reference: NDArray[np.float64], canary: NDArray[np.float64], out: NDArray[np.int64]) -> None:
    """``out`` (C,) = 1 + #{reference (R,) >= canary (C,)}: a tie counts against the canary.  O(R C)."""
    for i in range(canary.size):
        out[i] = 1
        for score in reference:
            out[i] += score >= canary[i]


@kernel
def draw_ranks(
    key: NDArray[np.uint64], first: int, references: int, shift: NDArray[np.float64], out: NDArray[np.int64]
) -> None:
    """Row i of ``out`` (N, C): ranks of one logistic score, moved up by each ``shift`` (C,), among fresh references.

    Row i is repetition ``first + i`` of the stream ``key`` (2,), whatever the batch.
    """
    state, score = np.empty(STATE_WORDS, np.uint64), np.empty(references + 1)
    for i in range(out.shape[0]):
        open_stream(state, key, first + i, 0)
        for j in range(score.size):
            u = next_uniform(state) + 2.0**-54  # never 0
            score[j] = np.log(u / (1.0 - u))
        exposure_ranks(score[1:], score[0] + shift, out[i])
