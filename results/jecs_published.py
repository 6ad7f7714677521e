"""Published values of JECS and the values of docs/METHODS.md beside ours."""

from __future__ import annotations

import math
from collections.abc import Iterator

from jecs_rows import Results, Row, repetitions, text_of
from typeone.display import markdown_table
from typeone.engine.design import Design, design_from
from writing import Check, Verdict

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
FINE_REPETITIONS = 2000


def warned_rows(results: Results) -> Iterator[tuple[str, Row, float, int]]:
    """(factors, our row, the value in METHODS, calibration size) of the cells it warns of."""
    for factors, values in WARNED:
        for row in results.rows:
            p = results.parameters[row.cell]
            if row.method in values and all(text_of(getattr(p, name)) == value for name, value in factors.items()):
                named = ", ".join(f"{name} {value}" for name, value in factors.items())
                yield named, row, values[row.method], p.calibration


def warned(*several: Results) -> str:
    """METHODS' warning values beside ours."""
    body = [
        [where, calibration, row.title, f"{theirs:.3f}", f"{row.gcr:.4f} ± {row.gcr_se:.4f}", row.repetitions]
        for results in several
        for where, row, theirs, calibration in warned_rows(results)
    ]
    header = ["cell", "calibration", "method", "GCR in METHODS", "ours ± Monte Carlo error", "repetitions"]
    return markdown_table(header, body)


def chance_bound(count: int) -> float:
    """|z| of so many standard normals all stay below this with probability 95 %, or more when they are dependent."""
    return next(z / 100 for z in range(1000) if math.erf(z / 100 / math.sqrt(2)) ** count >= 0.95)


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
    bound = chance_bound(len(sizes))
    text = (
        f"{repetitions(results)} z divides the difference by the errors of both sides (METHODS' values are from "
        f"{TRIAL_REPETITIONS} runs, with their rounding). Largest |z| of {len(sizes)}: {max(sizes):.2f}; chance alone "
        f"stays below {bound:.2f} in 95 % of such tables; beyond it: {sum(size > bound for size in sizes)}; "
        f"|z| > 2: {sum(size > 2 for size in sizes)}."
    )
    header = ["cell", "method", "measure", "METHODS", "ours", "Monte Carlo error", "z"]
    return f"{text}\n\n{markdown_table(header, body)}"


def checks(found: dict[str, Results]) -> Iterator[Check]:
    """Every published value, then every value of METHODS section 2."""
    for row in found["jecs-headline"].rows:
        for name, ours, se, published in (
            ("GCR", row.gcr, row.gcr_se, PUBLISHED_GCR.get(row.method)),
            ("power", row.power, row.power_se, PUBLISHED_POWER.get(row.method)),
        ):
            if published is not None:
                why = "real models and benchmarks there, a configuration of ours here"
                value = f"headline {name}, {row.title}"
                yield Check(value, f"{published:.3f}", f"{ours:.4f}", f"{se:.4f}", "not comparable", why)
    trial_lines = trial_rows(found["trial"])
    bound = chance_bound(len(trial_lines))
    for where, title, measure, theirs, ours, error, z in trial_lines:
        verdict: Verdict = "agrees" if abs(float(z)) <= bound else "differs"
        why = f"|z| at most {bound:.2f}, exceeded by chance in 5 % of such tables"
        yield Check(f"trial {measure}, {where}, {title}", theirs, ours, error, verdict, why)
    for results in (found["jecs-validity-conformal"], found["fine-ranks"]):
        for where, row, theirs, calibration in warned_rows(results):
            why = f"calibration {calibration} here; METHODS does not state every size behind its value"
            value = f"GCR, {where}, {row.title}"
            yield Check(value, f"{theirs:.3f}", f"{row.gcr:.4f}", f"{row.gcr_se:.4f}", "not comparable", why)
