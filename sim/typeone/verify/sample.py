"""Runs cells on the engine's backends and keeps exact sums: neither jobs nor chunks can show in them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import TypeAlias

import numpy as np

from typeone.engine.backend import Backend
from typeone.engine.backends import make_backend
from typeone.engine.flight import Flight
from typeone.engine.schedule import Chunk
from typeone.engine.study import Column
from typeone.engine.sums import Moments
from typeone.engine.workers import Batch, Task
from typeone.verify.study import REFERENCE, Work

Sums: TypeAlias = dict[Column, Moments]


def merge(into: Sums, more: Sums) -> None:
    """Add the sums of further repetitions, column by column."""
    for column, moments in more.items():
        into.setdefault(column, Moments()).merge(moments)


@dataclass(slots=True)
class Sample:
    """Exact sums of every column of one cell, and what failed."""

    sums: Sums = field(default_factory=dict)
    attempted: int = 0
    failed: int = 0
    example: str = ""

    def add(self, size: int, batch: Batch | None) -> None:
        """Take in a chunk; a lost one has failed as a whole."""
        self.attempted += size
        if batch is None:
            self.failed, self.example = self.failed + size, "nothing: it killed its worker"
            return
        if batch.failures:
            self.failed += len(batch.failures)
            self.example = f"{batch.failures[0].kind}: {batch.failures[0].message}"
        for place, name in enumerate(batch.columns):
            values = batch.values[:, place]
            self.sums.setdefault(name, Moments()).add(values[~np.isnan(values)])


class Pool:
    """Workers for a whole campaign; use as a context manager."""

    def __init__(self, jobs: int, seed: int, tell: Callable[[int], None] | None = None) -> None:
        self.seed = seed
        self._tell = tell
        self._backend: Backend = make_backend("loky", jobs)

    def __enter__(self) -> Pool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._backend.close(kill=error is not None)

    def run(self, works: Sequence[Work]) -> list[Sample]:
        """A sample for each work, in order; ValueError as soon as a repetition fails."""
        samples = [Sample() for _ in works]
        cells = [work.cell(place, self.seed) for place, work in enumerate(works)]
        chunks = deque(
            Chunk(place, work.first + start, min(work.item.chunk, work.repetitions - start))
            for place, work in enumerate(works)
            for start in range(0, work.repetitions, work.item.chunk)
        )
        handle = self._backend.share(None)

        def submit(chunk: Chunk) -> object:
            return self._backend.submit(Task(REFERENCE, cells[chunk.cell], chunk.first, chunk.size), handle)

        for landing in Flight(self._backend, lambda: chunks.popleft() if chunks else None, submit):
            if landing is not None:
                chunk, batch = landing
                sample = samples[chunk.cell]
                sample.add(chunk.size, batch)
                if sample.failed:
                    work = works[chunk.cell]
                    told = f"{sample.failed} of {sample.attempted} repetitions failed: {sample.example}"
                    raise ValueError(f"{work.kind} {work.name}, {dict(work.parameters)}: {told}")
                if self._tell:
                    self._tell(chunk.size)
        self._backend.release(handle)
        return samples
