"""What a row of the table is: work, seeded inputs, comparable implementations, targets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np

from benchmarks.timing import seconds_of

Size: TypeAlias = Literal["small", "full"]
"""``small`` inputs serve the equality tests of the suite, ``full`` ones the table."""

Differs: TypeAlias = Callable[[Any], str]
"""Says how an output differs from the twin's; empty when it is the same."""


@dataclass(frozen=True)
class Target:
    """``ours`` may take at most ``most`` times as long as ``other``, or must be ``least`` times as fast.

    ``other`` is an implementation of the row, or ``"s"``: then ``most`` and ``stretch`` are seconds for one unit.
    ``stretch`` is the further aim, in the same direction; alone it is a limit.
    """

    other: str
    most: float | None = None
    least: float | None = None
    stretch: float | None = None


@dataclass(frozen=True)
class Implementation:
    """One way to do the work: ``run`` does ``units`` units of it and returns an output that ``differs`` judges.

    A floor has no output.  A peer in another process hands back its own ``seconds``; elsewhere ``run`` is timed.
    ``missing`` says why a peer cannot be measured here.
    """

    run: Callable[[], Any]
    units: int = 1
    differs: Differs | None = None
    seconds: Callable[[], float] | None = None
    note: str = ""
    missing: str = ""

    def measure(self) -> float:
        """Seconds for one unit."""
        return (self.seconds() if self.seconds else seconds_of(self.run)) / self.units


@dataclass(frozen=True)
class Row:
    """A line of the table; ``build`` makes its inputs and implementations, ``ours`` and ``twin`` among them."""

    name: str
    work: str
    unit: str
    build: Callable[[Size], Mapping[str, Implementation]]
    targets: tuple[Target, ...] = field(default=())


def repeated(calls: int, function: Callable[[], Any]) -> Any:
    """What the last of some calls returned."""
    for _ in range(calls - 1):
        function()
    return function()


def over(units: int, function: Callable[[int], object]) -> None:
    """Units 0 .. units - 1, one after the other."""
    for unit in range(units):
        function(unit)


def unequal(name: str, got: Any, wanted: Any) -> str:
    """For arrays and numbers that must be equal."""
    got, wanted = np.asarray(got), np.asarray(wanted)
    if got.shape != wanted.shape:
        return f"{name}: shape {got.shape}, not {wanted.shape}"
    wrong = int((got != wanted).sum())
    return f"{name}: {wrong} of {wanted.size} values differ" if wrong else ""
