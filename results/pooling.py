"""Pooling: `python results/pooling.py [--quick]` runs the presets pooling-*, writes results/pooling/.

Simulated rates beside exact ones, the drift of a vote count, what dependence does to the pooled posterior, and
counting against pooling on held-out items of the real evaluator matrix.
"""

from __future__ import annotations

import argparse
import math
import tempfile
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import typeone
from typeone import pooling
from typeone.display import markdown_table
from typeone.engine.design import design_from
from typeone.engine.lookup import design_called
from typeone.engine.runner import run
from typeone.figures import style
from typeone.figures.catalog import pictures
from typeone.figures.stored import Stored
from typeone.studies.pooling.parameters import Parameters
from writing import HERE, Check, judged, same, write_checks, write_csv, write_report

Rows = list[dict[str, Any]]
PRESETS = {
    "pooling-drift": ("reliability", "partial", "n"),
    "pooling-hetero": ("spread", "labelled", "n"),
    "pooling-dependence": ("dependence", "miscalibration", "n"),
}
# The mean of a repetition's value is the exact one for these; a calibration error in bins is biased upward.
UNBIASED = ("fpr", "tpr", "abstention", "accepted_error", "rejected_error", "auroc", "brier", "overconfidence")
LARGE = 3  # a z from which on the cell is drawn anew
ENOUGH = 20  # events below which z is not read


def simulated(preset: str, folder: Path, repetitions: int) -> Rows:
    """The summary rows of a preset's run, which stays in ``folder``."""
    design = design_called(preset)
    if repetitions:
        design = design.model_copy(update={"repetitions": repetitions})
    rows: Rows = run(design, folder, jobs=1).summary.to_pylist()
    return rows


def beside_exact(preset: str, rows: Rows) -> Iterator[dict[str, Any]]:
    """Every simulated measure that has an exact value, with z where enough repetitions saw an event."""
    key = (*PRESETS[preset], "method", "level")
    exact = {(*(row[k] for k in key), row["measure"]): row["estimate"] for row in rows}
    brier = {(row["cell"], row["method"]): row for row in rows if row["measure"] == "brier"}
    for row in rows:
        value = exact.get((*(row[k] for k in key), f"{row['measure']}_exact"))
        if value is None or row["estimate"] is None or row["measure"] not in (*UNBIASED, "calibration"):
            continue
        read = (
            row["measure"] in UNBIASED
            and _events(row, brier[row["cell"], row["method"]]) >= ENOUGH
            and row["mc_se"] > 0
        )
        yield {
            "preset": preset,
            **{name: row[name] for name in key},
            "measure": row["measure"],
            **{name: row[name] for name in ("estimate", "mc_se", "valid")},
            "exact": value,
            "z": (row["estimate"] - value) / row["mc_se"] if read else None,
        }


def _events(row: dict[str, Any], brier: dict[str, Any]) -> float:
    """Roughly how many events of a rare kind the estimate rests on: (distance from the nearer end / error)².

    The forecast of a rule that hardly errs is overconfident by the same few items that make up its Brier score.
    """
    if row["measure"] == "overconfidence":
        row = brier
    distance = min(row["estimate"], 1 - row["estimate"])
    return float((distance / row["mc_se"]) ** 2) if row["mc_se"] else 0.0


def again(compared: Rows, runs: dict[str, Rows], repetitions: int) -> tuple[list[str], list[list[str]]]:
    """Cells with a z beyond LARGE, drawn anew with another seed: is it chance or a difference?"""
    body, found = [], {}
    for row in compared:
        if row["z"] is None or abs(row["z"]) < LARGE:
            continue
        names = (*PRESETS[row["preset"]], "method", "level", "measure")
        cell = next(r for r in runs[row["preset"]] if all(r[name] == row[name] for name in names))
        factors = {name: cell[name] for name in Parameters.model_fields}
        key = str(factors)
        if key not in found:
            plan = {"study": "pooling", "levels": ["0.05"], "seed": 2, "repetitions": repetitions, "factors": factors}
            with tempfile.TemporaryDirectory() as folder:
                summary = run(design_from(plan), folder, jobs=1).summary.to_pylist()
            found[key] = {(r["method"], r["level"], r["measure"]): r for r in summary}
        new = found[key][row["method"], row["level"], row["measure"]]
        z = (new["estimate"] - row["exact"]) / new["mc_se"] if new["mc_se"] else math.nan
        where = ", ".join(f"{name} {row[name]}" for name in PRESETS[row["preset"]])
        numbers = [f"{row['exact']:.4g}", f"{row['z']:.2f}", f"{new['estimate']:.4g} ± {new['mc_se']:.2g}", f"{z:.2f}"]
        body.append([row["preset"], where, row["method"], row["measure"], *numbers])
    return ["preset", "cell", "rule", "measure", "exact", "first z", "anew", "z anew"], body


def short(row: dict[str, Any]) -> dict[str, Any]:
    """A line of a file named after its preset, six significant digits."""
    return {k: f"{v:.6g}" if isinstance(v, float) else v for k, v in row.items() if k != "preset"}


def agreement(compared: Rows) -> tuple[list[str], list[list[str]]]:
    """z of each preset and measure: how many, the largest, and how many beyond 1.96."""
    body = []
    for preset in PRESETS:
        for measure in UNBIASED:
            here = [row for row in compared if (row["preset"], row["measure"]) == (preset, measure)]
            z = [abs(row["z"]) for row in here if row["z"] is not None]
            apart = [abs(row["estimate"] - row["exact"]) for row in here if row["z"] is None]
            largest = f"{max(z):.2f}" if z else ""
            counts = [str(len(z)), largest, str(sum(v > 1.96 for v in z)), str(len(apart))]
            body.append([preset, measure, *counts, f"{max(apart):.2g}" if apart else ""])
    header = ["preset", "measure", "z", "largest |z|", "beyond 1.96", "without z", "largest difference there"]
    return header, body


def slides(rows: Rows) -> tuple[list[str], list[list[str]]]:
    """The log-odds of the operating point per further source, beside -logit r and -(1 - 2 rho) logit r."""
    body = []
    points = [row for row in rows if row["measure"] == "operating_point" and row["partial"] == "0"]
    for reliability in dict.fromkeys(row["reliability"] for row in points):
        for method in ("count", "share", "pooled"):
            mine = [r for r in points if (r["reliability"], r["method"]) == (reliability, method) and r["n"] <= 12]
            here = {r["n"]: _logit(r["estimate"]) for r in mine}  # beyond, a posterior may be 1 to the last digit
            steps = [(here[b] - here[a]) / (b - a) for a, b in ((3, 6), (6, 12))]
            weight = _logit(float(Fraction(reliability)))
            aurocs = {
                r["measure"]: r["estimate"]
                for r in rows
                if (r["reliability"], r["partial"], r["n"], r["method"]) == (reliability, "0", 12, method)
            }
            body.append(
                [reliability, method, f"{-weight:.6f}", *(f"{s:.6f}" for s in steps), f"{aurocs['auroc_exact']:.12f}"]
            )
    header = ["r", "rule", "−logit r", "slide per source, n 3 to 6", "n 6 to 12", "exact AUROC at n = 12"]
    return header, body


def _logit(p: float) -> float:
    return math.log(p) - math.log1p(-p)


def checks(drift: Rows) -> Iterator[Check]:
    """The statements of METHODS section 4 that are numbers."""
    for text, reliability, theirs in (
        ("thresholds that agree with posterior 1/2, r = .9, .8", [".9", ".8"], "none"),
        ("thresholds that agree with posterior 1/2, r = .79, .80, .81", [".79", ".80", ".81"], "tau = 2"),
    ):
        tau = pooling.reconcile(reliability, "1/2").tau
        ours = "none" if tau is None else f"tau = {tau}"
        yield Check(text, theirs, ours, "", same(theirs, ours), "exact, every pattern of votes")
    header, body = slides(drift)
    for reliability, method, slope, first, second, _ in body:
        wanted = {"count": slope, "pooled": "0.000000"}.get(method)
        for span, value in zip(header[3:5], (first, second), strict=True):
            if wanted is not None:
                sizes = span.removeprefix("slide per source, ")
                text = f"slide of the {method} rule's log-odds per source, r = {reliability}, {sizes}"
                yield Check(text, wanted, value, "", judged(float(value), 0.0, wanted), "exact: −logit r, and none")


def by_cell(rows: Rows, factors: Sequence[str], measures: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """One line for each cell and method, measures side by side: estimate ± Monte Carlo standard error, exact."""
    lines: dict[tuple[Any, ...], dict[str, str]] = {}
    exact = {(r["cell"], r["method"], r["measure"]): r["estimate"] for r in rows}
    for row in rows:
        if row["measure"] in measures:
            key = (*(row[name] for name in factors), row["method"])
            beside = exact.get((row["cell"], row["method"], f"{row['measure']}_exact"))
            error = math.nan if row["mc_se"] is None else row["mc_se"]  # a single valid repetition has none
            said = "none" if row["estimate"] is None else f"{row['estimate']:.4f} ± {error:.4f}"
            lines.setdefault(key, {})[row["measure"]] = said + ("" if beside is None else f" ({beside:.4f})")
    body = [[*map(str, key), *(line.get(m, "") for m in measures)] for key, line in lines.items()]
    return [*factors, "rule", *measures], body


def real(splits: int) -> tuple[pooling.Result, Rows]:
    """The real matrix: the result of the first split, and every rule on held-out items, by stratum and split."""
    table = pq.read_table(Path(typeone.__file__).parent / "data" / "panels.parquet")
    labelled = table.filter(pc.is_valid(table["truth"]))
    parts = {"all": labelled} | {s: labelled.filter(pc.equal(labelled["stratum"], s)) for s in ("easy", "medium")}
    rows: Rows = []
    for name, part in parts.items():
        for seed in range(splits):
            result = applied(part, seed)
            error = {rate.name: rate for rate in result.rates}["accepted that are false"]
            for quality in result.comparison:
                row = {"items": name, "seed": seed, "rule": quality.rule, "auroc": quality.auroc}
                row |= {m: getattr(quality, m) for m in ("accuracy", "brier", "calibration", "overconfidence")}
                promised = quality.rule == "pooled"
                rows.append(row | {"accepted that are false": error.rate if promised else None})
    return applied(labelled, 0), rows


def applied(votes: pa.Table, seed: int) -> pooling.Result:
    """Reliabilities from one half of the labelled items, the other half held out."""
    return pooling.apply(
        votes, item="unit", source="evaluator", vote="vote", label="truth", options=pooling.Options(seed=seed)
    )


def over_splits(rows: Rows) -> tuple[list[str], list[list[str]]]:
    """Means and SDs over splits, and how often pooling has the larger AUROC."""
    names = ("auroc", "accuracy", "brier", "calibration", "overconfidence", "accepted that are false")
    body = []
    for items in dict.fromkeys(row["items"] for row in rows):
        count = {r["seed"]: r["auroc"] for r in rows if (r["items"], r["rule"]) == (items, "vote count")}
        for rule in dict.fromkeys(row["rule"] for row in rows):
            here = [row for row in rows if (row["items"], row["rule"]) == (items, rule)]
            cells = []
            for name in names:
                values = [row[name] for row in here if row[name] is not None and not math.isnan(row[name])]
                cells.append(f"{np.mean(values):.4f} (SD {np.std(values, ddof=1):.4f})" if values else "")
            gains = [np.sign(row["auroc"] - count[row["seed"]]) for row in here]
            body.append([items, rule, *cells, "/".join(str(gains.count(s)) for s in (1, 0, -1))])
    return ["items", "rule", *names, "AUROC above/at/below the count's"], body


def drift_figure(folder: Path, file: Path) -> str:
    """Draw the drift of a stored run; returns its caption."""
    picture = next(p for p in pictures(Stored.open(folder)) if p.name.startswith("drift"))
    style.save(picture.draw(), file)
    return picture.caption


def real_text(result: pooling.Result, rows: Rows, splits: int) -> list[str]:
    """The section on the real matrix."""
    header = ["rate", "count", "of", "rate ", "lower", "upper"]
    rates = [[r.name, r.count, r.of, f"{r.rate:.4f}", f"{r.lower:.4f}", f"{r.upper:.4f}"] for r in result.rates]
    return [
        "## Counting against pooling on the real evaluator matrix, held out",
        f"{len(result)} units with a right answer, {len(result.votes.sources)} evaluators. Reliabilities are estimated "
        f"on one half of the units and everything is measured on the other; {splits} splits. SDs are over splits of "
        "the same units: no standard errors of a wider population. Every unit has all votes, so count and share order "
        "alike. Rates of accepted items that are false are the pooled rule's at posterior .95.",
        markdown_table(*over_splits(rows)),
        "The first split, with one-sided 95 % Clopper-Pearson bounds each:",
        markdown_table(header, rates),
        *(f"The result warns: {warning}." for warning in result.warnings),
        result.drift(41, [41, 60, 80]).sentence,
    ]


def simulated_text(runs: dict[str, Rows], compared: Rows, caption: str) -> list[str]:
    """The sections on the presets."""
    z = [row["z"] for row in compared if row["z"] is not None]
    factors = PRESETS
    dependent = [row for row in runs["pooling-dependence"] if row["method"] == "pooled"]
    return [
        "## Simulated beside exact",
        f"{len(z)} comparisons with z = (simulated − exact) / Monte Carlo standard error: largest |z| "
        f"{max(map(abs, z)):.2f}, {sum(abs(v) > 1.96 for v in z)} beyond 1.96 (5 % would be {0.05 * len(z):.0f}; "
        "measures of one cell depend on each other). Without z: constant, or too few events for a normal "
        "approximation. Estimated reliabilities have no exact value.",
        markdown_table(*agreement(compared)),
        f"Cells with |z| above {LARGE}, drawn anew with another seed and ten times the repetitions (the normal "
        "approximation is poor where few items are wrong):",
        markdown_table(*again(compared, runs, 10 * runs["pooling-drift"][0]["attempted"])),
        "## Drift of the vote count",
        f"![drift](drift.svg)\n\n{caption}",
        "With equal reliabilities and equally many sources on every item, count, share and pooled rule order items "
        "alike (equal AUROC). The log-odds of the operating points move with every further source, the count's by "
        "−logit r, the share's by (2ρ − 1) logit r (ρ the share it asks for), the pooled rule's not at all:",
        markdown_table(*slides(runs["pooling-drift"])),
        markdown_table(*by_cell(runs["pooling-drift"], factors["pooling-drift"], ("fpr", "tpr", "accepted_error"))),
        "## Unequal reliabilities",
        "The smallest panel of sources right .9 or .8 of the time on which no τ agrees with posterior ½:",
        f"```text\n{pooling.counterexample(['.9', '.8'])}\n```",
        markdown_table(
            *by_cell(runs["pooling-hetero"], factors["pooling-hetero"], ("auroc", "brier", "accepted_error"))
        ),
        "## Dependent sources",
        "Sources share a latent variable, each as reliable as before. The pooled rule promises at most .05 false "
        "among accepted items; overconfidence is mean confidence minus accuracy.",
        markdown_table(
            *by_cell(dependent, factors["pooling-dependence"], ("accepted_error", "overconfidence", "calibration"))
        ),
    ]


def main() -> None:
    """Run, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="100 repetitions, 5 splits")
    parser.add_argument("--reps", type=int, help="repetitions of each cell (default: the presets' own)")
    parser.add_argument("--out", type=Path, default=HERE / "pooling")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    repetitions, splits = options.reps or (100 if options.quick else 0), 5 if options.quick else 50
    with tempfile.TemporaryDirectory() as folder:
        runs = {name: simulated(name, Path(folder) / name, repetitions) for name in PRESETS}
        caption = drift_figure(Path(folder) / "pooling-drift", options.out / "drift.svg")
    compared = {name: list(beside_exact(name, rows)) for name, rows in runs.items()}
    everything = [row for rows in compared.values() for row in rows]
    result, held_out = real(splits)
    for name, rows in compared.items():
        write_csv(options.out / f"{name.removeprefix('pooling-')}.csv", [short(row) for row in rows])
    write_csv(options.out / "real.csv", held_out)
    told = (
        f"{runs['pooling-drift'][0]['attempted']:,} repetitions of 200 items in each cell. ± is one Monte Carlo "
        "standard error; exact values in parentheses."
    )
    parts = [
        "## Published statements beside ours",
        write_checks(options.out, checks(runs["pooling-drift"])),
        *simulated_text(runs, everything, caption),
        *real_text(result, held_out, splits),
    ]
    title = "Pooling: simulated beside exact, drift, dependence, real votes"
    write_report(options.out, title, "pooling.py", told, parts, quick=options.quick)


if __name__ == "__main__":
    main()
