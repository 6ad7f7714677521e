"""JECS: one repetition with independent Gaussian scores, all methods."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from benchmarks import floors
from benchmarks.peers import Side
from benchmarks.rows import Implementation, Row, Size, Target, over, unequal
from benchmarks.twins import jecs as twin
from benchmarks.twins.ranks import conformal_ranks
from typeone.engine.study import Cell, Column, Columns
from typeone.levels import levels
from typeone.studies.jecs import STUDY

KEY = (1, 2)
METHODS = ("union", "intersection", "max-p", "storey", "jecs", "adafilter", "jecs-filter")


def design_of(n: int, m: int, K: int) -> twin.Design:
    return twin.Design(n, m, K, clean=0.3, also=0.5, shift=3.0, level=Fraction(1, 10))


def cell_of(of: twin.Design, **factors: Any) -> Cell:
    parameters = STUDY.parameters(models=of.K, candidates=of.n, calibration=of.m, **factors)
    return Cell(0, parameters, levels("levels", ["0.1"]), KEY)


def differs(tallies: np.ndarray, ours: Columns) -> str:
    """Number selected and contaminated share of every method, on the repetitions that the twin did."""
    for j, method in enumerate(METHODS):
        size, bad = tallies[:, j, 0], tallies[:, j, 1]
        of = {"selected": size, "gcp": bad / np.maximum(1, size)}
        for measure, wanted in of.items():
            said = unequal(f"{method} {measure}", ours[Column(method, measure, "0.1")][: size.size], wanted)
            if said:
                return said
    return ""


def build(size: Size) -> Mapping[str, Implementation]:
    of = design_of(1000, 1000, 5) if size == "full" else design_of(200, 150, 3)
    cell = cell_of(of)
    many, few = (100, 40) if size == "full" else (20, 20)
    tallies = np.stack([twin.repetition(KEY, r, of) for r in range(few)])
    scores = np.empty((of.K, of.n + of.m))
    calibration, candidates, _ = twin.draw(KEY, 0, of)
    side = Side("jecs", {"calibration": calibration, "candidates": candidates, "level": 0.1, "calls": 10})
    return {
        "ours": Implementation(lambda: STUDY.simulate(cell, None, 0, many), many, partial(differs, tallies)),
        "twin": Implementation(lambda: [twin.repetition(KEY, r, of) for r in range(few)], few),
        "floor": Implementation(
            lambda: over(many, lambda r: floors.jecs_repetition(KEY, r, twin.SCORES, scores)), many
        ),
        "nonconform + SciPy": side.implementation(partial(peer_differs, calibration, candidates)),
    }


def peer_differs(calibration: np.ndarray, candidates: np.ndarray, output: Any) -> str:
    """nonconform's p-values, and SciPy's decisions on them: each model's and those on the largest p-value."""
    p_values, decisions = output
    ranks = np.stack([conformal_ranks(c, x) for c, x in zip(calibration, candidates, strict=True)])
    m, level = calibration.shape[1], Fraction(1, 10)
    wanted = [twin.selections(row[None, :].repeat(2, axis=0), m, level)[2] for row in (*ranks, ranks.max(axis=0))]
    return unequal("p-values", p_values, ranks / (m + 1)) or unequal("BH", decisions, np.stack(wanted))


ROWS = (
    Row(
        "jecs",
        "JECS: one repetition, independent Gaussian cell, n = m = 1 000, K = 5, all methods",
        "repetition",
        build,
        (
            Target("floor", most=2.5, stretch=1.5),
            Target("twin", least=5),
            Target("nonconform + SciPy", least=7),
        ),
    ),
)
