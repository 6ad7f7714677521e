"""Pooling's audit, its command line, what a result looks like, and the evaluator matrix."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from twins.pooling import dependent_votes, long
from typeone import pooling, tables
from typeone.cli.root import main

SHARED = Path(__file__).parents[3] / "shared" / "data"
VOTES = {"item": ["a", "a", "b"], "source": ["x", "y", "x"], "vote": [1, 0, 1]}


def test_the_audit_finds_repeats_gaps_and_dependence():
    repeated = pooling.check(VOTES | {"source": ["x", "x", "x"]})
    assert any("repeat a source on an item (the first is row 2), 1 with another vote" in w for w in repeated.warnings)
    right = [0.85, 0.8, 0.7, 0.75, 0.8]
    dependent = pooling.check(dependent_votes(2, 200, right, 0.9, 150), label="truth")
    assert any("sources err together" in w for w in dependent.warnings)
    independent = pooling.check(dependent_votes(2, 200, right, 0.0, 150), label="truth")
    assert not independent.warnings
    gaps = pooling.check(long([[1, None], [None, None], [1, 1]]))
    assert any("1 items have no vote" in w for w in gaps.warnings)
    assert any("items have 0 to 2 votes" in w for w in gaps.warnings)
    wrong = dependent_votes(2, 200, [0.8, 0.2], 0.0, 150)
    assert any("1 sources are right less than half" in w for w in pooling.check(wrong, label="truth").warnings)


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as stop:
        main([str(argument) for argument in arguments])
    seen = capsys.readouterr()
    return stop.value.code, seen.out, seen.err


def test_the_command_line_applies_checks_and_answers(tmp_path, capsys):
    votes, listed, out = tmp_path / "votes.csv", tmp_path / "reliability.csv", tmp_path / "out.parquet"
    votes.write_text("unit,judge,says,truth\n7,x,true,1\n7,y,false,1\n8,x,0,\n8,y,0,\n9,x,,0\n9,y,1,0\n")
    listed.write_text("judge,reliability\nx,0.9\ny,0.8\n")
    columns = ["--item", "unit", "--source", "judge", "--vote", "says"]
    code, text, _ = run(
        capsys, "apply", "pooling", votes, *columns, "--label", "truth", "--reliability", listed,
        "--accept", ".65", "--reject", ".05", "--out", out, "--tau", 1, "--explain", 7,
        "--contributions", tmp_path / "moved.csv",
    )  # fmt: skip
    assert code == 0
    rows = tables.read(out).to_pylist()
    assert [row["item"] for row in rows] == [7, 8, 9]
    assert [row["decision"] for row in rows] == ["accept", "reject", "accept"]
    assert rows[0]["posterior"] == pytest.approx(9 / 13)
    assert rows[0]["log_odds"] == pytest.approx(math.log(9 / 4))
    assert "Your rule count >= 1 corresponds" in text
    assert tables.read(tmp_path / "moved.csv").num_rows == 5
    code, text, _ = run(capsys, "apply", "pooling", votes, *columns, "--label", "truth", "--json")
    assert (code, len(json.loads(text))) == (0, 3)
    code, text, _ = run(capsys, "check", "pooling", votes, *columns, "--label", "truth", "--json")
    assert code == 0
    assert any("2 of 3 items have a label, 1 of them true" in f["text"] for f in json.loads(text))
    code, text, _ = run(capsys, "pooling", "drift", "--tau", 2, "--reliability", ".8", "--n", 3, "--n", 12)
    assert (code, text.startswith("Your rule count >= 2 equals posterior threshold 0.8 at n = 3")) == (0, True)
    code, text, _ = run(capsys, "pooling", "reconcile", "--reliability", ".79", "--reliability", ".81")
    assert (code, "n = 2" in text) == (0, True)
    code, text, _ = run(capsys, "pooling", "reconcile", "--reliability", ".8", "--most", 3)
    assert "Any panel of up to 3 such sources has a tau that does." in text
    code, _, error = run(capsys, "apply", "pooling", votes, *columns, "--out", tmp_path / "out.xlsx")
    assert (code, "must end in" in error) == (2, True)


def test_the_result_reads_well_and_escapes_names():
    table = long([[1, None], [0, None]], sources=["<b>", "y"]).append_column("truth", pa.array([1, 1, 0, 0]))
    result = pooling.apply(table, label="truth")
    text, page = str(result), result._repr_html_()
    assert "2 items, 2 sources (reliabilities estimated on 1 items)" in text
    assert "each at" in result.guarantee or "Each bound holds with probability 0.95" in text
    assert "counting against pooling on 1 held-out items" in text
    assert "<b>" not in page


@pytest.mark.skipif(
    not (SHARED / "panel_votes.parquet").exists(), reason="the evaluator matrix is not beside the checkout"
)
def test_on_the_evaluator_matrix_pooling_is_overconfident_and_orders_no_better():
    """80 language-model evaluators that share 15 checkpoints: strongly dependent given the unit."""
    units_table = pq.read_table(SHARED / "panel_units.parquet")
    truth = dict(zip(units_table["unit"].to_pylist(), units_table["truth"].to_pylist(), strict=True))
    votes = pq.read_table(SHARED / "panel_votes.parquet")
    labels = [truth[unit] if truth[unit] >= 0 else None for unit in votes["unit"].to_pylist()]
    votes = votes.append_column("truth", pa.array(labels, pa.int8()))
    columns = {"item": "unit", "source": "evaluator", "label": "truth"}
    result = pooling.apply(votes, **columns)
    rows = {q.rule: q for q in result.comparison}
    assert int(result.held_out.sum()) == 80
    assert rows["pooled"].overconfidence > 0.1
    assert rows["pooled"].brier > rows["vote share"].brier
    assert abs(rows["pooled"].auroc - rows["vote count"].auroc) < 0.05
    assert any("overconfident here" in warning for warning in result.warnings)
    assert any("sources err together" in warning for warning in pooling.check(votes, **columns).warnings)
