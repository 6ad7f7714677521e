"""Audit a score file before source inference: columns, duplicates, exchangeability."""

from __future__ import annotations

from typeone.scf.commands._options import Control, File, Role, Score, Source, read
from typeone.terminal.options import Compared, Document, FindingsAsJson, Rows, WarningsOnly


def command(  # one parameter for each option of the command line
    file: File,
    rows: Rows = None,
    source: Source = "source",
    score: Score = "score",
    role: Role = None,
    control: Control = None,
    document: Document = None,
    column: Compared = None,
    as_json: FindingsAsJson = False,
    quiet: WarningsOnly = False,
) -> None:
    """Look for what would break the guarantee of `typeone apply scf` on FILE."""
    from typeone import scf
    from typeone.terminal.output import say_audit

    table, roles = read(file, rows, role, control)
    audit = scf.check(table, source=source, score=score, **roles, document=document, columns=column or ())
    say_audit(audit, as_json=as_json, quiet=quiet)
