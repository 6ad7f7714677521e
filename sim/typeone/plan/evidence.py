"""What is known of every cell so far: exact values, sums of repetitions, and what they decide."""

from __future__ import annotations

from collections.abc import Collection

from typeone.engine.intervals import Bounds
from typeone.engine.study import Column
from typeone.engine.summary import measure_of
from typeone.engine.verdicts import CLAIM_ERROR, Tally, Verdict, judge
from typeone.plan.exact import known
from typeone.plan.journal import Sums
from typeone.plan.question import Asked
from typeone.plan.result import Estimated, Limit
from typeone.plan.sampler import Sampler
from typeone.plan.search import Point
from typeone.plan.target import Target


class Evidence:
    """Cells by number.  A cell is looked at after so many repetitions as the question's looks say."""

    def __init__(self, asked: Asked, sampler: Sampler) -> None:
        self._asked = asked
        self._sampler = sampler
        self._looks = asked.question.looks()
        self._taken: dict[int, int] = {}
        self._sums: dict[int, Sums] = {}
        self._exact = {
            (target, cell): value
            for target, column in ((asked.target, asked.column), *asked.limits)
            for line in asked.lines
            for cell, value in known(asked, line, target, column).items()
        }
        # Which cells are judged depends on the results, so each has its share of the error.
        cells = len(asked.planned.cells)
        self._error = float(asked.question.error) / cells
        self._limit_error = CLAIM_ERROR / cells / max(1, len(asked.limits))

    @property
    def repetitions(self) -> int:
        """Of all cells."""
        return sum(sums.attempted for sums in self._sums.values())

    def taken(self, cell: int) -> int:
        """How many looks the cell has had."""
        return self._taken.get(cell, 0)

    def is_exhausted(self, cell: int) -> bool:
        """Whether the cell has had its last look."""
        return self.taken(cell) == len(self._looks)

    def look(self, cells: Collection[int], place: int) -> None:
        """Give ``cells`` their look number ``place``."""
        self._sums |= self._sampler.advance(cells, self._looks[place])
        self._taken |= dict.fromkeys(cells, place + 1)

    def point(self, cell: int) -> Point | None:
        """What the target's search may know of the cell."""
        target, column = self._asked.target, self._asked.column
        value = self._exact.get((target, cell))
        if value is not None:
            met = target.is_met(value)
            return Point("reaches" if met else "misses", met, final=True)
        if not self.taken(cell):
            return None
        tally = self._tally(cell, column)
        met = bool(tally.valid) and target.is_met(tally.moments.total / tally.valid)
        return Point(target.status(self._bounds(cell, tally, self._error)), met, self.is_exhausted(cell))

    def reached(self, cell: int) -> Estimated | None:
        """The target's measure at the cell; None when it has not been looked at."""
        return self._estimated(cell, self._asked.target, self._asked.column, self._error)

    def limits(self, cell: int) -> tuple[Limit, ...]:
        """The limits' verdicts at the cell: all of a plan's together are wrong with probability CLAIM_ERROR."""
        margin = self._asked.planned.design.margin
        found = []
        for target, column in self._asked.limits:
            exact = self._exact.get((target, cell))
            estimated = self._estimated(cell, target, column, self._limit_error)
            verdict: Verdict = "undecided"
            if exact is not None:
                verdict = "holds" if target.is_met(exact) else "violated"
            elif estimated is not None:
                verdict = judge(Bounds(estimated.lower, estimated.upper), target.value, margin)
            allowed = f" (margin {margin.text})" if margin else ""
            found.append(Limit(target.text + allowed, verdict, estimated))
        return tuple(found)

    def _estimated(self, cell: int, target: Target, column: Column, error: float) -> Estimated | None:
        value = self._exact.get((target, cell))
        if value is not None:
            return Estimated(float(value), 0.0, float(value), float(value), 0, 0)
        if not self.taken(cell):
            return None
        tally = self._tally(cell, column)
        told = tally.estimate(sequence=True)
        bounds = self._bounds(cell, tally, error)
        return Estimated(told.estimate, told.mc_se, *bounds, tally.valid, self._sums[cell].failed)

    def _tally(self, cell: int, column: Column) -> Tally:
        measure = measure_of(self._asked.planned.study, column.measure)
        assert measure is not None
        moments = self._sums[cell].moments.get(column)
        return Tally(measure.kind, moments) if moments else Tally(measure.kind)

    def _bounds(self, cell: int, tally: Tally, error: float) -> Bounds:
        """Valid at every look; a failed repetition of a rate or fraction may have been anything from 0 to 1."""
        failed = self._sums[cell].failed if tally.kind in ("rate", "fraction") else 0
        lower = tally.bounds(error, sequence=True, zeros=failed).lower
        return Bounds(lower, tally.bounds(error, sequence=True, ones=failed).upper)
