"""Audit a vote file before a certificate: columns, malformed votes, copies, dependence."""

from __future__ import annotations

from typing import Annotated

import typer

from typeone.panels.commands._options import Evaluator, File, Unit, Vote
from typeone.terminal.options import FindingsAsJson, Rows, WarningsOnly


def command(  # one parameter for each option of the command line
    file: File,
    rows: Rows = None,
    evaluator: Evaluator = "evaluator",
    unit: Unit = None,
    vote: Vote = None,
    group: Annotated[str | None, typer.Option(help="Column: what an evaluator comes from, as its model.")] = None,
    as_json: FindingsAsJson = False,
    quiet: WarningsOnly = False,
) -> None:
    """Look for what would break the guarantee of `typeone apply panels` on FILE."""
    from typeone import panels, tables
    from typeone.terminal.output import say_audit

    audit = panels.check(tables.read(file, rows), evaluator=evaluator, unit=unit, vote=vote, group=group)
    say_audit(audit, as_json=as_json, quiet=quiet)
