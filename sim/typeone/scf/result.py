"""What SCF found: one row per target source, the levels that can be attained, and what is promised."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from typeone.display import first_rows, folded, html_paragraphs, html_table, text_table, warned
from typeone.levels import Level
from typeone.notebook import drawn
from typeone.scf.statistics import TITLES

GUARANTEE = (
    "If targets and calibration sources, bag sizes included, are exchangeable given the reference sources, a "
    "source that did not take part is rejected with probability at most the attainable level. The probability "
    "is also over the draw of the calibration sources: for one draw the rate varies around it."
)


def most_ranks(level: Fraction, m: int) -> int:
    """floor(t (m + 1)): with m calibration sources p <= t exactly for ranks up to this; 0 when it holds for none."""
    return math.floor(level * (m + 1))


@dataclass(frozen=True, slots=True)
class SplitSpread:
    """Spread of a source's p-values over random splits of the controls, each shape (targets,)."""

    splits: int
    low: NDArray[np.float64]
    median: NDArray[np.float64]
    high: NDArray[np.float64]

    @classmethod
    def of(cls, ranks: NDArray[np.int64], m: int) -> SplitSpread:
        """From ranks (splits, targets) among m calibration sources."""
        ordered = np.sort(ranks, axis=0) / (m + 1)
        return cls(ranks.shape[0], ordered[0], np.median(ordered, axis=0), ordered[-1])


@dataclass(frozen=True, slots=True, repr=False)
class Result:
    """SCF's answer for n target sources, in order of first appearance.

    sources (n,) identifiers; documents (n,) numbers of documents; evidence (n,) the statistic (mean evidence in
    nats for SCF and Fisher, the raw statistic otherwise; its average over several splits); capped (n,) documents
    with Q < alpha (SCF and Fisher, one split); p_exact (n,) rational p-values; discovery (n,) Benjamini-Hochberg
    decisions when ``fdr`` was asked for.

    >>> from typeone import scf
    >>> documents = {"source": [1, 2, 3, 4, 5], "score": [0.1, 5.0, 0.2, 0.3, 9.0], "control": [True] * 4 + [False]}
    >>> result = scf.apply(documents, control="control", split=scf.Split(1, 3))
    >>> float(result.p_exact[0]), float(result.attainable(result.levels[0]))
    (1.0, 0.0)
    """

    sources: pa.Array
    documents: NDArray[np.int64]
    evidence: NDArray[np.float64]
    capped: NDArray[np.int64] | None
    p_exact: list[Fraction]
    discovery: NDArray[np.bool_] | None
    method: str
    cap: Level | None
    levels: tuple[Level, ...]
    fdr: Level | None
    reference_sources: int
    calibration_sources: int
    resplit: bool
    unused_controls: int
    dropped: int
    spread: SplitSpread | None

    @property
    def p_value(self) -> NDArray[np.float64]:
        """p-values as doubles, shape (n,)."""
        return np.array([float(p) for p in self.p_exact])

    def reject(self, level: Level) -> NDArray[np.bool_]:
        """p <= level, compared as rationals, shape (n,)."""
        return np.array([p <= level for p in self.p_exact], dtype=bool)

    def attainable(self, level: Level) -> Fraction:
        """The largest error rate the test can have at ``level``: floor(t (L + 1)) / (L + 1).

        Over several splits the doubled mean has no finer bound than the level itself, or 0 below 2 / (L + 1).
        """
        steps = self.calibration_sources + 1
        if self.spread is not None:
            return Fraction(level) if level >= Fraction(2, steps) else Fraction(0)
        return Fraction(most_ranks(level, self.calibration_sources), steps)

    @property
    def guarantee(self) -> str:
        """What is promised, and under which assumption."""
        return GUARANTEE

    @property
    def warnings(self) -> list[str]:
        """What a reader must know before using the decisions."""
        smallest = Fraction(2 if self.spread else 1, self.calibration_sources + 1)
        found = [
            f"level {t.text}: no rejection is possible, the smallest p-value with {self.calibration_sources} "
            f"calibration sources is {float(smallest):.4g}"
            for t in self.levels
            if t < smallest
        ]
        if self.resplit:
            found.append("the controls were split at random again; their roles in the file only fix K and L")
        if self.dropped:
            found.append(f"{self.dropped} documents without a score were left out")
        if self.unused_controls:
            found.append(f"{self.unused_controls} control sources were not used")
        return found

    def to_arrow(self) -> pa.Table:
        """One row per target: source, documents, evidence, p_value, reject_<level>, and what was asked for."""
        columns: dict[str, Any] = {
            "source": self.sources,
            "documents": self.documents,
            "evidence": self.evidence,
            "p_value": self.p_value,
        }
        columns |= {f"reject_{t.text}": self.reject(t) for t in self.levels}
        if self.discovery is not None and self.fdr is not None:
            columns[f"discovery_fdr_{self.fdr.text}"] = self.discovery
        if self.capped is not None:
            columns["capped"] = self.capped
        if self.spread is not None:
            columns |= {"p_low": self.spread.low, "p_median": self.spread.median, "p_high": self.spread.high}
        return pa.table(columns)

    def __len__(self) -> int:
        return len(self.p_exact)

    @property
    def title(self) -> str:
        """Method and sizes in one line."""
        name = TITLES.get(self.method, self.method) + (f" (cap {self.cap.text})" if self.cap is not None else "")
        reference = f"{self.reference_sources} reference, " if self.reference_sources else ""
        repeated = f", {self.spread.splits} splits (p = twice the mean)" if self.spread else ""
        return f"{name}: {len(self)} targets, {reference}{self.calibration_sources} calibration sources{repeated}"

    def _levels(self) -> Iterator[tuple[str, float, int]]:
        for t in self.levels:
            yield t.text, float(self.attainable(t)), int(self.reject(t).sum())

    def _by_evidence(self) -> tuple[list[str], list[tuple[Any, ...]]]:
        """The smallest p-values first, as many as are shown."""
        table = self.to_arrow()
        return table.column_names, first_rows(table, np.argsort(self.p_value, kind="stable"))

    def __str__(self) -> str:
        parts = [
            self.title,
            text_table(["level", "attainable", "rejected"], self._levels()),
            text_table(*self._by_evidence(), total=len(self)),
            *warned(self.warnings),
            self.guarantee,
        ]
        return folded("\n\n".join(parts))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        levels = html_table(["level", "attainable", "rejected"], self._levels())
        rows = html_table(*self._by_evidence(), caption=self.title, total=len(self))
        notes = html_paragraphs([*warned(self.warnings), self.guarantee])
        return levels + drawn("scf", self) + rows + notes
