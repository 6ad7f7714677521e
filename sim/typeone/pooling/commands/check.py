"""Audit a vote file before pooling: columns, repeated votes, coverage, dependence."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(  # one parameter for each option of the command line
    file: Annotated[Path, typer.Argument(help="Parquet, Feather or CSV file, one row for each item and source.")],
    item: Annotated[str, typer.Option(help="Column with the item.")] = "item",
    source: Annotated[str, typer.Option(help="Column with the source.")] = "source",
    vote: Annotated[str, typer.Option(help="Column with the vote: 1, 0, or empty (not consulted).")] = "vote",
    label: Annotated[str | None, typer.Option(help="Column with the item's truth: 1, 0, or empty.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
    quiet: Annotated[bool, typer.Option(help="Print warnings only.")] = False,
) -> None:
    """Look for what would mislead `typeone apply pooling` on FILE."""
    from typeone import pooling, tables
    from typeone.cli.output import say_audit

    audit = pooling.check(tables.read(file), item=item, source=source, vote=vote, label=label)
    say_audit(audit, as_json=as_json, quiet=quiet)
