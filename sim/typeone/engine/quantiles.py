"""Exact quantiles of stored values in bounded memory: radix selection, four passes over a cell's chunks.

The quantile at p of n values is the ceil(n p)-th smallest.  Its interval has order statistics as ends, with
probability at least 95 % for a number of repetitions fixed in advance (Conover 1999, section 3.2).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy import stats

from typeone.engine.storage import Store
from typeone.engine.study import Column
from typeone.engine.verdicts import INTERVAL_ERROR
from typeone.levels import Level, LevelLike, levels

_BITS = 16
_SIGN = np.uint64(1 << 63)

SCHEMA = pa.schema(
    [
        ("cell", pa.int32()),
        ("method", pa.string()),
        ("measure", pa.string()),
        ("level", pa.string()),
        ("probability", pa.string()),
        ("quantile", pa.float64()),
        ("lower", pa.float64()),
        ("upper", pa.float64()),
        ("valid", pa.int64()),
    ]
)


class _Wanted(NamedTuple):
    """The ``rank``-th smallest (from 1) among values whose leading bits are ``prefix``."""

    column: Column
    prefix: int
    rank: int


def quantiles(folder: str | Path, probabilities: Sequence[LevelLike]) -> pa.Table:
    """Quantiles of every column of every cell, one row for each probability in (0, 1)."""
    exact = levels("quantile", list(probabilities))
    store = Store(folder)
    rows = []
    for cell in range(len(store.manifest.factors)):
        counts = _counts(store, cell)
        asked = [(column, p, _ranks(n, p)) for column, n in counts.items() if n for p in exact]
        values = iter(_select(store, cell, [_Wanted(column, 0, k) for column, _, ranks in asked for k in ranks]))
        for column, p, _ in asked:
            quantile, lower, upper = next(values), next(values), next(values)
            rows.append((cell, *column, p.text, quantile, lower, upper, counts[column]))
    return pa.table([list(part) for part in zip(*rows, strict=True)] or [[]] * len(SCHEMA), schema=SCHEMA)


def _ranks(n: int, p: Level) -> tuple[int, int, int]:
    """Ranks of the quantile and of the ends of its interval."""
    tail = INTERVAL_ERROR / 2
    low = int(stats.binom.ppf(tail, n, float(p)))
    high = int(stats.binom.ppf(1 - tail, n, float(p))) + 1
    return math.ceil(n * p), max(low, 1), min(high, n)


def _counts(store: Store, cell: int) -> dict[Column, int]:
    counts: dict[Column, int] = {}
    for _, rows in store.rows(cell):
        valid = np.count_nonzero(~np.isnan(rows.values), axis=0)
        for column, count in zip(rows.columns, valid.tolist(), strict=True):
            counts[column] = counts.get(column, 0) + count
    return dict(sorted(counts.items()))


def _select(store: Store, cell: int, wanted: list[_Wanted]) -> list[float]:
    for shift in range(64 - _BITS, -1, -_BITS):
        shares = {(want.column, want.prefix): np.zeros(1 << _BITS, np.int64) for want in wanted}
        for _, rows in store.rows(cell):
            keys = {column: _keys(rows.values[:, i]) for i, column in enumerate(rows.columns)}
            for (column, prefix), share in shares.items():
                if column in keys:
                    share += _histogram(keys[column], prefix, shift)
        wanted = [_narrowed(want, shares[want.column, want.prefix]) for want in wanted]
    return [_value(want.prefix) for want in wanted]


def _keys(values: NDArray[np.float64]) -> NDArray[np.uint64]:
    """Integers in the order of the valid values."""
    bits = (values[~np.isnan(values)] + 0.0).view(np.uint64)  # + 0.0: -0.0 and 0.0 are one value
    return np.where(bits & _SIGN, ~bits, bits | _SIGN)


def _histogram(keys: NDArray[np.uint64], prefix: int, shift: int) -> NDArray[np.int64]:
    if shift + _BITS < 64:
        keys = keys[keys >> np.uint64(shift + _BITS) == np.uint64(prefix)]
    digits = (keys >> np.uint64(shift)) & np.uint64((1 << _BITS) - 1)
    return np.bincount(digits.astype(np.int64), minlength=1 << _BITS)


def _narrowed(want: _Wanted, share: NDArray[np.int64]) -> _Wanted:
    upto = np.cumsum(share)
    digit = int(np.searchsorted(upto, want.rank))
    below = int(upto[digit - 1]) if digit else 0
    return want._replace(prefix=(want.prefix << _BITS) | digit, rank=want.rank - below)


def _value(key: int) -> float:
    bits = key ^ (1 << 63) if key >> 63 else key ^ ((1 << 64) - 1)
    return float(np.array([bits], np.uint64).view(np.float64)[0])
