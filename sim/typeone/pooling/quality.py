"""How good a forecast is: AUROC, Brier score, calibration error, overconfidence, over weighted cases.

All arguments are arrays (S,); ``weight`` holds probabilities or counts, of which only the proportions matter.  So one
definition serves items that were seen and the exact law of items that could be.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

BINS = 10

Array: TypeAlias = NDArray[np.float64]
Keys: TypeAlias = NDArray[np.float64] | NDArray[np.int64]


def auroc(keys: Keys, truth: NDArray[np.int8], weight: Array) -> float:
    """P(key of a true case > key of a false one), ties one half; NaN unless both occur.  O(S log S)."""
    distinct, code = np.unique(keys, return_inverse=True)
    true = np.bincount(code, weight * truth, minlength=distinct.size)
    false = np.bincount(code, weight * (1 - truth), minlength=distinct.size)
    pairs = true.sum() * false.sum()
    return float(true @ (np.cumsum(false) - false / 2) / pairs) if pairs else math.nan


def brier(forecast: Array, truth: NDArray[np.int8], weight: Array) -> float:
    """Mean of (forecast - truth) squared."""
    return _mean((forecast - truth) ** 2, weight)


def calibration_error(forecast: Array, truth: NDArray[np.int8], weight: Array) -> float:
    """Mean over BINS equal bins of |mean forecast - share of true cases|, bins weighted by their cases.

    With few cases chance alone makes it positive: compare it between rules, or with that of the exact law.
    """
    position = np.minimum((forecast * BINS).astype(np.int64), BINS - 1)
    return float(np.abs(np.bincount(position, weight * (forecast - truth))).sum() / weight.sum())


def overconfidence(forecast: Array, truth: NDArray[np.int8], weight: Array) -> float:
    """Mean of max(forecast, 1 - forecast) minus the share of cases in which the likelier side is true."""
    return _mean(np.maximum(forecast, 1 - forecast), weight) - accuracy(forecast, truth, weight)


def accuracy(forecast: Array, truth: NDArray[np.int8], weight: Array) -> float:
    """Share of cases in which the likelier side is true; a forecast of 1/2 counts one half."""
    side = np.sign(forecast - 0.5)
    return _mean(0.5 + side * (truth - 0.5), weight)


def _mean(values: Array, weight: Array) -> float:
    return float(values @ weight / weight.sum())
