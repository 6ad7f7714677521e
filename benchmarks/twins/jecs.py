"""One repetition of JECS with independent Gaussian scores: draw, rank, and select by every method."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.twins.ranks import conformal_ranks
from benchmarks.twins.selection import bh, chord, histogram, last, storey
from typeone.engine.streams import generator

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
TRUTH, SCORES = 0, 2  # lanes of the repetition's streams


class Design(NamedTuple):
    """n candidates and m calibration items under K models; a contaminated item is in one model and ``also`` others."""

    n: int
    m: int
    K: int
    clean: float
    also: float
    shift: float
    level: Fraction


def draw(key: tuple[int, int], repetition: int, of: Design) -> tuple[NDArray[np.float64], NDArray[np.float64], Bools]:
    """Calibration scores (K, m), candidates (K, n), and which candidates are contaminated (n,)."""
    uniforms = generator(key, repetition, TRUTH).random((of.K + 3, of.n))
    scores = generator(key, repetition, SCORES).standard_normal((of.K, of.n + of.m))
    contaminated = uniforms[0] >= of.clean
    drawn = np.arange(of.K)[:, None] == np.floor(uniforms[2] * of.K)
    members = (drawn | (uniforms[3:] < of.also)) & contaminated
    return scores[:, of.n :], scores[:, : of.n] - of.shift * ~members, contaminated


def selections(ranks: Ints, m: int, level: Fraction) -> list[Bools]:
    """Union, intersection, max-p BH, Storey-BH, JECS, AdaFilter, filtered envelope, from ``ranks`` (K, n)."""
    each = []
    for row in ranks:
        of = histogram(row, m)
        each.append(row <= bh(of, np.cumsum(of), level))
    ordered = np.sort(ranks, axis=0)
    largest, second = ordered[-1], ordered[-2]
    of = histogram(largest, m)
    count, filtered = np.cumsum(of), np.cumsum(histogram(second, m))
    cut, envelope, kappa = chord(of, count, level)
    M = m + 1
    top = level.numerator * M // level.denominator
    rank = np.arange(top + 1)
    conjunction = filtered[: top + 1] * rank * level.denominator <= level.numerator * count[: top + 1] * M
    adafilter = last(conjunction, of[: top + 1])
    low = min(kappa, top) + 1
    both = max(cut, last(conjunction[:low], of[:low])) if envelope.width else 0
    cutoffs = [bh(of, count, level), storey(of, count, level), cut, adafilter, both]
    return [np.any(each, axis=0), np.all(each, axis=0), *(largest <= c for c in cutoffs)]


def repetition(key: tuple[int, int], number: int, of: Design) -> Ints:
    """Selected, and contaminated among them, for each method: (methods, 2)."""
    calibration, candidates, contaminated = draw(key, number, of)
    ranks = np.stack([conformal_ranks(c, x) for c, x in zip(calibration, candidates, strict=True)])
    selected = np.array(selections(ranks, of.m, of.level))
    return np.stack([selected.sum(axis=1), (selected & contaminated).sum(axis=1)], axis=1)
