"""Runs of the trivial study, here or in a process to kill: ``python -m engine.runs OUT JOBS BACKEND JSON``."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from engine.trivial import PARENT, REFERENCE
from typeone.engine.design import design_from
from typeone.engine.export import export
from typeone.engine.manifest import read
from typeone.engine.runner import RunResult, run

FACTORS = {"rate": ["1/20", 0.5], "fail_every": [0, 13]}


def go(folder: Path, *, jobs: int = 1, backend: str = "loky", address: str | None = None, **values: Any) -> RunResult:
    values = {"study": REFERENCE, "repetitions": 500, "factors": {"rate": ["1/20", 0.5]}} | values
    return run(design_from(values), folder, jobs=jobs, backend=backend, address=address, max_failures=1.0)


def digest(folder: Path) -> tuple[str, ...]:
    """Of the summary and of the exported repetition table."""
    table = folder / "table.parquet"
    export(folder, table)
    return tuple(hashlib.sha256(file.read_bytes()).hexdigest() for file in (folder / "summary.parquet", table))


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])}


def start(folder: Path, *, jobs: int = 2, backend: str = "loky", **values: Any) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "engine.runs", str(folder), str(jobs), backend, json.dumps(values)]
    return subprocess.Popen(command, env=environment(), stderr=subprocess.PIPE, text=True)


def wait_for(folder: Path, count: int, process: subprocess.Popen[str]) -> None:
    """Until ``count`` repetitions are complete, or the process has ended."""
    while process.poll() is None:
        try:
            if read(folder).completed >= count:
                return
        except ValueError:
            pass
        time.sleep(0.01)


if __name__ == "__main__":
    if PARENT in os.environ:
        os.environ[PARENT] = str(os.getpid())
    go(Path(sys.argv[1]), jobs=int(sys.argv[2]), backend=sys.argv[3], **json.loads(sys.argv[4]))
