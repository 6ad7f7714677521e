"""Sums of ``f(k+t)/f(k)`` over t = 0, 1, ...: how many times its first term a tail is worth.

f is a hypergeometric probability seen as a function of four cell counts, two that grow by t (``up``) and two
that shrink (``down``): ``f(t) = const / prod Gamma(up_i + t + 1) Gamma(down_i - t + 1)``.  A binomial
probability is the case of one growing and one shrinking count and a factor odds**t.  All that is assumed is
that f falls from t = 0 on (``slope`` >= 0).

A short tail is summed term by term.  A long one is an integral with Euler-Maclaurin corrections.  There the
counts are at least 200 (because the tail's length T satisfies T**2 <= 80 * count), so that ``-log f(t)/f(0)``
is a quickly converging power series in t/T, and 24 Gauss-Legendre nodes integrate its exponential to 1e-17:
the work is bounded at any population size.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from typeone_kernels._jit import kernel

_LONGEST_SUM = 128.0  # terms; beyond this the integral is cheaper
_NEGLIGIBLE = 2.0**-57  # a term this small ends the sum: what follows is worth less than half an ulp
_PASS = 4  # coefficients of the power series used up in one pass over the nodes
_ORDER = 10 * _PASS  # longest power series
_TAYLOR = 10  # Taylor coefficients that Euler-Maclaurin's corrections take
WORK = _ORDER + _TAYLOR + 24  # doubles of scratch space a tail sum needs

# Gauss-Legendre on (0, 1), 24 nodes, correctly rounded: node, then weight (numpy's weights are good to 1e-14).
_NODES = np.array(
    [
        0.00240639000148932,
        0.012635722014345251,
        0.030862723998633622,
        0.056792236497799485,
        0.08999900701304854,
        0.12993790421072282,
        0.17595317403151223,
        0.22728926430558022,
        0.2831032461869774,
        0.3424786601519183,
        0.40444056626319186,
        0.4679715535686972,
        0.5320284464313028,
        0.5955594337368082,
        0.6575213398480817,
        0.7168967538130225,
        0.7727107356944197,
        0.8240468259684878,
        0.8700620957892772,
        0.9100009929869515,
        0.9432077635022005,
        0.9691372760013663,
        0.9873642779856547,
        0.9975936099985107,
    ]
)
_WEIGHTS = np.array(
    [
        0.0061706148999936,
        0.014265694314466832,
        0.022138719408709904,
        0.02964929245771839,
        0.03667324070554015,
        0.04309508076597664,
        0.04880932605205694,
        0.05372213505798282,
        0.0577528340268628,
        0.060835236463901696,
        0.06291872817341415,
        0.06396909767337608,
        0.06396909767337608,
        0.06291872817341415,
        0.060835236463901696,
        0.0577528340268628,
        0.05372213505798282,
        0.04880932605205694,
        0.04309508076597664,
        0.03667324070554015,
        0.02964929245771839,
        0.022138719408709904,
        0.014265694314466832,
        0.0061706148999936,
    ]
)
# B(2m) / (2m) for m = 1..5, B the Bernoulli numbers.
_BERNOULLI = np.array([1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132])
_TWO_CORRECTIONS, _THREE_CORRECTIONS = 1e4, 1500.0  # tail length from which the next ones are below 1e-17
_J = np.arange(_ORDER) + 0.0
_INVERSE = 1 / np.maximum(_J, 1)
_MAIN = 1 / np.maximum(_J * (_J - 1), 1)
_SECOND = 7 / 5760 * (_J + 1) * (_J + 2)

# exp(-y) = 2**-i * exp(r), |r| < .35: log 2 in two parts, the first with trailing zeros: i * _LOG2_HI is exact.
_LOG2_HI, _LOG2_LO = float.fromhex("0x1.62e42fee00000p-1"), float.fromhex("0x1.a39ef35793c76p-33")
_BIAS, _MANTISSA = 1023, 52  # 2**i is the double whose bits are (_BIAS + i) << _MANTISSA


@kernel
def tail_length(slope: float, curvature: float) -> float:
    """The t at which ``slope*t + curvature*t**2/2 = 40``: f has fallen to about exp(-40)."""
    return 80.0 / (slope + math.sqrt(slope * slope + 80.0 * curvature))


@kernel
def _add_cell(series: NDArray[np.float64], order: int, a: float, step: float) -> None:
    """Add the Taylor series of ``lgamma(a + 1/2 + step*tau)`` without its two lowest terms, a > 200.

    ``lgamma(a + 1/2) = a log a - a - 1/(24a) + 7/(2880 a**3) - ...`` term by term; a log(a)*step is left to
    the caller's slope, where the four cells' logarithms cancel.
    """
    inverse = 1.0 / a
    w = -step * inverse
    first = inverse / 24
    cube = inverse * inverse * inverse
    series[1] += w * (cube * _SECOND[1] - first)
    power = w
    for j in range(2, order):
        power *= w
        series[j] += power * ((a * _MAIN[j] - first) + cube * _SECOND[j])


@kernel
def _series_order(largest: float) -> int:
    """Number of terms when t/count reaches ``largest`` at the far end: 1e-15 at half way, where f < exp(-10)."""
    return min(_ORDER, 4 + int(39.0 / -math.log(0.5 * largest)))


@kernel
def _integral(work: NDArray[np.float64], order: int) -> float:
    """Integral of exp(-series(tau)) over (0, 1), the series being work[:order], zeros up to a whole pass.

    Both loops over the nodes are free of calls and branches, for the compiler to vectorize; so is the
    exponential, of an argument in [0, 700) to within an ulp: a power of 2 times a Taylor polynomial.
    """
    y = work[_ORDER + _TAYLOR :]
    for i in range(_NODES.size):
        y[i] = 0.0
    for j in range((order - 1) // _PASS * _PASS, -1, -_PASS):
        c0, c1, c2, c3 = work[j], work[j + 1], work[j + 2], work[j + 3]
        for i in range(_NODES.size):
            tau = _NODES[i]
            y[i] = (((y[i] * tau + c3) * tau + c2) * tau + c1) * tau + c0
    total = 0.0
    for i in range(_NODES.size):
        twos = math.floor(y[i] * (1 / math.log(2)) + 0.5)
        r = (twos * _LOG2_HI - y[i]) + twos * _LOG2_LO
        r2 = r * r
        r4 = r2 * r2
        e0 = (1 + r) + r2 * (1 / 2 + r * (1 / 6))
        e4 = (1 / 24 + r * (1 / 120)) + r2 * (1 / 720 + r * (1 / 5040))
        e8 = (1 / 40320 + r * (1 / 362880)) + r2 * (1 / 3628800 + r * (1 / 39916800))
        e12 = 1 / 479001600 + r * (1 / 6227020800)
        power = np.int64((_BIAS - np.int64(twos)) << _MANTISSA).view(np.float64)
        y[i] = _WEIGHTS[i] * (e0 + r4 * (e4 + r4 * (e8 + r4 * e12))) * power
    for i in range(_NODES.size):
        total += y[i]
    return total


@kernel
def _corrections(work: NDArray[np.float64], order: int, length: float) -> float:
    """Euler-Maclaurin's ``sum over m of B(2m)/(2m)! g^(2m-1)(0)`` for g(t) = exp(-series(t/length)).

    g's Taylor coefficients follow from n g_n = -(sum over j of j c_j g_(n-j)).
    """
    g = work[_ORDER:]
    g[0] = 1.0
    total, power, inverse = 0.0, 1.0, 1.0 / length
    for n in range(1, 4 if length > _TWO_CORRECTIONS else 6 if length > _THREE_CORRECTIONS else _TAYLOR):
        coefficient = 0.0
        for j in range(min(n, order - 1), 0, -1):
            coefficient -= j * work[j] * g[n - j]
        g[n] = coefficient * _INVERSE[n]
        power *= inverse
        if n % 2:
            total += _BERNOULLI[n // 2] * g[n] * power
    return total


@kernel
def _euler_maclaurin(work: NDArray[np.float64], order: int, length: float) -> float:
    """Sum of exp(-series(t/length)) over t = 0, 1, ..., given that it is negligible from ``length`` on."""
    return length * _integral(work, order) + 0.5 - _corrections(work, order, length)


@kernel
def hypergeometric_sum(
    up1: float, up2: float, down1: float, down2: float, slope: float, work: NDArray[np.float64]
) -> float:
    """``sum over t of f(t)/f(0)`` for four cell counts, ``slope`` = -d/dt log f(0) >= 0 up to O(1/count).

    slope = log of (up1+1/2)(up2+1/2) / ((down1+1/2)(down2+1/2)).  ``work`` has WORK doubles.  At most about
    200 terms or 24 nodes.
    """
    smallest = min(min(up1, up2), min(down1, down2)) + 0.5
    length = tail_length(slope, 1 / (up1 + 0.5) + 1 / (up2 + 0.5) + 1 / (down1 + 0.5) + 1 / (down2 + 0.5))
    if min(length, down1, down2) <= _LONGEST_SUM:
        total = term = 1.0
        while term > _NEGLIGIBLE:  # four terms at a time; past the support's end a ratio is 0
            a = down1 * down2 / ((up1 + 1) * (up2 + 1))
            b = (down1 - 1) * (down2 - 1) / ((up1 + 2) * (up2 + 2))
            c = (down1 - 2) * (down2 - 2) / ((up1 + 3) * (up2 + 3))
            d = (down1 - 3) * (down2 - 3) / ((up1 + 4) * (up2 + 4))
            total += term * (a * (1 + b * (1 + c * (1 + d))))
            term *= (a * b) * (c * d)
            up1, up2, down1, down2 = up1 + 4, up2 + 4, down1 - 4, down2 - 4
        return total
    order = _series_order(length / smallest)
    work[:_ORDER] = 0.0
    _add_cell(work, order, up1 + 0.5, length)
    _add_cell(work, order, up2 + 0.5, length)
    _add_cell(work, order, down1 + 0.5, -length)
    _add_cell(work, order, down2 + 0.5, -length)
    work[1] += slope * length
    return _euler_maclaurin(work, order, length)


@kernel
def binomial_sum(up: float, down: float, odds: float, slope: float, work: NDArray[np.float64]) -> float:
    """As ``hypergeometric_sum`` for one growing and one shrinking count and a factor odds**t.

    slope = log of (up+1/2) / ((down+1/2) odds).
    """
    length = tail_length(slope, 1 / (up + 0.5) + 1 / (down + 0.5))
    if min(length, down) <= _LONGEST_SUM:
        total = term = 1.0
        while term > _NEGLIGIBLE:  # four terms at a time; past the support's end a ratio is 0
            a = down * odds / (up + 1)
            b = (down - 1) * odds / (up + 2)
            c = (down - 2) * odds / (up + 3)
            d = (down - 3) * odds / (up + 4)
            total += term * (a * (1 + b * (1 + c * (1 + d))))
            term *= (a * b) * (c * d)
            up, down = up + 4, down - 4
        return total
    order = _series_order(length / (min(up, down) + 0.5))
    work[:_ORDER] = 0.0
    _add_cell(work, order, up + 0.5, length)
    _add_cell(work, order, down + 0.5, -length)
    work[1] += slope * length
    return _euler_maclaurin(work, order, length)
