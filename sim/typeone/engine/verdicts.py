"""Estimates with their bounds, and what they say about a claim "expectation <= level"."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from typeone.engine import intervals
from typeone.engine.intervals import Bounds
from typeone.engine.study import Kind, check_values
from typeone.engine.sums import Moments

INTERVAL_ERROR = 0.05
"""Of the reported interval, both sides together."""
CLAIM_ERROR = 0.05
"""Of all verdicts of a design together."""

Verdict: TypeAlias = Literal["holds", "within margin", "violated", "undecided"]


class Estimate(NamedTuple):
    """An estimate, its Monte Carlo standard error, the SD over repetitions, and a 95 % interval."""

    estimate: float
    mc_se: float
    sd: float
    lower: float
    upper: float


@dataclass(slots=True)
class Tally:
    """Everything the summary of one column needs, whatever the order in which values came."""

    kind: Kind
    moments: Moments = field(default_factory=Moments)
    wins: int = 0
    losses: int = 0

    def add(self, values: NDArray[np.float64]) -> None:
        """Take in values (n,); NaN is not valid and not counted."""
        check_values(self.kind, values)
        valid = values[~np.isnan(values)]
        self.moments.add(valid)
        if self.kind == "gain":
            self.wins += int(np.count_nonzero(valid > 0.0))
            self.losses += int(np.count_nonzero(valid < 0.0))

    @property
    def valid(self) -> int:
        """How many values were taken in."""
        return self.moments.count

    def bounds(self, alpha: float, *, sequence: bool, zeros: int = 0, ones: int = 0) -> Bounds:
        """One-sided bounds at ``alpha`` each, as if ``zeros`` and ``ones`` had been observed besides."""
        return bounds(self.kind, _with(self.moments, zeros, ones), alpha, sequence=sequence)

    def estimate(self, *, sequence: bool) -> Estimate:
        """The row of the summary."""
        lower, upper = self.bounds(INTERVAL_ERROR / 2, sequence=sequence)
        moments = self.moments
        if self.kind == "rate":
            return Estimate(moments.mean, _rate_error(moments), math.nan, lower, upper)
        return Estimate(moments.mean, intervals.standard_error(moments), moments.sd, lower, upper)

    def verdict(self, level: Fraction, margin: Fraction, alpha: float, *, failed: int, sequence: bool) -> Verdict:
        """What the bounds say when failed repetitions are taken as 0 for a violation and as 1 for a promise."""
        lower = self.bounds(alpha, sequence=sequence, zeros=failed).lower
        upper = self.bounds(alpha, sequence=sequence, ones=failed).upper
        return judge(Bounds(lower, upper), level, margin)


def judge(bounds: Bounds, level: Fraction, margin: Fraction) -> Verdict:
    """The verdict of one-sided bounds; the comparison with the level is exact."""
    if math.isnan(bounds.lower):
        return "undecided"
    promised = Fraction(bounds.upper) <= level + margin
    if Fraction(bounds.lower) > level:
        return "within margin" if promised else "violated"
    return "holds" if promised else "undecided"


_FUNCTIONS: dict[Kind, tuple[Callable[..., Bounds], Callable[..., Bounds]]] = {
    "fraction": (intervals.bounded_fixed, intervals.bounded_sequence),
    "mean": (intervals.mean_fixed, intervals.mean_sequence),
    "gain": (intervals.mean_fixed, intervals.mean_sequence),
}


INTERVALS: dict[Kind, tuple[str, str]] = {
    "rate": ("Clopper-Pearson", "beta-binomial mixture, valid at every look"),
    "fraction": ("betting, for a mean in [0, 1]", "betting, for a mean in [0, 1], valid at every look"),
    "mean": ("Student's t", "normal mixture, asymptotic, valid at every look"),
    "gain": ("Student's t", "normal mixture, asymptotic, valid at every look"),
}
"""What ``bounds`` are called: for a fixed count, and for every look."""


def bounds(kind: Kind, moments: Moments, alpha: float, *, sequence: bool) -> Bounds:
    """Bounds of the kind's own sort, for a fixed count or for every look."""
    if kind == "rate":
        function = intervals.rate_sequence if sequence else intervals.rate_fixed
        return function(int(moments.total), moments.count, alpha)
    return _FUNCTIONS[kind][sequence](moments, alpha)


def needed(
    kind: Kind, moments: Moments, level: Fraction, margin: Fraction, alpha: float, *, sequence: bool
) -> int | None:
    """The repetitions that would decide if the estimate stayed as it is; None when none would (below 10**12)."""
    if moments.count < 2:
        return None

    def decided(count: int) -> bool:
        scale = Fraction(count, moments.count)
        total = moments.total * scale
        if kind == "rate":
            total = Fraction(round(total))
        scaled = Moments(count, total, moments.squares * scale)
        return judge(bounds(kind, scaled, alpha, sequence=sequence), level, margin) != "undecided"

    below, count = moments.count, 2 * moments.count
    while not decided(count):
        below, count = count, 2 * count
        if count > 10**12:
            return None
    while count - below > max(1, count // 100):
        middle = (below + count) // 2
        below, count = (below, middle) if decided(middle) else (middle, count)
    return count


def _with(moments: Moments, zeros: int, ones: int) -> Moments:
    return Moments(moments.count + zeros + ones, moments.total + ones, moments.squares + ones)


def _rate_error(moments: Moments) -> float:
    if not moments.count:
        return math.nan
    rate = moments.total / moments.count
    return math.sqrt(rate * (1 - rate) / moments.count)
