"""Exact comparison of fractions whose cross products do not fit into 64 bits."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

# Kernels compare x <= level * y for integers 0 <= x, 0 <= y <= LARGEST, by products below 2**126.
LARGEST = 2**62


@intrinsic  # type: ignore[untyped-decorator]
def product_at_most(typingctx: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """``a * b <= c * d`` for int64, from the full 128-bit products."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        a, b, c, d = (builder.sext(argument, ir.IntType(128)) for argument in args)
        return builder.icmp_signed("<=", builder.mul(a, b), builder.mul(c, d))

    return types.boolean(types.int64, types.int64, types.int64, types.int64), generate


def level_pair(level: Fraction) -> NDArray[np.int64]:
    """Numerator and denominator, shape (2,), of the largest fraction <= ``level`` with denominator <= LARGEST.

    For integers x and 0 < y <= LARGEST, ``x / y`` is itself such a fraction, so ``x <= level * y`` exactly
    when ``x * denominator <= numerator * y``: a level of any length is decided in 64-bit integers.
    ``level`` lies in (0, 1).  The continued fraction of ``level`` is followed up to the bound.
    """
    before, last = (0, 1), (1, 0)
    numerator, denominator = level.numerator, level.denominator
    if denominator <= LARGEST:
        return np.array([numerator, denominator], dtype=np.int64)
    while True:
        whole = numerator // denominator
        if before[1] + whole * last[1] > LARGEST:
            break
        before, last = last, (before[0] + whole * last[0], before[1] + whole * last[1])
        numerator, denominator = denominator, numerator - whole * denominator
    steps = (LARGEST - before[1]) // last[1]
    # The two neighbours of level among the fractions with bounded denominator, one on either side.
    neighbours = (last, (before[0] + steps * last[0], before[1] + steps * last[1]))
    return np.array(next(pair for pair in neighbours if Fraction(*pair) <= level), dtype=np.int64)
