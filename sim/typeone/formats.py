"""Files told apart by content: Parquet, Feather / Arrow IPC, CSV and JSON rows, on disk or from a pipe.

What a file says twice, or says in two kinds, is an error that names the place; nothing is guessed.
"""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.feather
import pyarrow.json
import pyarrow.parquet

from typeone import ipc
from typeone.decimals import clash

STDIN = "-"
_BOM = b"\xef\xbb\xbf"
_HEAD = 1024
_SURE = 16
"""Characters of a number without an exponent, 15 digits and a point, within which no two are one double."""
_JSON_GROWS = 8
"""Times its size that a JSON text takes in memory while it is read."""


class File(NamedTuple):
    """A file, or the bytes that came out of a pipe, under the name that messages give it."""

    name: str
    content: Path | bytes
    size: int

    @classmethod
    def opened(cls, path: str | os.PathLike[str]) -> File:
        """``path`` on disk; ``-``, a pipe or a device is read to its end, since it cannot be read twice."""
        if str(path) == STDIN:
            if sys.stdin is None:
                raise ValueError("standard input: is closed; a file or a pipe is needed")
            return cls._piped("standard input", sys.stdin.buffer)
        file = Path(path)
        if file.is_dir():
            raise ValueError(f"{file}: is a folder; a Parquet, Feather, CSV or JSON file is needed")
        if file.is_symlink() and not file.exists():
            raise ValueError(f"{file}: is a link to {os.readlink(file)}, which does not exist")
        if not file.exists():
            raise ValueError(f"{file}: no such file")
        if file.is_file():
            return cls(str(file), file, file.stat().st_size)
        with file.open("rb") as stream:
            return cls._piped(str(file), stream)

    @classmethod
    def _piped(cls, name: str, stream: BinaryIO) -> File:
        content = stream.read()
        return cls(name, content, len(content))

    def stream(self) -> BinaryIO:
        """The bytes from their beginning."""
        return io.BytesIO(self.content) if isinstance(self.content, bytes) else self.content.open("rb")

    def text(self, newline: str | None = "", errors: str = "strict") -> io.TextIOWrapper:
        """The text from its beginning, without a byte order mark."""
        return io.TextIOWrapper(self.stream(), encoding="utf-8-sig", errors=errors, newline=newline)

    @property
    def source(self) -> Any:
        """What pyarrow's readers take."""
        return self.content if isinstance(self.content, Path) else pa.BufferReader(self.content)


def read(path: str | os.PathLike[str]) -> pa.Table:
    """The table in a file; a ValueError names the file and, where there is one, the row."""
    file = File.opened(path)
    with file.stream() as stream:
        head = stream.read(_HEAD)
    if not head:
        raise ValueError(f"{file.name}: the file is empty")
    try:
        table = _reader(file, head)(file)
    except UnicodeDecodeError:
        raise ValueError(f"{file.name}: is not UTF-8 text; save the file as UTF-8 first") from None
    except MemoryError:
        raise  # Arrow's is one of its own kind too
    except (pa.ArrowException, OSError, csv.Error) as error:
        reason = str(error).splitlines()[0].strip().rstrip(".")
        raise ValueError(f"{file.name}: cannot be read: {reason}") from None
    repeated = sorted({name for name in table.column_names if table.column_names.count(name) > 1})
    if repeated:
        raise ValueError(f"{file.name}: two columns are called {repeated[0]!r}")
    if table.num_rows == 0:
        raise ValueError(f"{file.name}: no rows")
    return table


def _reader(file: File, head: bytes) -> Callable[[File], pa.Table]:
    if head.startswith(b"PAR1"):
        return _read_parquet
    if head.startswith(b"ARROW1"):
        return _read_arrow
    if head.startswith(b"FEA1"):  # Feather's first version, which holds nothing compressed
        return lambda file: pyarrow.feather.read_table(file.source)
    packed = {b"\x1f\x8b": "gzip", b"PK\x03\x04": "zip (or Excel)", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bzip2",
              b"\xfd7zXZ": "xz"}  # fmt: skip
    for magic, kind in packed.items():
        if head.startswith(magic):
            raise ValueError(f"{file.name}: is a {kind} file; unpack it to Parquet, Feather or CSV first")
    if b"\0" in head:
        raise ValueError(f"{file.name}: is neither Parquet nor Feather nor UTF-8 text")
    return _read_json if head.removeprefix(_BOM).lstrip()[:1] in (b"[", b"{") else _read_csv


def _read_parquet(file: File) -> pa.Table:
    with pyarrow.parquet.ParquetFile(file.source) as parquet:
        shape = parquet.metadata
        _check_room(file, 8 * shape.num_rows * shape.num_columns)
        return parquet.read()


def _read_arrow(file: File) -> pa.Table:
    with pa.memory_map(str(file.content)) if isinstance(file.content, Path) else file.source as source:
        rows, size = ipc.unpacked(memoryview(source.read_buffer()))
    with pa.ipc.open_file(file.source) as reader:
        # Nulls and runs take no room until they become values.
        _check_room(file, max(size, 8 * rows * len(reader.schema)))
        return reader.read_all()


def _check_room(file: File, needed: int) -> None:
    """A small file can unpack to more than the machine holds: a ValueError before the memory is gone."""
    if "SC_PHYS_PAGES" not in getattr(os, "sysconf_names", {}):
        return
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if needed > memory:
        told = f"at least {needed / 2**30:.3g} GiB of memory are needed, {memory / 2**30:.3g} GiB are here"
        raise ValueError(f"{file.name}: {told}; write a file with fewer rows, or with the columns needed only")


def _read_json(file: File) -> pa.Table:
    """An array of objects, or one object a line."""
    _check_room(file, _JSON_GROWS * file.size)
    columns: dict[str, list[Any]] = {}
    number = 0
    try:
        for number, row in enumerate(_objects(file), start=1):
            for name in row:
                if name not in columns:
                    columns[name] = [None] * (number - 1)
            for name, values in columns.items():
                values.append(row.get(name))
    except RecursionError:
        raise ValueError(f"{file.name}: cannot be read as JSON rows: too deeply nested") from None
    return pa.table({name: _json_column(file, name, values) for name, values in columns.items()})


def _objects(file: File) -> Iterator[dict[str, Any]]:
    with file.text() as text:
        start = text.read(_HEAD).lstrip()
        text.seek(0)
        if start.startswith("["):
            rows: Iterable[Any] = _decoded(file, text.read(), "")
        else:
            lines = ((number, line) for number, line in enumerate(text, start=1) if line.strip())
            rows = (_decoded(file, line, f"line {number}: ") for number, line in lines)
        for number, row in enumerate(rows, start=1):
            if not isinstance(row, dict):
                raise ValueError(f"{file.name}: row {number} is {_kind(row)}; an object with named values is needed")
            yield row


def _decoded(file: File, text: str, where: str) -> Any:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(f"an object has the key {twice!r} twice")
        return found

    try:
        return json.loads(text, object_pairs_hook=once, parse_float=_number)
    except ValueError as error:
        told = str(error).partition(";")[0]
        hint = ": one object a line, or an array of objects, is needed" if text.strip() == "{" else ""
        raise ValueError(f"{file.name}: cannot be read as JSON rows: {where}{told}{hint}") from None


def _json_column(file: File, name: str, values: list[Any]) -> pa.Array:
    """One kind of value in one column: numbers and text do not mix."""
    first: tuple[int, str] | None = None
    for row, value in enumerate(values, start=1):
        if value is None:
            continue
        kind = _kind(value)
        first = first or (row, kind)
        if kind != first[1]:
            told = f"holds {kind} in row {row}, {first[1]} in row {first[0]}"
            raise ValueError(f"{file.name}: column {name!r} {told}; write all its values in one way")
        if kind == "a number" and isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise ValueError(f"{file.name}: column {name!r}, row {row}: a whole number of more than 64 bits")
        if kind == "text" and not value.isascii():
            _check_text(file, name, row, value)
    return pa.array(_as_written(values))


def _check_text(file: File, name: str, row: int, text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{file.name}: column {name!r}, row {row}: half a surrogate pair is no text") from None


class _Rounded(float):
    """A number of more digits than a double is sure to keep, with its text."""

    text: str


def _number(text: str) -> float:
    if len(text) <= _SURE and "e" not in text and "E" not in text:
        return float(text)
    number = _Rounded(text)
    number.text = text
    return number


def _as_written(values: list[Any]) -> list[Any]:
    """The values, as text where rounding made numbers equal that are not: whoever needs numbers then refuses them."""
    if not any(isinstance(value, _Rounded) for value in values):
        return values
    words = [None if v is None else v.text if isinstance(v, _Rounded) else repr(v) for v in values]
    doubles = [None if v is None else float(v) for v in values]
    clashes = clash(pa.chunked_array([pa.array(words, pa.string())]), pa.chunked_array([pa.array(doubles)]))
    return values if clashes is None else words


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return "a number"
    names: dict[type, str] = {str: "text", list: "a list", dict: "an object"}
    return names.get(type(value), "nothing")


def _read_csv(file: File) -> pa.Table:
    """All columns as text, then whole numbers written the ordinary way as int64 ("007" stays text)."""
    with file.text(errors="surrogateescape") as text:
        start = text.readline()
        text.seek(0)
        delimiter = next((mark for mark in ("\t", ";") if mark in start and "," not in start), ",")
        header = csv.reader(text, delimiter=delimiter)
        names = [name.strip() for name in next(header, [])]
        lines = header.line_num
        more = text.read(1)
    if not names:
        raise ValueError(f"{file.name}: the first line is empty; it must name the columns")
    if not more:
        raise ValueError(f"{file.name}: no rows after the first line, which names the columns")
    try:
        return _with_whole_numbers(_parsed_csv(file, names, lines, delimiter))
    except (pa.ArrowException, UnicodeError):
        if fault := _csv_fault(file, delimiter):
            raise ValueError(f"{file.name}: {fault}") from None
        raise


def _csv_fault(file: File, delimiter: str) -> str | None:
    """The first row that is not UTF-8 or has too few or too many fields, in words: a second, slower reading."""
    with file.text(errors="surrogateescape") as text:
        rows = csv.reader(text, delimiter=delimiter)
        names = next(rows)
        for number, row in enumerate((names, *rows)):
            where = f"row {number}" if number else "the header"
            if any("\udc80" <= c <= "\udcff" for field in row for c in field):
                return f"{where} is not UTF-8 text; save the file as UTF-8 first"
            if row and len(row) != len(names):
                return f"{where} has {len(row)} fields, the header {len(names)}"
    return None


def _parsed_csv(file: File, names: list[str], lines: int, delimiter: str) -> pa.Table:
    return pyarrow.csv.read_csv(
        file.source,
        read_options=pyarrow.csv.ReadOptions(column_names=names, skip_rows=lines),
        parse_options=pyarrow.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
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
