"""Coin: the smallest complete study, to copy from and to try the engine with.

One repetition draws a uniform p-value and tosses a coin ``flips`` times.  The test "exact" rejects when the
p-value is at most the level, so its error rate is the level; the test "bold" does so at (1 + excess) times
the level, so its promise is broken as soon as excess > 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from typeone.engine.parameters import Exact
from typeone.engine.streams import Lane
from typeone.engine.study import Cell, Column, Columns, Measure, Study
from typeone.levels import Level


class Coin(BaseModel):
    """The factors of the grid."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    heads: Annotated[Exact, Field(ge=0, le=1)] = Level("1/2")
    """Probability of heads."""
    flips: int = Field(default=10, ge=1, le=10_000)
    """Flips of one repetition."""
    excess: Annotated[Exact, Field(ge=0)] = Level("0")
    """By how much the bold test oversteps its level.  Paired: cells that differ in it only share their draws."""


def simulate(cell: Cell, shared: None, first: int, count: int) -> Columns:
    """Repetitions first .. first + count - 1: a stream of its own for each, the same whatever the batch."""
    coin: Coin = cell.parameters
    p_values = np.empty(count)
    shares = np.empty(count)
    stream = Lane(cell.key, 0)
    for i in range(count):
        random = stream.at(first + i)
        p_values[i] = random.random()
        shares[i] = np.count_nonzero(random.random(coin.flips) < float(coin.heads)) / coin.flips
    return dict(_columns(cell, coin, p_values, shares))


def _columns(cell: Cell, coin: Coin, p_values: np.ndarray, shares: np.ndarray) -> Iterator[tuple[Column, np.ndarray]]:
    yield Column("coin", "share"), shares
    yield Column("coin", "heads"), shares * coin.flips
    for level in cell.levels:
        exact = (p_values <= float(level)).astype(float)
        bold = (p_values <= float(level * (1 + coin.excess))).astype(float)
        yield Column("exact", "error", level.text), exact
        yield Column("bold", "error", level.text), bold
        yield Column("bold - exact", "gain", level.text), bold - exact


STUDY = Study(
    name="coin",
    text="A coin and two tests of it: the worked example of a study.",
    parameters=Coin,
    measures=(
        Measure("error", "rate", "rejections of a true null", claim=True),
        Measure("share", "fraction", "share of heads"),
        Measure("heads", "mean", "number of heads"),
        Measure("gain", "gain", "rejections of the bold test beyond the exact one's"),
    ),
    simulate=simulate,
    paired=("excess",),
)
