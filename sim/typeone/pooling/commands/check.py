"""Audit a vote file before pooling: columns, repeated votes, coverage, dependence."""

from __future__ import annotations

from typeone.pooling.commands._options import File, Item, Label, Source, Vote
from typeone.terminal.options import FindingsAsJson, Rows, WarningsOnly


def command(  # one parameter for each option of the command line
    file: File,
    rows: Rows = None,
    item: Item = "item",
    source: Source = "source",
    vote: Vote = "vote",
    label: Label = None,
    as_json: FindingsAsJson = False,
    quiet: WarningsOnly = False,
) -> None:
    """Look for what would mislead `typeone apply pooling` on FILE."""
    from typeone import pooling, tables
    from typeone.terminal.output import say_audit

    audit = pooling.check(tables.read(file, rows), item=item, source=source, vote=vote, label=label)
    say_audit(audit, as_json=as_json, quiet=quiet)
