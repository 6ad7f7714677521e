"""The comparison of two sets of results: what it notices, and what it lets pass."""

import csv
import shutil
from pathlib import Path

import pytest

import compare
from scf_tables import checks
from writing import Check, judged, write_checks

COMMITTED = Path(compare.__file__).parent


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for name in compare.SCHEMAS | compare.PARTLY:
        target = tmp_path / name
        target.parent.mkdir(exist_ok=True)
        shutil.copy(COMMITTED / name, target)
    for file in COMMITTED.glob("*/published.csv"):
        shutil.copy(file, tmp_path / file.parent.name)
    return tmp_path


def change(file: Path, row: int, **values: str) -> dict[str, str]:
    with file.open(newline="", encoding="utf-8") as source:
        rows = list(csv.DictReader(source))
    rows[row] |= values
    with file.open("w", newline="", encoding="utf-8") as sink:
        writer = csv.DictWriter(sink, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return rows[row]


def found(other: Path) -> list[compare.Difference]:
    compared, different = compare.compare(COMMITTED, other)
    assert compared > 5000
    return different


def test_equal_results_do_not_differ(copy: Path) -> None:
    assert found(copy) == []


def test_a_shift_of_ten_errors_is_found_and_one_of_one_error_is_not(copy: Path) -> None:
    file = copy / "scf" / "levels.csv"
    with file.open(newline="", encoding="utf-8") as source:
        row = list(csv.DictReader(source))[3]
    for errors, expected in ((1, 0), (-1, 0), (10, 1), (-10, 1)):
        change(file, 3, auroc=str(float(row["auroc"]) + errors * float(row["auroc se"])))
        assert len(found(copy)) == expected


def test_a_rate_that_was_always_zero_may_happen_once_but_not_often(copy: Path) -> None:
    file = copy / "panels" / "validity.csv"
    with file.open(newline="", encoding="utf-8") as source:
        rows = list(csv.DictReader(source))
    place = next(i for i, row in enumerate(rows) if float(row["estimate"]) == 0)
    change(file, place, estimate="0.0005", mc_se="0.0005", valid="2000")
    assert found(copy) == []
    change(file, place, estimate="0.02", mc_se="0.003", valid="2000")
    assert len(found(copy)) == 1


@pytest.mark.parametrize(
    ("name", "column"), [("panels/units.csv", "exact"), ("panels/phases.csv", "error"), ("pooling/drift.csv", "exact")]
)
def test_exact_numbers_must_be_equal(copy: Path, name: str, column: str) -> None:
    with (copy / name).open(newline="", encoding="utf-8") as source:
        rows = list(csv.DictReader(source))
    place = next(i for i, row in enumerate(rows) if row[column] and float(row[column]) > 0)
    change(copy / name, place, **{column: str(float(rows[place][column]) * (1 + 1e-7))})
    assert [d.column for d in found(copy)] == [column]


def test_what_is_missing_is_named(copy: Path) -> None:
    (copy / "jecs" / "trial.csv").unlink()
    file = copy / "scf" / "scenarios.csv"
    file.write_text("\n".join(file.read_text(encoding="utf-8").split("\n")[:-2]) + "\n", encoding="utf-8")
    assert sorted(d.where.split()[0] for d in found(copy)) == ["jecs/trial.csv", "scf/scenarios.csv"]


def test_an_exact_published_value_that_changes_is_found(copy: Path) -> None:
    row = change(copy / "panels" / "published.csv", 0, ours="27")
    assert row["why"] == "exact"
    assert [d.other for d in found(copy)] == ["27"]


@pytest.mark.parametrize(
    ("ours", "error", "published", "verdict"),
    [
        (0.1234, 0.0, ".123", "agrees"),  # rounds to it
        (0.1236, 0.0, ".123", "differs"),
        (0.1330, 0.005, ".123", "agrees"),
        (0.1340, 0.005, ".123", "differs"),
        (1.004, 0.0, "1.00", "agrees"),
    ],
)
def test_judged(ours: float, error: float, published: str, verdict: str) -> None:
    assert judged(ours, error, published) == verdict


def test_checks_are_written_and_counted(tmp_path: Path) -> None:
    rows = [Check("a", "1", "1", "", "agrees", "exact"), Check("b|c", "2", "3", "0.1", "differs", "why not")]
    text = write_checks(tmp_path, rows)
    assert text.startswith("1 agrees, 1 differs, 0 fitted, 0 not comparable of 2.")
    assert r"b\|c" in text
    with (tmp_path / "published.csv").open(encoding="utf-8") as source:
        assert [row["verdict"] for row in csv.DictReader(source)] == ["agrees", "differs"]


def test_every_published_scf_value_has_a_check() -> None:
    """24 AUROCs, 8 capped shares, 9 TPRs and FPRs of reddit each, 3 FPRs of cc-news, 16 gains and 20 SDs."""
    tables = {}
    for name in ("scenarios", "scenarios_capped"):
        with (COMMITTED / "scf" / f"{name}.csv").open(newline="", encoding="utf-8") as source:
            tables[name] = [{key: _number(value) for key, value in row.items()} for row in csv.DictReader(source)]
    found = list(checks(tables["scenarios"], tables["scenarios_capped"]))
    assert len(found) == 24 + 8 + 9 + 9 + 3 + 16 + 20
    assert sum(check.verdict == "fitted" for check in found) == 24 + 8 + 4


def _number(text: str) -> object:
    try:
        return text if text in ("0", "0.01", "0.02", "0.05", "0.10") else float(text)
    except ValueError:
        return text
