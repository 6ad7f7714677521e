"""Pooling from the formulas of METHODS section 4: odds are rationals, items are enumerated."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from math import prod

from mpmath import mp, mpf

Values = Sequence[Fraction]


def odds(p: Fraction) -> Fraction:
    return p / (1 - p)


def logit(p: Fraction) -> mpf:
    with mp.workdps(60):
        return mp.log(mpf(p.numerator)) - mp.log(p.denominator - p.numerator)


def sigmoid(x: mpf) -> mpf:
    with mp.workdps(60):
        return 1 / (1 + mp.exp(-x))


def units(p: Fraction) -> int:
    """logit p to the nearest multiple of 2**-40."""
    with mp.workdps(60):
        return int(mp.nint(logit(p) * 2**40))


def posterior(votes: Sequence[int], r: Values, prior: Fraction) -> Fraction:
    """Posterior odds: those of the prior times odds r_i or their inverse."""
    total = odds(prior) * prod(
        (odds(x) if v else 1 / odds(x) for v, x in zip(votes, r, strict=True)), start=Fraction(1)
    )
    return total / (1 + total)


def pooled_units(votes: Sequence[int], r: Values, prior: Fraction) -> int:
    """The log-odds as a sum of rounded weights."""
    return units(prior) + sum((2 * v - 1) * units(x) for v, x in zip(votes, r, strict=True))


def decision(p: Fraction, accept: Fraction, reject: Fraction) -> int:
    """1 accept, -1 reject, 0 abstain (also where both hold)."""
    return int(p >= accept) - int(p <= reject)


def count_at_least(tau: int, chances: Values) -> Fraction:
    """P(at least tau votes 1) of independent votes, one source after the other."""
    law = [Fraction(1)]
    for p in chances:
        law = [
            (law[k] * (1 - p) if k < len(law) else Fraction(0)) + (law[k - 1] * p if k > 0 else Fraction(0))
            for k in range(len(law) + 1)
        ]
    return sum(law[max(tau, 0) :], Fraction(0))


def operating_point(tau: int, r: Values, prior: Fraction) -> tuple[mpf, Fraction, Fraction]:
    """Mean log-odds of the items with tau votes 1 of n sources, and their lowest and highest posterior."""
    n = len(r)
    items = [[int(i in ones) for i in range(n)] for ones in combinations(range(n), tau)]
    posteriors = [posterior(item, r, prior) for item in items]
    with mp.workdps(60):
        mean = mp.fsum(logit(p) for p in posteriors) / len(items)
    return mean, min(posteriors), max(posteriors)


def operating_point_of_any(tau: int, n: int, r: Values, prior: Fraction) -> tuple[mpf, Fraction, Fraction]:
    """The same over every choice of n of the sources."""
    points = [operating_point(tau, chosen, prior) for chosen in combinations(r, n)]
    with mp.workdps(60):
        mean = mp.fsum(p[0] for p in points) / len(points)
    return mean, min(p[1] for p in points), max(p[2] for p in points)


def matching_tau(r: Values, threshold: Fraction, prior: Fraction) -> int | None:
    """The tau whose vote rule accepts exactly the items with posterior at least ``threshold``; None if none does."""
    items = [(sum(votes), posterior(votes, r, prior) >= threshold) for votes in product((0, 1), repeat=len(r))]
    for tau in range(len(r) + 2):
        if all((count >= tau) == accepted for count, accepted in items):
            return tau
    return None


def gaps(r: Values, prior: Fraction) -> list[tuple[Fraction, Fraction]]:
    """(low, high] of the posteriors of each count whose items differ."""
    found = []
    for count in range(len(r) + 1):
        _, low, high = operating_point(count, r, prior)
        if low < high:
            found.append((low, high))
    return found


def smallest_counterexample(r: Values, threshold: Fraction, prior: Fraction, most: int) -> tuple[Fraction, ...] | None:
    """The first panel, by size and then ascending, for which no tau works."""
    for n in range(1, most + 1):
        for panel in combinations_with_replacement(sorted(set(r)), n):
            if matching_tau(panel, threshold, prior) is None:
                return panel
    return None


def smoothed(right: int, labelled: int) -> Fraction:
    return (right + Fraction(1, 2)) / (labelled + 1)


def auroc(keys: Sequence[Fraction | int], truth: Sequence[int]) -> Fraction | None:
    pairs = [(x, y) for x, t in zip(keys, truth, strict=True) if t for y, u in zip(keys, truth, strict=True) if not u]
    if not pairs:
        return None
    return sum((Fraction(1) if x > y else Fraction(x == y, 2) for x, y in pairs), Fraction(0)) / len(pairs)


def brier(forecast: Sequence[mpf], truth: Sequence[int]) -> mpf:
    return mp.fsum((f - t) ** 2 for f, t in zip(forecast, truth, strict=True)) / len(truth)


def accuracy(forecast: Sequence[mpf], truth: Sequence[int]) -> mpf:
    half = mpf(1) / 2
    right = [half if f == half else mpf(int((f > half) == bool(t))) for f, t in zip(forecast, truth, strict=True)]
    return mp.fsum(right) / len(right)


def overconfidence(forecast: Sequence[mpf], truth: Sequence[int]) -> mpf:
    return mp.fsum(max(f, 1 - f) for f in forecast) / len(forecast) - accuracy(forecast, truth)


def calibration_error(forecast: Sequence[mpf], truth: Sequence[int], bins: int = 10) -> mpf:
    """Mean over equal bins [j / bins, (j + 1) / bins) of |mean forecast - share of true|, weighted by their cases."""
    held: dict[int, list[tuple[mpf, int]]] = {}
    for f, t in zip(forecast, truth, strict=True):
        held.setdefault(min(int(f * bins), bins - 1), []).append((f, t))
    return mp.fsum(abs(mp.fsum(f - t for f, t in cases)) for cases in held.values()) / len(truth)
