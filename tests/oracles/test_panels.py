"""Errors, sizes, capture and the bridge (typeone.panels) against the oracle, input by input."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

from mpmath import mp

from oracles import panels as oracle
from oracles import tails as sums
from oracles.inputs import cases, digits, near
from typeone import panels


def some_theta(random: Random, M: int) -> str:
    kind = random.randrange(4)
    if kind == 0 and M > 1:
        return f"{random.randint(1, M - 1)}/{M}"
    return random.choice(["1/2", "1/2", "1/2", "2/3", "0.1", "1e-12", "0.999999999", "0.6"])


def some_share(random: Random) -> str:
    kind = random.randrange(4)
    if kind == 0:
        return random.choice(["0", "1", "0.5", "1e-12", "0.999999999", "1/3"])
    return f"{random.random():.{random.randint(1, 6)}f}"


def census(random: Random, most: int) -> dict[str, Any]:
    M = random.choice([1, 2, 3, random.randint(1, most)])
    return {
        "M": M,
        "C": random.randint(0, M),
        "theta": some_theta(random, M),
        "census_flips": random.choice([0, 0, 1, random.randint(0, M)]),
        "panel_flips": random.choice([0, 0, 1, random.randint(0, M)]),
    }


def wanted_errors(a: dict[str, Any], sizes: list[int]) -> dict[int, Fraction]:
    theta = Fraction(a["theta"])
    return {K: oracle.census_error(a["M"], a["C"], K, theta, a["census_flips"], a["panel_flips"]) for K in sizes}


def test_census_errors(oracles: int) -> None:
    for case, random in cases("census errors", oracles):
        a = census(random, random.choice([12, 60, 400]))
        got = panels.census_errors(**a)
        sizes = sorted({1, a["M"], *(random.randint(1, a["M"]) for _ in range(6))})
        assert got.shape == (a["M"],)
        for K, wanted in wanted_errors(a, sizes).items():
            assert near(float(got[K - 1]), wanted), (case, a, K, got[K - 1], float(wanted))


def test_all_counts(oracles: int) -> None:
    for case, random in cases("census all counts", oracles):
        a = census(random, 12)
        every = panels.census_errors(**{**a, "C": None})
        C, K = random.randint(0, a["M"]), random.randint(1, a["M"])
        wanted = wanted_errors({**a, "C": C}, [K])[K]
        assert near(float(every[C, K - 1]), wanted), (case, a, C, K)


def tolerances(random: Random, errors: dict[int, Fraction]) -> list[Fraction]:
    """Ordinary, extreme, and exactly an error that occurs."""
    # Levels are typed in a few hundred characters.
    exact = [e for e in errors.values() if 0 < e < 1 and len(str(e)) < 300]
    found = {Fraction(random.choice(["0.01", "0.05", "1e-12", "0.999999999", "0.2", "1/3"]))}
    return sorted(found | {random.choice(exact)} if exact else found)


def some_grid(random: Random, most: int) -> list[int] | None:
    if random.random() < 0.5:
        return None
    return sorted({random.randint(1, most) for _ in range(random.randint(1, 6))})


def test_census_sizes(oracles: int) -> None:
    for case, random in cases("census sizes", oracles):
        a = census(random, 40)
        grid = some_grid(random, a["M"])
        errors = wanted_errors(a, grid or list(range(1, a["M"] + 1)))
        deltas = tolerances(random, errors)
        got = panels.census_sizes(**a, delta=[*deltas], grid=grid)
        assert got.minimum.tolist() == [oracle.minimum_size(errors, d) for d in deltas], (case, a, grid, deltas)
        assert got.stable.tolist() == [oracle.stable_size(errors, d) for d in deltas], (case, a, grid, deltas)


def superpopulation(random: Random, horizon: int) -> dict[str, Any]:
    kind = random.randrange(3)
    return {
        "p": some_share(random),
        "theta": some_theta(random, random.randint(2, 9)),
        "fixed_share": some_share(random) if kind == 1 else "0",
        "targeted_share": some_share(random) if kind == 2 else "0",
        "panel_flips": random.choice([0, 0, 1, min(5, horizon)]),
    }


def wanted_superpopulation(a: dict[str, Any], sizes: list[int]) -> dict[int, Fraction]:
    p, theta, fixed, targeted = (Fraction(a[name]) for name in ("p", "theta", "fixed_share", "targeted_share"))
    return {K: oracle.superpopulation_error(p, K, theta, fixed, targeted, a["panel_flips"]) for K in sizes}


def test_superpopulation_errors(oracles: int) -> None:
    for case, random in cases("superpopulation errors", oracles):
        horizon = random.choice([1, 2, 3, 20, 150])
        a = superpopulation(random, horizon)
        got = panels.superpopulation_errors(horizon=horizon, **a)
        sizes = sorted({1, horizon, *(random.randint(1, horizon) for _ in range(5))})
        for K, wanted in wanted_superpopulation(a, sizes).items():
            assert near(float(got[K - 1]), wanted), (case, a, horizon, K, got[K - 1], float(wanted))


def test_superpopulation_sizes(oracles: int) -> None:
    for case, random in cases("superpopulation sizes", oracles):
        horizon = random.choice([1, 2, 3, 9, 30])
        a = superpopulation(random, horizon)
        grid = some_grid(random, horizon)
        errors = wanted_superpopulation(a, grid or list(range(1, horizon + 1)))
        deltas = tolerances(random, errors)
        got = panels.superpopulation_sizes(horizon=horizon, **a, delta=[*deltas], grid=grid)
        assert got.minimum.tolist() == [oracle.minimum_size(errors, d) for d in deltas], (
            case,
            a,
            horizon,
            grid,
            deltas,
        )
        assert got.stable.tolist() == [oracle.stable_size(errors, d) for d in deltas], (case, a, horizon, grid, deltas)


def test_capture(oracles: int) -> None:
    for case, random in cases("capture", oracles):
        M = random.choice([1, 2, 3, 30, 200])
        theta, force = some_theta(random, M), random.choice(["accept", "reject"])
        corrupted, K, share = random.randint(0, M), random.randint(1, M), some_share(random)
        needed = oracle.needed_members(K, Fraction(theta), force)
        census_capture = panels.census_capture(M, corrupted, force=force, theta=theta)  # type: ignore[arg-type]
        wanted = sums.hypergeometric_at_least(needed, M, corrupted, K)
        assert near(float(census_capture[K - 1]), wanted, 1e-13), (case, M, corrupted, K, theta, force)
        drawn = panels.superpopulation_capture(share, M, force=force, theta=theta)  # type: ignore[arg-type]
        wanted = sums.binomial_at_least(needed, K, Fraction(share))
        assert near(float(drawn[K - 1]), wanted), (case, share, K, theta, force)


def test_bridge(oracles: int) -> None:
    for case, random in cases("bridge", oracles):
        M = random.choice([2, 3, 10, 1500, 10**9])
        K, C = random.randint(1, M), random.choice([0, M, random.randint(0, M)])
        with mp.workdps(40):
            factor = mp.sqrt(digits(Fraction(M - K, M - 1)))
        assert near(panels.finite_population_factor(M, K), factor, 1e-15), (case, M, K)
        assert near(panels.total_variation_bound(M, C, K), oracle.total_variation_bound(M, C, K), 1e-15), (
            case,
            M,
            C,
            K,
        )
