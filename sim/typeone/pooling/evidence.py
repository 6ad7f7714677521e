"""Probabilities, odds and log-odds: exact where decisions are made, in units of 2**-40 where sums are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from typeone.levels import LevelLike, number
from typeone_kernels.pooling import UNIT_BITS

_UNIT = 2.0**UNIT_BITS
_LARGEST_SUM = 2**62


def odds(p: Fraction) -> Fraction:
    """p / (1 - p), for 0 <= p < 1."""
    return p / (1 - p)


def probability(of: Fraction) -> Fraction:
    """The probability with these odds."""
    return of / (1 + of)


def log_odds(p: Fraction) -> float:
    """log(p / (1 - p)), antisymmetric in p and 1 - p to the last bit."""
    a, b = p.numerator, p.denominator - p.numerator
    least, most = min(a, b), max(a, b)
    size = math.log(most / least) if most < least << 1000 else math.log(most) - math.log(least)
    return size if a >= b else -size


def units(p: Fraction) -> int:
    """log(p / (1 - p)) as the nearest multiple of 2**-40."""
    return round(log_odds(p) * _UNIT)


def in_nats(sums: ArrayLike) -> NDArray[np.float64]:
    """Multiples of 2**-40 as log-odds."""
    return np.asarray(np.asarray(sums, dtype=np.float64) / _UNIT)


def posterior(sums: ArrayLike) -> NDArray[np.float64]:
    """Probabilities of log-odds given as multiples of 2**-40."""
    return np.asarray(expit(in_nats(sums)))


def weights(reliabilities: Sequence[Fraction], prior: Fraction, votes: int) -> NDArray[np.int64]:
    """logit r of every source in units, (n,); a ValueError if a sum of ``votes`` of them could overflow."""
    each = [units(r) for r in reliabilities]
    if max(map(abs, each), default=0) * votes + abs(units(prior)) >= _LARGEST_SUM:
        raise ValueError(
            f"reliability: the log-odds of {votes} votes exceed {_LARGEST_SUM / _UNIT:.0f}; bring the values nearer 1/2"
        )
    return np.array(each, np.int64)


def reliability_of(name: str, value: LevelLike) -> Fraction:
    """A reliability strictly between 0 and 1, or a ValueError that says why the ends are refused."""
    exact = number(name, value)
    if not 0 < exact < 1:
        raise ValueError(
            f"{name}={exact.text}: lies strictly between 0 and 1 (a source that is never, or always, wrong would "
            "decide alone, and two such that disagree leave no posterior)"
        )
    return exact
