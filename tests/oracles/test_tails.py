"""typeone.tails against sums of exact terms, input by input."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from mpmath import mp, mpf

from oracles import tails as sums
from oracles.inputs import EXTREME_LEVELS, cases, digits, near, some_level
from typeone import tails


def law(random: Random) -> tuple[str, tuple[Any, ...], int, mpf, tuple[mpf, mpf]]:
    """A binomial or hypergeometric law, a point k, its probability and both tails."""
    with mp.workdps(90):
        if random.random() < 0.5:
            n = random.choice([0, 1, 2, 3, 40, 1000, 10**4, 10**9, 10**15])
            p = random.choice(
                [0.0, 1.0, 1e-12, 1 - 1e-9, 0.5, 1e-300, random.random(), random.randint(1, 99) / max(n, 100)]
            )
            # The oracle sums as many terms as a few standard deviations.
            p = min(p, 1.0) if n <= 10**4 or p in (0.0, 1.0) else random.random() * 100 / n
            k = _near_the_middle(random, n * p, math.sqrt(n * p * (1 - p)), n)
            exact = Fraction(p)
            pmf = mpf(0) if not 0 <= k <= n else mp.exp(sums.log_comb(n, k))
            if pmf:
                pmf *= digits(exact) ** k * digits(1 - exact) ** (n - k)
            return "binomial", (n, p), k, pmf, sums.binomial_tails(k, n, exact)
        M = random.choice([1, 2, 3, 40, 1000, 10**4, 10**9, 10**15])
        C = random.choice([0, M, random.randint(0, M), random.randint(0, min(M, 50))])
        K = random.choice([0, M, random.randint(0, M), random.randint(0, min(M, 50))])
        if M > 10**4 and 50 < C < M and 50 < K < M:
            K = random.randint(0, 50)
        mean = K * C / M
        k = _near_the_middle(random, mean, math.sqrt(mean * (1 - C / M) * (1 - (K - 1) / max(1, M - 1))) if K else 0, K)
        inside = max(0, K - (M - C)) <= k <= min(C, K)
        pmf = mpf(0)
        if inside:
            pmf = mp.exp(sums.log_comb(C, k) + sums.log_comb(M - C, K - k) - sums.log_comb(M, K))
        return "hypergeometric", (M, C, K), k, pmf, sums.hypergeometric_tails(k, M, C, K)


def _near_the_middle(random: Random, mean: float, sd: float, most: int) -> int:
    spread = random.choice([0.5, 3, 10, 30])
    return max(-1, min(most + 1, 10**15, round(mean + random.gauss(0, spread) * sd + random.choice([-1, 0, 0, 1]))))


def test_tails(oracles: int) -> None:
    """Probabilities and tails to 1e-13 of themselves ("about 1e-14"), logarithms far below the smallest double."""
    for case, random in cases("tails", oracles):
        kind, arguments, k, pmf, (below, above) = law(random)
        for name, wanted in (("pmf", pmf), ("cdf", below), ("sf", above)):
            got = float(getattr(tails, f"{kind}_{name}")(k, *arguments))
            where = (case, kind, name, k, arguments, got)
            assert near(got, wanted, 1e-13), (*where, float(wanted))
            logged = float(getattr(tails, f"{kind}_log{name}")(k, *arguments))
            if wanted == 0:
                assert logged == -math.inf, (*where, logged)
            else:
                with mp.workdps(60):
                    off = abs(digits(logged) - mp.log(wanted))
                    # An error of 1e-13 in the value, and the rounding of the logarithm itself.
                    assert off <= mpf(10) ** -13 + mpf(2) ** -51 * abs(mp.log(wanted)), (*where, logged, float(off))


@pytest.mark.parametrize("kind", ["binomial", "hypergeometric"])
def test_quantiles(kind: str, oracles: int) -> None:
    for case, random in cases(f"quantile {kind}", oracles):
        q = float(Fraction(random.choice([*EXTREME_LEVELS, some_level(random)])))
        arguments: tuple[Any, ...]
        if kind == "binomial":
            n, p = random.choice([0, 1, 2, 3, 30, 90]), random.choice([0.0, 1.0, 0.5, 1e-12, random.random()])
            arguments, cdf = (n, p), (lambda k, n=n, p=Fraction(p): sums.binomial_at_most(k, n, p))
        else:
            M = random.choice([1, 2, 3, 30, 90])
            C, n = random.randint(0, M), random.randint(0, M)
            arguments, cdf = (M, C, n), (lambda k, M=M, C=C, n=n: sums.hypergeometric_at_most(k, M, C, n))
        got = int(getattr(tails, f"{kind}_quantile")(q, *arguments))
        # Up to rounding where a tail equals q.
        slack = Fraction(1, 10**13)
        assert cdf(got) >= Fraction(q) * (1 - slack), (case, q, arguments, got)
        assert cdf(got - 1) < Fraction(q) * (1 + slack), (case, q, arguments, got)


def test_arrays_are_elementwise() -> None:
    k = np.array([0, 1, 2])
    assert tails.binomial_cdf(k, 2, 0.5).tolist() == [float(tails.binomial_cdf(int(x), 2, 0.5)) for x in k]
