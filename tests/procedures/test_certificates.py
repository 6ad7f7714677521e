"""Panel certificates: values of METHODS §3, the definition as oracle, designs, guarantee, corruption."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from twins import certificates as twin
from typeone import panels
from typeone.levels import Level
from typeone.panels import Options
from typeone.panels.certificate import Attack, passing_counts
from typeone.panels.contamination import contamination
from typeone.panels.options import Terms, decimal
from typeone.panels.thresholds import most_allowed, most_unfavorable_share

CATALOGUE = [38, 39, 40, 0, 1, 2] * 7 + [38, 2] + [37, 36, 34, 25, 23, 19]


FAMILYWISE = Options(method="familywise", generator="catalogue")


def table_of(passing_rule):
    return {int(C) for C in np.flatnonzero(passing_rule)}


def test_counts_that_pass_with_forty_evaluators():
    familywise = panels.certify(CATALOGUE, 40, FAMILYWISE).passing.table()
    assert table_of(familywise[:, -1]) == {0, 1, 2, 3, 37, 38, 39, 40}
    assert table_of(familywise[:, 2]) == set()  # K = 7: never
    mass = panels.certify([40], 40, Options(xi_e="0.05")).passing.table()
    assert table_of(mass[:, 5]) == {0, 1, 2, 38, 39, 40}  # K = 23, γ = .025 · .05


def test_catalogue_of_fifty_units():
    found = panels.certify(CATALOGUE, 40, FAMILYWISE)
    assert (found.passes[-1], found.share[-1]) == (45, Fraction(9, 10))
    assert found.bound[-1] == 0.9
    assert found.chosen == 47  # .900 is at least 1 − β = .900
    stable = panels.contamination(CATALOGUE, 40, FAMILYWISE, flips=(0, 2, 4))
    assert [int(stable.of("census flips", b)[2]) for b in ("0", "2", "4")] == [47, 46, 44]


@pytest.mark.parametrize(
    ("generator", "beta", "xi", "units"),
    [
        ("hoeffding", ".10", ".025", 513),
        ("hoeffding", ".05", ".01", 1803),
        ("exact", ".10", ".025", 74),
        ("exact", ".05", ".01", 142),
    ],
)
def test_units_needed_when_all_pass(generator, beta, xi, units):
    options = Options(generator=generator, beta=beta, xi_e=xi)
    assert panels.units_needed(options) == units
    terms = Terms.of(options)
    assert units == twin.least_units(terms.target, terms.bound_level, generator == "hoeffding")
    for A, certified in ((units, True), (units - 1, False)):
        found = panels.certify(np.full(A, 1000), 1000, options)
        assert bool(found.certified[-1]) is certified


def test_defaults_are_the_documented_ones():
    terms = Terms.of(Options())
    assert terms.grid.tolist() == [3, 5, 7, 11, 15, 23, 31, 47]
    assert (terms.beta, terms.eta_e, terms.eta_g, terms.xi_e) == tuple(
        Fraction(x) for x in ("1/10", "1/40", "1/40", "1/40")
    )
    assert terms.interval_level(50) == Fraction(1, 1600)
    assert terms.risk == Fraction(1, 20)
    assert not terms.familywise


@pytest.mark.parametrize("theta", ["1/2", "2/3", "0.3"])
@pytest.mark.parametrize(("E", "gamma"), [(9, "0.2"), (17, "0.0625"), (30, "0.001")])
def test_passing_counts_equal_the_definition(theta, E, gamma):
    options = Options(
        delta="0.1", theta=theta, grid=[1, 2, 3, 4, 7, 12, 25], method="familywise", eta_e=gamma, eta_g="0.025"
    )
    found = passing_counts(E, 1, Terms.of(options)).table()
    for i, size in enumerate(options.grid):
        expected = {
            k for k in range(E + 1) if twin.passes(k, E, Fraction(gamma), size, Fraction(theta), Fraction(1, 10))
        }
        assert table_of(found[:, i]) == expected, size


@pytest.mark.parametrize(
    ("attack", "plain"),
    [
        (Attack(fixed_share=Fraction(1, 10)), {"fixed": Fraction(1, 10)}),
        (Attack(targeted_share=Fraction(1, 20)), {"targeted": Fraction(1, 20)}),
        (Attack(panel_flips=2), {"flips": 2}),
        (Attack(fixed_share=Fraction(1)), {"fixed": Fraction(1)}),
        (Attack(panel_flips=40), {"flips": 40}),
    ],
)
@pytest.mark.parametrize("theta", ["1/2", "2/5"])
def test_passing_counts_under_attack_equal_the_definition(attack, plain, theta):
    options = Options(delta="0.05", theta=theta, grid=[3, 8, 15, 30], method="familywise", eta_e="0.05")
    found = passing_counts(24, 1, Terms.of(options), attack).table()
    for i, size in enumerate(options.grid):
        expected = {
            k for k in range(25) if twin.passes(k, 24, Fraction(1, 20), size, Fraction(theta), Fraction(1, 20), plain)
        }
        assert table_of(found[:, i]) == expected, size


def test_exact_ties_are_settled_in_fractions():
    # 1/2**5 = γ/2: after five of five the lower end is 1/2 = θ exactly, which lies on θ's accepting side; after none
    # the upper end is 1/2 as well, which does not lie below θ.
    tied = Options(method="familywise", eta_e="0.0625", delta="0.6", grid=[1])
    found = passing_counts(5, 1, Terms.of(tied))
    assert (found.accept.tolist(), found.reject.tolist()) == ([5], [-1])
    # K = 1 errs with 1 − p ≤ δ: a lower end of exactly 9/10 is enough.  E = 1, γ/2 = 9/10 is no level below 1, so
    # E = 20: γ/2 = .9**20.
    gamma = 2 * Fraction(9, 10) ** 20
    rule = passing_counts(20, 1, Terms.of(Options(method="familywise", eta_e=gamma, delta="0.1", grid=[1])))
    assert rule.accept.tolist() == [20]
    assert most_unfavorable_share(2, 2, Level("0.01")) == Fraction(1, 10)


@settings(derandomize=True, deadline=None, max_examples=150)
@given(
    st.integers(1, 60),
    st.fractions(0, 1, max_denominator=40),
    st.fractions("1/1000", "999/1000", max_denominator=1000),
    st.booleans(),
)
def test_most_allowed_equals_its_definition(n, chance, level, strict):
    k = most_allowed(n, chance, level, strict=strict)
    tails = [twin.lower_tail(j, n, chance) for j in range(n + 1)]
    kept = [j for j, tail in enumerate(tails) if (tail < level if strict else tail <= level)]
    assert k == max(kept, default=-1)
    # A level that is attained exactly.
    if 0 < tails[n // 2] < 1:
        attained = most_allowed(n, chance, tails[n // 2], strict=strict)
        assert attained == (n // 2 - 1 if strict else n // 2)


def test_bounds_and_verdicts_agree_with_the_tail():
    options = Options(beta="0.4")
    terms = Terms.of(options)
    for passes in (0, 3, 60, 74, 85, 86, 87, 119, 120):
        bound = terms.bound(Fraction(passes, 120), 120)
        assert bound == pytest.approx(max(0.0, twin_bound(passes, 120, terms)), abs=1e-12)
        assert terms.certifies(Fraction(passes, 120), 120) == (bound >= 0.6)
    hoeffding = Terms.of(Options(beta="0.4", generator="hoeffding"))
    assert hoeffding.bound(Fraction(1), 120) == pytest.approx(1 - np.sqrt(np.log(320) / 240) - 0.025, rel=1e-14)
    assert hoeffding.bound(Fraction(0), 120) == 0.0


def twin_bound(passes, units, terms):
    lower, _ = twin.interval(passes, units, 2 * terms.bound_level)
    return float(lower - terms.xi_e)


def test_weights_of_a_catalogue():
    options = Options(method="familywise", generator="catalogue", grid=[47], beta="0.2")
    found = panels.certify([40, 20, 0], 40, options, weights=["0.5", 0.1, 0.2])
    assert found.share == (Fraction(7, 8),)
    assert found.chosen == 47
    same = panels.certify([40, 20, 0], 40, options, weights=[Fraction(1, 3)] * 3)
    assert same.share == panels.certify([40, 20, 0], 40, options).share == (Fraction(2, 3),)
    mass = Options(generator="catalogue", grid=[47], xi_e="0.05", beta="0.1")
    assert panels.certify([40, 20, 0], 40, mass, weights=[19, 1, 0]).bound.tolist() == [0.9]
    assert panels.certify([40, 20, 0], 40, mass, weights=[19, 1, 0]).chosen == 47  # .95 − .05 = .90 counts


def test_units_needed_is_the_least_with_the_power():
    options = Options(beta="0.2")
    A = panels.units_needed(options, passing="0.95", power="0.9")

    def power(units):
        terms = Terms.of(options)
        enough = [m for m in range(units + 1) if terms.certifies(Fraction(m, units), units)]
        return binom.sf(min(enough, default=units + 1) - 1, units, 0.95)

    assert power(A) >= 0.9
    assert all(power(units) < 0.9 for units in range(A - 25, A))


@pytest.mark.parametrize("p", [1, 0, "0.95", "0.1"])
def test_evaluators_needed_is_the_least_with_the_power(p):
    options = Options(grid=[7, 23, 47])
    needed = panels.evaluators_needed(options, p=p, power="0.9")
    for i, E in enumerate(needed.tolist()):

        def power(evaluators, i=i):
            passes = panels.certify([0], evaluators, options).passing.table()[:, i]
            return binom.pmf(np.arange(evaluators + 1), evaluators, float(Fraction(p))) @ passes

        assert power(E) >= 0.9
        assert power(E - 1) < 0.9


def test_evaluators_needed_says_none_where_there_is_none():
    options = Options(grid=[7, 47], method="familywise")
    assert panels.evaluators_needed(options, units=50, p="0.8").tolist()[0] == 0
    assert panels.evaluators_needed(options, units=50, p="1/2").tolist() == [0, 0]
    # METHODS: E = 40 is enough at K = 47 and not at K = 7.
    first, last = panels.evaluators_needed(options, units=50).tolist()
    assert last <= 40 < first
    with pytest.raises(ValueError, match="units: the familywise"):
        panels.evaluators_needed(options)


@pytest.mark.parametrize("generator", ["exact", "hoeffding", "catalogue"])
def test_certification_probability_equals_enumeration(generator):
    """Two kinds of units, four units, eight evaluators: every outcome counted."""
    options = Options(
        delta="0.3", beta="0.6", grid=[1, 3, 5], generator=generator, eta_e="0.45", eta_g="0.5", xi_e="0.1"
    )
    found = panels.certification([0.9, 0.4], 8, 4, options, weights=[3, 1])
    law = 0.75 * binom.pmf(np.arange(9), 8, 0.9) + 0.25 * binom.pmf(np.arange(9), 8, 0.4)
    table = panels.certify([0] * 4, 8, options).passing.table()
    terms = Terms.of(options)
    verdicts = np.array([terms.certifies(Fraction(m, 4), 4) for m in range(5)])
    certified, some = np.zeros(3), 0.0
    for outcome in np.ndindex(9, 9, 9, 9):
        chance = law[list(outcome)].prod()
        verdict = verdicts[table[list(outcome)].sum(axis=0)]
        certified += chance * verdict
        some += chance * verdict.any()
    assert found.certified == pytest.approx(certified, rel=1e-12)
    assert found.any_size == pytest.approx(some, rel=1e-12)
    assert found.passing == pytest.approx(law @ table, rel=1e-13)
    if generator != "hoeffding":
        assert 0 < found.any_size < 1


def test_certification_of_any_size_is_not_claimed_where_sizes_are_not_nested():
    options = Options(delta="0.1", grid=[3, 4, 5], eta_e="0.4", xi_e="0.09")
    found = panels.certification([0.95, 0.05], 40, 30, options)
    rule = panels.certify([0], 40, options).passing
    assert not (np.diff(rule.accept) <= 0).all()
    assert found.any_size is None
    assert np.isfinite(found.certified).all()


@pytest.mark.parametrize("method", ["mass-controlled", "familywise"])
def test_intervals_fail_no_more_often_than_their_level_says(method):
    """Exact: P(a unit passes although a panel errs more than δ at its p), at the p where that is likeliest."""
    options = Options(method=method, grid=[7, 23], eta_e="0.3", eta_g="0.3", xi_e="0.05")
    terms = Terms.of(options)
    rule = passing_counts(60, 10, terms)
    for i, size in enumerate(options.grid):
        p = 1 - float(most_unfavorable_share(size, size // 2 + 1, Level("0.01")))
        wrong = binom.pmf(np.arange(61), 60, p - 1e-9) @ rule.table()[:, i]
        assert 0 < wrong <= float(terms.interval_level(10))
        assert panels.superpopulation_errors(p - 1e-9, size)[-1] > 0.01


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: panels.certify([41], 40), r"positives\[0\]=41"),
        (lambda: panels.certify([[1]], 40), "one count for each unit"),
        (lambda: panels.certify([1.5], 40), r"positives\[0\]=1.5: is not a whole number"),
        (lambda: panels.certify([1], 40, FAMILYWISE, weights=["-1"]), r"weights\[0\]=-1"),
        (lambda: panels.certify([1], 40, FAMILYWISE, weights=[0]), "all are zero"),
        (lambda: panels.certify([1], 40, FAMILYWISE, weights=[1, 2]), "1 units need as many weights"),
        (lambda: panels.units_needed(passing="0.9"), "must exceed 0.925"),
        (lambda: panels.units_needed(FAMILYWISE), "a catalogue needs no sample"),
        (lambda: panels.units_needed(passing="0.92501"), "more than 200000 units"),
        (lambda: panels.certification([0.5], 3, 3, weights=[-1.0]), "weights"),
        (lambda: panels.certification([1.5], 3, 3), "outside"),
        (lambda: panels.contamination([1], 40, flips=[41]), r"flips\[0\]=41"),
        (lambda: panels.contamination([1], 40).of("census flips", "99"), "not in this profile"),
        (lambda: panels.apply({"evaluator": [1, 2], "u": ["x", "y"]}, malformed="zero"), "holds no vote at all"),
        (lambda: panels.apply({"evaluator": [1, 2]}), "one column for each unit"),
    ],
)
def test_bad_calls_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_contamination_profile_only_takes_away_and_starts_from_the_certificate():
    positives = np.random.default_rng(3).binomial(80, 0.93, size=120)
    options = Options(beta="0.3")
    profile = panels.contamination(positives, 80, options, flips=(0, 1, 3), budgets=("0", "0.02", "0.2"))
    plain = panels.certify(positives, 80, options).bound
    assert (profile.of("panel flips", "0") == plain).all()
    for attack in ("fixed share", "targeted share"):
        assert (profile.of(attack, "0") == plain).all()
        assert (np.diff([profile.of(attack, f) for f in ("0", "0.02", "0.2")], axis=0) <= 0).all()
    # At an accepting unit a targeted share does at least the damage of a fixed one.
    assert (profile.of("targeted share", "0.02") <= profile.of("fixed share", "0.02")).all()
    assert profile.of("forced accept", "0.2") == pytest.approx(
        binom.sf((np.array(options.grid) + 1) // 2 - 1, options.grid, 0.2), rel=1e-12
    )
    long = profile.to_arrow()
    assert long.num_rows == len(options.grid) * (2 * 3 + 4 * 3)
    assert set(long["attack"].to_pylist()) == {
        "census flips", "panel flips", "fixed share", "targeted share", "forced accept", "forced reject",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("value", "text"), [("0.05", "0.05"), ("1/20", "0.05"), ("1/3", "1/3"), ("0.950", "0.95"), ("2", "2")]
)
def test_decimal(value, text):
    assert decimal(Fraction(value)) == text


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: panels.certify([3, 4], 5, options=panels.Options(grid=5)), "grid=5: a list of panel sizes is needed"),
        (lambda: panels.certify([3, 4], 5, options=panels.Options(grid="3")), "grid='3': a list of panel sizes"),
        (lambda: contamination([3, 4], 5, flips=[9]), r"flips\[0\]=9: must lie between 0 and 5"),
        (lambda: contamination([3, 4], 5, flips=None), "flips"),
        (lambda: contamination([3, 4], 5, budgets=".1"), "budgets='.1': a list of shares is needed"),
    ],
)
def test_what_is_no_list_is_refused_by_name(call: Any, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        call()
