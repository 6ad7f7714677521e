"""Scores of candidates and calibration items under several models, read from a long or a wide table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from typeone import tables
from typeone.groups import constant_within, first_repeat

ROLES = {"candidate": True, "calibration": False}


@dataclass(frozen=True, slots=True)
class Scores:
    """Finite scores by model and item, both in order of first appearance.

    items (n,) and candidates (K, n); calibration (K, M), NaN where a model has no score of a calibration item.
    """

    models: tuple[Any, ...]
    items: pa.Array
    candidates: NDArray[np.float64]
    calibration: NDArray[np.float64]
    dropped: int
    """Candidates left out for want of a score."""

    @property
    def absent(self) -> int:
        """Calibration items without a score, counted once for each model."""
        return int(np.isnan(self.calibration).sum())


@dataclass(frozen=True, slots=True)
class _Rows:
    """One score a row: codes of item and model, its value, and its row in the table."""

    item: NDArray[np.int64]
    model: NDArray[np.int64]
    value: NDArray[np.float64]
    row: NDArray[np.int64]


def read_scores(
    table: pa.Table, item: str, model: str | None, role: str, score: str | Sequence[str], missing: tables.Missing
) -> Scores:
    """The scores of a long table (one row for each item and model) or, with ``model=None``, of a wide one.

    A wide table has one row for each item and in ``score`` the column of each model, whose name is the model's.
    Raises ValueError for the rows and names that do not fit; see ``typeone.jecs.apply``.
    """
    items, names = tables.labels(table, item)
    candidate = constant_within(is_candidate(table, role), items, names, role, item)
    number = np.arange(1, table.num_rows + 1)
    if model is None:
        columns = _columns(score)
        values = np.concatenate([tables.scores(table, name, missing=missing) for name in columns])
        models, K = tuple(columns), len(columns)
        each = np.repeat(np.arange(K), table.num_rows)
        rows = _Rows(np.tile(items, K), each, values, np.tile(number, K))
    else:
        if not isinstance(score, str):
            raise ValueError(f"score={list(score)!r}: a long table has one column of scores")
        codes, words = tables.labels(table, model)
        models = tuple(words.to_pylist())
        rows = _Rows(items, codes, tables.scores(table, score, missing=missing), number)
    return _pivoted(rows, names, candidate, models, missing)


def is_candidate(table: pa.Table, role: str) -> NDArray[np.bool_]:
    """True in the rows of candidates, shape (rows,)."""
    return tables.words_as(table, role, ROLES)


def _columns(score: str | Sequence[str]) -> list[str]:
    columns = [score] if isinstance(score, str) else list(score)
    repeated = [name for i, name in enumerate(columns) if name in columns[:i]]
    if repeated or not columns:
        raise ValueError(f"score={columns!r}: a wide table has one column for each model, every one named once")
    return columns


def _pivoted(
    rows: _Rows, names: pa.Array, candidate: NDArray[np.bool_], models: tuple[Any, ...], missing: tables.Missing
) -> Scores:
    repeat = first_repeat(rows.item, rows.model)
    if repeat is not None:
        a, b = repeat
        raise ValueError(
            f"rows {rows.row[a]} and {rows.row[b]}: item {_name(names, rows.item[b])} has two scores under model "
            f"{models[rows.model[b]]!r}"
        )
    scores = np.full((len(models), len(names)), np.nan)
    scores[rows.model, rows.item] = rows.value
    of = np.flatnonzero(candidate)
    incomplete = np.isnan(scores[:, of])
    if incomplete.any() and missing == "error":
        k, i = np.argwhere(incomplete.T)[0][::-1]
        raise ValueError(
            f"item {_name(names, of[i])} has no score under model {models[k]!r} ({int(incomplete.sum())} such pairs "
            "of candidates): every candidate is scored by every model (missing='drop' leaves such candidates out)"
        )
    kept = of[~incomplete.any(axis=0)]
    if not kept.size:
        raise ValueError("role: no candidate is given" if not of.size else "every candidate lacks a score")
    return Scores(models, names.take(kept), scores[:, kept], scores[:, ~candidate], int(of.size - kept.size))


def _name(names: pa.Array, code: Any) -> str:
    return repr(names[int(code)].as_py())
