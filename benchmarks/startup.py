"""What a command costs before it does anything: ``typeone --help`` and a tiny run, beside the imports they need."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.measure import verdict
from benchmarks.timing import Ratio, interleaved, seconds_of

LIMIT = 1.5
ROUNDS = 15  # short and noisy: more rounds
HELP = [sys.executable, "-m", "typeone", "--help"]
TYPER = [sys.executable, "-c", "import typer"]
IMPORTS = [sys.executable, "-c", "import numba, pyarrow, scipy.stats"]
FACTORS = ["--models", "2", "--candidates", "50", "--calibration", "50"]


def tiny_run(folder: str) -> list[str]:
    """Twenty repetitions of a compiled study; its kernels come from the cache."""
    return [sys.executable, "-m", "typeone", "run", "jecs", *FACTORS, "--reps", "20", "--out", folder]


def process(command: list[str]) -> None:
    subprocess.run(command, capture_output=True, check=True)


def _new_run() -> float:
    with tempfile.TemporaryDirectory() as folder:
        return seconds_of(lambda: process(tiny_run(str(Path(folder) / "run"))))


def _timed(command: list[str]) -> float:
    return seconds_of(lambda: process(command))


def startup(*, quick: bool) -> list[dict[str, Any]]:
    """Both rows of the table."""
    pairs: dict[str, tuple[Callable[[], float], list[str]]] = {
        "typeone --help": (partial(_timed, HELP), TYPER),
        "tiny cached run": (_new_run, IMPORTS),
    }
    rows = []
    for name, (ours, baseline) in pairs.items():
        times = interleaved({"ours": ours, "imports": partial(_timed, baseline)}, rounds=3 if quick else ROUNDS)
        ratio = Ratio.of(times["ours"], times["imports"])
        rows.append(
            {
                "name": name,
                "baseline": baseline[-1],
                "seconds": {who: timing.median for who, timing in times.items()},
                "ratio": vars(ratio),
                "limit": LIMIT,
                "verdict": verdict(ratio.median, LIMIT, None, "at most"),
            }
        )
    return rows
