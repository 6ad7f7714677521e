"""Accept, abstain or reject: thresholds on a posterior, decided exactly."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from typeone.pooling.evidence import odds, units
from typeone.pooling.votes import Votes

ACCEPT, ABSTAIN, REJECT = 1, 0, -1
WORDS = {ACCEPT: "accept", ABSTAIN: "abstain", REJECT: "reject"}


def decide(
    votes: Votes,
    reliabilities: Sequence[Fraction],
    sums: NDArray[np.int64],
    prior: Fraction,
    thresholds: tuple[Fraction, Fraction],
) -> NDArray[np.int8]:
    """ACCEPT where posterior >= accept, REJECT where posterior <= reject, else ABSTAIN, shape (T,).

    ``sums`` (T,) are log-odds in units, ``thresholds`` = (accept, reject) with accept >= reject; where both rules
    hold, which takes equal thresholds, the answer is ABSTAIN.
    """
    pooled = _ExactOdds(votes, reliabilities, prior)
    accept, reject = (pooled.sides(sums, threshold) for threshold in thresholds)
    return (accept >= 0).astype(np.int8) - (reject <= 0).astype(np.int8)


class _ExactOdds:
    """Posterior odds as rationals, for the few items so near a threshold that rounded log-odds cannot tell."""

    def __init__(self, votes: Votes, reliabilities: Sequence[Fraction], prior: Fraction) -> None:
        self._votes = votes
        self._consulted = votes.consulted
        self._start = np.concatenate([[0], np.cumsum(self._consulted)])
        distinct = sorted(set(reliabilities))
        self._odds = [odds(r) for r in distinct]
        position = {r: i for i, r in enumerate(distinct)}
        self._group = np.array([position[r] for r in reliabilities], np.int64)
        self._prior = odds(prior)

    def sides(self, sums: NDArray[np.int64], threshold: Fraction) -> NDArray[np.int64]:
        """The sign of posterior - threshold, (T,)."""
        distance = sums - units(threshold)
        side = np.sign(distance)
        # Each of the n + 2 terms is rounded by less than one unit.
        doubtful = np.flatnonzero(np.abs(distance) <= self._consulted + 2)
        known: dict[bytes, int] = {}
        cut = odds(threshold)
        for t in doubtful:
            net = self._net_votes(int(t))
            key = net.tobytes()
            if key not in known:
                exact = self._exact(net)
                known[key] = (exact > cut) - (exact < cut)
            side[t] = known[key]
        return side

    def _net_votes(self, t: int) -> NDArray[np.int64]:
        """Votes 1 minus votes 0 of the sources of each distinct reliability: all that the posterior depends on."""
        rows = slice(self._start[t], self._start[t + 1])
        net = np.zeros(len(self._odds), np.int64)
        np.add.at(net, self._group[self._votes.source[rows]], 2 * self._votes.vote[rows].astype(np.int64) - 1)
        return net

    def _exact(self, net: NDArray[np.int64]) -> Fraction:
        value = self._prior
        for base, power in zip(self._odds, net.tolist(), strict=True):
            value *= base**power
        return value
