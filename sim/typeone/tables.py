"""Users' tables: read by content, checked column by column, written whole.

Every error is a ValueError that names the file or column, the row (the first data row is row 1) and the rule.
"""

from __future__ import annotations

import io
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
from numpy.typing import NDArray

from typeone import formats, outputs
from typeone.decimals import RULE, clash
from typeone.plain import as_text, plain, shown, table_of

Missing: TypeAlias = Literal["error", "drop"]
PACKAGED = Path(__file__).resolve().parent / "data"
_FEW = 8
"""Values that a message lists."""
_MOST_DIGITS = 77
"""Of a whole number or decimal in a column."""
MISSING, NEITHER = -1, -2
"""Of a truth value: nothing is there, or something that is neither true nor false."""
_MISSING_WORDS = pa.array(["", "na", "n/a", "nan", "null", "none"])
_TRUE = r"^(true|[+]?0*1([.]0*)?(e[+-]?0+)?)$"
_FALSE = r"^(false|[+-]?(0+([.]0*)?|[.]0+)(e[+-]?[0-9]+)?)$"
"""A number written out as text: numpy.savetxt writes 1 as 1.000000000000000000e+00."""


class Labels(NamedTuple):
    """A column of identifiers: ``codes`` (n,) into ``names``, distinct, in order of first appearance."""

    codes: NDArray[np.int64]
    names: pa.Array


def read(path: str | os.PathLike[str], rows: str | Sequence[str] | None = None) -> pa.Table:
    """Read Parquet, Feather / Arrow IPC, CSV or JSON rows, told apart by content, not by name.

    ``-`` is standard input.  ``rows`` ("column=value", or several of them) picks rows, see ``where``.
    """
    table = plain(formats.read(path))
    return where(table, *([rows] if isinstance(rows, str) else rows or ()))


def as_table(data: Any) -> pa.Table:
    """A path, an Arrow table, a mapping of arrays, or any frame with the Arrow stream protocol."""
    if isinstance(data, str | os.PathLike):
        return read(data)
    if isinstance(data, pa.Table | dict) or hasattr(data, "__arrow_c_stream__"):
        return plain(table_of(data))
    kind = type(data).__name__
    raise ValueError(f"data: a table, a frame, a mapping of columns or a path is needed, not {kind}")


def column(table: pa.Table, name: str) -> pa.ChunkedArray:
    """The column called ``name``, or a ValueError that lists the columns there are."""
    if name not in table.column_names:
        known = ", ".join(table.column_names[:12])
        raise ValueError(f"no column {name!r}; the columns are: {known}")
    return table.column(name)


def single(table: pa.Table, name: str) -> pa.ChunkedArray:
    """The column called ``name``, with one value in each row: a ValueError where there are lists or objects."""
    values = column(table, name)
    if pa.types.is_nested(values.type):
        raise ValueError(f"column {name!r}: one value a row is needed, not {values.type}")
    return _readable(name, values)


def _readable(name: str, values: pa.ChunkedArray) -> pa.ChunkedArray:
    """The values; a ValueError names the row of text that is not UTF-8, which Parquet and Feather can hold."""
    if not pa.types.is_string(values.type):
        return values
    try:
        values.validate(full=True)
    except pa.ArrowInvalid:
        for row, text in enumerate(values.cast(pa.binary()).to_pylist(), start=1):
            try:
                (text or b"").decode()
            except UnicodeDecodeError:
                raise ValueError(f"column {name!r}, row {row}: is not UTF-8 text") from None
        raise
    return values


def where(table: pa.Table, *rules: str) -> pa.Table:
    """The rows for which every rule ("column=value") holds; a ValueError when there are none."""
    held = [_holds(table, rule, "rows") for rule in rules]
    for one in held[1:]:
        held[0] = pc.and_(held[0], one)
    if held and not pc.any(held[0]).as_py():
        raise ValueError(f"rows={list(rules)}: no row has all of these values")
    return table.filter(held[0]) if held else table


def marked(table: pa.Table, rule: str, argument: str) -> tuple[pa.Table, str]:
    """The table with a column of truth values and its name: ``rule`` is a column's name, or ``column=value``.

    ``argument`` names the rule in a ValueError.
    """
    if rule in table.column_names or "=" not in rule:
        return table, rule
    return table.append_column(rule, _holds(table, rule, argument)), rule


def _holds(table: pa.Table, rule: str, argument: str) -> pa.ChunkedArray:
    """Where ``column=value`` holds; a name of a column may hold an equals sign itself."""
    splits = [(rule[:i], rule[i + 1 :]) for i, mark in enumerate(rule) if mark == "="]
    if not splits:
        raise ValueError(f"{argument}={rule!r}: is written column=value")
    name, value = next((split for split in splits if split[0] in table.column_names), splits[0])
    values = single(table, name)
    words = as_text(name, values)
    holds = pc.fill_null(pc.or_(pc.equal(words, value), _equals(values, value)), False)
    if not pc.any(holds).as_py():
        distinct = pc.unique(words).drop_null().to_pylist()
        known = ", ".join(sorted(distinct[:_FEW])) + (", …" if len(distinct) > _FEW else "")
        raise ValueError(f"{argument}={rule!r}: no row has this value; column {name!r} holds {known}")
    return holds


def _equals(values: pa.ChunkedArray, text: str) -> pa.ChunkedArray | bool:
    """Where a column of numbers is the number that ``text`` spells: 1 is 1.0 and 1.00."""
    kind = values.type
    try:
        if pa.types.is_floating(kind):
            return pc.equal(values, pa.scalar(text.strip(), pa.string()).cast(kind))
        number = Decimal(text)
        if number and not -_MOST_DIGITS < number.adjusted() < _MOST_DIGITS:
            return False
        if pa.types.is_integer(kind) and number == int(number):
            return pc.equal(values, pa.scalar(int(number), kind))
        return pc.equal(values, pa.scalar(number, kind)) if pa.types.is_decimal(kind) else False
    except (pa.ArrowException, ArithmeticError, ValueError):
        return False  # the text is no number, or none that the column can hold


def _first(mask: pa.ChunkedArray | pa.Array) -> int:
    return int(pc.index(mask, True).as_py()) + 1


def labels(table: pa.Table, name: str) -> Labels:
    """Identifiers of any integer or string kind."""
    values = single(table, name)
    if values.null_count:
        raise ValueError(f"column {name!r}, row {_first(values.is_null())}: the value is missing")
    if not (pa.types.is_integer(values.type) or pa.types.is_string(values.type)):
        raise ValueError(f"column {name!r}: identifiers are whole numbers or text, not {values.type}")
    return Labels(*_encoded(values))


def _encoded(values: pa.ChunkedArray) -> tuple[NDArray[np.int64], pa.Array]:
    """Codes (rows,) into distinct values, in order of first appearance; a null is coded as one more."""
    encoded = values.combine_chunks().dictionary_encode()
    codes = encoded.indices.fill_null(len(encoded.dictionary))
    return codes.to_numpy(zero_copy_only=False).astype(np.int64), encoded.dictionary


def words_as(table: pa.Table, name: str, meanings: Mapping[str, Any]) -> NDArray[Any]:
    """What each row's word means, shape (rows,): ``meanings`` lists the words allowed, whatever their case and blanks.

    Raises ValueError, naming column and row, for another word and a missing one.
    """
    codes, words = labels(table, name)
    known = list(meanings)
    found = np.empty(len(words), np.int64)
    for position, typed in enumerate(words.to_pylist()):
        word = str(typed).strip().lower()
        if word not in meanings:
            row = int(np.argmax(codes == position)) + 1
            raise ValueError(f"column {name!r}, row {row}: {typed!r} is not {', '.join(known[:-1])} or {known[-1]}")
        found[position] = known.index(word)
    return np.array(list(meanings.values()))[found][codes]


def truths(table: pa.Table, name: str) -> NDArray[np.int8]:
    """Truth values as 1, 0, MISSING or NEITHER, shape (rows,).

    They are booleans, the words true and false, or numbers equal to 1 and 0, also as text (1, 1.0).  Missing is what
    ``scores`` takes as missing.
    """
    values = single(table, name)
    kind = values.type
    if pa.types.is_null(kind):
        return np.full(len(values), MISSING, np.int8)
    numeric = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    if not (numeric or pa.types.is_boolean(kind) or pa.types.is_string(kind)):
        return np.full(len(values), NEITHER, np.int8)
    codes, distinct = _encoded(values)
    words = pc.utf8_lower(pc.utf8_trim_whitespace(distinct.cast(pa.string())))
    truth = np.full(len(words) + 1, NEITHER, np.int8)  # the last one is null
    for value, pattern in ((1, _TRUE), (0, _FALSE)):
        truth[:-1][pc.match_substring_regex(words, pattern).to_numpy(zero_copy_only=False)] = value
    truth[:-1][pc.is_in(words, _MISSING_WORDS).to_numpy(zero_copy_only=False)] = MISSING
    truth[-1] = MISSING
    return truth[codes]


def booleans(table: pa.Table, name: str) -> NDArray[np.bool_]:
    """Truth values as ``truths`` reads them, none missing and nothing else, shape (rows,)."""
    truth = truths(table, name)
    wrong = truth < 0
    if wrong.any():
        row = int(wrong.argmax())
        word = shown(table.column(name), row)
        told = "the value is missing" if truth[row] == MISSING else f"{word} is not true or false (1 or 0)"
        raise ValueError(f"column {name!r}, row {row + 1}: {told}")
    return np.asarray(truth == 1)


def scores(table: pa.Table, name: str, *, missing: Missing = "error") -> NDArray[np.float64]:
    """Finite numbers as float64, shape (rows,); with ``missing="drop"`` a missing one comes back as NaN.

    Missing is an empty field, a null, NaN, or one of the words NA, N/A, NaN, null, None.  Infinite values and
    text that is not a number are errors in any case.
    """
    values = _readable(name, column(table, name))
    kind = values.type
    if pa.types.is_null(kind):
        numbers = np.full(len(values), np.nan)
    elif pa.types.is_string(kind):
        numbers = _parse_numbers(name, values)
    elif pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        if not pa.types.is_floating(kind):
            _check_exact(name, values)
        numbers = values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    else:
        raise ValueError(f"column {name!r}: numbers are needed, not {kind}")
    result = np.array(numbers, dtype=np.float64)
    _check_finite(name, result, missing)
    return result


def _check_exact(name: str, values: pa.ChunkedArray) -> None:
    """Integers and decimals that would fall together as doubles must not: ties are decided exactly."""
    if len(values) == values.null_count:
        return
    ends = pc.min_max(values).as_py()
    if pa.types.is_integer(values.type) and ends["min"] >= -(2**53) and ends["max"] <= 2**53:
        return
    doubles = values.cast(pa.float64(), safe=False)
    if pc.count_distinct(doubles).as_py() == pc.count_distinct(values).as_py():
        return
    seen: dict[float, tuple[int, Any]] = {}
    for row, (value, double) in enumerate(zip(values.to_pylist(), doubles.to_pylist(), strict=True), start=1):
        if value is None:
            continue
        first, other = seen.setdefault(double, (row, value))
        if other != value:
            raise ValueError(f"column {name!r}, row {row}: {value} and {other} in row {first} {RULE}")


def _parse_numbers(name: str, values: pa.ChunkedArray) -> NDArray[np.float64]:
    words = pc.utf8_trim_whitespace(values)
    gone = pc.is_in(pc.utf8_lower(words), _MISSING_WORDS)
    words = pc.if_else(gone, pa.scalar(None, pa.string()), words)
    try:
        numbers = words.cast(pa.float64())
    except pa.ArrowInvalid:
        for row, word in enumerate(words.to_pylist(), start=1):
            try:
                pa.scalar(word, pa.string()).cast(pa.float64())
            except pa.ArrowInvalid:
                hint = " (use a decimal point)" if "," in word else ""
                raise ValueError(f"column {name!r}, row {row}: {word!r} is not a number{hint}") from None
        raise
    if found := clash(words, numbers):
        raise ValueError(f"column {name!r}, {found}")
    return np.asarray(numbers.to_numpy(zero_copy_only=False), dtype=np.float64)


def _check_finite(name: str, values: NDArray[np.float64], missing: Missing) -> None:
    infinite = np.isinf(values)
    if infinite.any():
        raise ValueError(f"column {name!r}, row {int(infinite.argmax()) + 1}: the value is infinite")
    if missing not in ("error", "drop"):
        raise ValueError(f"missing={missing!r}: is 'error' or 'drop'")
    undefined = np.isnan(values)
    if missing == "error" and undefined.any():
        row = int(undefined.argmax()) + 1
        hint = "missing='drop' leaves such rows out"
        raise ValueError(f"column {name!r}, row {row}: the value is missing or NaN ({hint})")


def _write_text(text: str, sink: io.BufferedIOBase) -> None:
    sink.write(text.encode() + b"\n")


WRITERS: dict[str, Callable[[pa.Table, io.BufferedIOBase], None]] = {
    ".parquet": lambda table, sink: pyarrow.parquet.write_table(table, sink),
    ".csv": lambda table, sink: pyarrow.csv.write_csv(table, sink),
    ".feather": lambda table, sink: pyarrow.feather.write_feather(table, sink),
    ".arrow": lambda table, sink: pyarrow.feather.write_feather(table, sink, compression="uncompressed"),
    ".json": lambda table, sink: _write_text(as_json(table), sink),
    ".jsonl": lambda table, sink: _write_text(as_json(table, lines=True), sink),
}


def as_json(table: pa.Table, *, lines: bool = False) -> str:
    """The rows as a JSON array of objects, or one object a line."""
    records = [json.dumps(row, ensure_ascii=False, allow_nan=False) for row in table.to_pylist()]
    return "\n".join(records) if lines else "[\n" + ",\n".join(records) + "\n]"


def check_writable(path: str | os.PathLike[str], inputs: Iterable[str | os.PathLike[str] | None] = ()) -> Path:
    """The file to write if the suffix of ``path`` names a known format and it can be made: asked before any work.

    It must not be one of the ``inputs`` that the work reads.
    """
    real = outputs.file(path, inputs)
    if Path(path).suffix.lower() not in WRITERS:
        raise ValueError(f"{path}: the name must end in one of {', '.join(WRITERS)}")
    return real


def check_outputs(paths: Iterable[Path | None], inputs: Sequence[Path | None]) -> None:
    """``check_writable`` for every output that is asked for, no two of them one file."""
    before: set[Path] = set()
    for path in paths:
        if path is None:
            continue
        real = check_writable(path, inputs)
        if real in before:
            raise ValueError(f"{path}: is named for two outputs; choose another name for one")
        before.add(real)


def write(table: pa.Table, path: str | os.PathLike[str]) -> None:
    """Write by the name's suffix; the file appears whole or not at all (a link is followed)."""
    file = check_writable(path)
    handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(handle, "wb") as sink:
            WRITERS[Path(path).suffix.lower()](table, sink)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, file)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
