"""Conformal ranks by counting over all pairs, and Philox tie-breaking in Python integers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def rank(calibration: Sequence[float], score: float, larger: bool) -> int:
    return 1 + sum(c >= score if larger else c <= score for c in calibration)


def attainable(calibration: Sequence[float], larger: bool) -> list[int]:
    """The ranks 1 and 1 + #{calibration <= v} (or >= v) over the calibration scores v."""
    return sorted({1} | {rank(calibration, v, larger) for v in calibration})


def uniform_below(key: Sequence[int], item: int, model: int, bound: int) -> int:
    """An integer uniform on 0..bound-1 from NumPy's Philox: the high half of word * bound, rejected if biased."""
    bits = np.random.Philox(key=np.array(key, np.uint64), counter=np.array([0, 0, model, item], np.uint64))
    while True:
        product = int(bits.random_raw()) * bound
        if product % 2**64 >= 2**64 % bound:
            return product >> 64


def random_rank(
    calibration: Sequence[float], score: float, larger: bool, key: Sequence[int], item: int, model: int
) -> int:
    """Uniform on the 1 + #{calibration == score} ranks of the tie block."""
    strictly = sum(c > score if larger else c < score for c in calibration)
    tied = sum(c == score for c in calibration)
    return 1 + strictly + (uniform_below(key, item, model, tied + 1) if tied else 0)
