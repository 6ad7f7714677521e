"""A run from design to summary: chunks go out to workers, and only this process writes."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa

from typeone.engine import manifest as manifests
from typeone.engine.backend import Backend
from typeone.engine.backends import check_backend, make_backend
from typeone.engine.design import Design
from typeone.engine.flight import STRIKES, Flight
from typeone.engine.manifest import Session
from typeone.engine.resolved import resolve
from typeone.engine.schedule import Chunk, Schedule
from typeone.engine.shares import Shares
from typeone.engine.stopping import check_rule
from typeone.engine.storage import Writer
from typeone.engine.study import Study
from typeone.engine.summary import write_summary
from typeone.engine.workers import Batch, Failure

State: TypeAlias = Literal["complete", "interrupted", "too many failures"]


class Progress(NamedTuple):
    """Told after each chunk, and twice a second when there is none."""

    planned: int
    completed: int
    failed: int
    seconds: float
    here: int
    """Repetitions completed in this session."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """How a run ended; ``summary`` is the table that stands in the folder."""

    folder: Path
    state: State
    planned: int
    completed: int
    failed: int
    stopped: dict[int, int]
    """Repetitions at which the stopping rule ended a cell, by cell."""
    lost: list[tuple[int, int, int]]
    """Chunks (cell, first, count) recorded as failed since each killed its worker three times."""
    compile_seconds: float
    start_seconds: float
    """Waiting for workers to start."""
    run_seconds: float
    summary: pa.Table = field(repr=False)

    def _repr_html_(self) -> str:
        from typeone.display import html_table
        from typeone.notebook import drawn

        rows = [list(row.values()) for row in self.summary.to_pylist()]
        told = f"{self.state}: {self.completed} of {self.planned} repetitions, {self.failed} failed"
        return html_table(self.summary.column_names, rows, caption=told) + drawn("run", self.summary)


def run(
    design: Design,
    out: str | Path,
    *,
    jobs: int = 1,
    backend: str = "loky",
    address: str | None = None,
    max_failures: float = 0.01,
    progress: Callable[[Progress], None] | None = None,
) -> RunResult:
    """Run ``design`` into the folder ``out``, or continue the run that is there.

    Ctrl-C ends it with what is complete saved; so does having more than the share ``max_failures`` of the
    planned repetitions fail.  A ValueError says why a folder or a design cannot be used.

    >>> from tempfile import TemporaryDirectory
    >>> from typeone.engine.lookup import changed, design_called
    >>> with TemporaryDirectory() as folder:
    ...     run(changed(design_called("coin"), {"repetitions": 50}), folder).completed
    200
    """
    if not 0 <= max_failures <= 1:
        raise ValueError(f"max_failures={max_failures}: a share lies in [0, 1]")
    check_backend(backend, jobs, address)
    planned = resolve(design)
    if design.stop:
        check_rule(design.stop, planned.study)
    with Writer(out, planned) as store:
        session = Session(manifests.now(), jobs, backend, design.repetitions, store.manifest.completed)
        store.manifest.sessions.append(session)
        try:
            state = _compute(store, session, lambda: make_backend(backend, jobs, address), max_failures, progress)
            session.state = state
        except BaseException as error:
            session.state = f"ended by {type(error).__name__}: {error}"
            raise
        finally:
            session.end = manifests.now()
            store.flush()
        return _result(store, planned.study, session, state)


def _result(store: Writer, study: Study, session: Session, state: State) -> RunResult:
    manifest = store.manifest
    return RunResult(
        folder=store.folder,
        state=state,
        planned=manifest.planned,
        completed=manifest.completed,
        failed=manifest.failed,
        stopped=dict(manifest.stopped),
        lost=list(manifest.lost),
        compile_seconds=session.compile_seconds,
        start_seconds=session.start_seconds,
        run_seconds=session.run_seconds,
        summary=write_summary(store, study),
    )


def _compute(
    store: Writer,
    session: Session,
    make: Callable[[], Backend],
    max_failures: float,
    progress: Callable[[Progress], None] | None,
) -> State:
    """Compute and store what is missing; returns how it ended."""
    planned = resolve(store.design)  # as first asked for, which may spell a level otherwise
    schedule = Schedule(planned, store)
    if schedule.is_empty:
        return "complete"
    workers = None
    state: State = "interrupted"
    try:
        workers = make()
        shares = Shares(planned, workers)
        measured = workers.trial(planned, partial(shares.submit, schedule.sample))
        session.compile_seconds = measured.compile_seconds
        size = store.design.chunk or measured.chunk(store.design.repetitions)
        session.start_seconds = _seconds(workers.ready)
        start = time.perf_counter()
        for landing in Flight(workers, lambda: schedule.take(size), shares.submit):
            if landing is not None:
                _store(store, *landing)
                shares.release(schedule.done(landing[0]))
            session.run_seconds = time.perf_counter() - start
            if progress:
                progress(_progress(store, session))
            if store.manifest.failed > max_failures * planned.repetitions:
                state = "too many failures"
                break
        else:
            state = "complete"
    except KeyboardInterrupt:
        pass
    finally:
        if workers is not None:
            workers.close(kill=state != "complete")
    return state


def _seconds(action: Callable[[], None]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def _store(store: Writer, chunk: Chunk, batch: Batch | None) -> None:
    if batch is None:
        store.manifest.lost.append((chunk.cell, chunk.first, chunk.size))
        batch = _lost(chunk)
    store.add(*chunk, batch)


def _lost(chunk: Chunk) -> Batch:
    told = f"the chunk of {chunk.size} repetitions from {chunk.first} killed its worker {STRIKES} times"
    failures = tuple(Failure(chunk.first + i, "WorkerLost", told) for i in range(chunk.size))
    return Batch(np.empty(0, np.int64), (), np.empty((0, 0)), failures, 0.0, 0.0)


def _progress(store: Writer, session: Session) -> Progress:
    manifest = store.manifest
    done = manifest.completed
    return Progress(manifest.planned, done, manifest.failed, session.run_seconds, done - session.before)
