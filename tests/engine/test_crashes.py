"""Killed workers, killed parents, torn files, locks, full disks: what is complete stays, the rest is redone."""

from __future__ import annotations

import dataclasses
import errno
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from engine import trivial
from engine.runs import digest, environment, go, start, wait_for
from engine.trivial import MARKS, PARENT
from typeone.engine import files
from typeone.engine.manifest import read
from typeone.engine.replay import replay
from typeone.engine.status import status
from typeone.engine.summary import summarize

SLOW: dict[str, Any] = {"chunk": 5, "repetitions": 300, "factors": {"rate": ["1/20", 0.5], "nap": "0.002"}}
TOTAL = 600

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    folder = tmp_path_factory.mktemp("crashes") / "whole"
    go(folder, jobs=1, **{**SLOW, "chunk": 300})
    return digest(folder)


def workers_of(pid: int) -> list[int]:
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            command = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != "Z" and b"popen_loky_posix" in command:
            found.append(int(entry.name))
    return found


MOMENTS = pytest.mark.parametrize(("moments", "nap"), [(3, "0.005"), pytest.param(20, "0.02", marks=pytest.mark.slow)])


def progress(folder: Path) -> int:
    try:
        return read(folder).completed
    except ValueError:
        return 0


def wait_for_more(folder: Path, process: subprocess.Popen[str], moment: random.Random) -> None:
    """Until something more is complete, and a random while longer."""
    wait_for(folder, progress(folder) + 1, process)
    time.sleep(moment.random() * 0.2)


@linux
@MOMENTS
def test_killed_workers_change_nothing(tmp_path: Path, moments: int, nap: str) -> None:
    moment = random.Random(moments)
    values = {**SLOW, "factors": {**SLOW["factors"], "nap": nap}}
    process = start(tmp_path / "run", **values)
    killed = 0
    while killed < moments and process.poll() is None:
        wait_for_more(tmp_path / "run", process, moment)
        workers = workers_of(process.pid)
        if workers:
            os.kill(moment.choice(workers), signal.SIGKILL)
            killed += 1
    process.communicate(timeout=120)
    assert process.returncode == 0
    assert killed == moments
    assert read(tmp_path / "run").lost == []
    go(tmp_path / "calm", jobs=2, **{**values, "chunk": 50})
    assert digest(tmp_path / "run") == digest(tmp_path / "calm")


@linux
@MOMENTS
def test_killed_parents_lose_no_complete_chunk(tmp_path: Path, moments: int, nap: str) -> None:
    moment = random.Random(moments)
    values = {**SLOW, "factors": {**SLOW["factors"], "nap": nap}}
    folder = tmp_path / "run"
    for i in range(moments):
        process = start(folder, jobs=1 + i % 2, **values)
        wait_for_more(folder, process, moment)
        workers = workers_of(process.pid)
        assert process.poll() is None  # else there was nothing left to kill
        before = read(folder).chunks
        process.kill()
        process.communicate()
        assert status(folder).state == "died"
        assert read(folder).chunks.items() >= before.items()
        deadline = time.monotonic() + 5
        while any(Path(f"/proc/{worker}").exists() for worker in workers) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not any(Path(f"/proc/{worker}").exists() for worker in workers)
    kept = read(folder)
    assert kept.completed < TOTAL
    assert go(folder, jobs=2, **values).state == "complete"
    assert read(folder).chunks.items() >= kept.chunks.items()
    go(tmp_path / "calm", jobs=2, **{**values, "chunk": 50})
    assert digest(folder) == digest(tmp_path / "calm")


@linux
@pytest.mark.parametrize("kill_at", [0, 37])
def test_a_chunk_that_kills_its_worker_three_times_is_failed_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kill_at: int
) -> None:
    marks = tmp_path / "marks"
    marks.mkdir()
    monkeypatch.setenv(MARKS, str(marks))
    monkeypatch.setenv(PARENT, str(os.getpid()))
    values = {"repetitions": 100, "chunk": 10, "factors": {"kill_at": kill_at, "kills": 9}}
    result = go(tmp_path / "run", jobs=2, **values)
    lost = [(0, kill_at // 10 * 10, 10)]
    assert result.state == "complete"
    assert result.lost == lost
    assert (result.completed, result.failed) == (100, 10)
    assert len(list(marks.glob("kill-*"))) == 1 + 3  # the trial first
    row = result.summary.to_pylist()[0]
    assert (row["attempted"], row["valid"], row["failed"]) == (100, 90, 10)
    told = status(tmp_path / "run")
    assert told.kinds == {"WorkerLost": 10}
    assert told.lost == lost
    assert go(tmp_path / "run", jobs=2, **values).lost == lost
    assert len(list(marks.glob("kill-*"))) == 1 + 3


@linux
def test_a_chunk_that_kills_twice_is_complete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MARKS, str(tmp_path))
    monkeypatch.setenv(PARENT, str(os.getpid()))
    values = {"repetitions": 100, "factors": {"kill_at": 37, "kills": 2}}
    result = go(tmp_path / "run", jobs=2, chunk=10, **values)
    assert (result.state, result.lost, result.failed) == ("complete", [], 0)
    assert len(list(tmp_path.glob("kill-*"))) == 2
    monkeypatch.delenv(PARENT)
    go(tmp_path / "calm", **values)
    assert digest(tmp_path / "run") == digest(tmp_path / "calm")


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_ends_within_seconds_and_saves(tmp_path: Path, expected: tuple[str, ...], jobs: int) -> None:
    process = start(tmp_path, jobs=jobs, **SLOW)
    wait_for(tmp_path, 100, process)
    asked = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert time.monotonic() - asked < 8
    assert process.returncode == 0, errors
    manifest = read(tmp_path)
    assert manifest.sessions[-1].state == "interrupted"
    assert 100 <= manifest.completed < TOTAL
    assert "sequence" in summarize(tmp_path)["bounds"].to_pylist()
    assert go(tmp_path, **SLOW).state == "complete"
    assert digest(tmp_path) == expected


def damage_torn(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-20])


def damage_foreign(file: Path) -> None:
    file.write_bytes(next(other for other in file.parent.iterdir() if other != file).read_bytes())


def damage_bit(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[40] ^= 1
    file.write_bytes(content)


@pytest.mark.parametrize("damage", [damage_torn, damage_foreign, damage_bit, Path.unlink, lambda f: f.write_bytes(b"")])
def test_a_damaged_chunk_is_never_read_and_is_recomputed(tmp_path: Path, damage) -> None:
    go(tmp_path, chunk=100)
    before = digest(tmp_path)
    file = sorted((tmp_path / "repetitions").iterdir())[3]
    damage(file)
    with pytest.raises(ValueError, match=f"{file.name}.*recompute"):
        summarize(tmp_path)
    with pytest.raises(ValueError, match="recompute"):
        replay(tmp_path, 0, 301)
    go(tmp_path, chunk=100)
    assert digest(tmp_path) == before


def test_unlisted_files_do_not_count_and_are_cleared(tmp_path: Path) -> None:
    go(tmp_path, chunk=100)
    before = digest(tmp_path)
    folder = tmp_path / "repetitions"
    listed = {file.name for file in folder.iterdir()}
    (folder / "000000-000000000000-7.parquet").write_bytes((folder / min(listed)).read_bytes())
    (folder / ".000000-000000000000-9.parquet.1.tmp").write_bytes(b"half")
    (folder / "notes.txt").write_text("mine")
    assert digest(tmp_path) == before
    go(tmp_path)
    assert {file.name for file in folder.iterdir()} == {*listed, "notes.txt"}


def test_status_counts_chunks_that_are_damaged(tmp_path: Path) -> None:
    go(tmp_path)
    files = sorted((tmp_path / "repetitions").iterdir())
    assert status(tmp_path).damaged == 0
    files[0].unlink()
    files[1].write_bytes(files[1].read_bytes()[:-1])
    assert status(tmp_path).damaged == 2
    go(tmp_path)
    assert status(tmp_path).damaged == 0


def test_a_manifest_that_is_not_one_is_refused(tmp_path: Path) -> None:
    go(tmp_path)
    written = (tmp_path / "manifest.json").read_text(encoding="utf-8")
    for content, message in (
        ("{}", "is no manifest of a run"),
        ("[]", "is no manifest of a run"),
        (written[:-30], "is not JSON"),
        (written.replace('"format": 2', '"format": 1'), "another version of typeone"),
        (written.replace('"seed": 1', '"seed": 2'), "has been changed"),
        (written.replace('"planned": 1000', '"planned": 1001'), "has been changed"),
        (re.sub(r',\n "sha256.*\n', "\n", written), "has been changed"),
    ):
        assert content != written
        (tmp_path / "manifest.json").write_text(content, encoding="utf-8")
        for action in (lambda: go(tmp_path), lambda: summarize(tmp_path), lambda: status(tmp_path)):
            with pytest.raises(ValueError, match=rf"manifest\.json.* {message}"):
                action()
    (tmp_path / "manifest.json").unlink()
    with pytest.raises(ValueError, match=r"chunks but no manifest\.json"):
        go(tmp_path)
    with pytest.raises(ValueError, match="holds no run"):
        summarize(tmp_path / "nowhere")


def test_another_run_or_other_versions_are_refused_with_what_differs(tmp_path: Path) -> None:
    go(tmp_path)
    with pytest.raises(ValueError, match=r"another run: it differs in seed \(1 there, 2 here\)"):
        go(tmp_path, seed=2)
    with pytest.raises(ValueError, match=r"differs in rate \(1/20 there, none here\)"):
        go(tmp_path, factors={"rate": "1/2"})
    with pytest.raises(ValueError, match="levels"):
        go(tmp_path, levels=["0.1"])
    with pytest.raises(ValueError, match="planned with 500 repetitions"):
        go(tmp_path, repetitions=400)
    go(tmp_path, levels=["5e-2"])  # another spelling is the same run
    manifest = read(tmp_path)
    version, manifest.versions["numba"] = manifest.versions["numba"], "0.1"
    manifest.write(tmp_path)
    with pytest.raises(ValueError, match=rf"other versions: numba \(0\.1 there, {version} here\)"):
        go(tmp_path)


def test_a_second_run_on_one_folder_is_refused_while_the_first_lives(tmp_path: Path) -> None:
    process = start(tmp_path, jobs=1, **SLOW)
    wait_for(tmp_path, 20, process)
    with pytest.raises(ValueError, match=f"being written by process {process.pid} "):
        go(tmp_path, **SLOW)
    running = status(tmp_path)
    assert running.state == "running"
    assert running.writer["pid"] == process.pid
    assert 0 < running.completed < TOTAL
    assert running.rate > 0
    assert running.seconds_left > 0
    process.kill()
    process.communicate()
    assert status(tmp_path).state == "died"
    assert go(tmp_path, **SLOW).state == "complete"
    assert files.owner(tmp_path) == {}
    assert status(tmp_path).state == "complete"


@pytest.mark.parametrize(
    ("number", "told"), [(errno.ENOSPC, "the disk is full"), (errno.EDQUOT, "quota"), (errno.EROFS, "read-only")]
)
def test_a_full_disk_is_told_and_what_was_complete_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, told: str
) -> None:
    synced = []

    def full(handle: int) -> None:
        synced.append(handle)
        if len(synced) > 12:
            raise OSError(number, os.strerror(number))

    monkeypatch.setattr("typeone.engine.storage._WRITE_EVERY", 0.0)
    monkeypatch.setattr("typeone.engine.storage._WRITE_SHARE", 1e9)
    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match=rf"cannot write .*{told}.*stays valid"):
        go(tmp_path, chunk=50)
    monkeypatch.undo()
    assert read(tmp_path).completed >= 50
    assert not list(tmp_path.rglob("*.tmp"))
    summarize(tmp_path)
    go(tmp_path)
    go(tmp_path / "fresh")
    assert digest(tmp_path) == digest(tmp_path / "fresh")


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="cannot write"):
        go(tmp_path / "file" / "run")
    with pytest.raises(OSError, match="cannot write"):
        go(tmp_path / "file")


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="needs root to step down from")
def test_a_folder_of_somebody_else_is_told(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    code = (
        "import os, sys, typeone.studies.coin; from pathlib import Path; from engine.runs import go; os.setuid(65534)\n"
        f"try: go(Path({str(tmp_path)!r}), study='typeone.studies.coin:STUDY', factors={{'heads': '0.5'}})\n"
        "except OSError as error: print(error)"
    )
    told = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True)
    assert "no permission" in told.stdout, told.stderr


def test_a_refused_run_leaves_nothing_in_the_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="jobs=0"):
        go(tmp_path / "run", jobs=0, repetitions=500)
    assert not (tmp_path / "run").exists()

    def refuse(cell: object) -> None:
        raise ValueError("no such rows")

    with monkeypatch.context() as patched:
        patched.setattr("engine.trivial.STUDY", dataclasses.replace(trivial.STUDY, share=refuse))
        with pytest.raises(ValueError, match="no such rows"):
            go(tmp_path / "run", jobs=1, repetitions=500)
    assert go(tmp_path / "run", repetitions=20).completed == 40
