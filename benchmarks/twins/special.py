"""Bounds, tails and AUROC by SciPy's special functions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv
from scipy.stats import hypergeom, rankdata

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def clopper_pearson_lower(k: Ints, n: Ints, level: Floats) -> Floats:
    """One-sided lower bounds; 0 where k = 0."""
    return np.where(k == 0, 0.0, betaincinv(np.maximum(k, 1), n - k + 1, level))


def hypergeometric_sf(k: Ints, M: Ints, C: Ints, K: Ints) -> Floats:
    """P(X > k)."""
    return np.asarray(hypergeom.sf(k, M, C, K))


def auroc(scores: Floats, labels: NDArray[np.bool_]) -> float:
    """From average ranks: exact up to the division."""
    ranks = rankdata(scores)
    n = int(labels.sum())
    m = labels.size - n
    return float((2 * ranks[labels].sum() - n * (n + 1)) / (2 * n * m))
