"""Pieces of the `check` commands: what a file holds, what repeats in it, and whether two groups look alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from typeone import tables as columns
from typeone.display import html_table, text_table

ALARM = 0.01
"""False-alarm rate of all comparisons of one kind in a check, split evenly among them."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One sentence about the file: ``ok``, ``note`` (worth knowing) or ``warning`` (endangers the guarantee)."""

    grade: Literal["ok", "note", "warning"]
    text: str


@dataclass(frozen=True, slots=True, repr=False)
class Audit:
    """What a check found, in the order in which it looked."""

    title: str
    tables: list[tuple[str, Sequence[str], list[tuple[Any, ...]]]] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    @property
    def warnings(self) -> list[str]:
        """The texts of the findings that endanger the guarantee."""
        return [finding.text for finding in self.findings if finding.grade == "warning"]

    def add(self, grade: Literal["ok", "note", "warning"], text: str) -> None:
        """Record one finding."""
        self.findings.append(Finding(grade, text))

    def to_arrow(self) -> pa.Table:
        """One row per finding: grade, text."""
        return pa.table(
            {
                "grade": pa.array([f.grade for f in self.findings], pa.string()),
                "text": pa.array([f.text for f in self.findings], pa.string()),
            }
        )

    def __str__(self) -> str:
        parts = [self.title]
        parts += [f"{name}\n{text_table(header, rows)}" for name, header, rows in self.tables]
        parts.append("\n".join(f"{finding.grade:8}{finding.text}" for finding in self.findings))
        return "\n\n".join(parts)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        blocks = [html_table(header, rows, caption=name) for name, header, rows in self.tables]
        rows = [(finding.grade, finding.text) for finding in self.findings]
        return "".join(blocks) + html_table(["grade", "finding"], rows, caption=self.title)


def columns_table(table: pa.Table, taken_for: dict[str, str]) -> tuple[str, Sequence[str], list[tuple[Any, ...]]]:
    """Every column with its type, what it is taken for, missing values, distinct values and an example."""
    rows = []
    for name in table.column_names:
        column = table.column(name)
        rows.append(
            (
                name,
                taken_for.get(name, "not used"),
                str(column.type),
                column.null_count + _nan_count(column),
                _distinct(column),
                _first_value(column),
            )
        )
    return "columns", ["column", "taken for", "type", "missing", "distinct", "first value"], rows


def _first_value(column: pa.ChunkedArray) -> str | None:
    """The first value as text; of a type that Python has no value for what Arrow writes, or the type's name."""
    if not len(column):
        return None
    try:
        return str(column[0].as_py())[:24]
    except (ValueError, TypeError, LookupError, ArithmeticError, ImportError, pa.ArrowException):
        pass  # beyond the year 9999, finer than a microsecond, an unknown time zone, text that is not UTF-8 …
    first = column.slice(0, 1)
    if pa.types.is_string(column.type):
        raw: bytes = first.cast(pa.binary())[0].as_py()
        return raw.decode(errors="backslashreplace")[:24]
    try:
        return str(first.cast(pa.string())[0].as_py())[:24]
    except (ValueError, pa.ArrowException):
        return str(column.type)[:24]


def _comparable(column: pa.ChunkedArray) -> bool:
    """Whether Arrow can tell which values of the column are equal."""
    if pa.types.is_nested(column.type):
        return False
    try:
        column.slice(0, 0).combine_chunks().dictionary_encode()
    except pa.ArrowException:
        return False
    return True


def _distinct(column: pa.ChunkedArray) -> int | None:
    if pa.types.is_null(column.type):
        return 0
    return int(pc.count_distinct(column).as_py()) if _comparable(column) else None


def _nan_count(column: pa.ChunkedArray) -> int:
    if not pa.types.is_floating(column.type):
        return 0
    return int(pc.sum(pc.is_nan(column)).as_py() or 0)


def codes_of(table: pa.Table, names: Sequence[str]) -> NDArray[np.int64]:
    """One code per row, equal exactly when the rows agree in every column named; shape (rows,)."""
    code = np.zeros(table.num_rows, np.int64)
    for name in names:
        column = columns.column(table, name)
        if pa.types.is_null(column.type):
            continue
        if not _comparable(column):
            kind = "nested values" if pa.types.is_nested(column.type) else "values of this type"
            raise ValueError(f"column {name!r}: {kind} cannot be compared ({column.type})")
        encoded = column.combine_chunks().dictionary_encode(null_encoding="encode")
        inner = encoded.indices.to_numpy().astype(np.int64)
        code = np.unique(code * (inner.max(initial=0) + 1) + inner, return_inverse=True)[1].astype(np.int64)
    return code


def look_alikes(audit: Audit, table: pa.Table, names: Sequence[str]) -> None:
    """Warn of identifiers that differ by outer blanks, case or leading zeros alone: one thing under two names?"""
    for name in names:
        if name not in table.column_names or not pa.types.is_string(table.column(name).type):
            continue
        first: dict[str, str] = {}
        raw = pc.unique(table.column(name)).cast(pa.binary()).to_pylist()
        for value in (text.decode(errors="backslashreplace") for text in raw if text is not None):
            other = first.setdefault(value.strip().casefold().lstrip("0"), value)
            if other != value:
                audit.add("warning", f"column {name!r}: {other!r} and {value!r} are taken for two different names")
                break


def flat_columns(table: pa.Table) -> list[str]:
    """Names of the columns whose values can be compared: neither nested nor of a type without equality."""
    kept = (name for name in table.column_names if not pa.types.is_nested(table.column(name).type))
    return [name for name in kept if pa.types.is_null(table.column(name).type) or _comparable(table.column(name))]


def duplicate_rows(audit: Audit, table: pa.Table) -> None:
    """Rows that repeat an earlier row in every column."""
    flat = flat_columns(table)
    left_out = [f"{name} ({table.column(name).type})" for name in table.column_names if name not in flat]
    if left_out:
        audit.add("note", f"columns whose values cannot be compared are left out of comparisons: {', '.join(left_out)}")
    code = codes_of(table, flat)
    _, first, count = np.unique(code, return_index=True, return_counts=True)
    extra = int((count - 1).sum())
    if extra:
        where = int(first[np.argmax(count > 1)]) + 1
        audit.add("warning", f"{extra} rows repeat an earlier row in every column (the first is row {where})")
    else:
        audit.add("ok", "no row repeats another")


def in_several(
    audit: Audit, codes: NDArray[np.int64], group: NDArray[np.int64], what: tuple[str, str], group_name: str
) -> None:
    """Things (codes, (rows,)) that occur in more than one group (codes, (rows,)).

    ``what`` they are called, one and several: ("item", "items").
    """
    one, several = what
    pairs = np.unique(np.stack([codes, group]), axis=1)
    count = np.bincount(pairs[0])
    shared = int((count > 1).sum())
    if shared:
        row = int(np.argmax(np.isin(codes, np.flatnonzero(count > 1)))) + 1
        audit.add("warning", f"{shared} {several} occur in more than one {group_name} (the first in row {row})")
    else:
        audit.add("ok", f"no {one} occurs in more than one {group_name}")


@dataclass(frozen=True, slots=True)
class TwoGroups:
    """Things (codes, (rows,)) in two groups, the second where ``second`` (things,) is true.

    ``each`` is what one of them is called, ``names`` are the groups'.
    """

    codes: NDArray[np.int64]
    second: NDArray[np.bool_]
    each: str
    names: tuple[str, str]

    @property
    def rows(self) -> NDArray[np.float64]:
        """How many rows each has, (things,)."""
        return np.bincount(self.codes, minlength=self.second.size).astype(np.float64)

    def mean(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean of ``values`` (rows,) in each, (things,); NaN where all are NaN."""
        there = ~np.isnan(values)
        count = np.bincount(self.codes[there], minlength=self.second.size)
        total = np.bincount(self.codes[there], weights=values[there], minlength=self.second.size)
        mean = np.full(count.size, np.nan)
        np.divide(total, count, out=mean, where=count > 0)
        return mean


def alike(audit: Audit, groups: TwoGroups, quantities: Mapping[str, NDArray[np.float64]], doubt: str) -> None:
    """Compare two groups in quantities (things,), NaN where unknown; ``doubt`` is what a difference says.

    Kolmogorov-Smirnov tests, which together give a false alarm with probability ALARM at most.
    """
    first, second = groups.names
    if groups.second.all() or not groups.second.any():
        return
    rows = []
    for name, of in quantities.items():
        samples = [of[side & ~np.isnan(of)] for side in (~groups.second, groups.second)]
        if all(sample.size for sample in samples):
            rows.append(_compared(name, *samples))
        else:
            audit.add("warning", f"{name}: no value among the {first} or among the {second}")
    header = ("quantity", first, "median", second, "median ", "KS distance", "p-value")
    audit.tables.append((f"{first} against {second}, one value for each {groups.each}", header, list(rows)))
    unlike = [(name, p) for name, *_, p in rows if p < ALARM / len(rows)]
    for name, p in unlike:
        audit.add("warning", f"{name} differs between {first} and {second} (KS p = {p:.2g}): {doubt}")
    if rows and not unlike:
        several = f"{len(rows)} quantities" if len(rows) > 1 else rows[0][0]
        audit.add(
            "ok",
            f"{first} and {second} look alike in {several} (no KS p-value below {ALARM}/{len(rows)}); this cannot "
            "prove exchangeability",
        )


def _compared(
    name: str, first: NDArray[np.float64], second: NDArray[np.float64]
) -> tuple[str, int, float, int, float, float, float]:
    """Two samples side by side: sizes, medians, Kolmogorov-Smirnov distance and its p-value."""
    from scipy.stats import ks_2samp

    test = ks_2samp(first, second)
    medians = float(np.median(first)), float(np.median(second))
    return name, first.size, medians[0], second.size, medians[1], float(test.statistic), float(test.pvalue)
