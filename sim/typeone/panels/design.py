"""Before any vote is cast: how many units and evaluators a certificate needs, and how likely it is to be given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from typeone.arrays import doubles
from typeone.counts import require
from typeone.levels import LevelLike, level
from typeone.panels.arguments import count, share
from typeone.panels.certificate import Passing, passing_counts
from typeone.panels.options import DEFAULTS, Options, Terms
from typeone.panels.thresholds import lower_tail, most_allowed, most_allowed_many, most_unfavorable_share, needed_to_err
from typeone.tails import binomial_cdf, binomial_pmf, binomial_sf

LARGEST_DESIGN = 200_000
_CHUNK = 1024
_CLOSE = 1e-12
"""Relative error that binomial tails surely keep."""


def units_needed(options: Options = DEFAULTS, *, passing: LevelLike = 1, power: LevelLike = "0.8") -> int:
    """The least number A of generated units with which a size is certified.

    passing : probability that a unit passes at that size.  With 1 (every unit passes) the certificate is certain;
        otherwise A is the least number that gives it with probability ``power``.

    Raises ValueError where no number does, or only one above 200 000; a catalogue has the units it has.  It must
    exceed what the bound has to reach: below it a few units may do by luck, and more of them only make it unlikely.

    >>> units_needed()
    74
    """
    terms = Terms.of(options)
    if terms.generator == "catalogue":
        raise ValueError("generator='catalogue': a catalogue needs no sample of units")
    chance, wanted = share("passing", passing), level("power", power)
    if chance <= terms.target:
        raise ValueError(
            f"passing={float(chance):g}: must exceed {float(terms.target):g}, what the bound has to reach (1 − β + ξ_E)"
        )

    least = least_units(terms, chance, wanted)
    if not least:
        raise ValueError(f"passing={float(chance):g}: more than {LARGEST_DESIGN} units would be needed")
    return least


def least_units(terms: Terms, passing: Fraction, power: Fraction) -> int:
    """The least number of units, each of which passes with probability ``passing``; 0 beyond LARGEST_DESIGN."""

    def enough(units: NDArray[np.int64]) -> NDArray[np.bool_]:
        borne = _failures_borne_many(units, terms)
        return (borne >= 0) & _reaches(borne, units, 1 - passing, power)

    return _least(enough)


def evaluators_needed(
    options: Options = DEFAULTS,
    *,
    units: SupportsIndex | None = None,
    p: LevelLike = 1,
    power: LevelLike = "0.8",
) -> NDArray[np.int64]:
    """The least number E of evaluators with which a unit passes, for each size of the grid; int64, shape (G,).

    p : the unit's acceptance probability.  With 0 or 1 its votes are unanimous and it passes for certain;
        otherwise E is the least number with which it passes with probability ``power``.
    units : the number A of units, which the familywise method needs.

    0 means none: even the true p errs too often at this size (or E would exceed 200 000).

    Raises ValueError for a p outside [0, 1], a power that is no level, and where units are needed and not given.

    >>> evaluators_needed()
    array([133,  73,  53,  38,  32,  26,  23,  20])
    """
    terms = Terms.of(options)
    if terms.familywise and units is None:
        raise ValueError("units: the familywise method divides its level by their number; name it")
    half = terms.interval_level(1 if units is None else count("units", units, 1, 10**9)) / 2
    positive, wanted = share("p", p), level("power", power)
    accepting = positive >= terms.theta
    unfavorable = 1 - positive if accepting else positive
    needed = []
    for size in terms.grid.tolist():
        limit = most_unfavorable_share(size, needed_to_err(terms.theta, size, accepting=accepting), terms.delta)
        limit = min(limit, 1 - terms.theta if accepting else Fraction(terms.theta))

        def enough(evaluators: NDArray[np.int64], limit: Fraction = limit) -> NDArray[np.bool_]:
            borne = most_allowed_many(evaluators, limit, half)
            return (borne >= 0) & _reaches(borne, evaluators, unfavorable, wanted)

        needed.append(_least(enough) if unfavorable < limit else 0)
    return np.array(needed)


def _reaches(
    borne: NDArray[np.int64], trials: NDArray[np.int64], fails: Fraction, power: Fraction
) -> NDArray[np.bool_]:
    """P(Bin(trials, fails) <= borne) >= power, in integers where doubles are too close to tell."""
    if not fails:
        return borne >= 0
    chance = np.asarray(binomial_cdf(np.maximum(borne, 0), trials, float(fails)))
    found = chance >= float(power)
    for i in np.flatnonzero(abs(chance - float(power)) <= _CLOSE * float(power)).tolist():
        found[i] = lower_tail(int(borne[i]), int(trials[i]), fails) >= power
    return found


def _least(enough: Callable[[NDArray[np.int64]], NDArray[np.bool_]]) -> int:
    """The least number that is enough, or 0; the condition is not monotone, so every number is looked at."""
    for start in range(1, LARGEST_DESIGN, _CHUNK):
        found = enough(np.arange(start, start + _CHUNK))
        if found.any():
            return start + int(found.argmax())
    return 0


@dataclass(frozen=True, slots=True)
class Certification:
    """How likely a certificate is; ``passing`` and ``certified`` have shape (G,).

    passing : probability that a generated unit passes at each size.
    certified : probability that each size is certified.
    any_size : probability that some size is.  Exact where counts that pass at one size pass at every larger one
        (odd sizes), else None: then it lies between the largest of ``certified`` and their sum.

    >>> certification([0, 1, 0.5], 40, 300).passing.round(4)
    array([0.    , 0.    , 0.    , 0.6667, 0.6667, 0.6667, 0.6667, 0.6667])
    """

    passing: NDArray[np.float64]
    certified: NDArray[np.float64]
    any_size: float | None


def certification(
    p: ArrayLike,
    evaluators: SupportsIndex,
    units: SupportsIndex,
    options: Options = DEFAULTS,
    *,
    weights: ArrayLike | None = None,
) -> Certification:
    """The exact probability of a certificate from independent columns, without simulation.

    The generator draws a unit's acceptance probability from ``p``, shape (n,), with probabilities proportional to
    ``weights`` (equal if not given).  Votes are independent of each other, given the units.

    Raises ValueError for numbers out of range and for weights that are no weights.

    >>> certification([0, 1], 40, 300).any_size
    1.0
    """
    terms = Terms.of(options)
    E, A = count("evaluators", evaluators, 1, LARGEST_DESIGN), count("units", units, 1, 10**9)
    chance = doubles("p", p, "probabilities are real numbers")
    require("p", chance, (chance >= 0) & (chance <= 1), "is outside [0, 1]")
    chances = np.atleast_1d(chance)
    if chances.ndim != 1:
        raise ValueError(f"p: one dimension is needed, not {chances.ndim}")
    weight = np.ones(chances.size) if weights is None else doubles("weights", weights, "weights are real numbers")
    if weight.shape != chances.shape or not (weight >= 0).all() or not 0 < weight.sum() < np.inf:
        raise ValueError("weights: one finite weight for each p is needed, none negative and not all zero")
    law = sum(
        w * binomial_pmf(np.arange(E + 1), E, p) for w, p in zip(weight / weight.sum(), chances.tolist(), strict=True)
    )
    return certification_of_counts(law, A, terms)


def certification_of_counts(law: NDArray[np.float64], units: int, terms: Terms) -> Certification:
    """The same from the law of a generated unit's positive votes, shape (E + 1,)."""
    rule = passing_counts(law.size - 1, units, terms)
    table = rule.table()
    passes = law @ table
    fails = np.minimum(law @ ~table, 1.0)
    borne = failures_borne(units, terms)
    certified = np.array([_certified(borne, units, p, q) for p, q in zip(passes.tolist(), fails.tolist(), strict=True)])
    return Certification(passes, certified, float(certified.max()) if _nested(rule) else None)


def _certified(borne: int, units: int, passes: float, fails: float) -> float:
    """P(at most ``borne`` units fail), from the smaller of the two chances of one unit, which keeps its digits."""
    if borne < 0:
        return 0.0
    if borne >= units:
        return 1.0
    if passes < fails:
        return float(binomial_sf(units - borne - 1, units, passes))
    return float(binomial_cdf(borne, units, fails))


def failures_borne(units: int, terms: Terms) -> int:
    """The greatest number of failing units of A with which a size is certified; −1 if there is none.

    For a catalogue this takes equal weights.
    """
    if terms.generator == "exact":
        return most_allowed(units, 1 - terms.target, terms.bound_level)
    low, high = -1, units  # certified with `low` failing units (or low = −1), not with `high`
    while high - low > 1:
        middle = (low + high) // 2
        if terms.certifies(Fraction(units - middle, units), units):
            low = middle
        else:
            high = middle
    return low


def _failures_borne_many(units: NDArray[np.int64], terms: Terms) -> NDArray[np.int64]:
    """``failures_borne`` for many A by floating point, as ``most_allowed_many``; no catalogue, which has its units."""
    if terms.generator == "hoeffding":
        margin = np.sqrt(-np.log(float(terms.bound_level)) / (2 * units))
        borne: NDArray[np.int64] = np.floor(units * (float(1 - terms.target) - margin)).astype(np.int64)
        return np.maximum(borne, -1)
    return most_allowed_many(units, 1 - terms.target, terms.bound_level)


def _nested(rule: Passing) -> bool:
    return bool((np.diff(rule.accept) <= 0).all() and (np.diff(rule.reject) >= 0).all())
