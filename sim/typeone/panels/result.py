"""What a certificate says: one row per unit, one row per panel size, and what is promised."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from typeone.display import first_rows, folded, html_paragraphs, html_table, text_table, warned
from typeone.notebook import drawn
from typeone.panels.certificate import Certificate
from typeone.panels.contamination import Contamination
from typeone.panels.design import LARGEST_DESIGN
from typeone.panels.options import Options, decimal

LAYERS = {
    "exact": "of the generator's units",
    "hoeffding": "of the generator's units (Hoeffding)",
    "catalogue": "of the catalogue",
}
CENSUS_NOTE = (
    "Frozen census and certificate answer different questions. The stable size takes the votes in the file as the "
    "whole population and asks how large a panel drawn from them must be. The certificate takes them as a sample and "
    "asks about evaluators and units that are not in the file."
)


@dataclass(frozen=True, slots=True)
class Needs:
    """Sizes needed before any vote: units when all pass (None for a catalogue), evaluators when all agree (G,).

    0: more than ``LARGEST_DESIGN``.

    >>> from typeone import panels
    >>> votes = {"evaluator": [1, 1, 2, 2, 3, 3], "unit": [7, 8, 7, 8, 7, 8], "vote": [1, 0, 1, 0, 1, 1]}
    >>> panels.apply(votes).needs.units
    74
    """

    units: int | None
    evaluators: NDArray[np.int64]


@dataclass(frozen=True, slots=True, repr=False)
class Result:
    """A vote matrix of E evaluators on A units: arrays by unit have shape (A,), in order of first appearance.

    minimum, stable : panel sizes of the frozen census of the E votes in the file.
    lower, upper : the unit's interval for the acceptance probability.
    passes_at : smallest size of the grid from which on the unit passes; 0 if it does not pass at the largest.

    >>> from typeone import panels
    >>> votes = {"evaluator": [1, 1, 2, 2, 3, 3], "unit": [7, 8, 7, 8, 7, 8], "vote": [1, 0, 1, 0, 1, 1]}
    >>> panels.apply(votes).to_arrow()["decision"].to_pylist()
    ['accept', 'reject']
    """

    options: Options
    units: pa.Array
    evaluators: int
    positives: NDArray[np.int64]
    accepted: NDArray[np.bool_]
    minimum: NDArray[np.int64]
    stable: NDArray[np.int64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    passes_at: NDArray[np.int64]
    certificate: Certificate
    contamination: Contamination
    needs: Needs
    malformed: int
    absent: int

    @property
    def guarantee(self) -> str:
        """What is promised, at which confidence, and under which assumptions."""
        terms = self.certificate.terms
        units = (
            "the units are the whole catalogue"
            if terms.generator == "catalogue"
            else "units are independent draws from the generator"
        )
        return (
            f"With probability {decimal(1 - terms.risk)} every bound above is at most the true share of units on which "
            f"a panel of that size errs with probability at most {terms.delta.text}. Assumed: evaluators (rows) are "
            f"independent draws from their population, {units} and independent of the evaluators. Votes of one "
            "evaluator on different units may depend on each other in any way."
        )

    @property
    def warnings(self) -> list[str]:
        """What a reader must know before using the certificate."""
        terms = self.certificate.terms
        found = []
        if self.malformed or self.absent:
            found.append(f"{self.malformed} malformed and {self.absent} absent votes were counted as 0")
        needed = self.needs.units
        if needed is not None and (not needed or len(self) < needed):
            told = needed or f"more than {LARGEST_DESIGN}"
            found.append(f"{len(self)} units cannot certify anything: {told} are needed even if every one passes")
        short = [int(size) for size, E in zip(terms.grid, self.needs.evaluators, strict=True) if self.evaluators < E]
        if short:
            found.append(
                f"with {self.evaluators} evaluators no unit can pass at K = {', '.join(map(str, short))}, "
                "not even a unanimous one"
            )
        return found

    def to_arrow(self) -> pa.Table:
        """One row per unit: unit, positives, votes, decision, minimum_size, stable_size, lower, upper, passes_at."""
        return pa.table(
            {
                "unit": self.units,
                "positives": self.positives,
                "votes": np.full(len(self), self.evaluators),
                "decision": np.where(self.accepted, "accept", "reject"),
                "minimum_size": self.minimum,
                "stable_size": self.stable,
                "lower": self.lower,
                "upper": self.upper,
                "passes_at": pa.array(self.passes_at, mask=self.passes_at == 0),
            }
        )

    def __len__(self) -> int:
        return len(self.units)

    @property
    def title(self) -> str:
        """Sizes, method and tolerance in one line."""
        terms = self.certificate.terms
        return (
            f"Panels: {self.evaluators} evaluators, {len(self)} units, {self.options.method} certificate "
            f"{LAYERS[terms.generator]}, δ = {terms.delta.text}, θ = {terms.theta.text}"
        )

    @property
    def verdict(self) -> str:
        """The answer: the smallest certified size, or that there is none."""
        terms, chosen = self.certificate.terms, self.certificate.chosen
        share = decimal(1 - terms.beta)
        if chosen is None:
            best = self.certificate.bound.max()
            return f"Not certified: no size of the grid reaches {share} (the largest bound is {best:.4g})."
        return f"Certified at K = {chosen}: a panel of {chosen} errs with probability at most δ on {share} or more."

    def _sizes(self) -> Iterator[tuple[Any, ...]]:
        certificate, stable = self.certificate, self.stable
        rows = certificate.to_arrow().to_pylist()
        for row, E in zip(rows, self.needs.evaluators.tolist(), strict=True):
            within = int(((stable > 0) & (stable <= row["size"])).sum())
            yield (*row.values(), within, E or None)

    def _tables(self) -> Iterator[tuple[str, list[str], list[tuple[Any, ...]], int]]:
        """Title, header, the rows that are shown, and how many there are."""
        header = [*self.certificate.to_arrow().column_names, "census_stable", "unanimous_evaluators"]
        yield "by panel size", header, list(self._sizes()), self.certificate.terms.grid.size
        table = self.to_arrow()
        yield "by unit", table.column_names, first_rows(table), len(self)
        yield from ((title, header, rows, len(rows)) for title, header, rows in self.contamination.tables())

    def _notes(self) -> list[str]:
        needs = self.needs.units
        told = needs or f"more than {LARGEST_DESIGN}"
        needed = [] if needs is None else [f"Units needed if every one passes: {told}."]
        columns = (
            "pass_from, pass_to: a unit passes with at least, or at most, so many positive votes. census_stable: units "
            "whose stable size in the frozen census is at most K. unanimous_evaluators: how many a unit needs to pass."
        )
        return [columns, *needed, *warned(self.warnings), CENSUS_NOTE, self.guarantee]

    def __str__(self) -> str:
        blocks = [f"{title}\n{text_table(header, rows, total=n)}" for title, header, rows, n in self._tables()]
        return folded("\n\n".join([self.title, self.verdict, *blocks, *self._notes()]))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        blocks = [html_table(header, rows, caption=title, total=n) for title, header, rows, n in self._tables()]
        head = html_paragraphs([self.title, self.verdict])
        return "".join([head, drawn("panels", self), *blocks, html_paragraphs(self._notes())])
