"""`typeone apply panels`, `check panels` and `typeone panels …` as a user types them."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

from typeone import panels
from typeone.cli import main

RNG = np.random.default_rng(4)
CHANCES = [0.99] * 6 + [0.02] * 5 + [0.6]
VOTES = (RNG.random((60, 12)) < CHANCES).astype(int)
UNITS = [f"u{11 - a}" for a in range(12)]
LONG = pa.table(
    {
        "judge": [f"j{e}" for e in range(60) for _ in UNITS],
        "task": UNITS * 60,
        "verdict": VOTES.ravel().tolist(),
        "family": [e % 4 for e in range(60) for _ in UNITS],
    }
)
WIDE = pa.table({"judge": [f"j{e}" for e in range(60)]} | {u: VOTES[:, a].tolist() for a, u in enumerate(UNITS)})
COLUMNS = ["--evaluator", "judge", "--unit", "task", "--vote", "verdict"]


def run(*arguments):
    with pytest.raises(SystemExit) as end:
        main([str(a) for a in arguments])
    return end.value.code


@pytest.fixture
def files(tmp_path):
    pa.parquet.write_table(LONG, tmp_path / "long.parquet")
    pa.csv.write_csv(WIDE, tmp_path / "wide.csv")
    weights = pa.table({"unit": UNITS, "weight": [1] * 11 + [5]})
    pa.csv.write_csv(weights, tmp_path / "weights.csv")
    return tmp_path


def test_long_file_gives_one_row_per_unit_and_prints_everything(files, capsys):
    out, profile = files / "out.parquet", files / "profile.csv"
    command = ["apply", "panels", files / "long.parquet", *COLUMNS, "--delta", ".01", "--theta", "1/2"]
    assert run(*command, "--out", out, "--profile", profile, "--flips", 2, "--share", ".05") == 0
    table = pa.parquet.read_table(out)
    assert table["unit"].to_pylist() == UNITS
    assert table["positives"].to_pylist() == VOTES.sum(axis=0).tolist()
    assert set(table["votes"].to_pylist()) == {60}
    sizes = panels.census_sizes(60, VOTES.sum(axis=0), delta=".01")
    assert table["stable_size"].to_pylist() == sizes.stable.tolist()
    assert table["minimum_size"].to_pylist() == sizes.minimum.tolist()
    printed = capsys.readouterr().out
    for part in ("Not certified", "by panel size", "by unit", "Units needed", "frozen census, b votes", "written:"):
        assert part in printed
    assert {"attack", "amount", "size", "value"} == set(pa.csv.read_csv(profile).column_names)


def test_wide_file_gives_the_same(files, capsys):
    assert run("apply", "panels", files / "long.parquet", *COLUMNS, "--json") == 0
    one = json.loads(capsys.readouterr().out)
    assert run("apply", "panels", files / "wide.csv", "--evaluator", "judge", "--json") == 0
    assert json.loads(capsys.readouterr().out) == one


def test_catalogue_with_weights(files, capsys):
    command = ["apply", "panels", files / "wide.csv", "--evaluator", "judge", "--catalogue", "--method", "familywise"]
    assert run(*command) == 0  # eleven of twelve units are clear
    printed = " ".join(capsys.readouterr().out.split())
    assert "Certified at K = " in printed
    assert "the units are the whole catalogue" in printed
    assert run(*command, "--weights", files / "weights.csv") == 0  # and the twelfth weighs as much as five
    printed = " ".join(capsys.readouterr().out.split())
    assert "Not certified: no size of the grid reaches 0.9 (the largest bound is 0.6875)" in printed


def test_malformed_votes(files, capsys):
    broken = WIDE.set_column(1, UNITS[0], pa.array(["yes", *["1"] * 59]))
    pa.csv.write_csv(broken, files / "broken.csv")
    assert run("apply", "panels", files / "broken.csv", "--evaluator", "judge") == 2
    assert "'yes' is not a vote" in capsys.readouterr().err
    assert run("apply", "panels", files / "broken.csv", "--evaluator", "judge", "--malformed", "zero") == 0
    assert "1 malformed and 0 absent votes were counted as 0" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*COLUMNS, "--delta", "2"], "--delta 2:"),
        ([*COLUMNS, "--grid", "3-5"], "is written 3,5,7"),
        ([*COLUMNS, "--hoeffding", "--catalogue"], "choose one"),
        ([*COLUMNS, "--catalogue", "--weights", "long.parquet"], "no such file"),
        ([*COLUMNS, "--out", "x.xlsx"], "must end in"),
        ([*COLUMNS, "--method", "best"], "--method best:"),
        (["--evaluator", "judge"], "stands twice; one row is one evaluator"),
        (["--evaluator", "judge", "--unit", "task"], "name both columns"),
    ],
)
def test_bad_input_ends_with_2_and_one_sentence(files, arguments, message, capsys):
    assert run("apply", "panels", files / "long.parquet", *arguments) == 2
    error = capsys.readouterr().err
    assert message in error
    assert len(error.strip().splitlines()) == 1


def test_check(files, capsys):
    assert run("check", "panels", files / "long.parquet", *COLUMNS, "--group", "family") == 0
    printed = capsys.readouterr().out
    assert "60 evaluators voted 0 or 1 on each of 12 units" in printed
    assert "pairs of evaluators agree" in printed
    assert run("check", "panels", files / "wide.csv", "--evaluator", "judge", "--json") == 0
    assert {"grade", "text"} == set(json.loads(capsys.readouterr().out)[0])


def test_size_of_a_census(capsys):
    question = ["panels", "size", "--census", 40, "--positives", 25, "--delta", ".01", "--theta", "1/2"]
    assert run(*question) == 0
    printed = capsys.readouterr().out
    assert "minimum size  24" in printed
    assert "stable size   26" in printed
    assert run(*question, "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"minimum_size": 24, "stable_size": 26}
    assert run(*question, "--json", "--census-flips", 5) == 0
    flipped = json.loads(capsys.readouterr().out)
    assert flipped["stable_size"] == panels.census_sizes(40, 25, delta=".01", census_flips=5).stable


def test_size_of_a_superpopulation(capsys):
    assert run("panels", "size", "--probability", ".9", "--horizon", 60, "--json") == 0
    found = panels.superpopulation_sizes(".9", 60, delta=".01")
    assert json.loads(capsys.readouterr().out) == {
        "minimum_size": int(found.minimum),
        "stable_size": int(found.stable),
    }
    assert run("panels", "size", "--probability", "1/2", "--horizon", 50) == 0
    assert "stable size   none" in capsys.readouterr().out
    assert run("panels", "size", "--probability", ".9", "--horizon", 60, "--fixed-share", ".2", "--json") == 0
    attacked = panels.superpopulation_sizes(".9", 60, delta=".01", fixed_share=".2")
    assert json.loads(capsys.readouterr().out)["stable_size"] == int(attacked.stable)


def test_error(capsys):
    assert run("panels", "error", "--census", 40, "--positives", 25, "--grid", "3,26", "--json") == 0
    rows = json.loads(capsys.readouterr().out)
    errors = panels.census_errors(40, 25)
    assert rows == [{"size": 3, "error": errors[2]}, {"size": 26, "error": errors[25]}]
    assert run("panels", "error", "--probability", ".8", "--horizon", 50, "--panel-flips", 1) == 0
    assert len(capsys.readouterr().out.splitlines()) == 52


def test_design(capsys):
    assert run("panels", "design") == 0
    printed = capsys.readouterr().out
    assert "generated units needed  74 (Hoeffding: 513)" in printed
    arguments = ["--evaluators", 200, "--units", 500, "--probability", ".95", "--method", "familywise"]
    assert run("panels", "design", "--beta", ".05", *arguments, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert [row["size"] for row in found["sizes"]] == [3, 5, 7, 11, 15, 23, 31, 47]
    options = panels.Options(beta=".05", method="familywise")
    assert [row["evaluators"] for row in found["sizes"]] == [
        int(E) or None for E in panels.evaluators_needed(options, units=500, p=".95")
    ]
    for unused, why in (
        (["--xi-e", ".01", *arguments], "the familywise method has no such budget"),
        (["--evaluators", 5], "needs --units too"),
        (["--power", ".9"], "no chance enters"),
        (["--units", 0], "--units 0: must lie between 1 and"),
    ):
        assert run("panels", "design", *unused) == 2
        assert why in capsys.readouterr().err
    assert found["sizes"][-1]["certified"] == panels.certification(0.95, 200, 500, options).certified[-1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["size", "--census", 40], "positives: how many"),
        (["size"], "name exactly one"),
        (["size", "--census", 40, "--positives", 3, "--probability", ".1"], "name exactly one"),
        (["size", "--probability", ".9"], "horizon: panels of independent evaluators have no largest size"),
        (["size", "--probability", ".9", "--horizon", 9, "--positives", 3], "positives: counts votes of a census"),
        (["size", "--census", 40, "--positives", 3, "--horizon", 9], "horizon: a census ends"),
        (["size", "--census", 40, "--positives", 41], "--positives 41:"),
        (["error", "--census", 40, "--positives", 3, "--fixed-share", ".1"], "--fixed-share .1:"),
        (["error", "--probability", ".9", "--horizon", 9, "--census-flips", 1], "--census-flips 1:"),
        (["error", "--census", 40, "--positives", 3, "--grid", "41"], "41 is not a panel size"),
        (["design", "--passing", ".5"], "--passing 0.5: must exceed"),
    ],
)
def test_questions_that_cannot_be_answered(arguments, message, capsys):
    assert run("panels", *arguments) == 2
    assert message in capsys.readouterr().err
