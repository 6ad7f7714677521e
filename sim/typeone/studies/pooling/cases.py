"""Items as rules see them: drawn, or all that can occur with their exact probabilities.

With known reliabilities an item is described by how many sources of either group are right.  Given the interval
between neighboring reliabilities in which the shared latent variable falls, sources are independent, so these two
numbers are independent binomial variables: the whole law is a mixture of at most three products.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from typeone.pooling.evidence import log_odds, units
from typeone.pooling.reliability import smoothed
from typeone.studies.pooling.parameters import Parameters
from typeone.tails import binomial_pmf
from typeone_kernels.pooling import NOT_CONSULTED, UNIT_BITS, draw_votes, pool_matrix
from typeone_kernels.streams import STATE_WORDS, open_stream

_ITEM_LANE, _LABELLED_LANE = 0, 1


@dataclass(frozen=True, slots=True)
class Cases:
    """S items: truth 0 or 1, votes 1, sources consulted, pooled log-odds in units, and a weight, all (S,)."""

    truth: NDArray[np.int8]
    positive: NDArray[np.int64]
    consulted: NDArray[np.int64]
    sums: NDArray[np.int64]
    weight: NDArray[np.float64]


def assumed_weight(p: Parameters, r: Fraction) -> int:
    """The weight in units that the pooled rule gives a source of reliability r."""
    return round(float(p.miscalibration) * log_odds(r) * 2.0**UNIT_BITS)


def exact_cases(p: Parameters) -> Cases:
    """Everything that can occur when the reliabilities are known, weighted by its probability.

    O(n**2) cases for unequal reliabilities, O(n) for equal ones.
    """
    parts = [_panel(p, p.n, 1 - p.partial)] if p.partial < 1 else []
    if p.partial > 0:
        parts.append(_panel(p, p.reference, p.partial))
    columns = zip(*parts, strict=True)
    return Cases(*(np.concatenate(column) for column in columns))


def _panel(p: Parameters, n: int, share: Fraction) -> tuple[NDArray[np.int8], ...]:
    """Truth, votes 1, consulted, sums and weights of the items on which the first n sources are consulted."""
    first = n if p.spread == 0 else (n + 1) // 2
    a, b = (grid.ravel() for grid in np.meshgrid(np.arange(first + 1), np.arange(n - first + 1), indexing="ij"))
    chance = float(share) * _right_counts(p, first, n - first)
    weight_a, weight_b = (assumed_weight(p, r) for r in p.groups)
    towards = (2 * a - first) * weight_a + (2 * b - (n - first)) * weight_b
    prior = float(p.prior)
    truth = np.repeat(np.array([1, 0], np.int8), a.size)
    positive = np.concatenate([a + b, n - a - b])
    sums = units(p.prior) + np.concatenate([towards, -towards])
    weight = np.concatenate([prior * chance, (1 - prior) * chance])
    return truth, positive, np.full(positive.size, n), sums, weight


def _right_counts(p: Parameters, first: int, second: int) -> NDArray[np.float64]:
    """P(a of the first and b of the second group are right), raveled from shape (first + 1, second + 1)."""
    total = np.zeros((first + 1, second + 1))
    for low, high in pairwise(sorted({Fraction(0), *p.groups, Fraction(1)})):
        # The latent variable in (low, high) makes exactly the sources with r >= high right that look at it.
        right = [float(p.dependence * (r >= high) + (1 - p.dependence) * r) for r in p.groups]
        laws = [binomial_pmf(np.arange(m + 1), m, q) for m, q in zip((first, second), right, strict=True)]
        total += float(high - low) * np.outer(*laws)
    return total.ravel()


def drawn_cases(p: Parameters, key: tuple[int, int], repetition: int) -> Cases:
    """The items of one repetition, and their pooled log-odds with known or estimated reliabilities."""
    truth, votes = _draw(p, key, repetition, _ITEM_LANE, p.items)
    if p.labelled:
        weight = _estimated(*_draw(p, key, repetition, _LABELLED_LANE, p.labelled))
    else:
        weight = np.array([assumed_weight(p, r) for r in p.reliabilities], np.int64)
    sums = np.empty(p.items, np.int64)
    pool_matrix(votes, weight, units(p.prior), sums)
    positive = np.count_nonzero(votes == 1, axis=1)
    return Cases(truth, positive, np.count_nonzero(votes != NOT_CONSULTED, axis=1), sums, np.ones(p.items))


def _draw(
    p: Parameters, key: tuple[int, int], repetition: int, lane: int, items: int
) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    state = np.empty(STATE_WORDS, np.uint64)
    open_stream(state, np.array(key, np.uint64), repetition, lane)
    truth, votes = np.empty(items, np.int8), np.empty((items, p.n), np.int8)
    chance = np.array([float(p.prior), float(p.partial), float(p.dependence)])
    draw_votes(state, chance, p.reference, np.array([float(r) for r in p.reliabilities]), truth, votes)
    return truth, votes


def _estimated(truth: NDArray[np.int8], votes: NDArray[np.int8]) -> NDArray[np.int64]:
    """Weights from labelled items, (n,): add-half smoothing of each source's share of right votes."""
    right = np.count_nonzero(votes == truth[:, None], axis=0)
    labelled = np.count_nonzero(votes != NOT_CONSULTED, axis=0)
    return np.array([units(smoothed(int(k), int(m))) for k, m in zip(right, labelled, strict=True)], np.int64)
