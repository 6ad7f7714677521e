"""How often each source is right: given, or estimated from labelled items with its uncertainty."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from typeone import tables
from typeone.exact import clopper_pearson
from typeone.levels import Level, LevelLike
from typeone.pooling.evidence import log_odds, reliability_of
from typeone.pooling.votes import Votes


@dataclass(frozen=True, slots=True)
class Estimates:
    """What labelled items say: ``right`` of ``labelled`` votes (n,), and a two-sided interval at ``level`` each."""

    right: NDArray[np.int64]
    labelled: NDArray[np.int64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    level: Level

    @property
    def standard_error(self) -> NDArray[np.float64]:
        """Of the estimated logit, (n,): sqrt(1 / (k + 1/2) + 1 / (m - k + 1/2))."""
        return np.sqrt(1 / (self.right + 0.5) + 1 / (self.labelled - self.right + 0.5))


@dataclass(frozen=True, slots=True)
class Reliabilities:
    """Probabilities of being right, exact, for the sources ``names`` (n,); ``estimates`` is None when given.

    >>> from typeone import pooling
    >>> votes = {"item": [1, 1, 2, 2], "source": ["a", "b", "a", "b"], "vote": [1, 1, 1, 0]}
    >>> found = pooling.apply(votes, reliability={"a": ".9", "b": ".8"}).reliabilities
    >>> found.to_arrow()["reliability"].to_pylist()
    [0.9, 0.8]
    """

    names: pa.Array
    values: tuple[Fraction, ...]
    estimates: Estimates | None = None

    def to_arrow(self) -> pa.Table:
        """One row per source: source, reliability, log_odds, and for estimates right, labelled, lower, upper."""
        columns: dict[str, Any] = {
            "source": self.names,
            "reliability": [float(r) for r in self.values],
            "log_odds": [log_odds(r) for r in self.values],
        }
        if self.estimates is not None:
            e = self.estimates
            columns |= {
                "log_odds_se": e.standard_error,
                "right": e.right,
                "labelled": e.labelled,
                "lower": e.lower,
                "upper": e.upper,
            }
        return pa.table(columns)


def smoothed(right: int, labelled: int) -> Fraction:
    """(right + 1/2) / (labelled + 1): strictly between 0 and 1, and 1/2 without any label."""
    return Fraction(2 * right + 1, 2 * labelled + 2)


def fitted(votes: Votes, used: NDArray[np.bool_], level: Level) -> Reliabilities:
    """Reliabilities from the votes on the labelled items ``used`` (T,), with Clopper-Pearson intervals.

    The intervals assume that the items are independent draws; each misses with probability at most ``level``.
    A source without a vote on such an item gets 1/2, that is no weight, and the interval [0, 1].
    """
    n = len(votes.sources)
    counted = used[votes.item]
    source = votes.source[counted]
    is_right = votes.vote[counted] == votes.truth[votes.item[counted]]
    labelled = np.bincount(source, minlength=n)
    right = np.bincount(source[is_right], minlength=n)
    lower, upper = np.zeros(n), np.ones(n)
    known = labelled > 0
    if known.any():
        lower[known], upper[known] = clopper_pearson(right[known], labelled[known], level)
    values = tuple(smoothed(int(k), int(m)) for k, m in zip(right, labelled, strict=True))
    return Reliabilities(votes.sources, values, Estimates(right, labelled, lower, upper, level))


def given(reliability: Mapping[Any, LevelLike] | Any, names: pa.Array, source: str) -> Reliabilities:
    """Reliabilities handed in: a mapping from source to value, or a table with a source column and ``reliability``.

    The table's source column is called as in the votes (``source``), or "source".  Raises ValueError for a value
    outside (0, 1), a source named twice, and a source of the votes that is not there.
    """
    plain = isinstance(reliability, Mapping) and "reliability" not in reliability
    pairs = list(reliability.items()) if plain else _rows(reliability, source)
    values: dict[str, Fraction] = {}
    for name, value in pairs:
        if str(name) in values:
            raise ValueError(f"reliability: source {name!r} is named twice")
        values[str(name)] = reliability_of(f"reliability of source {name!r}", value)
    for name in names.to_pylist():
        if str(name) not in values:
            raise ValueError(f"reliability: no value for source {name!r}")
    return Reliabilities(names, tuple(values[str(name)] for name in names.to_pylist()))


def several(name: str, values: Sequence[LevelLike]) -> list[Fraction]:
    """One reliability or more, each exact; a ValueError names a bad one by its position."""
    if isinstance(values, str | bytes) or not np.iterable(values):
        raise ValueError(f"{name}={values!r}: a list of one value for each source is needed")
    exact = [reliability_of(f"{name}[{i}]", value) for i, value in enumerate(values)]
    if not exact:
        raise ValueError(f"{name}: at least one value is needed")
    return exact


def _rows(data: Any, source: str) -> list[tuple[Any, float]]:
    if not (isinstance(data, Mapping | str | os.PathLike | pa.Table) or hasattr(data, "__arrow_c_stream__")):
        raise ValueError(f"reliability: a mapping from source to value or a table is needed, not {type(data).__name__}")
    table = tables.as_table(data)
    codes, names = tables.labels(table, source if source in table.column_names else "source")
    return list(zip(names.take(pa.array(codes)).to_pylist(), tables.scores(table, "reliability").tolist(), strict=True))
