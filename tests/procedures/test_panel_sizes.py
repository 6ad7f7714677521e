"""Panel errors, sizes and adversaries: values of METHODS §3, exact twins, refusals."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twins import panels as twin
from typeone.panels import (
    census_capture,
    census_errors,
    census_sizes,
    finite_population_factor,
    superpopulation_capture,
    superpopulation_errors,
    superpopulation_sizes,
    total_variation_bound,
)

DELTAS = ["1/100", "1/20", "3/10"]


# --- values of METHODS §3 ----------------------------------------------------------------------------------


def test_stable_sizes_of_forty_evaluators() -> None:
    stable = census_sizes(40, delta=0.01).stable
    assert stable[[25, 23, 19, 34, 33, 20]].tolist() == [26, 34, 39, 6, 8, 40]
    assert np.flatnonzero(stable <= 7).tolist() == [*range(7), *range(34, 41)]


@pytest.mark.parametrize(("flips", "units"), [(0, 47), (2, 46), (4, 44)])
def test_catalogue_of_fifty_units(flips: int, units: int) -> None:
    positive = [38, 39, 40, 0, 1, 2] * 7 + [38, 2] + [37, 36, 34, 25, 23, 19]
    stable = census_sizes(40, positive, delta=".01", census_flips=flips).stable
    assert len(positive) == 50
    assert int(((stable > 0) & (stable <= 7)).sum()) == units


@pytest.mark.parametrize(("K", "factor", "bound"), [(10, 0.997, 0.0060), (50, 0.984, 0.0327), (100, 0.966, 0.0660)])
def test_bridge_values(K: int, factor: float, bound: float) -> None:
    assert round(finite_population_factor(1500, K), 3) == factor
    assert round(total_variation_bound(1500, 750, K), 4) == bound


def test_no_panel_but_the_census_resolves_a_tie() -> None:
    # C = M/2 accepts by a hair.
    assert census_sizes(40, 20, delta="1/100").stable == 40
    assert census_errors(40, 20)[-1] == 0


# --- against exact fractions -------------------------------------------------------------------------------


def exact_census(M: int, C: int, theta: Fraction, census_flips: int, panel_flips: int) -> dict[int, Fraction]:
    return {K: twin.census_error(M, C, K, theta, census_flips, panel_flips) for K in range(1, M + 1)}


@pytest.mark.parametrize("theta", ["1/2", "2/3", "1/3", "3/5", "1/4"])
@pytest.mark.parametrize(("census_flips", "panel_flips"), [(0, 0), (2, 0), (0, 1), (1, 3)])
def test_every_small_census(theta: str, census_flips: int, panel_flips: int) -> None:
    for M in range(3, 25, 3):
        options = {"theta": theta, "census_flips": census_flips, "panel_flips": min(panel_flips, M)}
        errors = census_errors(M, **options)
        found = census_sizes(M, delta=DELTAS, **options)
        for C in range(M + 1):
            exact = exact_census(M, C, Fraction(theta), census_flips, panel_flips)
            np.testing.assert_allclose(errors[C], [float(e) for e in exact.values()], rtol=1e-13, atol=0)
            for i, delta in enumerate(DELTAS):
                assert (found.minimum[C, i], found.stable[C, i]) == twin.sizes(exact, Fraction(delta))


@settings(max_examples=60, derandomize=True, deadline=None)
@given(st.data())
def test_random_censuses_and_exact_ties(data: st.DataObject) -> None:
    """δ is one of the errors themselves, or differs from it by less than a double can tell."""
    M = data.draw(st.integers(2, 60))
    C = data.draw(st.integers(0, M))
    theta = data.draw(st.fractions(0, 1, max_denominator=30).filter(lambda t: 0 < t < 1))
    flips = data.draw(st.integers(0, 3)), data.draw(st.integers(0, min(M, 3)))
    grid = sorted(data.draw(st.sets(st.integers(1, M), min_size=1)))
    exact = exact_census(M, C, theta, *flips)
    options = {"theta": theta, "census_flips": min(flips[0], M), "panel_flips": flips[1]}
    np.testing.assert_allclose(census_errors(M, C, **options), [float(e) for e in exact.values()], rtol=1e-13, atol=0)
    inside = sorted({e for e in exact.values() if 0 < e < 1})
    if inside:
        tie = data.draw(st.sampled_from(inside))
        for delta in (tie, tie * (1 - Fraction(1, 10**20))):
            assert census_sizes(M, C, delta=delta, **options) == twin.sizes(exact, delta)
            on_grid = twin.sizes({K: exact[K] for K in grid}, delta)
            assert census_sizes(M, C, delta=delta, grid=grid, **options) == on_grid


@settings(max_examples=60, derandomize=True, deadline=None)
@given(st.data())
def test_random_superpopulations(data: st.DataObject) -> None:
    p = data.draw(st.fractions(0, 1, max_denominator=30))
    theta = data.draw(st.fractions(0, 1, max_denominator=12).filter(lambda t: 0 < t < 1))
    horizon = data.draw(st.integers(1, 40))
    share = data.draw(st.fractions(0, 1, max_denominator=10))
    kind = data.draw(st.sampled_from(["fixed_share", "targeted_share"]))
    flips = data.draw(st.integers(0, min(2, horizon)))
    if p >= theta:
        attacked = (1 - share) * p if kind == "fixed_share" else max(p - share, Fraction(0))
    else:
        attacked = (1 - share) * p + share if kind == "fixed_share" else min(p + share, Fraction(1))
    exact = {K: twin.superpopulation_error(p, attacked, K, theta, flips) for K in range(1, horizon + 1)}
    options = {"theta": theta, kind: share, "panel_flips": flips}
    errors = superpopulation_errors(p, horizon, **options)
    np.testing.assert_allclose(errors, [float(e) for e in exact.values()], rtol=1e-13, atol=0)
    tie = data.draw(st.sampled_from(list(exact.values())))
    if 0 < tie < 1:
        for delta in (tie, tie * (1 - Fraction(1, 10**20))):
            found = superpopulation_sizes(p, horizon, delta=delta, **options)
            assert found == twin.sizes(exact, delta)


@pytest.mark.parametrize(("M", "C"), [(39, 21), (40, 26), (60, 25), (41, 41), (7, 4)])
def test_backward_sums_of_methods(M: int, C: int) -> None:
    curve = census_errors(M, C)
    for K, error in twin.odd_majority_errors(M, C).items():
        if K < M:
            assert curve[K - 1] == pytest.approx(float(error), rel=1e-13, abs=0)


# --- larger censuses: properties ---------------------------------------------------------------------------


@pytest.mark.parametrize(("M", "theta"), [(501, "1/2"), (500, "2/3"), (640, "1/4")])
def test_sizes_read_off_the_curves(M: int, theta: str) -> None:
    """The bounds that let sizes stop early change nothing."""
    delta = ["0.2", "0.05", "0.001", "1e-12", "1e-200"]
    for flips in (0, 5):
        errors = census_errors(M, theta=theta, panel_flips=flips)
        found = census_sizes(M, delta=delta, theta=theta, panel_flips=flips)
        for i, text in enumerate(delta):
            kept = errors <= float(text)
            minimum = np.where(kept.any(axis=1), kept.argmax(axis=1) + 1, 0)
            last_broken = M - (~kept)[:, ::-1].argmax(axis=1)
            stable = np.where(kept.all(axis=1), 1, np.where(kept[:, -1], last_broken + 1, 0))
            np.testing.assert_array_equal(found.minimum[:, i], minimum)
            np.testing.assert_array_equal(found.stable[:, i], stable)


def test_majority_is_symmetric_for_odd_panels() -> None:
    errors = census_errors(301)
    np.testing.assert_array_equal(errors[:, ::2], errors[::-1, ::2])


def test_more_votes_for_the_decision_never_hurt() -> None:
    errors = census_errors(300, theta="3/5")
    assert (np.diff(errors[180:], axis=0) <= 0).all()
    assert (np.diff(errors[:180], axis=0) >= 0).all()


def test_long_thresholds_are_exact() -> None:
    """θ one part in 10³⁰ above 1/2 turns even splits into rejections; its products overflow 64 bits."""
    above = Fraction(1, 2) + Fraction(1, 10**30)
    assert census_errors(10, 5, theta=above)[1] == pytest.approx(2 / 9)  # P(X = 2): 25 % of pairs
    assert census_errors(10, 6, theta=above)[1] == pytest.approx(1 - 15 / 45)
    assert census_errors(10, 6)[1] == pytest.approx(6 / 45)


def test_shapes() -> None:
    assert census_errors(5, 3).shape == (5,)
    assert census_errors(5, [[3, 1, 2]]).shape == (1, 3, 5)
    assert census_errors(5).shape == (6, 5)
    assert census_sizes(5, 3, delta=0.1).stable.shape == ()
    assert census_sizes(5, [3, 4], delta=[0.1, 0.2, 0.3]).minimum.shape == (2, 3)
    assert superpopulation_errors(np.array([0.1, 0.7]), 9).shape == (2, 9)
    assert superpopulation_sizes("2/3", 9, delta=[0.1, 0.2]).minimum.shape == (2,)


def test_order_of_tolerances_does_not_matter() -> None:
    one = census_sizes(50, delta=["0.01", "0.2", "0.05"])
    other = census_sizes(50, delta=["0.2", "0.05", "0.01"])
    np.testing.assert_array_equal(one.stable, other.stable[:, [2, 0, 1]])
    np.testing.assert_array_equal(one.minimum, other.minimum[:, [2, 0, 1]])


def test_some_counts_of_a_large_census() -> None:
    """Wider than the work space of a full block; the size before the stable one breaks the tolerance."""
    M, delta = 300_000, Fraction(1, 100)
    counts = [150_001, 151_000, 160_000, 140_000]
    found = census_sizes(M, counts, delta=delta)
    for C, stable in zip(counts, found.stable.tolist(), strict=True):
        favorable = max(C, M - C)
        for K in range(stable - 1, min(stable + 3, M + 1)):
            error = twin.census_lower_tail(M, favorable, K, twin.path_quota(Fraction(1, 2), K, C >= M / 2))
            assert (error <= 0.01) == (stable <= K)


def test_a_share_at_the_threshold_need_not_stabilize() -> None:
    assert superpopulation_sizes("1/2", 500, delta="1/100") == (0, 0)


# --- adversaries and bridge --------------------------------------------------------------------------------


@pytest.mark.parametrize("theta", ["1/2", "2/3", "1/5"])
@pytest.mark.parametrize("force", ["accept", "reject"])
def test_capture(theta: str, force: str) -> None:
    M, exact = 12, Fraction(theta)
    curves = census_capture(M, range(M + 1), force=force, theta=theta)
    shares = [Fraction(0), Fraction(1, 3), Fraction(1)]
    binomial = superpopulation_capture(shares, M, force=force, theta=theta)
    for K in range(1, M + 1):
        needed = twin.path_quota(exact, K, accepting=force == "accept")
        for corrupted in range(M + 1):
            ways = sum(twin.hypergeometric(M, corrupted, K, x) for x in range(needed, K + 1))
            total = sum(twin.hypergeometric(M, corrupted, K, x) for x in range(K + 1))
            assert curves[corrupted, K - 1] == pytest.approx(ways / total, rel=1e-13, abs=0)
        for lane, share in enumerate(shares):
            chance = sum((_binomial(K, x, share) for x in range(needed, K + 1)), Fraction(0))
            assert binomial[lane, K - 1] == pytest.approx(float(chance), rel=1e-13, abs=0)


def _binomial(K: int, x: int, p: Fraction) -> Fraction:
    return comb(K, x) * p**x * (1 - p) ** (K - x)


def test_total_variation_bound_needs_variance() -> None:
    assert total_variation_bound(100, 50, 4) == 3 / 99  # variance exactly 1
    assert total_variation_bound(100, 50, 3) == 1
    assert total_variation_bound(100, 1, 50) == 1


def test_total_variation_bound_holds() -> None:
    for M, C, K in [(60, 30, 20), (60, 12, 15), (60, 45, 59)]:
        p = Fraction(C, M)
        total = sum(twin.hypergeometric(M, C, K, x) for x in range(K + 1))
        distance = sum(abs(Fraction(twin.hypergeometric(M, C, K, x), total) - _binomial(K, x, p)) for x in range(K + 1))
        assert distance / 2 <= total_variation_bound(M, C, K)


# --- refusals ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: census_errors(0), "M=0: must lie between 1 and"),
        (lambda: census_errors(2**26), "M=67108864: must lie between 1 and 67108863"),
        (lambda: census_errors(10.0), "M=10.0: an integer is needed"),
        (lambda: census_errors(True), "M=True: an integer is needed"),
        (lambda: census_errors(3, 4), "C=4: must lie between 0 and 3"),
        (lambda: census_errors(3, [1, -1]), r"C\[1\]=-1: must lie between 0 and 3"),
        (lambda: census_errors(3, [[1, 2], [3, 9]]), r"C\[1, 1\]=9"),
        (lambda: census_errors(3, [2.5]), r"C\[0\]=2.5: is not a whole number"),
        (lambda: census_errors(3, [[1], [1, 2]]), "C: counts are whole numbers, in an array or in lists"),
        (lambda: census_errors(3, []), "C: at least one count"),
        (lambda: census_errors(3, 2, theta=0), "theta=0: a level lies strictly between 0 and 1"),
        (lambda: census_errors(3, 2, theta="nan"), "theta: 'nan' is not a number"),
        (lambda: census_errors(3, 2, census_flips=-1), "census_flips=-1"),
        (lambda: census_errors(3, 2, census_flips=4), "census_flips=4"),
        (lambda: census_errors(3, 2, panel_flips=4), "panel_flips=4"),
        (lambda: census_sizes(3, 2, delta=1), "delta=1: a level lies strictly"),
        (lambda: census_sizes(3, 2, delta=[0.1, 0.1]), r"delta\[1\]=0.1: repeats"),
        (lambda: census_sizes(3, 2, delta="1e-291"), r"delta=1e-291: tolerances below 1e-290"),
        (lambda: census_sizes(3, 2, delta=[0.1, 1e-291]), r"delta\[1\]=1e-291: tolerances below 1e-290"),
        (lambda: census_sizes(3, 2, delta=0.1, grid=[1, 1]), r"grid\[1\]=1: sizes must increase"),
        (lambda: census_sizes(3, 2, delta=0.1, grid=[[1]]), "grid: a list of panel sizes"),
        (lambda: census_sizes(3, 2, delta=0.1, grid=[0]), r"grid\[0\]=0: must lie between 1 and 3"),
        (lambda: census_sizes(3, 2, delta=0.1, grid=[4]), r"grid\[0\]=4: must lie between 1 and 3"),
        (lambda: superpopulation_errors(0.5, 0), "horizon=0"),
        (lambda: superpopulation_errors(0.5, 2**26), "horizon=67108864"),
        (lambda: superpopulation_errors(1.5, 9), "p=1.5: a probability lies between 0 and 1"),
        (lambda: superpopulation_errors([0.5, -0.1], 9), r"p\[1\]=-0.1: a probability"),
        (lambda: superpopulation_errors([[0.5, 0.1], [0.2, 7]], 9), r"p\[1, 1\]=7: a probability"),
        (lambda: superpopulation_errors([], 9), "p: at least one probability"),
        (lambda: superpopulation_errors(0.5, 9, panel_flips=10), "panel_flips=10"),
        (lambda: superpopulation_errors(0.5, 9, fixed_share=2), "fixed_share=2"),
        (lambda: superpopulation_errors(0.5, 9, fixed_share=0.1, targeted_share=0.1), "one or the other"),
        (lambda: census_capture(5, 6, force="accept"), "corrupted=6"),
        (lambda: census_capture(5, 2, force="maybe"), "force='maybe'"),
        (lambda: superpopulation_capture(0.1, 0, force="accept"), "horizon=0"),
        (lambda: total_variation_bound(1, 1, 1), "M=1"),
        (lambda: total_variation_bound(9, 10, 1), "C=10"),
        (lambda: total_variation_bound(9, 9, 0), "K=0"),
        (lambda: finite_population_factor(9, 10), "K=10"),
        (lambda: finite_population_factor(1, 1), "M=1"),
    ],
)
def test_refusals(call: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()  # type: ignore[operator]


@pytest.mark.parametrize("flips", [0, 2])
def test_errors_asked_for_with_the_sizes_are_those_of_their_own_function(flips):
    for M, C in ((1, None), (7, [3, 0, 7]), (60, None), (200, 117)):
        ask = {"theta": "0.6", "panel_flips": min(flips, M)}
        expected = census_errors(M, C, **ask)
        errors = np.full(expected.shape, np.nan)
        found = census_sizes(M, C, delta=["0.01", "1e-100"], errors=errors, **ask)
        alone = census_sizes(M, C, delta=["0.01", "1e-100"], **ask)
        assert errors.tobytes() == expected.tobytes()
        assert found.minimum.tolist() == alone.minimum.tolist()
        assert found.stable.tolist() == alone.stable.tolist()


@pytest.mark.parametrize(
    "errors", [np.empty((4, 3)), np.empty(3), np.empty((4, 3), np.float32).T, [[0.0] * 3] * 4, None]
)
def test_errors_must_have_the_curves_shape(errors):
    if errors is None:
        errors = np.empty((3, 4)).T
        errors = np.empty((4, 6))[:, ::2]
    elif isinstance(errors, np.ndarray) and errors.shape == (4, 3) and errors.dtype == np.float64:
        errors.flags.writeable = False
    with pytest.raises(ValueError, match=r"errors: a writable, contiguous float64 array of shape \(4, 3\)"):
        census_sizes(3, delta="0.1", errors=errors)
