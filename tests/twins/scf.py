"""SCF straight from its formulas, one document at a time, with Fractions for the tail."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

Bags = Mapping[object, Sequence[float]]


def balanced_tail(s: float, reference: Sequence[Sequence[float]]) -> Fraction:
    """A(s) = (1/K) sum_i (1/n_i) #{S_ij >= s}."""
    return sum((Fraction(sum(x >= s for x in bag), len(bag)) for bag in reference), Fraction(0)) / len(reference)


def smoothed_tail(s: float, reference: Sequence[Sequence[float]], smoothing: object) -> Fraction:
    A = balanced_tail(s, reference)
    N, K = sum(map(len, reference)), len(reference)
    if smoothing == "document":
        return (1 + N * A) / (N + 1)
    if smoothing == "source":
        return (1 + K * A) / (K + 1)
    eps = Fraction(smoothing)  # type: ignore[arg-type]
    return (eps + A) / (1 + eps)


def units(Q: Fraction, cap: Fraction) -> int:
    """Evidence as a multiple of 2**-40."""
    return round(-math.log(float(max(Q, cap))) * 2.0**40)


def mean_evidence(
    bag: Sequence[float], reference: Sequence[Sequence[float]], cap: Fraction, smoothing: object
) -> Fraction:
    return Fraction(sum(units(smoothed_tail(s, reference, smoothing), cap) for s in bag), len(bag))


def capped_share(
    bag: Sequence[float], reference: Sequence[Sequence[float]], cap: Fraction, smoothing: object
) -> Fraction:
    return Fraction(sum(smoothed_tail(s, reference, smoothing) < cap for s in bag), len(bag))


def raw(method: str, bag: Sequence[float], rho: Fraction = Fraction(1, 2)) -> Fraction | float:
    if method == "mean":
        return sum(map(Fraction, bag)) / len(bag)
    if method == "max":
        return max(bag)
    if method == "min":
        return min(bag)
    kept = max(1, math.floor((1 - rho) * len(bag)))
    return sum(map(Fraction, sorted(bag)[-kept:])) / kept


def statistics(
    method: str,
    bags: Sequence[Sequence[float]],
    reference: Sequence[Sequence[float]],
    cap: Fraction = Fraction(1, 20),
    smoothing: object = "document",
) -> list[Fraction | float]:
    if method in ("scf", "fisher"):
        return [mean_evidence(bag, reference, cap if method == "scf" else Fraction(0), smoothing) for bag in bags]
    return [raw(method, bag) for bag in bags]


def p_value(statistic: object, calibration: Sequence[object]) -> Fraction:
    return Fraction(1 + sum(c >= statistic for c in calibration), len(calibration) + 1)  # type: ignore[operator]


def auroc(positives: Sequence[object], negatives: Sequence[object]) -> Fraction:
    wins = sum(2 * (p > n) + (p == n) for p in positives for n in negatives)  # type: ignore[operator]
    return Fraction(wins, 2 * len(positives) * len(negatives))
