"""One false-alarm rate for the whole campaign, shared over all its tests, and what the bounds then say.

A test is one column of one cell.  With m tests each one-sided bound has error alpha / m (Bonferroni), so all lower
bounds hold at once with probability 1 - alpha, and all upper bounds likewise, whatever the dependence between tests.
A promise that is kept is called *violated* with probability at most alpha in the whole campaign; a rate above
level + margin is called *holds* with probability at most alpha.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from typeone.engine.study import Column
from typeone.engine.sums import Moments
from typeone.engine.verdicts import bounds, needed
from typeone.verify.model import ExactRate, level_of, ratio

Verdict: TypeAlias = Literal["holds", "undecided", "violated"]
WORST: tuple[Verdict, ...] = ("violated", "undecided", "holds")
MARGIN = Fraction(1, 10)
LEAST_MARGIN = Fraction(1, 1000)


def margin(level: Fraction) -> Fraction:
    """A tenth of the level, and at least one in a thousand."""
    return max(MARGIN * level, LEAST_MARGIN)


@dataclass(frozen=True, slots=True)
class Finding:
    """What one test found: a rate with its simultaneous interval, or an exact rate, against its level."""

    promise: str
    cell: str
    column: str
    level: Fraction
    rate: float
    lower: float
    upper: float
    repetitions: int
    """0 for an exact rate."""
    verdict: Verdict
    needed: int | None = None
    """Repetitions that would decide an undecided one, should the rate stay as it is."""
    searched: bool = False
    """True when the cell was found by the search and these repetitions are fresh."""

    @property
    def exact(self) -> bool:
        """No chance is left in it."""
        return self.repetitions == 0

    @property
    def ratio(self) -> float:
        """The rate over its level."""
        return ratio(self.rate, self.level)


@dataclass(frozen=True, slots=True)
class Test:
    """One column of one cell before it is judged: the number of tests must be known first."""

    promise: str
    cell: str
    column: Column
    kind: Literal["rate", "fraction"]
    moments: Moments
    searched: bool = False

    def judged(self, alpha: float) -> Finding:
        """With one-sided bounds at ``alpha`` each."""
        level = level_of(self.column)
        lower, upper = bounds(self.kind, self.moments, alpha, sequence=False)
        verdict = decided(lower, upper, level)
        more = None
        if verdict == "undecided":
            more = needed(self.kind, self.moments, level, margin(level), alpha, sequence=False)
        count, name = self.moments.count, self.column.method
        rate = self.moments.mean
        return Finding(self.promise, self.cell, name, level, rate, lower, upper, count, verdict, more, self.searched)


def decided(lower: float, upper: float, level: Fraction) -> Verdict:
    """The verdict of simultaneous bounds; comparisons with the level are exact."""
    if Fraction(lower) > level:
        return "violated"
    return "holds" if Fraction(upper) <= level + margin(level) else "undecided"


def of_exact(promise: str, found: ExactRate, *, searched: bool = False) -> Finding:
    """An enumerated rate needs no share of the false alarms."""
    rate = float(found.rate)
    verdict: Verdict = "holds" if found.kept else "violated"
    return Finding(promise, found.cell, "", found.level, rate, rate, rate, 0, verdict, None, searched)


def judge(tests: Sequence[Test], alpha: float) -> list[Finding]:
    """All tests of the campaign together, at its false-alarm rate ``alpha``."""
    return [test.judged(alpha / len(tests)) for test in tests if test.moments.count]


def overall(findings: Sequence[Finding]) -> Verdict:
    """The worst of several verdicts."""
    given = {finding.verdict for finding in findings}
    return next(verdict for verdict in WORST if verdict in given)
