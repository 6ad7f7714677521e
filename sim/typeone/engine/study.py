"""What a study hands to the engine, and what the engine hands to a study.

A study is a value, not a subclass: its parameters' rules, its measures, and three functions.  The engine
knows nothing else of it.  It must be importable as ``module:STUDY`` so that workers can find it by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from typeone.levels import Level


class Column(NamedTuple):
    """One measured quantity of a cell: a method, a measure and (or ``""``) the level as typed.

    >>> Column("scf", "fpr", "0.05").level
    '0.05'
    """

    method: str
    measure: str
    level: str = ""


Columns: TypeAlias = Mapping[Column, NDArray[np.float64]]
"""What ``simulate`` returns: for every column one value per repetition, shape (count,).

NaN means that the quantity is not defined in that repetition: attempted, but not valid.
"""

Kind: TypeAlias = Literal["rate", "fraction", "mean", "gain"]
KINDS: tuple[Kind, ...] = get_args(Kind)


def check_values(kind: Kind, values: NDArray[np.float64]) -> None:
    """Raise a ValueError for a value that a measure of this kind cannot have; NaN is no value."""
    valid = values[~np.isnan(values)]
    if kind == "rate" and not np.isin(valid, (0.0, 1.0)).all():
        raise ValueError("a measure of kind 'rate' holds a value that is neither 0 nor 1")
    if kind == "fraction" and ((valid < 0.0) | (valid > 1.0)).any():
        raise ValueError("a measure of kind 'fraction' holds a value outside [0, 1]")


@dataclass(frozen=True, slots=True)
class Measure:
    """How a measure is summarized.

    rate
        0 or 1 in each repetition: exact (Clopper-Pearson) interval.
    fraction
        between 0 and 1 in each repetition: an interval valid for bounded means.
    mean
        any number: Monte Carlo standard error, and SD over repetitions.
    gain
        a paired difference between two methods: mean and its standard error, and the shares of repetitions in
        which it is positive, zero and negative (wins, ties, losses).

    >>> Measure("fpr", "rate", "share of null tests that reject", claim=True).kind
    'rate'
    """

    name: str
    kind: Kind
    text: str = ""
    claim: bool = False
    """True when the study promises that the expectation is at most the column's level: gets a verdict."""

    def __post_init__(self) -> None:
        """Refuse a kind that there is not."""
        if self.kind not in KINDS:
            raise ValueError(f"measure {self.name!r}: kind={self.kind!r} is not one of {', '.join(KINDS)}")


@dataclass(frozen=True, slots=True)
class Cell:
    """One point of a design's grid, as ``simulate`` sees it."""

    index: int
    parameters: Any
    """An instance of the study's ``parameters`` model: validated, with defaults filled in."""
    levels: tuple[Level, ...]
    key: tuple[int, int]
    """Philox key of this cell's random streams: see ``typeone.engine.streams``."""
    inputs: Mapping[str, Path] = field(default_factory=dict)
    """The design's input files by name; their contents, not their paths, are part of the identity."""


def _nothing(cell: Cell) -> None:
    return None


def _no_code(parameters: Any) -> Sequence[str]:
    return ()


def _all_used(parameters: Any) -> Mapping[str, str]:
    return {}


@dataclass(frozen=True, slots=True)
class Study:
    """A study: ``simulate(cell, shared, first, count)`` runs repetitions first .. first + count - 1 of one cell.

    ``simulate`` must give the same values however the repetitions are batched, and draw randomness only from
    the streams of ``(cell.key, repetition, lane)``.  It keeps no state between calls.
    """

    name: str
    text: str
    parameters: type[BaseModel]
    """Factors of the grid with defaults and rules; every field is a scalar (bool, int, str, exact Level)."""
    measures: tuple[Measure, ...]
    simulate: Callable[[Cell, Any, int, int], Columns]
    share: Callable[[Cell], Any] = _nothing
    """Builds what all repetitions of a cell have in common (a population, sorted documents, tables)."""
    shared_by: tuple[str, ...] | None = None
    """The factors that ``share`` looks at: cells that agree in them use one object.  None: all factors."""
    paired: tuple[str, ...] = ()
    """Factors left out of the stream key: cells that differ only in them see common random numbers."""
    inputs: tuple[str, ...] = ()
    """Names of the input files this study may read (``[inputs]`` in a design)."""
    levels: tuple[str, ...] = ("0.05",)
    """Levels of a design that states none."""
    unused: Callable[[Any], Mapping[str, str]] = _all_used
    """Factors and inputs that change nothing in a cell with these parameters, each with the reason.

    A design that gives one is refused, unless another of its cells uses it; nobody should plan or read sizes of a
    factor that is not there.
    """
    code: Callable[[Any], Sequence[str]] = _no_code
    """Modules of a user's own that decide numbers in a cell with these parameters.

    Their text, like that of the study's own module, is part of a run's identity: a folder is not continued after an
    edit.  What they import is not looked at.
    """
