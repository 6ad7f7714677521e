"""Procedures with one switch: plain variants that are right with it, and broken on purpose without it.

Every function here is a few lines of NumPy or plain Python straight from docs/METHODS.md.  With its switch in the
right position it gives what the project's procedure gives (tests/verify compares them); in the other one it makes a
mistake that is easy to make.  Nothing outside the campaign uses them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

# Intervals


def _bisect(holds: Callable[[float], bool]) -> float:
    """The edge in [0, 1] up to which ``holds``, from the side where it does."""
    inside, outside = 0.0, 1.0
    for _ in range(80):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if holds(middle) else (inside, middle)
    return inside


def binomial_lower(k: int, n: int, level: float, *, at_least: bool) -> float:
    """Clopper-Pearson: the largest p with P(X >= k) <= level.  Broken: P(X > k)."""
    first = k if at_least else k + 1
    if k == 0:
        return 0.0
    if first > n:
        return 1.0
    return _bisect(lambda p: bool(special.betainc(first, n - first + 1, p) <= level))


def binomial_interval(k: int, n: int, level: float, *, halved: bool) -> tuple[float, float]:
    """Both Clopper-Pearson bounds at level / 2.  Broken: each at the whole level."""
    side = level / 2 if halved else level
    return binomial_lower(k, n, side, at_least=True), 1 - binomial_lower(n - k, n, side, at_least=True)


def population_bounds(x: int, n: int, N: int, level: Fraction, *, at_least: bool) -> tuple[int, int]:
    """Least C with P(X >= x) > level, and its mirror image.  Broken: P(X > x)."""

    def least(x: int) -> int:
        first = x if at_least else x + 1
        for C in range(N + 1):
            ways = sum(comb(C, j) * comb(N - C, n - j) for j in range(first, n + 1))
            if Fraction(ways, comb(N, n)) > level:
                return C
        return N

    return least(x), N - least(n - x)


def betting_lower(k: int, n: int, alpha: float, *, fan: bool) -> float:
    """Lower bound for the mean of k ones and n - k zeros from a mixture of bets.  Broken: without Fan's u**2 term."""
    if k == 0:
        return 0.0
    sizes = math.sqrt(2 * math.log(1 / alpha) / n) * 2.0 ** np.arange(1, 9)

    def enough(m: float) -> bool:
        shares = np.minimum(sizes * m, 0.97)
        u = k / m - n
        uu = k / m**2 - 2 * k / m + n if fan else 0.0
        log_wealth = special.logsumexp(shares * u + (shares + np.log1p(-shares)) * uu) - math.log(sizes.size)
        return bool(log_wealth >= -math.log(alpha))

    candidates = k / n * (1 - 2.0 ** np.arange(-30.0, -0.01, 0.25))
    held = [i for i, m in enumerate(candidates) if enough(float(m))]
    if not held:
        return 0.0
    inside = float(candidates[held[0]])
    outside = float(candidates[held[0] - 1]) if held[0] else k / n
    for _ in range(60):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if enough(middle) else (inside, middle)
    return inside


def mean_lower(values: NDArray[np.float64], alpha: float, *, student: bool) -> float:
    """Lower bound for a mean with Student's quantile.  Broken: the normal one."""
    quantile = special.stdtrit(values.size - 1, 1 - alpha) if student else special.ndtri(1 - alpha)
    return float(values.mean() - quantile * values.std(ddof=1) / math.sqrt(values.size))


# SCF


def _tail(score: float, reference: Sequence[NDArray[np.float64]]) -> float:
    """Q(s) with one reference document more than there are."""
    A = sum(float(np.mean(bag >= score)) for bag in reference) / len(reference)
    N = sum(bag.size for bag in reference)
    return (1 + N * A) / (N + 1)


def scf_p_value(
    reference: Sequence[NDArray[np.float64]],
    calibration: Sequence[NDArray[np.float64]],
    target: NDArray[np.float64],
    mistake: str,
    cap: float = 0.05,
) -> Fraction:
    """The p-value of one target; ``mistake`` is no-plus-one, strict-inequality, overlap or none ("")."""
    if mistake == "overlap":
        reference = calibration

    def evidence(bag: NDArray[np.float64]) -> Fraction:
        units = [round(-math.log(max(_tail(s, reference), cap)) * 2.0**40) for s in bag.tolist()]
        return Fraction(sum(units), len(units))

    T = evidence(target)
    above = sum(evidence(bag) > T if mistake == "strict-inequality" else evidence(bag) >= T for bag in calibration)
    if mistake == "no-plus-one":
        return Fraction(above, len(calibration))
    return Fraction(1 + above, len(calibration) + 1)


def random_rank(target: float, calibration: NDArray[np.float64], rng: np.random.Generator, *, whole: bool) -> int:
    """A rank drawn uniformly from the target's block of ties.  Broken: the last place of the block never comes."""
    above, tied = int((calibration > target).sum()), int((calibration == target).sum())
    return 1 + above + int(rng.integers(0, tied + 1 if whole else max(1, tied)))


def step_up(ranks: NDArray[np.int64], m: int, level: Fraction, *, every: bool) -> NDArray[np.bool_]:
    """Benjamini-Hochberg on ranks 1 .. m + 1.  Broken: each p-value is compared with the level itself."""
    ordered, n = np.sort(ranks).tolist(), ranks.size
    if not every:
        return np.array([Fraction(int(r), m + 1) <= level for r in ranks])
    cut = max((r for k, r in enumerate(ordered, 1) if Fraction(r * n, m + 1) <= level * k), default=0)
    return np.asarray(ranks <= cut)


def capped_mean(tail: NDArray[np.float64], cap: float, *, each: bool) -> float:
    """Mean of -log max(Q, cap).  Broken: the cap is applied to the mean."""
    if each:
        return float(np.mean(-np.log(np.maximum(tail, cap))))
    return min(float(np.mean(-np.log(tail))), -math.log(cap))


def mean_p_values(table: Mapping[str, NDArray[Any]], *, exact: bool) -> dict[int, Fraction]:
    """p-values of the comparator Mean by source.  Broken: doubles are added in the order in which they stand."""
    means: dict[int, Fraction | float] = {}
    for source in np.unique(table["source"]).tolist():
        bag = table["score"][table["source"] == source].tolist()
        means[source] = sum(map(Fraction, bag), Fraction(0)) / len(bag) if exact else sum(bag) / len(bag)
    role = dict(zip(table["source"].tolist(), table["role"].tolist(), strict=True))
    controls = [means[s] for s in means if role[s] != "target"]
    return {
        s: Fraction(1 + sum(c >= means[s] for c in controls), len(controls) + 1) for s in means if role[s] == "target"
    }


# JECS


def conformal_rank(calibration: Sequence[float], score: float, mistake: str) -> int:
    """1 + #{calibration <= score}; ``mistake`` is no-plus-one, strict-inequality or none ("")."""
    below = sum(c < score if mistake == "strict-inequality" else c <= score for c in calibration)
    return below if mistake == "no-plus-one" else below + 1


def random_tie_rank(
    calibration: NDArray[np.float64], score: float, rng: np.random.Generator, *, own_place: bool
) -> int:
    """A rank uniform on the places of the tie block.  Broken: the score's own place is not counted."""
    below, tied = int((calibration < score).sum()), int((calibration == score).sum())
    return below + 1 + int(rng.integers(0, tied + 1 if own_place else max(1, tied)))


def chord_select(p: Sequence[Fraction], level: Fraction, G: Callable[[Fraction], Fraction], mistake: str) -> set[int]:
    """The chord envelope.  ``mistake``: no-plus-one (in 1 + W), tied-width (w = lambda - kappa), or none ("")."""
    lam, before = Fraction(1), None
    while True:
        lower = Fraction(4, 5) * lam
        between = sum(lower < x <= lam for x in p)
        falling = before is None or 5 * between < 4 * before
        lam = lower
        if between < 10 or not falling or lower < Fraction(1, 50):
            break
        before = between
    kappa = lam / 2
    W = sum(kappa < x <= lam for x in p)
    w = lam - kappa if mistake == "tied-width" else G(lam) - G(kappa)
    if w == 0:
        return set()
    scale = (W if mistake == "no-plus-one" else 1 + W) / w
    cut = max((t for t in p if t <= kappa and scale * t <= level * sum(x <= t for x in p)), default=Fraction(-1))
    return {i for i, x in enumerate(p) if x <= cut}


def storey_select(p: Sequence[Fraction], level: Fraction, *, plus_one: bool) -> set[int]:
    """Storey-BH with lambda = 1/2.  Broken: pi0 without its 1 +."""
    above = sum(x > Fraction(1, 2) for x in p) + plus_one
    cut = max((t for t in p if 2 * above * t <= level * sum(x <= t for x in p)), default=Fraction(-1))
    return {i for i, x in enumerate(p) if x <= cut}


def joint_select(p: NDArray[np.float64], level: float, *, largest: bool) -> NDArray[np.bool_]:
    """Benjamini-Hochberg on the largest p-value over the models, p (K, n).  Broken: on the smallest."""
    of = p.max(axis=0) if largest else p.min(axis=0)
    ordered = np.sort(of)
    kept = np.flatnonzero(ordered <= level * np.arange(1, of.size + 1) / of.size)
    return np.asarray(of <= (ordered[kept[-1]] if kept.size else -1.0))


# Panels


def odd_errors(M: int, C: int, *, forward: bool) -> dict[int, float]:
    """Majority errors e(K), odd K, of a census with C > M - C: summed backward.  Broken: subtracted forward."""
    B = M - C
    a = [(B / M) * C * (C - B) / ((M - 1) * (M - 2))]
    for m in range(B - 1):
        up = 2 * (2 * m + 3) * (C - m - 1) * (B - m - 1)
        a.append(a[-1] * up / ((m + 2) * (M - 2 * m - 3) * (M - 2 * m - 4)))
    sums = [B / M]
    for m in range(B - 1):
        sums.append(sums[-1] - a[m])
    if not forward:
        sums = np.cumsum(a[::-1])[::-1].tolist()
    return {2 * m + 1: value for m, value in enumerate(sums)}


def least_size(errors: Sequence[Fraction], delta: Fraction, *, every: bool) -> int:
    """The least K with e(K) <= delta, by looking at every size (0: none).  Broken: by bisection."""
    if every:
        return next((K for K, e in enumerate(errors, 1) if e <= delta), 0)
    low, high = 1, len(errors)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if errors[middle - 1] <= delta else (middle + 1, high)
    return low if errors[low - 1] <= delta else 0


def bridge(M: int, K: int, *, whole: bool) -> Fraction:
    """(K - 1) / (M - 1).  Broken: K (K - 1) / (2 M (M - 1)), by analogy with coinciding draws."""
    return Fraction(K - 1, M - 1) if whole else Fraction(K * (K - 1), 2 * M * (M - 1))


class PlainTerms(NamedTuple):
    """A certificate for one panel size: threshold 1/2, odd K."""

    evaluators: int
    units: int
    size: int
    delta: float
    eta_e: float
    eta_g: float
    xi: float
    """0: familywise."""


@lru_cache(maxsize=4096)
def passes(positives: int, terms: PlainTerms, mistake: str) -> bool:
    """Whether a unit passes.  Mistakes: plug-in (the share itself, no interval), units-not-counted."""
    E, K = terms.evaluators, terms.size
    gamma = terms.eta_e * (terms.xi or (1.0 if mistake == "units-not-counted" else 1.0 / terms.units))

    def errs(favorable: float) -> float:
        return float(special.bdtr(K // 2, K, favorable))

    for votes in (positives, E - positives):
        end = votes / E if mistake == "plug-in" else binomial_lower(votes, E, gamma / 2, at_least=True)
        if end >= 0.5 and errs(end) <= terms.delta:
            return True
    return False


def certificate_bound(positives: NDArray[np.int64], terms: PlainTerms, mistake: str) -> float:
    """Lower bound on the coverage.  Further mistakes: no-xi (nothing is subtracted)."""
    passing = sum(passes(int(count), terms, mistake) for count in positives)
    bound = binomial_lower(passing, terms.units, terms.eta_g, at_least=True)
    return max(0.0, bound - (0.0 if mistake == "no-xi" else terms.xi))


# Pooling


def posterior_odds(
    votes: Sequence[int], reliabilities: Sequence[Fraction], prior: Fraction, *, priors: bool
) -> Fraction:
    """Odds of a hypothesis given independent votes.  Broken: without its prior."""
    value = prior / (1 - prior) if priors else Fraction(1)
    for vote, r in zip(votes, reliabilities, strict=True):
        value *= (r / (1 - r)) ** (2 * vote - 1)
    return value


def threshold_log_odds(tau: int, n: int, r: float, prior: float, *, slides: bool) -> float:
    """The posterior threshold of "count >= tau", as log-odds.  Broken: it does not move with n."""
    start = math.log(prior / (1 - prior))
    return start + (2 * tau - n if slides else 2 * tau - tau) * math.log(r / (1 - r))


def equivalent_count(reliabilities: Sequence[Fraction], threshold: Fraction, *, every: bool) -> int | None:
    """The tau that says the same as a posterior threshold on all items.  Broken: on one item for each count."""
    n, cut = len(reliabilities), threshold / (1 - threshold)
    items = list(product((0, 1), repeat=n)) if every else [(1,) * k + (0,) * (n - k) for k in range(n + 1)]
    high = [posterior_odds(item, reliabilities, Fraction(1, 2), priors=True) >= cut for item in items]
    for tau in range(n + 2):
        if all((sum(item) >= tau) == accepted for item, accepted in zip(items, high, strict=True)):
            return tau
    return None
