"""A run's folder as figures and pages see it: the summary with numbered rows, and what its columns mean."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa

from typeone.engine.design import Design
from typeone.engine.manifest import Manifest
from typeone.engine.registry import load
from typeone.engine.storage import Store
from typeone.engine.study import Measure, Study
from typeone.engine.summary import table_of
from typeone.figures.rows import Row, numeric


@dataclass(frozen=True)
class Stored:
    """What a folder holds; ``summary`` has a last column ``row`` with the number of each row."""

    folder: Path
    study: Study
    manifest: Manifest
    design: Design
    summary: pa.Table

    @classmethod
    def open(cls, folder: str | Path) -> Stored:
        """Read a run's folder, finished or not; a ValueError when it holds no run or nothing is complete yet."""
        store = Store(folder)
        if not store.manifest.chunks:
            raise ValueError(f"{folder}: no repetition is complete yet; run it first")
        study = load(store.manifest.reference)
        table = table_of(store, study)
        numbered = table.append_column("row", pa.array(np.arange(table.num_rows)))
        return cls(Path(folder), study, store.manifest, store.design, numbered)

    @cached_property
    def records(self) -> list[Row]:
        """The summary as rows."""
        return self.summary.to_pylist()  # type: ignore[no-any-return]

    @property
    def factors(self) -> list[str]:
        """Names of all factors, in the order of the summary."""
        return list(self.manifest.factors[0])

    @cached_property
    def varying(self) -> list[str]:
        """The factors with more than one value."""
        cells = self.manifest.factors
        return [name for name in self.factors if any(cell[name] != cells[0][name] for cell in cells)]

    @cached_property
    def numeric(self) -> list[str]:
        """The varying factors whose values are all numbers."""
        cells = self.manifest.factors
        return [name for name in self.varying if all(numeric(cell[name]) is not None for cell in cells)]

    @cached_property
    def methods(self) -> list[str]:
        """The methods of all measures but paired gains, in alphabetical order."""
        return sorted({row["method"] for _, rows in self.measures("rate", "fraction", "mean") for row in rows})

    def cell_name(self, cell: int) -> str:
        """The values by which a cell differs from the others: ``cap 0.05, L 39``."""
        values = self.manifest.factors[cell]
        return ", ".join(f"{name} {values[name]}" for name in self.varying) or "the only cell"

    def measures(self, *kinds: str) -> Iterator[tuple[Measure, list[Row]]]:
        """The measures of these kinds that have estimates, with their rows."""
        for measure in self.study.measures:
            if measure.kind in kinds and (rows := self.rows(measure.name)):
                yield measure, rows

    def rows(self, measure: str) -> list[Row]:
        """The rows of one measure that have an estimate."""
        return [row for row in self.records if row["measure"] == measure and row["estimate"] is not None]
