"""Panels on a user's vote matrix: one answer in any shape and order, errors that name what is wrong, the check."""

from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from typeone import panels, tables
from typeone.panels import Options

VOTES = {
    "who": ["a", "a", "a", "b", "b", "b", "c", "c", "c"],
    "task": [30, 10, 20] * 3,
    "says": [1, 0, 1, 1, 0, 0, 1, 0, 1],
}


NAMES = {"evaluator": "who", "unit": "task", "vote": "says"}


WIDE = {"who": ["a", "b", "c"], "30": [1, 1, 1], "10": [0, 0, 0], "20": [1, 0, 1]}


def test_one_row_per_unit_in_order_of_first_appearance():
    result = panels.apply(VOTES, **NAMES)
    table = result.to_arrow()
    assert table.column_names[:6] == ["unit", "positives", "votes", "decision", "minimum_size", "stable_size"]
    assert table["unit"].to_pylist() == [30, 10, 20]
    assert table["positives"].to_pylist() == [3, 0, 2]
    assert table["votes"].to_pylist() == [3, 3, 3]
    assert table["decision"].to_pylist() == ["accept", "reject", "accept"]
    sizes = panels.census_sizes(3, [3, 0, 2], delta="0.01")
    assert table["stable_size"].to_pylist() == sizes.stable.tolist()
    assert table["minimum_size"].to_pylist() == sizes.minimum.tolist()


@settings(derandomize=True, deadline=None, max_examples=10)
@given(st.permutations(range(9)))
def test_order_of_rows_changes_no_answer(order):
    moved = {name: [column[i] for i in order] for name, column in VOTES.items()}
    one = panels.apply(VOTES, **NAMES).to_arrow().sort_by("unit")
    assert one.equals(panels.apply(moved, **NAMES).to_arrow().sort_by("unit"))


def test_any_frame_any_shape_and_any_word_for_a_vote_give_one_answer():
    expected = panels.apply(VOTES, **NAMES)
    words = VOTES | {"says": ["True" if x else "false" for x in VOTES["says"]]}
    for data in (
        pa.table(VOTES),
        pd.DataFrame(VOTES).astype({"who": "category", "says": bool}),
        pl.DataFrame(VOTES).with_columns(pl.col("says").cast(pl.Float64)),
        words,
    ):
        assert panels.apply(data, **NAMES).to_arrow().equals(expected.to_arrow())
    wide = panels.apply(WIDE, evaluator="who")
    assert wide.units.to_pylist() == ["30", "10", "20"]
    assert wide.to_arrow().drop_columns("unit").equals(expected.to_arrow().drop_columns("unit"))
    extra = panels.apply(WIDE | {"note": ["x", "y", "z"]}, evaluator="who", ignore=["note"])
    assert extra.to_arrow().equals(wide.to_arrow())


def test_malformed_and_absent_votes_count_as_0_only_when_told_to():
    broken = VOTES | {"says": ["1", "maybe", "1", "1", "", None, "2", "0", "1"]}
    with pytest.raises(ValueError, match=r"'says', row 2: 'maybe' is not a vote, 0 or 1 \(4 votes"):
        panels.apply(broken, **NAMES)
    result = panels.apply(broken, **NAMES, malformed="zero")
    assert result.positives.tolist() == [2, 0, 2]
    assert result.malformed == 4
    assert "4 malformed and 0 absent votes were counted as 0" in str(result)
    missing = {name: column[:8] for name, column in VOTES.items()}
    with pytest.raises(ValueError, match="'c' has no vote on task 20"):
        panels.apply(missing, **NAMES)
    assert panels.apply(missing, **NAMES, malformed="zero").absent == 1
    nan = VOTES | {"says": [1.0, float("nan"), 1, 1, 0, 0, 1, 0, 1]}
    with pytest.raises(ValueError, match="row 2: nan"):
        panels.apply(nan, **NAMES)


def test_weights_come_by_unit_not_by_position():
    options = Options(method="familywise", generator="catalogue", grid=[1], delta="0.6", eta_e="0.9")
    weights = {"unit": [10, 20, 30], "weight": [5, 2, 3]}
    result = panels.apply(VOTES, **NAMES, options=options, weights=weights)
    rule = result.certificate.passing.of(np.array([3, 0, 2]))[:, 0]
    assert result.certificate.share[0] == Fraction(int(rule @ [3, 5, 2]), 10)
    assert 0 < result.certificate.share[0] < 1


def test_passes_at_is_where_the_unit_passes_and_goes_on_passing():
    votes = {"evaluator": list(range(40))} | {f"u{c}": [int(i < c) for i in range(40)] for c in (40, 38, 37, 25, 1)}
    result = panels.apply(votes)
    table = panels.certify([40, 38, 37, 25, 1], 40).passing.of(result.positives)
    for row, at in zip(table, result.passes_at, strict=True):
        onwards = [size for i, size in enumerate(Options().grid) if row[i:].all()]
        assert at == (min(onwards) if onwards else 0)
    assert result.to_arrow()["passes_at"].to_pylist()[3] is None


@pytest.mark.parametrize(
    ("change", "kwargs", "message"),
    [
        ({"who": ["a"] * 9}, {}, "rows 1 and 4: who 'a' votes twice on task 30"),
        ({}, {"evaluator": "nobody"}, "no column 'nobody'"),
        ({}, {"unit": None}, "unit, vote: name both"),
        ({}, {"unit": None, "vote": None}, "stands twice; one row is one evaluator"),
        ({}, {"ignore": ["task"]}, "only a wide table"),
        ({}, {"malformed": "one"}, "malformed='one'"),
        ({}, {"options": Options(delta="0")}, "delta=0"),
        ({}, {"options": Options(theta="1")}, "theta=1"),
        ({}, {"options": Options(grid=[3, 3])}, r"grid\[1\]=3: sizes must increase"),
        ({}, {"options": Options(grid=[])}, "grid"),
        ({}, {"options": Options(method="bonferroni")}, "method='bonferroni'"),
        ({}, {"options": Options(generator="clt")}, "generator='clt'"),
        ({}, {"options": Options(xi_e="0.2")}, "xi_e=0.2: must be below beta=0.10"),
        ({}, {"options": Options(eta_e="0.6", eta_g="0.5")}, "must sum to less than 1"),
        ({}, {"weights": {"unit": [10], "weight": [1]}}, "unit '30' has no weight"),
        ({}, {"weights": {"unit": [10, 20, 30], "weight": [1, 1, 1]}}, "only a fixed catalogue"),
        ({}, {"weights": {"unit": [10, 10, 30], "weight": [1, 1, 1]}}, "row 2: unit 10 stands twice"),
        ({}, {"weights": {"unit": [10, 20, 30, 4], "weight": [1, 1, 1, 1]}}, "unit '4' is not among"),
        ({}, {"shares": ["1.5"]}, r"budgets\[0\]=1.5"),
    ],
)
def test_bad_input_is_named(change, kwargs, message):
    with pytest.raises(ValueError, match=message):
        panels.apply(VOTES | change, **(NAMES | kwargs))


def test_one_unit_one_evaluator_one_size():
    result = panels.apply({"evaluator": [1], "u": [1]}, options=Options(grid=[1]))
    assert result.positives.tolist() == [1]
    assert result.certificate.chosen is None
    assert result.stable.tolist() == [1]
    assert "1 units cannot certify anything" in result.warnings[0]


def test_real_evaluators_census_and_certificate_side_by_side():
    """The packaged matrix: 80 evaluators, 240 units, a third of them ambiguous by construction."""
    data = tables.read(tables.PACKAGED / "panels.parquet")
    result = panels.apply(data)
    assert (result.evaluators, len(result)) == (80, 240)
    assert result.certificate.chosen is None
    assert result.certificate.passes.tolist() == [0, 6, 20, 47, 63, 81, 97, 105]
    assert result.certificate.bound[-1] == pytest.approx(0.32508, abs=1e-5)
    within = (result.stable <= 47).sum()
    assert within == 199  # the frozen census says yes far more often
    assert all(result.stable[result.passes_at > 0] <= 47)
    easy = panels.apply(tables.where(data, "stratum=easy"), options=Options(beta="0.35"))
    assert easy.certificate.chosen is not None
    assert f"Certified at K = {easy.certificate.chosen}" in str(easy)
    text = str(result)
    for part in ("Not certified", "K=47", "Units needed if every one passes: 74.", "no unit can pass at K = 3"):
        assert part in text
    assert "<table>" in result._repr_html_()
    assert "<table>" in result.contamination._repr_html_()


def test_check_finds_copies_malformed_votes_and_dependent_groups():
    rng = np.random.default_rng(1)
    base = rng.integers(0, 2, size=(4, 30))
    votes = np.repeat(base, 5, axis=0) ^ (rng.random((20, 30)) < 0.1)
    votes[1] = votes[0]
    data = {"evaluator": [f"e{i}" for i in range(20)], "model": [i // 5 for i in range(20)]}
    data |= {f"u{a}": votes[:, a].tolist() for a in range(30)}
    audit = panels.check(data, group="model")
    assert any("1 evaluators vote exactly as another" in text for text in audit.warnings)
    assert any("independent draws only if each evaluator's group" in text for text in audit.warnings)
    mixed = data | {"model": [i % 5 for i in range(20)]}
    assert not any("group" in text for text in panels.check(mixed, group="model").warnings)
    long = panels.check(VOTES | {"says": ["1", "x", *"1100101"]}, **NAMES)
    assert any("1 malformed votes (the first in row 2)" in text for text in long.warnings)
    one = panels.check(data | {"model": [0] * 20}, group="model")
    assert any("says nothing" in finding.text for finding in one.findings)
