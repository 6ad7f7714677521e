"""Users' tables: read by content, checked column by column, written whole.

Every error is a ValueError that names the file or column, the row (the first data row is row 1) and the rule.
"""

from __future__ import annotations

import csv
import io
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.feather
import pyarrow.json
import pyarrow.parquet
from numpy.typing import NDArray

Missing: TypeAlias = Literal["error", "drop"]
PACKAGED = Path(__file__).resolve().parent / "data"
MISSING_WORDS = frozenset({"", "na", "n/a", "nan", "null", "none"})


class Labels(NamedTuple):
    """A column of identifiers: ``codes`` (n,) into ``names``, distinct, in order of first appearance."""

    codes: NDArray[np.int64]
    names: pa.Array


def read(path: str | os.PathLike[str]) -> pa.Table:
    """Read Parquet, Feather / Arrow IPC, CSV or JSON rows, told apart by content, not by name."""
    file = Path(path)
    if file.is_dir():
        raise ValueError(f"{file}: is a folder; a Parquet, Feather or CSV file is needed")
    if not file.exists():
        raise ValueError(f"{file}: no such file")
    with file.open("rb") as stream:
        head = stream.read(8)
    if not head:
        raise ValueError(f"{file}: the file is empty")
    try:
        table = _reader(file, head)(file)
    except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
        reason = str(error).splitlines()[0].strip().rstrip(".")
        raise ValueError(f"{file}: cannot be read: {reason}") from None
    repeated = sorted({name for name in table.column_names if table.column_names.count(name) > 1})
    if repeated:
        raise ValueError(f"{file}: two columns are called {repeated[0]!r}")
    if table.num_rows == 0:
        raise ValueError(f"{file}: no rows")
    return table


def _reader(file: Path, head: bytes) -> Callable[[Path], pa.Table]:
    if head.startswith(b"PAR1"):
        return lambda f: pyarrow.parquet.ParquetFile(f).read()
    if head.lstrip()[:1] in (b"[", b"{"):
        return _read_json
    if head.startswith((b"ARROW1", b"FEA1")):
        return pyarrow.feather.read_table  # type: ignore[no-any-return]
    packed = {b"\x1f\x8b": "gzip", b"PK\x03\x04": "zip (or Excel)", b"\x28\xb5\x2f\xfd": "zstd"}
    for magic, kind in packed.items():
        if head.startswith(magic):
            raise ValueError(f"{file}: is a {kind} file; unpack it to Parquet, Feather or CSV first")
    if b"\0" in head:
        raise ValueError(f"{file}: is neither Parquet nor Feather nor UTF-8 text")
    return _read_csv


def _read_json(file: Path) -> pa.Table:
    """An array of objects, or one object a line."""
    text = file.read_text(encoding="utf-8-sig")
    try:
        rows = json.loads(text) if text.lstrip().startswith("[") else [json.loads(line) for line in text.splitlines()]
        return pa.Table.from_pylist(rows)
    except RecursionError:
        raise ValueError(f"{file}: cannot be read as JSON rows: too deeply nested") from None
    except (ValueError, AttributeError, TypeError) as error:
        raise ValueError(f"{file}: cannot be read as JSON rows: {error}") from None


def _read_csv(file: Path) -> pa.Table:
    """All columns as text, then whole numbers written the ordinary way as int64 ("007" stays text)."""
    with file.open("r", encoding="utf-8-sig", newline="", errors="surrogateescape") as stream:
        header = stream.readline()
    delimiter = next((mark for mark in ("\t", ";") if mark in header and "," not in header), ",")
    try:
        return _with_whole_numbers(_parsed_csv(file, header, delimiter))
    except (pa.ArrowException, UnicodeError):
        if fault := _csv_fault(file, delimiter):
            raise ValueError(f"{file}: {fault}") from None
        raise


def _csv_fault(file: Path, delimiter: str) -> str | None:
    """The first row that is not UTF-8 or has too few or too many fields, in words: a second, slower reading."""
    with file.open("r", encoding="utf-8-sig", newline="", errors="surrogateescape") as stream:
        rows = csv.reader(stream, delimiter=delimiter)
        names = next(rows)
        for number, row in enumerate((names, *rows)):
            where = f"row {number}" if number else "the header"
            if any("\udc80" <= c <= "\udcff" for field in row for c in field):
                return f"{where} is not UTF-8 text; save the file as UTF-8 first"
            if row and len(row) != len(names):
                return f"{where} has {len(row)} fields, the header {len(names)}"
    return None


def _parsed_csv(file: Path, header: str, delimiter: str) -> pa.Table:
    parse = pyarrow.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True)
    sniffed = pyarrow.csv.read_csv(io.BytesIO(header.encode()), parse_options=parse)
    names = [name.strip() for name in sniffed.column_names]
    return pyarrow.csv.read_csv(
        file,
        read_options=pyarrow.csv.ReadOptions(column_names=names, skip_rows=1),
        parse_options=parse,
        convert_options=pyarrow.csv.ConvertOptions(
            column_types={name: pa.string() for name in names},
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
            null_values=[""],
        ),
    )


def _with_whole_numbers(table: pa.Table) -> pa.Table:
    for position, name in enumerate(table.column_names):
        column = table.column(position)
        whole = pc.all(pc.match_substring_regex(column, r"^(0|-?[1-9][0-9]{0,17})$")).as_py()
        if whole:
            table = table.set_column(position, name, column.cast(pa.int64()))
    return table


def as_table(data: Any) -> pa.Table:
    """A path, an Arrow table, a mapping of arrays, or any frame with the Arrow stream protocol."""
    if isinstance(data, pa.Table):
        return data
    if isinstance(data, str | os.PathLike):
        return read(data)
    if hasattr(data, "__arrow_c_stream__"):
        return pa.table(data)
    if isinstance(data, dict):
        return pa.table(data)
    kind = type(data).__name__
    raise ValueError(f"data: a table, a frame, a mapping of columns or a path is needed, not {kind}")


def column(table: pa.Table, name: str) -> pa.ChunkedArray:
    """The column called ``name``, or a ValueError that lists the columns there are."""
    if name not in table.column_names:
        known = ", ".join(table.column_names[:12])
        raise ValueError(f"no column {name!r}; the columns are: {known}")
    return table.column(name)


def where(table: pa.Table, rule: str) -> pa.Table:
    """The rows that ``rule`` ("column=value") picks; a ValueError when there are none."""
    name, equals, value = rule.partition("=")
    if not equals:
        raise ValueError(f"rows={rule!r}: is written column=value")
    chosen = table.filter(pc.equal(column(table, name).cast(pa.string()), value))
    if chosen.num_rows == 0:
        raise ValueError(f"rows={rule!r}: no row has this value")
    return chosen


def _first(mask: pa.ChunkedArray | pa.Array) -> int:
    return int(pc.index(mask, True).as_py()) + 1


def _complete(table: pa.Table, name: str) -> pa.Array:
    values = column(table, name)
    if values.null_count:
        raise ValueError(f"column {name!r}, row {_first(values.is_null())}: the value is missing")
    combined = values.combine_chunks()
    return combined.combine_chunks() if isinstance(combined, pa.ChunkedArray) else combined


def labels(table: pa.Table, name: str) -> Labels:
    """Identifiers of any integer or string kind."""
    values = _complete(table, name)
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
        if values.null_count:
            raise ValueError(f"column {name!r}, row {_first(values.is_null())}: the value is missing")
    kind = values.type
    if not (pa.types.is_integer(kind) or pa.types.is_string(kind) or pa.types.is_large_string(kind)
            or pa.types.is_string_view(kind)):  # fmt: skip
        raise ValueError(f"column {name!r}: identifiers are whole numbers or text, not {kind}")
    if pa.types.is_string_view(kind) or pa.types.is_large_string(kind):
        values = values.cast(pa.string())
    encoded = values.dictionary_encode()
    codes = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return Labels(codes, encoded.dictionary)


def booleans(table: pa.Table, name: str) -> NDArray[np.bool_]:
    """Truth values: booleans, 0 / 1, or the words true / false."""
    values = _complete(table, name)
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    words = pc.utf8_lower(pc.utf8_trim_whitespace(values.cast(pa.string())))
    true = pc.is_in(words, pa.array(["true", "1"]))
    either = pc.or_(true, pc.is_in(words, pa.array(["false", "0"])))
    if not pc.all(either).as_py():
        row = _first(pc.invert(either))
        word = values[row - 1].as_py()
        raise ValueError(f"column {name!r}, row {row}: {word!r} is not true or false (1 or 0)")
    return np.asarray(true.to_numpy(zero_copy_only=False), dtype=np.bool_)


def scores(table: pa.Table, name: str, *, missing: Missing = "error") -> NDArray[np.float64]:
    """Finite numbers as float64, shape (rows,); with ``missing="drop"`` a missing one comes back as NaN.

    Missing is an empty field, a null, NaN, or one of the words NA, N/A, NaN, null, None.  Infinite values and
    text that is not a number are errors in any case.
    """
    values = column(table, name)
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    kind = values.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
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
    seen: dict[float, Any] = {}
    for row, (value, double) in enumerate(zip(values.to_pylist(), doubles.to_pylist(), strict=True), start=1):
        if value is not None and seen.setdefault(double, value) != value:
            told = f"{value} and {seen[double]} are one number with 53 bits; subtract a constant from all scores first"
            raise ValueError(f"column {name!r}, row {row}: {told}")


def _parse_numbers(name: str, values: pa.ChunkedArray) -> NDArray[np.float64]:
    words = pc.utf8_trim_whitespace(values.cast(pa.string()))
    gone = pc.is_in(pc.utf8_lower(words), pa.array(sorted(MISSING_WORDS)))
    words = pc.if_else(gone, pa.scalar(None, pa.string()), words)
    try:
        return np.asarray(words.cast(pa.float64()).to_numpy(zero_copy_only=False), dtype=np.float64)
    except pa.ArrowInvalid:
        for row, word in enumerate(words.to_pylist(), start=1):
            try:
                pa.scalar(word, pa.string()).cast(pa.float64())
            except pa.ArrowInvalid:
                hint = " (use a decimal point)" if "," in word else ""
                raise ValueError(f"column {name!r}, row {row}: {word!r} is not a number{hint}") from None
        raise


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


def check_writable(path: str | os.PathLike[str], *, source: str | os.PathLike[str] | None = None) -> Path:
    """``path`` if its suffix names a known format and its folder exists: asked before any work is done.

    It must not be the file ``source`` that the work reads.
    """
    file = Path(path)
    if source is not None and file.exists() and Path(source).exists() and file.samefile(source):
        raise ValueError(f"{file}: is the input; choose another name for the output")
    if file.suffix.lower() not in WRITERS:
        raise ValueError(f"{file}: the name must end in one of {', '.join(WRITERS)}")
    if not file.parent.is_dir():
        raise ValueError(f"{file}: the folder {file.parent} does not exist")
    if file.is_dir():
        raise ValueError(f"{file}: is a folder")
    return file


def write(table: pa.Table, path: str | os.PathLike[str]) -> None:
    """Write by the name's suffix; the file appears whole or not at all (a link is followed)."""
    file = Path(os.path.realpath(check_writable(path)))
    handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(handle, "wb") as sink:
            WRITERS[file.suffix.lower()](table, sink)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, file)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
