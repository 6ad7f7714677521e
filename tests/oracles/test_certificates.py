"""Certificates, their design and their contamination profile (typeone.panels) against the oracle, input by input."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from mpmath import mpf

from oracles import panels as oracle
from oracles import tails as sums
from oracles.inputs import cases, digits, near
from typeone import panels


def some_options(random: Random, generators: tuple[str, ...]) -> dict[str, Any]:
    odd = random.random() < 0.5
    top = random.choice([1, 3, 11, 25])
    beta = random.choice(["0.1", "0.4", "0.8", "0.999999999", "1e-12", "1/3"])
    xi = [x for x in ("0.025", "0.3", "1e-15", "1/2", "0.9") if Fraction(x) < Fraction(beta)]
    sizes = {random.randint(1, top) for _ in range(random.randint(1, 4))}
    return {
        "delta": random.choice(["0.01", "0.05", "0.2", "0.4", "1e-12", "0.999999999", "1/3"]),
        "theta": random.choice(["1/2", "1/2", "1/2", "2/3", "0.1", "0.9"]),
        "beta": beta,
        "grid": tuple(sorted({k | 1 for k in sizes} if odd else sizes)),
        "method": random.choice(["mass-controlled", "familywise"]),
        "generator": random.choice(generators),
        # The budgets share one: their sum is below 1.
        "eta_e": random.choice(["0.025", "0.4", "1e-12", f"1/{2 ** random.randint(2, 12)}"]),
        "eta_g": random.choice(["0.025", "0.4", "1e-12", f"1/{2 ** random.randint(2, 12)}"]),
        "xi_e": random.choice(xi),
    }


def terms(o: dict[str, Any], units: int) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """gamma, eta_G / |grid|, xi_E as subtracted, and the target 1 - beta + xi_E."""
    xi = Fraction(o["xi_e"]) if o["method"] == "mass-controlled" else Fraction(0)
    gamma = oracle.interval_level(o["method"], Fraction(o["eta_e"]), Fraction(o["xi_e"]), units)
    return gamma, Fraction(o["eta_g"]) / len(o["grid"]), xi, 1 - Fraction(o["beta"]) + xi


def passing_table(
    o: dict[str, Any], E: int, gamma: Fraction, counts: set[int], attack: tuple[Fraction, Fraction, int] | None = None
) -> dict[tuple[int, int], bool]:
    theta, delta = Fraction(o["theta"]), Fraction(o["delta"])
    none = (Fraction(0), Fraction(0), 0)
    return {(c, K): oracle.passes(c, E, K, theta, delta, gamma, attack or none) for c in counts for K in o["grid"]}


def test_certify(oracles: int) -> None:
    for case, random in cases("certify", oracles):
        o = some_options(random, ("exact", "hoeffding", "catalogue"))
        E, A = random.choice([1, 2, 3, 12, 30]), random.choice([1, 2, 3, 10, 60])
        extremes = random.random() < 0.6
        votes = [random.choice([0, E]) if extremes else random.randint(0, E) for _ in range(A)]
        weights = None
        if o["generator"] == "catalogue" and random.random() < 0.6:
            weights = [Fraction(random.randint(0, 5), random.randint(1, 9)) for _ in range(A)]
            weights[0] += 1
        got = panels.certify(votes, E, panels.Options(**o), weights=weights)
        gamma, level, xi, target = terms(o, A)
        table = passing_table(o, E, gamma, set(range(E + 1)) if E <= 3 else set(votes))
        where = (case, o, E, votes, weights)
        certified = []
        for i, K in enumerate(o["grid"]):
            passed = [table[c, K] for c in votes]
            full = [bool(x) for x in got.passing.table()[:, i]]
            assert all(full[c] == ok for (c, k), ok in table.items() if k == K), (where, K)
            mass = weights or [Fraction(1)] * A
            share = sum((w for w, ok in zip(mass, passed, strict=True) if ok), Fraction(0)) / sum(mass)
            assert got.share[i] == share, (where, K)
            assert got.passes[i] == sum(passed), (where, K)
            wanted = oracle.bound(share, A, o["generator"], level, xi)
            assert near_below(float(got.bound[i]), wanted, xi), (where, K)
            certified.append(oracle.certifies(share, A, o["generator"], level, target))
        assert got.certified.tolist() == certified, where
        assert got.chosen == next((K for K, yes in zip(o["grid"], certified, strict=True) if yes), None), where


def test_units_needed(oracles: int) -> None:
    for case, random in cases("units needed", oracles):
        o = some_options(random, ("exact", "hoeffding"))
        passing = random.choice(["1", "1", "0.9", "0.99", "0.5"])
        power = random.choice(["0.8", "0.51", "0.95", "1e-12"])
        _, level, _, target = terms(o, 1)
        if Fraction(passing) <= target:  # see test_units_needed_below_the_target
            passing = "1"
        most = 400 if passing == "1" else 30
        wanted = next((A for A in range(1, most) if _units_suffice(A, o, level, target, passing, power)), None)
        try:
            got = panels.units_needed(panels.Options(**o), passing=passing, power=power)
        except ValueError:
            got = None
        assert (got == wanted) if wanted else (got is None or got >= most), (case, o, passing, power, got, wanted)


def test_units_needed_where_the_power_is_met_exactly() -> None:
    o = {"grid": (1, 3), "beta": "0.8", "eta_g": "1/128", "method": "familywise", "generator": "hoeffding"}
    o |= {"eta_e": "1/4", "xi_e": "1e-15"}
    _, level, _, target = terms(o, 1)
    least = next(A for A in range(1, 60) if _units_suffice(A, o, level, target, "0.5", "0.5"))
    options = panels.Options(**o)  # type: ignore[arg-type]
    assert panels.units_needed(options, passing="0.5", power="0.5") == least


def test_units_needed_below_the_target_are_refused() -> None:
    """Two units would do by luck here: more units only make it unlikely, so no number is given."""
    o = {"grid": (1,), "beta": "0.45", "eta_g": "0.4", "method": "mass-controlled", "generator": "exact"}
    options = panels.Options(**(o | {"eta_e": "0.025", "xi_e": "0.02"}))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"passing=0\.5: must exceed 0\.57"):
        panels.units_needed(options, passing="0.5", power="0.2")


def _units_suffice(A: int, o: dict[str, Any], level: Fraction, target: Fraction, passing: str, power: str) -> bool:
    if passing == "1":
        return oracle.certifies(Fraction(1), A, o["generator"], level, target)
    least = oracle.enough(A, o["generator"], level, target)
    return sums.binomial_at_least(least, A, Fraction(passing)) >= Fraction(power)


def test_evaluators_needed(oracles: int) -> None:
    for case, random in cases("evaluators needed", oracles):
        o = some_options(random, ("exact",))
        o["grid"] = o["grid"][:2]
        p, units = random.choice(["1", "0", "1", "0.9", "0.2", "0.97"]), random.choice([1, 3, 50])
        power = random.choice(["0.8", "0.5", "0.95"])
        gamma, *_ = terms(o, units)
        most = 60 if p in ("0", "1") else 10
        got = panels.evaluators_needed(panels.Options(**o), units=units, p=p, power=power)
        for i, K in enumerate(o["grid"]):
            wanted = next((E for E in range(1, most) if _evaluators_suffice(E, K, o, gamma, p, power)), 0)
            where = (case, o, K, p, units, power, got, wanted)
            assert (got[i] == wanted) if wanted else (got[i] == 0 or got[i] >= most), where


def _evaluators_suffice(E: int, K: int, o: dict[str, Any], gamma: Fraction, p: str, power: str) -> bool:
    theta, delta = Fraction(o["theta"]), Fraction(o["delta"])
    if p in ("0", "1"):
        return oracle.passes(E if p == "1" else 0, E, K, theta, delta, gamma)
    accepted = [oracle.passes(c, E, K, theta, delta, gamma) for c in range(E + 1)]
    return oracle.passing_probability(Fraction(p), E, accepted) >= Fraction(power)


def test_certification(oracles: int) -> None:
    for case, random in cases("certification", oracles):
        o = some_options(random, ("exact", "hoeffding", "catalogue"))
        E, A = random.choice([1, 2, 5, 12, 20]), random.choice([1, 2, 3, 10, 30])
        p = [random.choice([0.0, 1.0, 0.5, random.random()]) for _ in range(random.randint(1, 4))]
        weights = [random.randint(1, 9) for _ in p] if random.random() < 0.5 else None
        got = panels.certification(p, E, A, panels.Options(**o), weights=weights)
        gamma, level, _, target = terms(o, A)
        table = passing_table(o, E, gamma, set(range(E + 1)))
        mass = weights or [1] * len(p)
        least = oracle.enough(A, o["generator"], level, target)
        chances = []
        for i, K in enumerate(o["grid"]):
            accepted = [table[c, K] for c in range(E + 1)]
            parts = [w * oracle.passing_probability(Fraction(x), E, accepted) for x, w in zip(p, mass, strict=True)]
            passing = sum(parts, Fraction(0)) / sum(mass)
            assert near(float(got.passing[i]), passing), (case, o, E, A, p, weights, K)
            chances.append(sums.binomial_at_least(least, A, passing))
            # See test_a_small_chance_of_a_certificate.
            assert near(float(got.certified[i]), chances[-1], 1e-12, A * 2.0**-52), (case, o, E, A, p, weights, K, got)
        nested = all(
            not table[c, small] or table[c, large]
            for c in range(E + 1)
            for small, large in zip(o["grid"], o["grid"][1:], strict=False)
        )
        assert (got.any_size is not None) == nested, (case, o, E, A, p)
        if got.any_size is not None:
            assert got.any_size == got.certified.max(), (case, o, E, A, p)


def test_a_small_chance_of_a_certificate() -> None:
    options = {"delta": "0.001", "grid": (3,), "beta": "0.9", "generator": "catalogue", "eta_e": "0.4", "xi_e": "0.5"}
    got = panels.certification([0.6], 40, 1, panels.Options(**options))  # type: ignore[arg-type]
    assert near(float(got.certified[0]), Fraction(float(got.passing[0])))


def check_attack(
    got: panels.Contamination, row: tuple[str, str], attack: tuple[Fraction, Fraction, int], setting: tuple[Any, ...]
) -> None:
    """The lower bounds of one attack and amount, at each size."""
    o, E, votes = setting
    gamma, level, xi, _ = terms(o, len(votes))
    table = passing_table(o, E, gamma, set(votes), attack)
    for value, K in zip(got.of(*row), o["grid"], strict=True):
        share = Fraction(sum(table[c, K] for c in votes), len(votes))
        wanted = oracle.bound(share, len(votes), o["generator"], level, xi)
        assert near_below(float(value), wanted, xi), (setting, row, K)


def near_below(got: float, wanted: mpf, xi: Fraction) -> bool:
    """Clopper-Pearson is right to 1e-14 and rounded down; xi is subtracted from it, and the difference rounded."""
    lowest = wanted - mpf(10) ** -14 * (wanted + digits(xi)) - mpf(2) ** -51
    return bool(lowest <= digits(got) <= wanted + mpf(math.ulp(float(wanted))))


def test_contamination(oracles: int) -> None:
    for case, random in cases("contamination", oracles):
        o = some_options(random, ("exact", "hoeffding", "catalogue"))
        o["grid"] = o["grid"][:3]
        E, A = random.choice([1, 2, 3, 10, 20]), random.choice([1, 3, 8])
        votes = [random.choice([0, E, random.randint(0, E)]) for _ in range(A)]
        flips = sorted({0, random.randint(0, E), min(1, E)})
        budgets = random.choice([["0", "1"], ["0.01", "0.2"], ["1e-12", "0.5"]])
        got = panels.contamination(votes, E, panels.Options(**o), flips=flips, budgets=budgets)
        theta, delta = Fraction(o["theta"]), Fraction(o["delta"])
        zero, setting = Fraction(0), (o, E, votes)
        where = (case, o, E, votes, flips, budgets)
        for b in flips:
            stable = []
            for C in votes:
                errors = {K: oracle.census_error(E, C, K, theta, census_flips=b) for K in range(1, E + 1)}
                stable.append(oracle.stable_size(errors, delta))
            kept = [sum(1 for s in stable if 0 < s <= K) for K in o["grid"]]
            assert got.of("census flips", str(b)).tolist() == kept, (where, b)
            check_attack(got, ("panel flips", str(b)), (zero, zero, b), setting)
        for f in budgets:
            check_attack(got, ("fixed share", f), (Fraction(f), zero, 0), setting)
            check_attack(got, ("targeted share", f), (zero, Fraction(f), 0), setting)
            for force in ("accept", "reject"):
                for value, K in zip(got.of(f"forced {force}", f), o["grid"], strict=True):
                    needed = oracle.needed_members(K, theta, force)
                    assert near(float(value), sums.binomial_at_least(needed, K, Fraction(f))), (where, force, f, K)


def test_apply(oracles: int) -> None:
    """A long table: counts, census sizes, intervals and certificate of every unit."""
    for case, random in cases("panels apply", oracles):
        o = some_options(random, ("exact",))
        # apply also searches for needed sizes: without extreme levels it is not asked for 200 000 (see below).
        o |= {"beta": "0.99", "xi_e": "0.3", "delta": random.choice(["0.05", "0.2", "0.4"])}
        o |= {"eta_e": "0.3", "eta_g": random.choice(["0.025", "0.4"])}
        E, A = random.choice([1, 2, 3, 9]), random.choice([1, 2, 4])
        rows = [(e, f"u{u}", random.choice([0, 1, 1])) for e in range(E) for u in range(A)]
        random.shuffle(rows)
        data = dict(zip(("evaluator", "unit", "vote"), map(list, zip(*rows, strict=True)), strict=True))
        got = panels.apply(data, options=panels.Options(**o))
        order = list(dict.fromkeys(unit for _, unit, _ in rows))
        counts = [sum(vote for _, unit, vote in rows if unit == name) for name in order]
        gamma, *_ = terms(o, A)
        theta, delta = Fraction(o["theta"]), Fraction(o["delta"])
        where = (case, o, rows)
        assert got.units.to_pylist() == order, where
        assert got.positives.tolist() == counts, where
        assert got.accepted.tolist() == [c >= oracle.quota(E, theta) for c in counts], where
        for i, c in enumerate(counts):
            errors = {K: oracle.census_error(E, c, K, theta) for K in range(1, E + 1)}
            assert got.minimum[i] == oracle.minimum_size(errors, delta), where
            assert got.stable[i] == oracle.stable_size(errors, delta), where
            assert near(float(got.lower[i]), sums.clopper_pearson_lower(c, E, gamma / 2)), where
            assert near(float(got.upper[i]), sums.clopper_pearson_upper(c, E, gamma / 2)), where
            passed = {K: oracle.passes(c, E, K, theta, delta, gamma) for K in o["grid"]}
            steady = [K for K in o["grid"] if all(ok for k, ok in passed.items() if k >= K)]
            assert got.passes_at[i] == (steady[0] if steady else 0), where


def test_apply_where_no_sample_would_do() -> None:
    votes = {"evaluator": [1, 2], "unit": ["u", "u"], "vote": [1, 1]}
    got = panels.apply(votes, options=panels.Options(beta="1e-12", xi_e="1e-15"))
    assert got.certificate.chosen is None
