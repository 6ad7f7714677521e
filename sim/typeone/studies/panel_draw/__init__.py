"""One panel drawn from a census of votes, possibly corrupted: does it miss the population's decision?

The smallest study with an exact law, so that what is simulated can be checked against ``typeone.panels``, and a
panel's size planned without simulating at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, model_validator

from typeone.engine.parameters import Exact
from typeone.engine.streams import generator
from typeone.engine.study import Cell, Column, Columns, Measure, Study
from typeone.levels import Level

CLOSE = 1e-11
"""Relative distance from a bound below which the error curve's doubles do not decide."""


class Draw(BaseModel):
    """A unit's votes, the adversary's, and the panel."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    votes: int = Field(default=40, ge=1, le=10**6)
    """Votes M of the census."""
    positive: int = Field(default=25, ge=0)
    """Positive votes C among them."""
    panel: int = Field(default=7, ge=1)
    """Size K of the panel, drawn without replacement."""
    theta: Annotated[Exact, Field(gt=0, lt=1)] = Level("1/2")
    """A group accepts with at least this share of positive votes."""
    census_flips: int = Field(default=0, ge=0)
    """Votes of the census that an adversary turns against its decision before the panel is drawn."""
    panel_flips: int = Field(default=0, ge=0)
    """Votes of the panel that the adversary turns."""

    @model_validator(mode="after")
    def _check(self) -> Draw:
        for name in ("positive", "panel", "census_flips", "panel_flips"):
            if getattr(self, name) > self.votes:
                raise ValueError(f"{name}={getattr(self, name)}: the census has {self.votes} votes")
        return self


def simulate(cell: Cell, shared: None, first: int, count: int) -> Columns:
    """Panels first .. first + count - 1: 1 where the panel errs."""
    d: Draw = cell.parameters
    accepting = d.positive >= ceil(d.theta * d.votes)
    # Votes for the census's decision; a panel errs when fewer than it needs are left.
    favorable = max((d.positive if accepting else d.votes - d.positive) - d.census_flips, 0)
    quota = ceil(d.theta * d.panel)
    needed = (quota if accepting else d.panel - quota + 1) + d.panel_flips
    found = np.array(
        [
            generator(cell.key, repetition).hypergeometric(favorable, d.votes - favorable, d.panel)
            for repetition in range(first, first + count)
        ]
    )
    return {Column("panel", "error"): (found < needed).astype(np.float64)}


def law(cells: Sequence[Draw], column: Column, bound: Fraction) -> list[float | Fraction]:
    """e(K) of every cell: curves of censuses that differ in nothing but the panel are made once."""
    from typeone.panels import census_errors, census_sizes

    curves: dict[tuple[int, int, Level, int, int], NDArray[np.float64]] = {}
    values: list[float | Fraction] = []
    for d in cells:
        census = (d.votes, d.positive, d.theta, d.census_flips, d.panel_flips)
        ask: dict[str, Any] = {"theta": d.theta, "census_flips": d.census_flips, "panel_flips": d.panel_flips}
        if census not in curves:
            curves[census] = census_errors(d.votes, d.positive, **ask)
        error = float(curves[census][d.panel - 1])
        if 0 < bound < 1 and abs(error - bound) <= CLOSE * bound:
            kept = census_sizes(d.votes, d.positive, delta=bound, grid=[d.panel], **ask).minimum
            values.append(bound if kept else bound * (1 + Fraction(1, 10**12)))
        else:
            values.append(error)
    return values


PLAN = {"factors": {"K": "panel", "M": "votes", "C": "positive"}, "law": law}

STUDY = Study(
    name="panel-draw",
    text="One panel drawn from a census of votes: how often it misses the census's decision.",
    parameters=Draw,
    measures=(Measure("error", "rate", "the panel decides otherwise than the census"),),
    simulate=simulate,
)
