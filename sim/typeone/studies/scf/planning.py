"""What the planner may know of this study; the keys are explained in ``typeone.plan.hints``."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from typeone.engine.study import Cell, Column
from typeone.levels import Level
from typeone.scf.result import most_ranks
from typeone.studies.scf.parameters import Parameters, calibration_size
from typeone.studies.scf.pilot import effect_interval, pilot_of
from typeone.studies.scf.population import read_file

REJECTIONS = ("tpr", "fpr", "tpr_gain")


def steps(p: Parameters, column: Column) -> tuple[int, ...] | None:
    """floor(t (m + 1)) of each method in the column: the rate at which it may reject jumps where this does."""
    if column.measure not in REJECTIONS:
        return None
    level = Level(column.level)
    return tuple(most_ranks(level, calibration_size(p, method)) for method in column.method.split(" - "))


def law(cells: Sequence[Parameters], column: Column, bound: Fraction) -> list[float | None]:
    """Below 1 / (m + 1) no p-value can reject: every rate is 0."""
    return [0.0 if (most := steps(p, column)) and not any(most) else None for p in cells]


def holds_for(cell: Cell) -> str:
    """One population is not the field it comes from."""
    p: Parameters = cell.parameters
    if p.resample:
        return "The answer is for a field like the pilot: its sources, drawn with replacement."
    if p.scenario == "scores":
        return (
            "The answer is for this score file's own sources, however its controls are divided; --resample true takes "
            "the file as a pilot of a larger field."
        )
    if p.population == "fixed":
        return (
            f"The answer is for one population, that of population_seed {p.population_seed}, and its bounds with it; "
            "--population redraw draws a new one in every repetition."
        )
    return ""


def common(cells: Sequence[Cell]) -> dict[str, int]:
    """Where every repetition draws its population: the null pool of the largest size.

    So populations are the same, and the roles of a smaller partition lie inside those of a larger one.  A smaller
    one has more null tests, each like the others: no expectation changes.
    """
    first: Parameters = cells[0].parameters
    if first.pool:
        return {}
    if first.resample:
        pilot = pilot_of(*read_file(cells[0].inputs.get("scores"), first))
        return {"pool": max(pilot.pool(cell.parameters) for cell in cells)}
    if first.scenario != "scores" and first.population == "redraw":
        return {"pool": max(cell.parameters.scene.pool for cell in cells)}
    return {}


def uncertainty(cell: Cell, factor: str) -> tuple[float, float, str] | None:
    """A score file's own effect is an estimate: the ends of its interval as multiples of it."""
    p: Parameters = cell.parameters
    if factor != "effect" or p.scenario != "scores":
        return None
    bags, participant, control = read_file(cell.inputs.get("scores"), p.model_copy(update={"effect": Level(1)}))
    interval = effect_interval(bags, participant, control)
    if interval.estimate <= 0:
        raise ValueError(
            f"effect: participants of the score file score no higher than its controls (by {interval.estimate:.4g}): "
            "there is no effect to multiply"
        )
    told = (
        f"the ends of a 95 % interval of the score file's own effect, from {participant.sum()} participants and "
        f"{control.sum()} controls (Welch); all else is taken from the file as it is"
    )
    return interval.lower / interval.estimate, interval.upper / interval.estimate, told


PLAN = {
    "measures": {"power": "tpr@0.05:scf"},
    "factors": {"K": "reference", "L": "calibration", "q": "queries"},
    "steps": steps,
    "law": law,
    "common": common,
    "uncertainty": uncertainty,
    "holds_for": holds_for,
    "zero": {
        "reference": "the scenario's own number, or 20 for a score file",
        "calibration": "the scenario's own number, or 39 for a score file",
        "queries": "the published number",
        "pool": "the scenario's own number",
    },
}
