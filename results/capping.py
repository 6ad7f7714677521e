"""When does capping help?  `python results/capping.py [--quick]` maps SCF's gain, writes results/capping/.

One population in each repetition, of the size of the scenario reddit, with other tails, shares of responding documents
and baselines of sources.  The mean shift of a participant's documents is kept in proportion to the SD of a source's
mean score, so that the mean of raw scores is about equally good everywhere and cells can be compared.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from typeone.display import markdown_table
from typeone.engine.design import Design, design_from
from typeone.engine.resolved import resolve
from typeone.engine.runner import run
from typeone.figures import heat_map, style
from typeone.studies.scf.scenarios import SCENARIOS
from writing import HERE, write_csv, write_report

Rows = list[dict[str, Any]]
SCENARIO = "reddit"
REPETITIONS, QUICK = 1000, 100
TAILS = {"light": ("50", "1"), "heavy": ("3", "1"), "heavy on the right": ("3", "3")}
"""Degrees of freedom and stretch of the positive part of a document's noise."""
SHARES = ("0.1", "0.2", "0.4", "0.7", "1")
BASELINES = ("0", "0.5", "1", "2")
SEPARATION = 0.7
"""Mean shift of a participant's score in SDs of a source's mean score, for noise of variance 1."""
OTHERS = ("fisher", "mean")


def design(repetitions: int) -> Design:
    """The grid, cell by cell, since the effect depends on the other factors."""
    cells = [
        {"nu": nu, "stretch": stretch, "share": share, "tau": tau, "effect": effect(float(share), float(tau))}
        for nu, stretch in TAILS.values()
        for share in SHARES
        for tau in BASELINES
    ]
    head = {"study": "scf", "repetitions": repetitions, "seed": 1, "levels": ["0.05"]}
    factors = {"scenario": SCENARIO, "population": "redraw"}
    return design_from(head | {"factors": factors, "cells": cells})


def effect(share: float, tau: float) -> str:
    """The multiple of the scenario's effect that gives the separation."""
    scenario = SCENARIOS[SCENARIO]
    spread = (tau**2 + 1 / scenario.most) ** 0.5
    return f"{SEPARATION * spread / (share * scenario.shape.effect):.4f}"


def rows_of(folder: Path, repetitions: int) -> Rows:
    """One row for each cell: AUROC of SCF, and its gains over uncapped Fisher and over the mean."""
    planned = design(repetitions)
    summary = run(planned, folder).summary.to_pylist()
    tails = {values: name for name, values in TAILS.items()}
    rows = []
    for cell in resolve(planned).cells:
        p = cell.parameters
        found = {(row["method"], row["measure"]): row for row in summary if row["cell"] == cell.index}
        auroc = found["scf", "auroc"]
        row = {"tails": tails[p.nu.text, p.stretch.text], "share": p.share.text, "tau": p.tau.text}
        row |= {"repetitions": auroc["valid"], "auroc": auroc["estimate"], "auroc se": auroc["mc_se"]}
        for other in OTHERS:
            gain, sign = _gain(found, other)
            row |= {f"over {other}": sign * gain["estimate"], f"over {other} se": gain["mc_se"]}
        for name in ("participants", "nonparticipants"):
            share = found["scf", f"capped_{name}"]
            row |= {f"capped {name}": share["estimate"], f"capped {name} se": share["mc_se"]}
        rows.append(row)
    return rows


def _gain(found: dict[tuple[str, str], dict[str, Any]], other: str) -> tuple[dict[str, Any], int]:
    """SCF's paired gain in AUROC and its sign as stored."""
    forward = found.get((f"scf - {other}", "auroc_gain"))
    return (forward, 1) if forward else (found[f"{other} - scf", "auroc_gain"], -1)


def draw(rows: Rows, file: Path) -> None:
    """Maps of both gains, one column for each kind of tail, one color scale for each row."""
    figure, axes = style.panels(len(OTHERS) * len(TAILS), most=len(TAILS), width=3.9)
    for i, other in enumerate(OTHERS):
        values = [100 * row[f"over {other}"] for row in rows]
        for j, name in enumerate(TAILS):
            grid = np.array(
                [[100 * _find(rows, name, share, tau)[f"over {other}"] for share in SHARES] for tau in BASELINES]
            )
            ax = axes[i * len(TAILS) + j]
            names = ("share responding", "SD of baselines", f"gain over {other} (points of AUROC)")
            heat_map(grid, (SHARES, BASELINES), ax, names=names, target=0.0, span=(min(values), max(values)))
            style.title(ax, f"tails {name}")
    style.save(figure, file)


def _find(rows: Rows, tails: str, share: str, tau: str) -> dict[str, Any]:
    return next(row for row in rows if (row["tails"], row["share"], row["tau"]) == (tails, share, tau))


def by_factor(rows: Rows, other: str) -> str:
    """The mean gain at each value of each factor, and in how many cells SCF is ahead or behind."""
    body = []
    for name in ("tails", "share", "tau"):
        for value in dict.fromkeys(row[name] for row in rows):
            here = [row for row in rows if row[name] == value]
            gains = [row[f"over {other}"] for row in here]
            ahead = sum(row[f"over {other}"] > 2 * row[f"over {other} se"] for row in here)
            behind = sum(row[f"over {other}"] < -2 * row[f"over {other} se"] for row in here)
            body.append(
                [name, value, f"{np.mean(gains):+.4f}", f"{min(gains):+.4f}", f"{max(gains):+.4f}", ahead, behind]
            )
    header = ["factor", "value", "mean gain", "least", "largest", "cells ahead", "cells behind"]
    return markdown_table(header, body)


def conclusion(rows: Rows, other: str) -> str:
    """Which factor moves the gain most: the range of its means; and where SCF gains and loses most."""
    ranges = {}
    for name in ("tails", "share", "tau"):
        means = [np.mean([row[f"over {other}"] for row in rows if row[name] == v]) for v in {row[name] for row in rows}]
        ranges[name] = max(means) - min(means)
    order = ", ".join(f"{name} ({ranges[name]:.4f})" for name in sorted(ranges, key=lambda name: -ranges[name]))
    best, worst = (pick(rows, key=lambda row: row[f"over {other}"]) for pick in (max, min))
    said = [
        f"{row[f'over {other}']:+.4f} ± {row[f'over {other} se']:.4f} with {row['tails']} tails, share {row['share']}, "
        f"tau {row['tau']}"
        for row in (best, worst)
    ]
    ordered = f"Over {other}: factors by the range of their mean gains: {order}."
    return f"{ordered} Largest gain {said[0]}; least gain {said[1]}."


def shown(rows: Rows) -> str:
    """Every cell."""
    body = []
    for row in rows:
        gains = [f"{row[f'over {o}']:+.4f} ± {row[f'over {o} se']:.4f}" for o in OTHERS]
        capped = [f"{row[f'capped {name}']:.4f}" for name in ("participants", "nonparticipants")]
        body.append(
            [row["tails"], row["share"], row["tau"], f"{row['auroc']:.4f} ± {row['auroc se']:.4f}", *gains, *capped]
        )
    header = ["tails", "share", "tau", "AUROC of SCF", *(f"over {o}" for o in OTHERS), "capped, participants", "others"]
    return markdown_table(header, body)


def main() -> None:
    """Run, draw and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} populations a cell in place of {REPETITIONS}")
    parser.add_argument("--out", type=Path, default=HERE / "capping")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        rows = rows_of(Path(folder), QUICK if options.quick else REPETITIONS)
    write_csv(options.out / "capping.csv", rows)
    draw(rows, options.out / "capping.svg")
    parts = [
        " ".join(conclusion(rows, other) for other in OTHERS),
        "![map of gains](capping.svg)\n\nGains of SCF (cap .05) in hundredths of AUROC over uncapped Fisher (top), the "
        f"mean score (below), {rows[0]['repetitions']} populations a cell; the dashed line is no gain. Share: of a "
        "participant's documents that respond; tau: SD of the sources' baselines, in units of a document's noise.",
        *(f"## Gain over {other}, by factor\n\n{by_factor(rows, other)}" for other in OTHERS),
        "## Every cell",
        shown(rows),
    ]
    told = f"{rows[0]['repetitions']} populations a cell. ± is one Monte Carlo standard error."
    write_report(options.out, "When capping helps", "capping.py", told, parts, quick=options.quick)


if __name__ == "__main__":
    main()
