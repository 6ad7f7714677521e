"""`typeone apply scf` and `check scf` as a user types them."""

import json
import subprocess
import sys

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

from typeone.cli import main

SOURCES = [f"s{i}" for i in range(30)]
DATA = pa.table(
    {
        "who": [s for s in SOURCES for _ in range(2)],
        "loss": [((7 * i) % 23) / 10 + (0.4 if i >= 40 else 0.0) for i in range(60)],
        "part": ["reference"] * 20 + ["calibration"] * 20 + ["target"] * 20,
        "known": [True] * 40 + [False] * 20,
    }
)
COLUMNS = ["--source", "who", "--score", "loss"]


def run(*arguments):
    with pytest.raises(SystemExit) as end:
        main([str(a) for a in arguments])
    return end.value.code


@pytest.fixture
def files(tmp_path):
    pa.parquet.write_table(DATA, tmp_path / "a file = odd.parquet")
    pa.csv.write_csv(DATA, tmp_path / "x.csv")
    return tmp_path


@pytest.mark.parametrize("name", ["a file = odd.parquet", "x.csv"])
def test_columns_and_order_of_the_output(files, name, capsys):
    out = files / "out.parquet"
    command = ["apply", "scf", files / name, *COLUMNS, "--role", "part", "--cap", ".05"]
    assert run(*command, "--level", ".05", "--level", ".10", "--out", out) == 0
    table = pa.parquet.read_table(out)
    assert table.column_names[:6] == ["source", "documents", "evidence", "p_value", "reject_.05", "reject_.10"]
    assert table["source"].to_pylist() == SOURCES[20:]
    printed = capsys.readouterr().out
    assert "level .05: no rejection is possible" in printed
    assert "written:" in printed


def test_control_column_with_a_seeded_split_is_repeatable(files, capsys):
    command = [
        "apply",
        "scf",
        files / "x.csv",
        *COLUMNS,
        "--control",
        "known",
        "--reference",
        8,
        "--calibration",
        11,
    ]
    texts = []
    for seed in (1, 1, 2):
        assert run(*command, "--seed", seed, "--json") == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1] != texts[2]
    assert json.loads(texts[0])[0]["documents"] == 2


@pytest.mark.parametrize("suffix", ["csv", "json", "jsonl", "feather"])
def test_other_outputs(files, suffix):
    out = files / f"out.{suffix}"
    assert run("apply", "scf", files / "x.csv", *COLUMNS, "--role", "part", "--out", out, "--quiet") == 0
    assert out.stat().st_size > 100


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--role", "nowhere"], "no column 'nowhere'"),
        (["--role", "part", "--level", "2"], "--level 2:"),
        (["--role", "part", "--out", "x.xlsx"], "must end in"),
        (["--role", "part", "--method", "best"], "--method best:"),
        (["--role", "part", "--source", "loss"], "identifiers are whole numbers or text"),
        ([], "no column 'role'"),
    ],
)
def test_bad_input_ends_with_2_and_one_sentence(files, arguments, message, capsys):
    others = COLUMNS[2:] if "--source" in arguments else COLUMNS
    assert run("apply", "scf", files / "a file = odd.parquet", *others, *arguments) == 2
    error = capsys.readouterr().err
    assert message in error
    assert len(error.strip().splitlines()) == 1


def test_bad_usage_ends_with_2(files, capsys):
    assert run("apply", "scf", files / "x.csv", "--no-such-option") == 2
    assert run("aply") == 2
    assert "apply" in capsys.readouterr().err


def test_own_statistic_from_the_working_folder(files):
    (files / "mine.py").write_text("def longest(bag):\n    return bag.max() - bag.min()\n")
    command = [sys.executable, "-m", "typeone", "apply", "scf", "x.csv", *COLUMNS, "--role", "part"]
    done = subprocess.run([*command, "--method", "mine:longest"], cwd=files, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("mine:longest: 10 targets, 20 calibration sources")


def test_check_reports_what_it_found(files, capsys):
    assert run("check", "scf", files / "x.csv", *COLUMNS, "--role", "part") == 0
    printed = capsys.readouterr().out
    assert "taken for" in printed
    assert "documents per source" in printed
    assert run("check", "scf", files / "x.csv", *COLUMNS, "--role", "part", "--json") == 0
    assert {"grade", "text"} == set(json.loads(capsys.readouterr().out)[0])


def test_help_lists_every_command_without_importing_numpy():
    code = "import sys\nfrom typeone.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass\n"
    code += "assert not {'numpy', 'pydantic', 'numba', 'pyarrow'} & set(sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for command in ("apply", "check", "demo", "list", "run", "show", "summary"):
        assert command in done.stdout


def test_version(capsys):
    assert run("--version") == 0
    assert capsys.readouterr().out.startswith("typeone ")


ROLES = ["--role", "part"]
SPLIT = ["--control", "known", "--reference", "10", "--calibration", "10"]


@pytest.mark.parametrize(
    ("options", "unused"),
    [
        ([*ROLES, "--method", "fisher", "--cap", "0.1"], "--cap: changes nothing, since --method fisher has no cap"),
        ([*ROLES, "--method", "mean", "--smoothing", "source"], "--smoothing: changes nothing"),
        ([*ROLES, "--rho", "0.4"], "--rho: changes nothing, since --method scf trims nothing"),
        ([*ROLES, "--reference", "20"], "--reference: changes nothing, since roles are given in a column"),
        ([*ROLES, "--splits", "3"], "--splits: changes nothing"),
        ([*ROLES, "--seed", "5"], "--seed: changes nothing, since roles are given in a column and --ties conservative"),
        ([*ROLES, "--seed", "5", "--ties", "random"], None),
        ([*ROLES, "--method", "statistics:fmean", "--smoothing", "source"], "--smoothing: changes nothing"),
        ([*ROLES, "--method", "statistics:fmean", "--cap", "0.1"], "--cap: changes nothing"),
        (["--control", "known", "--method", "mean", "--seed", "5"], "--seed: changes nothing, since --method mean is"),
        (
            ["--control", "known", "--method", "mean", "--reference", "5"],
            "--reference: changes nothing, since --method",
        ),
        (
            ["--control", "known", "--method", "statistics:fmean", "--calibration", "9"],
            "--calibration: changes nothing",
        ),
        (["--control", "known", "--method", "mean", "--seed", "5", "--ties", "random"], None),
        (["--control", "known", "--reference", "5", "--seed", "5"], None),
        ([*SPLIT, "--method", "mean", "--seed", "5"], None),
        ([*SPLIT, "--cap", "0.1", "--smoothing", "source", "--splits", "2"], None),
        ([*ROLES, "--method", "ramia", "--rho", "0.4"], None),
    ],
)
def test_options_that_would_change_nothing_are_refused(files, capsys, options, unused):
    arguments = ["apply", "scf", files / "x.csv", *COLUMNS, *options]
    assert run(*arguments) == (0 if unused is None else 2)
    assert (unused or "") in capsys.readouterr().err


def test_an_error_of_the_system_names_the_file_and_no_number(files, capsys):
    (files / "taken").write_text("")
    assert run("apply", "scf", files / "x.csv" / "y.csv", *COLUMNS) == 2
    assert "Errno" not in capsys.readouterr().err
    assert run("report", files / "x.csv", "--out", files / "taken" / "page.html") == 2
    assert "Errno" not in capsys.readouterr().err
