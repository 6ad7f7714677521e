"""The canonical repetition table: one file, the same bytes however the run was cut into chunks.

Rows are sorted by cell, repetition, method, measure, level.  Row groups are cut at fixed row counts, so
memory stays small and nothing of the chunks is left to see.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from typeone.engine.files import replacing
from typeone.engine.storage import Store, parquet_file

SCHEMA = pa.schema(
    [
        ("cell", pa.int32()),
        ("repetition", pa.int64()),
        ("method", pa.string()),
        ("measure", pa.string()),
        ("level", pa.string()),
        ("value", pa.float64()),
    ]
)
ROWS = 1 << 16


def export(folder: str | Path, out: str | Path) -> int:
    """Write the repetition table of ``folder`` as .parquet or .csv; returns the number of rows."""
    file = Path(out)
    if file.suffix not in (".parquet", ".csv"):
        raise ValueError(f"out={str(file)!r}: the name must end in .parquet or .csv")
    store = Store(folder)
    rows = 0
    with replacing(file) as temporary:
        writer = _parquet(temporary) if file.suffix == ".parquet" else pa.csv.CSVWriter(temporary, SCHEMA)
        with writer:
            for table in blocks(store):
                writer.write_table(table)
                rows += table.num_rows
    return rows


def _parquet(file: Path) -> pq.ParquetWriter:
    return pq.ParquetWriter(file, SCHEMA, compression="zstd")


def blocks(store: Store, size: int = ROWS) -> Iterator[pa.Table]:
    """The repetition table in tables of ``size`` rows, the last one shorter."""
    waiting: list[pa.Table] = []
    held = 0
    for cell in range(len(store.manifest.factors)):
        for chunk in store.chunks(cell):
            with parquet_file(store.content(chunk)) as file:
                table = file.read(use_threads=False).cast(SCHEMA)
            waiting.append(table)
            held += table.num_rows
            while held >= size:
                joined = pa.concat_tables(waiting).combine_chunks()
                yield joined.slice(0, size).combine_chunks()
                waiting = [joined.slice(size)]
                held -= size
    if held:
        yield pa.concat_tables(waiting).combine_chunks()
