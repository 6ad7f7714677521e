"""The same bytes for any number of workers, chunk size, backend and order, after a resume and a top-up."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from engine.runs import FACTORS, digest, go
from engine.trivial import MARKS, REFERENCE
from typeone.engine import flight
from typeone.engine.export import SCHEMA, export
from typeone.engine.manifest import read
from typeone.engine.replay import replay
from typeone.engine.workers import Failure


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    folder = tmp_path_factory.mktemp("runs") / "one"
    go(folder, factors=FACTORS, chunk=1000)
    return digest(folder)


@pytest.mark.parametrize(
    ("jobs", "chunk", "backend"),
    [(1, 7, "loky"), (1, 150, "loky"), (2, 90, "loky"), (5, 1000, "loky"), (2, 7, "threading"), (2, None, "loky")],
)
def test_bytes_do_not_depend_on_workers_chunks_or_backend(
    tmp_path: Path, expected: tuple[str, str], jobs: int, chunk: int | None, backend: str
) -> None:
    result = go(tmp_path, factors=FACTORS, jobs=jobs, chunk=chunk, backend=backend)
    assert result.state == "complete"
    assert digest(tmp_path) == expected


def test_chunks_of_one_repetition(tmp_path: Path) -> None:
    values = {"repetitions": 40, "factors": {"fail_every": 9}}
    go(tmp_path / "one", chunk=1, **values)
    go(tmp_path / "all", chunk=40, **values)
    assert digest(tmp_path / "one") == digest(tmp_path / "all")


def test_bytes_do_not_depend_on_the_order_of_completion(
    tmp_path: Path, expected: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shuffler = random.Random(5)

    class Shuffled(flight.Flight):
        def __iter__(self) -> Any:
            landings = [landing for landing in super().__iter__() if landing is not None]
            shuffler.shuffle(landings)
            return iter(landings)

    monkeypatch.setattr("typeone.engine.runner.Flight", Shuffled)
    go(tmp_path, factors=FACTORS, chunk=30)
    assert digest(tmp_path) == expected


def test_a_top_up_equals_a_run_that_asked_for_all_at_once(tmp_path: Path, expected: tuple[str, str]) -> None:
    go(tmp_path, factors=FACTORS, chunk=70, repetitions=100)
    first = read(tmp_path)
    go(tmp_path, factors=FACTORS, chunk=45, repetitions=500)
    assert read(tmp_path).chunks.items() >= first.chunks.items()
    assert digest(tmp_path)[1] == expected[1]
    topped = pq.read_table(tmp_path / "summary.parquet")
    assert set(topped["bounds"].to_pylist()) == {"sequence"}

    go(tmp_path / "once", factors=FACTORS, bounds="sequence")
    assert digest(tmp_path)[0] == digest(tmp_path / "once")[0]

    go(tmp_path / "fixed", factors=FACTORS)
    exact = pq.read_table(tmp_path / "fixed" / "summary.parquet")
    for name in ("estimate", "mc_se", "sd", "attempted", "valid", "failed"):
        assert topped[name] == exact[name]
    assert all(
        wide <= tight for wide, tight in zip(*(t["lower"].to_pylist() for t in (topped, exact)), strict=True) if wide
    )


def test_a_finished_run_is_not_computed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    marks = tmp_path / "marks"
    marks.mkdir()
    monkeypatch.setenv(MARKS, str(marks))
    go(tmp_path / "run")
    before = digest(tmp_path / "run")
    shared = (marks / "shared").read_text()
    go(tmp_path / "run", chunk=3, jobs=2)
    assert (marks / "shared").read_text() == shared
    assert digest(tmp_path / "run") == before


def test_shared_objects_are_built_once_in_the_parent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MARKS, str(tmp_path))
    factors = {"big": [False, True], "rate": ["1/20", 0.5], "shift": [0, 1]}
    go(tmp_path / "run", factors=factors, jobs=2, chunk=100)
    built = (tmp_path / "shared").read_text().split()
    assert built == ["0", "4", "0", "4"]  # the trial's two kinds of cells, then the run's


def test_the_export_is_the_whole_table_in_canonical_order(tmp_path: Path) -> None:
    go(tmp_path, chunk=33)
    assert export(tmp_path, tmp_path / "t.parquet") == 2 * 500 * 4
    table = pq.read_table(tmp_path / "t.parquet")
    assert table.schema.equals(SCHEMA)
    keys = [(name, "ascending") for name in SCHEMA.names[:-1]]
    assert table.select(SCHEMA.names[:-1]).equals(table.sort_by(keys).select(SCHEMA.names[:-1]))
    assert table["repetition"].to_pylist()[:8] == [0] * 4 + [1] * 4
    export(tmp_path, tmp_path / "t.csv")
    assert len((tmp_path / "t.csv").read_text().splitlines()) == 4001
    with pytest.raises(ValueError, match="must end in"):
        export(tmp_path, tmp_path / "t.xlsx")


def test_paired_cells_share_random_numbers_and_others_do_not(tmp_path: Path) -> None:
    go(tmp_path, factors={"rate": ["1/20", 0.5], "shift": [0, 7]}, repetitions=50)
    export(tmp_path, tmp_path / "t.parquet")
    rows = pq.read_table(tmp_path / "t.parquet").to_pylist()
    part = {cell: [r["value"] for r in rows if r["cell"] == cell and r["measure"] == "part"] for cell in range(4)}
    assert part[0] == part[1]
    assert part[2] == part[3]
    assert not set(part[0]) & set(part[2])
    assert len(set(part[0])) == 50


def test_another_seed_is_another_run_and_one_more_cell_changes_no_other(tmp_path: Path) -> None:
    one = go(tmp_path / "a", seed=1).summary.to_pylist()
    two = go(tmp_path / "b", seed=2).summary.to_pylist()
    more = go(tmp_path / "c", seed=1, factors={"rate": [0.3, "0.050", 0.5]}).summary.to_pylist()
    assert [row["estimate"] for row in one] != [row["estimate"] for row in two]
    assert [row["estimate"] for row in one] == [row["estimate"] for row in more if row["cell"] > 0]


def test_replay_computes_a_stored_repetition_again(tmp_path: Path) -> None:
    go(tmp_path, chunk=30, factors={"fail_every": 50, "rate": "0.3"})
    made = replay(tmp_path, 0, 123)
    assert made.is_equal
    assert len(made.stored) == 4
    failed = replay(tmp_path, 0, 149)
    assert failed.is_equal
    assert isinstance(failed.stored, Failure)
    with pytest.raises(ValueError, match="not among the completed"):
        replay(tmp_path, 0, 500)
    with pytest.raises(ValueError, match="cells 0 to 0"):
        replay(tmp_path, 1, 0)


def test_replay_notices_a_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go(tmp_path)
    monkeypatch.setattr("engine.trivial.draw", lambda key, first, out: out.fill(0.5))
    assert not replay(tmp_path, 0, 3).is_equal


def test_a_finished_run_says_with_what_it_was_made(tmp_path: Path) -> None:
    go(tmp_path)
    written = json.loads((tmp_path / "manifest.json").read_text())
    assert written["planned"] == written["completed"] == 1000
    assert written["failed"] == 0
    assert written["versions"].keys() >= {"python", "numpy", "numba"}
    assert written["machine"]["threads"] >= 1
    assert written["design"]["study"] == REFERENCE
    assert written["facts"]["seed"] == 1
    session = written["sessions"][0]
    assert session["state"] == "complete"
    assert session["start"] <= session["end"]


def test_a_result_shows_a_table_and_a_figure_in_a_notebook(tmp_path: Path) -> None:
    shown = go(tmp_path, repetitions=50)._repr_html_()
    assert "complete: 100 of 100 repetitions, 0 failed" in shown
    assert shown.count("<svg") == 1
    assert "<table" in shown
