"""A campaign's result as tables: rows for the terminal, files, and a page in Markdown."""

from __future__ import annotations

import csv
import math
import platform
from collections.abc import Sequence
from dataclasses import asdict
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from typeone.display import cell, markdown_table
from typeone.verify.campaign import Result
from typeone.verify.verdicts import LEAST_MARGIN, MARGIN, WORST, Finding, overall


class Table(NamedTuple):
    """A title, a header and rows of text."""

    title: str
    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def worst_of(findings: Sequence[Finding]) -> Finding:
    """The finding with the worst verdict, among these the one with the largest rate for its level."""
    return max(findings, key=lambda f: (-WORST.index(f.verdict), f.ratio, f.rate))


def promises_table(result: Result) -> Table:
    """One row for the hardest cells known, one for the worst that the search found."""
    rows = []
    for promise in result.promises:
        known = [f for f in result.of(promise.name) if not f.searched]
        rows.append(_row(promise.name, str(len({f.cell for f in known})), known))
        found = [f for f in result.of(promise.name) if f.searched]
        if found:
            rows.append(_row("  worst found", str(result.searches[promise.name].points), found))
    header = ("promise", "cells", "repetitions", "worst rate", "level", "verdict")
    return Table("Promises inside their assumptions", header, rows)


def _row(name: str, cells: str, findings: Sequence[Finding]) -> tuple[str, ...]:
    worst = worst_of(findings)
    most = max(f.repetitions for f in findings)
    rate = short(worst.rate) if worst.exact else f"{short(worst.rate)} [{short(worst.lower)}, {short(worst.upper)}]"
    verdict = overall(findings)
    told = f"{verdict}, needs {worst.needed}" if verdict == "undecided" and worst.needed else str(verdict)
    return name, cells, f"{most}" if most else "exact", rate, short(float(worst.level)), told


def short(value: float) -> str:
    """Three significant digits, no zero before the point."""
    if math.isnan(value):
        return "–"
    text = f"{value:.3g}"
    return text[1:] if text.startswith("0.") else text


def outside_table(result: Result) -> Table:
    """For each violated assumption the strengths and the rates, one row for each column."""
    lines: dict[tuple[str, str], list[str]] = {}
    levels: dict[tuple[str, str], float] = {}
    for fall in result.falls:
        key = (fall.failing, fall.column)
        lines.setdefault(key, []).append(f"{fall.strength}: {short(fall.rate)}")
        levels[key] = fall.level
    rows = [(name, column, short(levels[name, column]), "  ".join(of)) for (name, column), of in lines.items()]
    return Table("Outside the assumptions", ("violation", "column", "level", "strength: rate"), rows)


def mutants_table(result: Result) -> Table:
    """Which check catches each mutant, and when."""
    rows = [
        (
            c.mutant,
            c.promise if c.caught else "NOT CAUGHT",
            str(c.repetitions) if c.repetitions else "exact",
            short(c.rate),
            short(c.level),
        )
        for c in result.catches
    ]
    return Table("Mutants", ("mutant", "caught by", "repetitions", "rate", "level"), rows)


def notes(result: Result) -> list[str]:
    """Where the worst rates stand, and how the verdicts are to be read."""
    return [
        f"{f.promise}: worst {'found ' if f.searched else ''}at {f.cell}{' (' + f.column + ')' if f.column else ''}"
        for promise in result.promises
        for searched in (False, True)
        if (group := [g for g in result.of(promise.name) if g.searched == searched])
        for f in [worst_of(group)]
    ]


def reading(result: Result) -> str:
    """How the verdicts are to be read, in words."""
    return (
        f"{result.tests} simulated tests share the false-alarm rate {cell(result.alpha)} (Bonferroni): intervals are "
        f"simultaneous. Violated: the lower bound lies above the level. Holds: the upper bound is at most the level "
        f"plus a margin of {cell(float(MARGIN))} of it (at least {cell(float(LEAST_MARGIN))}), or the rate was "
        "enumerated. A level of 0 means: never. In rows 'worst found' the cells are the points that the search tried, "
        "and the rates are from fresh seeds. Mutants share the same false-alarm rate over all looks."
    )


def summary(result: Result) -> str:
    """The campaign in one sentence."""
    verdicts = [overall(result.of(promise.name)) for promise in result.promises]
    counts = ", ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in ("holds", "undecided", "violated"))
    caught = sum(c.caught for c in result.catches)
    return f"{len(verdicts)} promises: {counts}; {caught} of {len(result.catches)} mutants caught"


def as_json(result: Result) -> dict[str, Any]:
    """Everything but the time it took; the same for any number of jobs."""
    return {
        "repetitions": result.options.repetitions,
        "seed": result.options.seed,
        "alpha": result.alpha,
        "tests": result.tests,
        "sound": result.sound,
        "promises": _promise_rows(result),
        "findings": finding_rows(result),
        "searches": {
            name: {"points": s.points, "repetitions": s.repetitions, "candidates": [dict(c) for c in s.candidates]}
            for name, s in result.searches.items()
        },
        "outside": [fall._asdict() for fall in result.falls],
        "mutants": [asdict(of) for of in result.catches],
    }


def _promise_rows(result: Result) -> list[dict[str, Any]]:
    rows = []
    for promise in result.promises:
        texts = ("name", "statement", "assumptions", "where", "hardest")
        findings = result.of(promise.name)
        worst = worst_of(findings)
        rows.append(
            {name: getattr(promise, name) for name in texts}
            | {"verdict": overall(findings), "worst_cell": worst.cell, "worst_rate": worst.rate}
        )
    return rows


def finding_rows(result: Result) -> list[dict[str, Any]]:
    """One plain row for each finding."""
    return [
        asdict(f) | {"level": float(f.level), "exact": f.exact, "ratio": f.ratio if math.isfinite(f.ratio) else None}
        for f in result.findings
    ]


def write(result: Result, folder: Path, command: str) -> list[Path]:
    """findings.parquet, promises.csv, outside.csv, mutants.csv and report.md in ``folder``; returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    parquet = folder / "findings.parquet"
    pq.write_table(pa.Table.from_pylist(finding_rows(result)), parquet, compression="zstd")
    told = as_json(result)
    written = [parquet]
    for name in ("promises", "outside", "mutants"):
        path = folder / f"{name}.csv"
        rows = told[name]
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]) if rows else ["name"])
            writer.writeheader()
            writer.writerows(rows)
        written.append(path)
    page = folder / "report.md"
    page.write_text(markdown(result, command), encoding="utf-8")
    return [*written, page]


def markdown(result: Result, command: str) -> str:
    """The report: what was promised, what was found, what breaks a promise, and what catches a mistake."""
    made = (
        f"Written by `{command}` on {date.today().isoformat()}: typeone {version('typeone')}, NumPy "
        f"{version('numpy')}, Numba {version('numba')}, Python {platform.python_version()}; {result.seconds:.0f} s "
        f"with {result.options.jobs} job(s), seed {result.options.seed}, {result.options.repetitions} repetitions."
    )
    told = [(p.name, p.statement, p.assumptions, p.hardest, p.where) for p in result.promises]
    violated = sorted({(f.failing, f.promise, f.violated) for f in result.falls})
    texts = [(c.mutant, c.text, c.where) for c in result.catches]
    parts = ["# Verification campaign", made, f"{summary(result)}.", reading(result)]
    for table in (promises_table(result), outside_table(result), mutants_table(result)):
        parts += [f"## {table.title}", markdown_table(table.header, table.rows)]
        if table.title.startswith("Promises"):
            parts += ["\n".join(f"- {line}" for line in notes(result))]
        if table.title.startswith("Outside"):
            parts += [markdown_table(("violation", "of promise", "what is violated: strength"), violated)]
        if table.title == "Mutants":
            parts += [markdown_table(("mutant", "mistake", "seen at"), texts)]
    parts += ["## What is promised", markdown_table(("promise", "statement", "assumptions", "cells", "where"), told)]
    return "\n\n".join(parts) + "\n"
