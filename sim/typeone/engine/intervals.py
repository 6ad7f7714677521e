"""Intervals for Monte Carlo estimates: exact for a count fixed in advance, or valid at every look.

All functions return one-sided bounds at error ``alpha`` each; a two-sided interval takes alpha / 2 twice.
They are functions of counts and exact sums alone, so neither order nor chunking can show.

Sources: Clopper and Pearson (1934); Robbins (1970) for mixtures; Fan, Grama and Liu (2015) and Howard et al.
(2021) for bounded means; Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (2021) for asymptotic sequences.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import special

from typeone.engine.sums import Moments, root
from typeone.exact import clopper_pearson_lower, clopper_pearson_upper


class Bounds(NamedTuple):
    """A lower and an upper bound, each with its own error probability alpha."""

    lower: float
    upper: float


_TOLERANCE = 1e-10
_JEFFREYS = 0.5


def rate_fixed(successes: int, trials: int, alpha: float) -> Bounds:
    """Clopper-Pearson bounds for ``successes`` of ``trials``, a number fixed in advance."""
    if not trials:
        return Bounds(0.0, 1.0)
    return Bounds(
        clopper_pearson_lower(successes, trials, alpha),
        clopper_pearson_upper(successes, trials, alpha),
    )


def rate_sequence(successes: int, trials: int, alpha: float) -> Bounds:
    """Bounds that hold at all trials at once (probability 1 - alpha each): a beta-binomial mixture.

    The wealth against "rate <= p" bets on every rate q > p with the Jeffreys prior's weight, and keeps the
    prior's weight of [0, p]: W(p) = F(p) + B(a+k, a+n-k) / B(a, a) * S_k(p) / (p**k (1-p)**(n-k)), with F
    the prior's distribution function and S_k the posterior's upper tail.  It falls in p up to k / n, where
    it is below 1; the bound is where it crosses 1 / alpha.
    """
    if not trials:
        return Bounds(0.0, 1.0)
    lower = _rate_below(successes, trials, alpha)
    upper = 1.0 - _rate_below(trials - successes, trials, alpha)
    return Bounds(lower, upper)


def _rate_below(k: int, n: int, alpha: float) -> float:
    if not k:
        return 0.0
    a, b = _JEFFREYS + k, _JEFFREYS + n - k
    constant = special.betaln(a, b) - special.betaln(_JEFFREYS, _JEFFREYS)
    target = 1.0 / alpha

    def enough(p: float) -> bool:
        log_likelihood = k * math.log(p) + special.xlog1py(n - k, -p)
        gain = constant - log_likelihood + math.log(max(special.betaincc(a, b, p), 1e-300))
        return bool(gain > 700 or special.betainc(_JEFFREYS, _JEFFREYS, p) + math.exp(gain) >= target)

    return _last(enough, 0.0, k / n)


def bounded_fixed(moments: Moments, alpha: float) -> Bounds:
    """Bounds for the mean of values in [0, 1], their number fixed in advance: bets sized for that number."""
    return _bounded(moments, alpha, _bets_for(moments.count, alpha))


def bounded_sequence(moments: Moments, alpha: float) -> Bounds:
    """Bounds for the mean of values in [0, 1] that hold at all counts at once."""
    return _bounded(moments, alpha, _BETS)


class _Bets(NamedTuple):
    sizes: np.ndarray
    log_weights: np.ndarray


_MOST = 0.97
"""The share of its wealth a bet may lose."""


def _weighted(sizes: np.ndarray, weights: np.ndarray) -> _Bets:
    return _Bets(sizes, np.log(weights / weights.sum()))


def _bets_for(count: int, alpha: float) -> _Bets:
    """The best size, sqrt(2 log(1/alpha) / n) / sd, for each of the standard deviations 1/2, 1/4, ..., 1/256."""
    base = math.sqrt(2.0 * math.log(1.0 / alpha) / max(count, 1))
    return _weighted(base * 2.0 ** np.arange(1.0, 9.0), np.ones(8))


# Halving sizes from 256 to 2**-18 serve any count up to about 10**12; smaller ones weigh slowly less.
_SIZES = 2.0 ** np.arange(8.0, -19.0, -1.0)
_BETS = _weighted(_SIZES, 1.0 / (np.arange(_SIZES.size) + 4.0) ** 1.5)


def _bounded(moments: Moments, alpha: float, bets: _Bets) -> Bounds:
    n = moments.count
    if not n:
        return Bounds(0.0, 1.0)
    total, squares = float(moments.total), float(moments.squares)
    mirrored = float(n - 2 * moments.total + moments.squares)
    lower = _bounded_below(n, total, squares, alpha, bets)
    upper = 1.0 - _bounded_below(n, float(n - moments.total), mirrored, alpha, bets)
    return Bounds(lower, upper)


def _bounded_below(n: int, total: float, squares: float, alpha: float, bets: _Bets) -> float:
    """The largest m found at which wealth against "mean <= m" reaches 1 / alpha.

    A bet multiplies wealth by 1 + l (x/m - 1) with l = min(size m, 0.97): its mean is at most 1 under the
    hypothesis, and it falls in m.  By Fan's inequality it is at least exp(l u + (l + log(1 - l)) u**2) with
    u = x/m - 1.  So any m at which the mixture of these lower bounds reaches 1 / alpha is one that the true
    mean exceeds, and the mixture needs only the sums of x and of x**2.
    """
    target = -math.log(alpha)

    def enough(m: np.ndarray) -> np.ndarray:
        u = total / m - n
        uu = np.maximum(squares / m / m - 2.0 * total / m + n, 0.0)
        shares = np.minimum(bets.sizes[:, None] * m, _MOST)
        terms = bets.log_weights[:, None] + shares * u + (shares + np.log1p(-shares)) * uu
        top = terms.max(axis=0)
        return np.asarray(top + np.log(np.exp(terms - top).sum(axis=0)) >= target)

    mean = total / n
    candidates = mean * (1.0 - _DISTANCES)
    found = np.flatnonzero(enough(candidates)) if mean else _NONE
    if not found.size:
        return 0.0
    # The bounds of wealth need not fall in m, so the search starts from the first candidate below the mean.
    outside = candidates[found[0] - 1] if found[0] else mean
    return _last(lambda m: bool(enough(np.array([m]))[0]), float(candidates[found[0]]), float(outside))


_DISTANCES = 2.0 ** np.arange(-30.0, -0.01, 0.25)
_NONE = np.empty(0, dtype=np.int64)


def mean_fixed(moments: Moments, alpha: float) -> Bounds:
    """Student's bounds for a mean; NaN for fewer than two values."""
    if moments.count < 2:
        return Bounds(math.nan, math.nan)
    half = -float(special.stdtrit(moments.count - 1, alpha)) * standard_error(moments)
    return Bounds(moments.mean - half, moments.mean + half)


_TIGHTEST_AT = 10_000
"""The count at which the asymptotic sequence for means is tightest; it is near that over decades."""


def mean_sequence(moments: Moments, alpha: float) -> Bounds:
    """A normal mixture with the estimated variance: valid at every look as counts grow (asymptotically)."""
    n = moments.count
    if n < 2:
        return Bounds(math.nan, math.nan)
    log = -2.0 * math.log(2.0 * alpha)
    r = n * (log + math.log(log + 1.0)) / _TIGHTEST_AT
    half = moments.sd * math.sqrt(2.0 * (r + 1.0) / (n * r) * math.log(1.0 + math.sqrt(r + 1.0) / (2.0 * alpha)))
    return Bounds(moments.mean - half, moments.mean + half)


def standard_error(moments: Moments) -> float:
    """SD / sqrt(n); NaN for fewer than two values."""
    return root(moments.variance / moments.count) if moments.count > 1 else math.nan


def _last(holds: Callable[[float], bool], inside: float, outside: float) -> float:
    """Bisect to the edge where ``holds`` ends; always a point where it held (or ``inside``)."""
    while outside - inside > _TOLERANCE * outside:
        middle = 0.5 * (inside + outside)
        if not inside < middle < outside:
            break
        inside, outside = (middle, outside) if holds(middle) else (inside, middle)
    return inside
