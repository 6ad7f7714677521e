"""JECS against its baselines: `python results/jecs.py` runs the jecs presets and METHODS' trial cells.

Tables go to results/jecs/.  Ideal cells (p-values from laws that satisfy the theorem) and conformal cells (scores,
shared calibration) stand in tables of their own and are never averaged together.  `--quick` runs a twentieth of the
repetitions and says so.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import jecs_power
from jecs_published import PUBLISHED_GCR, PUBLISHED_POWER, checks, fine_design, trial, trial_design, warned
from jecs_rows import Results, repetitions, results_of, write_rows
from typeone.display import markdown_table
from typeone.engine.design import Design
from typeone.engine.lookup import changed, design_called
from typeone.jecs.methods import METHODS
from typeone.studies.jecs.parameters import Parameters
from writing import HERE, write_checks, write_report

QUICK = 20
PRESETS = ("jecs-headline", "jecs-power", "jecs-validity", "jecs-validity-conformal", "jecs-real")
# Conformal cells without a verdict after the preset's repetitions go on, doubling, up to these.
MOST_CONFORMAL = 64_000


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
        f"{repetitions(results)} The configuration is ours, not the publication's, whose scores come from real models "
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


def conformal_design() -> Design:
    """The preset, in which undecided cells go on."""
    design = design_called("jecs-validity-conformal")
    stop = {"stop.measures": ["gcp"], "stop.verdict": True, "stop.first": design.repetitions}
    return changed(design, {"repetitions": MOST_CONFORMAL, **stop})


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
        f"{repetitions(results)} Repetitions are splits of one set of items, so errors say how exact the mean over "
        "splits is, not how far another set of items would lie; a mean above the level here is one data set's, so no "
        f"verdicts are given. Correlation: mean over pairs of models among clean items. Above the level {level:g}, "
        "union and intersection apart: " + ("; ".join(over) or "none") + "."
    )
    return f"{text}\n\n{markdown_table(header, body)}"


def page(found: dict[str, Results]) -> list[str]:
    """The sections of the report."""
    ideal, conformal, power = found["jecs-validity"], found["jecs-validity-conformal"], found["jecs-power"]
    return [
        "## Headline (`jecs-headline`)",
        headline(found["jecs-headline"]),
        "## Validity, ideal cells (`jecs-validity`)",
        f"{repetitions(ideal)} p-values drawn directly from laws that satisfy the theorem. A cell ends once the "
        f"verdicts of all its methods are decided, at the latest after {ideal.design.repetitions}; intervals hold at "
        f"every look. Margin {ideal.design.margin.text}; all verdicts together err with probability at most .05.",
        verdict_counts(ideal),
        validity(ideal),
        "## Validity, conformal cells (`jecs-validity-conformal`)",
        f"{repetitions(conformal)} Scores ranked among shared calibration scores: the theorem covers none of these "
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
        "## Power (`jecs-power`)",
        f"{repetitions(power)} Independent models; 500 candidates, 1000 calibration items. Ahead and behind: by more "
        "than two Monte Carlo errors.",
        jecs_power.gains(power),
        "![power maps](power.svg)\n\nPower at level .1 over the clean items' shift and their share; the dashed line is "
        "power .8. Numbers in `jecs-power.csv`.",
        "## Real scores (`jecs-real`)",
        real(found["jecs-real"]),
    ]


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
            write_rows(options.out / f"{name}.csv", found[name])
    jecs_power.draw(found["jecs-power"], options.out / "power.svg")
    published = ["## Published values and METHODS' values beside ours", write_checks(options.out, checks(found))]
    told = "Level .1; GCR is the expected contaminated share of the selected items. CSV files hold every column."
    title = "JECS: contaminated share and power beside its baselines"
    write_report(options.out, title, "jecs.py", told, published + page(found), quick=options.quick)


if __name__ == "__main__":
    main()
