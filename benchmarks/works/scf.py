"""SCF: one random partition of the CC News scenario, six methods."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from benchmarks import floors
from benchmarks.rows import Implementation, Row, Size, Target, over, unequal
from benchmarks.twins.scf import Found, NumpyStudy, Sources
from typeone.engine.study import Cell, Column, Columns
from typeone.levels import levels
from typeone.studies.scf import STUDY
from typeone.studies.scf.population import Population
from typeone_kernels.partitions import draw_roles

LEVELS = [(1, 20), (1, 10), (1, 5)]


def cell_of(**factors: Any) -> Cell:
    return Cell(0, STUDY.parameters(**factors), levels("levels", list(STUDY.levels)), (1, 2))


def twin_of(shared: Population) -> NumpyStudy:
    bags = shared.bags
    return NumpyStudy(Sources(bags.score, bags.source, bags.sizes, shared.participants, shared.pool), 0.05)


def roles_of(cell: Cell, shared: Population, partitions: int) -> np.ndarray:
    p = cell.parameters
    roles = np.empty((partitions, shared.bags.sizes.size), np.int8)
    draw_roles(np.array(cell.key, np.uint64), 0, shared.pool, np.array([p.K, p.L]), roles)
    return roles


def differs(found: list[dict[str, Found]], cell: Cell, shared: Population, ours: Columns) -> str:
    """All six methods' 2U, TPR and FPR on the partitions that the twin did."""
    p = cell.parameters
    participants, tests = shared.participants.size, shared.pool.size - p.K - p.L
    few = len(found)
    for method in found[0]:
        of = [each[method] for each in found]
        said = unequal(
            f"{method} AUROC",
            ours[Column(method, "auroc")][:few],
            np.array([f.twice_u for f in of]) / (2 * participants * tests),
        )
        for t, level in enumerate(cell.levels):
            true, false = np.array([f.true[t] for f in of]), np.array([f.false[t] for f in of])
            said = said or unequal(f"{method} TPR", ours[Column(method, "tpr", level.text)][:few], true / participants)
            said = said or unequal(f"{method} FPR", ours[Column(method, "fpr", level.text)][:few], false / tests)
        if said:
            return said
    return ""


def build(size: Size) -> Mapping[str, Implementation]:
    """The population is ours to prepare; the twin gets it, and the partitions, for free."""
    cell = cell_of(scenario="cc-news" if size == "full" else "enron")
    shared = STUDY.share(cell)
    twin = twin_of(shared)
    many, few = (64, 16) if size == "full" else (12, 12)
    roles = roles_of(cell, shared, few)
    tests = shared.pool[roles[0][shared.pool] == 0]
    tested = np.concatenate([shared.participants, tests])
    statistics = np.stack([value[tested].astype(float) for value in twin.statistics(roles[0]).values()])
    found = [twin.partition(role, LEVELS) for role in roles]
    score, source = shared.bags.score, shared.source
    return {
        "ours": Implementation(
            lambda: STUDY.simulate(cell, shared, 0, many), many, partial(differs, found, cell, shared)
        ),
        "twin": Implementation(lambda: [twin.partition(role, LEVELS) for role in roles], few),
        "floor": Implementation(lambda: over(many, lambda _: floors.scf_partition(score, source, statistics)), many),
    }


ROWS = (
    Row(
        "scf",
        "SCF: one of 500 partitions, 2 709 sources of 1–16 documents, six methods, AUROC + TPR/FPR at three levels",
        "partition",
        build,
        (Target("floor", most=2, stretch=1.2), Target("twin", least=10)),
    ),
)
