"""Scores of every shape that upsets buckets of equal width: heavy tails, ties, one value, one far off."""

from __future__ import annotations

import numpy as np

SHAPES = {
    "normal": lambda g, n: g.standard_normal(n),
    "cauchy": lambda g, n: g.standard_cauchy(n),
    "log-normal": lambda g, n: np.exp(20 * g.standard_normal(n)),
    "two values": lambda g, n: g.integers(0, 2, n) * 1.0,
    "rounded": lambda g, n: np.round(g.standard_normal(n), 1),
    "one value": lambda g, n: np.full(n, 3.5),
    "one far off": lambda g, n: np.where(np.arange(n) == n // 2, 1e300, g.random(n)),
    "whole range": lambda g, n: g.choice([-1.7e308, 1.7e308, -5e-324, 5e-324, 0.0, -0.0, 1.0], n),
    "one long bucket": lambda g, n: np.where(np.arange(n) % 7 > 0, g.permutation(n) / n, 1e9),
    "descending": lambda g, n: -np.arange(n) / 3.0,
}
