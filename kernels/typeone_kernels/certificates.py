"""Votes of evaluators on units, drawn as counts: one binomial variate for each group of like evaluators.

*Shared-uniform rows.*  Evaluator e holds one uniform V_e for all units.  On every unit it votes by V_e with
probability ``shared`` and else by a fresh uniform: 1 when that uniform is below the unit's acceptance probability p.
A vote is Bernoulli(p) exactly and evaluators are independent of each other; votes of one evaluator on units a and b
have covariance shared² (min(p_a, p_b) − p_a p_b).

Given the V, the votes on a unit are independent: evaluators with V_e < p vote 1 with probability
shared + (1 − shared) p and the others with (1 − shared) p, and units are independent of each other.  So a count is
the sum of two binomial variates, and no vote need be drawn.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from typeone_kernels._jit import kernel
from typeone_kernels.streams import STATE_WORDS, next_uniform, next_word, open_stream

VOTE_LANE = 0


@kernel
def ones(word: np.uint64) -> int:
    """Number of bits set: pairs, nibbles, bytes, then the sum of the bytes."""
    x = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@kernel
def binomial_by_bits(state: NDArray[np.uint64], n: int, p: float) -> int:
    """How many of n uniforms lie below p, 0 <= p <= 1: Binomial(n, p), p cut to a multiple of 2**-64.

    All n uniforms are compared with p bit by bit from the top, until each differs from it.  Only the number of
    those that agree so far matters, and each needs one random bit a step: about 2 n bits, taken from words that
    are used up before the next one is drawn, and log2 n steps.
    """
    if p >= 1.0:
        return n
    rest = np.uint64(p * 2.0**64)
    below, agreeing = 0, n
    word, unused = np.uint64(0), 0
    while agreeing > 0 and rest != np.uint64(0):
        set_bits = 0
        for _ in range(agreeing >> 6):
            set_bits += ones(next_word(state))
        few = agreeing & 63
        if few > unused:
            word, unused = next_word(state), 64
        if few > 0:
            set_bits += ones(word >> np.uint64(64 - few))
            word <<= np.uint64(few)
            unused -= few
        if rest >> np.uint64(63):
            below += agreeing - set_bits
            agreeing = set_bits
        else:
            agreeing -= set_bits
        rest <<= np.uint64(1)
    return below


@kernel
def vote_histograms(
    key: NDArray[np.uint64],
    first: int,
    probabilities: NDArray[np.float64],
    shared: float,
    histograms: NDArray[np.int64],
) -> None:
    """For repetitions ``first`` …, how many units have each number 0 … E of positive votes.

    ``probabilities`` (B, A) are the units' acceptance probabilities; ``histograms`` (B, E + 1) is overwritten.
    Repetition r draws from stream (key, r, VOTE_LANE) only.  Cost of each: A E/32 words and bit counts, and A E
    comparisons if rows are shared.
    """
    state = np.empty(STATE_WORDS, np.uint64)
    evaluators = histograms.shape[1] - 1
    rows = np.empty(evaluators)
    histograms[:] = 0
    for i in range(probabilities.shape[0]):
        open_stream(state, key, first + i, VOTE_LANE)
        if shared > 0.0:
            for e in range(evaluators):
                rows[e] = next_uniform(state)
        for p in probabilities[i]:
            lenient = 0
            if shared > 0.0:
                for row in rows:
                    lenient += row < p
            count = binomial_by_bits(state, lenient, shared + (1.0 - shared) * p)
            count += binomial_by_bits(state, evaluators - lenient, (1.0 - shared) * p)
            histograms[i, count] += 1
