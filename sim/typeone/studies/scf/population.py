"""What all partitions of a cell have in common: documents sorted once, raw statistics ranked once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from typeone import tables
from typeone.groups import constant_within
from typeone.scf.bags import Bags, key_shift
from typeone.scf.statistics import BUILT_IN, Statistic, statistic
from typeone.scf.tail import TailScale, smoothing_rule
from typeone.studies.scf.parameters import Parameters
from typeone.studies.scf.scenarios import Scenario, draw_documents


@dataclass(frozen=True, slots=True)
class Population:
    """Participants, a null pool, and every method's partition-free part.

    ``participants`` (P,) and ``pool`` (controls,) are source codes, the pool in the order of the sources' names, so
    that partitions do not depend on the order of rows.  ``source`` (D,) and ``blocks`` are the sorted documents as
    ``evidence_sums`` reads them; ``scale`` holds the integer weights of the reference tail; ``shift`` and
    ``reciprocal`` (S,) serve ``mean_key`` (shift -1: bags are too large for it).
    """

    bags: Bags
    participants: NDArray[np.int64]
    pool: NDArray[np.int64]
    statistics: tuple[Statistic, ...]
    raw: Mapping[str, RawOrder]
    source: NDArray[np.uint32]
    blocks: NDArray[np.int64]
    scale: TailScale
    shift: int
    reciprocal: NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class RawOrder:
    """A raw statistic against the pool, which no partition changes: the arguments of ``raw_counts``."""

    order: NDArray[np.int64]
    ranks: NDArray[np.int64]
    participants_above: NDArray[np.int64]
    wins: NDArray[np.int64]

    @classmethod
    def of(cls, ranks: NDArray[np.int64], participants: NDArray[np.int64], pool: NDArray[np.int64]) -> RawOrder:
        """From the dense ranks of every source, (S,)."""
        order = pool[np.argsort(-ranks[pool], kind="stable")]
        taking_part = np.sort(ranks[participants])
        above = taking_part.size - np.searchsorted(taking_part, ranks[order], side="right")
        not_below = taking_part.size - np.searchsorted(taking_part, ranks[order], side="left")
        return cls(order, ranks, above, above + not_below)


def from_bags(
    bags: Bags, is_participant: NDArray[np.bool_], is_control: NDArray[np.bool_], p: Parameters
) -> Population:
    """The population of ``bags`` whose sources have the given flags, each shape (S,)."""
    order = bags.canonical_order()
    pool = order[is_control[order]]
    if pool.size < p.K + p.L + 1:
        raise ValueError(
            f"reference={p.K}, calibration={p.L}: the null pool has {pool.size} sources, and at "
            "least one must be left to test"
        )
    if not is_participant.any():
        raise ValueError("participant: no participating source is given")
    methods = [*BUILT_IN, *([p.own] if p.own else [])]
    statistics = tuple(statistic(method, rho=p.rho) for method in methods)
    participants = order[is_participant[order]]
    scale = TailScale.of(bags.sizes, p.K, smoothing_rule(p.smoothing))
    shift = key_shift(bags.sizes, scale.most_evidence)
    return Population(
        bags=bags,
        participants=participants,
        pool=pool,
        statistics=statistics,
        raw={s.name: RawOrder.of(s.of_bags(bags)[1], participants, pool) for s in statistics if not s.referenced},
        source=bags.source.astype(np.uint32),
        blocks=bags.blocks(),
        scale=scale,
        shift=-1 if shift is None else shift,
        reciprocal=np.uint64(2**64 - 1) // bags.sizes.astype(np.uint64),
    )


def read_file(path: Path | None, p: Parameters) -> tuple[Bags, NDArray[np.bool_], NDArray[np.bool_]]:
    """Bags of a score file (the packaged real scores when ``path`` is None), and who took part and who did not."""
    table = tables.read(path or tables.PACKAGED / f"{p.packaged}.parquet")
    if p.rows:
        table = tables.where(table, p.rows)
    codes, names = tables.labels(table, p.source)
    participant = constant_within(tables.booleans(table, p.participant), codes, names, p.participant, p.source)
    if not p.control:
        control = ~participant
    else:
        control = constant_within(tables.booleans(table, p.control), codes, names, p.control, p.source)
    both = participant & control
    if both.any():
        name = names[int(both.argmax())].as_py()
        raise ValueError(f"source {name!r} is both a participant and a control")
    # Kernels take every source outside the null pool for a participant: leave out those that are neither.
    known = participant | control
    table = table.filter(pa.array(known[codes]))
    codes, names = tables.labels(table, p.source)
    participant, control = participant[known], control[known]
    score = tables.scores(table, p.score)
    if p.effect != 1:
        shift = float(p.effect - 1) * _distance(score, codes, participant, control)
        score = np.where(participant[codes], score + shift, score)
    return Bags.of(score, codes, names), participant, control


def _distance(
    score: NDArray[np.float64],
    codes: NDArray[np.int64],
    participant: NDArray[np.bool_],
    control: NDArray[np.bool_],
) -> float:
    """Participants' mean score less controls', every source counting equally; 0 when a group is empty."""
    means = np.bincount(codes, weights=score) / np.bincount(codes)
    groups = means[participant], means[control]
    return float(groups[0].mean() - groups[1].mean()) if all(group.size for group in groups) else 0.0


def from_scenario(p: Parameters, key: tuple[int, int], repetition: int, scenario: Scenario | None = None) -> Population:
    """A population drawn from a scenario's generative model, the cell's own when none is given."""
    scenario = scenario or p.scene
    score, codes, participants = draw_documents(scenario, key, repetition)
    names = np.arange(scenario.sources)
    is_participant = names < participants
    return from_bags(Bags.of(score, codes, pa.array(names)), is_participant, ~is_participant, p)
