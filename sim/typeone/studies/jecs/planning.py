"""What the planner may know of this study; the keys are explained in ``typeone.plan.hints``."""

from __future__ import annotations

from collections.abc import Sequence

from typeone.engine.study import Cell


def common(cells: Sequence[Cell]) -> dict[str, int]:
    """Every size draws the calibration items of the largest and uses the first of them: one set of candidates."""
    first = cells[0].parameters
    if first.family != "scores" or first.drawn:
        return {}
    return {"drawn": max(cell.parameters.most for cell in cells)}


def holds_for(cell: Cell) -> str:
    """Splits of one set of items are not new items."""
    if cell.parameters.family != "real":
        return ""
    return "The answer is for this score file's own items, however they are divided."


PLAN = {
    "measures": {"power": "power@0.1:jecs", "gcr": "gcp@0.1:jecs"},
    "factors": {"K": "models", "n": "candidates", "m": "calibration"},
    "common": common,
    "holds_for": holds_for,
    "zero": {
        "candidates": "all that a score file has left",
        "calibration": "as many as a score file has",
        "drawn": "as many as are used",
        "tails": "normal scores",
        "values": "no ties",
    },
}
