"""Failures are data: counted, kept with their error, never redrawn, and shown under both readings."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from engine.runs import digest, environment, go
from engine.trivial import REFERENCE, STUDY
from typeone.engine.design import design_from
from typeone.engine.export import export
from typeone.engine.intervals import rate_fixed
from typeone.engine.lookup import changed, design_called
from typeone.engine.manifest import read
from typeone.engine.resolved import resolve
from typeone.engine.runner import run
from typeone.engine.status import status
from typeone.engine.study import Cell, Column, Columns, Study
from typeone.engine.workers import MAX_MESSAGE, simulate


def cell(**factors: Any) -> Cell:
    return resolve(design_from({"study": REFERENCE, "factors": factors})).cells[0]


def test_failed_repetitions_are_counted_and_leave_no_row(tmp_path: Path) -> None:
    result = go(tmp_path, factors={"rate": ["1/20", 0.5], "fail_every": 10})
    assert result.state == "complete"
    assert (result.completed, result.failed) == (1000, 100)
    rows = {row["measure"]: row for row in result.summary.to_pylist() if row["cell"] == 1}
    assert (rows["error"]["attempted"], rows["error"]["valid"], rows["error"]["failed"]) == (500, 450, 50)
    export(tmp_path, tmp_path / "t.parquet")
    stored = pq.read_table(tmp_path / "t.parquet").to_pylist()
    there = [row["repetition"] for row in stored if row["cell"] == 1 and row["measure"] == "error"]
    assert there == [repetition for repetition in range(500) if repetition % 10 != 9]


def test_a_halved_batch_gives_what_the_whole_one_would() -> None:
    point = cell(rate=0.5, fail_every=10)
    halved = simulate(STUDY, point, None, 0, 95)
    calm = replace(point, parameters=point.parameters.model_copy(update={"fail_every": 0}))
    whole = simulate(STUDY, calm, None, 0, 95)
    assert [failure.repetition for failure in halved.failures] == list(range(9, 95, 10))
    assert {(failure.kind, failure.message) for failure in halved.failures} == {("RuntimeError", "no luck among 10")}
    np.testing.assert_array_equal(halved.repetitions, np.setdiff1d(np.arange(95), np.arange(9, 95, 10)))
    np.testing.assert_array_equal(halved.values, whole.values[halved.repetitions])


def test_a_rate_has_bounds_under_both_readings(tmp_path: Path) -> None:
    result = go(tmp_path, factors={"fail_every": 5}, repetitions=100)
    row = result.summary.to_pylist()[0]
    ones = round(row["estimate"] * row["valid"])
    assert (row["valid"], row["failed"]) == (80, 20)
    assert (row["lower"], row["upper"]) == rate_fixed(ones, 80, 0.025)
    assert (row["lower_failed_as_0"], row["upper_failed_as_0"]) == rate_fixed(ones, 100, 0.025)
    assert (row["lower_failed_as_1"], row["upper_failed_as_1"]) == rate_fixed(ones + 20, 100, 0.025)


@pytest.mark.parametrize(("level", "fails", "verdict"), [(0.7, 0, "holds"), (0.7, 4, "undecided")])
def test_failures_can_take_a_verdict_away(tmp_path: Path, level: float, fails: int, verdict: str) -> None:
    result = go(tmp_path, factors={"fail_every": fails, "rate": "0.6"}, levels=[level], repetitions=200)
    assert result.summary.to_pylist()[0]["verdict"] == verdict


def test_when_every_repetition_fails_no_rate_is_shown(tmp_path: Path) -> None:
    result = go(tmp_path, factors={"fail_every": 1}, repetitions=30)
    rows = result.summary.to_pylist()
    assert [row["measure"] for row in rows] == ["error", "part", "size", "edge"]
    for row in rows:
        assert row["estimate"] is None
        assert (row["attempted"], row["valid"], row["failed"]) == (30, 0, 30)
    assert (rows[0]["lower"], rows[0]["upper"]) == (0.0, 1.0)


def test_the_run_stops_beyond_the_share_and_goes_on_when_more_are_allowed(tmp_path: Path) -> None:
    design = design_from(
        {"study": REFERENCE, "repetitions": 1000, "chunk": 50, "factors": {"rate": "1/2", "fail_every": 25}}
    )
    result = run(design, tmp_path)
    assert result.state == "too many failures"
    assert (result.completed, result.failed) == (300, 12)
    assert read(tmp_path).completed == 300
    told = status(tmp_path)
    assert told.state == "too many failures"
    assert told.kinds == {"RuntimeError": 12}
    assert told.examples[0][1].repetition == 24
    assert run(design, tmp_path, max_failures=0.04).state == "complete"
    with pytest.raises(ValueError, match="max_failures=2"):
        run(design, tmp_path, max_failures=2)


def study_that(columns: Any) -> Study:
    def simulate(cell: Cell, shared: Any, first: int, count: int) -> Columns:
        return columns(first, count)

    return replace(STUDY, simulate=simulate)


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        (lambda first, count: {Column("a", "error"): np.zeros(count + 1)}, r"shape \(2,\) instead of \(1,\)"),
        (lambda first, count: {Column("a", "error"): np.full(count, np.inf)}, "infinite"),
        (lambda first, count: {Column("a", "eror"): np.zeros(count)}, "declares no measure 'eror'"),
        (lambda first, count: {Column("a", "error"): np.array(["x"] * count)}, "could not convert"),
    ],
)
def test_what_a_study_must_not_return_is_a_failure(columns: Any, told: str) -> None:
    batch = simulate(study_that(columns), cell(), None, 5, 3)
    assert [failure.repetition for failure in batch.failures] == [5, 6, 7]
    assert batch.values.shape == (0, 0)
    for failure in batch.failures:
        with pytest.raises(ValueError, match=told):
            raise ValueError(failure.message)


def test_columns_of_some_repetitions_only_are_failures() -> None:
    def columns(first: int, count: int) -> Columns:
        if count > 1:
            raise ArithmeticError
        return {Column("a" if first < 2 else "b", "error"): np.zeros(1)}

    batch = simulate(study_that(columns), cell(), None, 0, 4)
    assert batch.columns == (Column("a", "error"),)
    assert [failure.repetition for failure in batch.failures] == [2, 3]


def test_a_long_message_is_cut() -> None:
    def columns(first: int, count: int) -> Columns:
        raise KeyError("x" * 10_000)

    (failure,) = simulate(study_that(columns), cell(), None, 0, 1).failures
    assert len(failure.message) == MAX_MESSAGE


def test_missing_values_are_attempted_but_not_valid(tmp_path: Path) -> None:
    rows = go(tmp_path, repetitions=400).summary.to_pylist()
    edge = next(row for row in rows if row["measure"] == "edge" and row["cell"] == 0)
    assert edge["attempted"] == 400
    assert 250 < edge["valid"] < 350
    assert edge["failed"] == 0
    shares = [row["estimate"] for row in rows if row["cell"] == 0 and row["measure"].startswith("edge_")]
    assert len(shares) == 3
    assert sum(shares) == pytest.approx(1.0)


def test_a_study_that_exits_fails_and_ctrl_c_does_not() -> None:
    def leave(cell: Cell, shared: None, first: int, count: int) -> Columns:
        if first <= 3 < first + count:
            raise SystemExit("enough")
        return STUDY.simulate(cell, shared, first, count)

    def interrupt(cell: Cell, shared: None, first: int, count: int) -> Columns:
        raise KeyboardInterrupt

    batch = simulate(replace(STUDY, simulate=leave), cell(), None, 0, 8)
    assert batch.failures == ((3, "SystemExit", "enough"),)
    assert batch.repetitions.tolist() == [0, 1, 2, 4, 5, 6, 7]
    with pytest.raises(KeyboardInterrupt):
        simulate(replace(STUDY, simulate=interrupt), cell(), None, 0, 8)


OWN = """
import numpy as np
from pydantic import BaseModel
from typeone.engine.study import Column, Measure, Study


class Nothing(BaseModel):
    n: int = 1


def simulate(cell, shared, first, count):
    return {Column("m", "fpr", LEVEL): np.full(count, VALUE)}


STUDY = Study("own", "One of a user's own.", Nothing, (Measure("fpr", KIND, claim=True),), simulate)
"""


def own(folder: Path, level: str = "0.05", value: str = "0.0", kind: str = "rate") -> None:
    text = OWN.replace("LEVEL", repr(level)).replace("VALUE", value).replace("KIND", repr(kind))
    (folder / "own.py").write_text(text)


def typed(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """The command line in a process of its own, which imports the study anew."""
    command = [sys.executable, "-m", "typeone", *words]
    return subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True, check=False)


RUN = ("run", "own:STUDY", "--out", "run", "--reps", "20")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"level": "5%"}, "('m', 'fpr', '5%')"),
        ({"value": "0.5"}, "('m', 'fpr', '0.05'): a measure of kind 'rate' holds a value that is neither 0 nor 1"),
        ({"value": "1.5", "kind": "fraction"}, "('m', 'fpr', '0.05'): a measure of kind 'fraction' holds a value outs"),
        ({"value": "np.inf"}, "an infinite value"),
    ],
)
def test_values_that_no_measure_has_fail_where_they_arise(tmp_path: Path, change: dict[str, str], told: str) -> None:
    own(tmp_path, **change)
    done = typed(tmp_path, *RUN)
    assert done.returncode == 1
    assert told in done.stderr
    assert "cell 0, repetition 0: ValueError: " in done.stderr


def test_a_kind_that_there_is_not_is_refused_at_once(tmp_path: Path) -> None:
    own(tmp_path, kind="bounded")
    done = typed(tmp_path, *RUN, "--dry-run")
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].endswith(
        "measure 'fpr': kind='bounded' is not one of rate, fraction, mean, gain"
    )


def test_rows_without_a_value_are_told(tmp_path: Path) -> None:
    own(tmp_path, value="np.nan")
    done = typed(tmp_path, *RUN)
    assert done.returncode == 0, done.stderr
    assert "1 of 1 rows have no valid value" in done.stdout
    own(tmp_path)
    assert "valid value" not in typed(tmp_path, *RUN[:3], "other", *RUN[4:]).stdout


def test_repetitions_of_two_programs_are_never_mixed(tmp_path: Path) -> None:
    own(tmp_path)
    assert typed(tmp_path, *RUN).returncode == 0
    before = digest(tmp_path / "run")
    own(tmp_path, value="1.0")
    for more in ("20", "40"):
        done = typed(tmp_path, *RUN[:-1], more)
        assert done.returncode == 2
        assert "it differs in the text of the module own. Choose another folder" in done.stderr
    assert "its module" in typed(tmp_path, "replay", "run", "--cell", "0", "--rep", "3").stderr
    own(tmp_path)
    assert typed(tmp_path, *RUN).returncode == 0
    assert digest(tmp_path / "run") == before


def test_the_module_of_a_statistic_of_ones_own_counts_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    file = tmp_path / "statistic_of_mine.py"
    found = []
    for text in ("def s(x): return x.mean()", "def s(x): return x.max()", "def s(x): return x.mean()"):
        file.write_text(text)
        design = changed(design_called("scf"), {"own": "statistic_of_mine:s", "repetitions": 5})
        found.append(resolve(design).identity)
    assert found[0] == found[2] != found[1]
    assert "code" not in resolve(design_called("scf")).facts
