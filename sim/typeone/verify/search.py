"""Search for the worst case of a promise: random points and their neighbors, few repetitions, the better half goes on.

What it returns is a suspicion, not a finding: the candidates are run again on fresh seeds, and only these repetitions
are judged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256

import numpy as np

from typeone.engine.study import Column
from typeone.engine.sums import Moments
from typeone.verify.model import ExactRate, Parameters, Promise, label, level_of, ratio
from typeone.verify.sample import Pool, Sums, merge
from typeone.verify.study import Work

POINTS = 24
"""Random points in the first round."""
NEIGHBORS = 4
"""Of each survivor, in every later round."""
ROUNDS = 4
SURVIVORS = 4
CANDIDATES = 2
FIRST_SHARE = 1 / 40
"""Repetitions of the first round, as a share of a cell's; they double with every round."""
LEAST = 10


@dataclass(slots=True)
class Point:
    """A point of the space with the repetitions it has had so far."""

    parameters: Parameters
    sums: Sums = field(default_factory=dict)
    exact: tuple[ExactRate, ...] = ()
    repetitions: int = 0

    @property
    def score(self) -> float:
        """The largest ratio of rate to level over its columns, one standard error to the safe side."""
        if self.exact:
            return max(found.ratio for found in self.exact)
        return max((_cautious(column, moments) for column, moments in self.sums.items()), default=-1.0)


def _cautious(column: Column, moments: Moments) -> float:
    if not moments.count:
        return -1.0
    error = moments.sd / moments.count**0.5 if moments.count > 1 else 0.0
    return ratio(max(0.0, moments.mean - error), level_of(column))


@dataclass(frozen=True, slots=True)
class Search:
    """How it ended: the candidates, worst first, and how many points were tried with how many repetitions."""

    candidates: tuple[Parameters, ...]
    exact: tuple[ExactRate, ...]
    points: int
    repetitions: int


def worst_case(promise: Promise, pool: Pool, base: int) -> Search:
    """Look for the highest ratio of error rate to level inside the promise's space."""
    assert promise.space is not None
    random = np.random.Generator(np.random.Philox(_seed(promise.name, pool.seed)))
    first = max(LEAST, round(FIRST_SHARE * promise.search * promise.repetitions(base)))
    points = _distinct([], [promise.space.draw(random) for _ in range(POINTS)])
    tried = len(points)
    spent = _advance(promise, pool, points, first)
    for number in range(1, ROUNDS + 1):
        best = _best(points, SURVIVORS)
        near = [promise.space.neighbor(point.parameters, random) for point in best for _ in range(NEIGHBORS)]
        fresh = _distinct(best, near)
        tried += len(fresh)
        points = [*best, *fresh]
        spent += _advance(promise, pool, points, first * 2**number)
    best = _best(points, CANDIDATES)
    exact = tuple(max(point.exact, key=lambda found: found.ratio) for point in best if point.exact)
    return Search(tuple(point.parameters for point in best), exact, tried, spent)


def _seed(name: str, seed: int) -> int:
    return int.from_bytes(sha256(f"search {name} {seed}".encode()).digest()[:16], "little")


def _best(points: Sequence[Point], number: int) -> list[Point]:
    return sorted(points, key=lambda point: (-point.score, label(point.parameters)))[:number]


def _distinct(known: Sequence[Point], parameters: Sequence[Parameters]) -> list[Point]:
    seen = {label(point.parameters) for point in known}
    fresh = []
    for point in parameters:
        if label(point) not in seen:
            seen.add(label(point))
            fresh.append(Point(point))
    return fresh


def _advance(promise: Promise, pool: Pool, points: Sequence[Point], upto: int) -> int:
    """Bring every point to ``upto`` repetitions; returns how many were spent."""
    if promise.exact_at is not None:
        for point in points:
            point.exact = point.exact or tuple(promise.exact_at(point.parameters))
        return 0
    works = [
        Work("promise", promise.name, point.parameters, "search", upto - point.repetitions, point.repetitions)
        for point in points
    ]
    for point, sample in zip(points, pool.run(works), strict=True):
        merge(point.sums, sample.sums)
        point.repetitions = upto
    return sum(work.repetitions for work in works)
