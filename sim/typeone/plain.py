"""Columns of every kind in the types that computations know, and arrays that Arrow does not take as they are.

A column that no computation looks at may be of any type: what has no plainer form stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc


def plain(table: pa.Table) -> pa.Table:
    """The same values without codes, runs, views, extensions, half precision or short decimals."""
    for position, name in enumerate(table.column_names):
        values = _plain_column(table.column(position))
        if values.type != table.schema.types[position]:
            table = table.set_column(position, name, values)
    return table


def _plain_column(values: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = values.type
    if isinstance(kind, pa.BaseExtensionType):
        return _plain_column(_stored(values))
    if pa.types.is_dictionary(kind):
        parts = [part.dictionary.take(part.indices) for part in values.chunks]
        return _plain_column(pa.chunked_array(parts, kind.value_type))
    if pa.types.is_run_end_encoded(kind):
        return _plain_column(pa.chunked_array([pc.run_end_decode(part) for part in values.chunks], kind.value_type))
    if pa.types.is_string_view(kind) or pa.types.is_large_string(kind):
        return values.cast(pa.string())
    if pa.types.is_binary_view(kind):
        return values.cast(pa.binary())
    if pa.types.is_decimal32(kind) or pa.types.is_decimal64(kind):
        return values.cast(pa.decimal128(kind.precision, kind.scale))
    return values.cast(pa.float32()) if pa.types.is_float16(kind) else values


def _stored(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """What an extension type is made of; Arrow's truth values in eight bits are truth values."""
    kind = values.type
    stored = pa.chunked_array([part.storage for part in values.chunks], kind.storage_type)
    return pc.not_equal(stored, 0) if isinstance(kind, pa.Bool8Type) else stored


def as_text(name: str, values: pa.ChunkedArray) -> pa.ChunkedArray:
    """The values as text; a ValueError names the column of a type that has no text."""
    try:
        return values.cast(pa.string())
    except pa.ArrowException:
        raise ValueError(f"column {name!r}: values of type {values.type} cannot be compared with text") from None


def shown(values: pa.ChunkedArray, row: int) -> str:
    """One value as Python writes it; where Python has none such (a date beyond the year 9999), as Arrow does."""
    try:
        return repr(values[row].as_py())
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return repr(as_text("", values.slice(row, 1))[0].as_py())


def table_of(data: Any) -> pa.Table:
    """An Arrow table of a mapping or a frame; a ValueError names the column that Arrow cannot hold."""
    try:
        return pa.table(data)
    except (pa.ArrowException, OverflowError, TypeError, ValueError) as error:
        names = list(data) if isinstance(data, Mapping) else list(getattr(data, "columns", ()))
        if isinstance(data, pa.Table) or not names:
            raise ValueError(f"data: cannot be read as a table: {_reason(error)}") from None
    columns = {str(name): _array(str(name), data[name]) for name in names}
    sizes = {name: len(values) for name, values in columns.items()}
    first = next(iter(sizes))
    for name, size in sizes.items():
        if size != sizes[first]:
            raise ValueError(f"column {name!r}: has {size} values, column {first!r} has {sizes[first]}")
    return pa.table(columns)


def _array(name: str, values: Any) -> pa.Array:
    kind = getattr(values, "dtype", None)
    if isinstance(kind, np.dtype) and not kind.isnative and kind.kind in "iuf":
        values = np.asarray(values).astype(kind.newbyteorder("="))
    try:
        return pa.array(values)
    except (pa.ArrowException, OverflowError, TypeError, ValueError) as error:
        if isinstance(kind, np.dtype) and kind.kind != "O" and np.ndim(values) == 1:
            raise ValueError(f"column {name!r}: values of type {kind} are not read; convert them first") from None
        if isinstance(error, OverflowError):
            raise ValueError(f"column {name!r}: a whole number of more than 64 bits") from None
        kinds = list(dict.fromkeys(type(value).__name__ for value in values)) if np.iterable(values) else []
        told = f"holds values of the types {', '.join(kinds)}; write all in one way" if len(kinds) > 1 else ""
        raise ValueError(f"column {name!r}: {told or _reason(error)}") from None


def _reason(error: BaseException) -> str:
    return str(error).splitlines()[0].strip().rstrip(".")
