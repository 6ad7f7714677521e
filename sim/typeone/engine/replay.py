"""One repetition, computed again alone, beside what is stored."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from typeone.engine.resolved import resolve
from typeone.engine.storage import Rows, Store
from typeone.engine.study import Column
from typeone.engine.workers import Batch, Failure, simulate


@dataclass(frozen=True, slots=True)
class Replay:
    """Values by column, or the failure, as stored and as computed again."""

    key: tuple[int, int]
    stored: dict[Column, float] | Failure
    again: dict[Column, float] | Failure

    @property
    def is_equal(self) -> bool:
        """Whether every value (or the failure) is the same; NaN equals NaN."""
        a, b = self.stored, self.again
        if isinstance(a, Failure) or isinstance(b, Failure):
            return a == b
        return a.keys() == b.keys() and all(
            a[name] == b[name] or (math.isnan(a[name]) and math.isnan(b[name])) for name in a
        )


def replay(folder: str | Path, cell: int, repetition: int) -> Replay:
    """Compute ``repetition`` of ``cell`` again; a ValueError when the run does not hold it."""
    store = Store(folder)
    if not 0 <= cell < len(store.manifest.factors):
        raise ValueError(f"cell={cell}: the run has cells 0 to {len(store.manifest.factors) - 1}")
    for chunk in store.chunks(cell, repetition + 1):
        if chunk.first <= repetition < chunk.first + chunk.size:
            rows = store.read(chunk)
            break
    else:
        raise ValueError(f"rep={repetition}: not among the completed repetitions of cell {cell}")
    planned = resolve(store.design)
    if planned.identity != store.manifest.identity:
        raise ValueError(f"{folder}: an input file, the study's factors or its module have changed since this run")
    point = planned.cells[cell]
    batch = simulate(planned.study, point, planned.study.share(point), repetition, 1)
    return Replay(point.key, _pick(rows, repetition), _pick(batch, repetition))


def _pick(rows: Rows | Batch, repetition: int) -> dict[Column, float] | Failure:
    for failure in rows.failures:
        if failure.repetition == repetition:
            return failure
    place = int(rows.repetitions.searchsorted(repetition))
    return dict(zip(rows.columns, rows.values[place].tolist(), strict=True))
