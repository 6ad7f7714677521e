"""What a vote count means as sources grow in number, and whether any count equals a posterior threshold."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twins import pooling as twin
from typeone import pooling

R = st.sampled_from([Fraction(k, 20) for k in range(1, 20)])


# --- drift -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("r", "prior"), [("0.8", "0.5"), ("0.65", "0.1")])
def test_a_count_is_a_posterior_threshold_that_slides_by_minus_logit_r(r, prior):
    found = pooling.drift(2, r, [1, 2, 3, 7, 12], prior)
    exact = Fraction(r)
    for point in found.points[1:]:
        threshold = twin.posterior([1, 1] + [0] * (point.n - 2), [exact] * point.n, Fraction(prior))
        assert point.posterior == point.lowest == point.highest == pytest.approx(float(threshold), rel=1e-10)
        assert point.fpr == pytest.approx(float(twin.binomial_upper(2, point.n, 1 - exact)), rel=1e-12)
        assert point.tpr == pytest.approx(float(twin.binomial_upper(2, point.n, exact)), rel=1e-12)
    assert found.points[0].posterior is None  # one source cannot give two votes
    slope = -math.log(float(exact / (1 - exact)))
    assert found.per_source == pytest.approx(slope)
    assert np.diff([p.log_odds for p in found.points[1:]]) == pytest.approx([slope, 4 * slope, 5 * slope])


def test_the_diagnosis_in_one_sentence():
    assert pooling.drift(2, "0.8", [3, 12]).sentence == (
        "Your rule count >= 2 equals posterior threshold 0.8 at n = 3 and 1.526e-05 at n = 12: "
        "each further source moves its log-odds by -1.386."
    )
    assert "(0.5091 to 0.9391) at n = 3" in pooling.drift(2, [".9", ".8", ".7"], [2, 3]).sentence
    assert "never accepts with 4 sources" in pooling.drift(5, "0.8", [4, 3]).sentence


def test_unequal_sources_give_a_range_and_poisson_binomial_rates():
    r = [Fraction(9, 10), Fraction(8, 10), Fraction(7, 10), Fraction(6, 10)]
    prior = Fraction(1, 3)
    found = pooling.drift(2, r, [2, 3, 4], prior)
    for point in found.points:
        panel = r[: point.n]
        odds = [twin.posterior(v, panel, prior) for v in twin.patterns(point.n, 2)]
        assert (point.lowest, point.highest) == pytest.approx((float(min(odds)), float(max(odds))))
        mean = math.fsum(math.log(p / (1 - p)) for p in odds) / len(odds)
        assert point.log_odds == pytest.approx(mean)
        tpr = sum(c for pattern, c in twin.pattern_law(panel, Fraction(0)) if sum(pattern) >= 2)
        fpr = sum(c for pattern, c in twin.pattern_law(panel, Fraction(0)) if point.n - sum(pattern) >= 2)
        assert (point.fpr, point.tpr) == pytest.approx((float(fpr), float(tpr)))


def test_drift_of_a_result_covers_every_panel_of_its_sources():
    r = [Fraction(9, 10), Fraction(8, 10), Fraction(6, 10)]
    votes = {"item": [1, 1, 2, 2, 2], "source": list("abbca"), "vote": [1, 0, 1, 1, 1]}
    result = pooling.apply(votes, reliability=dict(zip("abc", r, strict=True)))
    found = result.drift(1)
    assert [p.n for p in found.points] == [2, 3]
    logit = {x: math.log(x / (1 - x)) for x in r}
    assert found.points[0].lowest == pytest.approx(float(twin.posterior([1, 0], [r[2], r[0]], Fraction(1, 2))))
    assert found.points[0].highest == pytest.approx(1 - found.points[0].lowest)
    assert found.points[1].log_odds == pytest.approx(-sum(logit.values()) / 3)
    assert found.points[0].fpr is None
    assert [p.n for p in result.drift(1, [1]).points] == [1]


# --- does any tau do? --------------------------------------------------------------------------------------


@settings(derandomize=True, deadline=None, max_examples=150)
@given(st.lists(R, min_size=1, max_size=5), st.data(), R)
def test_reconcile_agrees_with_trying_every_tau_on_every_pattern(r, data, prior):
    attained = [twin.posterior(v, r, prior) for k in range(len(r) + 1) for v in twin.patterns(len(r), k)]
    threshold = data.draw(st.sampled_from([*attained, Fraction(1, 2), Fraction(9, 10)]))
    found = pooling.reconcile(r, threshold, prior)
    works = twin.working_taus(r, threshold, prior)
    assert works == ([] if found.tau is None else [found.tau])
    if found.tau is None:
        assert found.accepted is not None
        assert found.refused is not None
        for item in (found.accepted, found.refused):
            assert item.posterior == twin.posterior(item.votes, r, prior)
        assert found.accepted.posterior >= threshold > found.refused.posterior
        assert sum(found.accepted.votes) <= sum(found.refused.votes)
        if min(r) > Fraction(1, 2):
            assert sum(found.accepted.votes) == sum(found.refused.votes)
            assert any(low < threshold <= high for low, high in found.gaps)


def test_values_of_methods():
    assert pooling.reconcile([".79", ".80", ".81"]).tau == 2
    assert pooling.reconcile([".9", ".8"]).tau is None
    assert pooling.reconcile([".9", ".8"], "0.95").tau == 2
    assert pooling.reconcile([".9", ".8"]).gaps == ((Fraction(4, 13), Fraction(9, 13)),)
    assert pooling.reconcile([".8"] * 5, "0.8").tau == 3
    assert pooling.reconcile([".8"] * 5).gaps == ()
    assert pooling.reconcile([".8"], "0.9").tau == 2  # never
    assert "no tau works, as votes (1, 0) have posterior 0.6923" in str(pooling.reconcile([".9", ".8"]))


@pytest.mark.parametrize(
    ("reliabilities", "threshold", "n"),
    [([".9", ".8"], "1/2", 2), ([".6", ".7"], "0.95", 5), ([".7", ".9"], "0.99", 4), ([".8"], "1/2", None)],
)
def test_the_counterexample_is_the_smallest(reliabilities, threshold, n):
    found = pooling.counterexample(reliabilities, threshold, most=6)
    exact = [Fraction(r) for r in reliabilities]
    smaller = range(1, 6 if n is None else n)
    for size in smaller:
        for panel in combinations_with_replacement(exact, size):
            assert twin.working_taus(panel, Fraction(threshold), Fraction(1, 2))
    if n is None:
        assert found is None
    else:
        assert found is not None
        assert len(found.reliabilities) == n
        assert not twin.working_taus(found.reliabilities, Fraction(threshold), Fraction(1, 2))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pooling.drift(-1, ".8", [3]), "tau=-1"),
        (lambda: pooling.drift(1, [".8", "1"], [2]), r"reliability\[1\]=1"),
        (lambda: pooling.drift(1, [".8", ".7"], [3]), r"n\[0\]=3: must lie between 1 and 2"),
        (lambda: pooling.drift(1, [], [1]), "at least one value"),
        (lambda: pooling.drift(1, ".8", []), "n: at least one count is needed"),
        (lambda: pooling.reconcile([]), "at least one value"),
        (lambda: pooling.reconcile([".8"], "0"), "threshold=0"),
        (lambda: pooling.counterexample([".8"], most=0), "most=0"),
    ],
)
def test_bad_questions_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_the_search_for_a_counterexample_ends_where_it_says(monkeypatch):
    near, threshold = [".80", ".81", ".82"], "0.999999999"  # 3 + 6 + 10 panels of up to three sources
    monkeypatch.setattr("typeone.pooling.reconciliation.MOST_PANELS", 19)
    assert pooling.counterexample(near, threshold, most=3) is None
    with pytest.raises(ValueError, match="more than 19 panels; none up to n = 3 refutes"):
        pooling.counterexample(near, threshold, most=4)
    monkeypatch.setattr("typeone.pooling.reconciliation.MOST_PANELS", 18)
    with pytest.raises(ValueError, match="more than 18 panels; none up to n = 2 refutes"):
        pooling.counterexample(near, threshold, most=3)
    assert pooling.counterexample([".9", ".8"], most=1) is None
    assert pooling.counterexample([".9", ".8"], most=2) is not None


def test_probabilities_below_every_double_are_shown():
    told = str(pooling.reconcile([".9", ".8"], prior="1e-400"))
    assert told.endswith("No tau works at posterior thresholds in (4.444e-401, 2.25e-400].")
    assert "posterior >= 1e-399" in str(pooling.reconcile([".9"], "1e-399"))
    sentence = pooling.drift(2, "0.8", [4], prior="1e-400").sentence
    assert "posterior threshold below 1e-308 at n = 4" in sentence
