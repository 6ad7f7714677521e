"""What a vote count means as more sources are consulted: "count >= tau" as a posterior threshold."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from typeone.counts import counts, one_count
from typeone.display import cell, html_table, text_table
from typeone.levels import LevelLike, level
from typeone.notebook import drawn
from typeone.pooling.evidence import in_nats, posterior, reliability_of, units, weights
from typeone.pooling.reliability import several
from typeone.tails import binomial_sf
from typeone_kernels.poisson_binomial import poisson_binomial_pmf, upper_sum
from typeone_kernels.pooling import count_ranges, operating_points

MOST_SOURCES = 1_000_000


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """The rule "count >= tau" at n sources.

    log_odds, posterior : of an item with exactly tau votes 1, averaged (as log-odds) over which sources cast them;
    lowest, highest : the range of that item's posterior over which sources cast them (all equal for equal
    reliabilities: then the rule is that posterior threshold);
    fpr, tpr : P(count >= tau) for a false and a true hypothesis, votes independent; None where the n sources are
    any n of several.
    All but fpr and tpr are None when n < tau: the rule cannot accept.

    >>> round(drift(2, "0.8", [3]).points[0].posterior, 9)
    0.8
    """

    n: int
    log_odds: float | None
    posterior: float | None
    lowest: float | None
    highest: float | None
    fpr: float | None
    tpr: float | None


_FIELDS = [field.name for field in fields(OperatingPoint)]


@dataclass(frozen=True, slots=True, repr=False)
class Drift:
    """Operating points of one vote rule at several numbers of sources.

    >>> print(drift(2, "0.8", [4]).sentence.partition(":")[0])
    Your rule count >= 2 equals posterior threshold 0.5 at n = 4
    """

    tau: int
    points: tuple[OperatingPoint, ...]
    per_source: float
    """Log-odds by which the operating point moves with each further source, on average: - mean logit r."""
    equal: bool
    """Whether all reliabilities are equal, so that the rule is exactly a posterior threshold at each n."""

    @property
    def sentence(self) -> str:
        """The diagnosis in one sentence, from the first to the last n at which the rule can accept."""
        able = [point for point in self.points if point.posterior is not None]
        if not able:
            return f"Your rule count >= {self.tau} never accepts with {max(p.n for p in self.points)} sources or fewer."
        ends = [able[0], able[-1]] if len(able) > 1 else able
        verb = "equals" if self.equal else "corresponds, averaged over which sources vote 1, to"
        means = " and ".join(f"{_shown(p.posterior)}{self._range(p)} at n = {p.n}" for p in ends)
        return (
            f"Your rule count >= {self.tau} {verb} posterior threshold {means}: "
            f"each further source moves its log-odds by {cell(self.per_source)}."
        )

    def _range(self, point: OperatingPoint) -> str:
        return "" if self.equal else f" ({_shown(point.lowest)} to {_shown(point.highest)})"

    def to_arrow(self) -> pa.Table:
        """One row per n, the fields of ``OperatingPoint``."""
        schema = pa.schema([(name, pa.int64() if name == "n" else pa.float64()) for name in _FIELDS])
        return pa.Table.from_pylist([asdict(point) for point in self.points], schema)

    def _rows(self) -> list[tuple[Any, ...]]:
        return [tuple(row.values()) for row in self.to_arrow().to_pylist()]

    def __str__(self) -> str:
        return f"{self.sentence}\n\n{text_table(_FIELDS, self._rows())}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html_table(_FIELDS, self._rows(), caption=self.sentence) + drawn("drift", self)


def _shown(p: float | None) -> str:
    """As a cell; a double that ends near 1e-308 makes 0 of what is not."""
    return "below 1e-308" if p is not None and p < sys.float_info.min else cell(p)


def drift(
    tau: int, reliability: LevelLike | Sequence[LevelLike], sizes: Sequence[int], prior: LevelLike = "1/2"
) -> Drift:
    """The operating point of "count >= tau" at every number of sources in ``sizes``.

    tau : 0 or more votes 1 are needed.
    reliability : one value for all sources, or one for each in the order in which they are consulted (at n, the
        first n); strictly between 0 and 1.
    sizes : numbers of sources n >= 1, at most as many as the reliabilities when these are several.
    prior : probability of the hypothesis before any vote.

    With equal reliabilities the rule is exactly the threshold logit prior + (2 tau - n) logit r on the log-odds.
    Assumes symmetric errors and votes independent given the truth.  Raises ValueError for other input.

    >>> print(drift(2, "0.8", [3, 12]).sentence.partition(":")[0])
    Your rule count >= 2 equals posterior threshold 0.8 at n = 3 and 1.526e-05 at n = 12
    """
    needed = one_count("tau", tau, 0)
    if isinstance(reliability, str | int | float | Fraction | Decimal):
        exact = [reliability_of("reliability", reliability)]
    else:
        exact = several("reliability", reliability)
    most = len(exact) if len(exact) > 1 else MOST_SOURCES
    grid = np.atleast_1d(counts("n", sizes, 1, most, empty=False))
    if grid.ndim != 1:
        raise ValueError(f"n: a list of numbers of sources is needed, not an array with {grid.ndim} dimensions")
    start = level("prior", prior)
    equal = len(set(exact)) == 1
    weight = weights(exact, start, int(grid.max()))
    if equal:
        points = _equal_points(needed, exact[0], int(weight[0]), grid, units(start))
    else:
        points = [_first_sources(needed, exact[:n], weight[:n], units(start)) for n in grid.tolist()]
    return Drift(needed, tuple(points), -float(in_nats(weight).mean()), equal)


def over_any_sources(tau: int, reliabilities: Sequence[Fraction], sizes: Sequence[int], prior: Fraction) -> Drift:
    """The same when the n sources may be any n of those with ``reliabilities``."""
    needed = one_count("tau", tau, 0)
    grid = np.atleast_1d(counts("n", sizes, 1, len(reliabilities)))
    weight = np.sort(weights(reliabilities, prior, len(reliabilities)))
    points = [_point(needed, weight, n, units(prior), (None, None)) for n in grid.tolist()]
    return Drift(needed, tuple(points), -float(in_nats(weight).mean()), len(set(reliabilities)) == 1)


def _equal_points(tau: int, r: Fraction, weight: int, grid: NDArray[np.int64], prior: int) -> list[OperatingPoint]:
    sums = np.empty(grid.size, np.int64)
    operating_points(tau, grid, weight, prior, sums)
    # A true hypothesis gets a vote 1 from a source that is right, a false one from a source that is wrong.
    fpr, tpr = (binomial_sf(tau - 1, grid, float(p)) for p in (1 - r, r))
    points = []
    for n, total, false, true in zip(grid.tolist(), sums, fpr.tolist(), tpr.tolist(), strict=True):
        p = float(posterior(total))
        if tau <= n:
            points.append(OperatingPoint(n, float(in_nats(total)), p, p, p, false, true))
        else:
            points.append(OperatingPoint(n, None, None, None, None, false, true))
    return points


def _first_sources(
    tau: int, reliabilities: Sequence[Fraction], weight: NDArray[np.int64], prior: int
) -> OperatingPoint:
    fpr, tpr = (
        _at_least(tau, np.array([float(p) for p in chances]))
        for chances in ([1 - r for r in reliabilities], reliabilities)
    )
    return _point(tau, np.sort(weight), weight.size, prior, (fpr, tpr))


def _at_least(tau: int, chance: NDArray[np.float64]) -> float:
    pmf = np.empty(chance.size + 1)
    poisson_binomial_pmf(chance, pmf)
    return min(1.0, float(upper_sum(pmf, tau)))


def _point(
    tau: int, ascending: NDArray[np.int64], n: int, prior: int, rates: tuple[float | None, float | None]
) -> OperatingPoint:
    """Average and range over all panels of n of the sources and all choices of tau votes 1 among them.

    Each source votes 1 in a share tau/n of them, so the average is prior + (2 tau - n) times the mean weight.
    """
    if tau > n:
        return OperatingPoint(n, None, None, None, None, *rates)
    low, high = np.empty(n + 1, np.int64), np.empty(n + 1, np.int64)
    count_ranges(ascending, n, prior, low, high)
    middle = prior + (2 * tau - n) * float(ascending.mean())
    ends = posterior([low[tau], high[tau]]).tolist()
    return OperatingPoint(n, float(in_nats(middle)), float(posterior(middle)), ends[0], ends[1], *rates)
