"""What common random numbers do: the spread of the target's difference between two sizes of a plan, with and without.

With: the two sizes as a plan simulates them.  Without: as ordinary runs, whose random numbers are independent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from typeone.engine import workers
from typeone.engine.design import Design
from typeone.engine.lookup import changed, design_called
from typeone.engine.resolved import Resolved, resolve
from typeone.engine.study import Column
from typeone.plan import Question
from typeone.plan.question import understand

REPETITIONS, QUICK = 1000, 200
PARTS = 20
"""Groups of repetitions that are left out in turn for the standard error of a ratio."""

SCF = {"population": "redraw", "cap": "0.05"}
PILOT = {"rows": "domain=changelogs", "cap": "0.05", "resample": True}
JECS = {"models": 3, "candidates": 500}
PANELS = {"shared": "0.5", "clear": "0.95", "clarity": "0.45", "beta": "0.2", "xi_e": "0.01", "evaluators": 60}


class Pair(NamedTuple):
    """A question, and two of its sizes."""

    what: str
    name: str
    changes: Mapping[str, Any]
    target: str
    vary: str
    sizes: tuple[int, int]


PAIRS = (
    Pair("SCF, calibration sources", "scf-enron", SCF, "tpr@0.10:scf=.4", "L=8:40", (19, 20)),
    Pair("SCF, calibration sources, a jump", "scf-enron", SCF, "tpr@0.10:scf=.4", "L=8:40", (28, 29)),
    Pair("SCF, reference sources", "scf-enron", SCF, "tpr@0.10:scf=.4", "K=20:40:5", (25, 30)),
    Pair("SCF, calibration sources, a pilot", "scf-real", PILOT, "tpr@0.10:scf=.3", "L=8:40", (19, 20)),
    Pair("JECS, calibration items", "jecs", JECS, "power=.65", "m=50:800:50", (150, 200)),
    Pair("JECS, models", "jecs", JECS, "power=.65", "models=2:4", (3, 4)),
    Pair("JECS, candidates", "jecs", JECS, "power=.65", "n=300:600:50", (450, 500)),
    Pair("panels, units", "panels", PANELS, "power=.8", "A=80:140:2", (90, 92)),
    Pair("panels, evaluators", "panels", PANELS | {"units": 90}, "power=.8", "E=50:70:2", (60, 62)),
)


def rows(*, quick: bool) -> list[dict[str, Any]]:
    """One row for each pair: SDs of the difference, and the ratio of the variances with its standard error."""
    return [_row(pair, QUICK if quick else REPETITIONS) for pair in PAIRS]


def _row(pair: Pair, repetitions: int) -> dict[str, Any]:
    design = changed(design_called(pair.name), pair.changes)
    asked = understand(Question(design, pair.target, (pair.vary,), simulate=True))
    (factor,) = asked.factors
    apart = resolve(_alone(asked.planned.design, design, factor, pair.sizes))
    places = [asked.sizes.index(size) for size in pair.sizes]
    common = _difference(asked.planned, places, asked.column, repetitions)
    independent = _difference(apart, [0, 1], asked.column, repetitions)
    ratio, error = _with_error(independent, common, lambda a, b: float(np.var(a, ddof=1) / np.var(b, ddof=1)))
    return {
        "what": pair.what,
        "measure": asked.target.text.partition(">")[0],
        "sizes": f"{factor} {pair.sizes[0]}, {pair.sizes[1]}",
        "repetitions": repetitions,
        "SD independent": float(np.std(independent, ddof=1)),
        "SD common": float(np.std(common, ddof=1)),
        "ratio of variances": ratio,
        "ratio se": error,
    }


def _alone(asked: Design, design: Design, factor: str, sizes: tuple[int, int]) -> Design:
    """The two sizes as cells of an ordinary run, at the plan's levels."""
    levels = [level.text for level in asked.levels]
    return changed(design, {factor: list(sizes)} | ({"levels": levels} if levels else {}))


def _difference(planned: Resolved, places: list[int], column: Column, repetitions: int) -> NDArray[np.float64]:
    values = []
    for place in places:
        cell = planned.cells[place]
        batch = workers.simulate(planned.study, cell, planned.study.share(cell), 0, repetitions)
        for failure in batch.failures:
            raise RuntimeError(f"{planned.study.name}: {failure.kind}: {failure.message}")
        values.append(batch.values[:, batch.columns.index(column)])
    return np.asarray(values[1] - values[0])


def _with_error(
    one: NDArray[np.float64], other: NDArray[np.float64], statistic: Callable[..., float]
) -> tuple[float, float]:
    """A statistic of two samples with its jackknife standard error, leaving out a part of both at a time."""
    part = np.arange(one.size) % PARTS
    left = np.array([statistic(one[part != i], other[part != i]) for i in range(PARTS)])
    return statistic(one, other), float(np.sqrt((PARTS - 1) / PARTS * ((left - left.mean()) ** 2).sum()))
