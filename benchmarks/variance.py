"""Time to a given Monte Carlo error: three measures, each estimated plainly and better.

    python -m benchmarks.variance

- *Paired gain* (common random numbers): by how much SCF's AUROC exceeds uncapped Fisher's.  Plainly: each method on
  partitions of its own.  Better: both on the same partitions, as the study does.
- *Conditional power* (conditioning): the chance that a clean item is rejected at level .05.  Plainly: draw a
  calibration set and 100 items, count.  Better: given the calibration set it is known, Phi(threshold + shift).
- *Tiny level* (importance sampling): the chance that a contaminated item's largest p-value over three correlated
  models is at most .01.  Plainly: draw items.  Better: draw items shifted towards the event, and weight them by the
  likelihood ratio.

The factor saved is (variance x seconds) of a plain unit over that of a better one.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from benchmarks.timing import Timing, interleaved, seconds_of
from benchmarks.works.scf import cell_of
from typeone.engine.study import Column
from typeone.studies.scf import STUDY

Floats = NDArray[np.float64]
Sampler = Callable[[int, int], Floats]
"""(first unit, units) -> one unbiased estimate for each unit; disjoint ranges of units are independent."""


class Measure(NamedTuple):
    """Two samplers of the same expectation, and how many units an error estimate takes."""

    plain: Sampler
    better: Sampler
    units: int


# Paired gain


def _aurocs() -> Callable[[int, int], tuple[Floats, Floats]]:
    cell = cell_of(scenario="enron")
    shared = STUDY.share(cell)

    def aurocs(first: int, count: int) -> tuple[Floats, Floats]:
        found = STUDY.simulate(cell, shared, first, count)
        return found[Column("scf", "auroc")], found[Column("fisher", "auroc")]

    return aurocs


def paired_gain() -> Measure:
    aurocs = _aurocs()

    def plain(first: int, count: int) -> Floats:
        """A unit is two partitions, one for each method."""
        scf, fisher = aurocs(2 * first, 2 * count)
        return scf[0::2] - fisher[1::2]

    def better(first: int, count: int) -> Floats:
        scf, fisher = aurocs(first, count)
        return scf - fisher

    return Measure(plain, better, 4000)


# Conditional power

CALIBRATION, ITEMS, SHIFT, CUT = 1000, 100, 1.0, 50  # reject below the 50th of 1000: p <= 50/1001 < .05


def _thresholds(rng: np.random.Generator, shape: tuple[int, ...], cut: int) -> Floats:
    """The ``cut``-th smallest calibration score: an item below it has rank at most ``cut``."""
    return np.partition(rng.standard_normal(shape), cut - 1, axis=-1)[..., cut - 1]


def conditional_power() -> Measure:
    def plain(first: int, count: int) -> Floats:
        rng = np.random.default_rng([12, first])
        threshold = _thresholds(rng, (count, CALIBRATION), CUT)
        items = rng.standard_normal((count, ITEMS)) - SHIFT
        return np.asarray((items < threshold[:, None]).mean(axis=1))

    def better(first: int, count: int) -> Floats:
        rng = np.random.default_rng([13, first])
        return np.asarray(ndtr(_thresholds(rng, (count, CALIBRATION), CUT) + SHIFT))

    return Measure(plain, better, 4000)


# Tiny level

MODELS, SMALL, SMALL_CUT, CORRELATION, TILT = 3, 199, 2, 0.5, 2.2  # p <= 2/200 = .01


def tiny_level() -> Measure:
    covariance = (1 - CORRELATION) * np.eye(MODELS) + CORRELATION
    root, mean = np.linalg.cholesky(covariance), np.full(MODELS, -TILT)
    pull = np.linalg.solve(covariance, mean)
    offset = float(mean @ pull) / 2

    def events(rng: np.random.Generator, count: int, tilted: bool) -> tuple[NDArray[np.bool_], Floats]:
        """Whether each of 100 items lies below all thresholds, (count, 100), and the items (count, 100, models)."""
        threshold = _thresholds(rng, (count, 1, MODELS, SMALL), SMALL_CUT)
        items = rng.standard_normal((count, ITEMS, MODELS)) @ root.T + (mean if tilted else 0.0)
        return np.all(items < threshold, axis=2), items

    def plain(first: int, count: int) -> Floats:
        inside, _ = events(np.random.default_rng([14, first]), count, False)
        return np.asarray(inside.mean(axis=1))

    def better(first: int, count: int) -> Floats:
        inside, items = events(np.random.default_rng([15, first]), count, True)
        weight = np.exp(offset - items @ pull)
        return np.asarray((inside * weight).mean(axis=1))

    return Measure(plain, better, 8000)


MEASURES: dict[str, Callable[[], Measure]] = {
    "paired gain in AUROC": paired_gain,
    "power given the calibration set": conditional_power,
    "largest p-value at most .01": tiny_level,
}
BATCH = 200


def estimates(sampler: Sampler, units: int) -> Floats:
    """In batches, so that memory stays small."""
    return np.concatenate([sampler(first, min(BATCH, units - first)) for first in range(0, units, BATCH)])


def saved(name: str, *, quick: bool = False) -> dict[str, Any]:
    """Both estimates with their errors, seconds of a unit, and the factor in time at equal error."""
    measure = MEASURES[name]()
    samplers = {"plain": measure.plain, "better": measure.better}
    units = measure.units // 10 if quick else measure.units
    found = {who: summarised(estimates(sampler, units)) for who, sampler in samplers.items()}
    timed = {who: (lambda s=sampler: seconds_of(lambda: s(0, BATCH)) / BATCH) for who, sampler in samplers.items()}
    times: dict[str, Timing] = interleaved(timed, rounds=3 if quick else 7)
    sd_ratio = found["plain"]["sd"] / found["better"]["sd"]
    time_ratio = times["plain"].median / times["better"].median
    both = math.hypot(found["plain"]["error"], found["better"]["error"])
    return {
        "name": name,
        **found,
        "seconds": {who: timing.median for who, timing in times.items()},
        "sd_ratio": sd_ratio,
        "time_ratio": time_ratio,
        "factor": sd_ratio**2 * time_ratio,
        "z": (found["plain"]["mean"] - found["better"]["mean"]) / both,
    }


def summarised(values: Floats) -> dict[str, float]:
    sd = float(values.std(ddof=1))
    return {"mean": float(values.mean()), "sd": sd, "error": sd / math.sqrt(values.size)}


if __name__ == "__main__":
    from benchmarks.report import variance_table

    print(variance_table([saved(name, quick="--quick" in sys.argv) for name in MEASURES]))
