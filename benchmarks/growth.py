"""How time per repetition grows with n, m, K, sources and documents, beside numpy's sort of as much data.

An exponent is the slope of log time on log size by least squares, from medians of interleaved rounds over all sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.timing import ROUNDS, Timing, interleaved, seconds_of
from benchmarks.works.jecs import cell_of as jecs_cell
from benchmarks.works.jecs import design_of
from benchmarks.works.scf import cell_of as scf_cell
from typeone.scf.bags import Bags
from typeone.studies.jecs import STUDY as JECS
from typeone.studies.scf import STUDY as SCF
from typeone.studies.scf.population import from_bags

SLACK = 0.1
Work = Callable[[], object]
SAMPLE = 3e-2  # seconds that a sample should take at least

SIZES: Mapping[str, tuple[int, ...]] = {
    "JECS n": (300, 1000, 3000, 10_000, 30_000),
    "JECS m": (300, 1000, 3000, 10_000, 30_000),
    "JECS K": (2, 4, 8, 16, 32, 64),
    "SCF sources": (300, 1000, 3000, 10_000, 30_000),
    "SCF documents": (2000, 8000, 32_000, 128_000),
}


def jecs(n: int = 1000, m: int = 1000, K: int = 5) -> tuple[Callable[[int], object], int]:
    """Repetitions of the independent Gaussian cell, and how many scores vary with what is varied."""
    cell = jecs_cell(design_of(n, m, K))
    return (lambda count: JECS.simulate(cell, None, 0, count)), K * (n + m)


def scf(sources: int, each: int) -> tuple[Callable[[int], object], int]:
    """Partitions of a population of bags of ``each`` documents, half of them participants."""
    rng = np.random.default_rng(10)
    cell = scf_cell(scenario="cc-news")
    source = np.repeat(np.arange(sources), each)
    score = rng.standard_normal(source.size) + 0.3 * (source % 2)
    names = pa.array([f"{i:06}" for i in range(sources)])
    participant = np.arange(sources) % 2 == 1
    shared = from_bags(Bags.of(score, source, names), participant, ~participant, cell.parameters)
    return (lambda count: SCF.simulate(cell, shared, 0, count)), source.size


def work_of(name: str, size: int) -> tuple[Callable[[int], object], int]:
    """(work for a number of repetitions, doubles that numpy sorts beside it)."""
    match name:
        case "JECS n":
            return jecs(n=size)[0], size * 5
        case "JECS m":
            return jecs(m=size)[0], size * 5
        case "JECS K":
            return jecs(K=size)
        case "SCF sources":
            return scf(size, 8)
        case _:
            return scf(1000, size // 1000)


def growth(name: str, *, quick: bool) -> dict[str, Any]:
    """Medians by size, and the two exponents."""
    sizes = SIZES[name][:3] if quick else SIZES[name]
    measures: dict[str, Callable[[], float]] = {}
    for size in sizes:
        run, doubles = work_of(name, size)
        values = np.random.default_rng(11).standard_normal(doubles)
        run(1)
        count = max(1, int(SAMPLE / seconds_of(lambda run=run: run(1))))  # type: ignore[misc]
        measures[f"ours {size}"] = partial(_per_call, partial(run, count), count)
        measures[f"sort {size}"] = partial(_sorted, values)
    times = interleaved(measures, rounds=3 if quick else ROUNDS)
    ours, sort = ([times[f"{who} {size}"] for size in sizes] for who in ("ours", "sort"))
    exponents = slope(sizes, ours), slope(sizes, sort)
    return {
        "name": name,
        "sizes": list(sizes),
        "seconds": [t.median for t in ours],
        "sort_seconds": [t.median for t in sort],
        "exponent": exponents[0],
        "sort_exponent": exponents[1],
        "verdict": "met" if exponents[0] <= exponents[1] + SLACK else "missed",
    }


def _per_call(run: Work, count: int) -> float:
    return seconds_of(run) / count


def _sorted(values: np.ndarray) -> float:
    calls = max(1, 200_000 // values.size)
    return seconds_of(lambda: [np.sort(values) for _ in range(calls)]) / calls


def slope(sizes: tuple[int, ...], times: list[Timing]) -> float:
    """Least-squares exponent of the medians."""
    return float(np.polyfit(np.log(sizes), np.log([t.median for t in times]), 1)[0])
