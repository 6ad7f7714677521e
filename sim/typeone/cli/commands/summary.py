"""Summarize a run: estimates, their errors and intervals, failures, verdicts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from typeone.terminal.options import Folder, Texts

if TYPE_CHECKING:
    import pyarrow as pa

FORMATS = ("table", "csv", "json", "parquet")


def command(  # one parameter for each option of the command line
    folder: Folder,
    cell: Annotated[list[int] | None, typer.Option(help="Only this cell, by number; repeatable.")] = None,
    method: Annotated[Texts, typer.Option(help="Only this method; repeatable.")] = None,
    measure: Annotated[Texts, typer.Option(help="Only this measure; repeatable.")] = None,
    level: Annotated[Texts, typer.Option(help="Only this level; repeatable.")] = None,
    claims: Annotated[bool, typer.Option("--claims", help="Only measures whose level is promised.")] = False,
    quantile: Annotated[Texts, typer.Option(help="Show this quantile of every column instead; repeatable.")] = None,
    format_: Annotated[str, typer.Option("--format", help="table, csv, json or parquet.")] = "table",
    out: Annotated[Path | None, typer.Option(help="Write to this file instead of printing.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    quiet: Annotated[bool, typer.Option(help="Print only claims that are not shown to hold.")] = False,
) -> None:
    """Summarize the run in FOLDER from its stored repetitions.

    A line says method, measure, level, estimate with its Monte Carlo standard error, its 95 % interval, how many of
    the repetitions gave a value, and whether a promised level holds. All columns are in --format csv.
    """
    from typeone import tables
    from typeone.cli import summaries
    from typeone.engine.parameters import suggestion
    from typeone.engine.quantiles import quantiles
    from typeone.engine.summary import summarize

    if format_ not in FORMATS:
        raise ValueError(f"--format {format_}: no such format{suggestion(format_, FORMATS)}")
    if as_json and format_ not in ("table", "json"):
        raise ValueError(f"--json, --format {format_}: two formats; choose one")
    if as_json:
        format_ = "json"
    if out is not None and format_ not in ("table", out.suffix.lstrip(".")):
        raise ValueError(f"--format {format_}, --out {out}: the file's name says another format")
    wanted = summaries.Wanted(cell or (), method or (), measure or (), level or (), claims)
    table = summaries.pick(quantiles(folder, quantile) if quantile else summarize(folder), wanted, folder)
    if out is not None:
        tables.write(table, out)
    elif quiet and format_ == "table":
        for line in summaries.not_shown_to_hold(table):
            typer.echo(line)
    elif format_ == "table":
        summaries.show(table, folder, everything=not wanted.is_all)
    else:
        _print(table, format_)


def _print(table: pa.Table, format_: str) -> None:
    import io
    import sys
    from typing import cast

    from typeone import tables

    if format_ == "json":
        typer.echo(tables.as_json(table))
    else:
        tables.WRITERS[f".{format_}"](table, cast(io.BufferedIOBase, sys.stdout.buffer))
