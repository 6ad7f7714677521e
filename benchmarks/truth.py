"""Fifty digits, from the slow twins of the tests, for rows whose peers are inexact."""

from __future__ import annotations

import importlib.util
import sys
from fractions import Fraction
from functools import cache
from pathlib import Path
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@cache
def _tails() -> ModuleType:
    path = Path(__file__).parent.parent / "tests" / "twins" / "tails.py"
    spec = importlib.util.spec_from_file_location("slow_tails", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def hypergeometric_sf(k: Ints, M: Ints, C: Ints, K: Ints) -> Floats:
    """P(X > k), rounded once from a sum in fixed point."""
    tails = _tails()

    def one(k: int, M: int, C: int, K: int) -> float:
        mp = tails.mpmath.mp
        with mp.workdps(tails.DIGITS):
            if (k + 1) * (M + 2) > (C + 1) * (K + 1):
                return float(mp.exp(tails.log_hypergeometric_tail(k + 1, M, C, K, True)))
            return float(1 - mp.exp(tails.log_hypergeometric_tail(k, M, C, K, False)))

    return np.array([one(*map(int, values)) for values in zip(k, M, C, K, strict=True)])


def invalid_bounds(k: Ints, n: Ints, level: Floats, bounds: Floats) -> str:
    """Empty when every lower bound is valid, and no further than 1e-13 (or an ulp) from the best valid one."""
    tails = _tails()
    for i in np.flatnonzero(k > 0):
        p = float(bounds[i])
        slack = float(tails.slack(p, int(k[i]), int(n[i]), Fraction(float(level[i])), True))
        ulp = float(np.spacing(p)) / min(p, 1 - p)
        if not 0 <= slack <= 1e-13 + ulp:
            return f"bound {i}, k={k[i]}, n={n[i]}: slack {slack:.1e}"
    return ""
