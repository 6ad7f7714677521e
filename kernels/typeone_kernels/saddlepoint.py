"""Saddle-point pieces of binomial and hypergeometric probabilities.

Source: Loader, *Fast and accurate computation of binomial probabilities* (2000).  A probability made of
factorials is ``exp(-sum of deviances) * (product of Stirling factors)``.  Every deviance is nonnegative, so
nothing cancels, unlike in a sum of log-gammas; the sum is carried in double-double, because a rounding error
in it is a relative error of the probability.

A value of this form is passed around as the triple ``(hi, lo, square)``: ``exp(hi + lo) * sqrt(square)``.
"""

from __future__ import annotations

import decimal
import math

import numpy as np
from numpy.typing import NDArray

from typeone_kernels._jit import kernel
from typeone_kernels.doubledouble import add, divide, fma, log_ratio, scale, two_product, two_sum

_TABLE = 32  # Stirling factors below this come from a table
_NEAR = 1 / 32  # |x - m| / (x + m) up to which the deviance is summed as a series


def _squared_factors() -> NDArray[np.float64]:
    """``(x! * exp(x) / x**x)**2`` for x = 0..31, each rounded once."""
    context = decimal.Context(prec=60)
    factors = np.ones(_TABLE)
    for x in range(1, _TABLE):
        value = context.multiply(decimal.Decimal(math.factorial(x)), context.exp(decimal.Decimal(x)))
        value = context.divide(value, decimal.Decimal(x**x))
        factors[x] = float(context.multiply(value, value))
    return factors


_SQUARED_FACTORS = _squared_factors()


@kernel
def stirling(x: float) -> tuple[float, float]:
    """Square and logarithmic rest of ``x! * exp(x) / x**x = sqrt(square) * exp(rest)``, x >= 0 an integer.

    Stirling's series with an error below 1e-17; from a table (rest 0) for x < 32.
    """
    if x < _TABLE:
        return _SQUARED_FACTORS[int(x)], 0.0
    y = 1.0 / (x * x)
    series = 1 / 12 - y * (1 / 360 - y * (1 / 1260 - y * (1 / 1680 - y * (1 / 1188))))
    return 2 * math.pi * x, series / x


@kernel
def is_near(x: float, d: float) -> bool:
    """Whether ``near_deviance`` holds for a count x that exceeds its expectation by d."""
    return abs(d) <= _NEAR * abs(2 * x - d)


@kernel
def near_deviance(x: float, dh: float, dl: float) -> tuple[float, float]:
    """``x log(x/m) + m - x`` with m = x - d, for ``is_near(x, d)``; relative error below 1e-17.

    With s = d/(x + m): ``d*s + 2x (s**3/3 + s**5/5 + ...)``, the first term in double-double.
    """
    yh, yl = two_sum(2 * x, -dh)
    yl -= dl
    square, rest = two_product(dh, dh)
    rest += 2 * dh * dl
    leading = square / yh
    correction = (fma(-leading, yh, square) + (rest - leading * yl)) / yh
    s = dh / yh
    q = s * s
    series = 1 / 3 + q * (1 / 5 + q * (1 / 7 + q * (1 / 9 + q * (1 / 11))))
    return two_sum(leading, correction + 2 * x * s * q * series)


@kernel
def far_deviance(x: float, mh: float, ml: float, dh: float, dl: float) -> tuple[float, float]:
    """``x log(x/m) + m - x`` with d = x - m, any m > 0: by the logarithm, whose cancellation is bounded here."""
    if x == 0:
        return mh, ml
    lh, ll = log_ratio(x, mh, ml)
    hi, lo = scale(lh, ll, x)
    return add(hi, lo, -dh, -dl)


@kernel
def product_over(a: float, b: float, c: float) -> tuple[float, float]:
    """``a * b / c`` as a double-double."""
    hi, lo = two_product(a, b)
    return divide(hi, lo, c, 0.0)


@kernel
def value(hi: float, lo: float, square: float, factor: float) -> float:
    """``factor * exp(hi + lo) * sqrt(square)``."""
    return factor * math.exp(hi) * (1.0 + lo) * math.sqrt(square)


@kernel
def log_value(hi: float, lo: float, square: float, factor: float) -> float:
    """Logarithm of ``value(hi, lo, square, factor)``, finite however small that is."""
    return hi + (lo + 0.5 * math.log(square) + math.log(factor))


@kernel
def both_tails(upper: bool, near: float) -> tuple[float, float]:
    """(lower, upper) tail from the one not containing the mode, which is at most about .63: no cancellation."""
    if upper:
        return 1.0 - near, near
    return near, 1.0 - near


@kernel
def both_log_tails(upper: bool, near: float, log_near: float) -> tuple[float, float]:
    """Logarithms of (lower, upper) tail from the tail not containing the mode and its logarithm."""
    log_far = math.log1p(-near)
    if upper:
        return log_far, log_near
    return log_near, log_far
