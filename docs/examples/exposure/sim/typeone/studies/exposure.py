"""Canary exposure, simulated: one canary that left no trace, one that did, among fresh references."""

from typing import Annotated

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from typeone.engine.parameters import Exact
from typeone.engine.study import Cell, Column, Columns, Measure, Study
from typeone.levels import Level
from typeone_kernels.exposure import draw_ranks


class Canary(BaseModel):
    """The factors of the grid."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    references: int = Field(default=99, ge=1, le=10**6)
    """Reference canaries R."""
    effect: Annotated[Exact, Field(ge=0)] = Level("4")
    """By how much planting raises a score."""
    mismatch: Exact = Level("0")
    """By how much canaries score higher than references without being planted: breaks exchangeability."""


def simulate(cell: Cell, shared: None, first: int, count: int) -> Columns:
    """Rejections of the canary without a trace (fpr) and of the planted one (power)."""
    p: Canary = cell.parameters
    ranks = np.empty((count, 2), np.int64)
    shift = np.array([float(p.mismatch), float(p.mismatch + p.effect)])
    draw_ranks(np.array(cell.key, np.uint64), first, p.references, shift, ranks)
    return {
        Column("exposure", measure, t.text): (ranks[:, i] <= int(t * (p.references + 1))).astype(np.float64)
        for t in cell.levels
        for i, measure in enumerate(("fpr", "power"))
    }


PLAN = {
    "factors": {"R": "references"},
    "steps": lambda p, column: int(Level(column.level) * (p.references + 1)),  # the rate jumps where this does
}

STUDY = Study(
    name="exposure",
    text="Canary exposure: rejections of canaries that left no trace, and of those that did.",
    parameters=Canary,
    measures=(
        Measure("fpr", "rate", "a canary that left no trace is rejected", claim=True),
        Measure("power", "rate", "a planted canary is rejected"),
    ),
    simulate=simulate,
    paired=("effect", "mismatch"),
)
