"""Runs repetitions of cells on the engine's backends, piece by piece, through the journal."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection
from dataclasses import dataclass
from types import TracebackType

from typeone.engine.backend import Backend
from typeone.engine.backends import make_backend
from typeone.engine.flight import Flight
from typeone.engine.resolved import Resolved, gaps
from typeone.engine.schedule import Chunk
from typeone.engine.shares import Shares
from typeone.engine.study import Column
from typeone.engine.summary import measure_of
from typeone.engine.trial import trial
from typeone.engine.verdicts import Tally
from typeone.engine.workers import Batch
from typeone.plan.journal import Journal, Sums

MAX_FAILURES = 0.01
"""A larger share of failed repetitions of a cell ends the plan."""


@dataclass(frozen=True, slots=True)
class Workers:
    """Where repetitions run, as for ``typeone.engine.runner.run``."""

    jobs: int = 1
    backend: str = "loky"
    address: str | None = None


class Sampler:
    """Sums of ``columns`` over any number of repetitions of a plan's cells; use as a context manager.

    Workers start with the first repetition that the journal does not hold.
    """

    def __init__(
        self,
        planned: Resolved,
        columns: Collection[Column],
        journal: Journal,
        workers: Workers,
        tell: Callable[[int], None] | None = None,
    ) -> None:
        self._resolved = planned
        self._columns = columns
        self._journal = journal
        self._workers = workers
        self._tell = tell
        self._started: tuple[Backend, Shares] | None = None
        self._size = 0

    def __enter__(self) -> Sampler:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._started is not None:
            self._started[0].close(kill=error is not None)

    def advance(self, cells: Collection[int], upto: int) -> dict[int, Sums]:
        """The sums of the first ``upto`` repetitions of each cell, computing what is missing."""
        ranges = deque(Chunk(cell, *gap) for cell in sorted(cells) for gap in gaps(self._journal.done(cell), upto))
        if ranges:
            self._compute(ranges)
        found = {cell: self._journal.sums(cell, upto) for cell in cells}
        for cell, sums in found.items():
            if sums.failed > MAX_FAILURES * sums.attempted:
                told = f"{sums.failed} of {sums.attempted} repetitions failed"
                raise ValueError(f"{self._named(cell)}: {told}; the first said {sums.example}")
        return found

    def _compute(self, ranges: deque[Chunk]) -> None:
        backend, shares = self._start()
        left = Counter[str]()
        for chunk in ranges:
            left[self._shared_by(chunk.cell)] += chunk.size

        def take() -> Chunk | None:
            if not ranges:
                return None
            cell, first, count = ranges.popleft()
            part = min(count, self._size)
            if part < count:
                ranges.appendleft(Chunk(cell, first + part, count - part))
            return Chunk(cell, first, part)

        for landing in Flight(backend, take, shares.submit):
            if landing is None:
                continue
            chunk, batch = landing
            self._journal.add(chunk.cell, chunk.first, self._sums(chunk, batch))
            if self._tell:
                self._tell(chunk.size)
            key = self._shared_by(chunk.cell)
            left[key] -= chunk.size
            if not left[key]:
                shares.release(key)

    def _start(self) -> tuple[Backend, Shares]:
        if self._started is None:
            self._size = self._resolved.design.chunk or trial(self._resolved).chunk(self._resolved.design.repetitions)
            backend = make_backend(self._workers.backend, self._workers.jobs, self._workers.address)
            self._started = backend, Shares(self._resolved, backend)
        return self._started

    def _shared_by(self, cell: int) -> str:
        return self._resolved.shared_key(self._resolved.cells[cell])

    def _sums(self, chunk: Chunk, batch: Batch | None) -> Sums:
        """A chunk that killed its worker again and again counts as failed, as in a run."""
        if batch is None:
            return Sums(chunk.size, chunk.size, "nothing: it killed its worker")
        examples = [f"{failure.kind}: {failure.message}" for failure in batch.failures]
        sums = Sums(chunk.size, len(examples), examples[0] if examples else "")
        for place, column in enumerate(batch.columns):
            measure = measure_of(self._resolved.study, column.measure)
            if column in self._columns and measure is not None:
                tally = Tally(measure.kind)
                tally.add(batch.values[:, place])
                sums.moments[column] = tally.moments
        return sums

    def _named(self, cell: int) -> str:
        return ", ".join(f"{name}={value}" for name, value in self._resolved.design.cells[cell].items())
