"""A summary as a table in the terminal: one heading a cell, and the rows that were asked for."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from typeone.aligned import Block
    from typeone.engine.study import Study

MOST_ROWS = 60
MOST_DIGITS = 6
"""After the point of an interval."""
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which rows of a summary: any of the values of each kind, and all where none is given."""

    cells: Sequence[int] = ()
    methods: Sequence[str] = ()
    measures: Sequence[str] = ()
    levels: Sequence[str] = ()
    claims: bool = False
    """Only measures that the study promises to keep at or below their level."""

    @property
    def is_all(self) -> bool:
        """Whether no row is left out."""
        return not (self.cells or self.methods or self.measures or self.levels or self.claims)


def pick(table: pa.Table, wanted: Wanted, folder: Path) -> pa.Table:
    """The wanted rows; a ValueError for a value that no row has, and when the values leave no row."""
    import pyarrow as pa

    from typeone.levels import level

    if wanted.is_all:
        return table
    rows = table.select(["cell", "method", "measure", "level"]).to_pylist()
    keep = _members("--cell", [row["cell"] for row in rows], wanted.cells)
    keep &= _members("--method", [row["method"] for row in rows], wanted.methods)
    keep &= _members("--measure", [row["measure"] for row in rows], wanted.measures)
    exact = [level("level", text) for text in wanted.levels]
    keep &= _members("--level", [level("level", r["level"]) if r["level"] else None for r in rows], exact)
    if wanted.claims:
        claims = {measure.name for measure in _opened(folder)[0].measures if measure.claim}
        keep &= {i for i, row in enumerate(rows) if row["measure"] in claims}
    if not keep:
        raise ValueError(f"{folder}: no row of the summary has all that was asked for; leave an option out")
    return table.take(pa.array(sorted(keep)))


def _members(option: str, values: Sequence[Any], wanted: Sequence[Any]) -> set[int]:
    """The rows whose value is wanted."""
    from typeone.engine.parameters import suggestion

    for one in wanted:
        if one not in values:
            known = dict.fromkeys(_text(value) for value in values if value is not None and value != "")
            raise ValueError(f"{option} {_text(one)}: no row of this run has it{suggestion(_text(one), known)}")
    return {i for i, value in enumerate(values) if not wanted or value in wanted}


def _text(value: Any) -> str:
    return str(getattr(value, "text", value))


def _opened(folder: Path) -> tuple[Study, list[str]]:
    """The run's study, and the factors that tell its cells apart."""
    from typeone.engine.registry import load
    from typeone.engine.resolved import telling
    from typeone.engine.storage import Store

    manifest = Store(folder).manifest
    study = load(manifest.reference)
    return study, telling(study, manifest.factors)


def show(table: pa.Table, folder: Path, *, everything: bool = False) -> None:
    """Print the rows, cell by cell, at most MOST_ROWS unless ``everything`` is wanted; say what the intervals are."""
    from typeone.display import folded

    study, factors = _opened(folder)
    rows = table.to_pylist()
    most = len(rows) if everything else MOST_ROWS
    if "estimate" in table.column_names:
        common = _common(rows, factors)
        if common:
            typer.echo(folded(f"every cell: {_named(common)}") + "\n")
        varying = [name for name in factors if name not in common]
        lines = _lines(rows[:most], lambda row: _heading(row, varying))
    else:
        lines = _lines(rows[:most], lambda row: f"cell {row['cell']}", _quantile_columns)
    typer.echo("\n".join(lines))
    if len(rows) > most:
        typer.echo(
            folded(
                f"… and {len(rows) - most} more rows: --cell, --method, --measure, --level and --claims pick rows, "
                "--format csv prints all"
            )
        )
    if "valid" in table.column_names:
        empty = sum(not row["valid"] for row in rows if row.get("attempted"))
        if empty:
            told = f"{empty} of {len(rows)} rows have no valid value: their study returned NaN in every repetition"
            typer.echo("\n" + folded(told))
    typer.echo("\n" + folded(_intervals(table, study)))


def _intervals(table: pa.Table, study: Study) -> str:
    from typeone.engine.summary import intervals_in

    of_means = "bounds" in table.column_names  # and not of quantiles
    return f"95 % intervals: {intervals_in(study, table) if of_means else 'between order statistics'}"


def _common(rows: Sequence[Row], factors: Iterable[str]) -> Row:
    """The factors with one value, when there are several cells."""
    if len({row["cell"] for row in rows}) < 2:
        return {}
    return {name: rows[0][name] for name in factors if len({row[name] for row in rows}) == 1}


def _named(values: Row) -> str:
    from typeone.display import cell

    return ", ".join(f"{name} {cell(value)}" for name, value in values.items())


def _heading(row: Row, factors: Sequence[str]) -> str:
    names = _named({name: row[name] for name in factors})
    counts = f"{row['attempted']} repetitions attempted, {row['failed']} failed"
    return f"cell {row['cell']}: {names + '; ' if names else ''}{counts}"


def _lines(
    rows: Sequence[Row],
    heading: Callable[[Row], str],
    columns: Callable[[Sequence[Row]], tuple[list[str], list[list[Any]]]] | None = None,
) -> Iterator[str]:
    """The header once, then each cell's heading and rows."""
    from typeone.display import folded

    block = _block(rows, columns or _columns)
    yield from (*block.head, block.rule)
    before = None
    for row, lines in zip(rows, block.rows, strict=True):
        if row["cell"] != before:
            if before is not None:
                yield ""
            yield folded(heading(row))
            before = row["cell"]
        yield from lines


def _block(rows: Sequence[Row], columns: Callable[[Sequence[Row]], tuple[list[str], list[list[Any]]]]) -> Block:
    from typeone.aligned import aligned
    from typeone.display import columns_of, width

    told = columns_of(*columns(rows))
    blocks = aligned(told, width())
    # A row is kept in one piece: a few characters too wide are read more easily than a row in two places.
    return blocks[0] if len(blocks) == 1 else aligned(told, sum(c.least + 2 for c in told))[0]


def _columns(rows: Sequence[Row]) -> tuple[list[str], list[list[Any]]]:
    """Method, measure, level, estimate, interval, counts and verdict; columns that would be empty are left out."""
    cells: dict[str, list[Any]] = {
        "method": [row["method"] for row in rows],
        "measure": [row["measure"] for row in rows],
        "level": [row["level"] for row in rows],
        "estimate ± MC SE": [_with_error(row) for row in rows],
        "interval": [_interval(row["lower"], row["upper"], row["mc_se"]) for row in rows],
        "valid/attempted": [f"{row['valid']}/{row['attempted']}" for row in rows],
    }
    if any(row["failed"] for row in rows):
        cells["failed"] = [row["failed"] for row in rows]
        cells["interval, failed as 0 to 1"] = [
            _interval(row["lower_failed_as_0"], row["upper_failed_as_1"], row["mc_se"]) if row["failed"] else ""
            for row in rows
        ]
    if any(row["verdict"] for row in rows):
        cells["verdict"] = [row["verdict"] or "" for row in rows]
    names = [name for name, values in cells.items() if any(value != "" for value in values)]
    return names, [list(row) for row in zip(*(cells[name] for name in names), strict=True)]


def _with_error(row: Row) -> str:
    from typeone.display import cell

    if row["estimate"] is None:
        return "–"
    return f"{cell(row['estimate'])} ± {row['mc_se']:.2g}" if row["mc_se"] is not None else cell(row["estimate"])


def _interval(low: float | None, high: float | None, error: float | None = None) -> str:
    """``low, high``: with a Monte Carlo error to its second digit, rounded so that nothing is left outside."""
    if low is None or high is None:
        return "–"
    digits = 1 - math.floor(math.log10(error)) if error else 0
    if not 1 <= digits <= MOST_DIGITS:
        return f"{low:.4g}, {high:.4g}"
    unit = Decimal(10) ** -digits
    ends = ((low, ROUND_FLOOR), (high, ROUND_CEILING))
    return ", ".join(f"{Decimal(end).quantize(unit, rounding):f}" for end, rounding in ends)


def _quantile_columns(rows: Sequence[Row]) -> tuple[list[str], list[list[Any]]]:
    names = ["method", "measure", "level", "probability", "quantile"]
    body = [[*(row[n] for n in names), _interval(row["lower"], row["upper"]), row["valid"]] for row in rows]
    return [*names, "interval", "valid"], body


def not_shown_to_hold(table: pa.Table) -> list[str]:
    """A line for each claim that is violated or undecided."""
    rows = [row for row in table.to_pylist() if row.get("verdict") not in (None, "holds")]
    return [
        f"cell {row['cell']}, {row['method']} {row['measure']} at {row['level']}: {row['verdict']}, "
        f"{_with_error(row)}, interval {_interval(row['lower'], row['upper'], row['mc_se'])}"
        + (f"; about {row['needed']} repetitions would decide it" if row["needed"] else "")
        for row in rows
    ]
