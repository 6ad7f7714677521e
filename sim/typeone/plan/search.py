"""The least size, and the least size from which on every size reaches the target: which sizes to look at next.

Nothing is fitted and nothing is taken to be monotone.  The sizes are divided into teeth (a study's ``steps``),
inside which the target's measure moves smoothly.  Simulated are both ends of every tooth and a few sizes inside
a long one; where two neighbors disagree, the size in the middle; and at last the sizes around the answers.  A
size between two simulated ones of a tooth that agree is *inferred* to agree with them; that is the only
assumption, and with ``every`` (or up to EVERY sizes) it is never made.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from typeone.plan.target import Status

EVERY = 32
"""Up to so many sizes, each is simulated."""
GAP = 24
GAPS = 8
"""A tooth is looked at in steps of about GAP sizes, but in no more than GAPS steps."""
AROUND = 4
"""So many sizes next to an answer are simulated rather than inferred."""


class Point(NamedTuple):
    """What is known of one simulated (or exactly known) size."""

    status: Status
    met: bool
    """Whether the estimate is on the wanted side; that of the status once it is decided."""
    final: bool
    """Whether there will be no more repetitions."""


class Bracket(NamedTuple):
    """Positions of the answer by the estimates, and of the least and the largest answer that is not excluded.

    The number of sizes stands for an answer beyond the last one.
    """

    point: int
    lower: int
    upper: int


class Search:
    """Positions 0 .. n - 1 with their teeth; ``wanted`` says what to simulate next, ``learn`` takes it in."""

    def __init__(self, teeth: Sequence[Hashable], *, every: bool = False) -> None:
        self.points: list[Point | None] = [None] * len(teeth)
        self._teeth = teeth
        self._anchors = set(_anchors(teeth, every or len(teeth) <= EVERY))

    def learn(self, position: int, point: Point) -> None:
        """Take in what is known of a size."""
        self.points[position] = point

    def wanted(self) -> set[int]:
        """Positions that need repetitions now; none when the answers are as narrow as they will be."""
        if missing := {i for i in self._anchors if self.points[i] is None}:
            return missing
        minimum, stable = self.minimum, self.stable
        spans = (range(minimum.lower, minimum.upper), range(stable.lower, stable.upper))
        undecided = {i for span in spans for i in span if (p := self.points[i]) and not _is_done(p)}
        if undecided:
            return undecided
        if middles := {(a + b) // 2 for a, b in self._gaps() if any(_meet(a, b, span) for span in spans)}:
            return middles
        around = {
            *range(minimum.lower - AROUND, minimum.lower),
            *range(stable.upper, stable.upper + AROUND),
            *(i for end in (minimum, stable) for i in range(end.point - AROUND, end.point + AROUND + 1)),
        }
        return {i for i in around if 0 <= i < len(self.points) and self.points[i] is None}

    @property
    def minimum(self) -> Bracket:
        """The least size that reaches the target."""
        known = self.statuses()
        n = len(known)
        met = (i for i, p in enumerate(self.points) if p and p.met)
        return Bracket(
            point=next(met, n),
            lower=next((i for i in range(n) if known[i] != "misses"), n),
            upper=next((i for i in range(n) if known[i] == "reaches"), n),
        )

    @property
    def stable(self) -> Bracket:
        """The least size from which on every size reaches the target."""
        known = self.statuses()
        n = len(known)
        unmet = (i + 1 for i, p in reversed(list(enumerate(self.points))) if p and not p.met)
        return Bracket(
            point=next(unmet, 0),
            lower=next((i + 1 for i in reversed(range(n)) if known[i] == "misses"), 0),
            upper=next((i + 1 for i in reversed(range(n)) if known[i] != "reaches"), 0),
        )

    def statuses(self) -> list[Status]:
        """Of all sizes; between simulated sizes of one tooth that agree, theirs."""
        known: list[Status] = [p.status if p else "undecided" for p in self.points]
        for a, b in self._neighbors():
            if known[a] == known[b]:
                known[a + 1 : b] = [known[a]] * (b - a - 1)
        return known

    def _neighbors(self) -> Iterator[tuple[int, int]]:
        """Simulated positions of one tooth with none between them that is."""
        simulated = [i for i, p in enumerate(self.points) if p is not None]
        return ((a, b) for a, b in pairwise(simulated) if self._teeth[a] == self._teeth[b])

    def _gaps(self) -> Iterator[tuple[int, int]]:
        """Neighbors between which a look would tell something."""
        for a, b in self._neighbors():
            p, q = self.points[a], self.points[b]
            assert p is not None
            assert q is not None
            if p.status != q.status or (p.status == "undecided" and p.met != q.met):
                yield a, b


def _anchors(teeth: Sequence[Hashable], every: bool) -> Iterator[int]:
    for _, tooth in groupby(range(len(teeth)), key=lambda i: teeth[i]):
        members = list(tooth)
        length = len(members) - 1
        gaps = length if every else min(GAPS, -(-length // GAP))
        yield members[0]
        yield from (members[k * length // gaps] for k in range(1, gaps + 1))


def _is_done(point: Point) -> bool:
    return point.status != "undecided" or point.final


def _meet(a: int, b: int, span: range) -> bool:
    """Whether a position strictly between ``a`` and ``b`` lies in ``span``."""
    return max(a + 1, span.start) < min(b, span.stop)
