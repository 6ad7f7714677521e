"""The whole campaign: promises, the search for their worst case, promises outside their assumptions, mutants."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from typeone import seeds
from typeone.engine.intervals import standard_error
from typeone.levels import LevelLike
from typeone.levels import level as exact_level
from typeone.verify import catalog
from typeone.verify.catch import Catch, catch
from typeone.verify.model import Failing, Promise, label, level_of
from typeone.verify.sample import Pool
from typeone.verify.search import Search, worst_case
from typeone.verify.study import Work
from typeone.verify.verdicts import Finding, Test, judge, of_exact

ALPHA = "0.01"
REPETITIONS = 20_000


@dataclass(frozen=True, slots=True)
class Options:
    """How large the campaign is; ``only`` names one promise, or a prefix of several.

    alpha : false-alarm rate of all promises together, and again of all mutants together.
    """

    repetitions: int = REPETITIONS
    seed: int = 1
    jobs: int = 1
    only: str = ""
    alpha: LevelLike = ALPHA


class Fall(NamedTuple):
    """A rate of a promise outside its assumptions, at one strength of the violation."""

    failing: str
    promise: str
    violated: str
    strength: str
    column: str
    level: float
    rate: float
    mc_se: float
    repetitions: int


@dataclass(frozen=True, slots=True)
class Result:
    """Everything that a campaign found."""

    options: Options
    alpha: float
    tests: int
    promises: tuple[Promise, ...]
    findings: tuple[Finding, ...]
    searches: dict[str, Search]
    falls: tuple[Fall, ...]
    catches: tuple[Catch, ...]
    seconds: float

    def of(self, promise: str) -> list[Finding]:
        """The findings on one promise."""
        return [finding for finding in self.findings if finding.promise == promise]

    @property
    def sound(self) -> bool:
        """No promise is violated and every mutant is caught."""
        return all(f.verdict != "violated" for f in self.findings) and all(c.caught for c in self.catches)


class Progress(NamedTuple):
    """Told when a part begins, and after every chunk."""

    part: str
    repetitions: int


def run(options: Options = Options(), progress: Callable[[Progress], None] | None = None) -> Result:
    """Run the campaign; ValueError for bad options and when a repetition raises an exception."""
    _check(options)
    alpha = float(exact_level("alpha", options.alpha))
    names = catalog.chosen(options.only)
    promises = tuple(catalog.promises()[name] for name in names)
    start = time.perf_counter()
    part = ["promises"]

    def tell(done: int) -> None:
        if progress:
            progress(Progress(part[0], done))

    with Pool(options.jobs, options.seed, tell) as pool:
        exact = [of_exact(p.name, found) for p in promises if p.exact is not None for found in p.exact()]
        tests = _known(promises, pool, options.repetitions)
        part[0] = "search for the worst case"
        searches = {p.name: worst_case(p, pool, options.repetitions) for p in promises if p.space is not None}
        exact += [of_exact(name, of, searched=True) for name, found in searches.items() for of in found.exact]
        tests += _confirmed(promises, searches, pool, options.repetitions)
        part[0] = "outside the assumptions"
        falls = outside([f for f in catalog.failings().values() if f.promise in names], pool, options.repetitions)
        part[0] = "mutants"
        catches = catch([m for m in catalog.mutants().values() if m.promise in names], pool, alpha)
    findings = (*exact, *judge(tests, alpha))
    return Result(
        options, alpha, len(tests), promises, findings, searches, tuple(falls), tuple(catches),
        time.perf_counter() - start,
    )  # fmt: skip


def _check(options: Options) -> None:
    for name, value, least in (
        ("reps", options.repetitions, 100),
        ("jobs", options.jobs, 1),
    ):
        if value < least:
            raise ValueError(f"{name}={value}: is at least {least}")
    seeds.checked(options.seed)


def _known(promises: Sequence[Promise], pool: Pool, base: int) -> list[Test]:
    """The hardest cells known."""
    works = [
        Work("promise", promise.name, cell, "cells", promise.repetitions(base))
        for promise in promises
        for cell in promise.cells
    ]
    return _tests(promises, works, pool, searched=False)


def _confirmed(promises: Sequence[Promise], searches: dict[str, Search], pool: Pool, base: int) -> list[Test]:
    """The search's candidates on fresh seeds, with twice a cell's repetitions."""
    works = [
        Work("promise", promise.name, point, "confirm", 2 * promise.repetitions(base))
        for promise in promises
        if promise.name in searches and promise.exact_at is None
        for point in searches[promise.name].candidates
    ]
    return _tests(promises, works, pool, searched=True)


def _tests(promises: Sequence[Promise], works: Sequence[Work], pool: Pool, *, searched: bool) -> list[Test]:
    kinds = {promise.name: promise.kind for promise in promises}
    return [
        Test(work.name, label(work.parameters), column, kinds[work.name], moments, searched)
        for work, sample in zip(works, pool.run(works), strict=True)
        for column, moments in sorted(sample.sums.items())
    ]


def outside(failings: Sequence[Failing], pool: Pool, base: int) -> list[Fall]:
    """Rates at every strength of every violation."""
    works = [
        Work("failing", f.name, {"strength": strength}, "outside", max(50, round(f.effort * base)))
        for f in failings
        if f.simulate is not None
        for strength in f.strengths
    ]
    samples = {(w.name, w.parameters["strength"]): s for w, s in zip(works, pool.run(works), strict=True)}
    falls = []
    for f in failings:
        for strength in f.strengths:
            head = (f.name, f.promise, f.violated, strength)
            if f.exact_at is not None:
                exact = f.exact_at({"strength": strength})
                falls += [Fall(*head, of.cell, float(of.level), float(of.rate), 0.0, 0) for of in exact]
                continue
            for column, moments in sorted(samples[f.name, strength].sums.items()):
                error = standard_error(moments)
                level = float(level_of(column))
                falls.append(Fall(*head, column.method, level, moments.mean, error, moments.count))
    return falls
