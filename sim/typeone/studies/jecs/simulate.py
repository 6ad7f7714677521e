"""One batch of repetitions: every method on the same scores, or on the same p-values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from typeone.engine.study import Cell, Column, Columns
from typeone.jecs.methods import METHODS
from typeone.levels import Level
from typeone.studies.jecs import ideal, scores
from typeone.studies.jecs.parameters import Parameters
from typeone.studies.jecs.real import Pool, RealBatch, read_pool
from typeone_kernels.ideal import ideal_batch, ideal_plan
from typeone_kernels.jecs import METHODS as ROWS
from typeone_kernels.jecs import Plan, Results, TieKeys, jecs_batch, make_plan, workspace

IDEAL_METHODS = ("max-p", "storey", "jecs")  # in the order of typeone_kernels.ideal.METHODS

Tallies = list[NDArray[np.int64]]  # for each level (R, methods, 2): selected, and contaminated among them


class ScoreSource(Protocol):
    """Buffers that ``draw`` fills with repetitions of scores and the truth."""

    candidates: NDArray[np.float64]
    calibration: NDArray[np.float64]
    contaminated: NDArray[np.bool_]
    tie_keys: NDArray[np.uint64]

    def draw(self, key: tuple[int, int], first: int, count: int) -> None:
        """Repetitions ``first`` .. ``first + count - 1`` into the first ``count`` rows."""


def share(cell: Cell) -> Pool | None:
    """The score file of a cell; nothing where scores are drawn."""
    p: Parameters = cell.parameters
    return read_pool(cell.inputs.get("scores"), p) if p.family == "real" else None


def simulate(cell: Cell, shared: Pool | None, first: int, count: int) -> Columns:
    """Measures of repetitions ``first`` .. ``first + count - 1``, one value for each."""
    p: Parameters = cell.parameters
    if p.family == "ideal":
        tallies, clean = _ideal(cell, p, first, count)
        return dict(_columns(cell, IDEAL_METHODS, range(len(IDEAL_METHODS)), tallies, clean))
    if shared is None:
        K, sizes, size = p.models, p.sizes, min(count, scores.repetitions_at_once(p))
        source: ScoreSource = scores.ScoreBatch(p, size)
    else:
        K = shared.scores.shape[0]
        # Larger scores speak for membership in a score file, so smaller ones for a clean item.
        sizes, size = [shared.m] * K, min(count, max(1, 2**18 // shared.scores.size))
        source = RealBatch(p, shared, size)
    tallies, clean = _selected(cell, source, sizes, first, count, size)
    usable = {name: of.row for name, of in METHODS.items() if of.models <= K}
    columns = dict(_columns(cell, list(usable), list(usable.values()), tallies, clean))
    if shared is not None:
        columns[Column("scores", "correlation")] = np.full(count, shared.correlation)
    return columns


def _starts(first: int, count: int, size: int) -> Iterator[tuple[slice, int]]:
    """Batches of at most ``size``: their rows among ``count``, and the first repetition of each."""
    for start in range(0, count, size):
        yield slice(start, min(start + size, count)), first + start


def _selected(
    cell: Cell, source: ScoreSource, sizes: list[int], first: int, count: int, size: int
) -> tuple[Tallies, NDArray[np.int64]]:
    K, n = source.candidates.shape[1:]
    at_random = cell.parameters.ties == "random"
    plans = [_plan(n, tuple(sizes), level, at_random) for level in cell.levels]
    work = workspace(plans[0])
    tallies = [np.empty((count, len(ROWS), 2), np.int64) for _ in plans]
    envelopes, clean = np.empty((size, 4), np.int64), np.empty(count, np.int64)
    items, models = np.arange(n, dtype=np.uint64), np.arange(K, dtype=np.uint64)
    for rows, start in _starts(first, count, size):
        R = rows.stop - rows.start
        source.draw(cell.key, start, R)
        clean[rows] = (~source.contaminated[:R]).sum(axis=1)
        ties = TieKeys(source.tie_keys, items, models)
        for plan, of in zip(plans, tallies, strict=True):
            results = Results(of[rows], envelopes)
            batch = source.calibration[:R], source.candidates[:R], source.contaminated[:R]
            jecs_batch(plan, *batch, ties, work, results)
    return tallies, clean


@lru_cache(maxsize=64)
def _plan(n: int, sizes: tuple[int, ...], level: Level, at_random: bool) -> Plan:
    """Made once for all chunks of a cell: its fractions take as long as ten repetitions."""
    return make_plan(n, list(sizes), level, False, at_random)


def _ideal(cell: Cell, p: Parameters, first: int, count: int) -> tuple[Tallies, NDArray[np.int64]]:
    size = min(count, ideal.repetitions_at_once(p))
    source = ideal.IdealBatch(p, size)
    plans = [ideal_plan(p.candidates, level) for level in cell.levels]
    tallies = [np.empty((count, len(IDEAL_METHODS), 2), np.int64) for _ in plans]
    clean, ascending = np.empty(count, np.int64), np.empty(p.candidates + 1, np.int64)
    positions = np.empty(plans[0].lambda_ranks.size, np.int64)
    for rows, start in _starts(first, count, size):
        R = rows.stop - rows.start
        source.draw(cell.key, start, R)
        clean[rows] = (~source.contaminated[:R]).sum(axis=1)
        for plan, of in zip(plans, tallies, strict=True):
            ideal_batch(plan, source.largest[:R], source.contaminated[:R], ascending, positions, of[rows])
    return tallies, clean


def _columns(
    cell: Cell, methods: Sequence[str], rows: Sequence[int], tallies: Tallies, clean: NDArray[np.int64]
) -> Iterator[tuple[Column, NDArray[Any]]]:
    """GCP, power, size and emptiness of every method's selection at every level."""
    for level, of in zip(cell.levels, tallies, strict=True):
        for method, row in zip(methods, rows, strict=True):
            size, bad = of[:, row, 0], of[:, row, 1]
            yield Column(method, "gcp", level.text), bad / np.maximum(1, size)
            yield Column(method, "power", level.text), (size - bad) / np.maximum(1, clean)
            yield Column(method, "selected", level.text), size.astype(np.float64)
            yield Column(method, "empty", level.text), (size == 0).astype(np.float64)
