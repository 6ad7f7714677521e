"""Audit a vote file before a certificate: columns, malformed votes, copies, dependence."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(  # one parameter for each option of the command line
    file: Annotated[Path, typer.Argument(help="Parquet, Feather or CSV file of votes, long or wide.")],
    evaluator: Annotated[str, typer.Option(help="Column with the evaluator.")] = "evaluator",
    unit: Annotated[str | None, typer.Option(help="Column with the unit (long file).")] = None,
    vote: Annotated[str | None, typer.Option(help="Column with the vote, 0 or 1 (long file).")] = None,
    group: Annotated[str | None, typer.Option(help="Column: what an evaluator comes from, as its model.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
    quiet: Annotated[bool, typer.Option(help="Print warnings only.")] = False,
) -> None:
    """Look for what would break the guarantee of `typeone apply panels` on FILE."""
    from typeone import panels, tables
    from typeone.cli.output import say_audit

    audit = panels.check(tables.read(file), evaluator=evaluator, unit=unit, vote=vote, group=group)
    say_audit(audit, as_json=as_json, quiet=quiet)
