"""Panels from the formulas of METHODS section 3, in rationals wherever a comparison decides."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil

from mpmath import mp, mpf

from oracles.tails import (
    binomial_at_least,
    binomial_at_most,
    binomial_pmf,
    clopper_pearson_lower,
    clopper_pearson_upper,
    hypergeometric_at_least,
    hypergeometric_at_most,
)


def quota(K: int, theta: Fraction) -> int:
    """q(K): the positive votes with which a panel of K accepts."""
    return ceil(theta * K)


def census_error(M: int, C: int, K: int, theta: Fraction, census_flips: int = 0, panel_flips: int = 0) -> Fraction:
    """Frozen census: e(K), after b entries of the census and b votes of the panel are turned against its decision."""
    q = quota(K, theta)
    if quota(M, theta) <= C:
        return hypergeometric_at_most(q - 1 + panel_flips, M, max(0, C - census_flips), K)
    return hypergeometric_at_least(q - panel_flips, M, min(M, C + census_flips), K)


def attacked_share(p: Fraction, theta: Fraction, fixed: Fraction, targeted: Fraction) -> Fraction:
    """Fixed share: p -> (1 - f) p against acceptance, (1 - f) p + f against rejection; targeted: p -> p -+ f."""
    if p >= theta:
        return max(Fraction(0), (1 - fixed) * p - targeted)
    return min(Fraction(1), (1 - fixed) * p + fixed + targeted)


def superpopulation_error(
    p: Fraction,
    K: int,
    theta: Fraction,
    fixed: Fraction = Fraction(0),
    targeted: Fraction = Fraction(0),
    panel_flips: int = 0,
) -> Fraction:
    """Superpopulation: e(K) against the decision of the honest p."""
    q, share = quota(K, theta), attacked_share(p, theta, fixed, targeted)
    if p >= theta:
        return binomial_at_most(q - 1 + panel_flips, K, share)
    return binomial_at_least(q - panel_flips, K, share)


def minimum_size(errors: dict[int, Fraction], delta: Fraction) -> int:
    """The least size with error at most delta; 0: none."""
    return min((K for K, e in errors.items() if e <= delta), default=0)


def stable_size(errors: dict[int, Fraction], delta: Fraction) -> int:
    """The least size from which on every error is at most delta; 0: none."""
    return min((K for K in errors if all(e <= delta for k, e in errors.items() if k >= K)), default=0)


def needed_members(K: int, theta: Fraction, force: str) -> int:
    """Committee capture: corrupted members that force the decision."""
    return quota(K, theta) if force == "accept" else K - quota(K, theta) + 1


def total_variation_bound(M: int, C: int, K: int) -> Fraction:
    """(K - 1) / (M - 1) when the binomial variance is at least 1, else 1."""
    share = Fraction(C, M)
    return Fraction(K - 1, M - 1) if K * share * (1 - share) >= 1 else Fraction(1)


def passes(
    c: int,
    E: int,
    K: int,
    theta: Fraction,
    delta: Fraction,
    gamma: Fraction,
    attack: tuple[Fraction, Fraction, int] = (Fraction(0), Fraction(0), 0),
) -> bool:
    """Whether a unit with c of E positive votes passes at K: interval on one side of theta, error at its near end.

    The ends are compared with theta through the tails at theta, which is exact: the lower end is at least theta
    when P(Bin(E, theta) >= c) <= gamma / 2, the upper one below theta when P(Bin(E, theta) <= c) < gamma / 2.
    """
    if c > 0 and binomial_at_least(c, E, theta) <= gamma / 2:
        return _error_at(clopper_pearson_lower(c, E, gamma / 2), True, K, theta, attack) <= _digits(delta)
    if c < E and binomial_at_most(c, E, theta) < gamma / 2:
        return _error_at(clopper_pearson_upper(c, E, gamma / 2), False, K, theta, attack) <= _digits(delta)
    return False


def _digits(x: Fraction) -> mpf:
    with mp.workdps(60):
        return mpf(x.numerator) / x.denominator


def _error_at(p: mpf, accept: bool, K: int, theta: Fraction, attack: tuple[Fraction, Fraction, int]) -> mpf:
    """A panel's error where a share p accepts, and the honest decision is ``accept``."""
    fixed, targeted, flips = attack
    with mp.workdps(60):
        favorable = p if accept else 1 - p
        share = max(mpf(0), (1 - _digits(fixed)) * favorable - _digits(targeted))
        q = quota(K, theta)
        # Unfavorable votes reach the bar: K - q + 1 rejections, or q acceptances, less those that are turned.
        bar = (K - q + 1 if accept else q) - flips
        return mp.fsum(mp.binomial(K, x) * (1 - share) ** x * share ** (K - x) for x in range(max(0, bar), K + 1))


def interval_level(method: str, eta_e: Fraction, xi_e: Fraction, units: int) -> Fraction:
    """gamma: eta_E / A familywise, eta_E xi_E mass-controlled."""
    return eta_e / units if method == "familywise" else eta_e * xi_e


def certifies(share: Fraction, units: int, generator: str, level: Fraction, target: Fraction) -> bool:
    """Whether the lower bound of the passing units' share is at least ``target``; ``level`` is eta_G / |grid|."""
    if generator == "catalogue":
        return share >= target
    if generator == "exact":
        return share > 0 and target < 1 and binomial_at_least(int(share * units), units, target) <= level
    return bool(hoeffding(share, units, level) >= _digits(target))


def hoeffding(share: Fraction, units: int, level: Fraction) -> mpf:
    """passes / A - sqrt(log(|grid| / eta_G) / (2 A))."""
    with mp.workdps(60):
        return _digits(share) - mp.sqrt(mp.log(1 / _digits(level)) / (2 * units))


def bound(share: Fraction, units: int, generator: str, level: Fraction, xi: Fraction) -> mpf:
    """Lower bound on the coverage, never below 0."""
    with mp.workdps(60):
        if generator == "catalogue":
            inner = _digits(share)
        elif generator == "exact":
            inner = clopper_pearson_lower(int(share * units), units, level)
        else:
            inner = hoeffding(share, units, level)
        return max(mpf(0), inner - _digits(xi))


def enough(units: int, generator: str, level: Fraction, target: Fraction) -> int:
    """The least number of passing units that certifies; A + 1: none."""
    found = [c for c in range(units + 1) if certifies(Fraction(c, units), units, generator, level, target)]
    return found[0] if found else units + 1


def passing_probability(p: Fraction, E: int, accepted: Sequence[bool]) -> Fraction:
    """P(a unit of acceptance probability p passes), ``accepted[c]`` saying which counts pass."""
    return sum((binomial_pmf(c, E, p) for c in range(E + 1) if accepted[c]), Fraction(0))
