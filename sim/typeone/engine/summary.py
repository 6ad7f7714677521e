"""The summary of a run: one row for each cell and column, read back chunk by chunk.

Memory holds the sums of one cell; every number is a function of exact sums, so the bytes are the same
however the repetitions were batched, ordered or interrupted.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from typeone.engine import arrow
from typeone.engine.design import Design
from typeone.engine.files import write_whole
from typeone.engine.registry import load
from typeone.engine.storage import SUMMARY, Store
from typeone.engine.study import Column, Measure, Study
from typeone.engine.verdicts import CLAIM_ERROR, INTERVAL_ERROR, INTERVALS, Tally, needed
from typeone.levels import Level

Row = dict[str, Any]
Tallies = dict[Column, Tally]

_READINGS = ("lower_failed_as_0", "upper_failed_as_0", "lower_failed_as_1", "upper_failed_as_1")
_TYPES = {
    "method": pa.string(),
    "measure": pa.string(),
    "level": pa.string(),
    "estimate": pa.float64(),
    "mc_se": pa.float64(),
    "sd": pa.float64(),
    "lower": pa.float64(),
    "upper": pa.float64(),
    "attempted": pa.int64(),
    "valid": pa.int64(),
    "failed": pa.int64(),
    "verdict": pa.string(),
    "needed": pa.int64(),
    "bounds": pa.string(),
    **dict.fromkeys(_READINGS, pa.float64()),
}


def summarize(folder: str | Path) -> pa.Table:
    """The summary of ``folder`` as it stands: finished, interrupted, or running in another process.

    Columns: study, cell, the factors, method, measure, level, estimate, mc_se, sd (over repetitions), lower
    and upper (95 %), attempted, valid and failed repetitions, verdict (of claims), needed (repetitions that
    would decide an undecided one), bounds ("fixed" or "sequence"), and for rates and fractions the interval
    when every failed repetition counts as 0, and as 1.
    """
    store = Store(folder)
    return table_of(store, load(store.manifest.reference))


def table_of(store: Store, study: Study) -> pa.Table:
    """The summary of an open store."""
    design = store.design
    rows: list[Row] = []
    for cell, factors in enumerate(store.manifest.factors):
        tallies, attempted, failed = tally(store, study, cell)
        head = {"study": study.name, "cell": cell, **factors}
        counts = {"attempted": attempted, "failed": failed}
        # Who looks at an unfinished cell has not fixed its repetitions in advance.
        sequence = store.manifest.sequence or attempted != design.repetitions
        rows += [head | row | counts for row in _cell_rows(store, study, design, tallies, failed, sequence)]
    factors = store.manifest.factors[0]
    kinds = {name: _factor_type(row[name] for row in store.manifest.factors) for name in factors}
    schema = pa.schema([("study", pa.string()), ("cell", pa.int32()), *kinds.items(), *_TYPES.items()])
    return arrow.table(rows, schema)


def write_summary(store: Store, study: Study) -> pa.Table:
    """Write ``summary.parquet`` into the run's folder."""
    table = table_of(store, study)
    buffer = io.BytesIO()
    pq.write_table(table, buffer, compression="zstd")
    write_whole(store.folder / SUMMARY, buffer.getvalue())
    return table


def tally(store: Store, study: Study, cell: int, stop: int | None = None) -> tuple[Tallies, int, int]:
    """Exact sums of a cell's columns, and its attempted and failed repetitions (below ``stop``)."""
    kinds = {measure.name: measure.kind for measure in study.measures}
    tallies: Tallies = {}
    attempted = failed = 0
    for chunk, rows in store.rows(cell, stop):
        attempted += chunk.size
        failed += chunk.failed
        for position, column in enumerate(rows.columns):
            if column not in tallies:
                tallies[column] = Tally(kinds[column.measure])
            try:
                tallies[column].add(rows.values[:, position])
            except ValueError as error:
                raise ValueError(f"cell {cell}, {tuple(column)}: {error}") from None
    return dict(sorted(tallies.items())), attempted, failed


def claims(study: Study, columns: Iterable[Column]) -> list[Column]:
    """The columns that the study promises to keep at or below their level."""
    claimed = {measure.name for measure in study.measures if measure.claim}
    return [column for column in columns if column.measure in claimed]


def claim_error(store: Store, study: Study, tallies: Tallies) -> float:
    """A claim's share of CLAIM_ERROR: divided among the cells, then among a cell's claims (Bonferroni)."""
    return CLAIM_ERROR / len(store.manifest.factors) / max(1, len(claims(study, tallies)))


def _cell_rows(
    store: Store, study: Study, design: Design, tallies: Tallies, failed: int, sequence: bool
) -> Iterator[Row]:
    alpha = claim_error(store, study, tallies)
    claimed = set(claims(study, tallies))
    if not tallies:  # every repetition failed: the measures are shown all the same
        for measure in study.measures:
            yield _row(Column("", measure.name), Tally(measure.kind), failed, sequence)
    for column, sums in tallies.items():
        row = _row(column, sums, failed, sequence)
        if column in claimed:
            row |= _verdict(column, sums, design, alpha, failed, sequence)
        yield row
        if sums.kind == "gain":
            yield from _shares(column, sums, failed, sequence)


def _row(column: Column, sums: Tally, failed: int, sequence: bool) -> Row:
    row = {
        **column._asdict(),
        **sums.estimate(sequence=sequence)._asdict(),
        "valid": sums.valid,
        "bounds": "sequence" if sequence else "fixed",
    }
    if sums.kind in ("rate", "fraction"):
        as_zero = sums.bounds(INTERVAL_ERROR / 2, sequence=sequence, zeros=failed)
        as_one = sums.bounds(INTERVAL_ERROR / 2, sequence=sequence, ones=failed)
        row |= dict(zip(_READINGS, (*as_zero, *as_one), strict=True))
    return {name: None if isinstance(v, float) and math.isnan(v) else v for name, v in row.items()}


def _verdict(column: Column, sums: Tally, design: Design, alpha: float, failed: int, sequence: bool) -> Row:
    level = claimed_level(column)
    verdict = sums.verdict(level, design.margin, alpha, failed=failed, sequence=sequence)
    more = None
    if verdict == "undecided":
        more = needed(sums.kind, sums.moments, level, design.margin, alpha, sequence=sequence)
    return {"verdict": verdict, "needed": more}


def claimed_level(column: Column) -> Fraction:
    """The level a claim is judged against; a ValueError when the study gave none."""
    if not column.level:
        raise ValueError(f"{tuple(column)}: a claim needs a level to be judged against")
    return Level(column.level)


def _shares(column: Column, sums: Tally, failed: int, sequence: bool) -> Iterator[Row]:
    """Wins, ties and losses of a paired difference, as rates of the valid repetitions."""
    ties = sums.valid - sums.wins - sums.losses
    for name, count in (("win", sums.wins), ("tie", ties), ("loss", sums.losses)):
        share = Tally("rate")
        share.moments.count = sums.valid
        share.moments.total = share.moments.squares = Fraction(count)
        yield _row(column._replace(measure=f"{column.measure}_{name}"), share, failed, sequence)


def _factor_type(values: Iterable[Any]) -> pa.DataType:
    kinds = {type(value) for value in values if value is not None}
    single: Mapping[type, pa.DataType] = {bool: pa.bool_(), int: pa.int64(), float: pa.float64()}
    return single.get(kinds.pop(), pa.string()) if len(kinds) == 1 else pa.string()


def measure_of(study: Study, name: str) -> Measure | None:
    """The study's measure of that name."""
    return next((measure for measure in study.measures if measure.name == name), None)


def intervals_in(study: Study, table: pa.Table) -> str:
    """The sorts of interval in a summary, and where there are several the measures that have each."""
    found: dict[str, dict[str, None]] = {}
    for row in table.select(["measure", "bounds"]).to_pylist():
        measure = measure_of(study, row["measure"])
        kind, name = (measure.kind, measure.name) if measure else ("rate", "shares of wins, ties and losses")
        found.setdefault(INTERVALS[kind][row["bounds"] == "sequence"], {})[name] = None
    if len(found) == 1:
        return next(iter(found))
    return "; ".join(f"{name} ({', '.join(measures)})" for name, measures in found.items())
