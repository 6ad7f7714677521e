"""The check before joint decontamination: what it finds in lower tail, ties, roles and columns; where it is quiet."""

from fractions import Fraction

import numpy as np
import pytest

from typeone import jecs
from typeone.jecs.lower_tail import lower_tail, own_p_values


def population(seed, low=0.0, rho=0.0, n=400, digits=6, shift=3.0):
    """Candidates contaminated in every model or clean, calibration, and a share of documents low everywhere."""
    g = np.random.default_rng(seed)
    common = g.standard_normal(2 * n)
    scores = np.sqrt(rho) * common + np.sqrt(1 - rho) * g.standard_normal((3, 2 * n))
    scores = np.round(scores - 6 * (g.random(2 * n) < low), digits)
    scores[:, : n // 4] -= shift
    return {
        "item": [i for _ in range(3) for i in range(2 * n)],
        "model": [k for k in "abc" for _ in range(2 * n)],
        "role": (["candidate"] * n + ["calibration"] * n) * 3,
        "score": scores.ravel().tolist(),
        "length": np.tile(g.integers(50, 99, 2 * n), 3).tolist(),
    }


def lower_tail_findings(data, **kwargs):
    return [f for f in jecs.check(data, **kwargs).findings if "lower tail" in f.text or "together" in f.text]


@pytest.mark.parametrize("larger", [False, True])
def test_check_finds_documents_that_score_low_everywhere(larger):
    data = population(1, low=0.1)
    if larger:
        data["score"] = [-s for s in data["score"]]
    side = "larger" if larger else "smaller"
    (found,) = lower_tail_findings(data, evidence=side)
    assert found.grade == "warning"
    (rows,) = (
        rows for title, _, rows in jecs.check(data, evidence=side).tables if title.startswith("joint lower tail")
    )
    p_values = [row[-1] for row in rows]
    assert p_values == sorted(p_values)
    assert f"under models {rows[0][0]} together, {rows[0][5]:.3g} times" in found.text
    assert f"p = {p_values[0]:.2g}" in found.text
    (quiet,) = lower_tail_findings(population(1), evidence="smaller")
    assert quiet.grade == "ok"


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
def test_check_is_quiet_on_correlated_normal_scores(rho):
    """40 populations in which the condition holds: the false-alarm rate of a check is at most 1 %; none is expected,
    two would be a chance of 6 %."""
    alarms = sum(lower_tail_findings(population(seed, rho=rho))[0].grade == "warning" for seed in range(40))
    assert alarms <= 2


def test_lower_tail_by_hand():
    """20 items, two models; the five lowest agree, nobody else is below 1/2 under both, six lie in (.4, .8]."""
    one = np.arange(1, 21) / 20
    other = np.concatenate([one[:5], one[5:][::-1]])
    p = own_p_values(np.array([one, other]), larger=False)
    assert p.tolist() == [one.tolist(), other.tolist()]
    largest = np.maximum(one, other)
    found = {c.t: c for c in lower_tail(p, [Fraction(4, 5)])}
    assert max(found) == Fraction(2, 5)
    at = found[Fraction(1, 5)]
    assert at.found == 4 / 20
    between = int(((largest > 0.4) & (largest <= 0.8)).sum())
    assert at.allowed == pytest.approx(between / 20 * 0.2 / 0.4)
    assert at.ratio == pytest.approx(0.2 / at.allowed)
    assert at.independent == pytest.approx(0.04)
    # At most 4 + between in all, each low with chance .2 / (.2 + .4).
    from math import comb

    total, q = 4 + between, 1 / 3
    exact = sum(comb(total, k) * q**k * (1 - q) ** (total - k) for k in range(4, total + 1))
    assert at.p_value == pytest.approx(exact)
    assert [at._replace(found=found, allowed=0.0).ratio for found in (0.0, 0.1)] == [0.0, np.inf]
    assert own_p_values(np.array([[3.0, 1.0, np.nan, 1.0]]), larger=True)[0, [0, 1, 3]].tolist() == [1 / 3, 1, 1]


def test_lower_tail_where_models_attain_different_p_values():
    """Model b attains multiples of 1/4 only: G(.2) is .2 and 0, and the larger counts; the width is .4, not .5."""
    a = np.arange(1, 21) / 20
    b = np.repeat([0.25, 0.5, 0.75, 1.0], 5)
    found = {c.t: c for c in lower_tail(np.array([a, b]), [Fraction(4, 5)])}
    between = ((np.maximum(a, b) > 0.4) & (np.maximum(a, b) < 0.8)).sum()
    assert found[Fraction(1, 5)].allowed == pytest.approx(between / 20 * 0.2 / 0.4)
    # Of two equal models kappa = .4 itself is low, lambda = .8 itself is between.
    both = {c.t: c for c in lower_tail(np.array([a, a]), [Fraction(4, 5)])}
    assert both[Fraction(2, 5)].found == 8 / 20
    assert both[Fraction(2, 5)].allowed == pytest.approx(8 / 20)  # .45, ..., .8


def correlations(audit):
    (rows,) = (rows for title, _, rows in audit.tables if title.startswith("rank correlation"))
    return {name: value for name, _, value in rows}


def grades(audit, word):
    return [f.grade for f in audit.findings if word in f.text]


def test_check_reports_ties_duplicates_roles_and_columns():
    data = population(2)
    clean = jecs.check(data, columns=["length"])
    assert clean.warnings == []
    assert grades(clean, "calibration items and candidates look alike in length (no KS p-value below 0.01/1)") == ["ok"]
    assert grades(clean, "no score is tied") == ["ok"] * 3
    # One item twice; a calibration item that is a candidate under another name; one item in both roles.
    twice = data | {"item": [1, 1, *data["item"][2:]]}
    assert any("rows 1 and 2 score one item twice" in w for w in jecs.check(twice).warnings)
    texts = [f"text {i}" for i in data["item"]]
    texts = ["text 0" if i == 500 else text for i, text in zip(data["item"], texts, strict=True)]
    copied = jecs.check(data | {"text": texts}, document="text")
    assert any("1 documents occur in more than one role" in w for w in copied.warnings)
    scores = list(data["score"])
    for k in range(3):
        scores[800 * k] = scores[800 * k + 500]
    assert "1 candidates have the scores of a calibration item" in jecs.check(data | {"score": scores}).warnings[0]
    assert jecs.check(data | {"score": [*scores[:800], *data["score"][800:]]}).warnings == []  # under one model only
    both = data | {"role": ["calibration", *data["role"][1:]]}
    audit = jecs.check(both)
    assert any("1 items occur in more than one role" in w for w in audit.warnings)
    assert not any("lower tail" in f.text for f in audit.findings)
    longer = data | {"length": [v + 9 * (r == "candidate") for v, r in zip(data["length"], data["role"], strict=True)]}
    told = " | ".join(jecs.check(longer, columns=["length"]).warnings)
    assert "length differs between calibration items and candidates (KS p =" in told


def test_check_reports_strong_ties_and_incomplete_scores():
    tied = jecs.check(population(3, digits=0))
    assert grades(tied, "tie with one") == ["warning"] * 3
    assert grades(tied, "have the scores of a calibration item") == ["note"]
    assert grades(jecs.check(population(3, digits=2)), "tie with one") == ["note"] * 3
    data = population(4)
    audit = jecs.check(data | {"score": [None, *data["score"][1:]]})
    assert "1 candidates lack a score: apply stops unless told to drop them" in audit.warnings
    constant = jecs.check(data | {"score": [0.0] * len(data["score"])})
    assert any("too tied" in w for w in constant.warnings)
    assert correlations(constant) == {"a+b": None, "a+c": None, "b+c": None}
    assert max(correlations(audit).values()) < 0.2
    alike = correlations(jecs.check(population(4, rho=0.9)))
    assert list(alike) == ["a+b", "a+c", "b+c"]
    assert 0.8 < min(alike.values()) < max(alike.values()) < 0.95
    unknown = jecs.check(
        data | {"length": [v if i > 3 else None for v, i in zip(data["length"], data["item"], strict=True)]},
        columns=["length"],
    )
    assert grades(unknown, "look alike in length") == ["ok"]
    of_candidates = [9 if role == "candidate" else None for role in data["role"]]
    nowhere = data | {"length": of_candidates}
    told = "length: no value among the calibration items or among the candidates"
    assert grades(jecs.check(nowhere, columns=["length"]), told) == ["warning"]


def test_check_of_one_model_and_of_a_wide_table():
    data = population(5)
    wide = {k: data["score"][i * 800 : (i + 1) * 800] for i, k in enumerate("abc")}
    wide |= {name: data[name][:800] for name in ("item", "role")}
    three = jecs.check(wide, model=None, score=["a", "b", "c"])
    assert [f.text for f in three.findings if "lower tail" in f.text] == [f.text for f in lower_tail_findings(data)]
    one = jecs.check(wide, model=None, score="a")
    assert any("one model" in f.text for f in one.findings)
    with pytest.raises(ValueError, match="evidence='up'"):
        jecs.check(data, evidence="up")
