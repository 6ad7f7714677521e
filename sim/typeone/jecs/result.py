"""What joint decontamination found: one row per candidate, the envelope, and what is promised."""

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
from typeone.jecs.methods import METHODS
from typeone.levels import Level
from typeone.notebook import drawn

_HEADER = ("method", "selected", "cut-off", "estimated contamination bound")


@dataclass(frozen=True, slots=True)
class Envelope:
    """The chord envelope: P(p_max <= t) <= scale * t for t <= kappa = lam / 2, read off the p-values above kappa.

    inside : W, the number of p-values in (kappa, lam].
    width : w, the least attainable part of (kappa, lam] over the models.
    scale : s = (1 + W) / (n w); None where w = 0, and then neither envelope selects anything.

    >>> from typeone import jecs
    >>> members, rising = [1.0 + i for i in range(39)], [0.5, 0.6, 7.5, 20.5]
    >>> result = jecs.select({"a": rising, "b": rising}, {"a": members, "b": members})
    >>> str(result.envelope.lam), result.envelope.inside
    ('4/5', 1)
    """

    lam: Fraction
    kappa: Fraction
    inside: int
    width: Fraction
    scale: Fraction | None

    def __str__(self) -> str:
        scale = "undefined" if self.scale is None else f"{float(self.scale):.4g}"
        return (
            f"envelope: λ = {float(self.lam):.4g}, κ = {float(self.kappa):.4g}, W = {self.inside} p-values between, "
            f"width {float(self.width):.4g}, scale {scale}"
        )


@dataclass(frozen=True, slots=True, repr=False)
class Result:
    """The answer for n candidates under K models.

    items (n,) identifiers; models (K,) names; ranks (K, n) conformal ranks among ``calibration_sizes[k]`` + 1;
    selections: for every method that K allows, (n,) which items it selects; cutoffs: the largest max-p that a method
    selects (0: none), for the methods that have one; ``method`` is the one that was asked for.

    >>> from typeone import jecs
    >>> members, rising = [1.0 + i for i in range(39)], [0.5, 0.6, 7.5, 20.5]
    >>> result = jecs.select({"a": rising, "b": rising}, {"a": members, "b": members})
    >>> result.p_max.tolist(), result.selected.tolist()
    ([0.025, 0.025, 0.2, 0.525], [True, True, False, False])
    """

    items: pa.Array
    models: tuple[Any, ...]
    ranks: NDArray[np.int64]
    calibration_sizes: tuple[int, ...]
    selections: dict[str, NDArray[np.bool_]]
    cutoffs: dict[str, Fraction]
    envelope: Envelope
    method: str
    level: Level
    ties: str
    dropped: int
    absent: int

    @property
    def selected(self) -> NDArray[np.bool_]:
        """Which items are selected as clean, shape (n,)."""
        return self.selections[self.method]

    @property
    def selected_items(self) -> pa.Array:
        """The decontaminated item list."""
        return self.items.filter(pa.array(self.selected))

    @property
    def p_models(self) -> NDArray[np.float64]:
        """p-values of every model as doubles, shape (K, n)."""
        return np.asarray(self.ranks / (np.array(self.calibration_sizes)[:, None] + 1), np.float64)

    @property
    def p_max(self) -> NDArray[np.float64]:
        """Each item's largest p-value, shape (n,)."""
        return np.asarray(self.p_models.max(axis=0))

    def contamination_bound(self, method: str) -> Fraction | None:
        """n s t / max(1, |S|): the envelope's estimate of the contaminated share of a method's selection.

        None where the method has no cut-off t, the scale s is undefined, or t lies above kappa, where the envelope
        says nothing.
        """
        cutoff, scale = self.cutoffs.get(method), self.envelope.scale
        if cutoff is None or scale is None or cutoff > self.envelope.kappa:
            return None
        return len(self) * scale * cutoff / max(1, int(self.selections[method].sum()))

    @property
    def guarantee(self) -> str:
        """What the chosen method promises, under which assumptions, and what breaks it."""
        return METHODS[self.method].promise

    @property
    def warnings(self) -> list[str]:
        """What a reader must know before using the selection."""
        found = list(self._too_few())
        if self.envelope.scale is None:
            remedy = "; ties='random' may help" if self.ties == "attainable" else ""
            found.append(f"no p-value can lie between κ and λ: the envelope is undefined and selects nothing{remedy}")
        if self.dropped:
            found.append(f"{self.dropped} candidates without a score under every model were left out")
        if self.absent:
            found.append(
                f"{self.absent} pairs of calibration item and model have no score; each model is calibrated on those "
                f"it has ({', '.join(f'{k}: {m}' for k, m in zip(self.models, self.calibration_sizes, strict=True))})"
            )
        return found

    def _too_few(self) -> Iterator[str]:
        """Models whose smallest p-value exceeds level / n, so that no item can be selected alone."""
        n = len(self)
        for m in sorted(set(self.calibration_sizes)):
            fewest = math.ceil(n / (self.level * (m + 1)))
            if fewest > 1:
                named = [str(k) for k, size in zip(self.models, self.calibration_sizes, strict=True) if size == m]
                yield (
                    f"model{'s' * (len(named) > 1)} {', '.join(named)}: {m} calibration scores give no p-value below "
                    f"{1 / (m + 1):.4g}, but level / n = {float(self.level / n):.4g}: max-p BH "
                    + ("can select nothing" if fewest > n else f"selects at least {fewest} items or none")
                )

    def to_arrow(self) -> pa.Table:
        """One row per candidate: item, p_max, selected, p_model_<model>, selected_<method> of every method."""
        columns: dict[str, Any] = {"item": self.items, "p_max": self.p_max, "selected": self.selected}
        columns |= {f"p_model_{model}": p for model, p in zip(self.models, self.p_models, strict=True)}
        columns |= {f"selected_{name}": of for name, of in self.selections.items()}
        return pa.table(columns)

    def __len__(self) -> int:
        return len(self.items)

    @property
    def title(self) -> str:
        """Method and sizes in one line."""
        sizes = sorted(set(self.calibration_sizes))
        shown = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
        return (
            f"{METHODS[self.method].title} at level {self.level.text}: {int(self.selected.sum())} of {len(self)} "
            f"candidates selected; {len(self.models)} models, {shown} calibration scores each"
        )

    def _methods(self) -> Iterator[tuple[str, int, float | None, float | None]]:
        for name, chosen in self.selections.items():
            cutoff, bound = self.cutoffs.get(name), self.contamination_bound(name)
            yield (
                f"{METHODS[name].title}{' *' if name == self.method else ''}",
                int(chosen.sum()),
                None if cutoff is None else float(cutoff),
                None if bound is None else float(bound),
            )

    def _items(self) -> tuple[list[str], list[tuple[Any, ...]]]:
        """The smallest p_max first, as many as are shown."""
        table = self.to_arrow().select(range(3 + len(self.models)))
        return table.column_names, first_rows(table, np.argsort(self.p_max, kind="stable"))

    def __str__(self) -> str:
        parts = [
            self.title,
            text_table(_HEADER, self._methods()),
            str(self.envelope),
            text_table(*self._items(), total=len(self)),
            *warned(self.warnings),
            self.guarantee,
        ]
        return folded("\n\n".join(parts))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        notes = html_paragraphs([str(self.envelope), *warned(self.warnings), self.guarantee])
        items = html_table(*self._items(), caption=self.title, total=len(self))
        return html_table(_HEADER, self._methods()) + drawn("jecs", self) + items + notes
