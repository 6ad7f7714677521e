"""Pooled log-odds of 0/1 votes, and what a vote count says about them, in integers.

A source that is right with probability r moves the log-odds of a hypothesis by w = logit r when it votes 1 and by
-w when it votes 0.  Weights, the prior's log-odds and their sums are int64 multiples of 2**-40: opposite votes of
equally reliable sources cancel exactly, and no sum depends on the order in which sources are listed.  The caller
sees to it that n times the largest |weight| stays below 2**62.

Source: METHODS section 4; the rule is naive Bayes with symmetric errors and votes independent given the truth.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from typeone_kernels._jit import kernel
from typeone_kernels.streams import next_uniform

UNIT_BITS = 40
NOT_CONSULTED = -1


@kernel
def pool_matrix(votes: NDArray[np.int8], weight: NDArray[np.int64], prior: int, out: NDArray[np.int64]) -> None:
    """out[t] = prior + sum_i (2 x_ti - 1) w_i over the sources consulted on item t.

    ``votes`` (items, n) holds 1, 0 or NOT_CONSULTED; ``weight`` (n,); ``out`` (items,).  Cost: O(items n).
    """
    for t in range(votes.shape[0]):
        total = prior
        for i in range(weight.size):
            if votes[t, i] != NOT_CONSULTED:
                total += weight[i] if votes[t, i] == 1 else -weight[i]
        out[t] = total


@kernel
def pool_list(
    item: NDArray[np.int64],
    source: NDArray[np.int64],
    vote: NDArray[np.int8],
    weight: NDArray[np.int64],
    prior: int,
    out: NDArray[np.int64],
) -> None:
    """The same sum from a list of E votes, each 0 or 1, in any order: O(E + items), no matrix is made.

    ``item``, ``source``, ``vote`` (E,); ``weight`` (n,); ``out`` (items,).
    """
    out[:] = prior
    for e in range(vote.size):
        w = weight[source[e]]
        out[item[e]] += w if vote[e] == 1 else -w


@kernel
def operating_points(tau: int, sizes: NDArray[np.int64], weight: int, prior: int, out: NDArray[np.int64]) -> None:
    """Log-odds at which "count >= tau" accepts among n sources of one weight: prior + (2 tau - n) weight.

    ``sizes`` (T,) are the n's, ``out`` (T,).  It slides by exactly -weight with every further source.
    """
    for t in range(sizes.size):
        out[t] = prior + (2 * tau - sizes[t]) * weight


@kernel
def count_ranges(
    weight: NDArray[np.int64], n: int, prior: int, low: NDArray[np.int64], high: NDArray[np.int64]
) -> None:
    """The least and the largest log-odds of an item with k votes 1 and n - k votes 0, for k = 0 .. n.

    ``weight`` (N,) ascending, n <= N: any n of the N sources may have been consulted.  ``low``, ``high`` (n + 1,).
    The least has its 1s from the k smallest weights and its 0s from the n - k largest.  Cost: O(n).
    """
    last = weight.size - 1
    down = 0
    up = 0
    for i in range(n):
        down += weight[last - i]
        up += weight[i]
    low[0] = prior - down
    high[0] = prior - up
    for k in range(n):
        # One more 1 from the end that gives the 1s, one 0 less at the inner end of those that give the 0s.
        low[k + 1] = low[k] + weight[k] + weight[last - (n - 1 - k)]
        high[k + 1] = high[k] + weight[last - k] + weight[n - 1 - k]


@kernel
def draw_votes(
    state: NDArray[np.uint64],
    chance: NDArray[np.float64],
    reference: int,
    right: NDArray[np.float64],
    truth: NDArray[np.int8],
    votes: NDArray[np.int8],
) -> None:
    """Draw the truth of every item and the votes of n sources that may share a latent variable.

    ``chance`` = (prior, partial, dependence).  An item is true with probability ``prior``; with probability
    ``partial`` only its first ``reference`` sources are consulted.  Source i is right when a uniform variable
    is below ``right[i]``: with probability ``dependence`` the item's latent variable, shared by all sources that
    look at it, otherwise its own.  So each source is right with probability ``right[i]`` whatever the dependence.

    ``state`` an open stream; ``right`` (n,); ``truth`` (items,), ``votes`` (items, n) are filled.  Every item
    takes 3 + n uniforms.  Cost: O(items n).
    """
    prior, partial, dependence = chance[0], chance[1], chance[2]
    for t in range(truth.size):
        truth[t] = 1 if next_uniform(state) < prior else 0
        latent = next_uniform(state)
        consulted = reference if next_uniform(state) < partial else right.size
        for i in range(right.size):
            own = next_uniform(state)
            # Given own >= dependence, (own - dependence) / (1 - dependence) is uniform.
            alone = own - dependence < (1.0 - dependence) * right[i]
            correct = latent < right[i] if own < dependence else alone
            if i >= consulted:
                votes[t, i] = NOT_CONSULTED
            else:
                votes[t, i] = truth[t] if correct else 1 - truth[t]
