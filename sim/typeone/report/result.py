"""The page of a file that ``typeone apply`` wrote: every decision, and the evidence behind it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import pyarrow as pa

from typeone import tables
from typeone.display import cell
from typeone.engine.manifest import versions
from typeone.report import kinds
from typeone.report.html import Markup, Section, csv_download, element, facts, joined, paragraph, table
from typeone.report.page import page
from typeone.report.performance import Shown

MOST_ROWS = 2500


def result_page(file: Path, evidence: Path | None, asked: Mapping[str, str]) -> str:
    """The whole page; a ValueError when the file is not one that ``typeone apply`` writes.

    ``asked`` says how to read the file of evidence; each kind of result knows its own words, its ``EVIDENCE``.
    """
    found = tables.read(file)
    kind = _kind(file, found)
    found = _in_order(_with_types(found, kind.NAME), kind.ORDER)
    names = found.column_names
    rows = [list(row.values()) for row in found.slice(0, MOST_ROWS).to_pylist()]
    tips = {i: ", ".join(f"{n} {cell(v)}" for n, v in zip(names, row, strict=True)) for i, row in enumerate(rows)}
    shown, behind = kind.pictures(found), Markup("")
    if evidence is not None:
        if not hasattr(kind, "evidence"):
            raise ValueError(f"--evidence: a file of this kind ({kind.TITLE}) already holds all the evidence there is")
        for name in asked:
            if name not in kind.EVIDENCE:
                raise ValueError(f"--{name}: changes nothing for a file of this kind ({kind.TITLE})")
        behind, more = kind.evidence(found, evidence, {**kind.EVIDENCE, **asked})
        shown += more
    figures = Shown(shown, tips, command="the functions of typeone.figures")
    sections = [
        Section("answer", "Answer", kind.answer(found)),
        Section("figures", "Figures", figures.body()),
        Section("decisions", "Decisions", _decisions(found, rows, figures)),
        *([Section("evidence", "Evidence", behind)] if behind else []),
        Section("made", "How this was made", _made(file, evidence, found)),
    ]
    return page(f"{kind.TITLE}: {file.name}", f"{found.num_rows:,} rows", sections)


def _kind(file: Path, found: pa.Table) -> Any:
    modules: list[Any] = [import_module(f"{kinds.__name__}.{m.name}") for m in iter_modules(kinds.__path__)]
    for module in modules:
        if set(found.column_names) >= module.COLUMNS:
            return module
    told = "; ".join(f"{module.__name__.rpartition('.')[2]}: {', '.join(sorted(module.COLUMNS))}" for module in modules)
    raise ValueError(f"{file}: not a file that typeone apply … --out writes; their columns are {told}")


def _with_types(found: pa.Table, identifier: str) -> pa.Table:
    """Numbers and truth values that a CSV file holds as text; the identifier "007" stays as it is."""
    for position, name in enumerate(found.column_names):
        column = found.column(position)
        if not pa.types.is_string(column.type) or name == identifier:
            continue
        for kind in (pa.bool_(), pa.float64()):
            try:
                found = found.set_column(position, name, column.cast(kind))
                break
            except pa.ArrowInvalid:
                continue
    return found


def _in_order(found: pa.Table, order: str) -> pa.Table:
    name = order.removeprefix("-")
    return found.sort_by([(name, "descending" if order.startswith("-") else "ascending")])


def _decisions(found: pa.Table, rows: Sequence[list[Any]], figures: Shown) -> Markup:
    left = (
        f" (the first {len(rows):,} of {found.num_rows:,}; all are in the file)" if len(rows) < found.num_rows else ""
    )
    body = [[*row, figures.links(i)] for i, row in enumerate(rows)]
    choose = [f.name for f in found.schema if pa.types.is_boolean(f.type) or f.name in ("decision", "part")]
    ids = [f"row-{i}" for i in range(len(rows))]
    header = [*found.column_names, "figures"]
    return joined(
        table("decisions-table", f"One row for each decision{left}", header, body, ids=ids, choose=choose),
        paragraph("The whole table: ", csv_download("decisions", found)),
    )


def _made(file: Path, evidence: Path | None, found: pa.Table) -> Markup:
    files = [path for path in (file, evidence) if path is not None]
    digests = [(path.name, f"sha256 {hashlib.sha256(path.read_bytes()).hexdigest()}") for path in files]
    return joined(
        paragraph("The page shows what stands in the file; it computes no decision of its own. Files, by content:"),
        facts(digests),
        element("h3", "Versions that wrote this page"),
        facts(versions().items()),
    )
