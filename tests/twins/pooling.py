"""Pooling straight from its formulas: Fractions for posteriors, enumeration of vote patterns for everything else."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, pairwise, product

import numpy as np
import pyarrow as pa

Vote = int | None  # None: not consulted


def posterior(votes: Sequence[Vote], reliabilities: Sequence[Fraction], prior: Fraction) -> Fraction:
    """Bayes' rule, likelihood by likelihood."""
    true, false = prior, 1 - prior
    for vote, r in zip(votes, reliabilities, strict=True):
        if vote is not None:
            true *= r if vote == 1 else 1 - r
            false *= 1 - r if vote == 1 else r
    return true / (true + false)


def weighted_sum(votes: Sequence[Vote], weights: Sequence[int], prior: int) -> int:
    return prior + sum((2 * vote - 1) * w for vote, w in zip(votes, weights, strict=True) if vote is not None)


def patterns(n: int, count: int) -> Iterator[tuple[int, ...]]:
    return (votes for votes in product((0, 1), repeat=n) if sum(votes) == count)


def count_range(weights: Sequence[int], n: int, count: int, prior: int) -> tuple[int, int]:
    """Over every panel of n of the sources and every pattern with ``count`` ones."""
    sums = [weighted_sum(votes, panel, prior) for panel in combinations(weights, n) for votes in patterns(n, count)]
    return min(sums), max(sums)


def working_taus(reliabilities: Sequence[Fraction], threshold: Fraction, prior: Fraction) -> list[int]:
    """Every tau in 0 .. n + 1 for which count >= tau says the same as posterior >= threshold on all patterns."""
    n = len(reliabilities)
    every = [(sum(v), posterior(v, reliabilities, prior) >= threshold) for v in product((0, 1), repeat=n)]
    return [tau for tau in range(n + 2) if all((count >= tau) == accepted for count, accepted in every)]


def decision(p: Fraction, accept: Fraction, reject: Fraction) -> str:
    if p >= accept and p > reject:
        return "accept"
    if p <= reject and p < accept:
        return "reject"
    return "abstain"


def binomial_upper(k: int, n: int, p: Fraction) -> Fraction:
    """P(X >= k)."""
    return sum((math.comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(max(k, 0), n + 1)), Fraction(0))


def pattern_law(right: Sequence[Fraction], dependence: Fraction) -> Iterator[tuple[tuple[int, ...], Fraction]]:
    """Every pattern of right (1) and wrong (0) sources with its probability: the latent variable integrated out."""
    edges = [Fraction(0), *sorted(set(right)), Fraction(1)]
    for pattern in product((0, 1), repeat=len(right)):
        total = Fraction(0)
        for low, high in pairwise(edges):
            chance = high - low
            for is_right, r in zip(pattern, right, strict=True):
                p = dependence * (1 if high <= r else 0) + (1 - dependence) * r
                chance *= p if is_right else 1 - p
            total += chance
        yield pattern, total


def draw_votes(
    random: np.random.Generator,
    items: int,
    chance: tuple[float, float, float],
    reference: int,
    right: Sequence[float],
) -> tuple[list[int], list[list[int]]]:
    """The kernel's draws from the same stream, one item at a time; -1: not consulted."""
    prior, partial, dependence = chance
    truths, votes = [], []
    for _ in range(items):
        truth = int(random.random() < prior)
        latent = random.random()
        consulted = reference if random.random() < partial else len(right)
        row = []
        for i, r in enumerate(right):
            own = random.random()
            correct = latent < r if own < dependence else own - dependence < (1 - dependence) * r
            row.append((truth if correct else 1 - truth) if i < consulted else -1)
        truths.append(truth)
        votes.append(row)
    return truths, votes


Case = tuple[int, Fraction, tuple[int, ...]]  # truth, probability, votes of the consulted sources


def every_case(
    right: Sequence[Fraction], dependence: Fraction, prior: Fraction, partial: Fraction, reference: int
) -> list[Case]:
    """All items of the study's model, by enumeration of which sources are right."""
    cases = []
    for n, share in ((len(right), 1 - partial), (reference, partial)):
        for pattern, chance in pattern_law(right[:n], dependence) if share else ():
            wrong = tuple(1 - x for x in pattern)
            cases += [(1, share * chance * prior, pattern), (0, share * chance * (1 - prior), wrong)]
    return cases


def study_views(
    votes: tuple[int, ...], right: Sequence[Fraction], r: Fraction, prior: Fraction, reference: int
) -> dict[str, tuple[Fraction | float, float]]:
    """(what orders items, forecast) of every rule; the count and the share have equal sources of reliability r."""
    k, n = sum(votes), len(votes)
    start, logit = math.log(prior / (1 - prior)), math.log(r / (1 - r))
    pooled = posterior(votes, right[:n], prior)
    share = Fraction(k, n)
    return {
        "count": (Fraction(k), sigmoid(start + (2 * k - reference) * logit)),
        "share": (share, sigmoid(start + (2 * float(share) - 1) * reference * logit)),
        "pooled": (pooled, float(pooled)),
    }


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def study_decision(
    rule: str,
    votes: tuple[int, ...],
    right: Sequence[Fraction],
    r: Fraction,
    prior: Fraction,
    reference: int,
    level: Fraction,
) -> str:
    """What the rule says at an error level: with ``reference`` sources, exactly where the posterior says so."""
    k, n = sum(votes), len(votes)
    if rule == "pooled":
        return decision(posterior(votes, right[:n], prior), 1 - level, level)
    # The posterior, at the reference, of the largest whole count not above the votes (scaled, for a share) ...
    seen = k if rule == "count" else math.floor(Fraction(k * reference, n))
    # ... and of the least whole count not below them.
    over = k if rule == "count" else math.ceil(Fraction(k * reference, n))

    def at(count: int) -> Fraction:
        odds = prior / (1 - prior) * (r / (1 - r)) ** (2 * count - reference)
        return odds / (1 + odds)

    if at(seen) >= 1 - level:
        return "accept"
    return "reject" if at(over) <= level else "abstain"


def auroc(cases: Sequence[tuple[int, Fraction, Fraction | float]]) -> float:
    """From (truth, probability, key)."""
    true = [(p, key) for truth, p, key in cases if truth]
    false = [(p, key) for truth, p, key in cases if not truth]
    wins = sum(p * q * (Fraction(key > other) + Fraction(key == other, 2)) for p, key in true for q, other in false)
    return float(wins / (sum(p for p, _ in true) * sum(q for q, _ in false)))


def brier(cases: Sequence[tuple[int, Fraction, float]]) -> float:
    """From (truth, probability, forecast)."""
    return math.fsum(float(p) * (f - truth) ** 2 for truth, p, f in cases)


def overconfidence(cases: Sequence[tuple[int, Fraction, float]]) -> float:
    return math.fsum(
        float(p) * (max(f, 1 - f) - (0.5 if abs(f - 0.5) < 1e-12 else float((f > 0.5) == truth)))
        for truth, p, f in cases
    )


def calibration(cases: Sequence[tuple[int, Fraction, float]]) -> float:
    gaps = [0.0] * 10
    for truth, p, f in cases:
        gaps[min(int(f * 10), 9)] += float(p) * (f - truth)
    return sum(map(abs, gaps))


def long(rows: Sequence[Sequence[Vote]], sources: Sequence[str] | None = None) -> pa.Table:
    """A long table from a matrix of votes (None: the row is there, the vote is missing)."""
    names = sources or [f"s{i}" for i in range(len(rows[0]))]
    cast = [(f"item {t}", names[i], vote) for t, row in enumerate(rows) for i, vote in enumerate(row)]
    item, source, vote = zip(*cast, strict=True)
    return pa.table({"item": list(item), "source": list(source), "vote": pa.array(list(vote), pa.int8())})


def dependent_votes(seed: int, items: int, right: Sequence[float], dependence: float, labelled: int) -> pa.Table:
    """Votes drawn by the twin's loop, as a long table with labels on the first items."""
    random = np.random.default_rng(seed)
    truth, votes = draw_votes(random, items, (0.5, 0.0, dependence), len(right), right)
    table = long(votes)
    labels = [truth[t] if t < labelled else None for t in range(items) for _ in right]
    return table.append_column("truth", pa.array(labels, pa.int8()))
