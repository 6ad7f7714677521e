"""Promises of intervals: exact bounds, bounds for every look, bounded means, and the engine's verdicts.

Noncoverage as a function of the truth is greatest at the bounds themselves: what is enumerated there is the worst of
all truths, not of a grid.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from typeone.engine import intervals
from typeone.engine.intervals import Bounds
from typeone.engine.streams import generator
from typeone.engine.study import Columns
from typeone.engine.sums import Moments
from typeone.engine.verdicts import CLAIM_ERROR
from typeone.exact import clopper_pearson, clopper_pearson_lower, clopper_pearson_upper, hypergeometric_bounds
from typeone.levels import Level
from typeone.tails import binomial_pmf, binomial_sf
from typeone.verify import mutants
from typeone.verify.model import ExactRate, Failing, Key, Mutant, Parameters, Promise, Space, column

LEVELS = ("1e-6", "0.05", "0.5", "0.9")
DOUBLES = 1e-9  # relative slack of rates that come from double-precision recursions

BoundsOf = Callable[[int, int], tuple[float, float]]


def _chances(n: int, p: Fraction) -> list[Fraction]:
    """P(Bin(n, p) = x), exactly."""
    a, b = p.numerator, p.denominator - p.numerator
    return [Fraction(comb(n, x) * a**x * b ** (n - x), p.denominator**n) for x in range(n + 1)]


def binomial_noncoverage(bounds_of: BoundsOf, n: int) -> Fraction:
    """The largest probability, over all p in [0, 1], that the interval [low, high] of x of n misses p."""
    ends = [(Fraction(a), Fraction(b)) for a, b in (bounds_of(x, n) for x in range(n + 1))]
    worst = Fraction(0)
    for edge in {low for low, _ in ends if low > 0}:  # p just below it
        missed = [low >= edge or high < edge for low, high in ends]
        worst = max(worst, _total(_chances(n, edge), missed))
    for edge in {high for _, high in ends if high < 1}:  # p just above it
        missed = [high <= edge or low > edge for low, high in ends]
        worst = max(worst, _total(_chances(n, edge), missed))
    return worst


def _total(chances: Sequence[Fraction], chosen: Sequence[bool]) -> Fraction:
    return sum((c for c, taken in zip(chances, chosen, strict=True) if taken), Fraction(0))


def _exact_bounds(kind: str, level: Level) -> BoundsOf:
    def bounds(x: int, n: int) -> tuple[float, float]:
        if kind == "two-sided":
            low, high = clopper_pearson(x, n, level)
            return low, high
        if kind == "lower":
            return clopper_pearson_lower(x, n, level), 1.0
        return 0.0, clopper_pearson_upper(x, n, level)

    return bounds


def _clopper_pearson() -> Iterator[ExactRate]:
    for text in LEVELS:
        level = Level(text)
        for name in ("lower", "upper", "two-sided"):
            for n in (1, 2, 3, 10, 30):
                rate = binomial_noncoverage(_exact_bounds(name, level), n)
                yield ExactRate(f"{name} level={text} n={n}", rate, Fraction(level))


def population_noncoverage(bounds_of: Callable[[int, int, int], tuple[int, int]], n: int, N: int) -> list[Fraction]:
    """Largest probability over all C that the lower bound exceeds C, and that the upper one lies below it."""
    bounds = [bounds_of(x, n, N) for x in range(n + 1)]
    worst = [Fraction(0), Fraction(0)]
    for C in range(N + 1):
        law = [Fraction(comb(C, x) * comb(N - C, n - x), comb(N, n)) for x in range(n + 1)]
        worst[0] = max(worst[0], sum((c for c, (low, _) in zip(law, bounds, strict=True) if low > C), Fraction(0)))
        worst[1] = max(worst[1], sum((c for c, (_, high) in zip(law, bounds, strict=True) if high < C), Fraction(0)))
    return worst


def _hypergeometric() -> Iterator[ExactRate]:
    for text in ("1/100", "1/20", "1/4", "1/2"):
        level = Level(text)
        for N in (1, 2, 5, 8, 12, 20):
            for n in range(1, N + 1):
                found = population_noncoverage(lambda x, n, N, level=level: hypergeometric_bounds(x, n, N, level), n, N)  # type: ignore[misc]
                for side, rate in zip(("lower", "upper"), found, strict=True):
                    yield ExactRate(f"{side} level={text} N={N} n={n}", rate, Fraction(level))


RateBounds = Callable[[int, int, float], Bounds]


def false_alarm(p: float, looks: Sequence[int], bounds: RateBounds, alpha: float, *, upper: bool = False) -> float:
    """P(a one-sided bound at ``alpha`` misses p at some look): the law of the count on paths without alarm yet."""
    chance = 1 - p if upper else p
    law, n, alarm, least = np.ones(1), 0, 0.0, 0  # the least count that alarms never falls

    def misses(k: int, n: int) -> bool:
        return bounds(n - k, n, alpha).upper < p if upper else bounds(k, n, alpha).lower > p

    for look in looks:
        step: Any = binomial_pmf(np.arange(look - n + 1), look - n, chance)
        law, n = np.convolve(law, step), look
        least = _first(least, n, lambda k, n=n: misses(k, n))  # type: ignore[misc]
        alarm += float(law[least:].sum())
        law = law[:least]
    return alarm


def _first(start: int, n: int, holds: Callable[[int], bool]) -> int:
    """The least k in start .. n with ``holds(k)``, which stays true once it is; n + 1 if there is none."""
    step = 1
    while start + step - 1 <= n:
        if holds(start + step - 1):
            return bisect_left(range(n + 1), True, lo=start, hi=start + step - 1, key=holds)
        start, step = start + step, 2 * step
    return bisect_left(range(n + 1), True, lo=start, key=holds) if start <= n else n + 1


LOOKS = {"every": list(range(1, 81)), "ten": [200 * i for i in range(1, 11)], "doubling": [2**i for i in range(12)]}


def _sequence_at(parameters: Parameters) -> Iterator[ExactRate]:
    alpha, p = parameters["alpha"], float(parameters["p"])
    for upper in (False, True):
        rate = false_alarm(p, LOOKS[parameters["looks"]], intervals.rate_sequence, float(alpha), upper=upper)
        side = "upper" if upper else "lower"
        yield ExactRate(
            f"{side} p={parameters['p']} looks={parameters['looks']}", rate, Fraction(Level(alpha)), DOUBLES
        )


def _sequence() -> Iterator[ExactRate]:
    for p in ("0.01", "0.05", "0.5"):
        for looks in LOOKS:
            yield from _sequence_at({"alpha": "0.05", "p": p, "looks": looks})


_GRID = tuple(f"{p:.3f}" for p in (0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.08, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5))


def moments_of(values: NDArray[np.float64]) -> Moments:
    """Exact sums of a sample."""
    found = Moments()
    found.add(values)
    return found


def _of_coins(function: Callable[[Moments, float], Bounds], alpha: float) -> BoundsOf:
    def bounds(x: int, n: int) -> tuple[float, float]:
        low, high = function(Moments(n, Fraction(x), Fraction(x)), alpha)
        return low, high

    return bounds


def _bounded_coins() -> Iterator[ExactRate]:
    """Both bounds at .025: values 0 and 1 only, every success probability."""
    for function in (intervals.bounded_fixed, intervals.bounded_sequence):
        for n in (1, 2, 5, 20, 40):
            rate = binomial_noncoverage(_of_coins(function, 0.025), n)
            yield ExactRate(f"{function.__name__} coins n={n}", rate, Fraction(1, 20))


def _values(law: str, rng: np.random.Generator, n: int) -> tuple[NDArray[np.float64], float]:
    """Values in [0, 1] and their mean."""
    if law == "rare":
        return (rng.random(n) < 0.01).astype(np.float64), 0.01
    if law == "skewed":
        return rng.beta(0.3, 5.7, n), 0.05
    if law == "three":
        return rng.integers(0, 3, n) / 2.0, 0.5
    return np.where(rng.random(n) < 0.02, 1.0, 0.04), 0.02 + 0.98 * 0.04


def _bounded(parameters: Parameters, shared: None, key: Key, first: int, count: int) -> Columns:
    n, law = parameters["n"], parameters["law"]
    errors = np.zeros((4, count))
    for i in range(count):
        values, mean = _values(law, generator(key, first + i), n)
        fixed = intervals.bounded_fixed(moments_of(values), 0.05)
        looks = [intervals.bounded_sequence(moments_of(values[:k]), 0.05) for k in (n // 8, n // 3, n)]
        errors[:, i] = [
            fixed.lower > mean,
            fixed.upper < mean,
            any(look.lower > mean for look in looks),
            any(look.upper < mean for look in looks),
        ]
    names = ("fixed lower", "fixed upper", "sequence lower", "sequence upper")
    return {column(name, "0.05"): row for name, row in zip(names, errors, strict=True)}


def _student(parameters: Parameters, shared: None, key: Key, first: int, count: int) -> Columns:
    """Student's lower bound at .05 for normal values; a mutant's cell says ``broken``."""
    errors = np.zeros((2, count))
    for i in range(count):
        values = 3.0 * np.asarray(generator(key, first + i).standard_normal(parameters["n"]))
        if "broken" in parameters:
            low = mutants.mean_lower(values, 0.05, student=not parameters["broken"])
            errors[:, i] = [low > 0, False]
        else:
            low, high = intervals.mean_fixed(moments_of(values), 0.05)
            errors[:, i] = [low > 0, high < 0]
    return {column(name, "0.05"): row for name, row in zip(("lower", "upper"), errors, strict=True)}


def claims_alarm(cells: int, repetitions: int, level: Fraction, alpha: float) -> float:
    """P(some cell is called violated) when every rate equals the level and each cell's bound has error ``alpha``."""
    least = next(
        k for k in range(repetitions + 1) if Fraction(intervals.rate_fixed(k, repetitions, alpha).lower) > level
    )
    return 1.0 - (1.0 - float(binomial_sf(least - 1, repetitions, float(level)))) ** cells


def _claims() -> Iterator[ExactRate]:
    for cells in (1, 5, 20, 100):
        for level in (Fraction(1, 20), Fraction(1, 2)):
            rate = claims_alarm(cells, 400, level, CLAIM_ERROR / cells)
            yield ExactRate(f"cells={cells} level={level} reps=400", rate, Fraction(1, 20), DOUBLES)


PROMISES = (
    Promise(
        "clopper-pearson",
        "A Clopper-Pearson bound (or interval) misses the rate with probability at most its level.",
        "Independent trials with one success probability; their number fixed in advance.",
        "METHODS §5, typeone.exact",
        "Noncoverage is greatest at the bounds themselves; one trial; levels .000001 and .9.",
        exact=_clopper_pearson,
    ),
    Promise(
        "hypergeometric-bounds",
        "A bound for the number of positives in a finite population misses it with probability at most its level.",
        "A simple random sample without replacement, its size fixed in advance.",
        "METHODS §3, typeone.exact",
        "Every number of positives; N = 20, n = 1, level 1/20, where the tail equals the level.",
        exact=_hypergeometric,
    ),
    Promise(
        "rate-sequence",
        "The bounds of a rate hold at all repetitions at once: no stopping time makes them err more often.",
        "Independent repetitions with one rate.",
        "METHODS §5, engine.intervals",
        "A look after every repetition; rare events; ten looks; doubling looks.",
        exact=_sequence,
        space=Space({"alpha": ("0.01", "0.05", "0.2"), "p": _GRID, "looks": tuple(LOOKS)}),
        exact_at=_sequence_at,
    ),
    Promise(
        "bounded-mean",
        "Bounds for the mean of values in [0, 1] err with probability at most their level, fixed or at every look.",
        "Independent values in [0, 1] with one mean.",
        "METHODS §5, engine.intervals",
        "Rare ones, skewed laws, a rare outlier above a constant; coins are enumerated at every rate.",
        cells=tuple({"law": law, "n": n} for law in ("rare", "skewed", "outlier") for n in (16, 64)),
        simulate=_bounded,
        exact=_bounded_coins,
        space=Space({"law": ("rare", "skewed", "three", "outlier"), "n": (8, 12, 16, 24, 32, 48, 64, 96, 128)}),
        effort=0.08,
        search=0.3,
    ),
    Promise(
        "student",
        "Student's bound for a mean or a paired gain errs with probability its level.",
        "Independent normal values.",
        "METHODS §5, engine.intervals",
        "Two and three values, where the normal quantile is far off.",
        cells=({"n": 2}, {"n": 3}, {"n": 30}),
        simulate=_student,
        effort=4.0,
        chunk=2000,
    ),
    Promise(
        "engine-verdicts",
        "A design in which every claim is kept calls one violated with probability at most .05.",
        "Repetitions fixed in advance; cells independent (Bonferroni covers any dependence).",
        "METHODS §5, engine.verdicts",
        "Every rate equal to its level; 1 to 100 cells.",
        exact=_claims,
    ),
)


def _peeking(parameters: Parameters) -> Iterator[ExactRate]:
    looks = int(parameters["strength"])
    counts = [2000 * i // looks for i in range(1, looks + 1)]
    for name, bounds in (("fixed bounds", intervals.rate_fixed), ("sequence", intervals.rate_sequence)):
        yield ExactRate(name, false_alarm(0.05, counts, bounds, 0.05), Fraction(1, 20))


def _skewed_gain(parameters: Parameters, shared: None, key: Key, first: int, count: int) -> Columns:
    sigma = float(parameters["strength"])
    errors = np.zeros((2, count))
    for i in range(count):
        values = np.expm1(sigma * generator(key, first + i).standard_normal(20))
        mean = float(np.expm1(sigma * sigma / 2))
        low, high = intervals.mean_fixed(moments_of(values), 0.05)
        errors[:, i] = [low > mean, high < mean]
    return {column(name, "0.05"): row for name, row in zip(("lower", "upper"), errors, strict=True)}


FAILING = (
    Failing(
        "fixed-at-looks", "clopper-pearson", "number fixed in advance: looks at one run of 2000",
        ("1", "2", "5", "10", "50"), exact_at=_peeking,
    ),
    Failing(
        "student-skewed", "student", "normal values: log-normal ones, 20 of them, sigma", ("0.1", "0.5", "1", "2"),
        simulate=_skewed_gain,
    ),
)  # fmt: skip


def _mutant_clopper(broken: bool) -> Iterator[ExactRate]:
    for n in (5, 20):
        rate = binomial_noncoverage(lambda x, n: (mutants.binomial_lower(x, n, 0.05, at_least=not broken), 1.0), n)
        yield ExactRate(f"lower n={n}", rate, Fraction(1, 20), DOUBLES)


def _mutant_two_sided(broken: bool) -> Iterator[ExactRate]:
    def bounds(x: int, n: int) -> tuple[float, float]:
        return mutants.binomial_interval(x, n, 0.05, halved=not broken)

    yield ExactRate("two-sided n=20", binomial_noncoverage(bounds, 20), Fraction(1, 20), DOUBLES)


def _mutant_population(broken: bool) -> Iterator[ExactRate]:
    level = Fraction(1, 20)
    rates = population_noncoverage(
        lambda x, n, N: mutants.population_bounds(x, n, N, level, at_least=not broken), 4, 12
    )
    yield from (
        ExactRate(f"N=12 n=4 {side}", rate, level) for side, rate in zip(("lower", "upper"), rates, strict=True)
    )


def _mutant_sequence(broken: bool) -> Iterator[ExactRate]:
    bounds = intervals.rate_fixed if broken else intervals.rate_sequence
    yield ExactRate("p=0.05, ten looks", false_alarm(0.05, LOOKS["ten"], bounds, 0.05), Fraction(1, 20), DOUBLES)


def _mutant_bets(broken: bool) -> Iterator[ExactRate]:
    for n in (5, 20):
        rate = binomial_noncoverage(lambda x, n: (mutants.betting_lower(x, n, 0.05, fan=not broken), 1.0), n)
        yield ExactRate(f"coins n={n}", rate, Fraction(1, 20), DOUBLES)


def _mutant_claims(broken: bool) -> Iterator[ExactRate]:
    alpha = CLAIM_ERROR if broken else CLAIM_ERROR / 20
    yield ExactRate("20 cells", claims_alarm(20, 400, Fraction(1, 20), alpha), Fraction(1, 20), DOUBLES)


MUTANTS = (
    Mutant("strict-binomial-tail", "clopper-pearson", "P(X > k) in place of P(X >= k)", _mutant_clopper),
    Mutant("level-not-halved", "clopper-pearson", "both sides at the whole level", _mutant_two_sided),
    Mutant("strict-population-tail", "hypergeometric-bounds", "P(X > x) in place of P(X >= x)", _mutant_population),
    Mutant("fixed-at-every-look", "rate-sequence", "fixed-size bounds at each of ten looks", _mutant_sequence),
    Mutant("no-variance-term", "bounded-mean", "Fan's inequality without its variance term", _mutant_bets),
    Mutant("normal-quantile", "student", "normal in place of Student's quantile", simulate=_student, cell={"n": 3}),
    Mutant("cells-not-counted", "engine-verdicts", "level not divided by the number of cells", _mutant_claims),
)
