"""A run's folder: one Parquet file for each chunk, named by the manifest and known by its checksum."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from typeone.engine import arrow
from typeone.engine import manifest as manifests
from typeone.engine.design import Design, design_from
from typeone.engine.files import explained, locked, write_whole
from typeone.engine.manifest import BINDING, CHUNK_NAME, Chunk, Manifest
from typeone.engine.parameters import typed
from typeone.engine.resolved import Resolved
from typeone.engine.study import Column
from typeone.engine.workers import Batch, Failure

FOLDER = "repetitions"
SUMMARY = "summary.parquet"
NOTES = ("columns", "failures", "repetitions")
"""What a chunk's metadata hold, as JSON."""
_WRITE_EVERY = 0.5
_WRITE_SHARE = 0.02

_TEXT = pa.dictionary(pa.int32(), pa.string())
SCHEMA = pa.schema(
    [
        ("cell", pa.int32()),
        ("repetition", pa.int64()),
        ("method", _TEXT),
        ("measure", _TEXT),
        ("level", _TEXT),
        ("value", pa.float64()),
    ]
)


class DamagedError(ValueError):
    """A chunk the manifest names is missing or not what was written."""


@dataclass(frozen=True, slots=True)
class Rows:
    """A chunk as read back: values of shape (repetitions that ended, columns)."""

    repetitions: np.ndarray
    columns: tuple[Column, ...]
    values: np.ndarray
    failures: tuple[Failure, ...]


def encode(cell: int, batch: Batch) -> bytes:
    """The chunk as a Parquet file in canonical order; failures and columns stand in its metadata."""
    ended, width = batch.values.shape
    texts = [list(part) for part in zip(*batch.columns, strict=True)] or [[], [], []]
    arrays = [
        arrow.numbers(np.full(ended * width, cell, dtype=np.int32), pa.int32()),
        arrow.numbers(np.repeat(batch.repetitions, width), pa.int64()),
        *(_dictionary(part, ended) for part in texts),
        arrow.numbers(batch.values.reshape(-1), pa.float64()),
    ]
    noted = (batch.columns, batch.failures, _ranges(batch.repetitions))
    notes = dict(zip(NOTES, map(json.dumps, noted), strict=True))
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_arrays(arrays, schema=SCHEMA.with_metadata(notes)), buffer, compression="zstd")
    return buffer.getvalue()


def parquet_file(content: bytes) -> pq.ParquetFile:
    """A chunk to read, without the data set machinery of ``read_table``, which grows with every chunk."""
    return pq.ParquetFile(pa.BufferReader(content), pre_buffer=False)


def decode(content: bytes) -> Rows:
    """Inverse of ``encode``."""
    with parquet_file(content) as file:
        table = file.read(columns=["value"], use_threads=False)
    notes = {name: json.loads(table.schema.metadata[name.encode()]) for name in NOTES}
    columns = tuple(Column(*column) for column in notes["columns"])
    parts = [np.arange(first, first + count) for first, count in notes["repetitions"]]
    repetitions = np.concatenate(parts) if parts else np.empty(0, np.int64)
    values = arrow.doubles(table["value"]).reshape(repetitions.size, len(columns))
    return Rows(repetitions, columns, values, tuple(Failure(*row) for row in notes["failures"]))


def _dictionary(texts: list[str], times: int) -> pa.DictionaryArray:
    values, codes = np.unique(np.array(texts, dtype=object), return_inverse=True)
    indices = arrow.numbers(np.tile(codes.astype(np.int32), times), pa.int32())
    return pa.DictionaryArray.from_arrays(indices, arrow.strings(values.tolist()))


def _ranges(repetitions: np.ndarray) -> list[tuple[int, int]]:
    """Sorted integers as runs (first, count)."""
    breaks = np.flatnonzero(np.diff(repetitions) != 1) + 1
    return [(int(run[0]), run.size) for run in np.split(repetitions, breaks) if run.size]


class Store:
    """The folder of a run, read only: what the manifest names, checked by checksum as it is read."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.manifest = manifests.read(self.folder)

    @property
    def design(self) -> Design:
        """The design as first typed, with the repetitions last asked for."""
        return design_from(self.manifest.design)

    def chunks(self, cell: int, stop: int | None = None) -> list[Chunk]:
        """Complete chunks of a cell in order; with ``stop``, those of repetitions below it."""
        rows = sorted(chunk for (index, _), chunk in self.manifest.chunks.items() if index == cell)
        return [chunk for chunk in rows if stop is None or chunk.first < stop]

    def content(self, chunk: Chunk) -> bytes:
        """The file's bytes; ``DamagedError`` when they are not those that were written."""
        file = self.folder / FOLDER / chunk.name
        try:
            content = file.read_bytes()
        except OSError as error:
            raise DamagedError(f"{file}: {error.strerror}; the same run command recomputes it") from None
        if hashlib.sha256(content).hexdigest() != chunk.sha256:
            raise DamagedError(f"{file}: not what was written (checksum); the same run command recomputes it")
        return content

    def is_intact(self, chunk: Chunk) -> bool:
        """Whether the file is what was written."""
        try:
            self.content(chunk)
        except DamagedError:
            return False
        return True

    def rows(self, cell: int, stop: int | None = None) -> Iterator[tuple[Chunk, Rows]]:
        """Chunk by chunk, in canonical order."""
        for chunk in self.chunks(cell, stop):
            yield chunk, self.read(chunk)

    def read(self, chunk: Chunk) -> Rows:
        """One chunk, checked."""
        return decode(self.content(chunk))


class Writer(Store):
    """The folder held by this process, which alone writes; use as a context manager."""

    def __init__(self, folder: str | Path, resolved: Resolved) -> None:
        self.folder = Path(folder)
        try:
            (self.folder / FOLDER).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise explained(error, self.folder) from error
        self._resources = contextlib.ExitStack()
        self._resources.enter_context(locked(self.folder))
        try:
            self._open(resolved)
        except BaseException:
            self._resources.close()
            raise

    def __enter__(self) -> Writer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._resources.close()

    def _open(self, resolved: Resolved) -> None:
        self._written = 0.0
        self._cost = 0.0
        if (self.folder / manifests.NAME).exists():
            self.manifest = manifests.read(self.folder)
            if self.manifest.chunks:
                self._continue(resolved)
            else:  # a run that ended before it had anything is no run to protect
                self.manifest = _fresh(resolved)
                self._clear()
        else:
            if any((self.folder / FOLDER).glob("*.parquet")):
                raise ValueError(f"{self.folder} holds chunks but no {manifests.NAME}: choose another folder")
            if (self.folder / manifests.PLAN).exists():
                raise ValueError(f"{self.folder} holds {manifests.PLAN} of a plan: choose another folder")
            self.manifest = _fresh(resolved)
        self.flush()

    def _continue(self, resolved: Resolved) -> None:
        """Check that the folder is this run's; drop damaged chunks; take note of a top-up."""
        old = self.manifest
        if old.identity != resolved.identity:
            told = "; ".join(manifests.differences(old.facts, resolved.facts))
            raise ValueError(f"{self.folder} holds another run: it differs in {told}. Choose another folder")
        here = manifests.versions()
        if other := [name for name in BINDING if old.versions[name] != here[name]]:
            told = ", ".join(f"{name} ({old.versions[name]} there, {here[name]} here)" for name in other)
            raise ValueError(f"{self.folder} was computed with other versions: {told}. Choose another folder")
        before = self.design.repetitions
        if resolved.design.repetitions < before:
            raise ValueError(
                f"{self.folder} was planned with {before} repetitions of each cell, more than "
                f"{resolved.design.repetitions}: ask for at least as many, or choose another folder"
            )
        old.sequence |= resolved.design.repetitions > before or resolved.design.stop is not None
        old.sequence |= resolved.design.bounds == "sequence"
        levels = old.design.get("levels")  # as first typed: they name the columns
        old.design = resolved.design.as_dict() | ({"levels": levels} if levels else {})
        old.planned = resolved.repetitions
        for place, chunk in list(old.chunks.items()):
            if not self.is_intact(chunk):
                del old.chunks[place]
        old.lost = [lost for lost in old.lost if lost[:2] in old.chunks]
        self._clear()

    def _clear(self) -> None:
        """Remove files that a killed run left behind unlisted, so that no glob can read them either."""
        listed = {chunk.name for chunk in self.manifest.chunks.values()}
        for file in (self.folder / FOLDER).iterdir():
            if file.name not in listed and (CHUNK_NAME.fullmatch(file.name) or file.suffix == ".tmp"):
                file.unlink()

    def add(self, cell: int, first: int, count: int, batch: Batch) -> None:
        """Store a chunk: on the disk first, then in the manifest."""
        content = encode(cell, batch)
        chunk = Chunk(cell, first, count, len(batch.failures), hashlib.sha256(content).hexdigest())
        write_whole(self.folder / FOLDER / chunk.name, content)
        self.manifest.chunks[cell, first] = chunk
        # Rewriting the manifest costs more with every chunk; it may take a small share of the time only.
        if time.monotonic() - self._written > max(_WRITE_EVERY, self._cost / _WRITE_SHARE):
            self.flush()

    def flush(self) -> None:
        """Write the manifest now."""
        start = time.monotonic()
        self.manifest.write(self.folder)
        self._written = time.monotonic()
        self._cost = self._written - start


def _fresh(resolved: Resolved) -> Manifest:
    return Manifest(
        identity=resolved.identity,
        facts=dict(resolved.facts),
        design=resolved.design.as_dict(),
        reference=resolved.reference,
        factors=[{name: typed(value) for name, value in resolved.factors(cell).items()} for cell in resolved.cells],
        keys=[cell.key for cell in resolved.cells],
        planned=resolved.repetitions,
        sequence=resolved.design.stop is not None or resolved.design.bounds == "sequence",
        versions=manifests.versions(),
        machine=manifests.machine(),
    )
