"""Bounds against slow twins and published values; their false-alarm rates, exact where a recursion gives them."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from twins.intervals import betting_wealth, clopper_pearson_lower, mixture_lower
from typeone.engine import intervals
from typeone.engine.intervals import Bounds, rate_fixed, rate_sequence
from typeone.engine.sums import Moments
from typeone.engine.verdicts import Tally, judge, needed

QUICK = settings(derandomize=True, deadline=None, max_examples=60)


def moments_of(values: np.ndarray) -> Moments:
    moments = Moments()
    moments.add(np.asarray(values, dtype=np.float64))
    return moments


# Exact sums


@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=True), max_size=40),
    st.randoms(use_true_random=False),
)
@QUICK
def test_sums_are_exact_whatever_the_order_and_the_cuts(values: list[float], random) -> None:
    shuffled = list(values)
    random.shuffle(shuffled)
    cut = random.randint(0, len(values))
    moments = Moments()
    moments.add(np.array(shuffled[:cut], dtype=np.float64))
    moments.add(np.array(shuffled[cut:], dtype=np.float64))
    assert moments.count == len(values)
    assert moments.total == sum(map(Fraction, values))
    assert moments.squares == sum(Fraction(value) ** 2 for value in values)


def test_sums_are_exact_across_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.Generator(np.random.Philox(3)).standard_normal(1000) * 1e8
    monkeypatch.setattr("typeone.engine.sums._BLOCK", 7)
    assert moments_of(values).squares == sum(Fraction(value) ** 2 for value in values)


def test_a_full_block_of_the_largest_mantissas_is_exact() -> None:
    value = float(2**53 - 1)
    moments = moments_of(np.full((1 << 20) + 3, value))
    assert moments.total == ((1 << 20) + 3) * Fraction(value)
    assert moments.squares == ((1 << 20) + 3) * Fraction(value) ** 2


def test_mean_and_sd_do_not_cancel() -> None:
    moments = moments_of(1e9 + np.array([0.0, 1.0, 2.0]))
    assert (moments.mean, moments.sd) == (1e9 + 1, 1.0)
    assert math.isnan(Moments().mean)
    assert math.isnan(moments_of(np.ones(1)).sd)


# Rates


@pytest.mark.parametrize(
    ("k", "n", "alpha", "bounds"),
    [
        (0, 18, 0.005, (0.0, 0.25498502848277505)),
        (18, 18, 0.005, (0.74501497151722495, 1.0)),
        (10, 100_000, 0.5e-11, (None, 5.0306090075725872e-4)),
        (1, 10**6, 1e-6, (1.00000049999983e-12, None)),
        (1, 1000, 1e-10, (1.00000000005e-13, None)),
        (0, 0, 0.025, (0.0, 1.0)),
    ],
)
def test_exact_bounds_have_the_published_values(
    k: int, n: int, alpha: float, bounds: tuple[float | None, float | None]
) -> None:
    for got, right in zip(rate_fixed(k, n, alpha), bounds, strict=True):
        assert right is None or got == pytest.approx(right, rel=1e-11, abs=0)


@given(st.integers(1, 60), st.data(), st.sampled_from([0.05, 0.025, 1e-4]))
@settings(QUICK, max_examples=25)
def test_exact_bounds_are_those_of_the_twin(n: int, data: st.DataObject, alpha: float) -> None:
    k = data.draw(st.integers(0, n))
    lower, upper = rate_fixed(k, n, alpha)
    assert lower == pytest.approx(float(clopper_pearson_lower(k, n, alpha)), rel=1e-9)
    assert 1 - upper == pytest.approx(float(clopper_pearson_lower(n - k, n, alpha)), rel=1e-7, abs=1e-12)


@pytest.mark.parametrize(
    ("k", "n", "alpha"), [(1, 1, 0.05), (0, 5, 0.05), (3, 10, 0.05), (20, 50, 0.001), (2, 400, 0.001)]
)
def test_sequence_bounds_are_those_of_the_twin(k: int, n: int, alpha: float) -> None:
    lower, upper = rate_sequence(k, n, alpha)
    assert lower == pytest.approx(float(mixture_lower(k, n, alpha)), rel=1e-8)
    assert 1 - upper == pytest.approx(float(mixture_lower(n - k, n, alpha)), rel=1e-8, abs=1e-12)


@given(st.integers(0, 5000), st.data(), st.sampled_from([0.05, 1e-6]))
@QUICK
def test_sequence_bounds_contain_the_exact_ones(n: int, data: st.DataObject, alpha: float) -> None:
    k = data.draw(st.integers(0, n))
    wide, tight = rate_sequence(k, n, alpha), rate_fixed(k, n, alpha)
    assert 0 <= wide.lower <= tight.lower <= (k / n if n else 0)
    assert (k / n if n else 1) <= tight.upper <= wide.upper <= 1


def false_alarm(p: float, looks: list[int], bounds: Callable[[int, int, float], Bounds]) -> float:
    """P(the lower bound at .05 exceeds p at some look), exactly: the law of the count among paths not yet alarmed."""
    law, n, alarm, least = np.ones(1), 0, 0.0, 0
    for look in looks:
        law = np.convolve(law, stats.binom.pmf(np.arange(look - n + 1), look - n, p))
        n = look  # the least count that alarms never falls
        least = next((k for k in range(least, n + 1) if bounds(k, n, 0.05).lower > p), n + 1)
        alarm += law[least:].sum()
        law = law[:least]
    return alarm


TEN = [200 * i for i in range(1, 11)]


@pytest.mark.parametrize("p", [0.05, 0.1, 0.5])
def test_false_alarms_of_both_kinds_of_bounds(p: float) -> None:
    assert 0.02 < false_alarm(p, [2000], rate_fixed) <= 0.05
    assert 0.11 < false_alarm(p, TEN, rate_fixed) < 0.2  # what looking ten times costs
    assert false_alarm(p, TEN, rate_sequence) <= 0.05


def test_a_sequence_may_be_looked_at_after_every_repetition() -> None:
    assert 0.001 < false_alarm(0.1, list(range(1, 601)), rate_sequence) <= 0.05


# Fractions


@given(st.floats(0, 0.999), st.floats(-1, 50))
@settings(derandomize=True, deadline=None, max_examples=300)
def test_fans_inequality(size: float, u: float) -> None:
    assert math.exp(min(size * u + (size + math.log1p(-size)) * u * u, 700)) <= (1 + size * u) * (1 + 1e-12) + 1e-12


@pytest.mark.parametrize("function", [intervals.bounded_fixed, intervals.bounded_sequence])
def test_a_bounded_mean_beats_the_bound_only_with_the_wealth_to_show_it(function) -> None:
    random = np.random.Generator(np.random.Philox(11))
    for n in (5, 60):
        values = np.round(random.random(n) ** 3, 3)
        moments = moments_of(values)
        lower, upper = function(moments, 0.05)
        assert 0 <= lower < moments.mean < upper <= 1
        bets = intervals._bets_for(n, 0.05) if function is intervals.bounded_fixed else intervals._BETS
        exact = [Fraction(value) for value in values]
        weights = list(np.exp(bets.log_weights))
        assert sum(weights) == pytest.approx(1)
        if lower:
            assert betting_wealth(exact, mp.mpf(lower), list(bets.sizes), weights) >= 20 * (1 - 1e-9)
        mirrored = [1 - value for value in exact]
        if upper < 1:
            assert betting_wealth(mirrored, 1 - mp.mpf(upper), list(bets.sizes), weights) >= 20 * (1 - 1e-9)


LAWS: dict[str, tuple[Callable[[np.random.Generator, int], np.ndarray], float]] = {
    "coin": (lambda random, n: (random.random(n) < 0.05).astype(float), 0.05),
    "uniform": (lambda random, n: random.random(n), 0.5),
    "skewed": (lambda random, n: random.beta(0.3, 5.7, n), 0.05),
}


@pytest.mark.parametrize("law", LAWS)
def test_false_alarms_for_fractions(law: str) -> None:
    """500 runs, seed 5, error .05 a side: more than 39 alarms have probability below .004 at the nominal rate."""
    draw, mean = LAWS[law]
    random = np.random.Generator(np.random.Philox(5))
    alarms = np.zeros(4, dtype=int)
    for _ in range(500):
        values = draw(random, 800)
        fixed = intervals.bounded_fixed(moments_of(values), 0.05)
        looks = [intervals.bounded_sequence(moments_of(values[:n]), 0.05) for n in (50, 200, 800)]
        alarms += [
            fixed.lower > mean,
            fixed.upper < mean,
            any(look.lower > mean for look in looks),
            any(look.upper < mean for look in looks),
        ]
    assert (alarms <= 39).all()


def test_fractions_have_intervals_near_those_of_a_known_variance() -> None:
    """log(1/alpha) in place of a normal quantile costs 1.39 at .025; not knowing the SD costs the rest."""
    random = np.random.Generator(np.random.Philox(6))
    for draw, mean in LAWS.values():
        moments = moments_of(draw(random, 100_000))
        lower, upper = intervals.bounded_fixed(moments, 0.025)
        assert lower < mean < upper
        assert (upper - lower) / 2 < 1.8 * 1.96 * intervals.standard_error(moments)
        wide = intervals.bounded_sequence(moments, 0.025)
        assert wide.lower < lower
        assert upper < wide.upper < upper + (upper - lower)


@pytest.mark.parametrize("function", [intervals.bounded_fixed, intervals.bounded_sequence])
def test_bounds_of_constant_fractions(function) -> None:
    lower, upper = function(moments_of(np.zeros(1000)), 0.025)
    assert lower == 0
    assert 0.003 < upper < 0.01  # log(40) / 1000 is what no method can beat
    lower, upper = function(moments_of(np.ones(1000)), 0.025)
    assert 0.99 < lower < 0.997
    assert upper == 1
    assert function(Moments(), 0.025) == (0, 1)


# Means


def test_a_mean_has_students_interval() -> None:
    values = np.array([3.0, 5.0, 4.0, 8.0])
    lower, upper = intervals.mean_fixed(moments_of(values), 0.025)
    right = stats.t.interval(0.95, 3, values.mean(), values.std(ddof=1) / 2)
    assert (lower, upper) == pytest.approx(right, rel=1e-12)
    assert all(map(math.isnan, intervals.mean_fixed(moments_of(values[:1]), 0.025)))
    assert all(map(math.isnan, intervals.mean_sequence(moments_of(values[:1]), 0.025)))


def test_false_alarms_for_means_at_twenty_looks() -> None:
    """400 runs, seed 7, error .05: more than 32 alarms have probability below .004 at the nominal rate."""
    random = np.random.Generator(np.random.Philox(7))
    looks = range(200, 4001, 200)
    fixed = sequence = 0
    for _ in range(400):
        values = random.standard_normal(4000)
        sums = [moments_of(values[:n]) for n in looks]
        sequence += any(intervals.mean_sequence(m, 0.05).lower > 0 for m in sums)
        fixed += any(intervals.mean_fixed(m, 0.05).lower > 0 for m in sums)
    assert sequence <= 32
    assert fixed > 50


# Verdicts


BELOW, ABOVE = math.nextafter(0.05, 0), 0.05
"""The double 0.05 lies above 1/20: only an exact comparison can tell."""


@pytest.mark.parametrize(
    ("lower", "upper", "margin", "verdict"),
    [
        (0.01, BELOW, "0", "holds"),
        (0.01, ABOVE, "0", "undecided"),
        (BELOW, 0.06, "0", "undecided"),
        (ABOVE, 0.06, "0", "violated"),
        (0.01, 0.0549, "0.005", "holds"),
        (0.01, 0.0551, "0.005", "undecided"),
        (0.051, 0.0549, "0.005", "within margin"),
        (0.051, 0.0551, "0.005", "violated"),
        (math.nan, math.nan, "0", "undecided"),
    ],
)
def test_verdicts(lower: float, upper: float, margin: str, verdict: str) -> None:
    assert judge(Bounds(lower, upper), Fraction("0.05"), Fraction(margin)) == verdict


@pytest.mark.parametrize("sequence", [False, True])
@pytest.mark.parametrize("rate", [0.03, 0.08])
def test_the_repetitions_needed_decide_and_fewer_do_not(rate: float, sequence: bool) -> None:
    level, margin = Fraction("0.05"), Fraction(0)
    values = np.zeros(100)
    values[: round(100 * rate)] = 1
    moments = moments_of(values)
    count = needed("rate", moments, level, margin, 0.05, sequence=sequence)
    assert count is not None

    def verdict(n: int) -> str:
        ones = round(n * rate)
        sums = Tally("rate", Moments(n, Fraction(ones), Fraction(ones)))
        return sums.verdict(level, margin, 0.05, failed=0, sequence=sequence)

    assert verdict(count) != "undecided"
    assert verdict(int(count * 0.7)) == "undecided"


def test_no_number_of_repetitions_decides_at_the_level_itself_without_a_margin() -> None:
    moments = moments_of(np.array([1.0] + [0.0] * 19))
    assert needed("rate", moments, Fraction("0.05"), Fraction(0), 0.05, sequence=False) is None
    assert needed("rate", moments, Fraction("0.05"), Fraction("0.005"), 0.05, sequence=False) == pytest.approx(
        5300, rel=0.1
    )


def test_values_of_the_wrong_kind_are_errors() -> None:
    with pytest.raises(ValueError, match="neither 0 nor 1"):
        Tally("rate").add(np.array([0.5]))
    with pytest.raises(ValueError, match=r"outside \[0, 1\]"):
        Tally("fraction").add(np.array([-0.1]))
