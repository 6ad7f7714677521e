"""JECS and its comparators from the formulas of METHODS section 2, in rationals.

Scores: smaller = more evidence that an item is clean.  ``p[k][i]`` is the p-value of item i under model k.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

Values = Sequence[Fraction]


def conformal_rank(score: float, calibration: Sequence[float]) -> int:
    """Point 1: the numerator of the conformal p-value."""
    return 1 + sum(1 for c in calibration if c <= score)


def largest(p: Sequence[Values]) -> list[Fraction]:
    """Point 2: the largest p-value of each item."""
    return [max(column) for column in zip(*p, strict=True)]


def second_largest(p: Sequence[Values]) -> list[Fraction]:
    """AdaFilter's F: the second largest of an item's K p-values."""
    return [sorted(column)[-2] for column in zip(*p, strict=True)]


def attainable(calibration: Sequence[float]) -> list[Fraction]:
    """Ties: the p-values that a model can give, from ranks 1 and 1 + #{calibration <= v}."""
    m = len(calibration)
    return [Fraction(1, m + 1)] + [Fraction(1 + sum(1 for c in calibration if c <= v), m + 1) for v in set(calibration)]


Steps = Callable[[Fraction], Fraction]


def below(values: Values) -> Steps:
    """G(t): the largest attainable p-value that is at most t, 0 if none."""
    return lambda t: max((v for v in values if v <= t), default=Fraction(0))


def floor_to(M: int) -> Steps:
    """G(t) = floor(t M) / M: p-values 1 / M, 2 / M, ..., 1."""
    return lambda t: Fraction(int(t * M), M)


def between(p: Values, low: Fraction, high: Fraction) -> int:
    """#{low < p <= high}."""
    return sum(1 for x in p if low < x <= high)


def threshold(p: Values) -> Fraction:
    """Scan: the lambda at which the walk down from 1 stops."""
    j, upper, before = 0, Fraction(1), None
    while True:
        lower = upper * Fraction(4, 5)
        inside = between(p, lower, upper)
        if inside < 10 or (before is not None and not 5 * inside < 4 * before) or lower < Fraction(1, 50):
            return lower
        j, upper, before = j + 1, lower, inside


@dataclass(frozen=True)
class Chord:
    """Chord envelope: lambda, kappa, W, w and s (None where w = 0)."""

    lam: Fraction
    kappa: Fraction
    inside: int
    width: Fraction
    scale: Fraction | None


def chord(p: Values, steps: Sequence[Steps]) -> Chord:
    """Chord envelope of the largest p-values; ``steps`` are the G_k."""
    lam = threshold(p)
    kappa = lam / 2
    inside = between(p, kappa, lam)
    width = min(G(lam) - G(kappa) for G in steps)
    return Chord(lam, kappa, inside, width, (1 + inside) / (len(p) * width) if width else None)


def benjamini_hochberg(values: Values, level: Fraction) -> Fraction:
    """The largest value selected by BH: value_(k) <= level k / n for the largest k; 0 if none."""
    n, ordered, cutoff = len(values), sorted(values), Fraction(0)
    for k in range(1, n + 1):
        if ordered[k - 1] <= level * k / n:
            cutoff = ordered[k - 1]
    return cutoff


def jecs(p: Values, envelope: Chord, level: Fraction) -> Fraction:
    """BH at ``level`` on q = s p for p <= kappa and 1 otherwise; the cut-off is that of p."""
    if envelope.scale is None:
        return Fraction(0)
    # q = 1 never passes: level < 1.
    rescaled = [envelope.scale * x if x <= envelope.kappa else max(Fraction(1), envelope.scale) for x in p]
    return benjamini_hochberg(rescaled, level) / envelope.scale


def filtered(p: Values, second: Values, envelope: Chord, level: Fraction) -> Fraction:
    """Filtered envelope: n s t replaced by min(n s t, t #{F <= t}), up to kappa."""
    if envelope.scale is None:
        return Fraction(0)
    best = Fraction(0)
    for t in (x for x in p if x <= envelope.kappa):
        bound = min(len(p) * envelope.scale * t, t * sum(1 for f in second if f <= t))
        if bound <= level * sum(1 for x in p if x <= t):
            best = max(best, t)
    return best


def adafilter(p: Values, second: Values, level: Fraction) -> Fraction:
    """The largest t with t #{F <= t} <= level #{S <= t}; at or below it the set changes at values of S only."""
    best = Fraction(0)
    for t in p:
        if t * sum(1 for f in second if f <= t) <= level * sum(1 for x in p if x <= t):
            best = max(best, t)
    return best


def storey(p: Values, level: Fraction) -> Fraction:
    """Storey-BH with lambda = 1/2: BH at level / pi_0, where pi_0 = (1 + #{p > 1/2}) / (n / 2) may exceed 1.

    METHODS leaves open whether p-values above lambda can be selected; here they can (Benjamini, Krieger and
    Yekutieli 2006), while Storey, Taylor and Siegmund (2004) stop at lambda.
    """
    half = Fraction(1, 2)
    share = (1 + sum(1 for x in p if x > half)) / (len(p) * half)
    return benjamini_hochberg(p, level / share)


def union(p: Sequence[Values], level: Fraction) -> list[bool]:
    """Selected by BH under some model."""
    cuts = [benjamini_hochberg(row, level) for row in p]
    return [any(x <= cut for x, cut in zip(column, cuts, strict=True)) for column in zip(*p, strict=True)]


def intersection(p: Sequence[Values], level: Fraction) -> list[bool]:
    """Selected by BH under every model."""
    cuts = [benjamini_hochberg(row, level) for row in p]
    return [all(x <= cut for x, cut in zip(column, cuts, strict=True)) for column in zip(*p, strict=True)]


def contaminated_share(selected: Sequence[bool], contaminated: Sequence[bool]) -> Fraction:
    """GCP."""
    return Fraction(sum(1 for s, c in zip(selected, contaminated, strict=True) if s and c), max(1, sum(selected)))


def power(selected: Sequence[bool], contaminated: Sequence[bool]) -> Fraction:
    """The selected share of the clean items, denominator at least 1."""
    clean = sum(1 for c in contaminated if not c)
    return Fraction(sum(1 for s, c in zip(selected, contaminated, strict=True) if s and not c), max(1, clean))
