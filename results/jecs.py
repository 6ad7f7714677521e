"""JECS against its baselines: `python results/jecs.py` runs the jecs presets and METHODS' trial cells.

Tables go to results/jecs/.  Ideal cells (p-values from laws that satisfy the theorem) and conformal cells (scores,
shared calibration) stand in tables of their own and are never averaged together.  `--quick` runs a twentieth of the
repetitions and says so.
"""

from __future__ import annotations

import argparse
import csv
import math
import tempfile
from collections.abc import Sequence
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from typeone.display import markdown_table
from typeone.engine.design import Design, design_from
from typeone.engine.lookup import changed, design_called
from typeone.engine.plan import plan
from typeone.engine.runner import run
from typeone.jecs.methods import METHODS
from typeone.studies.jecs.parameters import Parameters

HERE = Path(__file__).resolve().parent
QUICK = 20
PRESETS = ("jecs-headline", "jecs-validity", "jecs-validity-conformal", "jecs-real")
# arXiv 2605.21543, level .1: GCR, and power on one real benchmark.
PUBLISHED_GCR = {"union": 0.763, "intersection": 0.366, "jecs": 0.038}
PUBLISHED_POWER = {"max-p": 0.094, "jecs": 0.447}
# Trial values of METHODS section 2, 400 runs: decimal texts, since their rounding is part of the comparison.
TRIAL_REPETITIONS = 400
TRIAL_METHODS = ("union", "intersection", "max-p", "storey", "jecs", "adafilter")
TRIAL_CELLS = ({"models": 3, "pattern": "each"}, {"models": 4, "pattern": "each"}, {"models": 2, "pattern": "one"})
TRIAL_GCR = (
    (".634", ".035", ".012", ".012", ".031", ".034"),
    (".670", ".020", ".003", ".002", ".017", ".021"),
    (".687", ".134", ".058", ".087", ".084", ".065"),
)
TRIAL_POWER = (
    (".999", ".757", ".494", ".488", ".720", ".751"),
    ("1.00", ".706", ".239", ".172", ".641", ".720"),
    (".995", ".861", ".697", ".780", ".774", ".725"),
)
# Cells on which METHODS warns, and what it states there; sizes and repetitions behind these values are not all stated.
NO_CLEAN = {"clean": "0", "pattern": "one"}
WARNED = (
    (NO_CLEAN | {"correlation": "0"}, {"adafilter": 0.099, "jecs-filter": 0.099, "jecs": 0.029, "max-p": 0.030}),
    (NO_CLEAN | {"correlation": "0.8"}, {"adafilter": 0.241, "jecs-filter": 0.241, "jecs": 0.100, "max-p": 0.100}),
    ({"low_share": "0.1", "low_shift": "6"}, {"jecs": 0.44, "max-p": 0.0}),
    ({"low_share": "0.1", "low_shift": "3"}, {"jecs": 0.127}),
)
# Conformal cells without a verdict after the preset's repetitions go on, doubling, up to these.
MOST_CONFORMAL = 64_000
FINE_REPETITIONS = 2000


class Row(NamedTuple):
    """A method in a cell: contaminated share with its 95 % interval and verdict, and power."""

    cell: int
    factors: dict[str, str]
    method: str
    repetitions: int
    failed: int
    gcr: float
    gcr_se: float
    lower: float
    upper: float
    verdict: str
    needed: int | None
    power: float
    power_se: float
    empty: float

    @property
    def title(self) -> str:
        """The method's name in print."""
        return METHODS[self.method].title

    @property
    def named(self) -> str:
        """The factors that make this cell differ from others."""
        return ", ".join(f"{name} {value}" for name, value in self.factors.items()) or "as the preset"


class Results(NamedTuple):
    """Rows of a design's run, and the mean correlation between models by cell where score files have one."""

    design: Design
    rows: list[Row]
    correlation: dict[int, float]
    parameters: list[Parameters]


def results_of(design: Design, folder: Path) -> Results:
    """Run the design (or continue the run in ``folder``) and read its summary."""
    result = run(design, folder)
    if result.state != "complete":
        raise RuntimeError(f"{folder.name}: {result.state}; the same command with --runs continues it")
    found: dict[tuple[int, str], dict[str, dict[str, Any]]] = {}
    for record in result.summary.to_pylist():
        found.setdefault((record["cell"], record["method"]), {})[record["measure"]] = record
    parameters = [cell.parameters for cell in plan(design).cells]
    varied = _varied(parameters)
    rows = []
    for (cell, method), of in found.items():
        if "gcp" in of:
            gcp, power, empty = of["gcp"], of["power"], of["empty"]["estimate"]
            same = {name: gcp[name] for name in ("failed", "lower", "upper", "verdict", "needed")}
            same |= {"repetitions": gcp["valid"], "gcr": gcp["estimate"], "gcr_se": gcp["mc_se"]}
            same |= {"power": power["estimate"], "power_se": power["mc_se"], "empty": empty}
            rows.append(Row(cell=cell, factors=varied[cell], method=method, **same))
    rows.sort(key=lambda row: (row.cell, list(METHODS).index(row.method)))
    correlation = {cell: of["correlation"]["estimate"] for (cell, _), of in found.items() if "correlation" in of}
    return Results(design, rows, correlation, parameters)


def _varied(parameters: Sequence[Parameters]) -> list[dict[str, str]]:
    """Each cell's factors that take several values in the design, where they differ from the commonest value."""
    texts = [{name: _text(getattr(p, name)) for name in Parameters.model_fields} for p in parameters]
    found: list[dict[str, str]] = [{} for _ in texts]
    for name in Parameters.model_fields:
        values = [text[name] for text in texts]
        usual = max(values, key=values.count)
        always_shown = 2 * values.count(usual) <= len(values)
        for cell, value in enumerate(values):
            if value != usual or always_shown:
                found[cell][name] = value
    return found


def _text(value: Any) -> str:
    return str(getattr(value, "text", value))


def headline(results: Results) -> str:
    """GCR and power beside the published values."""
    header = ["method", "GCR [95 %]", "published GCR", "ratio to level", "published", "verdict", "power", "published"]
    level = float(results.design.levels[0])
    body, apart = [], []
    for row in results.rows:
        gcr, power = PUBLISHED_GCR.get(row.method), PUBLISHED_POWER.get(row.method)
        shown = [f"{row.gcr:.4f} [{row.lower:.4f}, {row.upper:.4f}]", _shown(gcr, 3)]
        shown += [f"{row.gcr / level:.2f}", _shown(gcr and gcr / level, 2), row.verdict]
        body.append([row.title, *shown, f"{row.power:.4f} ± {row.power_se:.4f}", _shown(power, 3)])
        for name, ours, se, published in (("GCR", row.gcr, row.gcr_se, gcr), ("power", row.power, row.power_se, power)):
            if published is not None:
                word = "matched" if abs(ours - published) <= 2 * se + 0.0005 else "not matched"
                apart.append(f"{name} of {row.title} {ours:.3f} against {published:.3f} ({word})")
    text = (
        f"{_repetitions(results)} The configuration is ours, not the publication's, whose scores come from real models "
        "and benchmarks: it was chosen so that union and intersection violate the level by factors like the published "
        "ones, so their nearness is no evidence. Ours against published (matched: within two Monte Carlo "
        "errors and the rounding): " + "; ".join(apart) + "."
    )
    return f"{text}\n\n{markdown_table(header, body)}"


def _shown(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def validity(results: Results) -> str:
    """A row for each cell: repetitions, and every method's GCR with its interval and verdict."""
    methods = list(dict.fromkeys(row.method for row in results.rows))
    body = []
    for cell in range(len(results.parameters)):
        rows = [row for row in results.rows if row.cell == cell]
        of = {row.method: f"{row.gcr:.4f} [{row.lower:.4f}, {row.upper:.4f}] {row.verdict}" for row in rows}
        body.append([rows[0].named, str(rows[0].repetitions), *(of.get(method, "–") for method in methods)])
    return markdown_table(["cell", "repetitions", *(METHODS[method].title for method in methods)], body)


def verdict_counts(results: Results) -> str:
    """How often each method got each verdict."""
    words = ("holds", "within margin", "undecided", "violated")
    body = []
    for method in dict.fromkeys(row.method for row in results.rows):
        rows = [row for row in results.rows if row.method == method]
        worst = max(rows, key=lambda row: row.gcr)
        counts = [str(sum(row.verdict == word for row in rows)) for word in words]
        body.append([worst.title, *counts, f"{worst.gcr:.4f} ± {worst.gcr_se:.4f} ({worst.named})"])
    return markdown_table(["method", *words, "largest GCR (cell)"], body)


def kind(p: Parameters) -> str:
    """What makes a conformal cell hard, in words; a cell with several such things is filed under the first."""
    hard = {
        "documents that score low under every model": p.low_share,
        "calibration items that score higher than contaminated candidates": p.miscalibration,
        f"tied scores ({p.ties} ranks)": p.values,
        "scores correlated between models": p.correlation,
        "heavy tails": p.tails,
        "unequal calibration sizes": p.calibration_spread,
    }
    found = next((name for name, value in hard.items() if value), "independent models without ties")
    return found if p.clean else f"{found}, no clean item"


def breaks(results: Results) -> str:
    """For each method, where its contamination exceeds the level, by what makes the cell hard."""
    kinds = [kind(p) for p in results.parameters]
    lines = []
    for method in dict.fromkeys(row.method for row in results.rows):
        rows = [row for row in results.rows if row.method == method]
        parts = []
        for name in dict.fromkeys(kinds):
            here = [row for row in rows if kinds[row.cell] == name]
            bad = [row for row in here if row.verdict in ("violated", "within margin")]
            if bad:
                worst = max(bad, key=lambda row: row.gcr)
                parts.append(f"{name} ({len(bad)} of {len(here)} cells; worst {worst.gcr:.3f}: {worst.named})")
        text = "breaks under " + "; ".join(parts) if parts else "exceeds the level in no cell beyond Monte Carlo error"
        undecided = sum(row.verdict == "undecided" for row in rows)
        lines.append(f"- **{METHODS[method].title}** {text}. Undecided: {undecided} of {len(rows)} cells.")
    return "\n".join(lines)


def warned(*several: Results) -> str:
    """METHODS' warning values beside ours."""
    body = []
    for factors, values in WARNED:
        for row, p in ((row, results.parameters[row.cell]) for results in several for row in results.rows):
            if row.method in values and all(_text(getattr(p, name)) == value for name, value in factors.items()):
                where = [", ".join(f"{name} {value}" for name, value in factors.items()), str(p.calibration)]
                ours = f"{row.gcr:.4f} ± {row.gcr_se:.4f}"
                body.append([*where, row.title, f"{values[row.method]:.3f}", ours, str(row.repetitions)])
    header = ["cell", "calibration", "method", "GCR in METHODS", "ours ± Monte Carlo error", "repetitions"]
    return markdown_table(header, body)


def conformal_design() -> Design:
    """The preset, in which undecided cells go on."""
    design = design_called("jecs-validity-conformal")
    stop = {"stop.measures": ["gcp"], "stop.verdict": True, "stop.first": design.repetitions}
    return changed(design, {"repetitions": MOST_CONFORMAL, **stop})


def fine_design() -> Design:
    """The cells without a clean item, with ranks fine enough not to matter."""
    factors = NO_CLEAN | {"models": 2, "candidates": 500, "calibration": 100_000, "correlation": ["0", "0.8"]}
    head = {"study": "jecs", "repetitions": FINE_REPETITIONS, "seed": 1, "levels": ["0.1"], "margin": "0.005"}
    return design_from(head | {"factors": factors})


def trial_design() -> Design:
    """METHODS' trial cells: n = m = 1000, 30 % clean, shift 3, independent models."""
    common = {"candidates": 1000, "calibration": 1000, "clean": "0.3", "also": "0.5", "shift": "3", "correlation": "0"}
    head = {"study": "jecs", "repetitions": TRIAL_REPETITIONS, "seed": 1, "levels": ["0.1"]}
    return design_from(head | {"factors": common, "cells": list(TRIAL_CELLS)})


def trial_rows(results: Results) -> list[list[str]]:
    """Ours beside METHODS' with z; METHODS' own Monte Carlo error is taken to be that of 400 runs of ours."""
    body = []
    for row in results.rows:
        if row.method not in TRIAL_METHODS:
            continue
        place = TRIAL_METHODS.index(row.method)
        values = (("GCR", TRIAL_GCR, row.gcr, row.gcr_se), ("power", TRIAL_POWER, row.power, row.power_se))
        for measure, table, ours, se in values:
            theirs = table[row.cell][place]
            rounding = 10.0 ** -len(theirs.partition(".")[2])
            error = math.sqrt(se**2 * (1 + row.repetitions / TRIAL_REPETITIONS) + rounding**2 / 12)
            z = (ours - float(theirs)) / error
            body.append([row.named, row.title, measure, theirs, f"{ours:.4f}", f"{se:.4f}", f"{z:+.2f}"])
    return body


def trial(results: Results) -> str:
    """The trial table, with the largest |z| of all and what chance would give."""
    body = trial_rows(results)
    sizes = [abs(float(line[-1])) for line in body]
    # Sidak: |z| of standard normals all stay below this with probability 95 %, or more when they are dependent.
    bound = next(z / 100 for z in range(1000) if math.erf(z / 100 / math.sqrt(2)) ** len(sizes) >= 0.95)
    text = (
        f"{_repetitions(results)} z divides the difference by the errors of both sides (METHODS' values are from "
        f"{TRIAL_REPETITIONS} runs, with their rounding). Largest |z| of {len(sizes)}: {max(sizes):.2f}; chance alone "
        f"stays below {bound:.2f} in 95 % of such tables; beyond it: {sum(size > bound for size in sizes)}; "
        f"|z| > 2: {sum(size > 2 for size in sizes)}."
    )
    header = ["cell", "method", "measure", "METHODS", "ours", "Monte Carlo error", "z"]
    return f"{text}\n\n{markdown_table(header, body)}"


def real(results: Results) -> str:
    """GCP and power on the packaged scores, the correlation between models beside them."""
    header = ["difficulty", "score", "correlation", "method", "GCP ± error", "power ± error", "nothing selected"]
    body = []
    for row in results.rows:
        p = results.parameters[row.cell]
        where = [p.rows.partition("=")[2], p.score, f"{results.correlation[row.cell]:.3f}"]
        gcp, power = f"{row.gcr:.3f} ± {row.gcr_se:.3f}", f"{row.power:.3f} ± {row.power_se:.3f}"
        body.append([*where, row.title, gcp, power, f"{row.empty:.2f}"])
    level, over = float(results.design.levels[0]), []
    for row in sorted(results.rows, key=lambda row: -row.gcr):
        if row.method not in ("union", "intersection") and row.gcr > level:
            correlation = results.correlation[row.cell]
            over.append(f"{row.title} {row.gcr:.3f} ({row.named}, correlation {correlation:.2f})")
    text = (
        f"{_repetitions(results)} Repetitions are splits of one set of items, so errors say how exact the mean over "
        "splits is, not how far another set of items would lie; a mean above the level here is one data set's, so no "
        f"verdicts are given. Correlation: mean over pairs of models among clean items. Above the level {level:g}, "
        "union and intersection apart: " + ("; ".join(over) or "none") + "."
    )
    return f"{text}\n\n{markdown_table(header, body)}"


def _repetitions(results: Results) -> str:
    counts = sorted({row.repetitions for row in results.rows})
    failed = sum(row.failed for row in results.rows if row.method == results.rows[0].method)
    span = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    return f"Repetitions of each cell: {span} ({failed} failed repetitions); seed {results.design.seed}."


def write_csv(path: Path, results: Results) -> None:
    """All numbers, unrounded, with the factors that vary within the design."""
    names = list(dict.fromkeys(name for row in results.rows for name in row.factors))
    numbers = [name for name in Row._fields if name != "factors"]
    with path.open("w", newline="", encoding="utf-8") as sink:
        writer = csv.writer(sink, lineterminator="\n")
        writer.writerow(["cell", *names, *numbers[1:], "correlation between models"])
        for row in results.rows:
            factors = [_text(getattr(results.parameters[row.cell], name)) for name in names]
            values = [getattr(row, name) for name in numbers[1:]]
            writer.writerow([row.cell, *factors, *values, results.correlation.get(row.cell, "")])


def page(found: dict[str, Results], quick: bool) -> str:
    """The whole README."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("typeone", "numpy", "numba", "scipy"))
    less = f" --quick (1/{QUICK} of the repetitions: verdicts are weaker than the presets')" if quick else ""
    ideal, conformal = found["jecs-validity"], found["jecs-validity-conformal"]
    text = [
        "# JECS: contaminated share and power beside its baselines",
        f"Written by `python results/jecs.py`{less} on {date.today().isoformat()} ({packages}). Level .1 throughout; "
        "GCR is the expected contaminated share of the selected items. All columns, unrounded, in the CSV files.",
        "## Headline (`jecs-headline`)",
        headline(found["jecs-headline"]),
        "## Validity, ideal cells (`jecs-validity`)",
        f"{_repetitions(ideal)} p-values drawn directly from laws that satisfy the theorem. A cell ends once the "
        f"verdicts of all its methods are decided, at the latest after {ideal.design.repetitions}; intervals hold at "
        f"every look. Margin {ideal.design.margin.text}; all verdicts together err with probability at most .05.",
        verdict_counts(ideal),
        validity(ideal),
        "## Validity, conformal cells (`jecs-validity-conformal`)",
        f"{_repetitions(conformal)} Scores ranked among shared calibration scores: the theorem covers none of these "
        f"cells, and values are reported whichever way they come out. Cells in which a verdict is "
        f"undecided go on, doubling, up to {conformal.design.repetitions} repetitions; intervals hold at every look. "
        f"Margin {conformal.design.margin.text}. Union and intersection promise nothing; verdicts are shown as well.",
        verdict_counts(conformal),
        "Where each method breaks (cells whose verdict says that the level is exceeded, and the worst of them):",
        breaks(conformal),
        "Cells on which METHODS warns; it does not state all sizes behind its values, so no z is given. With 10000 "
        "calibration scores and 500 items, level / n = .0002 is just above two ranks of 10001: a scale a little over 1 "
        "costs JECS a whole rank. So these cells also run with ten times as many (`fine-ranks.csv`):",
        warned(conformal, found["fine-ranks"]),
        validity(conformal),
        "## METHODS' trial values",
        trial(found["trial"]),
        "## Real scores (`jecs-real`)",
        real(found["jecs-real"]),
    ]
    return "\n\n".join(text) + "\n"


def fewer(design: Design) -> Design:
    """A twentieth of the repetitions."""
    first = {"stop.first": design.stop.first // QUICK} if design.stop else {}
    return changed(design, {"repetitions": design.repetitions // QUICK, **first})


def main() -> None:
    """Run, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help=f"1/{QUICK} of the repetitions")
    parser.add_argument("--out", type=Path, default=HERE / "jecs")
    parser.add_argument("--runs", type=Path, help="keep the runs here, and continue those that are here")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    designs = {name: design_called(name) for name in PRESETS}
    designs |= {"jecs-validity-conformal": conformal_design(), "trial": trial_design()}
    designs["fine-ranks"] = fine_design()
    if options.quick:
        designs = {name: fewer(design) for name, design in designs.items()}
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, design in designs.items():
            found[name] = results_of(design, (options.runs or Path(folder)) / name)
            write_csv(options.out / f"{name}.csv", found[name])
    (options.out / "README.md").write_text(page(found, options.quick), encoding="utf-8")


if __name__ == "__main__":
    main()
