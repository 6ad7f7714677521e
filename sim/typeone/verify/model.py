"""What a promise is, in the campaign's own words: a record, the cells it is tried on, and how an error shows.

A promise bounds an error rate by a level.  Its evidence comes in two forms.  *Exact*: the rate is enumerated, and no
chance is left.  *Simulated*: ``simulate`` says for every repetition of a cell whether (or in which share) an error
occurred, and exact intervals bound the rate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from typeone.engine.parameters import canonical
from typeone.engine.study import Column, Columns
from typeone.levels import Level

Parameters: TypeAlias = Mapping[str, Any]
"""One cell: scalars by name (bool, int, str)."""
Key: TypeAlias = tuple[int, int]
Simulate: TypeAlias = Callable[[Parameters, Any, Key, int, int], Columns]
"""``simulate(parameters, shared, key, first, count)``: one value for each repetition and column."""

MEASURE = "error"


class ExactRate(NamedTuple):
    """An error rate that was enumerated.

    ``slack`` is the relative error of the computation: 0 for rational arithmetic, which also decides at the level.
    """

    cell: str
    rate: Fraction | float
    level: Fraction
    slack: float = 0.0

    @property
    def ratio(self) -> float:
        """The rate over its level; infinite for an error that is promised never to happen."""
        return ratio(float(self.rate), self.level)

    @property
    def kept(self) -> bool:
        """Whether the rate is at most the level, within the error of the computation."""
        return Fraction(self.rate) <= self.level * (1 + Fraction(self.slack))


def ratio(rate: float, level: Fraction) -> float:
    """``rate / level``; 0/0 is 0."""
    return rate / float(level) if level else (float("inf") if rate > 0 else 0.0)


def column(name: str, level: Fraction | str) -> Column:
    """The column of one error of a cell, with the level it must keep."""
    return Column(name, MEASURE, level if isinstance(level, str) else canonical(level))


def level_of(of: Column) -> Fraction:
    """The level that a column must keep."""
    return Fraction(Level(of.level))


@dataclass(frozen=True, slots=True)
class Space:
    """The free parameters of a promise inside its assumptions: values each of them may take, in order.

    ``fits`` refuses combinations that the assumptions exclude.  A neighbor differs in one parameter, by a step along
    its values.
    """

    values: Mapping[str, tuple[Any, ...]]
    fits: Callable[[Parameters], bool] = field(default=lambda parameters: True)

    def draw(self, random: np.random.Generator) -> dict[str, Any]:
        """A random point."""
        for _ in range(1000):
            point = {name: values[random.integers(len(values))] for name, values in self.values.items()}
            if self.fits(point):
                return point
        raise ValueError("space: no combination of its values fits")

    def neighbor(self, point: Parameters, random: np.random.Generator) -> dict[str, Any]:
        """A point that differs in one parameter, most often by one step."""
        names = [name for name, values in self.values.items() if len(values) > 1]
        for _ in range(1000):
            name = names[random.integers(len(names))]
            values = self.values[name]
            step = int(random.geometric(0.6)) * (1 if random.random() < 0.5 else -1)
            place = values.index(point[name]) + step
            moved = {**point, name: values[min(max(place, 0), len(values) - 1)]}
            if moved != dict(point) and self.fits(moved):
                return moved
        return dict(point)


def _no_share(parameters: Parameters) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Promise:
    """A finite-sample promise of the project, and how it is tried.

    statement, assumptions : as the documentation makes it; where : where it does.
    hardest : why the cells are the hardest known.
    kind : ``rate`` (an error or none in each repetition) or ``fraction`` (a share in [0, 1]).
    effort : repetitions of a cell as a multiple of the campaign's; search : of the search as a multiple of its own.
    exact : enumerated rates; exact_at : the same for one point of ``space``, when the search can do without chance.
    """

    name: str
    statement: str
    assumptions: str
    where: str
    hardest: str
    kind: Literal["rate", "fraction"] = "rate"
    cells: tuple[Parameters, ...] = ()
    simulate: Simulate | None = None
    share: Callable[[Parameters], Any] = _no_share
    exact: Callable[[], Iterable[ExactRate]] | None = None
    space: Space | None = None
    exact_at: Callable[[Parameters], Iterable[ExactRate]] | None = None
    effort: float = 1.0
    search: float = 1.0
    chunk: int = 500

    def repetitions(self, base: int) -> int:
        """Of each cell when the campaign asks for ``base``."""
        return max(50, round(self.effort * base))


@dataclass(frozen=True, slots=True)
class Failing:
    """A promise outside its assumptions: rates against the strength with which one of them is violated."""

    name: str
    promise: str
    violated: str
    """The assumption, and what the strength measures."""
    strengths: tuple[str, ...]
    simulate: Simulate | None = None
    exact_at: Callable[[Parameters], Iterable[ExactRate]] | None = None
    kind: Literal["rate", "fraction"] = "rate"
    share: Callable[[Parameters], Any] = _no_share
    effort: float = 0.25
    chunk: int = 500


@dataclass(frozen=True, slots=True)
class Mutant:
    """A procedure broken on purpose, and the check that must notice.

    ``exact(broken)`` or ``simulate`` (whose cell has a parameter ``broken``) run one and the same check on the right
    procedure and on the broken one.
    """

    name: str
    promise: str
    """The promise whose check catches it."""
    text: str
    exact: Callable[[bool], Iterable[ExactRate]] | None = None
    simulate: Simulate | None = None
    cell: Parameters = field(default_factory=dict)
    kind: Literal["rate", "fraction"] = "rate"
    share: Callable[[Parameters], Any] = _no_share
    most: int = 4096
    """Repetitions after which an undetected mutant counts as missed."""
    chunk: int = 64


def as_error(values: NDArray[Any]) -> NDArray[np.float64]:
    """Errors as the engine takes them."""
    return np.asarray(values, dtype=np.float64)


def label(parameters: Parameters) -> str:
    """A cell in one line."""
    return " ".join(f"{name}={value}" for name, value in parameters.items())
