"""Summarize a run: estimates, their errors and intervals, failures, verdicts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    folder: Annotated[Path, typer.Argument(help="A run's folder, finished or not.")],
    format_: Annotated[str, typer.Option("--format", help="table, csv, json or parquet.")] = "table",
    quantile: Annotated[
        list[str] | None, typer.Option(help="Show this quantile of every column instead; repeatable.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write to this file instead of printing.")] = None,
) -> None:
    """Summarize the run in FOLDER from its stored repetitions."""
    import io
    import sys
    from typing import cast

    from typeone import tables
    from typeone.cli.summaries import show
    from typeone.engine.parameters import suggestion
    from typeone.engine.quantiles import quantiles
    from typeone.engine.summary import summarize

    formats = ("table", "csv", "json", "parquet")
    if format_ not in formats:
        raise ValueError(f"--format {format_}: no such format{suggestion(format_, formats)}")
    if out is not None and format_ not in ("table", out.suffix.lstrip(".")):
        raise ValueError(f"--format {format_}, --out {out}: the file's name says another format")
    table = quantiles(folder, quantile) if quantile else summarize(folder)
    if out is not None:
        tables.write(table, out)
    elif format_ == "table":
        show(table)
    elif format_ == "json":
        typer.echo(tables.as_json(table))
    else:
        tables.WRITERS[f".{format_}"](table, cast(io.BufferedIOBase, sys.stdout.buffer))
