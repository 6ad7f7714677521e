"""The page of a run: the answer, then aims, mechanisms, estimands, methods, performance, and how to repeat it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from typeone.engine.resolved import telling
from typeone.engine.status import Status, status
from typeone.figures.catalog import pictures
from typeone.figures.latex import latex_table
from typeone.figures.rows import Row, groups
from typeone.figures.stored import Stored
from typeone.report import performance, verdicts
from typeone.report.html import Markup, Section, bullets, code, download, element, facts, joined, paragraph, table, text
from typeone.report.main_tables import main_tables
from typeone.report.page import page

MOST_ROWS = 300
"""Of a main table, and of the table of cells: the table of estimates and its file go on."""
KINDS = {
    "rate": "0 or 1 in each repetition; Clopper-Pearson interval",
    "fraction": "between 0 and 1 in each repetition; interval valid for bounded means",
    "mean": "any number; interval from the Monte Carlo standard error",
    "gain": "paired difference of two methods in the same repetition; wins, ties and losses",
}


def run_page(folder: Path) -> str:
    """The whole page for a run's folder, finished or not."""
    run = Stored.open(folder)
    rows = performance.listed(run)
    name = shlex.quote(folder.name or str(folder))
    shown = performance.Shown(pictures(run), performance.tips(rows), command=f"typeone plot {name} --figure NAME")
    sections = [
        Section("answer", "Answer", verdicts.answer(run)),
        Section("aims", "Aims", _aims(run)),
        Section("mechanisms", "Data-generating mechanisms", _mechanisms(run)),
        Section("estimands", "Estimands", _estimands(run)),
        Section("methods", "Methods", _methods(run)),
        Section("performance", "Performance", _performance(run, rows, shown)),
        Section("repeat", "Repeat it", _repeat(run, name)),
    ]
    return page(f"{run.study.name}: {folder.name or folder}", run.design.text or run.study.text, sections)


def _aims(run: Stored) -> Markup:
    return joined(*(paragraph(words) for words in dict.fromkeys([run.study.text, run.design.text]) if words))


def _mechanisms(run: Stored) -> Markup:
    cells = run.manifest.factors
    held = [(name, cells[0][name]) for name in telling(run.study, cells) if name not in run.varying]
    keys = [f"{a:016x}{b:016x}" for a, b in run.manifest.keys]
    rows = [
        [element("a", str(i), href=f"#{_first_row(run, i)}"), *(cell[name] for name in run.varying), key]
        for i, (cell, key) in enumerate(zip(cells[:MOST_ROWS], keys, strict=False))
    ]
    ids = [f"cell-{i}" for i in range(len(rows))]
    more = f" (the first {len(rows)} of {len(cells):,}; all are in summary.csv)" if len(cells) > len(rows) else ""
    parts = [table("cells", f"Cells of the grid{more}", ["cell", *run.varying, "random key"], rows, ids=ids)]
    if held:
        parts += [paragraph("The same in every cell:"), facts(held)]
    if run.study.paired:
        names = ", ".join(run.study.paired)
        parts.append(paragraph(f"Cells that differ only in {names} share their random numbers (equal keys)."))
    inputs = run.manifest.facts.get("inputs") or {}
    if inputs:
        parts += [paragraph("Input files, by content:"), facts((name, str(mark)) for name, mark in inputs.items())]
    return joined(*parts)


def _first_row(run: Stored, cell: int) -> str:
    return next((f"row-{row['row']}" for row in run.records if row["cell"] == cell), "estimates")


def _estimands(run: Stored) -> Markup:
    rows = [[m.name, m.text, KINDS[m.kind], "expectation ≤ level" if m.claim else ""] for m in run.study.measures]
    levels = ", ".join(level.text for level in run.design.levels or ()) or ", ".join(run.study.levels)
    return joined(
        table("measures", "Measures: the estimand is the expectation over repetitions",
              ["measure", "meaning", "kind", "promise"], rows),
        paragraph(f"Levels: {levels}."),
    )  # fmt: skip


def _methods(run: Stored) -> Markup:
    by_method: dict[str, set[str]] = {}
    for row in run.records:
        by_method.setdefault(row["method"], set()).add(row["measure"])
    order = [m.name for m in run.study.measures]
    singles = [
        [method, ", ".join(sorted(names & set(order), key=order.index))]
        for method, names in by_method.items()
        if method in run.methods
    ]
    return table("methods-table", "Methods and what is measured of each", ["method", "measures"], singles)


def _performance(run: Stored, rows: Sequence[Row], shown: performance.Shown) -> Markup:
    parts = [element("h3", "Figures"), shown.body(), element("h3", "Main tables"), *_main(run)]
    comparisons = _comparisons(run)
    if comparisons:
        parts += [element("h3", "Comparisons"), comparisons]
    return joined(*parts, element("h3", "Estimates"), performance.estimates(run, rows, shown))


def _main(run: Stored) -> Iterator[Markup]:
    for number, (title, header, body) in enumerate(main_tables(run), start=1):
        name = f"{run.study.name}-{number}"
        if len(body) > MOST_ROWS:
            yield paragraph(f"{title}: {len(body):,} rows, see the estimates below.")
            continue
        tex = latex_table(header, body, caption=title, label=f"tab:{name}")
        yield table(name, title, header, body)
        yield paragraph("For LaTeX: ", download(f"{name}.tex", tex.encode(), "text/x-tex"))


def _comparisons(run: Stored) -> Markup:
    rows: list[list[Any]] = []
    for measure, found in run.measures("gain"):
        for (pair, level), group in groups(found, "method", "level").items():
            ahead = sum(row["lower"] is not None and row["lower"] > 0 for row in group)
            behind = sum(row["upper"] is not None and row["upper"] < 0 for row in group)
            estimates = [row["estimate"] for row in group]
            errors = [row["mc_se"] for row in group if row["mc_se"] is not None]
            largest = max(errors, default=None)
            rows.append([measure.name, pair, level, min(estimates), max(estimates), largest, ahead, behind, len(group)])
    header = [
        "measure",
        "pair",
        "level",
        "least gain",
        "largest gain",
        "± MC error (largest)",
        "ahead",
        "behind",
        "cells",
    ]
    caption = "Paired gains over cells; ahead, behind: cells whose 95 % interval lies above, below 0"
    return table("comparisons", caption, header, rows, choose=["measure", "pair", "level"]) if rows else text("")


def _repeat(run: Stored, name: str) -> Markup:
    manifest = run.manifest
    commands = f"typeone run design.toml --out again\ntypeone report again\ntypeone replay {name} --cell 0 --rep 0"
    toml = run.design.as_toml()
    counts = [
        ("seed", str(run.design.seed)),
        ("repetitions planned", manifest.planned),
        ("attempted", manifest.completed),
        ("failed", manifest.failed),
        ("cells", len(manifest.factors)),
        ("bounds", "valid at every look" if manifest.sequence else "for a number fixed in advance"),
        ("identity", manifest.identity),
    ]
    return joined(
        paragraph("Save ", download("design.toml", toml.encode(), "application/toml"), ", then:"),
        code(commands),
        element("h3", "The design"),
        code(toml),
        element("h3", "Counts"),
        facts(counts),
        *_failures(status(run.folder)),
        element("h3", "Versions and machine"),
        facts([*manifest.versions.items(), *((key, str(value)) for key, value in manifest.machine.items())]),
        _sessions(run),
    )  # fmt: skip


def _failures(told: Status) -> Iterator[Markup]:
    if told.kinds or told.lost:
        yield element("h3", "Failures")
        yield paragraph("Counted, never redrawn; rates have bounds with failures as 0 and as 1.")
        counts = [f"{count} × {kind}" for kind, count in told.kinds.items()]
        first = [f"e.g. cell {cell}, repetition {f.repetition}: {f.kind}: {f.message}" for cell, f in told.examples]
        lost = [
            f"cell {cell}: repetitions {start} to {start + count - 1} killed their worker three times"
            for cell, start, count in told.lost
        ]
        yield bullets([*counts, *first, *lost])


def _sessions(run: Stored) -> Markup:
    header = [
        "start",
        "end",
        "state",
        "jobs",
        "backend",
        "repetitions before",
        "compiling (s)",
        "starting (s)",
        "running (s)",
    ]
    rows = [
        [s.start, s.end or "–", s.state, s.jobs, s.backend, s.before, s.compile_seconds, s.start_seconds, s.run_seconds]
        for s in run.manifest.sessions
    ]
    return table("sessions", "Sessions", header, rows)
