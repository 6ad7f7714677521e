"""The joint lower tail of the calibration ranks: does what JECS assumes of contaminated items look true?

Calibration items are members of every model that scores them, so their largest p-value over a group of models is
drawn from the null law F of an item that this group was trained on.  The chord envelope takes F(t) / G(t), with G(t)
the largest attainable p-value <= t, to be at most [F(lambda) - F(kappa)] / [G(lambda) - G(kappa)] for t <= kappa.
Documents that score low under every model put more than that into the lower tail.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

POINTS = tuple(Fraction(t, 100) for t in (1, 2, 5, 10, 15, 20, 30, 40))


class Comparison(NamedTuple):
    """Calibration items whose ranks under every model of a group are low, against what the envelope allows.

    models : positions of the group; t : how low; found : share of items with largest p-value <= t; allowed : the
    envelope's bound on it, from the items with largest p-value in (lam / 2, lam]; p_value : chance of so many or more.
    """

    models: tuple[int, ...]
    lam: Fraction
    t: Fraction
    found: float
    allowed: float
    independent: float
    p_value: float

    @property
    def ratio(self) -> float:
        """How many times what is allowed."""
        if not self.allowed:
            return np.inf if self.found else 0.0
        return self.found / self.allowed


def own_p_values(calibration: NDArray[np.float64], larger: bool) -> NDArray[np.float64]:
    """Each score's conformal p-value among the other scores of its model, from (K, M) with NaN for none; (K, M)."""
    p = np.full(calibration.shape, np.nan)
    for row, scores in zip(p, -calibration if larger else calibration, strict=True):
        there = ~np.isnan(scores)
        row[there] = np.searchsorted(np.sort(scores[there]), scores[there], side="right") / there.sum()
    return p


def lower_tail(p: NDArray[np.float64], lams: Sequence[Fraction]) -> list[Comparison]:
    """Every pair of models and all of them, at every lambda of ``lams`` and every point up to lambda / 2.

    ``p`` (K, M) as ``own_p_values`` gives it.  Items that a model of a group did not score are left out there.
    """
    K = p.shape[0]
    groups = [*combinations(range(K), 2), *([tuple(range(K))] if K > 2 else [])]
    return [
        found
        for group in groups
        for lam in dict.fromkeys(lams)
        for t in POINTS
        if t <= lam / 2 and (found := _compared(p, group, lam, t)) is not None
    ]


def _compared(p: NDArray[np.float64], group: tuple[int, ...], lam: Fraction, t: Fraction) -> Comparison | None:
    from scipy.stats import binom

    scored = ~np.isnan(p[list(group)]).any(axis=0)
    largest = p[list(group)][:, scored].max(axis=0)
    if not largest.size:
        return None
    at = {point: [_attainable(p[k], point) for k in group] for point in (t, lam / 2, lam)}
    width = min(upper - lower for upper, lower in zip(at[lam], at[lam / 2], strict=True))
    low = int((largest <= float(t)).sum())
    between = int(((largest > float(lam / 2)) & (largest <= float(lam))).sum())
    reach = max(at[t])
    if width <= 0 or reach <= 0:
        return None
    # Given how many lie in either part, each is low with at most this probability if the condition holds.
    chance = reach / (reach + width)
    return Comparison(
        group,
        lam,
        t,
        low / largest.size,
        between / largest.size * reach / width,
        float(np.prod(at[t])),
        float(binom.sf(low - 1, low + between, chance)),
    )


def _attainable(p: NDArray[np.float64], t: Fraction) -> float:
    """G(t) of one model: its largest p-value <= t, 0 if there is none."""
    return float(np.max(p[p <= float(t)], initial=0.0))
