"""A short run before the fan-out: compiles the kernels once, and measures what a run will take."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from typeone.engine.design import Design
from typeone.engine.resolved import Resolved, resolve
from typeone.engine.storage import encode
from typeone.engine.study import Cell
from typeone.engine.workers import Batch, simulate

CHUNK_SECONDS = 1.0
CHUNK_REPETITIONS = 5_000
CHUNK_ROWS = 50_000
"""No chunk is larger, so that memory does not grow with the number of repetitions."""
_ENOUGH = 0.1


@dataclass(frozen=True, slots=True)
class Trial:
    """What a few repetitions of representative cells took."""

    seconds: float
    """For one repetition, compiled."""
    compile_seconds: float
    columns: int
    file_bytes: float
    """On the disk, for one repetition."""
    shared_bytes: int
    """The largest shared object, as sent to a worker."""

    def chunk(self, repetitions: int) -> int:
        """Repetitions of about a second of work, few enough for memory."""
        by_time = int(CHUNK_SECONDS / max(self.seconds, 1e-9))
        by_rows = CHUNK_ROWS // max(self.columns, 1)
        return max(1, min(by_time, by_rows, CHUNK_REPETITIONS, repetitions))


UNKNOWN = Trial(CHUNK_SECONDS / 100, 0.0, 0, 0.0, 0)
"""In place of a trial that killed its process: chunks of at most a hundred repetitions, whose deaths are told apart."""


def trial_of(design: Design, compiled: Path) -> Trial:
    """``trial`` in a process that is given the design alone; the file ``compiled`` appears when kernels are."""
    try:
        return trial(resolve(design), compiled.touch)
    finally:
        compiled.touch()


def trial(planned: Resolved, compiled: Callable[[], object] = lambda: None) -> Trial:
    """Run one repetition of each kind of cell, then more of it until the clock can tell.

    ``compiled`` is called when every kind has run once.
    """
    compile_seconds = slowest = file_bytes = 0.0
    shared_bytes = widest = 0
    kinds = list(_kinds(planned))
    for cell in kinds:
        shared = planned.study.share(cell)
        shared_bytes = max(shared_bytes, len(pickle.dumps(shared, protocol=5)))
        compile_seconds += simulate(planned.study, cell, shared, 0, 1).compile_seconds
        if cell is kinds[-1]:
            compiled()
        batch = _timed(planned, cell, shared)
        count = max(1, batch.repetitions.size + len(batch.failures))
        compile_seconds += batch.compile_seconds
        slowest = max(slowest, (batch.seconds - batch.compile_seconds) / count)
        widest = max(widest, len(batch.columns))
        file_bytes = max(file_bytes, len(encode(cell.index, batch)) / count)
    return Trial(slowest, compile_seconds, widest, file_bytes, shared_bytes)


@dataclass(frozen=True, slots=True)
class Needs:
    """What a whole run will take, about: seconds, bytes of memory, bytes on the disk."""

    chunk: int
    seconds: float
    compile_seconds: float
    memory: int
    disk: int


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def estimate(planned: Resolved, jobs: int, cores: int) -> Needs:
    """From a short trial; ``jobs`` workers share ``cores`` cores."""
    tried = trial(planned)
    # Each process holds what this one holds now.
    processes = 1 + (jobs if jobs > 1 else 0)
    return Needs(
        chunk=planned.design.chunk or tried.chunk(planned.design.repetitions),
        seconds=tried.seconds * planned.repetitions / min(jobs, cores),
        compile_seconds=tried.compile_seconds,
        memory=processes * (_peak_memory() + tried.shared_bytes),
        disk=int(tried.file_bytes * planned.repetitions),
    )


def _peak_memory() -> int:
    if sys.platform == "win32":
        return 0
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _timed(planned: Resolved, cell: Cell, shared: object) -> Batch:
    most = min(planned.design.repetitions, CHUNK_REPETITIONS)
    count = 1
    while True:
        batch = simulate(planned.study, cell, shared, 0, count)
        if batch.seconds - batch.compile_seconds > _ENOUGH or count == most:
            return batch
        count = min(8 * count, most)


def _kinds(planned: Resolved) -> Iterator[Cell]:
    """The first cell with each value of a factor that is no number: such factors choose other code."""
    seen: set[tuple[str, object]] = set()
    for cell in planned.cells:
        values = {(name, v) for name, v in planned.factors(cell).items() if isinstance(v, bool | str)}
        if cell.index == 0 or values - seen:
            seen |= values
            yield cell
