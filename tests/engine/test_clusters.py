"""Real Dask and Ray processes on this machine: the bytes of a run in one process, also when workers are killed."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from engine.runs import digest, environment, go, start
from engine.trivial import MARKS, PARENT
from typeone.engine.backends import make_backend
from typeone.engine.manifest import read

CALM = {"rate": ["1/20", 0.5], "fail_every": [0, 13], "big": True}
DEADLY = {"kill_at": 37}


def finish(process: subprocess.Popen[str]) -> None:
    _, errors = process.communicate(timeout=150)
    assert process.returncode == 0, errors


def deadly(folder: Path, monkeypatch: pytest.MonkeyPatch, backend: str, kills: int) -> None:
    """A run in a process of its own whose workers kill themselves, and the same run in peace."""
    folder.joinpath("marks").mkdir()
    monkeypatch.setenv(MARKS, str(folder / "marks"))
    monkeypatch.setenv(PARENT, "0")
    values: dict[str, Any] = {"repetitions": 100, "chunk": 10, "factors": {**DEADLY, "kills": kills}}
    finish(start(folder / "run", backend=backend, **values))
    monkeypatch.delenv(PARENT)
    go(folder / "calm", **values)


NO_SPACE = pytest.mark.skipif(" " in sys.executable, reason="Ray cannot start workers from a path with a space")
CLUSTERS = ["dask", pytest.param("ray", marks=NO_SPACE)]


@pytest.mark.slow
@pytest.mark.parametrize("backend", CLUSTERS)
def test_a_cluster_gives_the_same_bytes(tmp_path: Path, backend: str) -> None:
    pytest.importorskip(backend)
    go(tmp_path / "one", factors=CALM)
    finish(start(tmp_path / "many", backend=backend, factors=CALM, chunk=70))
    assert digest(tmp_path / "one") == digest(tmp_path / "many")


@pytest.mark.slow
@pytest.mark.parametrize("backend", CLUSTERS)
def test_killed_workers_of_a_cluster_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, backend: str
) -> None:
    pytest.importorskip(backend)
    deadly(tmp_path, monkeypatch, backend, kills=2)
    assert len(list((tmp_path / "marks").glob("kill-*"))) == 2
    assert digest(tmp_path / "run") == digest(tmp_path / "calm")


@pytest.mark.slow
@pytest.mark.parametrize("backend", CLUSTERS)
def test_a_chunk_that_kills_its_workers_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, backend: str) -> None:
    pytest.importorskip(backend)
    deadly(tmp_path, monkeypatch, backend, kills=99)
    manifest = read(tmp_path / "run")
    assert manifest.lost == [(0, 30, 10)]
    assert (manifest.completed, manifest.failed) == (100, 10)


@pytest.mark.slow
def test_a_dask_scheduler_and_workers_that_run_already(tmp_path: Path) -> None:
    pytest.importorskip("dask")
    file = tmp_path / "scheduler.json"
    command = [sys.executable, "-m", "dask"]
    where = ["--scheduler-file", str(file)]
    started = [
        subprocess.Popen([*command, *words, *where], env=environment(), stderr=subprocess.DEVNULL)
        for words in (
            ["scheduler", "--port", "0", "--dashboard-address", ":0"],
            ["worker", "--nthreads", "2", "--dashboard-address", ":0"],
        )
    ]
    try:
        deadline = time.monotonic() + 60
        while not file.exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        go(tmp_path / "one", factors=CALM)
        address = json.loads(file.read_text())["address"]
        finish(start(tmp_path / "many", backend="dask", address=address, factors=CALM, chunk=70))
        assert digest(tmp_path / "one") == digest(tmp_path / "many")
    finally:
        for process in reversed(started):
            process.terminate()
        for process in started:
            process.wait(timeout=30)


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"backend": "dusk"}, "did you mean 'dask'"),
        ({"jobs": 0}, "at least one worker"),
        ({"address": "tcp://127.0.0.1:1"}, "runs on this machine only"),
    ],
)
def test_a_backend_that_does_not_exist_is_told(tmp_path: Path, values: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        go(tmp_path, **values)


def test_a_missing_extra_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.setitem(sys.modules, "distributed", None)
    for backend in ("ray", "dask"):
        with pytest.raises(ValueError, match=rf"pip install 'typeone\[{backend}\]'"):
            go(tmp_path, backend=backend)


def test_ray_says_that_it_cannot_start_from_a_path_with_a_space(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("ray")
    monkeypatch.setattr(sys, "executable", "/a folder/python")
    with pytest.raises(ValueError, match="a path with a space"):
        make_backend("ray", 1)
