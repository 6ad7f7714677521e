"""From a frozen census to one that grows: how far panels from M votes are from independent votes.

A bridge, not a law: the bounds compare the two laws of a panel, they say nothing about how a census grows.
"""

from __future__ import annotations

from math import sqrt
from typing import SupportsIndex

from typeone.panels.arguments import count

_LARGEST = 10**15


def total_variation_bound(M: SupportsIndex, C: SupportsIndex, K: SupportsIndex) -> float:
    """Bound on the total variation distance between Hypergeometric(M, C, K) and Binomial(K, C/M).

    (K − 1)/(M − 1) where the binomial variance K (C/M)(1 − C/M) is at least 1; elsewhere only 1 is promised.
    The error curves of census and superpopulation at the same K differ by no more.

    Raises ValueError unless 2 <= M, 0 <= C <= M and 1 <= K <= M.

    >>> total_variation_bound(101, 50, 11)
    0.1
    """
    M = count("M", M, 2, _LARGEST)
    C, K = count("C", C, 0, M), count("K", K, 1, M)
    return (K - 1) / (M - 1) if K * C * (M - C) >= M * M else 1.0


def finite_population_factor(M: SupportsIndex, K: SupportsIndex) -> float:
    """√((M − K)/(M − 1)): the SD of the mean vote of K evaluators drawn from M, over that of independent ones.

    Raises ValueError unless 2 <= M and 1 <= K <= M.

    >>> round(finite_population_factor(100, 36), 6)
    0.80403
    """
    M = count("M", M, 2, _LARGEST)
    return sqrt((M - count("K", K, 1, M)) / (M - 1))
