"""The commands around a run: what they print, how they end, and that they change nothing they should not."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from engine.runs import environment, go, wait_for
from engine.trivial import REFERENCE
from typeone.cli import root
from typeone.cli.root import main
from typeone.engine import backends, trial
from typeone.engine.manifest import read


def call(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(list(words))
    out, err = capsys.readouterr()
    return int(ended.value.code or 0), out, err


def test_run_summary_status_replay_and_export(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "run")
    code, told, _ = call(
        capsys, "run", "coin", "--out", out, "--reps", "200", "--set", "excess=0,1", "--heads", "0.3", "--flips=4"
    )
    assert code == 0
    assert "complete: 400 of 400 repetitions, 0 failed" in told
    assert read(tmp_path / "run").factors == [
        {"heads": "0.3", "flips": 4, "excess": "0"},
        {"heads": "0.3", "flips": 4, "excess": "1"},
    ]
    assert (
        call(
            capsys, "run", "coin", "--out", out, "--reps", "200", "--set", "excess=0,1", "--heads", "0.3", "--flips=4"
        )[0]
        == 0
    )
    code, told, _ = call(capsys, "summary", out, "--format", "json")
    assert {row["study"] for row in json.loads(told)} == {"coin"}
    code, told, _ = call(capsys, "summary", out)
    assert "violated" in told or "undecided" in told
    assert call(capsys, "summary", out, "--quantile", "0.5")[0] == 0
    code, told, _ = call(capsys, "status", out, "--json")
    assert json.loads(told)["state"] == "complete"
    assert "400 of 400" in call(capsys, "status", out)[1]
    code, told, _ = call(capsys, "replay", out, "--cell", "1", "--rep", "5")
    assert (code, told.splitlines()[-1]) == (0, "equal")
    code, told, _ = call(capsys, "export", out, "--out", str(tmp_path / "t.parquet"))
    assert "3200 rows" in told


def test_list_and_show(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "4 x 10000" in call(capsys, "list")[1]
    told = call(capsys, "show", "coin")[1]
    assert told.startswith("# ")
    assert 'study = "coin"' in told
    told = call(capsys, "show", REFERENCE)[1]
    (tmp_path / "mine.toml").write_text(told)
    code, told, _ = call(capsys, "run", str(tmp_path / "mine.toml"), "--dry-run", "--reps", "50")
    assert code == 0
    for word in ("cells        1", "repetitions  50", "time", "memory", "disk"):
        assert word in told


def test_a_dry_run_counts_on_no_more_cores_than_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["run", "coin", "--reps", "500000", "--dry-run"]
    told = call(capsys, *words, "--jobs", "900")[1]
    assert f"s with 900 jobs on the {trial.cores()} cores here, compiling" in told
    assert "with 1 jobs, compiling" in call(capsys, *words, "--jobs", "1")[1]
    here, elsewhere = (
        json.loads(call(capsys, *words, "--json", "--jobs", "900", "--backend", backend)[1])["seconds"]
        for backend in ("loky", "dask")
    )
    assert here > 20 * elsewhere  # 900 workers on at most a few dozen cores
    assert call(capsys, *words, "--jobs", "0")[0] == 2


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["run", "coyn", "--out", "x"], "did you mean 'coin'"),
        (["run", "coin", "--out", "x", "--flps", "3"], "flps: coin has no such factor or input; did you mean 'flips'"),
        (["run", "coin", "--out", "x", "--set", "repetition=3"], "did you mean 'repetitions'"),
        (["run", "coin", "--out", "x", "--set", "flips=0"], "flips=0"),
        (["run", "coin"], "--out: a folder for the results is needed"),
        (["summary", "nowhere"], "nowhere holds no run"),
        (["summary", "nowhere", "--format", "xml"], "no such format"),
        (["status", "nowhere"], "nowhere holds no run"),
    ],
)
def test_bad_usage_is_one_sentence(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(capsys, *words)
    assert code == 2
    assert out == ""
    assert told in err
    assert len(err.strip().splitlines()) == 1
    assert not Path("x").exists()


def test_too_many_failures_end_with_code_1_and_the_way_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["run", REFERENCE, "--out", str(tmp_path), "--fail-every", "10", "--set", "chunk=20", "--reps", "100"]
    code, told, errors = call(capsys, *words)
    assert code == 1
    assert "too many failures: 20 of 100 repetitions, 2 failed" in told
    assert "--max-failures" in errors
    assert "RuntimeError" in call(capsys, "status", str(tmp_path))[1]
    assert call(capsys, *words, "--max-failures", "0.5", "--quiet")[:2] == (0, "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_prints_the_command_that_resumes(tmp_path: Path, number: signal.Signals) -> None:
    words = ["run", REFERENCE, "--out", str(tmp_path / "a b"), "--nap", "0.01", "--reps", "2000", "--set", "chunk=5"]
    code = f"import sys; from typeone.cli.root import main; sys.argv[1:] = {words!r}; main()"
    process = subprocess.Popen([sys.executable, "-c", code], env=environment(), stderr=subprocess.PIPE, text=True)
    wait_for(tmp_path / "a b", 5, process)
    process.send_signal(number)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 130
    assert f"to resume: typeone run {REFERENCE} --out '{tmp_path / 'a b'}' --nap 0.01" in errors
    assert "Traceback" not in errors


def test_a_worker_that_starts_does_not_hear_ctrl_c() -> None:
    backend = backends.make_backend("loky", 2)
    assert isinstance(backend, backends._Loky)
    try:
        # What it inherits; its own `prepare` is too late for a Ctrl-C that comes while it loads its modules.
        assert signal.SIGINT in backend._submit(signal.pthread_sigmask, signal.SIG_BLOCK, []).result()
    finally:
        backend.close(kill=True)


def test_ctrl_c_while_a_worker_starts_is_heard_afterwards(capsys: pytest.CaptureFixture[str]) -> None:
    passed = []

    def start() -> None:
        with backends._deaf():
            thread = threading.Thread(target=os.kill, args=[os.getpid(), signal.SIGINT])
            thread.start()
            thread.join()
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])  # another thread may be the one that hears it
            time.sleep(0.05)
            passed.append(True)

    with pytest.raises(KeyboardInterrupt):
        start()
    assert passed
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("stage", ["resolve_command", "make_context"])
def test_ctrl_c_before_a_command_runs_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], stage: str
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    owner = root.ModuleTree if stage == "resolve_command" else root.TyperGroup
    monkeypatch.setattr(owner, stage, interrupted)
    assert call(capsys, "list") == (130, "", "typeone: stopped\n")


def test_status_of_a_run_that_lost_a_chunk_names_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    go(tmp_path, repetitions=20)
    manifest = read(tmp_path)
    manifest.lost = [(1, 0, 20)]
    manifest.write(tmp_path)
    assert "cell 1: repetitions 0 to 19 killed their worker three times" in call(capsys, "status", str(tmp_path))[1]
