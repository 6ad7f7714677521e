"""What the engine costs: ``python benchmarks/engine.py [throughput memory overhead speedup]``.

throughput  seconds for 10**6 repetitions of a trivial study with two workers, storage and summary included
memory      growth of peak memory from 10**4 to 10**6 repetitions, in the parent and in the largest worker
overhead    time beside the kernel, as a share of kernel time, with chunks of one second (one worker)
speedup     two workers over one, relative to a bare compute loop in two processes over one, seven interleaved
            rounds; processes are started beforehand in both, and 12 seconds of work then take about 6
"""

from __future__ import annotations

import json
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit
from pydantic import BaseModel, ConfigDict

from typeone.engine.design import design_from
from typeone.engine.runner import RunResult, run
from typeone.engine.study import Cell, Column, Columns, Measure, Study
from typeone_kernels.streams import STATE_WORDS, next_uniform, open_stream

HERE = Path(__file__).resolve()
PEAKS = "ENGINE_PEAKS"
"""Names a folder in which workers note their peak memory, when it is measured."""


class Work(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    draws: int = 1
    """Uniforms drawn in one repetition: how long it takes."""


@njit(cache=True, nogil=True, error_model="numpy")
def spin(key: np.ndarray, first: int, draws: int, out: np.ndarray) -> None:
    """The last of ``draws`` uniforms of each repetition's stream."""
    state = np.empty(STATE_WORDS, np.uint64)
    for i in range(out.size):
        open_stream(state, key, first + i, 0)
        for _ in range(draws):
            out[i] = next_uniform(state)


def simulate(cell: Cell, shared: None, first: int, count: int) -> Columns:
    out = np.empty(count)
    spin(np.array(cell.key, dtype=np.uint64), first, cell.parameters.draws, out)
    if PEAKS in os.environ:
        (Path(os.environ[PEAKS]) / str(os.getpid())).write_text(str(peak()))
    return {Column("uniform", "error", "0.05"): (out < 0.05).astype(float)}


STUDY = Study("spin", "Uniform numbers.", Work, (Measure("error", "rate", claim=True),), simulate)


def go(folder: str, repetitions: int, jobs: int, draws: int = 1, chunk: int | None = None) -> RunResult:
    values: dict[str, Any] = {"repetitions": repetitions, "chunk": chunk, "factors": {"draws": draws}}
    return run(design_from({"study": "engine:STUDY", **values}), folder, jobs=jobs)


def seconds_of(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def throughput() -> None:
    with tempfile.TemporaryDirectory() as folder:
        seconds = seconds_of(lambda: go(folder, 10**6, 2))
        size = sum(file.stat().st_size for file in Path(folder).rglob("*.parquet"))
    print(f"throughput: 10**6 repetitions, 2 workers: {seconds:.1f} s (must be < 60), {size / 2**20:.1f} MiB")


def one_run(repetitions: int) -> None:
    """In a process of its own: print peak memory of the parent and of its largest worker, in MiB."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as peaks:
        os.environ[PEAKS] = peaks
        go(folder, repetitions, 2)
        workers = [float(file.read_text()) for file in Path(peaks).iterdir() if file.name != str(os.getpid())]
    print(json.dumps([peak(), max(workers)]))


def peak() -> float:
    """This process's peak resident memory, in MiB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def memory() -> None:
    grown = []
    for _ in range(3):
        small, large = (
            json.loads(subprocess.check_output([sys.executable, str(HERE), "one_run", str(n)])) for n in (10**4, 10**6)
        )
        grown.append([large[i] - small[i] for i in range(2)])
    parent, worker = (statistics.median(column) for column in zip(*grown, strict=True))
    print(
        f"memory: growth from 10**4 to 10**6 repetitions: parent {parent:.2f} MiB, worker {worker:.2f} MiB "
        f"(must be < 2); of three runs the median"
    )


def _repetitions_for(seconds: float, draws: int) -> int:
    """How many repetitions the bare kernel does in ``seconds``."""
    key, out = np.array([1, 2], np.uint64), np.empty(1000)
    spin(key, 0, draws, out)
    return int(seconds / (seconds_of(lambda: spin(key, 0, draws, out)) / out.size))


def bare(repetitions: int, chunk: int, draws: int) -> None:
    key, out = np.array([1, 2], np.uint64), np.empty(chunk)
    for first in range(0, repetitions, chunk):
        spin(key, first, draws, out)


def overhead() -> None:
    draws, chunks = 20_000, 8
    chunk = _repetitions_for(1.0, draws)
    shares = []
    for _ in range(3):
        kernel_seconds = seconds_of(lambda: bare(chunk * chunks, chunk, draws))
        with tempfile.TemporaryDirectory() as folder:
            spent = go(folder, chunk * chunks, 1, draws, chunk).run_seconds
        shares.append(spent / kernel_seconds - 1)
    told = statistics.median(shares)
    print(f"overhead: {told:.2%} of kernel time with chunks of a second (must be < 3 %)")


def speedup() -> None:
    draws, chunks = 20_000, 24
    chunk = _repetitions_for(0.5, draws)
    ratios = []
    context = multiprocessing.get_context("spawn")
    with context.Pool(2) as pool:
        pool.starmap(bare, [(chunk, chunk, draws)] * 2)
        for _ in range(7):
            alone = seconds_of(lambda: bare(chunk * chunks, chunk, draws))
            work = [(chunk * chunks // 2, chunk, draws)] * 2
            both = seconds_of(lambda work=work: pool.starmap(bare, work))  # type: ignore[misc]
            with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
                first = go(one, chunk * chunks, 1, draws, chunk).run_seconds
                second = go(two, chunk * chunks, 2, draws, chunk).run_seconds
            ratios.append((first / second) / (alone / both))
            print(f"  bare {alone / both:.3f}, engine {first / second:.3f}", flush=True)
    print(f"speedup: {statistics.median(ratios):.3f} of that of a bare loop (must be >= .95)")


if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parent))
    os.chdir(HERE.parent)
    if sys.argv[1:2] == ["one_run"]:
        one_run(int(sys.argv[2]))
    else:
        for name in sys.argv[1:] or ["throughput", "memory", "overhead", "speedup"]:
            {"throughput": throughput, "memory": memory, "overhead": overhead, "speedup": speedup}[name]()
