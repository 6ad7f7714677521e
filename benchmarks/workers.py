"""Two workers over one: the engine beside a bare compute loop of the same study, interleaved and warm on both sides."""

from __future__ import annotations

import multiprocessing
import tempfile
from functools import cache
from typing import Any

from benchmarks.timing import ROUNDS, Ratio, Timing, seconds_of
from typeone.engine.design import design_from
from typeone.engine.resolved import resolve
from typeone.engine.runner import run
from typeone.engine.study import Cell, Study

LIMIT = 0.95
CHUNKS = 48
BOTH = ("bare", "engine")

DESIGNS: dict[str, dict[str, Any]] = {
    "scf": {"study": "scf", "factors": {"scenario": "cc-news"}},
    "jecs": {"study": "jecs", "factors": {"models": 5}},
    "panels": {
        "study": "panels",
        "factors": {"evaluators": 200, "units": 2000, "shared": "1/2", "beta": "2/5"},
    },
    "pooling": {"study": "pooling", "factors": {"items": 200, "n": 12}},
}


@cache
def prepared(name: str) -> tuple[Study, Cell, Any]:
    """Study, its only cell, and what repetitions share: made once in every process."""
    planned = resolve(design_from({**DESIGNS[name], "repetitions": 1}))
    cell = planned.cells[0]
    return planned.study, cell, planned.study.share(cell)


def bare(name: str, first: int, count: int, chunk: int) -> None:
    """Nothing but the study's own computation, in the engine's chunks."""
    study, cell, shared = prepared(name)
    for start in range(first, first + count, chunk):
        study.simulate(cell, shared, start, min(chunk, first + count - start))


def engine(name: str, repetitions: int, chunk: int, jobs: int) -> float:
    """Seconds from the first chunk to the last; workers have started, kernels are compiled."""
    with tempfile.TemporaryDirectory() as folder:
        design = design_from({**DESIGNS[name], "repetitions": repetitions, "chunk": chunk})
        return run(design, folder, jobs=jobs).run_seconds


def two_over_one(name: str, *, quick: bool) -> dict[str, Any]:
    """Rounds of (bare in one, bare in two, engine with one, engine with two)."""
    bare(name, 0, 8, 8)
    chunk = max(1, int((0.02 if quick else 0.1) / (seconds_of(lambda: bare(name, 0, 40, 40)) / 40)))
    repetitions = chunk * CHUNKS
    half = [(name, start, repetitions // 2, chunk) for start in (0, repetitions // 2)]
    seconds: dict[str, list[float]] = {key: [] for key in ("bare 1", "bare 2", "engine 1", "engine 2")}
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        pool.starmap(bare, [(name, 0, chunk, chunk)] * 4, chunksize=1)
        for _ in range(2 if quick else ROUNDS):
            seconds["bare 1"].append(seconds_of(lambda: bare(name, 0, repetitions, chunk)))
            seconds["bare 2"].append(seconds_of(lambda: pool.starmap(bare, half, chunksize=1)))
            seconds["engine 1"].append(engine(name, repetitions, chunk, 1))
            seconds["engine 2"].append(engine(name, repetitions, chunk, 2))
    times = {key: Timing(tuple(values)) for key, values in seconds.items()}
    speedups = {who: [a / b for a, b in zip(seconds[f"{who} 1"], seconds[f"{who} 2"], strict=True)] for who in BOTH}
    share = Ratio.of(Timing(tuple(speedups["engine"])), Timing(tuple(speedups["bare"])))
    return {
        "name": name,
        "repetitions": repetitions,
        "seconds": {key: timing.median for key, timing in times.items()},
        "bare": Timing(tuple(speedups["bare"])).median,
        "engine": Timing(tuple(speedups["engine"])).median,
        "share": vars(share),
        "verdict": "met" if share.median >= LIMIT else "missed",
    }
