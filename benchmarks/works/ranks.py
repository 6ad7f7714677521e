"""Conformal ranks alone, and the decisions on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import false_discovery_control

from benchmarks import floors, inputs, peers
from benchmarks.rows import Implementation, Row, Size, Target, repeated, unequal
from benchmarks.twins import ranks as rank_twin
from benchmarks.twins import selection as twin
from typeone_kernels._jit import kernel
from typeone_kernels.buckets import rank_buffers, sort_scores
from typeone_kernels.jecs import Plan, Work, chord_envelope, make_plan, workspace
from typeone_kernels.ranks import conformal_ranks
from typeone_kernels.selection import bh_cutoff, cumulative_counts, step_up, storey_cutoff

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
LEVEL = Fraction(1, 10)


def ours_ranks(calibration: Floats, candidates: Floats) -> Ints:
    """Memory included: what a user's call costs."""
    out = np.empty(candidates.size, np.int64)
    conformal_ranks(sort_scores(calibration, rank_buffers(calibration.size)), candidates, False, out)
    return out


def build_ranks(full: int, small: int, size: Size) -> Mapping[str, Implementation]:
    number = full if size == "full" else small
    calibration, candidates = inputs.two_samples(number, number)
    calls = max(1, 200_000 // number)
    wanted = rank_twin.conformal_ranks(calibration, candidates)
    p_values = partial(unequal, "p-values", wanted=wanted / (number + 1))

    def several(function: Callable[..., Any]) -> Callable[[], Any]:
        return lambda: repeated(calls, lambda: function(calibration, candidates))

    side = peers.Side("p_values", {"calibration": calibration, "candidates": candidates, "calls": calls})
    found = {
        "ours": Implementation(several(ours_ranks), calls, partial(unequal, "ranks", wanted=wanted)),
        "twin": Implementation(several(rank_twin.conformal_ranks), calls),
        "floor": Implementation(several(floors.conformal_ranks), calls),
        "nonconform": side.implementation(p_values),
    }
    if number <= 10**4:  # it compares all pairs
        few = min(calls, 3)
        found["crepes"] = peers.crepes_p_values(calibration, candidates, few, p_values)
    return found


class Procedure:
    """One step-up procedure as ours, as the twin and as SciPy and statsmodels do it, on the same p-values."""

    def __init__(self, name: str, ranks: Ints, m: int) -> None:
        self.name, self.ranks, self.m = name, ranks, m
        self.plan = make_plan(ranks.size, [m], LEVEL, random_ties=True)
        self.work = workspace(self.plan)
        self.p = ranks / (m + 1)

    def ours(self) -> NDArray[np.bool_]:
        """From the ranks: count them, find the cut-off, compare."""
        return self.ranks <= _CUTOFFS[self.name](self.plan, self.work, self.ranks)

    def twin(self) -> NDArray[np.bool_]:
        of = twin.histogram(self.ranks, self.m)
        count = np.cumsum(of)
        if self.name == "chord":
            return self.ranks <= twin.chord(of, count, LEVEL)[0]
        return self.ranks <= {"bh": twin.bh, "storey": twin.storey}[self.name](of, count, LEVEL)

    def scaled(self) -> tuple[Floats, float]:
        """P-values and level for which plain BH gives this procedure's decisions."""
        n = self.p.size
        if self.name == "storey":
            return self.p, float(LEVEL) / (2 * (1 + int((self.p > 0.5).sum())) / n)
        if self.name == "chord":
            of = twin.histogram(self.ranks, self.m)
            envelope, kappa = twin.scan(of, np.cumsum(of))
            scale = (1 + envelope.inside) / (n * (envelope.width / (self.m + 1)))
            return np.where(self.ranks <= kappa, np.minimum(1.0, scale * self.p), 1.0), float(LEVEL)
        return self.p, float(LEVEL)

    def scipy(self) -> NDArray[np.bool_]:
        p, level = self.scaled()
        return np.asarray(false_discovery_control(p) <= level)


@kernel
def _bh(plan: Plan, work: Work, ranks: Ints) -> int:
    grid = plan.grid
    cumulative_counts(ranks, work.counts)
    return bh_cutoff(grid.numerators, grid.denominators, work.counts, plan.top, plan.level, grid.unit)


@kernel
def _storey(plan: Plan, work: Work, ranks: Ints) -> int:
    grid = plan.grid
    cumulative_counts(ranks, work.counts)
    return storey_cutoff(grid.numerators, grid.denominators, work.counts, plan.half, plan.level, grid.unit)


@kernel
def _chord(plan: Plan, work: Work, ranks: Ints) -> int:
    grid = plan.grid
    cumulative_counts(ranks, work.counts)
    envelope = chord_envelope(plan, work)
    top, left = plan.kappa_codes[envelope.step], (1 + envelope.inside) * (envelope.size // grid.unit)
    return step_up(grid.numerators, grid.denominators, work.counts, top, plan.level, left, envelope.width)


_CUTOFFS: dict[str, Callable[[Plan, Work, Ints], int]] = {"bh": _bh, "storey": _storey, "chord": _chord}


def build_decisions(name: str, m: int, size: Size) -> Mapping[str, Implementation]:
    """10**6 p-values on the grid of m calibration scores, without ties among these."""
    n, m = (10**6, m) if size == "full" else (5000, max(50, m // 1000))
    procedure = Procedure(name, inputs.conformal(m, n), m)
    same = partial(unequal, "decisions", wanted=procedure.twin())
    found = {
        "ours": Implementation(procedure.ours, 1, same),
        "twin": Implementation(procedure.twin),
        "floor": Implementation(lambda: floors.one_pass(procedure.p)),
        "SciPy": Implementation(procedure.scipy, 1, same),
    }
    if name == "bh":
        found["statsmodels"] = peers.statsmodels_bh(procedure.p, float(LEVEL), same)
    return found


_TITLES = {"bh": "BH", "storey": "Storey-BH", "chord": "chord envelope"}


def _decisions() -> tuple[Row, ...]:
    rows = []
    for name, title in _TITLES.items():
        for m, least, stretch in ((10**4, 50, 6), (10**6, 12, None)):
            rows.append(
                Row(
                    f"{name}-m{m:.0e}".replace("e+0", "e"),
                    f"{title}, decisions on 10⁶ conformal p-values, m = 10{'⁴' if m == 10**4 else '⁶'}",
                    "call",
                    partial(build_decisions, name, m),
                    (
                        Target("SciPy", least=least),
                        *([Target("statsmodels", least=least)] if name == "bh" else []),
                        *([Target("floor", stretch=stretch)] if stretch else []),
                    ),
                )
            )
    return tuple(rows)


ROWS = (
    Row(
        "ranks",
        "conformal ranks alone, n = m = 10⁶",
        "call",
        partial(build_ranks, 10**6, 4000),
        (Target("floor", most=2.2, stretch=1.5), Target("twin", least=4)),
    ),
    Row("ranks-1000", "conformal ranks alone, n = m = 1 000", "call", partial(build_ranks, 1000, 300)),
    *_decisions(),
)
