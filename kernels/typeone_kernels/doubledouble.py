"""Double-double arithmetic: an unevaluated sum ``hi + lo`` of two doubles, 106 significant bits.

Sources: Dekker, *A floating-point technique for extending the available precision* (1971); Ogita, Rump, Oishi,
*Accurate sum and dot product* (2005).  The tails of this package need it for one thing: the logarithm of a
probability is a sum of large terms of which only the small total counts.
"""

from __future__ import annotations

import decimal
import math
from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from typeone_kernels._jit import kernel

_STEPS = 128  # the table of logarithms covers 1/2..1 in steps of 1/128


@intrinsic  # type: ignore[untyped-decorator]
def fma(typingctx: Any, a: Any, b: Any, c: Any) -> Any:
    """``a * b + c``, rounded once: one machine instruction (libm's ``fma`` where there is none)."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.fma(*args)

    return types.float64(types.float64, types.float64, types.float64), generate


@kernel
def two_sum(a: float, b: float) -> tuple[float, float]:
    """``a + b`` exactly, as (rounded sum, rounding error)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


@kernel
def two_product(a: float, b: float) -> tuple[float, float]:
    """``a * b`` exactly, as (rounded product, rounding error); assumes neither over- nor underflows."""
    product = a * b
    return product, fma(a, b, -product)


@kernel
def add(ah: float, al: float, bh: float, bl: float) -> tuple[float, float]:
    """Sum of two double-doubles, with an error of 2**-104 of the larger one."""
    hi, lo = two_sum(ah, bh)
    return two_sum(hi, lo + (al + bl))


@kernel
def scale(ah: float, al: float, b: float) -> tuple[float, float]:
    """Product of a double-double and a double."""
    hi, lo = two_product(ah, b)
    return two_sum(hi, lo + al * b)


@kernel
def divide(ah: float, al: float, bh: float, bl: float) -> tuple[float, float]:
    """Quotient of two double-doubles, with a relative error of 2**-102."""
    quotient = ah / bh
    rest = fma(-quotient, bh, ah) + (al - quotient * bl)
    return two_sum(quotient, rest / bh)


def _tables() -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Reciprocals r of i / 128 rounded to 9 bits, and -log r in double-double, at i = 64..128; log 2 at 0."""
    reciprocal, hi, lo = np.ones(_STEPS + 1), np.zeros(_STEPS + 1), np.zeros(_STEPS + 1)
    context = decimal.Context(prec=45)
    for i in [0, *range(_STEPS // 2, _STEPS + 1)]:
        reciprocal[i] = round(2 * _STEPS * _STEPS / i) / (2 * _STEPS) if i else 0.5
        value = -context.ln(decimal.Decimal(float(reciprocal[i])))
        hi[i] = float(value)
        lo[i] = float(context.subtract(value, decimal.Decimal(float(hi[i]))))
    return reciprocal, hi, lo


_RECIPROCAL, _LOG_HI, _LOG_LO = _tables()


@kernel
def log_ratio(x: float, mh: float, ml: float) -> tuple[float, float]:
    """``log(x / m)`` of a double x > 0 and a double-double m > 0, with an absolute error below 1e-20.

    x/m = 2**e * (1 + w) / r with r a 9-bit number and |w| < 1/100: log 2 and -log r come from a table,
    log(1 + w) from its series, of which only the first term needs more than a double.
    """
    x_fraction, x_exponent = math.frexp(x)
    m_fraction, m_exponent = math.frexp(mh)
    vh, vl = divide(x_fraction, 0.0, m_fraction, math.ldexp(ml, -m_exponent))
    exponent = x_exponent - m_exponent
    if vh >= 1.0:
        vh, vl = 0.5 * vh, 0.5 * vl
        exponent += 1
    i = int(vh * _STEPS + 0.5)
    wh, wl = two_product(vh, _RECIPROCAL[i])
    wh, wl = two_sum(wh - 1.0, wl + vl * _RECIPROCAL[i])
    series = 1 / 7 - wh * (1 / 8 - wh * (1 / 9))
    series = 1 / 3 - wh * (1 / 4 - wh * (1 / 5 - wh * (1 / 6 - wh * series)))
    hi, lo = add(_LOG_HI[i], _LOG_LO[i], wh, wl - wh * wh * (0.5 - wh * series))
    binary_hi, binary_lo = scale(_LOG_HI[0], _LOG_LO[0], float(exponent))
    return add(binary_hi, binary_lo, hi, lo)
