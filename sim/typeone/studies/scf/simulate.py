"""One batch of partitions: every method on the same partitions and the same test sources."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from typeone.engine.study import Cell, Column, Columns
from typeone.levels import Level
from typeone.scf.bags import as_ranks, ordered_keys
from typeone.scf.result import most_ranks
from typeone.scf.tail import cap_evidence, smoothing_rule
from typeone.studies.scf.parameters import Parameters
from typeone.studies.scf.pilot import Pilot, pilot_of
from typeone.studies.scf.population import Population, RawOrder, from_bags, from_scenario, read_file
from typeone.studies.scf.scenarios import Scenario
from typeone_kernels.partitions import (
    Keys,
    draw_roles,
    evidence,
    raw_counts,
    reference_documents,
    referenced_counts,
    source_keys,
)
from typeone_kernels.scf import PARTICIPANT, TARGET

BATCH = 32  # partitions whose buffers are alive together


@dataclass(frozen=True, slots=True)
class Counts:
    """What one method did in B partitions: 2U (B,), true and false rejections (B, 2, T)."""

    u: NDArray[np.int64]
    rejected: NDArray[np.int64]

    @classmethod
    def empty(cls, partitions: int, levels: int) -> Counts:
        """Buffers for a kernel to fill."""
        return cls(np.empty(partitions, np.int64), np.empty((partitions, 2, levels), np.int64))

    @classmethod
    def concatenated(cls, parts: list[Counts]) -> Counts:
        """The partitions of several batches, in order."""
        return cls(np.concatenate([part.u for part in parts]), np.concatenate([part.rejected for part in parts]))


def share(cell: Cell) -> Population | Pilot | None:
    """The population of a cell, or what every repetition draws its own from: a pilot, or (None) the scenario."""
    p: Parameters = cell.parameters
    if p.scenario == "scores":
        bags, participant, control = read_file(cell.inputs.get("scores"), p)
        return pilot_of(bags, participant, control) if p.resample else from_bags(bags, participant, control, p)
    if p.population == "redraw":
        return None
    return from_scenario(p, (p.population_seed, 0), 0)


def simulate(cell: Cell, shared: Population | Pilot | Scenario | None, first: int, count: int) -> Columns:
    """Measures of partitions ``first`` .. ``first + count - 1``, one value for each.

    ``shared`` is what ``share`` returns, or a scenario in place of the cell's own.
    """
    p: Parameters = cell.parameters
    if not isinstance(shared, Population):
        if isinstance(shared, Pilot):
            draw, sizes = partial(shared.draw, p, cell.key), (shared.participants.size, shared.pool(p))
        else:
            scene = shared or p.scene
            draw, sizes = partial(from_scenario, p, cell.key, scenario=scene), (scene.participants, scene.pool)
        one_each = (draw(repetition) for repetition in range(first, first + count))
        batches = [_batch(cell, population, first + i, 1) for i, population in enumerate(one_each)]
    else:
        starts = range(first, first + count, BATCH)
        batches = [_batch(cell, shared, start, min(BATCH, first + count - start)) for start in starts]
        sizes = (shared.participants.size, shared.pool.size)
    together = {name: Counts.concatenated([batch[0][name] for batch in batches]) for name in batches[0][0]}
    shares = np.concatenate([batch[1] for batch in batches])
    return dict(_columns(cell, together, shares, sizes[0], sizes[1] - p.K - p.L))


def _batch(cell: Cell, population: Population, first: int, count: int) -> tuple[dict[str, Counts], NDArray[np.float64]]:
    """What each method did in ``count`` partitions, and the capped weight of participants and null tests (B, 2)."""
    p: Parameters = cell.parameters
    roles = np.empty((count, population.bags.sizes.size), np.int8)
    draw_roles(np.array(cell.key, np.uint64), first, population.pool, np.array([p.K, p.L]), roles)
    sums, capped = _evidence(p, population, roles)
    keyed = {"scf": sums[:, 0], "fisher": sums[:, 1]}
    shift = population.shift
    if shift < 0:
        keyed = {name: np.array([ordered_keys(row, population.bags.sizes) for row in k]) for name, k in keyed.items()}
    counts = {name: _referenced(cell, population, roles, keys, shift) for name, keys in keyed.items()}
    for method in population.statistics:
        if method.name in population.raw:
            counts[method.name] = _raw(cell, population.raw[method.name], roles)
        elif method.kernel is not None:
            keys = np.array([as_ranks(method.of_reference(population.bags, _as_targets(role))) for role in roles])
            counts[method.name] = _referenced(cell, population, roles, keys, -1)
    return counts, capped[:, [PARTICIPANT, TARGET]] / population.scale.unit


def _as_targets(role: NDArray[np.int8]) -> NDArray[np.int8]:
    """Roles as a statistic may see them: it must not know who took part."""
    return np.where(role == PARTICIPANT, TARGET, role).astype(np.int8)


def _evidence(
    p: Parameters, population: Population, roles: NDArray[np.int8]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Bag sums (B, 2, S) under the cap and uncapped, and the capped weight of each role (B, 4)."""
    smoothing, scale = smoothing_rule(p.smoothing), population.scale
    documents = np.empty(roles.shape[0], np.int64)
    reference_documents(roles, population.bags.sizes, documents)
    caps = [p.cap, Level(0)]
    sizes = documents.tolist()
    tails = np.array([scale.constants(n, smoothing) for n in sizes])
    below = np.array([scale.capped_below(n, smoothing, caps) for n in sizes], np.int64)
    sums = np.empty((roles.shape[0], len(caps), roles.shape[1]), np.int64)
    capped = np.empty((roles.shape[0], 4), np.int64)
    at_caps = (below, np.array([cap_evidence(cap) for cap in caps]))
    evidence((population.source, population.blocks), scale.weight, roles, tails, at_caps, sums, capped)
    return sums, capped


def _referenced(
    cell: Cell, population: Population, roles: NDArray[np.int8], keys: NDArray[np.int64], shift: int
) -> Counts:
    """Counts of a method that calibrates on the L calibration sources; keys (B, S) as ``source_keys`` takes them."""
    p: Parameters = cell.parameters
    count, tests = roles.shape[0], population.pool.size - p.K - p.L
    found = Keys(*(np.empty((count, size), np.int64) for size in (population.participants.size, tests, p.L)))
    source_keys(keys, population.bags.sizes, population.reciprocal, shift, roles, found)
    counts = Counts.empty(count, len(cell.levels))
    referenced_counts(found, _cuts(cell, p.L), counts.u, counts.rejected)
    return counts


def _raw(cell: Cell, raw: RawOrder, roles: NDArray[np.int8]) -> Counts:
    """Counts of a raw statistic, which calibrates on all K + L controls."""
    p: Parameters = cell.parameters
    cuts = _cuts(cell, p.K + p.L)
    ascending = np.argsort(cuts, kind="stable")
    counts = Counts.empty(roles.shape[0], cuts.size)
    raw_counts(
        raw.order, raw.ranks, raw.participants_above, raw.wins, roles, cuts[ascending], counts.u, counts.rejected
    )
    counts.rejected[:, :, ascending] = counts.rejected.copy()
    return counts


def _cuts(cell: Cell, m: int) -> NDArray[np.int64]:
    return np.array([most_ranks(level, m) for level in cell.levels])


def _columns(
    cell: Cell, counts: dict[str, Counts], capped: NDArray[np.float64], participants: int, tests: int
) -> Iterator[tuple[Column, NDArray[np.float64]]]:
    """AUROC, TPR and FPR of every method, the paired gains of every pair, and the capped shares."""
    pairs = 2 * participants * tests
    levels = [level.text for level in cell.levels]
    for name, of in counts.items():
        yield Column(name, "auroc"), of.u / pairs
        for t, level in enumerate(levels):
            yield Column(name, "tpr", level), of.rejected[:, 0, t] / participants
            yield Column(name, "fpr", level), of.rejected[:, 1, t] / tests
    for one, other in combinations(counts, 2):
        a, b = counts[one], counts[other]
        # Differences of integers: a tie is exactly 0, whatever the divisor.
        yield Column(f"{one} - {other}", "auroc_gain"), (a.u - b.u) / pairs
        for t, level in enumerate(levels):
            gain = a.rejected[:, 0, t] - b.rejected[:, 0, t]
            yield Column(f"{one} - {other}", "tpr_gain", level), gain / participants
    yield Column("scf", "capped_participants"), capped[:, 0] / participants
    yield Column("scf", "capped_nonparticipants"), capped[:, 1] / tests
