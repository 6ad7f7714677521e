"""Audit a score file before source inference: columns, duplicates, exchangeability."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(  # one parameter for each option of the command line
    file: Annotated[Path, typer.Argument(help="Parquet, Feather or CSV file, one row per document.")],
    source: Annotated[str, typer.Option(help="Column with the document's source.")] = "source",
    score: Annotated[str, typer.Option(help="Column with the score; larger = more evidence.")] = "score",
    role: Annotated[str | None, typer.Option(help="Column: reference, calibration or target.")] = None,
    control: Annotated[str | None, typer.Option(help="Column: true for known nonparticipants.")] = None,
    document: Annotated[str | None, typer.Option(help="Column that identifies a document.")] = None,
    column: Annotated[list[str] | None, typer.Option(help="Numeric column to compare; repeatable.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
    quiet: Annotated[bool, typer.Option(help="Print warnings only.")] = False,
) -> None:
    """Look for what would break the guarantee of `typeone apply scf` on FILE."""
    from typeone import scf, tables
    from typeone.cli.output import say_audit

    audit = scf.check(
        tables.read(file),
        source=source,
        score=score,
        role=role if role is not None or control is not None else "role",
        control=control,
        document=document,
        columns=column or (),
    )
    say_audit(audit, as_json=as_json, quiet=quiet)
