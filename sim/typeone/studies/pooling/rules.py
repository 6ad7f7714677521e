"""Three rules: vote count and vote share with thresholds set at ``reference`` sources, and the pooled posterior.

At an error level alpha every rule means to accept where the posterior is at least 1 - alpha and to reject where it is
at most alpha.  The count and the share do so exactly with ``reference`` sources of equal, independent reliability;
kept at any other number of sources, their operating points drift.  As a forecast a count is read as the posterior that
it had with ``reference`` sources, a share likewise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from typeone.levels import Level
from typeone.pooling.evidence import log_odds, odds, posterior, units
from typeone.studies.pooling.cases import Cases
from typeone.studies.pooling.parameters import Parameters


@dataclass(frozen=True, slots=True)
class View:
    """What one rule makes of S cases: a key that orders them, a forecast, and decisions at every level.

    ``key``, ``forecast`` (S,); ``accepted``, ``rejected`` (levels, S).
    """

    name: str
    key: NDArray[np.float64] | NDArray[np.int64]
    forecast: NDArray[np.float64]
    accepted: NDArray[np.bool_]
    rejected: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Rules:
    """What the three rules compare with, and how a count is read as a forecast.

    ``accepted_from``, ``rejected_to`` (levels,) counts at ``reference`` sources; ``pooled_from`` (levels,) log-odds in
    units; ``prior`` and ``weight`` log-odds of the prior and of one source of the middle reliability.
    """

    reference: int
    accepted_from: NDArray[np.int64]
    rejected_to: NDArray[np.int64]
    pooled_from: NDArray[np.int64]
    prior: float
    weight: float

    @classmethod
    def of(cls, p: Parameters, levels: tuple[Level, ...]) -> Rules:
        """The rules of a cell at its error levels, each below 1/2."""
        cuts = [count_cuts(p, level) for level in levels]
        return cls(
            p.reference,
            np.array([accept for accept, _ in cuts], np.int64),
            np.array([reject for _, reject in cuts], np.int64),
            np.array([pooled_cut(p, level) for level in levels], np.int64),
            log_odds(p.prior),
            log_odds(p.reliability),
        )

    def views(self, cases: Cases) -> Iterator[View]:
        """The cases through every rule."""
        k, n, m = cases.positive, cases.consulted, self.reference
        accept, reject = self.accepted_from[:, None], self.rejected_to[:, None]
        forecast = expit(self.prior + (2 * k - m) * self.weight)
        yield View("count", k, forecast, k >= accept, k <= reject)
        # k/n against a count at the reference is k m against count n, in integers; equal shares are one double.
        share = k / n
        forecast = expit(self.prior + (2 * share - 1) * m * self.weight)
        yield View("share", share, forecast, k * m >= accept * n, k * m <= reject * n)
        bound = self.pooled_from[:, None]
        yield View("pooled", cases.sums, posterior(cases.sums), cases.sums >= bound, cases.sums <= -bound)


def count_cuts(p: Parameters, level: Fraction) -> tuple[int, int]:
    """(least count accepted, largest count rejected) at ``reference`` sources of equal reliability, exactly.

    The least integer c with odds(prior) odds(r)**(2c - m) >= odds(1 - level), and the largest with <= odds(level).
    They may lie outside 0 .. m: then the rule never accepts, or never rejects, with so few sources.
    """
    base, start = odds(p.reliability), odds(p.prior)

    def least(target: Fraction) -> int:
        c = round((log_odds_of(target / start) / log_odds_of(base) + p.reference) / 2)
        while start * base ** (2 * c - p.reference) >= target:
            c -= 1
        while start * base ** (2 * c - p.reference) < target:
            c += 1
        return c

    accepted = least(odds(1 - level))
    low = least(odds(level))
    exactly = start * base ** (2 * low - p.reference) == odds(level)
    return accepted, low if exactly else low - 1


def log_odds_of(ratio: Fraction) -> float:
    """The logarithm of odds given as a ratio."""
    return log_odds(ratio / (1 + ratio))


def pooled_cut(p: Parameters, level: Fraction) -> int:
    """Log-odds in units from which the pooled rule accepts; it rejects from minus that.

    Every weight is rounded to a unit, so a sum within n + 2 units of the threshold counts as having reached it.
    """
    return units(1 - level) - p.n - 2


def operating_points(p: Parameters, level: Fraction) -> dict[str, float]:
    """The posterior at which every rule accepts with n sources, averaged over which of them vote 1.

    An item at the rule's own threshold, as log-odds under the true reliabilities: for the count
    logit prior + (2 tau - n) mean logit r; for the share 2 tau n / reference in place of 2 tau.
    """
    tau = count_cuts(p, level)[0]
    start = log_odds(p.prior)
    mean = sum(log_odds(r) for r in p.reliabilities) / p.n
    pooled = (log_odds(1 - level) - start) / float(p.miscalibration)
    points = {
        "count": (2 * tau - p.n) * mean,
        "share": (2 * Fraction(tau, p.reference) - 1) * p.n * mean,
        "pooled": pooled,
    }
    return {name: float(expit(start + float(point))) for name, point in points.items()}
