"""Certificates from their definition: votes one by one, intervals by bisection, errors by adding up; slow, obvious."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import cache
from math import comb, log, sqrt

from twins.panels import superpopulation_error


def lower_tail(k: int, n: int, p: Fraction) -> Fraction:
    """P(Bin(n, p) ≤ k)."""
    a, b = p.numerator, p.denominator
    return Fraction(sum(comb(n, x) * a**x * (b - a) ** (n - x) for x in range(k + 1)), b**n)


@cache
def interval(k: int, n: int, level: Fraction, bits: int = 50) -> tuple[Fraction, Fraction]:
    """Two-sided Clopper–Pearson interval, each end bracketed to 2**-bits and given on its valid side."""

    def root(tail_at_most) -> tuple[Fraction, Fraction]:
        low, high = Fraction(0), Fraction(1)
        for _ in range(bits):
            middle = (low + high) / 2
            if tail_at_most(middle):
                low = middle
            else:
                high = middle
        return low, high

    half = level / 2
    lower = Fraction(0) if k == 0 else root(lambda p: 1 - lower_tail(k - 1, n, p) <= half)[0]
    upper = Fraction(1) if k == n else root(lambda p: lower_tail(k, n, p) > half)[1]
    return lower, upper


def passes(k: int, n: int, level: Fraction, size: int, theta: Fraction, delta: Fraction, attack=None) -> bool:
    """The whole interval on one side of θ, and the error at its end nearest to θ at most δ."""
    attack = attack or {}
    lower, upper = interval(k, n, level)
    if lower >= theta:
        return attacked_error(lower, size, theta, accepting=True, **attack) <= delta
    if upper < theta:
        return attacked_error(upper, size, theta, accepting=False, **attack) <= delta
    return False


def attacked_error(p, size, theta, *, accepting, fixed=Fraction(0), targeted=Fraction(0), flips=0) -> Fraction:
    """The attack moves p against the decision; the decision is the honest one."""
    if accepting:
        moved = max((1 - fixed) * p - targeted, Fraction(0))
    else:
        moved = min((1 - fixed) * p + fixed + targeted, Fraction(1))
    return superpopulation_error(theta if accepting else Fraction(0), moved, size, theta, flips)


def least_units(target: Fraction, level: Fraction, hoeffding: bool) -> int:
    """The least A with which A passes of A reach the target."""
    A = 1
    while (1 - sqrt(-log(level) / (2 * A)) < target) if hoeffding else (target**A > level):
        A += 1
    return A


def binomial_by_bits(words, n: int, p: Fraction) -> int:
    """n uniforms compared with p digit by digit; bits are taken from the top of each word, whole words first."""
    if p >= 1:
        return n
    digits = int(p * 2**64)
    below, agreeing = 0, n
    word, unused = 0, 0
    for position in range(63, -1, -1):
        if agreeing == 0 or digits % 2 ** (position + 1) == 0:
            break
        bits = "".join(f"{next(words):064b}" for _ in range(agreeing // 64))
        few = agreeing % 64
        if few > unused:
            word, unused = next(words), 64
        text = f"{word:064b}"[64 - unused :]
        bits += text[:few]
        unused -= few
        if digits >> position & 1:
            below += bits.count("0")
            agreeing = bits.count("1")
        else:
            agreeing = bits.count("0")
    return below


def votes(rng: random.Random, evaluators: int, chances: list[float], shared: float) -> list[list[int]]:
    """The vote matrix of shared-uniform rows, by its definition."""
    matrix = []
    for _ in range(evaluators):
        own = rng.random()
        matrix.append([int((own if rng.random() < shared else rng.random()) < p) for p in chances])
    return matrix
