"""Inputs of every row, from fixed seeds: the same for every implementation, and frozen with the floors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Trials(NamedTuple):
    """k of n, and a one-sided level."""

    k: Ints
    n: Ints
    level: Floats


class Draws(NamedTuple):
    """P(X > k) is asked for X positives among K drawn from M, C of them positive."""

    k: Ints
    M: Ints
    C: Ints
    K: Ints


def two_samples(m: int, n: int, *, decimals: int | None = None, seed: int = 3) -> tuple[Floats, Floats]:
    """Calibration scores (m,) and candidates (n,), three in ten of them lower by 3; rounded if ties are wanted."""
    rng = np.random.default_rng(seed)
    calibration, candidates = rng.standard_normal(m), rng.standard_normal(n)
    candidates -= 3.0 * (rng.random(n) < 0.3)
    if decimals is not None:
        calibration, candidates = np.round(calibration, decimals), np.round(candidates, decimals)
    return calibration, candidates


def conformal(m: int, n: int, *, seed: int = 4) -> Ints:
    """Ranks in 1..m+1 of n candidates among m calibration scores: the conformal p-values times m + 1."""
    calibration, candidates = two_samples(m, n, seed=seed)
    return 1 + np.searchsorted(np.sort(calibration), candidates, side="right")


def trials(count: int, *, largest: float = 1e9, seed: int = 5) -> Trials:
    """n log-uniform to ``largest``, k uniform on 0..n, level log-uniform from 1e-6 to 1/2."""
    rng = np.random.default_rng(seed)
    n = np.exp(rng.uniform(0.0, np.log(largest), count)).astype(np.int64)
    k = rng.integers(0, n + 1)
    return Trials(k, n, np.exp(rng.uniform(np.log(1e-6), np.log(0.5), count)))


def draws(count: int, M: int, *, seed: int = 6) -> Draws:
    """C and K uniform on 1..M-1, k within six standard deviations of the mean and inside the support."""
    rng = np.random.default_rng(seed)
    C, K = rng.integers(1, M, count), rng.integers(1, M, count)
    mean = C * (K / M)
    sd = np.sqrt(mean * (1 - C / M) * (M - K) / max(1, M - 1))
    k = np.rint(mean + rng.uniform(-6.0, 6.0, count) * sd).astype(np.int64)
    low, high = np.maximum(0, K + C - M), np.minimum(C, K) - 1
    return Draws(np.maximum(low, np.minimum(k, high)), np.full(count, M), C, K)


def labelled_scores(count: int, *, decimals: int = 3, seed: int = 7) -> tuple[Floats, NDArray[np.bool_]]:
    """Scores with ties (a few thousand distinct values) and labels; positives score higher by one."""
    rng = np.random.default_rng(seed)
    labels = rng.random(count) < 0.5
    return np.round(rng.standard_normal(count) + labels, decimals), labels
