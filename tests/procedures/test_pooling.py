"""Pooling on users' votes: exact decisions, reliabilities, held-out bounds, drift, counterexamples, refusals."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twins import pooling as twin
from twins.pooling import dependent_votes, long
from typeone import pooling
from typeone.exact import clopper_pearson
from typeone.pooling import quality
from typeone.pooling.evidence import units, weights
from typeone.pooling.heldout import fitting_half

R = st.sampled_from([Fraction(k, 20) for k in range(1, 20)])


def given_reliability(values):
    return {f"s{i}": r for i, r in enumerate(values)}


# --- posterior and decision --------------------------------------------------------------------------------


@settings(derandomize=True, deadline=None, max_examples=120)
@given(st.data())
def test_posterior_and_decision_are_bayes_rule_in_any_row_order(data):
    n = data.draw(st.integers(1, 5))
    r = data.draw(st.lists(R, min_size=n, max_size=n))
    vote = st.sampled_from([None, 0, 1])
    rows = data.draw(st.lists(st.lists(vote, min_size=n, max_size=n), min_size=1, max_size=5))
    rows.append([1] * n)  # at least one vote in the table
    prior = data.draw(R)
    exact = [twin.posterior(row, r, prior) for row in rows]
    # Thresholds that items attain exactly, as often as not.
    pool = st.sampled_from([p for p in exact if 0 < p < 1] + [Fraction(1, 20), Fraction(1, 2), Fraction(19, 20)])
    reject, accept = sorted([data.draw(pool), data.draw(pool)])
    table = long(rows)
    options = pooling.Options(accept, reject, prior)
    result = pooling.apply(table, reliability=given_reliability(r), options=options)
    assert result.posterior == pytest.approx([float(p) for p in exact], rel=1e-9)
    expected = [twin.decision(p, accept, reject) for p in exact]
    out = result.to_arrow()
    assert out["decision"].to_pylist() == expected
    assert out["item"].to_pylist() == [f"item {t}" for t in range(len(rows))]
    assert out["votes"].to_pylist() == [sum(v is not None for v in row) for row in rows]
    assert out["positive"].to_pylist() == [sum(v == 1 for v in row) for row in rows]
    order = data.draw(st.permutations(range(table.num_rows)))
    again = pooling.apply(table.take(order), reliability=given_reliability(r), options=options).to_arrow()
    assert sorted(map(str, again.to_pylist())) == sorted(map(str, out.to_pylist()))


@pytest.mark.parametrize("n", [1, 7, 40])
def test_a_posterior_on_the_threshold_reaches_it(n):
    """odds(r)**n exactly, where rounded log-odds cannot tell: a hair above is not reached."""
    r = Fraction(7, 10)
    p = r**n / (r**n + (1 - r) ** n)
    hair = Fraction(1, 10**60)
    votes = long([[1] * n, [0] * n])
    reliability = given_reliability([r] * n)
    for accept, reject, said in (
        (p, 1 - p, ["accept", "reject"]),
        (p + hair, 1 - p - hair, ["abstain", "abstain"]),
        (p - hair, 1 - p + hair, ["accept", "reject"]),
    ):
        found = pooling.apply(votes, reliability=reliability, options=pooling.Options(accept, reject))
        assert found.to_arrow()["decision"].to_pylist() == said


def test_an_item_on_two_equal_thresholds_is_left_undecided():
    votes = long([[1, 0], [1, 1], [0, 0]])
    result = pooling.apply(votes, reliability={"s0": ".8", "s1": ".8"}, options=pooling.Options(".5", ".5"))
    assert result.decision.tolist() == [0, 1, -1]
    assert result.log_odds[0] == 0.0


def test_one_source_and_an_item_nobody_voted_on():
    result = pooling.apply(long([[1], [0], [None]]), reliability={"s0": "0.96"}, options=pooling.Options(prior="0.96"))
    assert result.posterior == pytest.approx([0.96**2 / (0.96**2 + 0.04**2), 0.5, 0.96])
    assert result.to_arrow()["decision"].to_pylist() == ["accept", "abstain", "accept"]
    assert any("1 items without any vote" in warning for warning in result.warnings)
    assert any("1 rows without a vote" in warning for warning in result.warnings)


def test_log_odds_are_antisymmetric_units_of_two_to_the_minus_forty():
    for p in (Fraction(3, 4), Fraction(1, 3), Fraction(999_999, 1_000_000), Fraction(1, 10**399)):
        assert units(p) == -units(1 - p)
    assert units(Fraction(3, 4)) == round(math.log(3) * 2**40)
    assert units(Fraction(1, 10**399)) / 2**40 == pytest.approx(-399 * math.log(10), rel=1e-12)
    with pytest.raises(ValueError, match="nearer 1/2"):
        weights([Fraction(1, 10**399)], Fraction(1, 2), 10_000)


# --- reliabilities -----------------------------------------------------------------------------------------


def test_reliabilities_from_labels_are_smoothed_by_one_half():
    rows = [[1, 1, None], [1, 0, None], [0, 0, None], [0, 1, None], [1, 1, None], [1, 1, 1]]
    table = long(rows)
    truth = {0: 1, 1: 1, 2: 0, 3: 0, 4: 1}
    table = table.append_column("truth", pa.array([truth.get(int(i.split()[1])) for i in table["item"].to_pylist()]))
    result = pooling.apply(table, label="truth")
    fit = np.flatnonzero(result.fitting).tolist()
    assert len(fit) == 3
    assert np.flatnonzero(result.held_out).tolist() == sorted({0, 1, 2, 3, 4} - set(fit))
    right = [sum(rows[t][i] == truth[t] for t in fit) for i in range(2)]
    assert result.reliabilities.values == (Fraction(2 * right[0] + 1, 8), Fraction(2 * right[1] + 1, 8), Fraction(1, 2))
    estimates = result.reliabilities.to_arrow().to_pylist()
    low, high = clopper_pearson(right[1], 3, "0.05")
    assert (estimates[1]["lower"], estimates[1]["upper"]) == (low, high)
    assert (estimates[2]["lower"], estimates[2]["upper"], estimates[2]["labelled"]) == (0.0, 1.0, 0)
    assert any("no label in the fitting half" in w and "'s2'" in w for w in result.warnings)
    assert result.to_arrow()["part"].to_pylist()[5] == "not labelled"
    # sqrt of the sum of 1/(k + 1/2) + 1/(m - k + 1/2) over the sources that voted
    variance = [1 / (k + 0.5) + 1 / (3 - k + 0.5) for k in right]
    assert result.log_odds_se is not None
    assert result.log_odds_se[0] == pytest.approx(math.sqrt(sum(variance)))
    assert result.log_odds_se[5] == pytest.approx(math.sqrt(sum(variance) + 4))


def test_the_half_an_item_falls_in_depends_on_its_name_and_the_seed_only():
    names = [f"task {i}" for i in range(101)]
    truth = np.tile([1, 0], 51)[:101].astype(np.int8)
    half = dict(zip(names, fitting_half(pa.array(names), truth, 7).tolist(), strict=True))
    assert sum(half.values()) == 51
    back = fitting_half(pa.array([*names[::-1], "unlabelled"]), np.append(truth[::-1], -1).astype(np.int8), 7)
    assert back.tolist() == [half[name] for name in names[::-1]] + [False]
    fewer = fitting_half(pa.array(names[:-1]), truth[:-1], 7)
    assert sum(a != half[name] for a, name in zip(fewer, names[:-1], strict=True)) <= 1
    other = fitting_half(pa.array(names), truth, 8)
    assert 20 < sum(a != b for a, b in zip(other, half.values(), strict=True)) < 80


def test_given_reliabilities_hold_every_label_out():
    table = long([[1, 1], [0, 0], [1, 0]]).append_column("truth", pa.array([1, 1, 0, 0, None, None]))
    listed = pa.table({"source": ["s1", "s0", "other"], "reliability": [0.8, 0.9, 0.7]})
    result = pooling.apply(table, label="truth", reliability=listed)
    assert result.reliabilities.values == (Fraction(9, 10), Fraction(4, 5))
    assert result.held_out.tolist() == [True, True, False]
    assert not result.fitting.any()
    assert result.log_odds_se is None


def test_a_source_that_is_mostly_wrong_counts_the_other_way():
    result = pooling.apply(long([[0]]), reliability={"s0": "0.1"})
    assert result.posterior[0] == pytest.approx(0.9)
    assert any("counts the other way" in warning for warning in result.warnings)


# --- held-out bounds ---------------------------------------------------------------------------------------


def test_bounds_are_clopper_pearsons_on_the_held_out_decisions():
    table = dependent_votes(1, 120, [0.9, 0.8, 0.7, 0.8], 0.5, 100)
    result = pooling.apply(table, label="truth", options=pooling.Options(".9", ".1", level=".1"))
    held = np.flatnonzero(result.held_out)
    truth, said = result.votes.truth[held], result.decision[held]
    expected = {
        "accepted that are false": ((said == 1) & (truth == 0), said == 1),
        "rejected that are true": ((said == -1) & (truth == 1), said == -1),
        "false that are accepted": ((said == 1) & (truth == 0), truth == 0),
        "true that are accepted": ((said == 1) & (truth == 1), truth == 1),
        "abstained": (said == 0, truth >= 0),
    }
    assert len(result.rates) == len(expected)
    for rate in result.rates:
        these, among = expected[rate.name]
        k, m = int(these.sum()), int(among.sum())
        assert (rate.count, rate.of, rate.rate) == (k, m, k / m)
        # P(X <= k) at the upper bound is the level, and so is P(X >= k) at the lower one.
        assert 1 - twin.binomial_upper(k + 1, m, Fraction(rate.upper)) == pytest.approx(Fraction(1, 10), rel=1e-9)
        if k:
            assert twin.binomial_upper(k, m, Fraction(rate.lower)) == pytest.approx(Fraction(1, 10), rel=1e-9)


def test_the_bound_holds_for_dependent_votes_as_often_as_it_says():
    """250 data sets, fixed seeds, level .2: the true error of the accepted exceeds its bound in at most 20 %.

    False alarm: P(Bin(250, .2) > 75) < 1e-4.  The posterior itself, meanwhile, promises far too much.
    """
    right = [Fraction(4, 5), Fraction(3, 4), Fraction(7, 10)]
    law = list(twin.pattern_law(right, Fraction(9, 10)))
    missed = overconfident = judged = 0
    for seed in range(250):
        table = dependent_votes(seed, 80, [float(r) for r in right], 0.9, 80)
        result = pooling.apply(table, label="truth", options=pooling.Options(".9", ".1", level=".2"))
        values = result.reliabilities.values
        accepted = {p for p, _ in law if twin.posterior(p, values, Fraction(1, 2)) >= Fraction(9, 10)}
        if not accepted:
            continue
        false = sum(chance for p, chance in law if tuple(1 - x for x in p) in accepted)
        true = sum(chance for p, chance in law if p in accepted)
        error = false / (false + true)
        judged += 1
        missed += Fraction(result.rates[0].upper) < error
        overconfident += error > Fraction(1, 10)
    assert judged > 200
    assert missed <= 75
    assert overconfident > 100


def test_a_broken_promise_is_reported():
    right = [0.8] * 9
    dependent = pooling.apply(dependent_votes(3, 400, right, 0.95, 400), label="truth")
    assert any("overconfident here" in warning for warning in dependent.warnings)
    independent = pooling.apply(dependent_votes(3, 400, right, 0.0, 400), label="truth")
    assert not any("overconfident here" in warning for warning in independent.warnings)
    rows = {quality.rule: quality for quality in dependent.comparison}
    assert rows["pooled"].overconfidence > 0.1
    assert rows["pooled"].brier > rows["vote share"].brier


def test_without_held_out_labels_nothing_is_bounded():
    result = pooling.apply(long([[1, 1]]), reliability={"s0": ".9", "s1": ".9"})
    assert result.rates == ()
    assert any("not bounded" in warning for warning in result.warnings)


def test_pooled_order_is_seen_beyond_the_last_double_below_one():
    """Sixty agreeing sources: posteriors are 1.0 on both items, their log-odds differ, and AUROC knows it."""
    rows = [[1] * 60, [1] * 59 + [0]]
    table = long(rows).append_column("truth", pa.array([1] * 60 + [0] * 60))
    result = pooling.apply(table, label="truth", reliability=given_reliability(["0.9"] * 60))
    assert result.posterior.tolist() == [1.0, 1.0]
    assert {q.rule: q.auroc for q in result.comparison} == {"vote count": 1.0, "vote share": 1.0, "pooled": 1.0}


def test_quality_measures_by_hand():
    forecast, truth = np.array([0.9, 0.6, 0.5, 0.2]), np.array([1, 0, 1, 0], np.int8)
    weight = np.array([1.0, 2.0, 1.0, 1.0])
    assert quality.brier(forecast, truth, weight) == pytest.approx((0.01 + 0.72 + 0.25 + 0.04) / 5)
    assert quality.accuracy(forecast, truth, weight) == pytest.approx(2.5 / 5)
    assert quality.overconfidence(forecast, truth, weight) == pytest.approx((0.9 + 1.2 + 0.5 + 0.8) / 5 - 0.5)
    assert quality.calibration_error(forecast, truth, weight) == pytest.approx((0.1 + 1.2 + 0.5 + 0.2) / 5)
    assert quality.auroc(forecast, truth, weight) == pytest.approx((3 + 1) / 6)
    assert math.isnan(quality.auroc(forecast, np.ones(4, np.int8), weight))
    assert quality.calibration_error(np.array([1.0, 0.95]), np.array([1, 0], np.int8), np.ones(2)) == pytest.approx(
        0.475
    )


# --- which sources moved an item ---------------------------------------------------------------------------


def test_contributions_add_up_and_the_strongest_comes_first():
    rows = [[1, 0, None], [0, 0, 1]]
    r = [Fraction(6, 10), Fraction(9, 10), Fraction(3, 10)]
    prior = Fraction(1, 4)
    result = pooling.apply(long(rows), reliability=given_reliability(r), options=pooling.Options(prior=prior))
    moved = result.contributions("item 1").to_pylist()
    assert [row["source"] for row in moved] == ["s1", "s2", "s0"]
    assert [row["contribution"] for row in moved] == pytest.approx([-math.log(9), -math.log(7 / 3), -math.log(1.5)])
    for row in moved:
        without = [None if f"s{i}" == row["source"] else vote for i, vote in enumerate(rows[1])]
        assert row["posterior_without"] == pytest.approx(float(twin.posterior(without, r, prior)))
    every = result.contributions()
    assert every["item"].to_pylist() == ["item 0"] * 2 + ["item 1"] * 3
    assert sum(row["contribution"] for row in every.to_pylist()[:2]) + math.log(1 / 3) == pytest.approx(
        result.log_odds[0]
    )
    with pytest.raises(ValueError, match="'item 7': there is no such item"):
        result.contributions("item 7")


# --- refusals ----------------------------------------------------------------------------------------------

VOTES = {"item": ["a", "a", "b"], "source": ["x", "y", "x"], "vote": [1, 0, 1]}
GIVEN = {"x": "0.9", "y": "0.8"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"vote": [1, 2, 1]}, "column 'vote', row 2: 2 is not 0 or 1"),
        ({"vote": [1, 0.5, 1]}, "column 'vote', row 2: 0.5 is not 0 or 1"),
        ({"vote": ["1", "0", "maybe"]}, "column 'vote', row 3: 'maybe' is not 0 or 1"),
        ({"vote": pa.array([None, None, None], pa.int8())}, "column 'vote': every vote is missing"),
        ({"source": ["x", "x", "y"]}, "rows 1 and 2: source 'x' stands twice on item 'a', contradicting itself"),
        ({"source": ["x", "x", "y"], "vote": [1, 1, 1]}, "rows 1 and 2: .*, saying the same"),
        ({"item": ["a", None, "b"]}, "column 'item', row 2: the value is missing"),
    ],
)
def test_bad_votes_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        pooling.apply(VOTES | change, reliability=GIVEN)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([1, 0, 1], "column 'truth', row 2: item 'a' had another value before"),
        ([1, None, 1], "column 'truth', row 2: item 'a' had another value before"),
        ([-1, -1, 0], "column 'truth', row 1: -1 is not 0 or 1 .*empty"),
        (pa.array([None] * 3, pa.int8()), "column 'truth': no item has a label"),
    ],
)
def test_bad_labels_are_refused(labels, message):
    with pytest.raises(ValueError, match=message):
        pooling.apply(VOTES | {"truth": labels}, label="truth")


@pytest.mark.parametrize(
    ("reliability", "message"),
    [
        ({"x": 1, "y": 0.8}, "reliability of source 'x'=1: lies strictly between 0 and 1"),
        ({"x": 0.9, "y": "0"}, "reliability of source 'y'=0: lies strictly between 0 and 1"),
        ({"x": 0.9}, "no value for source 'y'"),
        ({"source": ["x", "y", "x"], "reliability": [0.9, 0.8, 0.9]}, "source 'x' is named twice"),
        ({"source": ["x", "y"], "reliability": [0.9, math.nan]}, "row 2: the value is missing"),
        (None, "label, reliability: name a label column, or give reliabilities"),
    ],
)
def test_bad_reliabilities_are_refused(reliability, message):
    with pytest.raises(ValueError, match=message):
        pooling.apply(VOTES, reliability=reliability)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"accept": "1"}, "accept=1: a level lies strictly between"),
        ({"reject": "0"}, "reject=0: a level lies strictly between"),
        ({"accept": ".2", "reject": ".3"}, "reject=.3: lies above accept=.2"),
        ({"prior": "1"}, "prior=1"),
        ({"seed": -1}, "seed=-1"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        pooling.apply(VOTES, reliability=GIVEN, options=pooling.Options(**options))
