"""Adaptive stopping: looks at fixed counts, targets reached, bounds from confidence sequences, the same bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from engine.runs import digest, go
from typeone.engine.manifest import read

RATES = {"rate": ["1/100", "1/20", "1/5"]}


def stops(folder: Path, stop: dict[str, Any], most: int = 4000, **values: Any) -> dict[int, int]:
    values = {"factors": RATES, "repetitions": most} | values
    return go(folder, stop=stop, **values).stopped


def test_cells_stop_when_their_verdict_is_decided(tmp_path: Path) -> None:
    stopped = stops(tmp_path, {"verdict": True, "first": 100})
    assert stopped.keys() == {0, 2}  # at the level itself nothing is decided
    rows = {row["cell"]: row for row in pq.read_table(tmp_path / "summary.parquet").to_pylist() if row["verdict"]}
    assert [rows[cell]["verdict"] for cell in range(3)] == ["holds", "undecided", "violated"]
    assert [rows[cell]["attempted"] for cell in range(3)] == [stopped[0], 4000, stopped[2]]
    assert {row["bounds"] for row in rows.values()} == {"sequence"}
    assert set(stopped.values()) <= {100, 200, 400, 800, 1600, 3200}
    manifest = read(tmp_path)
    assert manifest.stopped == stopped
    assert manifest.completed == 4000 + sum(stopped.values()) < manifest.planned


@pytest.mark.parametrize(
    ("stop", "column", "target"),
    [
        ({"measures": ["size"], "mc_se": 30.0}, "mc_se", 30.0),
        ({"measures": ["part"], "half_width": 0.05}, "half", 0.05),
        ({"measures": ["error", "part"], "mc_se": 0.01}, "mc_se", 0.01),
    ],
)
def test_every_named_measure_reaches_the_target_at_the_first_look_that_shows_it(
    tmp_path: Path, stop: dict[str, Any], column: str, target: float
) -> None:
    stopped = stops(tmp_path / "run", {**stop, "first": 50})
    assert stopped.keys() == {0, 1, 2}

    def worst(folder: Path, cell: int) -> float:
        rows = pq.read_table(folder / "summary.parquet").to_pylist()
        named = [row for row in rows if row["cell"] == cell and row["measure"] in stop["measures"]]
        return max(row["mc_se"] if column == "mc_se" else (row["upper"] - row["lower"]) / 2 for row in named)

    for cell, count in stopped.items():
        assert worst(tmp_path / "run", cell) <= target
        if count > 50:
            go(tmp_path / str(cell), factors=RATES, repetitions=count // 2, bounds="sequence")
            assert worst(tmp_path / str(cell), cell) > target


def test_where_a_cell_stops_does_not_depend_on_workers_chunks_or_resuming(tmp_path: Path) -> None:
    stop = {"verdict": True, "looks": [150, 333, 1000]}
    values: dict[str, Any] = {"factors": {**RATES, "fail_every": [0, 40]}, "stop": stop, "repetitions": 1500}
    go(tmp_path / "one", chunk=1500, **values)
    go(tmp_path / "two", chunk=70, jobs=2, **values)
    assert digest(tmp_path / "one") == digest(tmp_path / "two")
    go(tmp_path / "two", chunk=70, **values)
    assert digest(tmp_path / "one") == digest(tmp_path / "two")
    go(tmp_path / "less", **{**values, "repetitions": 333})
    go(tmp_path / "less", **values)
    assert digest(tmp_path / "one") == digest(tmp_path / "less")


def test_a_rate_of_zero_so_far_does_not_stop_by_its_standard_error(tmp_path: Path) -> None:
    stop = {"measures": ["error"], "mc_se": 0.003, "first": 50}
    (count,) = stops(tmp_path, stop, factors={"rate": 0}).values()
    assert count > 400


@pytest.mark.parametrize(
    ("stop", "told"),
    [
        ({"measures": ["eror"], "mc_se": 1.0}, r"no measure 'eror'; did you mean 'error'"),
        ({"measures": ["part"], "verdict": True}, "'part' is no claim"),
    ],
)
def test_a_rule_that_does_not_fit_the_study_is_told(tmp_path: Path, stop: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        go(tmp_path, stop=stop)
    assert not (tmp_path / "manifest.json").exists()
