"""Summaries in the terminal, and the words of a progress bar."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from engine.trivial import REFERENCE
from typeone.cli import summaries
from typeone.cli.root import main
from typeone.engine.summary import summarize
from typeone.terminal.output import harmless, in_words, progress


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("run") / "run"
    with pytest.raises(SystemExit):
        main(["run", "coin", "--reps", "300", "--out", str(out), "--quiet"])
    return out


@pytest.fixture
def told(folder: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    def told(*words: str, code: int = 0) -> str:
        with pytest.raises(SystemExit) as ended:
            main(["summary", str(folder), *words])
        out, err = capsys.readouterr()
        assert (ended.value.code or 0) == code, err
        return out

    return told


def test_a_cell_has_one_heading_with_what_distinguishes_it_and_its_counts(told: Any) -> None:
    lines = told().splitlines()
    assert lines[0] == "every cell: flips 10"
    headings = [line for line in lines if line.startswith("cell ")]
    assert headings[2] == "cell 2: heads 0.3, excess 0; 300 repetitions attempted, 0 failed"
    assert len(headings) == 4
    assert max(map(len, lines)) <= 80


def test_every_row_of_the_summary_is_there_with_its_numbers(told: Any, folder: Path) -> None:
    rows = [row for row in summarize(folder).to_pylist() if row["measure"] in ("error", "share")]
    words = told("--measure", "error", "--measure", "share").splitlines()
    lines = [line.split() for line in words if "300/300" in line]
    assert len(lines) == len(rows)
    for row, line in zip(rows, lines, strict=True):
        assert line[0] == row["method"]
        place = line.index("±")
        assert float(line[place - 1]) == pytest.approx(row["estimate"], rel=5e-4)
        assert float(line[place + 1]) == pytest.approx(row["mc_se"], rel=0.05)
        low, high = float(line[place + 2].rstrip(",")), float(line[place + 3])
        assert row["lower"] - row["mc_se"] / 10 <= low <= row["lower"]
        assert row["upper"] <= high <= row["upper"] + row["mc_se"] / 10
        assert line[-1] == (row["verdict"] or "300/300")


def test_filters_pick_rows_in_every_format(told: Any, folder: Path) -> None:
    everything = summarize(folder).to_pylist()

    def rows(*words: str) -> list[dict[str, Any]]:
        return json.loads(told("--format", "json", *words))  # type: ignore[no-any-return]

    assert rows() == everything == json.loads(told("--json"))
    assert rows("--cell", "1", "--cell", "3") == [r for r in everything if r["cell"] in (1, 3)]
    assert rows("--level", "1/10") == [r for r in everything if r["level"] == "0.1"]
    assert rows("--claims") == [r for r in everything if r["measure"] == "error"]
    both = rows("--method", "bold", "--measure", "error", "--level", ".05", "--cell", "2")
    assert both == [r for r in everything if (r["method"], r["level"], r["cell"]) == ("bold", "0.05", 2)]
    table = list(csv.DictReader(io.StringIO(told("--format", "csv", "--claims"))))
    assert len(table) == 16
    assert list(table[0]) == list(everything[0])


def test_quiet_names_the_claims_that_are_not_shown_to_hold(told: Any, folder: Path) -> None:
    open_claims = [r for r in summarize(folder).to_pylist() if r["verdict"] not in (None, "holds")]
    lines = told("--quiet").splitlines()
    assert len(lines) == len(open_claims) > 0
    assert lines[0].startswith(f"cell 0, {open_claims[0]['method']} error at 0.05: ")


def test_a_long_summary_ends_with_what_to_do_unless_rows_were_asked_for(
    told: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(summaries, "MOST_ROWS", 5)
    assert "more rows: --cell, --method, --measure, --level" in told()
    assert "more rows" not in told("--claims")
    assert "cell 3" in told("--quantile", ".5", "--cell", "3")


def test_failures_are_shown_with_the_interval_of_every_reading(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--reps", "40", "--fail_every", "10", "--max-failures", "1", "--backend", "threading"]
    with pytest.raises(SystemExit):
        main(["run", REFERENCE, *words, "--out", str(tmp_path / "r")])
    out = capsys.readouterr().out
    assert "40 repetitions attempted, 4 failed" in out
    assert "36/40" in out
    table = summarize(tmp_path / "r")
    row = next(r for r in table.to_pylist() if r["lower_failed_as_0"] is not None)
    shown = summaries._columns([row])
    assert shown[0][6:8] == ["failed", "interval, failed as 0 to 1"]
    low, high = map(float, shown[1][0][7].split(", "))
    assert low <= row["lower_failed_as_0"]
    assert high >= row["upper_failed_as_1"]


def test_intervals_are_rounded_outwards() -> None:
    assert summaries._interval(0.123456, 0.223456, 0.012) == "0.123, 0.224"
    assert summaries._interval(-0.0019, 0.5, 0.2) == "-0.01, 0.50"
    assert summaries._interval(1.0, 2.0, 0.0) == "1, 2"
    assert summaries._interval(None, 2.0, 0.1) == "–"


def test_a_table_without_rows_to_pick_is_an_error(folder: Path) -> None:
    empty = summarize(folder).slice(0, 0)
    with pytest.raises(ValueError, match="--cell 0"):
        summaries.pick(empty, summaries.Wanted(cells=[0]), folder)
    assert isinstance(summaries.pick(empty, summaries.Wanted(), folder), pa.Table)


@pytest.mark.parametrize(
    ("done", "total", "here", "seconds", "words"),
    [
        (0, 400, 0, 1.0, "0 of 400"),
        (120, 400, 120, 10.0, "120 of 400, 12/s, 0:00:23 left"),
        (300, 400, 10, 10.0, "300 of 400, 1/s, 0:01:40 left"),  # resumed: only this session's pieces give the rate
        (50, None, 50, 2.0, "50, 25/s"),
        (500, 400, 500, 1.0, "500 of 400, 500/s, 0:00:00 left"),
    ],
)
def test_rate_and_time_left(done: int, total: int | None, here: int, seconds: float, words: str) -> None:
    assert in_words(done, total, here, seconds) == words


def test_without_an_error_stream_nothing_is_shown_and_work_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", None)
    with progress("work") as tell:
        tell(1, 2)


def test_control_characters_are_escaped_and_line_breaks_stay() -> None:
    assert harmless("é\n\x1b[31m\x9b\x07\t") == "é\n\\x1b[31m\\x9b\\x07\\t"
