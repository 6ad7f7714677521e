"""``python -m benchmarks`` measures everything and writes results/benchmarks; see benchmarks/README.md.

    python -m benchmarks                        # all, at most 20 minutes on two quiet cores
    python -m benchmarks --only jecs            # one row or section (repeatable); prints, writes nothing
    QUICK=1 python -m benchmarks --out FOLDER   # small inputs, three rounds: whether the command works

Sections besides the rows of the table: compile, growth, workers, startup, variance.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.machine import ROOT, described, single_thread

single_thread()

from benchmarks import pictures, report  # noqa: E402
from benchmarks.compiling import seconds_by_row  # noqa: E402
from benchmarks.growth import SIZES, growth  # noqa: E402
from benchmarks.measure import measured  # noqa: E402
from benchmarks.startup import startup  # noqa: E402
from benchmarks.table import ROWS  # noqa: E402
from benchmarks.variance import MEASURES, saved  # noqa: E402
from benchmarks.workers import DESIGNS, two_over_one  # noqa: E402

SECTIONS = ("compile", "growth", "workers", "startup", "variance")
OUT = ROOT / "results" / "benchmarks"
COMMAND = "python -m benchmarks"


def told(name: str, action: Callable[[], Any]) -> Any:
    """What ``action`` returns; its name and seconds go to standard error."""
    start = time.perf_counter()
    value = action()
    print(f"{name}: {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
    return value


def measure(only: list[str], *, quick: bool) -> dict[str, Any]:
    """The numbers of all rows and sections, or of those named."""

    def each(section: str, names: Any, function: Callable[..., Any]) -> list[Any]:
        if only and section not in only:
            return []
        return [told(f"{section} {name}", partial(function, name, quick=quick)) for name in names]

    start = time.perf_counter()
    rows = [name for name in ROWS if not only or name in only]
    data: dict[str, Any] = {"machine": described(), "quick": quick}
    data["compile"] = told("compile", lambda: seconds_by_row(rows)) if not only or "compile" in only else {}
    data["rows"] = [told(name, partial(measured, ROWS[name], quick=quick)) for name in rows]
    data["startup"] = told("startup", lambda: startup(quick=quick)) if not only or "startup" in only else []
    data["growth"] = each("growth", SIZES, growth)
    data["workers"] = each("workers", DESIGNS, two_over_one)
    data["variance"] = each("variance", MEASURES, saved)
    data["minutes"] = (time.perf_counter() - start) / 60
    return data


def write(data: dict[str, Any], folder: Path, command: str) -> None:
    """benchmarks.json, README.md and the figures."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "benchmarks.json").write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    (folder / "README.md").write_text(report.markdown(data, command), encoding="utf-8")
    with (folder / "targets.csv").open("w", newline="", encoding="utf-8") as sink:
        csv.writer(sink, lineterminator="\n").writerows([report.TARGETS, *report.targets(data)])
    if data["rows"]:
        pictures.save(pictures.ratios(data["rows"]), folder / "ratios.svg")
    if data["growth"]:
        pictures.save(pictures.growth(data["growth"]), folder / "growth.svg")


def main() -> None:
    assert __doc__ is not None
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", default=[], choices=[*ROWS, *SECTIONS], metavar="NAME")
    parser.add_argument("--out", type=Path, help="folder to write (default: results/benchmarks for a full run)")
    options = parser.parse_args()
    quick = os.environ.get("QUICK", "") not in ("", "0")
    data = measure(options.only, quick=quick)
    out = options.out or (None if quick or options.only else OUT)
    command = ("QUICK=1 " if quick else "") + " ".join([COMMAND, *(f"--only {name}" for name in options.only)])
    print(report.markdown(data, command))
    if out:
        write(data, out, command)


if __name__ == "__main__":
    main()
