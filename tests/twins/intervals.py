"""Slow twins of the Monte Carlo bounds: mpmath, straight from the definitions."""

from __future__ import annotations

from fractions import Fraction

import mpmath as mp


def binomial_tail(k: int, n: int, p: mp.mpf) -> mp.mpf:
    """P(X >= k) for X ~ Bin(n, p)."""
    return mp.fsum(mp.binomial(n, j) * p**j * (1 - p) ** (n - j) for j in range(k, n + 1))


def clopper_pearson_lower(k: int, n: int, alpha: float) -> mp.mpf:
    if k == 0:
        return mp.mpf(0)
    return _root(lambda p: binomial_tail(k, n, p) - mp.mpf(alpha), mp.mpf(0), mp.mpf(k) / n)


def mixture_wealth(k: int, n: int, p: mp.mpf) -> mp.mpf:
    """Average over a Jeffreys-distributed q of the likelihood ratio q : p, bets on q <= p being kept."""

    def density(q: mp.mpf) -> mp.mpf:
        return 1 / (mp.pi * mp.sqrt(q * (1 - q)))

    def ratio(q: mp.mpf) -> mp.mpf:
        return (q / p) ** k * ((1 - q) / (1 - p)) ** (n - k)

    kept = 2 / mp.pi * mp.asin(mp.sqrt(p))
    points = [p, *(x for x in (mp.mpf(k) / n,) if p < x < 1), mp.mpf(1)]
    return kept + mp.quad(lambda q: density(q) * ratio(q), points)


def mixture_lower(k: int, n: int, alpha: float) -> mp.mpf:
    if k == 0:
        return mp.mpf(0)
    return _root(lambda p: 1 / mp.mpf(alpha) - mixture_wealth(k, n, p), mp.mpf(10) ** -12, mp.mpf(k) / n)


def betting_wealth(values: list[Fraction], m: mp.mpf, sizes: list[float], weights: list[float]) -> mp.mpf:
    """Mixture over bet sizes of the product of 1 + min(size, 0.97 / m) (x - m)."""
    return mp.fsum(
        mp.mpf(w)
        * mp.fprod(1 + min(mp.mpf(s), mp.mpf("0.97") / m) * (mp.mpf(x.numerator) / x.denominator - m) for x in values)
        for s, w in zip(sizes, weights, strict=True)
    )


def _root(function, low: mp.mpf, high: mp.mpf) -> mp.mpf:
    """Where an increasing function passes zero."""
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) < 0 else (low, middle)
    return low
