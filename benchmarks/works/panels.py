"""Panel sizes for every count of a census, and one repetition of a certificate."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from benchmarks import floors
from benchmarks.rows import Implementation, Row, Size, Target, over, repeated, unequal
from benchmarks.twins import certificate as twin
from benchmarks.twins import panels as size_twin
from typeone.engine.study import Cell
from typeone.levels import LevelLike, levels
from typeone.panels.sizes import census_sizes
from typeone.studies.panels import STUDY
from typeone.studies.panels.tables import Tables
from typeone_kernels.certificates import vote_histograms

DELTAS: list[LevelLike] = ["0.01", "0.05", "0.1"]
TOLERANCES = [0.01, 0.05, 0.1]
CALLS = 5  # of ours in a round: one takes a thousandth of the twin's time
CLOSE = 1e-12  # relative; SciPy's own errors are about 1e-14 at M = 1 500


def build_sizes(size: Size) -> Mapping[str, Implementation]:
    M = 1500 if size == "full" else 60
    pairs = (M + 1) * M
    wanted_curves = size_twin.curves(M)
    wanted_sizes = size_twin.sizes(wanted_curves, TOLERANCES)
    buffer = np.empty((M + 1, M))

    def ours() -> Any:
        curves = np.empty((M + 1, M))
        return curves, census_sizes(M, delta=DELTAS, errors=curves)

    def differs(output: Any) -> str:
        curves, found = output
        off = np.abs(curves - wanted_curves) > CLOSE * np.maximum(curves, 1e-280)
        if off.any():
            return f"errors: {int(off.sum())} of {off.size} differ by more than {CLOSE} relative"
        return unequal("minimum", found.minimum, wanted_sizes[0]) or unequal("stable", found.stable, wanted_sizes[1])

    return {
        "ours": Implementation(lambda: repeated(CALLS, ours), CALLS * pairs, differs),
        "sizes only": Implementation(
            lambda: repeated(CALLS, lambda: census_sizes(M, delta=DELTAS)),
            CALLS * pairs,
            lambda found: unequal("stable", found.stable, wanted_sizes[1]),
            note="ours without the curves",
        ),
        "twin": Implementation(
            lambda: size_twin.sizes(size_twin.curves(M), TOLERANCES), pairs, note="SciPy's hypergeom"
        ),
        "floor": Implementation(lambda: repeated(CALLS, lambda: floors.panel_curves(buffer)), CALLS * pairs),
    }


def certificate_cell(evaluators: int, units: int) -> tuple[Cell, Tables]:
    parameters = STUDY.parameters(evaluators=evaluators, units=units, shared="1/2", beta="2/5")
    cell = Cell(0, parameters, levels("levels", list(STUDY.levels)), (1, 2))
    shared = STUDY.share(cell)
    assert shared is not None
    return cell, shared


def build_certificate(size: Size) -> Mapping[str, Implementation]:
    """Ours and the twin draw counts in different ways from one law: what is compared is the law (chi-square)."""
    E, A = (200, 2000) if size == "full" else (40, 200)
    many = 100 if size == "full" else 40
    cell, shared = certificate_cell(E, A)
    of = twin.Design(E, A, 0.5, shared.law.weights, shared.law.means, shared.passes)
    rng = np.random.default_rng(8)
    p = shared.law.draw(cell.key, 0, A)
    lenient = np.searchsorted(np.sort(rng.random(E)), p, side="left")
    votes, units, rows = np.empty((E, A)), np.empty(A), np.empty(E)
    return {
        "ours": Implementation(lambda: STUDY.simulate(cell, shared, 0, many), many, partial(law_differs, of, cell.key)),
        "twin": Implementation(lambda: [twin.repetition(rng, of) for _ in range(many)], many),
        "floor": Implementation(
            lambda: over(many, lambda _: floors.certificate_as_counts(rng, lenient, p, 0.5, E)), many
        ),
        "a uniform a vote": Implementation(
            lambda: over(many, lambda _: floors.certificate_as_votes(rng, votes, units, rows)),
            many,
            note="random numbers of a repetition that draws votes",
        ),
    }


REPETITIONS = 4000
REJECT = 1e-6  # false-alarm rate of the comparison of laws


def law_differs(of: twin.Design, key: tuple[int, int], _: Any) -> str:
    """Two-sample chi-square on one unit's count over repetitions (independent), ours against the twin's."""
    from scipy.stats import chi2_contingency

    p = float(of.means[0])
    histograms = np.empty((REPETITIONS, of.evaluators + 1), np.int64)
    vote_histograms(np.array(key, np.uint64), 0, np.full((REPETITIONS, 1), p), of.shared, histograms)
    rng = np.random.default_rng(9)
    counts = [twin.counts(rng, np.array([p]), of.evaluators, of.shared)[0] for _ in range(REPETITIONS)]
    table = np.stack([histograms.sum(axis=0), np.bincount(counts, minlength=of.evaluators + 1)])
    edges = np.unique(np.searchsorted(np.cumsum(table.sum(axis=0)), np.linspace(0, 2 * REPETITIONS, 21)[1:-1]))
    pooled = np.stack([[part.sum() for part in np.split(row, edges + 1)] for row in table])
    value = chi2_contingency(pooled[:, pooled.sum(axis=0) > 0]).pvalue
    return f"law of the counts: p = {value:.1e}" if value < REJECT else ""


ROWS = (
    Row(
        "panel-sizes",
        "panel sizes (error curves, minimum, stable) for every C at M = 1 500, three δ",
        "pair (C, K)",
        build_sizes,
        (Target("twin", least=1000), Target("s", stretch=3e-9)),
    ),
    Row(
        "certificate",
        "panel-certificate repetition, E = 200, A = 2 000, shared rows, grid of 8 sizes",
        "repetition",
        build_certificate,
        (Target("floor", most=2, stretch=1),),
    ),
)
