"""Arrow arrays from buffers.

``pyarrow.array`` and ``to_numpy`` look at pandas first, and import it where it is installed: half a second that a small
run would spend on nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa


def numbers(values: np.ndarray, kind: pa.DataType) -> pa.Array:
    """An array of ``kind``, which is that of ``values`` (n,); without nulls."""
    contiguous = np.ascontiguousarray(values)
    return pa.Array.from_buffers(kind, contiguous.size, [None, pa.py_buffer(contiguous)])


def doubles(column: pa.ChunkedArray) -> np.ndarray:
    """A float64 column without nulls, (n,); read only."""
    parts = [np.frombuffer(c.buffers()[1], np.float64)[c.offset : c.offset + len(c)] for c in column.chunks if len(c)]
    return parts[0] if len(parts) == 1 else np.concatenate([np.empty(0), *parts])


def strings(texts: Sequence[str | None]) -> pa.Array:
    """Text, None for null."""
    encoded = [(text or "").encode() for text in texts]
    offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int32)
    content = [_valid(texts), pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.string(), len(encoded), content)


def table(rows: Sequence[dict[str, Any]], schema: pa.Schema) -> pa.Table:
    """A table of ``rows``, a missing value or None for null; columns of text, numbers and booleans."""
    return pa.Table.from_arrays([_column([row.get(f.name) for row in rows], f.type) for f in schema], schema=schema)


def _column(values: list[Any], kind: pa.DataType) -> pa.Array:
    if kind == pa.string():
        return strings(values)
    known = [0 if value is None else value for value in values]
    content = _bits(known) if kind == pa.bool_() else pa.py_buffer(np.array(known, dtype=kind.to_pandas_dtype()))
    return pa.Array.from_buffers(kind, len(values), [_valid(values), content])


def _valid(values: Iterable[Any]) -> pa.Buffer | None:
    """The bitmap of what is not None; nothing when all is."""
    known = [value is not None for value in values]
    return None if all(known) else _bits(known)


def _bits(values: Sequence[Any]) -> pa.Buffer:
    return pa.py_buffer(np.packbits(np.array(values, dtype=bool), bitorder="little"))
