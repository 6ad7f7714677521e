"""A study whose power is a known saw; workers import it as ``plan.saw:SAW``."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from pydantic import BaseModel, ConfigDict

from engine.trivial import draw
from typeone.engine.parameters import Exact
from typeone.engine.study import Cell, Column, Columns, Measure, Study
from typeone.levels import Level


class Saw(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    size: int = 10
    other: int = 0
    height: Exact = Level("1")
    fail_every: int = 0
    name: str = "saw"
    flag: bool = False


def truth(size: int, other: int = 0, height: Fraction = Fraction(1)) -> Fraction:
    """Jumps at every multiple of 10 and falls between; rises over all."""
    return min(Fraction(1), height * Fraction(20 + 10 * (size // 10) - 2 * (size % 10) + 5 * other, 100))


def simulate(cell: Cell, shared: None, first: int, count: int) -> Columns:
    p: Saw = cell.parameters
    if p.flag or (p.fail_every and any(r % p.fail_every == 1 for r in range(first, first + count))):
        raise RuntimeError("no luck")
    uniform = np.empty(count)
    draw(np.array(cell.key, np.uint64), first, uniform)
    hit = (uniform < float(truth(p.size, p.other, p.height))).astype(float)
    columns = {Column("a", "hit"): hit, Column("a", "share"): 0.9 * hit + 0.05, Column("b", "size"): hit * p.size}
    for level in cell.levels:
        columns[Column("a", "error", level.text)] = (uniform < float(level)).astype(float)
        columns[Column("b", "error", level.text)] = (uniform < 2 * float(level)).astype(float)
    return columns


SAW = Study(
    name="saw",
    text="A saw.",
    parameters=Saw,
    measures=(
        Measure("hit", "rate"),
        Measure("share", "fraction"),
        Measure("size", "mean"),
        Measure("error", "rate", claim=True),
    ),
    simulate=simulate,
    paired=("size",),
)
PLAN = {
    "measures": {"power": "hit", "bad": "error@0.1:b"},
    "factors": {"n": "size"},
    "zero": {"fail_every": "no failure"},
    "steps": lambda p, column: p.size // 10,
}
