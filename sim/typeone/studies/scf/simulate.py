"""One batch of partitions: every method on the same partitions and the same test sources."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from typeone.engine.study import Cell, Column, Columns
from typeone.levels import Level
from typeone.scf.bags import as_ranks, ordered_keys
from typeone.scf.tail import cap_evidence, smoothing_rule
from typeone.studies.scf.parameters import Parameters
from typeone.studies.scf.population import Population, from_file, from_scenario
from typeone_kernels.partitions import draw_roles, evidence_keys, gather, reference_documents, roc_counts
from typeone_kernels.scf import TARGET

BATCH = 32  # partitions whose buffers are alive together


@dataclass(frozen=True, slots=True)
class Counts:
    """What one method did in B partitions: 2U (B,), true and false rejections (B, 2, T)."""

    u: NDArray[np.int64]
    rejected: NDArray[np.int64]


def share(cell: Cell) -> Population | None:
    """The population of a cell, or None when every repetition draws its own."""
    p: Parameters = cell.parameters
    if p.scenario == "scores":
        return from_file(cell.inputs.get("scores"), p)
    if p.population == "redraw":
        return None
    return from_scenario(p, (p.population_seed, 0), 0)


def simulate(cell: Cell, shared: Population | None, first: int, count: int) -> Columns:
    """Measures of partitions ``first`` .. ``first + count - 1``, one value for each."""
    p: Parameters = cell.parameters
    parts = []
    if shared is None:
        for repetition in range(first, first + count):
            population = from_scenario(p, cell.key, repetition)
            parts.append(_batch(cell, population, repetition, 1))
    else:
        for start in range(first, first + count, BATCH):
            parts.append(_batch(cell, shared, start, min(BATCH, first + count - start)))
    return {column: np.concatenate([part[column] for part in parts]) for column in parts[0]}


def _batch(cell: Cell, population: Population, first: int, count: int) -> dict[Column, NDArray[np.float64]]:
    p: Parameters = cell.parameters
    bags = population.bags
    roles = np.empty((count, bags.sizes.size), np.int8)
    draw_roles(np.array(cell.key, np.uint64), first, population.pool, np.array([p.K, p.L]), roles)
    keys, capped = _evidence(p, population, roles)
    tests = population.pool.size - p.K - p.L
    counts = {
        name: _counts(cell, population, roles, keys, raw=name in population.ranks) for name, keys in keys.items()
    }
    columns = dict(_columns(cell.levels, counts, population.participants.size, tests))
    for name, role_weight, sources in (
        ("capped_participants", capped[:, 3], population.participants.size),
        ("capped_nonparticipants", capped[:, TARGET], tests),
    ):
        columns[Column("scf", name)] = role_weight / (population.scale.unit * sources)
    return columns


def _evidence(
    p: Parameters, population: Population, roles: NDArray[np.int8]
) -> tuple[dict[str, NDArray[np.int64]], NDArray[np.int64]]:
    """Ordered keys of every method, (B, S) or (1, S), and the capped weight of each role, (B, 4)."""
    bags, scale = population.bags, population.scale
    smoothing = smoothing_rule(p.smoothing)
    documents = np.empty(roles.shape[0], np.int64)
    reference_documents(roles, bags.sizes, documents)
    caps = [p.cap, Level(0)]
    sizes = [int(n) for n in documents]
    tails = np.array([scale.constants(n, smoothing) for n in sizes])
    below = np.array([scale.capped_below(n, smoothing, caps) for n in sizes], np.int64)
    out = np.empty((2, *roles.shape), np.int64)
    capped = np.empty((roles.shape[0], 4), np.int64)
    labelled = roles.copy()
    labelled[:, population.participants] = 3  # so that capped documents are counted apart from null tests
    evidence_keys(
        (bags.score, bags.source),
        (scale.weight, bags.sizes),
        labelled,
        tails,
        (below, np.array([cap_evidence(cap) for cap in caps])),
        population.shift,
        out,
        capped,
    )
    if population.shift < 0:
        out = np.array([[ordered_keys(sums, bags.sizes) for sums in row] for row in out])
    keys: dict[str, NDArray[np.int64]] = {"scf": out[0], "fisher": out[1]}
    for method in population.statistics:
        if method.name in population.ranks:
            keys[method.name] = population.ranks[method.name][None, :]
        elif method.kernel is not None:
            keys[method.name] = np.array([as_ranks(method.of_reference(bags, role)) for role in roles])
    return keys, capped


def _counts(
    cell: Cell, population: Population, roles: NDArray[np.int8], keys: NDArray[np.int64], *, raw: bool
) -> Counts:
    """Sorted keys of participants, null tests and calibration sources, and the exact counts from them."""
    p: Parameters = cell.parameters
    count = roles.shape[0]
    m = p.L + (p.K if raw else 0)
    test = np.empty((count, population.pool.size - p.K - p.L), np.int64)
    calibration = np.empty((count, m), np.int64)
    # A raw statistic keeps its order in every partition: sort the pool once, and nothing else is sorted.
    pool = population.pool[np.argsort(keys[0, population.pool], kind="stable")] if raw else population.pool
    gather(keys, roles, pool, raw, test, calibration)
    if not raw:
        test.sort(axis=1)
        calibration.sort(axis=1)
    positives = np.sort(keys[:, population.participants], axis=1)
    u = np.empty(count, np.int64)
    rejected = np.empty((count, 2, len(cell.levels)), np.int64)
    cuts = np.array([math.floor(level * (m + 1)) for level in cell.levels])
    roc_counts(positives, test, calibration, cuts, u, rejected)
    return Counts(u, rejected)


def _columns(
    levels: tuple[Level, ...], counts: dict[str, Counts], participants: int, tests: int
) -> Iterator[tuple[Column, NDArray[np.float64]]]:
    """AUROC, TPR and FPR of every method, and the paired gains of every pair of methods."""
    pairs = 2 * participants * tests
    names = list(counts)
    for name in names:
        yield Column(name, "auroc"), counts[name].u / pairs
        for t, level in enumerate(levels):
            yield Column(name, "tpr", level.text), counts[name].rejected[:, 0, t] / participants
            yield Column(name, "fpr", level.text), counts[name].rejected[:, 1, t] / tests
    for i, one in enumerate(names):
        for other in names[i + 1 :]:
            a, b = counts[one], counts[other]
            # Differences of integers: a tie is exactly 0, whatever the divisor.
            yield Column(f"{one} - {other}", "auroc_gain"), (a.u - b.u) / pairs
            for t, level in enumerate(levels):
                gain = a.rejected[:, 0, t] - b.rejected[:, 0, t]
                yield Column(f"{one} - {other}", "tpr_gain", level.text), gain / participants
