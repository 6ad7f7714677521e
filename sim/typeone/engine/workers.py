"""What happens inside a worker: one chunk of one cell, and what went wrong in it.

An exception is data: the batch is halved until the failing repetitions stand alone, so that every other
repetition keeps the value it has anyway.
"""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numba.core import event
from numpy.typing import NDArray

from typeone.engine.registry import load
from typeone.engine.study import Cell, Column, Columns, Kind, Study, check_values
from typeone.levels import number

MAX_MESSAGE = 500
_SHARED_KEPT = 2

_POOLS = ("OMP_NUM", "OPENBLAS_NUM", "MKL_NUM", "VECLIB_MAXIMUM", "NUMBA_NUM", "POLARS_MAX")
ONE_THREAD = {f"{pool}_THREADS": "1" for pool in _POOLS}
"""Environment of a worker process: its core is its own, and no more than that."""


class Task(NamedTuple):
    """One chunk: repetitions first .. first + size - 1 of a cell."""

    reference: str
    cell: Cell
    first: int
    size: int


class Failure(NamedTuple):
    """A repetition that raised: kept, counted and never redrawn."""

    repetition: int
    kind: str
    message: str


class Batch(NamedTuple):
    """What a chunk gave: the repetitions that ended, their values, and those that failed."""

    repetitions: NDArray[np.int64]
    columns: tuple[Column, ...]
    """Sorted."""
    values: NDArray[np.float64]
    """Shape (repetitions, columns)."""
    failures: tuple[Failure, ...]
    seconds: float
    compile_seconds: float


def simulate(study: Study, cell: Cell, shared: Any, first: int, count: int) -> Batch:
    """Run one chunk; exceptions become failures of single repetitions."""
    compiling: list[float] = []
    start = time.perf_counter()
    failures: list[Failure] = []
    parts: list[tuple[int, int, Mapping[Column, NDArray[np.float64]]]] = []
    with event.install_timer("numba:compile", compiling.append):
        for part in _survivors(study, cell, shared, first, count, failures):
            columns = part[2]
            try:
                _check_names(columns, parts[0][2] if parts else columns)
            except ValueError as error:
                failures += [_failure(part[0] + i, error) for i in range(part[1])]
            else:
                parts.append(part)
    names = tuple(sorted(parts[0][2])) if parts else ()
    blocks = [np.stack([columns[name] for name in names], axis=1) for _, _, columns in parts if names]
    kept = [np.arange(a, a + n, dtype=np.int64) for a, n, _ in parts]
    return Batch(
        np.concatenate(kept) if kept else np.empty(0, np.int64),
        names,
        np.concatenate(blocks) if blocks else np.empty((sum(map(len, kept)), 0)),
        tuple(sorted(failures)),
        time.perf_counter() - start,
        sum(compiling),
    )


def _survivors(
    study: Study, cell: Cell, shared: Any, first: int, count: int, failures: list[Failure]
) -> Iterator[tuple[int, int, dict[Column, NDArray[np.float64]]]]:
    try:
        columns = study.simulate(cell, shared, first, count)
        yield first, count, _checked(columns, count, {measure.name: measure.kind for measure in study.measures})
    except (Exception, SystemExit) as error:  # a study that ends its process ends no more than its repetition
        if count == 1:
            failures.append(_failure(first, error))
            return
        half = count // 2
        yield from _survivors(study, cell, shared, first, half, failures)
        yield from _survivors(study, cell, shared, first + half, count - half, failures)


def _checked(columns: Columns, count: int, kinds: Mapping[str, Kind]) -> dict[Column, NDArray[np.float64]]:
    checked = {}
    for name, values in columns.items():
        _, measure, at = name
        if measure not in kinds:
            raise ValueError(f"{tuple(name)}: the study declares no measure {measure!r}")
        if at:
            number(f"{tuple(name)}", at)
        array = np.asarray(values, dtype=np.float64)
        if array.shape != (count,):
            raise ValueError(f"{tuple(name)}: shape {array.shape} instead of ({count},)")
        if np.isinf(array).any():
            raise ValueError(f"{tuple(name)}: an infinite value; NaN says that a value is not defined")
        try:
            check_values(kinds[measure], array)
        except ValueError as error:
            raise ValueError(f"{tuple(name)}: {error}") from None
        checked[Column(*name)] = array
    return checked


def _check_names(columns: Mapping[Column, Any], expected: Mapping[Column, Any]) -> None:
    if columns.keys() != expected.keys():
        odd = min(columns.keys() ^ expected.keys())
        raise ValueError(f"{tuple(odd)}: a column of some repetitions only")


def _failure(repetition: int, error: Exception | SystemExit) -> Failure:
    kind = type(error)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    return Failure(repetition, name, str(error)[:MAX_MESSAGE])


def run(task: Task, shared: Any) -> Batch:
    """A chunk in a worker that holds the shared object itself."""
    return simulate(load(task.reference), task.cell, shared, task.first, task.size)


_shared: OrderedDict[str, Any] = OrderedDict()


def run_with(task: Task, name: str, fetch: Callable[[], bytes]) -> Batch:
    """A chunk in a worker that fetches the shared object called ``name`` once, pickled.

    Unpickled here, arrays are writable and this process's own, as the kernels were compiled for.
    """
    shared = _shared.get(name, _shared)
    if shared is _shared:
        shared = _shared[name] = pickle.loads(fetch())
        while len(_shared) > _SHARED_KEPT:
            _shared.popitem(last=False)
    return run(task, shared)


def run_from_file(task: Task, file: str) -> Batch:
    """A chunk in a process of this machine: the shared object lies in a file."""
    return run_with(task, file, Path(file).read_bytes)


def run_from_bytes(task: Task, name: str, content: bytes) -> Batch:
    """A chunk on a cluster that has brought the shared object along."""
    return run_with(task, name, lambda: content)


def prepare(parent: int) -> None:
    """Start of a worker process: Ctrl-C is the parent's business; without the parent there is nothing to do."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)
