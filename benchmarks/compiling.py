"""Compile time of each row's own code, apart from every other time: ``python -m benchmarks.compiling``.

Runs in a process of its own with an empty cache.  What an earlier row compiled is not counted again.  Numba's own
events are added up, outermost ones only.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from typing import Any

from benchmarks.machine import ROOT, single_thread


def seconds_by_row(names: list[str]) -> dict[str, float]:
    """In a fresh process with an empty cache."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"NUMBA_CACHE_DIR": folder}
        command = [sys.executable, "-m", "benchmarks.compiling", *names]
        done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


def outermost(records: list[Any]) -> float:
    """Seconds covered by the outermost of nested start and end events."""
    depth, total, start = 0, 0.0, 0.0
    for stamp, event in records:
        if event.is_start:
            start = stamp if depth == 0 else start
            depth += 1
        else:
            depth -= 1
            total += stamp - start if depth == 0 else 0.0
    return total


def main(names: list[str]) -> None:
    from numba.core import event

    from benchmarks.table import ROWS

    spent = {}
    for name in names:
        with event.install_recorder("numba:compile") as recorder:
            ROWS[name].build("small")["ours"].run()
        spent[name] = outermost(recorder.buffer)
    print(json.dumps(spent))


if __name__ == "__main__":
    single_thread()
    main(sys.argv[1:])
