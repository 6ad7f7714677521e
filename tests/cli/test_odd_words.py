"""Odd words, files of designs, streams and surroundings: every one is told in one sentence."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather
import pytest

from cli.files import FILES
from typeone import tables


def test_a_study_that_is_gone_is_looked_for_here(call: Any) -> None:
    code, _, err = call("run", "nowhere_at_all:STUDY", "--out", "run")
    assert (code, "there is no module 'nowhere_at_all', here or where Python looks" in err) == (2, True), err


def test_a_study_that_ends_the_process_is_told(call: Any) -> None:
    Path("leaves_at_once.py").write_text("raise SystemExit(4)")
    code, _, err = call("run", "leaves_at_once:STUDY", "--out", "run")
    assert (code, err) == (2, "typeone: study 'leaves_at_once:STUDY': its module ends the process (SystemExit: 4)\n")


def test_a_fault_in_a_file_is_told_in_the_words_of_the_file(call: Any) -> None:
    for text, told in (
        ("repetitions = 0", "repetitions=0: must be at least 1"),
        ('inputs = "x"', "inputs='x': a table (key = value) is needed"),
        ("seed = " + "1" * 5000, "seed: a whole number of more than 4300 digits"),
        ("factors.flips = 1" + "0" * 5000, "factors.flips: a whole number of more than 4300 digits"),
        ("stop.mc_se = true", "stop.mc_se=True: true and false are no numbers"),
    ):
        Path("x.toml").write_text(f'study = "coin"\n{text}\n')
        assert call("run", "x.toml", "--out", "run") == (2, "", f"typeone: x.toml: {told}\n")
    Path("x.toml").write_text('study = "coin"\n')
    assert call("run", "x.toml", "--reps", "0", "--out", "run")[2] == "typeone: --reps 0: must be at least 1\n"


def test_true_is_no_number_of_flips(call: Any) -> None:
    code, out, err = call("run", "coin", "--flips", "true", "--out", "run")
    assert (code, out) == (2, "")
    assert err == "typeone: --flips True: true and false are no numbers\n"


def test_a_number_of_5000_digits_on_the_command_line_names_its_option(call: Any) -> None:
    code, _, err = call("run", "coin", "--flips", "1" * 5000, "--out", "run")
    assert (code, len(err.splitlines()), "--flips" in err) == (2, 1, True), err


@pytest.mark.parametrize("name", [":", ":STUDY", ".x:STUDY", "a..b:STUDY"])
def test_a_study_without_a_module_is_told_how_it_is_written(name: str, call: Any) -> None:
    assert call("run", name, "--out", "run") == (2, "", f"typeone: study='{name}': is written module:NAME\n")
    Path("x.toml").write_text(f'study = "{name}"\n')
    assert call("run", "x.toml", "--out", "run")[2] == f"typeone: x.toml: study='{name}': is written module:NAME\n"


def test_an_output_without_a_name_is_told_by_its_option(call: Any) -> None:
    columns, options = FILES["pooling"]
    tables.write(pa.table(columns), "in.parquet")
    for option in ("--out", "--contributions"):
        told = call("apply", "pooling", "in.parquet", *options, option, "")
        assert told == (2, "", f"typeone: {option}: a name is needed\n")


def test_a_variable_that_is_no_time_is_named(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "abc")
    code, _, err = call("run", "coin", "--reps", "2", "--out", "run")
    assert (code, err.startswith("typeone: SOURCE_DATE_EPOCH='abc': a whole number of seconds")) == (2, True)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    assert call("run", "coin", "--reps", "2", "--out", "run", "--quiet")[0] == 0


def test_names_in_a_message_cannot_steer_the_terminal(call: Any) -> None:
    tables.write(pa.table({"\x1b[31mx": [1], "\x9by": [2]}), "x.parquet")
    code, _, err = call("apply", "scf", "x.parquet", "--control", "c")
    assert (code, r"\x1b[31mx, \x9by" in err) == (2, True), err


def test_memory_that_is_gone_ends_in_one_sentence(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> Any:
        raise MemoryError

    tables.write(pa.table(FILES["scf"][0]), "x.parquet")
    monkeypatch.setattr("typeone.formats.read", full)
    code, out, err = call("apply", "scf", "x.parquet", "--control", "control")
    assert (code, out) == (1, "")
    assert err == "typeone: not enough memory, of the machine or within the limit set for it\n"


@pytest.mark.parametrize("closed", ["<&-", "2>&-", "2>&- <&-"])
def test_a_closed_stream_loses_no_job(closed: str, call: Any, tmp_path: Path) -> None:
    tables.write(pa.table(FILES["scf"][0]), "x.csv")
    words = f"{shlex.quote(sys.executable)} -m typeone apply scf x.csv --control control --json --out o.csv {closed}"
    ended = subprocess.run(["sh", "-c", words], cwd=tmp_path, capture_output=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert len(tables.read(tmp_path / "o.csv")) == len(json.loads(ended.stdout)) == 8
