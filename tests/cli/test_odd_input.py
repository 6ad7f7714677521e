"""Every `apply` and `check` on columns of every odd kind: an answer or one sentence, never a traceback or silence.

Also what all eight share: rows picked by --rows, pipes, outputs that cannot be made.
"""

from __future__ import annotations

import datetime
import io
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.feather
import pytest

from cli.files import FILES, NUMBER, N
from typeone import outputs, tables
from typeone.engine import manifest as manifests


def texts(values: list[Any]) -> list[str]:
    return [str(value) for value in values]


def not_utf8(rows: int) -> pa.Array:
    offsets = pa.py_buffer(np.arange(rows + 1, dtype=np.int32))
    return pa.Array.from_buffers(pa.string(), rows, [None, offsets, pa.py_buffer(b"\xff" * rows)])


ODD: dict[str, Callable[[list[Any]], Any]] = {
    "nulls": lambda v: pa.nulls(len(v)),
    "a null first": lambda v: pa.array([None, *v[1:]]),
    "lists": lambda v: pa.array([[x] for x in v]),
    "objects": lambda v: pa.array([{"a": x} for x in v]),
    "maps": lambda v: pa.array([[("a", 1)]] * len(v), pa.map_(pa.string(), pa.int64())),
    "timestamps": lambda v: pa.array([datetime.datetime(2026, 1, 1, 0, 0, i % 60) for i in range(len(v))]),
    "dates": lambda v: pa.array([datetime.date(2026, 1, 1)] * len(v)),
    "durations": lambda v: pa.array([datetime.timedelta(seconds=i) for i in range(len(v))]),
    "bytes": lambda v: pa.array([b"\xff" + str(x).encode() for x in v]),
    "decimals": lambda v: pa.array([Decimal(i) for i in range(len(v))]),
    "codes": lambda v: pa.array(texts(v)).dictionary_encode(),
    "codes of numbers": lambda v: pa.array(range(len(v))).dictionary_encode(),
    "runs": lambda v: pc.run_end_encode(pa.array(v)),
    "large text": lambda v: pa.array(texts(v), pa.large_string()),
    "views": lambda v: pa.array(texts(v), pa.string_view()),
    "one word": lambda v: pa.array(["x"] * len(v)),
    "blanks": lambda v: pa.array([" "] * len(v)),
    "zeros": lambda v: pa.array([0] * len(v)),
    "infinite": lambda v: pa.array([np.inf] * len(v)),
    "NaN": lambda v: pa.array([np.nan] * len(v)),
    "twos": lambda v: pa.array([2] * len(v)),
    "64 bits": lambda v: pa.array([2**64 - 1 - i for i in range(len(v))], pa.uint64()),
    "half precision": lambda v: pa.array(np.arange(len(v)).astype(np.float16)),
    "truth values": lambda v: pa.array([bool(i % 2) for i in range(len(v))]),
    "decimal commas": lambda v: pa.array([f"{i},5" for i in range(len(v))]),
    "escapes": lambda v: pa.array([f"é\n\x1b[31m{i}" for i in range(len(v))]),
    "short decimals": lambda v: pa.array([Decimal(i) for i in range(len(v))], pa.decimal128(5, 0)).cast(
        pa.decimal32(5)
    ),
    "uuid": lambda v: pa.array([bytes([i]) * 16 for i in range(len(v))], pa.uuid()),
    "truth values in bytes": lambda v: pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1] * len(v), pa.int8())),
    "JSON": lambda v: pa.ExtensionArray.from_storage(pa.json_(), pa.array(texts(v))),
    "coded lists": lambda v: pa.DictionaryArray.from_arrays(pa.array([0] * len(v)), pa.array([[1]])),
    "nanoseconds": lambda v: pa.array(range(1, len(v) + 1), pa.timestamp("ns")),
    "Mars": lambda v: pa.array(range(len(v)), pa.timestamp("s", "Mars/Base")),
    "intervals": lambda v: pa.array([(1, 2, i) for i in range(len(v))], pa.month_day_nano_interval()),
    "a field twice": lambda v: pa.StructArray.from_arrays([pa.array(v), pa.array(v)], ["a", "a"]),
    "not UTF-8": lambda v: not_utf8(len(v)),
    "C1": lambda v: pa.array([f"\x9b31m{i}" for i in range(len(v))]),
    "very long": lambda v: pa.array(["x" * 5000 + str(i) for i in range(len(v))]),
}


@pytest.mark.parametrize("verb", ["apply", "check"])
@pytest.mark.parametrize("method", FILES)
def test_a_column_of_any_kind_is_answered_or_refused_in_one_sentence(verb: str, method: str, call: Any) -> None:
    columns = FILES[method][0]
    assert call_on(call, verb, method, columns)[0] == 0
    for name in columns.keys() - {"half"}:
        for kind, odd in ODD.items():
            code, out, err = call_on(call, verb, method, columns | {name: odd(pa.array(columns[name]).to_pylist())})
            what = f"{verb} {method}, column {name} of {kind}: {code} {err}"
            assert code in (0, 2), what
            assert not {"\x1b", "\x9b"} & {*out, *err}, what
            if code:
                assert (out, len(err.splitlines())) == ("", 1), what
                assert err.startswith("typeone: "), what
                assert len(err) < 400, what
                assert "kernel" not in err, what
            else:
                assert out.strip(), what


@pytest.mark.parametrize("verb", ["apply", "check"])
@pytest.mark.parametrize("method", FILES)
def test_a_column_that_is_not_used_stops_nothing(verb: str, method: str, call: Any) -> None:
    columns = FILES[method][0]
    late: dict[str, Callable[[list[Any]], Any]] = {"late dates": lambda v: pa.array([2**30] * len(v), pa.date32())}
    for kind, odd in (ODD | late).items():
        code, out, err = call_on(call, verb, method, columns | {"extra": odd(list(range(N)))})
        assert (code, err) == (0, ""), f"{verb} {method}, a further column of {kind}: {err}"
        assert not {"\x1b", "\x9b"} & {*out}


def call_on(call: Any, verb: str, method: str, columns: dict[str, Any]) -> tuple[int, str, str]:
    pyarrow.feather.write_feather(pa.table(columns), "x.arrow", compression="uncompressed")
    found: tuple[int, str, str] = call(verb, method, "x.arrow", *FILES[method][1])
    return found


@pytest.mark.parametrize("verb", ["apply", "check"])
@pytest.mark.parametrize("method", FILES)
def test_rows_are_picked_alike_from_files_and_from_pipes(
    verb: str, method: str, call: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns, options = FILES[method]
    table = pa.table(columns)
    if method == "scf":  # sources are few in each half: let controls and targets be in both
        table = table.set_column(2, "control", pa.array((NUMBER // 4 % 3 > 0).tolist()))
    tables.write(table, "all.csv")
    tables.write(table.filter(pc.equal(table["half"], 1)), "half.csv")
    told = [
        call(verb, method, "all.csv", "--rows", "half=1", *options),
        call(verb, method, "half.csv", *options),
    ]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(Path("all.csv").read_bytes())))
    told.append(call(verb, method, "-", "--rows", "half=1", *options))
    assert told[0][0] == 0, told[0][2]
    assert told[0] == told[1] == told[2]
    code, _, err = call(verb, method, "all.csv", "--rows", "half=3", *options)
    assert (code, err) == (2, "typeone: --rows half=3: no row has this value; column 'half' holds 0, 1\n")


def test_controls_may_be_named_by_the_participants(call: Any) -> None:
    columns = FILES["scf"][0]
    table = pa.table(columns).append_column("participant", pa.array([not c for c in columns["control"]]))
    tables.write(table, "x.parquet")
    told = call("apply", "scf", "x.parquet", "--control", "control")
    assert told == call("apply", "scf", "x.parquet", "--control", "participant=false")
    assert told[0] == 0
    code, _, err = call("apply", "scf", "x.parquet", "--control", "participant=no")
    assert (code, "--control participant=no: no row has this value; column 'participant' holds false, true" in err) == (
        2,
        True,
    )


def test_no_command_writes_where_it_must_not(call: Any, tmp_path: Path) -> None:
    columns, options = FILES["pooling"]
    tables.write(pa.table(columns), "in.parquet")
    Path("kept.csv").write_text("kept")
    Path("kept.csv").chmod(0o444)
    Path("link.parquet").symlink_to("in.parquet")
    Path("gone.csv").symlink_to("nowhere/x.csv")
    Path("file").write_text("")
    call("run", "coin", "--reps", "2", "--out", "run", "--quiet")
    before = Path("in.parquet").read_bytes()
    apply = ["apply", "pooling", "in.parquet", *options, "--out"]
    for words, told in (
        ([*apply, "kept.csv"], "kept.csv: is read-only"),
        ([*apply, "link.parquet"], "link.parquet: is the input"),
        ([*apply, "gone.csv"], "nowhere does not exist"),
        ([*apply, "a.csv", "--contributions", "./a.csv"], "is named for two outputs"),
        (["export", "run", "--out", "kept.csv"], "kept.csv: is read-only"),
        (["export", "run", "--out", "gone.csv"], "nowhere does not exist"),
        (["example", "scf", "kept.csv"], "kept.csv: is read-only"),
        (["report", "run", "--out", "kept.csv"], "kept.csv: is read-only"),
        (["report", "in.parquet", "--out", "link.parquet"], "link.parquet: is the input"),
        (["plot", "run", "--out", "file"], "file is a file, and a folder is needed"),
        (["run", "coin", "--reps", "2", "--out", "gone.csv"], "is a link to nowhere/x.csv, which does not exist"),
        (["run", "coin", "--reps", "2", "--out", "file/x"], "file is a file, and a folder is needed"),
        (["verify", "--out", "file"], "file is a file, and a folder is needed"),
        (["demo", "--out", "file"], "file is a file, and a folder is needed"),
    ):
        code, out, err = call(*words)
        assert (code, out) == (2, ""), (words, out, err)
        assert told in err, (words, err)
        assert len(err.splitlines()) == 1
    assert (Path("kept.csv").read_text(), Path("in.parquet").read_bytes()) == ("kept", before)


def test_a_link_to_a_file_is_followed(call: Any, tmp_path: Path) -> None:
    call("run", "coin", "--reps", "2", "--out", "run", "--quiet")
    Path("real").mkdir()
    for name, words in (("x.csv", ["export", "run", "--out"]), ("x.html", ["report", "run", "--out"])):
        Path("real", name).write_text("old")
        Path(name).symlink_to(Path("real", name))
        assert call(*words, name)[0] == 0
        assert Path(name).is_symlink()
        assert len(Path("real", name).read_bytes()) > 100


def test_folders_that_can_be_made_are_no_error(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "a", tmp_path / "a" / "b c=d"):
        assert outputs.folder(path) == path


def test_splits_are_told_one_by_one_and_are_limited(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from contextlib import contextmanager

    seen: list[tuple[int, int]] = []

    @contextmanager
    def progress(text: str, *, quiet: bool = False, unit: str = "") -> Any:
        yield lambda done, total: seen.append((done, total))

    monkeypatch.setattr("typeone.terminal.output.progress", progress)
    tables.write(pa.table(FILES["scf"][0]), "x.parquet")
    assert call("apply", "scf", "x.parquet", "--control", "control", "--splits", "3")[0] == 0
    assert seen == [(0, 3), (1, 3), (2, 3)]
    code, _, err = call("apply", "scf", "x.parquet", "--control", "control", "--splits", str(10**9))
    assert (code, err) == (2, "typeone: --splits 1000000000: lies between 1 and 100000\n")


def test_another_run_is_told_by_what_differs(call: Any) -> None:
    run = ["run", "coin", "--reps", "2", "--out", "run", "--quiet"]
    assert call(*run)[0] == 0
    for words, told in (
        (["--heads", ".3"], "differs in heads (1/2 there, none here)."),
        (
            ["--heads", ".5,.3,.7", "--seed", "4"],
            "differs in heads (none there, 7/10 here); seed (1 there, 4 here).",
        ),
        (["--flips", "12"], "differs in flips (10 there, 12 here)."),
        (["--set", "levels=[.05, .2]"], "differs in levels (1/10 there, 1/5 here)."),
    ):
        code, _, err = call(*run, *words)
        assert (code, err) == (2, f"typeone: run holds another run: it {told} Choose another folder\n")
    code, _, err = call("run", "panel-draw", "--reps", "2", "--out", "run")
    assert (code, "differs in study (coin there, panel-draw here). Choose" in err) == (2, True), err


def test_a_summary_names_its_intervals(call: Any) -> None:
    run = ["run", "coin", "--out", "run"]
    fixed = "95 % intervals: Clopper-Pearson (error, shares of wins, ties and losses);\nStudent's t (gain, heads)"
    assert fixed in call(*run, "--reps", "3")[1]
    assert fixed in call("summary", "run")[1]
    assert call("summary", "run", "--measure", "error")[1].endswith("\n95 % intervals: Clopper-Pearson\n")
    assert call("summary", "run", "--quantile", ".5")[1].endswith("\n95 % intervals: between order statistics\n")
    topped_up = call(*run, "--reps", "4")[1].replace("\n", " ")
    assert "95 % intervals: beta-binomial mixture, valid at every look (error" in topped_up


@pytest.mark.parametrize("verb", ["apply", "check"])
@pytest.mark.parametrize("method", FILES)
def test_all_conditions_on_rows_must_hold(verb: str, method: str, call: Any) -> None:
    columns, options = FILES[method]
    kept = (NUMBER // 8 % 3 > 0).tolist()  # whole evaluators; of every half, sources of every kind
    table = pa.table(columns | {"kept": kept} | ({"control": (NUMBER // 4 % 2).tolist()} if method == "scf" else {}))
    tables.write(table, "all.csv")
    both = pc.and_(pc.equal(table["half"], 1), table["kept"])
    tables.write(table.filter(both), "both.csv")
    ask = [verb, method, "all.csv", *options]
    told = call(*ask, "--rows", "half=1", "--rows", "kept=true")
    assert told[0] == 0
    assert told == call(*ask, "--rows", "kept=true", "--rows", "half=1")
    assert told == call(verb, method, "both.csv", *options)
    code, _, err = call(*ask, "--rows", "half=1", "--rows", "half=0")
    assert (code, err) == (2, "typeone: --rows half=1 --rows half=0: no row has all of these values\n")


def test_of_two_values_none_wins_unnoticed(call: Any) -> None:
    columns = FILES["scf"][0]
    tables.write(pa.table(columns), "x.parquet")
    run = ["run", "coin", "--out", "run"]
    for words, told in (
        (["apply", "scf", "x.parquet", "--score", "a", "--score=b"], "--score"),
        (["apply", "scf", "x.parquet", "--quiet", "--no-quiet"], "--quiet"),
        (["panels", "size", "--census", "40", "--positives", "3", "--census", "41"], "--census"),
        ([*run, "--reps", "2", "--reps", "3"], "--reps"),
        ([*run, "--reps", "2", "--set", "repetitions=3"], "--reps"),
        ([*run, "--seed", "2", "--set", "seed=3"], "--seed"),
        ([*run, "--flips", "2", "--flips", "3"], "--flips"),
        ([*run, "--flips", "2", "--set", "flips=3"], "--flips"),
        ([*run, "--set", "flips=2", "--set", "Flips=3"], "Flips"),
        ([*run, "--input", "a=1", "--set", "a=2"], "a"),
        (
            ["plan", "coin", "--target", "a=1", "--vary", "a=1:2", "--out", "p", "--flips", "2", "--set", "flips=3"],
            "--flips",
        ),
    ):
        assert call(*words) == (2, "", f"typeone: {told}: is given twice; give it once\n"), words
    assert not Path("run").exists()


def test_a_file_of_one_line_has_no_rows(call: Any) -> None:
    for text in ("x", "null", "x,y", "x\n", '"x'):
        Path("x.csv").write_text(text)
        code, out, err = call("check", "scf", "x.csv")
        assert (code, out) == (2, "")
        assert err == "typeone: x.csv: no rows after the first line, which names the columns\n"


def test_flips_beyond_the_evaluators_are_refused(call: Any) -> None:
    tables.write(pa.table(FILES["panels"][0]), "x.csv")
    for flips in (["13"], ["1", "13"]):
        given = [word for count in flips for word in ("--flips", count)]
        code, out, err = call("apply", "panels", "x.csv", *given)
        assert (code, out) == (2, "")
        assert "13: must lie between 0 and 12" in err


def test_a_run_keeps_out_of_the_folder_of_a_plan(call: Any) -> None:
    Path("p").mkdir()
    Path("p", "question.json").write_text("{}")
    code, _, err = call("run", "coin", "--reps", "2", "--out", "p")
    assert (code, err) == (2, "typeone: p holds question.json of a plan: choose another folder\n")
    assert not Path("p", "manifest.json").exists()


def test_an_export_says_how_much_of_a_run_is_there(call: Any, tmp_path: Path) -> None:
    call("run", "coin", "--reps", "3", "--out", "run", "--quiet")
    assert call("export", "run", "--out", "x.csv")[1].endswith("written to x.csv\n")
    manifest = manifests.read(tmp_path / "run")
    manifest.sessions[-1].state = "interrupted"
    manifest.planned = 20
    manifest.write(tmp_path / "run")
    told = call("export", "run", "--out", "x.csv")[1]
    assert told.endswith("written to x.csv; the run is not complete: 12 of 20 repetitions are there\n")
