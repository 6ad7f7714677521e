"""One row for each cell and method of a JECS run, as `jecs.py` and `jecs_power.py` show and store them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from typeone.engine.design import Design
from typeone.engine.resolved import resolve
from typeone.engine.runner import run
from typeone.jecs.methods import METHODS
from typeone.studies.jecs.parameters import Parameters
from writing import write_csv


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
    parameters = [cell.parameters for cell in resolve(design).cells]
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
    texts = [{name: text_of(getattr(p, name)) for name in Parameters.model_fields} for p in parameters]
    found: list[dict[str, str]] = [{} for _ in texts]
    for name in Parameters.model_fields:
        values = [text[name] for text in texts]
        usual = max(values, key=values.count)
        always_shown = 2 * values.count(usual) <= len(values)
        for cell, value in enumerate(values):
            if value != usual or always_shown:
                found[cell][name] = value
    return found


def text_of(value: Any) -> str:
    """A factor's value as typed."""
    return str(getattr(value, "text", value))


def repetitions(results: Results) -> str:
    """How many, how many failed, and the seed, as a sentence."""
    counts = sorted({row.repetitions for row in results.rows})
    failed = sum(row.failed for row in results.rows if row.method == results.rows[0].method)
    span = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    return f"Repetitions of each cell: {span} ({failed} failed repetitions); seed {results.design.seed}."


def write_rows(path: Path, results: Results) -> None:
    """All numbers, unrounded, with the factors that vary within the design."""
    names = list(dict.fromkeys(name for row in results.rows for name in row.factors))
    numbers = [name for name in Row._fields if name not in ("cell", "factors")]
    lines = []
    for row in results.rows:
        line = {"cell": row.cell}
        line |= {name: text_of(getattr(results.parameters[row.cell], name)) for name in names}
        line |= {name: getattr(row, name) for name in numbers}
        lines.append(line | {"correlation between models": results.correlation.get(row.cell, "")})
    write_csv(path, lines)
