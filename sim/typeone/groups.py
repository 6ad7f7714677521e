"""Rows that belong together by their codes: nothing stands twice, and a group has one value."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Value = TypeVar("Value", bound=np.generic)


def repeats(*codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Positions (k, 2) of rows that repeat an earlier one in all of ``codes``: the first of their kind, and theirs.

    ``codes`` are one or two columns (rows,); the repeating rows are in order.
    """
    key = codes[0]
    for code in codes[1:]:
        key = key * (int(code.max(initial=0)) + 1) + code
    order = np.argsort(key, kind="stable")
    again = np.flatnonzero(np.diff(key[order]) == 0) + 1
    if not again.size:
        return np.empty((0, 2), np.int64)
    # The sort is stable: each run of equal rows begins with its first.
    start = np.arange(order.size)
    start[again] = 0
    pairs = np.stack([order[np.maximum.accumulate(start)[again]], order[again]], axis=1)
    return pairs[np.argsort(pairs[:, 1])]


def first_repeat(*codes: NDArray[np.int64]) -> tuple[int, int] | None:
    """The first row that repeats an earlier one, preceded by the first of its kind: two positions, or None."""
    pairs = repeats(*codes)
    return (int(pairs[0, 0]), int(pairs[0, 1])) if pairs.size else None


def constant_within(
    values: NDArray[Value], codes: NDArray[np.int64], names: pa.Array, column: str, group: str
) -> NDArray[Value]:
    """The value that each group has in all its rows: ``values`` and ``codes`` (rows,), result (groups,).

    ``names`` (groups,) are the groups', ``column`` and ``group`` the names of the two columns.  Raises ValueError,
    naming the row, for a group with two values.
    """
    found = np.empty(len(names), values.dtype)
    found[codes[::-1]] = values[::-1]  # a group's first row counts
    wrong = found[codes] != values
    if wrong.any():
        row = int(wrong.argmax())
        told = f"{group} {names[int(codes[row])].as_py()!r} had another value before"
        raise ValueError(f"column {column!r}, row {row + 1}: {told}; one value for each {group} is needed")
    return found
