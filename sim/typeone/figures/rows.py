"""Rows of a summary: told apart, put in order, and described."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from typeone.display import cell
from typeone.levels import Level

Row: TypeAlias = dict[str, Any]


def rows_of(table: pa.Table | Sequence[Row], **wanted: Any) -> list[Row]:
    """The rows with an estimate whose columns have the ``wanted`` values (None: any)."""
    rows = table.to_pylist() if isinstance(table, pa.Table) else table
    kept = {name: value for name, value in wanted.items() if value is not None}
    found = [
        row for row in rows if row["estimate"] is not None and all(row[name] == value for name, value in kept.items())
    ]
    if not found:
        raise ValueError(f"no row of the table has an estimate and {kept or 'any values'}")
    return found


def groups(rows: Iterable[Row], *names: str) -> dict[tuple[Any, ...], list[Row]]:
    """Rows by the values of some columns, in order of first appearance."""
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[name] for name in names), []).append(row)
    return found


def numeric(value: Any) -> Fraction | None:
    """The exact number that a factor's value or a level stands for, if it is one."""
    if isinstance(value, bool) or value is None:
        return None
    try:
        return Level(value)
    except ValueError:
        return None


def levels_of(rows: Iterable[Row]) -> list[str]:
    """The distinct levels, as typed, smallest first."""
    found = {row["level"] for row in rows if row["level"]}
    return sorted(found, key=Level)


def in_order(values: Iterable[Any]) -> list[Any]:
    """Distinct values: numbers by size, and otherwise in order of first appearance."""
    distinct = list(dict.fromkeys(values))
    exact = {value: numeric(value) for value in distinct}
    if any(number is None for number in exact.values()):
        return distinct
    return sorted(distinct, key=lambda value: exact[value] or 0)


def column(rows: Sequence[Row], name: str) -> NDArray[np.float64]:
    """A column as doubles, NaN where it is undefined."""
    return np.array([np.nan if row[name] is None else row[name] for row in rows], dtype=np.float64)


def row_numbers(rows: Iterable[Row]) -> list[int | None]:
    """The rows' numbers in the summary, when it has them."""
    return [row.get("row") for row in rows]


def bars(rows: Sequence[Row]) -> NDArray[np.float64]:
    """Lengths of the interval below and above each estimate, shape (2, rows); 0 where it is undefined."""
    estimate = column(rows, "estimate")
    lengths = np.array([estimate - column(rows, "lower"), column(rows, "upper") - estimate])
    return np.asarray(np.nan_to_num(np.maximum(lengths, 0.0)), dtype=np.float64)


def opening(text: str) -> str:
    """``text`` with a capital letter, to begin a sentence."""
    return text[:1].upper() + text[1:]


def statement(rows: Sequence[Row], *, bars: bool = True) -> str:
    """Repetitions, failures and Monte Carlo error of some rows, in words."""
    counts = sorted({row["attempted"] for row in rows})
    repetitions = f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"
    errors = [row["mc_se"] for row in rows if row["mc_se"] is not None]
    parts = [f"{repetitions} repetitions in each cell"]
    if failed := sum({row.get("cell", 0): row["failed"] for row in rows}.values()):
        parts.append(f"{failed:,} failed")
    if invalid := max(row["attempted"] - row["failed"] - row["valid"] for row in rows):
        parts.append(f"up to {invalid:,} of a cell without a value")
    if errors:
        parts.append(f"Monte Carlo standard error at most {cell(max(errors))}")
    if not bars:
        return f"{', '.join(parts)}."
    kind = "valid at every look" if any(row.get("bounds") == "sequence" for row in rows) else "95 %"
    return f"{', '.join(parts)}; bars are intervals ({kind}, one at a time)."
