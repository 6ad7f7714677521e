"""SCF: `python results/scf.py [--quick]` runs the presets scf-levels and scf-<scenario>, writes results/scf/.

Tables in the shape of the publication's 1, 2, 3, 6, 7 and 8, on real scores and on scenarios.  A scenario's cap
columns run on one population, as published SDs over partitions do (``fixed``); levels are compared with averages over
populations (``redraw``).  Fitted numbers are marked and never counted as reproduced.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

import scf_tables as tables
from typeone.engine.lookup import changed, design_called
from typeone.engine.resolved import resolve
from typeone.engine.runner import run
from typeone.scf.statistics import TITLES
from typeone.studies.scf.headline import named, rows_of
from typeone.studies.scf.scenarios import SCENARIOS
from writing import HERE, write_checks, write_csv, write_report

Rows = list[dict[str, Any]]
QUICK = 100


class Run(NamedTuple):
    """A run's rows in long form: one for each method, one for each pair of methods, one for each cell."""

    methods: Rows
    gains: Rows
    capped: Rows

    def joined(self, other: Run) -> Run:
        """The rows of both."""
        return Run(*(a + b for a, b in zip(self, other, strict=True)))


def results_of(name: str, folder: Path, changes: dict[str, Any]) -> Run:
    """Run a preset with changes."""
    design = changed(design_called(name), changes)
    summary = run(design, folder / "-".join([name, *map(str, changes.values())])).summary
    parameters = [cell.parameters for cell in resolve(design).cells]
    about = {
        cell: {"scores": named(p), "population": p.population, "cap": p.cap.text} for cell, p in enumerate(parameters)
    }
    methods = [
        {**about[row["cell"]], **{key: value for key, value in row.items() if key not in ("scenario", "cap", "cell")}}
        for row in rows_of(summary, parameters)
    ]
    return Run(methods, list(_gains(summary, about)), list(_capped(summary, about)))


def _gains(summary: pa.Table, about: dict[int, dict[str, str]]) -> Rows:
    """Paired comparisons of methods: mean gain, and shares of partitions won, tied and lost."""
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in summary.to_pylist():
        measure, _, outcome = row["measure"].partition("_gain")
        if measure not in ("auroc", "tpr") or "_gain" not in row["measure"]:
            continue
        one, other = (TITLES.get(name, name) for name in row["method"].split(" - "))
        key = (row["cell"], one, other, measure, row["level"])
        head = {**about[row["cell"]], "one": one, "other": other, "measure": measure, "level": row["level"]}
        line = found.setdefault(key, head | {"repetitions": row["valid"]})
        if outcome:
            line[outcome[1:]] = row["estimate"]
        else:
            line |= {"gain": row["estimate"], "gain se": row["mc_se"]}
    return list(found.values())


def _capped(summary: pa.Table, about: dict[int, dict[str, str]]) -> Rows:
    """Shares of capped documents among participants and nonparticipants."""
    found: dict[int, dict[str, Any]] = {}
    for row in summary.to_pylist():
        if row["measure"].startswith("capped_"):
            line = found.setdefault(row["cell"], about[row["cell"]] | {"repetitions": row["valid"]})
            name = row["measure"].removeprefix("capped_")
            line |= {name: row["estimate"], f"{name} se": row["mc_se"], f"{name} sd": row["sd"]}
    return list(found.values())


def everything(folder: Path, repetitions: int) -> tuple[Run, Run]:
    """Real scores, and scenarios with one population and with many."""
    fewer = {"repetitions": repetitions} if repetitions else {}
    real = results_of("scf-levels", folder, fewer)
    scenarios = Run([], [], [])
    for name in SCENARIOS:
        for population in ("fixed", "redraw"):
            scenarios = scenarios.joined(results_of(f"scf-{name}", folder, {"population": population, **fewer}))
    return real, scenarios


def page(real: Run, scenarios: Run, checks: str) -> list[str]:
    """The sections of the report."""
    capped = tables.of_cap(scenarios.methods)
    return [
        "## Published values beside ours",
        "The published documents and models are not public: ours are scenarios, fitted to the published AUROC row and "
        "capped shares (`typeone scf fit`, residuals in sim/typeone/studies/scf/shapes.json). Those are marked fitted "
        "and count as no evidence; everything else was held out. Ours is the average over populations drawn from the "
        "scenario; a published value is one population's, so it agrees when it lies within two SDs over populations "
        "(column error: that SD and our Monte Carlo error together).",
        checks,
        "## AUROC (the shape of table 1)",
        "Scenarios, cap .05, averages over populations ± Monte Carlo error:",
        tables.auroc(capped),
        "Real scores; in the negative control no source took part, so its AUROC says how far two random halves of "
        "sources lie apart:",
        tables.auroc(real.methods),
        "## Capped shares (table 2)",
        tables.capped(tables.of_cap(scenarios.capped) + real.capped),
        "## TPR and FPR (table 3)",
        "Intervals hold for means of fractions; attainable: the largest rate that ranks among so many calibration "
        "sources allow at the level.",
        tables.rates(capped + real.methods),
        "## Paired comparisons (table 6)",
        "AUROC of SCF less another method's on the same partitions: mean ± Monte Carlo error (partitions won / tied / "
        "lost, %).",
        tables.paired(tables.of_cap(scenarios.gains) + real.gains),
        "## Which orderings hold",
        tables.orderings(tables.of_cap(scenarios.gains), real.gains),
        "## Cap sensitivity (table 7)",
        "AUROC and its SD over partitions of one population; gain: the paired gain over cap 0, average over "
        "populations. The fit knows cap .05 only, and cap 0 as uncapped Fisher.",
        tables.sensitivity(scenarios.methods),
        "## FPR by cap (table 8)",
        tables.fpr_by_cap(scenarios.methods),
    ]


def main() -> None:
    """Run, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} partitions a cell")
    parser.add_argument("--out", type=Path, default=HERE / "scf")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        real, scenarios = everything(Path(folder), QUICK if options.quick else 0)
    for name, run_ in (("levels", real), ("scenarios", scenarios)):
        write_csv(options.out / f"{name}.csv", run_.methods)
        write_csv(options.out / f"{name}_gains.csv", run_.gains)
        write_csv(options.out / f"{name}_capped.csv", run_.capped)
    checks = write_checks(options.out, tables.checks(scenarios.methods, scenarios.capped))
    told = f"Partitions a cell: {real.gains[0]['repetitions']} (real), {scenarios.gains[0]['repetitions']} (scenarios)."
    title = "SCF on real scores and on scenarios"
    write_report(options.out, title, "scf.py", told, page(real, scenarios, checks), quick=options.quick)


if __name__ == "__main__":
    main()
