"""Messages on the command line name options, as a user types them; from Python they name arguments."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from typeone import panels, scf
from typeone.cli import main
from typeone.terminal.spelling import spelled

OPTIONS = {
    "C": "--positives",
    "control": "--control",
    "levels": "--level",
    "missing": "--missing",
    "role": "--role",
    "score": "--score",
    "tau": "--tau",
    "xi_e": "--xi-e",
}


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("row 1: missing (missing='drop' leaves it out)", "row 1: missing (--missing drop leaves it out)"),
        ("role, control: name one of the two", "--role, --control: name one of the two"),
        ("role and control: name one of the two", "--role and --control: name one of the two"),
        ("C=41: must lie between 0 and 40", "--positives 41: must lie between 0 and 40"),
        ("tau=-1: must lie between 0 and 9", "--tau -1: must lie between 0 and 9"),
        ("levels[1]=.05: repeats levels[0]=5e-2", "--level .05: repeats --level 5e-2"),
        ("cells[0].tau='x': an integer is needed", "--tau x: an integer is needed"),
        ("xi_e=0.2: must be below xi_e_max", "--xi-e 0.2: must be below xi_e_max"),
        ("score=['a', 'b c']: two columns", "--score a --score 'b c': two columns"),
        # What is no argument stays.
        ("role 'x': every score is missing", "role 'x': every score is missing"),
        ("no column 'tau=3'; the columns are: role, score", "no column 'tau=3'; the columns are: role, score"),
        ("a role: b", "a role: b"),
        ("my tau=1/score=2.csv: no such file", "my tau=1/score=2.csv: no such file"),
    ],
)
def test_arguments_become_options_where_they_are_arguments(message: str, told: str) -> None:
    assert spelled(message, OPTIONS, ["my tau=1/score=2.csv"]) == told


def error_of(capsys: pytest.CaptureFixture[str], *words: Any) -> str:
    with pytest.raises(SystemExit) as ended:
        main(list(map(str, words)))
    out, err = capsys.readouterr()
    assert (ended.value.code, out) == (2, "")
    return err.removeprefix("typeone: ").rstrip("\n")


def test_the_same_error_in_both_spellings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    documents = {"source": ["a", "b", "c"], "score": [1.0, None, 2.0], "role": ["reference", "calibration", "target"]}
    file = tmp_path / "cap=1 x.csv"
    file.write_text("source,score,role\na,1,reference\nb,,calibration\nc,2,target\n")
    with pytest.raises(ValueError, match=r"missing or NaN \(missing='drop' leaves such rows out\)$"):
        scf.apply(documents, role="role")
    assert error_of(capsys, "apply", "scf", file).endswith("(--missing drop leaves such rows out)")
    with pytest.raises(ValueError, match=r"^cap=1\.5: "):
        scf.apply(documents, role="role", options=scf.Options(cap="1.5"))
    assert error_of(capsys, "apply", "scf", file, "--cap", "1.5").startswith("--cap 1.5: ")
    with pytest.raises(ValueError, match=r"^C=41: must lie between 0 and 40$"):
        panels.census_sizes(40, 41, delta=".01")
    size = error_of(capsys, "panels", "size", "--census", "40", "--positives", "41")
    assert size == "--positives 41: must lie between 0 and 40"
    assert error_of(capsys, "apply", "scf", tmp_path / "cap=2.csv") == f"{tmp_path}/cap=2.csv: no such file"


BAD_FACTORS = [
    (["--flips", "x"], "--flips x: an integer is needed"),
    (["--heads=3"], "--heads 3: "),
    (["--reps", "0"], "--reps 0: must be at least 1"),
    (["--jobs", "0"], "--jobs 0: at least one worker is needed"),
    (["--max-failures", "2"], "--max-failures 2.0: a share lies in [0, 1]"),
    (["--backend", "lokey"], "--backend lokey: no such backend; did you mean 'loky'?"),
]


@pytest.mark.parametrize(("words", "told"), BAD_FACTORS, ids=lambda part: str(part[0]))
def test_factors_of_a_study_are_options_too(
    words: list[str], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert error_of(capsys, "run", "coin", "--out", tmp_path / "run", *words).startswith(told)


def test_seeds_have_one_rule(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Refused before any file is read or any worker starts, with the same words by every command that takes one."""
    file = tmp_path / "votes.csv"
    file.write_text(
        "item,source,vote,label,model,role,score\n1,a,1,1,m,candidate,1\n2,a,0,0,m,calibration,2\n3,a,1,,m,calibration,3\n"
    )
    commands = [
        ["apply", "scf", file, "--source", "item", "--control", "role=calibration", "--reference", "1"],
        ["apply", "jecs", file, "--method", "max-p", "--ties", "random"],
        ["apply", "pooling", file, "--label", "label"],
        ["run", "coin", "--out", tmp_path / "run"],
        ["verify", "--reps", "100"],
    ]
    for command in commands:
        for seed in (-1, 2**64):
            told = error_of(capsys, *command, "--seed", seed)
            assert told == f"--seed {seed}: a seed is a whole number from 0 to 2^64 - 1", command
    for command in (*commands[:3], [*commands[3], "--reps", "1", "--flips", "1"]):
        with pytest.raises(SystemExit) as ended:
            main([str(word) for word in (*command, "--seed", 2**64 - 1, "--quiet")])
        assert not ended.value.code, (command, capsys.readouterr().err)


def test_the_message_has_no_argument_left(capsys: pytest.CaptureFixture[str]) -> None:
    """The options of the panels commands, each given a value that none takes."""
    numbers = ["delta", "theta", "beta", "eta-e", "eta-g", "xi-e", "passing", "probability", "power"]
    for name in numbers:
        chance = ["--passing", ".9"] if name == "power" else []  # without any, no power is asked for
        told = error_of(capsys, "panels", "design", *chance, f"--{name}", "-7")
        assert told.startswith(f"--{name} -7"), told
        assert not re.search(r"\w=", told), told
