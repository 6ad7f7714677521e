"""Fit a scenario's shape to the published AUROC row and capped shares, and to nothing else."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.stats import qmc

from typeone.engine.streams import stream_key
from typeone.engine.study import Cell, Column
from typeone.levels import Level
from typeone.studies.scf.parameters import Parameters
from typeone.studies.scf.scenarios import ORDER, SCENARIOS, Scenario, Shape
from typeone.studies.scf.simulate import simulate

CAPPED = ("capped_nonparticipants", "capped_participants")
TOLERANCE = 0.002  # a residual of this size costs 1
FRESH = 4  # residuals are measured on this many times as many new populations
# Starting shapes: tau .05-1.5, nu 1.2-30, stretch .5-3, share .1-.95, effect .2-4, ceiling .05-3, as ``_vector``s.
BOX = np.array([[-3.0, -1.6, -0.7, -2.2, -1.6, -3.0], [0.4, 3.4, 1.1, 3.0, 1.4, 1.1]])
STEPS = np.diag([0.4, 0.4, 0.3, 0.6, 0.4, 0.6])
STARTS, KEPT, SHORT = 256, 4, 80  # screened; searched from; evaluations of each of those searches


@dataclass(frozen=True, slots=True)
class Fit:
    """A fitted shape with published value, fitted value and its Monte Carlo error for each target."""

    scenario: str
    shape: Shape
    populations: int
    seed: int
    rows: tuple[tuple[str, float, float, float], ...]

    def as_json(self) -> dict[str, object]:
        """What shapes.json keeps."""
        return {
            "shape": {name: float(f"{value:.6g}") for name, value in asdict(self.shape).items()},
            "populations": self.populations,
            "seed": self.seed,
            "residuals": {name: [published, round(ours, 5), round(se, 5)] for name, published, ours, se in self.rows},
        }


def targets(scenario: Scenario) -> dict[str, float]:
    """The eight published numbers that are fitted."""
    published = scenario.published
    row = dict(zip((f"auroc {name}" for name in ORDER), published.auroc, strict=True))
    return row | {CAPPED[0]: published.capped_nonparticipants, CAPPED[1]: published.capped_participants}


def estimates(name: str, shape: Shape, populations: int, seed: int) -> dict[str, NDArray[np.float64]]:
    """Each target over ``populations`` redrawn populations with one partition each (common random numbers)."""
    parameters = Parameters(scenario=name, population="redraw")
    cell = Cell(0, parameters, (Level("0.05"),), stream_key(seed, "scf fit", {"scenario": name}))
    columns = simulate(cell, parameters.scene.reshaped(shape), 0, populations)
    found = {f"auroc {method}": columns[Column(method, "auroc")] for method in ORDER}
    return found | {capped: columns[Column("scf", capped)] for capped in CAPPED}


def fit(name: str, *, populations: int, seed: int, most: int, tell: Callable[[int, float], None]) -> Fit:
    """Screen starting shapes, search from the best few on a quarter of the populations, then refine the winner.

    Nelder-Mead throughout; ``most`` evaluations of the last search.
    """
    wanted = targets(SCENARIOS[name])
    calls = 0

    def loss(x: NDArray[np.float64], drawn: int = populations) -> float:
        nonlocal calls
        calls += 1
        values = estimates(name, _shape(x), drawn, seed)
        total = float(sum(((values[key].mean() - target) / TOLERANCE) ** 2 for key, target in wanted.items()))
        tell(calls, total)
        return total

    def search(start: NDArray[np.float64], drawn: int, evaluations: int) -> tuple[float, NDArray[np.float64]]:
        simplex = np.vstack([start, start + STEPS])
        best = minimize(
            loss,
            start,
            args=(drawn,),
            method="Nelder-Mead",
            options={"maxfev": evaluations, "initial_simplex": simplex, "xatol": 1e-3, "fatol": 1e-2},
        )
        return float(best.fun), best.x

    few = max(10, populations // 8)
    starts = BOX[0] + (BOX[1] - BOX[0]) * qmc.Sobol(BOX.shape[1], seed=seed).random(STARTS)
    starts = np.vstack([_vector(SCENARIOS[name].shape), starts])
    screened = sorted(starts, key=lambda x: loss(x, few))[:KEPT]
    _, winner = min((search(x, 2 * few, SHORT) for x in screened), key=lambda found: found[0])
    shape = _shape(search(winner, populations, most)[1])
    return Fit(name, shape, populations, seed, _rows(wanted, estimates(name, shape, FRESH * populations, seed + 1)))


def _rows(
    wanted: Mapping[str, float], values: Mapping[str, NDArray[np.float64]]
) -> tuple[tuple[str, float, float, float], ...]:
    """Residuals on fresh populations, which the fit has not seen."""
    return tuple(
        (key, target, float(values[key].mean()), float(values[key].std(ddof=1) / math.sqrt(values[key].size)))
        for key, target in wanted.items()
    )


def _vector(shape: Shape) -> NDArray[np.float64]:
    """Shape as six unrestricted numbers."""
    odds = math.log(shape.share / (1 - shape.share))
    logs = [math.log(value) for value in (shape.tau, shape.nu - 1, shape.stretch)]
    return np.array([*logs, odds, math.log(shape.effect), math.log(shape.ceiling)])


def _shape(x: NDArray[np.float64]) -> Shape:
    tau, nu, stretch, odds, effect, ceiling = (float(value) for value in x)
    share = 1 / (1 + math.exp(-odds))
    return Shape(math.exp(tau), 1 + math.exp(nu), math.exp(stretch), share, math.exp(effect), math.exp(ceiling))
