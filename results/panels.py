"""Panels: `python results/panels.py [--quick]` runs presets and checks of the method, writes results/panels/.

Violations and certification rates of simulated certificates, the real vote matrix, published values beside ours, the
long verification of Clopper-Pearson bounds, and all panel sizes at M = 1500 against scipy.stats.hypergeom.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray
from scipy.stats import hypergeom

import panels_design
import typeone
from typeone import exact, panels
from typeone.display import markdown_table
from typeone.engine.lookup import design_called
from typeone.engine.runner import run
from typeone.panels.certificate import passing_counts
from typeone.panels.options import Terms
from typeone_kernels import bounds
from typeone_kernels.tailsum import WORK
from writing import HERE, Check, Verdict, same, write_checks, write_csv, write_report

sys.path.append(str(HERE.parent / "tests"))
from twins.tails import check_clopper_pearson

Rows = list[dict[str, Any]]
DELTAS = ["0.05", "0.01", "0.001"]
BLOCK = 1000  # Clopper-Pearson cases with one seed
ENOUGH = 5  # variance of a count from which z is worth reading
FIRST_SEED = 1000  # the suite's own thousand cases have seed 20
PASSING_BOTH_FLIPS = 44  # units of the pilot catalogue with at least 38 or at most 2 of 40 votes


def simulated(preset: str, repetitions: int, measures: tuple[str, ...]) -> Rows:
    """The summary rows of some measures after a preset's run."""
    design = design_called(preset)
    if repetitions:
        design = design.model_copy(update={"repetitions": repetitions})
    with tempfile.TemporaryDirectory() as folder:
        summary = run(design, folder, jobs=1).summary.to_pylist()
    return [row for row in summary if row["measure"] in measures]


def validity(rows: Rows) -> Iterator[dict[str, Any]]:
    """Violations of every configuration and layer, with their exact intervals."""
    for row in rows:
        count = round(row["estimate"] * row["valid"])
        yield {
            **{name: row[name] for name in ("evaluators", "units", "control", "method", "level")},
            "violations": count,
            **{name: row[name] for name in ("valid", "failed", "estimate", "mc_se", "lower", "upper", "verdict")},
        }


def power(rows: Rows) -> Iterator[dict[str, Any]]:
    """Certification rate of every design and layer beside its exact probability."""
    key = ("evaluators", "units", "clarity", "method")
    chance = {tuple(row[k] for k in key): row["estimate"] for row in rows if row["measure"] == "certified_exactly"}
    for row in rows:
        if row["measure"] == "certified":
            probability = chance[tuple(row[k] for k in key)]
            se = (probability * (1 - probability) / row["valid"]) ** 0.5
            yield {
                **{name: row[name] for name in key},
                "certified": row["estimate"],
                **{name: row[name] for name in ("mc_se", "lower", "upper", "valid")},
                "exact": probability,
                "z": (row["estimate"] - probability) / se if row["valid"] * se**2 * row["valid"] >= ENOUGH else None,
            }


def census_values() -> Iterator[tuple[str, str, Any]]:
    """What is asked, the published value, ours: sizes and passing counts."""
    sizes = panels.census_sizes(40, delta="0.01").stable
    for count, size in ((25, 26), (23, 34), (19, 39), (20, 40), (34, 6), (33, 8)):
        yield f"stable size, M = 40, δ = .01, C = {count}", str(size), sizes[count]
    small = [c for c in range(41) if 0 < sizes[c] <= 7]
    low, high = (max(c for c in small if c < 20), min(c for c in small if c > 20))
    gaps = set(small) ^ {*range(low + 1), *range(high, 41)}
    ours = f"C ≤ {low} or C ≥ {high}" + (f", but not {sorted(gaps)}" if gaps else "")
    yield "stable size ≤ 7, M = 40", "C ≤ 6 or C ≥ 34", ours
    familywise = passing_counts(40, 50, Terms.of(panels.Options(method="familywise")))
    controlled = passing_counts(40, 50, Terms.of(panels.Options(xi_e="0.05")))
    for text, rule, size, published in (
        ("passes, K = 47, E = 40, γ = .025/50", familywise, 47, "C ≥ 37 or C ≤ 3"),
        ("passes, K = 7, E = 40, γ = .025/50", familywise, 7, "never"),
        ("passes, K = 23, E = 40, γ = .025·.05", controlled, 23, "C ≥ 38 or C ≤ 2"),
    ):
        place = panels.Options().grid.index(size)  # type: ignore[attr-defined]
        accept, reject = int(rule.accept[place]), int(rule.reject[place])
        yield text, published, "never" if accept > 40 and reject < 0 else f"C ≥ {accept} or C ≤ {reject}"


def catalogue_values() -> Iterator[tuple[str, str, Any]]:
    """The pilot catalogue; its 44 clear units are taken at 38 and at 2, the least clear that are allowed."""
    half = PASSING_BOTH_FLIPS // 2
    positives = [38] * half + [2] * (PASSING_BOTH_FLIPS - half) + [37, 36, 34, 25, 23, 19]
    options = panels.Options(method="familywise", generator="catalogue")
    profile = panels.contamination(positives, 40, options)
    at = options.grid.index(7)  # type: ignore[attr-defined]
    for flips, units in (("0", 47), ("2", 46), ("4", 44)):
        text = f"pilot catalogue: units with stable size ≤ 7 after {flips} worst flips"
        yield text, str(units), int(profile.of("census flips", flips)[at])
    certificate = panels.certify(positives, 40, options)
    yield (
        "pilot catalogue: units certified at K = 47 of 50",
        "45 (.900)",
        (f"{certificate.passes[-1]} ({certificate.bound[-1]:.3f})".replace("0.", ".")),
    )


def design_values() -> Iterator[tuple[str, str, Any]]:
    """Sufficient units, bridge factors, hypergeometric bounds."""
    for layer, needed in (("hoeffding", (513, 1803)), ("exact", (74, 142))):
        for (beta, xi), units in zip((("0.10", "0.025"), ("0.05", "0.01")), needed, strict=True):
            options = panels.Options(generator=layer, beta=beta, xi_e=xi)  # type: ignore[arg-type]
            text = f"sufficient units when every one passes, {layer}, β = {beta}, ξ_E = {xi}"
            yield text, str(units), panels.units_needed(options)
    for size, factor, distance in ((10, ".997", ".0060"), (50, ".984", ".0327"), (100, ".966", ".0660")):
        ours = float(panels.finite_population_factor(1500, size))
        yield f"√((M−K)/(M−1)), M = 1500, K = {size}", factor, f"{ours:.3f}".removeprefix("0")
        yield f"(K−1)/(M−1), M = 1500, K = {size}", distance, f"{panels.total_variation_bound(1500, 750, size):.4f}"[1:]
    for (n, x, N), interval, pair in (
        ((10, 3, 100), "[8, 63]", "10, 59"),
        ((50, 0, 2000), "[0, 140]", "0, 114"),
        ((20, 20, 100), "[85, 100]", "88, 100"),
    ):
        low, high = exact.hypergeometric_bounds(x, n, N, "0.025")
        one_low, one_high = exact.hypergeometric_bounds(x, n, N, "0.05")
        yield f"positives of N, (n, x, N) = {(n, x, N)}: 95 % interval", interval, f"[{low}, {high}]"
        yield "the same: one-sided pair at .05 each", pair, f"{one_low}, {one_high}"


def checks() -> Iterator[Check]:
    """Exact values beside ours, compared by their text."""
    bounds_why = "a reference value of METHODS, not from the publication"
    why = {
        "pilot catalogue": "22 of its 44 clear units taken at 38 votes and 22 at 2",
        "positives of N": bounds_why,
        "the same": bounds_why,
    }
    for text, published, ours in chain(census_values(), catalogue_values(), design_values()):
        because = next((reason for start, reason in why.items() if text.startswith(start)), "exact")
        yield Check(text, published, str(ours), "", same(published, ours), because)


def simulated_checks(valid: Rows, rates: Rows) -> Iterator[Check]:
    """The published 0 of 8 000, and which of the two designs certifies."""
    found = [row for row in valid if row["method"] != "catalogue"]
    count, of = sum(row["violations"] for row in found), sum(row["valid"] for row in found)
    rate = count / of
    highest = exact.clopper_pearson(0, 8000, "0.05")[1]
    verdict: Verdict = "agrees" if max(row["lower"] for row in found) <= highest else "differs"
    why = f"agrees when each of our intervals reaches into [0, {highest:.2g}], that of 0 of 8 000; other generator laws"
    error = f"{(rate * (1 - rate) / of) ** 0.5:.2g}"
    yield Check("violations of the generator's bound", "0 of 8000", f"{count} of {of}", error, verdict, why)
    for name, size, wanted in (("baseline", (40, 50), "seldom"), ("powered", (200, 500), "usually")):
        here = [
            row["certified"] for row in rates if (row["evaluators"], row["units"]) == size and row["method"] == "exact"
        ]
        ours = f"{min(here):.3f} to {max(here):.3f} over {len(here)} clarities"
        yield Check(f"certification rate, {name} design", wanted, ours, "", "not comparable", "no clarity is published")


def real() -> tuple[panels.Result, Rows, Rows]:
    """The real matrix: the result, its sizes (census beside certificate, by stratum), and its units."""
    table = pq.read_table(Path(typeone.__file__).parent / "data" / "panels.parquet")
    result = panels.apply(table, unit="unit", vote="vote")
    stratum_of = dict(zip(table["unit"].to_pylist(), table["stratum"].to_pylist(), strict=True))
    strata = np.array([stratum_of[unit] for unit in result.units.to_pylist()])
    passes = result.certificate.passing.of(result.positives)
    sizes: Rows = []
    for row, at in zip(result.certificate.to_arrow().to_pylist(), passes.T, strict=True):
        census = (result.stable > 0) & (result.stable <= row["size"])
        row |= {"census_stable": int(census.sum())}
        for name in ("easy", "medium", "ambiguous"):
            row |= {
                f"{name}: passes": int(at[strata == name].sum()),
                f"{name}: census": int(census[strata == name].sum()),
            }
        sizes.append(row)
    return result, sizes, [row | {"stratum": s} for row, s in zip(result.to_arrow().to_pylist(), strata, strict=True)]


def bound(k: int, n: int, level: float, lower: bool) -> float:
    """What the long verification checks."""
    kernel = bounds.clopper_pearson_lower if lower else bounds.clopper_pearson_upper
    return float(kernel(k, n, level, np.empty(WORK)))


def verified(cases: int) -> dict[str, Any]:
    """Clopper-Pearson bounds of random (k, n, level) against an arbitrary-precision tail."""
    started = time.perf_counter()
    starts = range(0, cases, BLOCK)
    found = [check_clopper_pearson(bound, min(BLOCK, cases - at), FIRST_SEED + i) for i, at in enumerate(starts)]
    return {
        "cases": cases,
        "seeds": f"{FIRST_SEED} to {FIRST_SEED + len(found) - 1}",
        "invalid": sum(check.invalid for check in found),
        "largest slack in min(p, 1 − p)": max(check.worst_slack for check in found),
        "seconds": time.perf_counter() - started,
    }


def scipy_sizes(M: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Minimum and stable sizes for every C and the three δ, one vectorized tail for each C; (M + 1, 3)."""
    K = np.arange(1, M + 1)
    quotas = (K + 1) // 2
    minimum, stable = np.zeros((M + 1, len(DELTAS)), np.int64), np.zeros((M + 1, len(DELTAS)), np.int64)
    for C in range(M + 1):
        tail = hypergeom.cdf if quotas[-1] <= C else hypergeom.sf
        errors = tail(quotas - 1, M, C, K)
        for i, delta in enumerate(DELTAS):
            kept = errors <= float(delta)
            minimum[C, i] = kept.argmax() + 1 if kept.any() else 0
            broken = np.flatnonzero(~kept)
            stable[C, i] = broken[-1] + 2 if broken.size else 1
    return minimum, stable


def against_scipy(repeats: int) -> dict[str, Any]:
    """Equality at M = 1500, and the medians of alternating runs."""
    M = 1500
    panels.census_sizes(M, delta=DELTAS)  # type: ignore[arg-type]  # compiled once, outside the timing
    ours, theirs = [], []
    for _ in range(repeats):
        started = time.perf_counter()
        minimum, stable = scipy_sizes(M)
        theirs.append(time.perf_counter() - started)
        for _ in range(5):
            started = time.perf_counter()
            found = panels.census_sizes(M, delta=DELTAS)  # type: ignore[arg-type]
            ours.append(time.perf_counter() - started)
    return {
        "answers": 2 * minimum.size,
        "unequal": int((found.minimum != minimum).sum() + (found.stable != stable).sum()),
        "SciPy: median seconds (runs)": f"{median(theirs):.3f} ({len(theirs)})",
        "ours: median seconds (runs)": f"{median(ours):.5f} ({len(ours)})",
        "ratio of medians": f"{median(theirs) / median(ours):.0f}",
        "slowest ours, fastest SciPy: ratio": f"{min(theirs) / max(ours):.0f}",
    }


def shown(value: Any) -> str:
    """A cell of a table: four significant digits."""
    return f"{value:.4g}" if isinstance(value, float) else "" if value is None else str(value)


def table(rows: Rows) -> str:
    """Rows as a Markdown table."""
    return markdown_table(list(rows[0]), [[shown(value) for value in row.values()] for row in rows])


def designs(rows: Rows) -> str:
    """Baseline and powered design, and the simulation against exact probabilities."""
    z = [abs(row["z"]) for row in rows if row["z"] is not None]
    return (
        f"True coverage .70, target .60, independent votes. Over {len(z)} rates whose count has a "
        f"variance of {ENOUGH} or more, (simulated − exact) / exact SE is at most {max(z):.2f} in size, "
        f"{sum(v > 1.96 for v in z)} exceed 1.96. "
        "Published: the baseline design (E = 40, A = 50) seldom certifies, the powered one (E = 200, A = 500) usually "
        "does; no clarity is published, so the map shows for which clarity that is so."
    )


def simulated_text(valid: Rows, rates: Rows) -> list[str]:
    """The sections on the two presets."""
    return [
        "## Violations (panels-validity)",
        "Rows called catalogue take the same units as a fixed catalogue, where the level is η_E. "
        "Where nothing was violated mc_se is 0: read the interval.",
        table(valid),
        "## Certification rates (panels-power)",
        designs(rates),
        table(rates),
    ]


def real_text(result: panels.Result, sizes: Rows) -> list[str]:
    """The sections on the real matrix."""
    profile = [
        f"{title}\n\n" + markdown_table(header, [[shown(value) for value in row] for row in rows])
        for title, header, rows in result.contamination.tables()
    ]
    return [
        "## The real evaluator matrix",
        f"{result.title}. **{result.verdict}** Packaged numeric scores; ambiguous units have no right answer. "
        "pass_from and pass_to: counts with which a unit passes; passes: units that do; bound: on the share of the "
        "generator's units; census_stable: units whose stable size in the frozen census is at most K.",
        table(sizes),
        "Census and certificate differ because they answer different questions. The frozen census takes the "
        f"{result.evaluators} rows as all evaluators there are: nothing is estimated, and panels are drawn without "
        "replacement. The certificate takes them as a sample from a population of evaluators, and the units as a "
        "sample from a generator: each acceptance probability is known up to an interval only, so a unit near θ, or "
        "with too few rows for a narrow interval, does not pass, and the share of passing units pays again for the "
        "units not seen. The rows share 15 model checkpoints; they count as independent because their configurations "
        "were sampled at random. Votes of one row on different units may depend on each other in any way.",
        "### Contamination profile",
        *profile,
    ]


def exact_text(checked: dict[str, Any], speed: dict[str, Any], units: Rows, evaluators: Rows) -> list[str]:
    """The sections on exact values."""
    return [
        "## What exact inversion saves over Hoeffding",
        "Generated units for a certificate when a unit passes with the given probability (power .8; 1: every unit):",
        table(units),
        "Evaluators with which a unit of acceptance probability p passes, 50 units, δ = .01 (power .8; Hoeffding: for "
        "the expected votes, without a margin for power); 0: none, even the true p errs too often at this size.",
        table(evaluators),
        "## Adversaries",
        "![phase diagrams](phases.svg)\n\nExact probability that a panel misses the honest decision. A fixed share "
        "holds evaluators whatever they would have voted; a targeted share takes favorable ones. Numbers in "
        "`phases.csv`; simulated in the preset `panels-adversary`.",
        "## Long verification of Clopper-Pearson bounds",
        "Random (k, n, level), n log-uniform to 10⁹, levels to 10⁻¹², against an arbitrary-precision tail: a bound is "
        "invalid when the attained level exceeds the stated one; slack is the distance from the exact bound beyond "
        "one ulp, to be at most 1e-14.",
        table([checked]),
        f"## All panel sizes at M = 1500, δ = {', '.join(DELTAS)}, against scipy.stats.hypergeom",
        "Minimum and stable size for every C = 0 … 1500. SciPy computes one vectorized tail over all K for each C; "
        "both ran in one process, alternating, on a machine shared with other work.",
        table([speed]),
    ]


def main() -> None:
    """Run, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="2 000 repetitions (panels-power 100), 1 000 cases, one timing"
    )
    parser.add_argument("--reps", type=int, help="repetitions of panels-validity (default 200 000)")
    parser.add_argument("--cases", type=int, help="Clopper-Pearson cases (default 100 000)")
    parser.add_argument("--out", type=Path, default=HERE / "panels")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    reps = options.reps or (2_000 if options.quick else 200_000)
    valid = list(validity(simulated("panels-validity", reps, ("violation",))))
    rates = list(power(simulated("panels-power", 100 if options.quick else 0, ("certified", "certified_exactly"))))
    saved = list(panels_design.units_saved()), list(panels_design.evaluators_saved())
    phases = panels_design.phases()
    panels_design.draw(phases, options.out / "phases.svg")
    published = write_checks(options.out, chain(checks(), simulated_checks(valid, rates)))
    result, sizes, units = real()
    speed = against_scipy(1 if options.quick else 3)
    checked = verified(options.cases or (1_000 if options.quick else 100_000))
    for name, rows in (
        ("validity", valid),
        ("power", rates),
        ("units", saved[0]),
        ("evaluators", saved[1]),
        ("phases", phases),
        ("real_sizes", sizes),
        ("real_units", units),
        ("real_contamination", result.contamination.to_arrow().to_pylist()),
        ("verification", [checked | speed]),
    ):
        write_csv(options.out / f"{name}.csv", rows)
    told = (
        f"panels-validity: {reps:,} repetitions in each of four configurations; panels-power: {rates[0]['valid']:,} in "
        "each cell. Intervals are exact, 95 %; mc_se is the Monte Carlo standard error."
    )
    parts = [
        "## Published values beside ours",
        published,
        *simulated_text(valid, rates),
        *real_text(result, sizes),
        *exact_text(checked, speed, *saved),
    ]
    title = "Panels: simulated certificates, a real vote matrix, exact values"
    write_report(options.out, title, "panels.py", told, parts, quick=options.quick)


if __name__ == "__main__":
    main()
