"""`typeone apply jecs` and `check jecs` as a user types them."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest

from typeone import jecs, tables
from typeone.cli import main


def _wide():
    g = np.random.default_rng(12)
    clean = g.random(120) < 0.5
    scores = g.standard_normal((2, 320))
    scores[:, :120] -= 4 * clean
    order = g.permutation(320)
    return pa.table(
        {
            "doc": [f"d{i:03}" for i in order],
            "split": np.where(order < 120, "candidate", "calibration").tolist(),
            "small": scores[0, order],
            "large": scores[1, order],
            "length": (order % 7).astype(float),
        }
    )


WIDE = _wide()
LONG = pa.table(
    {
        "doc": WIDE["doc"].to_pylist() * 2,
        "model": ["small"] * 320 + ["large"] * 320,
        "split": WIDE["split"].to_pylist() * 2,
        "loss": WIDE["small"].to_pylist() + WIDE["large"].to_pylist(),
        "length": WIDE["length"].to_pylist() * 2,
    }
)
COLUMNS = ["--item", "doc", "--role", "split"]
SCORES = ["--model", "model", "--score", "loss"]
CANDIDATES = [d for d, s in zip(WIDE["doc"].to_pylist(), WIDE["split"].to_pylist(), strict=True) if s == "candidate"]


def run(*arguments):
    with pytest.raises(SystemExit) as end:
        main([str(a) for a in arguments])
    return end.value.code


@pytest.fixture
def files(tmp_path):
    pa.parquet.write_table(LONG, tmp_path / "long.parquet")
    pa.csv.write_csv(LONG, tmp_path / "long.csv")
    pa.feather.write_feather(LONG, tmp_path / "long.feather")
    pa.parquet.write_table(WIDE, tmp_path / "wide.parquet")
    return tmp_path


@pytest.mark.parametrize("name", ["long.parquet", "long.csv", "long.feather", "wide.parquet"])
def test_one_row_per_candidate_from_every_kind_of_file(files, name, capsys):
    out, listed = files / "out.parquet", files / "items.csv"
    shape = ["--wide", "--score", "small", "--score", "large"] if name == "wide.parquet" else SCORES
    command = ["apply", "jecs", files / name, *COLUMNS, *shape, "--level", ".1", "--method", "jecs"]
    assert run(*command, "--out", out, "--items", listed) == 0
    table = pa.parquet.read_table(out)
    assert table.column_names[:5] == ["item", "p_max", "selected", "p_model_small", "p_model_large"]
    assert table.column_names[5:] == [f"selected_{method}" for method in jecs.METHODS]
    assert table["item"].to_pylist() == CANDIDATES
    expected = jecs.apply(LONG, item="doc", role="split", score="loss")
    assert table.equals(expected.to_arrow())
    assert tables.read(listed)["item"].to_pylist() == expected.selected_items.to_pylist()
    assert 40 < expected.selected.sum() < 80
    printed = capsys.readouterr().out
    assert f"JECS (chord envelope) at level .1: {expected.selected.sum()} of 120 candidates selected" in printed
    assert printed.count("written:") == 2


@pytest.mark.parametrize("suffix", ["csv", "json", "jsonl", "feather"])
def test_other_outputs(files, suffix):
    out, listed = files / f"out.{suffix}", files / f"items.{suffix}"
    command = ["apply", "jecs", files / "long.csv", *COLUMNS, *SCORES, "--quiet"]
    assert run(*command, "--out", out, "--items", listed) == 0
    assert out.stat().st_size > listed.stat().st_size > 100


def test_jsonl_has_one_candidate_a_line(files):
    out = files / "out.jsonl"
    assert run("apply", "jecs", files / "long.csv", *COLUMNS, *SCORES, "--quiet", "--out", out) == 0
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["item"] for row in rows] == CANDIDATES
    assert {row["selected"] for row in rows} == {True, False}


def test_methods_orientation_and_ties_reach_the_procedure(files, capsys):
    command = ["apply", "jecs", files / "long.parquet", *COLUMNS, *SCORES, "--json"]

    def selected(*more):
        assert run(*command, *more) == 0
        return [row["selected"] for row in json.loads(capsys.readouterr().out)]

    base = selected()
    assert sum(selected("--method", "union")) > sum(base) > sum(selected("--method", "max-p", "--level", ".02")) > 0
    assert sum(selected("--evidence", "larger")) == 0
    assert selected("--ties", "random", "--seed", 3) == base  # no ties


def test_rows_picks_a_part_of_a_file(capsys):
    """The packaged file holds two levels of difficulty: together every item is scored twice."""
    file = tables.PACKAGED / "jecs.parquet"
    command = ["apply", "jecs", file, "--score", "score_ref", "--json"]
    assert run(*command) == 2
    assert "has two scores under model 0" in capsys.readouterr().err
    assert run(*command, "--rows", "level=easy") == 0
    assert len(json.loads(capsys.readouterr().out)) == 800
    assert run("check", "jecs", file, "--score", "score_ref", "--rows", "level=easy") == 0
    assert "joint lower tail" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--score", "nowhere"], "no column 'nowhere'"),
        (["--score", "loss", "--level", "2"], "--level 2:"),
        (["--score", "loss", "--method", "best"], "--method best:"),
        (["--score", "loss", "--score", "length"], "--wide"),
        (["--score", "loss", "--out", "x.xlsx"], "must end in"),
        (["--score", "loss", "--items", "x.xlsx"], "must end in"),
        (["--score", "loss", "--role", "doc"], "is not candidate or calibration"),
        (["--wide", "--score", "loss"], "has two scores under model 'loss'"),
    ],
)
def test_bad_input_ends_with_2_and_one_sentence(files, arguments, message, capsys):
    others = COLUMNS[:2] if "--role" in arguments else COLUMNS
    assert run("apply", "jecs", files / "long.parquet", *others, *arguments) == 2
    error = capsys.readouterr().err
    assert message in error
    assert len(error.strip().splitlines()) == 1


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_check_reports_and_draws(files, suffix, capsys):
    figure = files / f"tail.{suffix}"
    command = ["check", "jecs", files / "long.csv", *COLUMNS, *SCORES, "--column", "length"]
    assert run(*command, "--figure", figure) == 0
    printed = capsys.readouterr().out
    for words in ("taken for", "joint lower tail", "rank correlation between models", "look alike in length"):
        assert words in printed
    assert "small+large" in printed
    assert figure.stat().st_size > 5000
    assert run(*command, "--json") == 0
    assert {"grade", "text"} == set(json.loads(capsys.readouterr().out)[0])


def test_check_of_a_wide_file_and_its_errors(files, capsys):
    wide = ["check", "jecs", files / "wide.parquet", *COLUMNS, "--wide", "--score", "small"]
    assert run(*wide, "--score", "large", "--evidence", "larger") == 0
    assert "joint lower tail" in capsys.readouterr().out
    for more, message in (
        (["--figure", "x.bmp"], "must end in .svg, .pdf or .png"),
        (["--figure", files / "x.png"], "at least two models"),
        (["--evidence", "both"], "--evidence both:"),
    ):
        assert run(*wide, *more) == 2
        assert message in capsys.readouterr().err
    assert run("check", "jecs", files / "long.csv", *COLUMNS, *SCORES, "--score", "length") == 2
    assert "--wide" in capsys.readouterr().err
