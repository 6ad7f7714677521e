"""What all partitions of a cell have in common: documents sorted once, raw statistics ranked once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from typeone import tables
from typeone.scf.bags import Bags, as_ranks, key_shift
from typeone.scf.statistics import BUILT_IN, Statistic, statistic
from typeone.scf.tail import TailScale, smoothing_rule
from typeone.studies.scf.parameters import Parameters
from typeone.studies.scf.scenarios import SCENARIOS, draw_documents

PACKAGED = Path(__file__).resolve().parents[2] / "data" / "source_inference.parquet"


@dataclass(frozen=True, slots=True)
class Population:
    """Participants, a null pool, and every method's partition-free part.

    ``participants`` (P,) and ``pool`` (controls,) are source codes, the pool in the order of the sources' names,
    so that partitions do not depend on the order of rows.  ``ranks`` holds the dense ranks (S,) of each raw
    statistic; ``scale`` the integer weights of the reference tail; ``shift`` that of ``mean_keys``, or -1.
    """

    bags: Bags
    participants: NDArray[np.int64]
    pool: NDArray[np.int64]
    statistics: tuple[Statistic, ...]
    ranks: Mapping[str, NDArray[np.int64]]
    scale: TailScale
    shift: int


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
    shift = key_shift(bags.sizes)
    return Population(
        bags=bags,
        participants=order[is_participant[order]],
        pool=pool,
        statistics=statistics,
        ranks={s.name: as_ranks(s.of_bags(bags)) for s in statistics if not s.referenced},
        scale=TailScale.of(bags.sizes, p.K, smoothing_rule(p.smoothing)),
        shift=-1 if shift is None else shift,
    )


def from_file(path: Path | None, p: Parameters) -> Population:
    """The population of a score file (the packaged real scores when ``path`` is None)."""
    table = tables.read(path or PACKAGED)
    if p.rows:
        name, _, value = p.rows.partition("=")
        table = table.filter(pc.equal(tables.column(table, name).cast("string"), value))
        if table.num_rows == 0:
            raise ValueError(f"rows={p.rows!r}: no row of the file has this value")
    codes, names = tables.labels(table, p.source)
    bags = Bags.of(tables.scores(table, p.score), codes, names)
    participant = _by_source(codes, len(names), tables.booleans(table, p.participant), p.participant)
    if not p.control:
        control = ~participant
    else:
        control = _by_source(codes, len(names), tables.booleans(table, p.control), p.control)
    both = participant & control
    if both.any():
        name = names[int(both.argmax())].as_py()
        raise ValueError(f"source {name!r} is both a participant and a control")
    return from_bags(bags, participant, control, p)


def _by_source(
    codes: NDArray[np.int64], sources: int, by_document: NDArray[np.bool_], name: str
) -> NDArray[np.bool_]:
    by_source = np.zeros(sources, bool)
    by_source[codes] = by_document
    wrong = by_source[codes] != by_document
    if wrong.any():
        raise ValueError(f"column {name!r}, row {int(wrong.argmax()) + 1}: the source has two different values")
    return by_source


def from_scenario(p: Parameters, key: tuple[int, int], repetition: int) -> Population:
    """A population drawn from the scenario's generative model."""
    scenario = SCENARIOS[p.scenario]
    score, codes, participants = draw_documents(scenario, key, repetition)
    names = np.arange(scenario.sources)
    is_participant = names < participants
    return from_bags(Bags.of(score, codes, pa.array(names)), is_participant, ~is_participant, p)
