"""Conformal ranks: sort, then binary search."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def conformal_ranks(calibration: NDArray[np.float64], candidates: NDArray[np.float64]) -> NDArray[np.int64]:
    """1 + #{calibration <= candidate}, (n,)."""
    return np.searchsorted(np.sort(calibration), candidates, side="right") + 1
