"""Checks of arguments that several functions of panels share."""

from __future__ import annotations

from fractions import Fraction
from typing import SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import NDArray

from typeone.arrays import element, plain
from typeone.counts import Counts, counts, integer
from typeone.levels import LevelLike, number

Shares: TypeAlias = LevelLike | list[LevelLike] | tuple[LevelLike, ...] | NDArray[np.float64]


def count(name: str, value: SupportsIndex, lowest: int, highest: int) -> int:
    """An integer between ``lowest`` and ``highest``, or a ValueError that names the argument."""
    exact = integer(name, value)
    if not lowest <= exact <= highest:
        raise ValueError(f"{name}={exact}: must lie between {lowest} and {highest}")
    return exact


def sizes_grid(values: Counts | None, horizon: int) -> NDArray[np.int64]:
    """A declared grid of panel sizes, strictly increasing within 1 … horizon; None means every size."""
    if values is None:
        return np.arange(1, horizon + 1)
    grid = counts("grid", values, 1, horizon, empty=False)
    if grid.ndim != 1:
        raise ValueError(f"grid: a list of panel sizes is needed, not an array with {grid.ndim} dimensions")
    falls = np.flatnonzero(np.diff(grid) <= 0)
    if falls.size:
        i = int(falls[0]) + 1
        raise ValueError(f"grid[{i}]={grid[i]}: sizes must increase")
    return grid


def share(name: str, value: LevelLike) -> Fraction:
    """An exact probability in [0, 1], ends included, or a ValueError that names the argument."""
    exact = number(name, value)
    if not 0 <= exact <= 1:
        raise ValueError(f"{name}={exact.text}: a probability lies between 0 and 1")
    return exact


def shares(name: str, values: Shares) -> tuple[tuple[int, ...], list[Fraction]]:
    """The shape, () for one probability, and the exact probabilities in C order; names a bad position."""
    plain(name, values, "probabilities are numbers")
    array = np.array(values, dtype=object)
    if array.size == 0:
        raise ValueError(f"{name}: at least one probability is needed")
    return array.shape, [share(element(name, at), value) for at, value in np.ndenumerate(array)]
